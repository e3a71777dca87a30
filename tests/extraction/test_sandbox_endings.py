"""A parser that was taken over does all it can not to end, or to hurt: the sandbox ends it."""

import contextlib
import os
import select
import signal
import sys
import threading
from pathlib import Path

import pytest

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.isolation import process
from gdrive_rag_mcp.extraction.isolation.limits import Limits
from gdrive_rag_mcp.extraction.isolation.sandbox import Sandbox
from gdrive_rag_mcp.extraction.options import Ocr, Options
from tests.extraction.taken_over import sandbox_taken_over, what_came_of, write

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")

SLEEP = "import time; time.sleep(1e6)"
HANG_UP = "import os, time; os.closerange(3, 256); time.sleep(1e6)"
DEAF = """
import signal, time
for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
    signal.signal(number, signal.SIG_IGN)
time.sleep(1e6)
"""
WAIT_FOR_THREADS = """
import threading, time
threading.Thread(target=time.sleep, args=[1e6]).start()
threading.Event().wait()
"""
COMPUTE = "while True: pass"
COMPUTE_IN_THREADS = """
import threading
for number in range(4):
    threading.Thread(target=lambda: [None for _ in iter(int, 1)]).start()
threading.Event().wait()
"""
COMPUTE_DEAF = """
import signal
signal.signal(signal.SIGXCPU, signal.SIG_IGN)
while True: pass
"""
FIND_PIPE = """
import os, stat
def is_pipe(n):
    try: return stat.S_ISFIFO(os.fstat(n).st_mode)
    except OSError: return False
pipe = next(filter(is_pipe, range(3, 99)))
"""
WRITE = FIND_PIPE + "while True: os.write(pipe, bytes(1 << 16))"
ANSWER_BRACKETS = f"""{FIND_PIPE}
left = memoryview(b"[" * 5_000_000)
while left: left = left[os.write(pipe, left):]
os._exit(0)
"""
FILL_AT_ONCE = "bytearray(1 << 40)"
FILL_BIT_BY_BIT = """
held = []
while True: held.append(bytearray(1 << 24))
"""
FAULT = "import ctypes; ctypes.string_at(0)"
ABORT = "import os; os.abort()"
PANIC = """
class PanicException(BaseException): pass
raise PanicException("index out of bounds")
"""
CHATTER = """
import os, sys
for stream in (sys.stdout, sys.stderr):
    print("chatter " * 10_000, file=stream, flush=True)
for number in (1, 2):
    os.write(number, b'{"signal": 9, "exceeded": "", "length": 0}\\n')
said = ["nothing to hear", sys.stdin.read()]
"""
SLEEP_SAYING_SO = """
import signal, time
signal.signal(signal.SIGUSR1, signal.SIG_IGN)
time.sleep(1e6)
"""


def the_next_file_is_read(sandbox: Sandbox, path: Path) -> bool:
    return "alive" in what_came_of("said = 'alive'", sandbox, path).message


@forks
@pytest.mark.parametrize("code", [SLEEP, HANG_UP, DEAF, WAIT_FOR_THREADS])
def test_what_waits_for_ever_is_ended_by_the_wall_clock(tmp_path: Path, code: str) -> None:
    with sandbox_taken_over(tmp_path, Limits(wall_seconds=0.5)) as sandbox:
        before = sandbox.process_id
        refusal = what_came_of(code, sandbox, tmp_path / "file")

        assert refusal.reason is Reason.RESOURCE_LIMIT
        assert "0.5 seconds" in refusal.message
        assert the_next_file_is_read(sandbox, tmp_path / "file")
        # It was the child that was ended, not the process that forks.
        assert sandbox.process_id == before


@forks
@pytest.mark.parametrize("code", [COMPUTE, COMPUTE_IN_THREADS, COMPUTE_DEAF])
def test_what_computes_for_ever_is_ended(tmp_path: Path, code: str) -> None:
    with sandbox_taken_over(tmp_path, Limits(cpu_seconds=1)) as sandbox:
        refusal = what_came_of(code, sandbox, tmp_path / "file")

        assert refusal.reason is Reason.RESOURCE_LIMIT
        assert the_next_file_is_read(sandbox, tmp_path / "file")


@forks
def test_what_writes_for_ever_is_ended(tmp_path: Path) -> None:
    with sandbox_taken_over(tmp_path, Limits(answer_bytes=1 << 20)) as sandbox:
        refusal = what_came_of(WRITE, sandbox, tmp_path / "file")

        assert refusal.reason is Reason.TOO_LARGE
        assert the_next_file_is_read(sandbox, tmp_path / "file")


@forks
def test_an_answer_made_to_hurt_whoever_takes_it_does_not(tmp_path: Path) -> None:
    with sandbox_taken_over(tmp_path) as sandbox:
        refusal = what_came_of(ANSWER_BRACKETS, sandbox, tmp_path / "file")

        assert refusal.reason is Reason.INTERNAL
        assert "unreadable answer" in refusal.message
        assert the_next_file_is_read(sandbox, tmp_path / "file")


@forks
@pytest.mark.parametrize("code", [FILL_AT_ONCE, FILL_BIT_BY_BIT, FAULT, ABORT])
def test_too_much_memory_and_crashes_are_a_limit(tmp_path: Path, code: str) -> None:
    with sandbox_taken_over(tmp_path, Limits(memory_bytes=1 << 29)) as sandbox:
        refusal = what_came_of(code, sandbox, tmp_path / "file")

        assert refusal.reason is Reason.RESOURCE_LIMIT
        assert "512 MiB of memory" in refusal.message
        assert the_next_file_is_read(sandbox, tmp_path / "file")


