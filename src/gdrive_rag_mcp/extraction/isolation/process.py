"""The process of `zygote`, as seen from the outside."""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import gdrive_rag_mcp
from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.building import one_line
from gdrive_rag_mcp.extraction.isolation.zygote import Ending, Request

_ZYGOTE = "gdrive_rag_mcp.extraction.isolation.zygote"
_START_SECONDS = 60.0
_END_SECONDS = 5.0
_MAX_HEAD = 1_000
_WORDS_KEPT = 2_000
# Enough for Python and its libraries to start. Everything else, such as keys, stays here.
_ENVIRONMENT = (
    "DYLD_LIBRARY_PATH",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "LD_LIBRARY_PATH",
    "PYTHONHOME",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "TMPDIR",
)
# Memory in large pages, where this is glibc's: a fork copies one entry for 512 small ones.
_SET = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}


class ProcessDiedError(Exception):
    """The process ended without an answer; never leaves this package."""

    def __init__(self, code: int, words: str) -> None:
        super().__init__(words)
        self.code = code


class ReadingProcess:
    """A running process that reads files one by one."""

    def __init__(self, *arguments: str) -> None:
        self._words = tempfile.TemporaryFile()  # noqa: SIM115 - closed in `end`
        # -P: no module of the working directory can take the place of one of ours.
        command = [sys.executable, "-P", "-m", _ZYGOTE, *arguments]
        self._popen = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._words,
            env=environment(),
            start_new_session=True,  # Ctrl-C in a terminal is for us; it ends with its input
        )

    @property
    def id(self) -> int:
        """The process id."""
        return self._popen.pid

    @property
    def ended(self) -> bool:
        return self._popen.poll() is not None

    def ask(self, request: Request) -> tuple[Ending, bytes]:
        """Have a file read; returns how that ended, and the packed answer.

        Raises:
            ProcessDiedError: the process ended instead of answering.
        """
        overdue = threading.Event()
        seconds = request.limits.wall_seconds + _START_SECONDS
        watch = threading.Timer(seconds, self._kill_overdue, [overdue])
        watch.daemon = True
        watch.start()
        try:
            return self._exchange(request)
        except ProcessDiedError:
            if overdue.is_set():
                return Ending(exceeded="wall"), b""
            raise
        finally:
            watch.cancel()

    def end(self) -> None:
        """Let the process end by itself, or kill it; its pipes are closed."""
        for pipe in (self._popen.stdin, self._popen.stdout):
            if pipe:
                with contextlib.suppress(OSError):  # unsent requests of a process that is gone
                    pipe.close()
        try:
            self._popen.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._kill()
            self._popen.wait()
        self._words.close()

    def _exchange(self, request: Request) -> tuple[Ending, bytes]:
        requests, replies = self._popen.stdin, self._popen.stdout
        if requests is None or replies is None:
            raise self._died()
        try:
            requests.write(request.to_line())
            requests.flush()
        except BrokenPipeError:
            raise self._died() from None
        head = replies.readline(_MAX_HEAD)
        if not head.endswith(b"\n"):
            raise self._died()
        ending = _ending(head, request)
        answer = replies.read(ending.length)
        if len(answer) < ending.length:
            raise self._died()
        return ending, answer

    def _kill_overdue(self, overdue: threading.Event) -> None:
        overdue.set()
        self._kill()

    def _kill(self) -> None:
        """End the process, and what it has started itself, as its session is its own."""
        if sys.platform == "win32":
            self._popen.kill()
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._popen.pid, signal.SIGKILL)

    def _died(self) -> ProcessDiedError:
        code = self._popen.wait()
        self._words.seek(0, os.SEEK_END)
        self._words.seek(max(0, self._words.tell() - _WORDS_KEPT))
        words = self._words.read().decode(errors="replace").strip().rpartition("\n")[2]
        return ProcessDiedError(code, one_line(words) or f"exit code {code}")


def _ending(head: bytes, request: Request) -> Ending:
    try:
        ending = Ending.from_line(head)
    except (ValueError, LookupError, TypeError) as error:
        raise ExtractionError(
            Reason.INTERNAL, "The extraction process gave an unreadable answer"
        ) from error
    if not 0 <= ending.length <= request.limits.answer_bytes:
        return Ending(exceeded="answer")
    return ending


def environment() -> dict[str, str]:
    """The variables that a process started here gets: where Python is, and no secrets."""
    ours = str(Path(gdrive_rag_mcp.__file__).parents[1])
    path = [ours, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    kept = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
    return {**kept, **_SET, "PYTHONPATH": os.pathsep.join(path), "PYTHONUTF8": "1"}
