"""The process in which files are read. `python -m gdrive_rag_mcp.extraction.zygote`.

It loads the parsers once and stays single-threaded; each file is read by a fork that is held to
limits, answers through a pipe and ends. With `--once` it reads one file itself, for systems that
cannot fork.

Requests are lines of JSON on standard input. Each is answered by a line of JSON that says how the
reading ended and how many bytes follow, and these bytes (see `wire`). It ends with its input.
"""

import contextlib
import gc
import json
import os
import select
import signal
import sys
import time
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.building import one_line
from gdrive_rag_mcp.extraction.formats import Format
from gdrive_rag_mcp.extraction.limits import Limits, bind
from gdrive_rag_mcp.extraction.options import Options
from gdrive_rag_mcp.extraction.reading import read_document
from gdrive_rag_mcp.extraction.wire import pack, pack_error

ONCE = "--once"
_BLOCK = 1 << 16
_MAX_REQUEST = 1 << 16
_REAP_SECONDS = 0.002


@dataclass(frozen=True, slots=True)
class Request:
    """One file to read."""

    path: str
    mime_type: str
    limits: Limits
    options: Options

    def to_line(self) -> bytes:
        return json.dumps(asdict(self)).encode() + b"\n"

    @classmethod
    def from_line(cls, line: bytes) -> "Request":
        fields = json.loads(line)
        options = Options(ocr_languages=tuple(fields["options"]["ocr_languages"]))
        return cls(fields["path"], fields["mime_type"], Limits(**fields["limits"]), options)


@dataclass(frozen=True, slots=True)
class Ending:
    """How a reading ended: the signal that killed it, or the limit that it was stopped at."""

    signal: int = 0
    exceeded: str = ""
    length: int = 0

    def to_line(self) -> bytes:
        return json.dumps(asdict(self)).encode() + b"\n"

    @classmethod
    def from_line(cls, line: bytes) -> "Ending":
        fields: dict[str, Any] = json.loads(line)
        return cls(int(fields["signal"]), str(fields["exceeded"]), int(fields["length"]))


def answer(request: Request) -> bytes:
    """Read the file and pack what came of it: the outermost handler of this process."""
    try:
        return pack(read_document(Path(request.path), request.mime_type, request.options))
    except ExtractionError as error:
        return pack_error(error)
    except MemoryError:
        mebibytes = request.limits.memory_bytes >> 20
        return pack_error(
            ExtractionError(
                Reason.RESOURCE_LIMIT, f"Reading the file took more than {mebibytes} MiB of memory"
            )
        )
    except BaseException as error:  # noqa: BLE001 - parsers raise anything, a Rust panic included
        return pack_error(_unforeseen(error))


def _unforeseen(error: BaseException) -> ExtractionError:
    """A panic is what a Rust parser makes of damage; anything else unforeseen is our fault."""
    name = type(error).__name__
    reason = Reason.CORRUPT if name == "PanicException" else Reason.INTERNAL
    return ExtractionError(reason, one_line(f"Reading the file failed with {name}: {error}"))


def main(arguments: list[str]) -> None:
    """Serve requests until the input ends."""
    requests, replies = os.dup(0), os.dup(1)
    # Whatever a parser prints must not end up among the replies.
    _silence(0, 1)
    if ONCE in arguments:
        _serve_once(requests, replies)
        return
    for kind in Format:
        with contextlib.suppress(ImportError):  # the file that needs it will say what is missing
            import_module(f"{__package__}.{kind.value}")
    gc.freeze()
    while line := _read_line(requests):
        request = Request.from_line(line)
        ending, said = _read_in_fork(request, requests, replies)
        _write(replies, ending.to_line() + said)


def _serve_once(requests: int, replies: int) -> None:
    request = Request.from_line(_read_line(requests))
    bind(request.limits)
    said = answer(request)
    _write(replies, Ending(length=len(said)).to_line() + said)


def _read_in_fork(request: Request, requests: int, replies: int) -> tuple[Ending, bytes]:
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            for unneeded in (reader, requests, replies):
                os.close(unneeded)
            _silence(0, 1, 2)
            bind(request.limits)
            _write(writer, answer(request))
        finally:
            os._exit(0)
    os.close(writer)
    try:
        return _collect(child, reader, requests, request.limits)
    finally:
        os.close(reader)


def _collect(child: int, reader: int, requests: int, limits: Limits) -> tuple[Ending, bytes]:
    """Take the child's answer as it comes, within the limits; dies with whoever asked."""
    deadline = time.monotonic() + limits.wall_seconds
    blocks: list[bytes] = []
    length = 0
    exceeded = ""
    while not exceeded:
        left = deadline - time.monotonic()
        ready, _, _ = select.select([reader, requests], [], [], max(left, 0))
        if requests in ready:  # nobody asks twice before an answer: the input has ended
            os.kill(child, signal.SIGKILL)
            sys.exit(0)
        if not ready:
            exceeded = "wall"
        elif block := os.read(reader, _BLOCK):
            blocks.append(block)
            length += len(block)
            exceeded = "answer" if length > limits.answer_bytes else ""
        else:
            break
    if exceeded:
        os.kill(child, signal.SIGKILL)
    killed_by = _reap(child, deadline)
    said = b"" if exceeded or killed_by else b"".join(blocks)
    return Ending(killed_by, exceeded, len(said)), said


def _reap(child: int, deadline: float) -> int:
    """Wait for the child, which has nothing more to say; the signal that ended it, or 0."""
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        if time.monotonic() > deadline:
            os.kill(child, signal.SIGKILL)
        time.sleep(_REAP_SECONDS)


def _read_line(file: int) -> bytes:
    """One line, read unbuffered: what comes after it is still in the pipe for `select` to see."""
    line = b""
    while not line.endswith(b"\n") and len(line) < _MAX_REQUEST:
        byte = os.read(file, 1)
        if not byte:
            return b""
        line += byte
    return line


def _write(file: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(file, view) :]


def _silence(*files: int) -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    for file in files:
        os.dup2(nowhere, file)
    os.close(nowhere)


if __name__ == "__main__":
    main(sys.argv[1:])