@forks
@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="asks Linux for the end of a process")
def test_what_a_parser_has_started_ends_with_it(tmp_path: Path) -> None:
    """Where pages are recognised, programs may be started: none outlives the file."""
    code = (
        "import os, time\n"
        "said = os.fork()\n"
        "if not said:\n"
        "    os.closerange(3, 256)\n"
        "    time.sleep(1e6)\n"
    )
    options = Options(Ocr("/usr/bin/true", str(tmp_path / "data"), ("eng",)))
    with sandbox_taken_over(tmp_path, options=options) as sandbox:
        refusal = what_came_of(code, sandbox, tmp_path / "file")
        started = int(refusal.message.rpartition(" ")[2])

        try:
            orphan = os.pidfd_open(started)
        except ProcessLookupError:
            return
        try:
            assert select.select([orphan], [], [], 60)[0]
        finally:
            os.close(orphan)


@pytest.mark.parametrize("fork", [pytest.param(True, marks=forks), False], ids=["fork", "process"])
def test_what_a_parser_prints_is_heard_by_nobody(tmp_path: Path, *, fork: bool) -> None:
    """Neither as an answer, nor by whoever runs us; and printing fails nowhere."""
    with sandbox_taken_over(tmp_path, fork=fork) as sandbox:
        refusal = what_came_of(CHATTER, sandbox, tmp_path / "file")

        assert refusal.message.endswith("['nothing to hear', '']")
        assert "chatter" not in refusal.message
        assert the_next_file_is_read(sandbox, tmp_path / "file")


def test_a_panic_of_a_parser_is_damage_to_the_file(tmp_path: Path) -> None:
    with sandbox_taken_over(tmp_path) as sandbox:
        refusal = what_came_of(PANIC, sandbox, tmp_path / "file")

        assert refusal.reason is Reason.CORRUPT
        assert "index out of bounds" in refusal.message
        assert the_next_file_is_read(sandbox, tmp_path / "file")


# ── the process that forks is gone ───────────────────────────────────────────


def child_of(parent: int) -> int:
    """The process that it has forked; 0 while there is none."""
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text(encoding="ascii")
    return int(children.split()[0]) if children else 0


def sleeps(process_id: int) -> bool:
    """Whether a file of `SLEEP_SAYING_SO` is being read there."""
    status = Path(f"/proc/{process_id}/status").read_text(encoding="ascii")
    ignored = next(line.split()[1] for line in status.splitlines() if line.startswith("SigIgn"))
    return bool(int(ignored, 16) >> (signal.SIGUSR1 - 1) & 1)


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_when_the_process_that_forks_is_killed_its_child_ends_and_the_file_is_read_anew(
    tmp_path: Path,
) -> None:
    path = tmp_path / "file"
    write(SLEEP_SAYING_SO, path)
    refusals: list[ExtractionError] = []

    def read() -> None:
        with pytest.raises(ExtractionError) as refusal:
            sandbox.extract(path, "application/pdf")
        refusals.append(refusal.value)

    with sandbox_taken_over(tmp_path) as sandbox:
        reading, first = threading.Thread(target=read), sandbox.process_id
        assert first
        reading.start()
        while not ((child := child_of(first)) and sleeps(child)):
            assert reading.is_alive()
        orphan = os.pidfd_open(child)
        try:
            write("said = 'read anew'", path)
            os.kill(first, signal.SIGKILL)
            reading.join()
            assert select.select([orphan], [], [], 60)[0]
        finally:
            with contextlib.suppress(ProcessLookupError):  # it has ended, as it should
                signal.pidfd_send_signal(orphan, signal.SIGKILL)
            os.close(orphan)

        assert sandbox.process_id != first
    assert refusals[0].message.endswith("read anew")


def test_a_process_that_ends_each_time_is_an_internal_failure_and_not_asked_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A broken installation: the process cannot even load what it forks with."""
    (tmp_path / "json.py").write_text("raise SystemExit('no such thing')", encoding="ascii")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (tmp_path / "note").write_text("A note.", encoding="ascii")

    with Sandbox() as sandbox, pytest.raises(ExtractionError) as refusal:
        sandbox.extract(tmp_path / "note", "text/plain")

    assert refusal.value.reason is Reason.INTERNAL
    assert "installation" in refusal.value.hint


@pytest.mark.parametrize("fork", [pytest.param(True, marks=forks), False], ids=["fork", "process"])
def test_modules_of_the_working_folder_are_not_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, fork: bool
) -> None:
    """Whoever syncs a folder may well stand in it, with whatever others have put there."""
    for name in ("json", "lxml", "chardet", "gdrive_rag_mcp"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('taken over')", encoding="ascii")
    (tmp_path / "note").write_text("Besprechung über Räume.", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTHONPATH", raising=False)

    with Sandbox(fork=fork) as sandbox:
        text = sandbox.extract(tmp_path / "note", "text/plain").text

    assert text == "Besprechung über Räume."


def test_without_fork_a_process_that_does_not_end_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "_START_SECONDS", 2.0)
    with sandbox_taken_over(tmp_path, Limits(wall_seconds=0.5), fork=False) as sandbox:
        refusal = what_came_of(SLEEP, sandbox, tmp_path / "file")

        assert refusal.reason is Reason.RESOURCE_LIMIT
        assert "0.5 seconds" in refusal.message
