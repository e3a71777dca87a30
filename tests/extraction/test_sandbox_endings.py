"""A parser that was taken over does all it can not to end, or to hurt: the sandbox ends it."""

import os
import select
from pathlib import Path

import pytest

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.extraction.isolation import process
from gdrive_rag_mcp.extraction.isolation.limits import Limits
from gdrive_rag_mcp.extraction.isolation.sandbox import Sandbox
from gdrive_rag_mcp.extraction.options import Ocr, Options
from tests.extraction.taken_over import sandbox_taken_over, what_came_of

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


def the_next_file_is_read(sandbox: Sandbox, path: Path) -> bool:
    return "alive" in what_came_of("said = 'alive'", sandbox, path).message


@forks
@pytest.mark.parametrize("code", [SLEEP, HANG_UP, DEAF, WAIT_FOR_THREADS])
def test_what_waits_for_ever_is_ended_by_the_wall_clock(tmp_path: Path, code: str) -> None:
    with sandbox_taken_over(tmp_path, Limits(wall_seconds=0.5)) as sandbox:
        refusal = what_came_of(code, sandbox, tmp_path / "file")

        assert refusal.reason is Reason.RESOURCE_LIMIT
        assert "0.5 seconds" in refusal.message
        assert the_next_file_is_read(sandbox, tmp_path / "file")


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


def test_without_fork_a_process_that_does_not_end_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "_START_SECONDS", 2.0)
    with sandbox_taken_over(tmp_path, Limits(wall_seconds=0.5), fork=False) as sandbox:
        refusal = what_came_of(SLEEP, sandbox, tmp_path / "file")

        assert refusal.reason is Reason.RESOURCE_LIMIT
        assert "0.5 seconds" in refusal.message
