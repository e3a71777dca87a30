"""What a parser that has been taken over can reach from within the sandbox."""

import os
import select
from collections.abc import Iterator
from pathlib import Path

import pytest

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.extraction.confinement_probe import probe
from gdrive_rag_mcp.extraction.limits import Limits
from gdrive_rag_mcp.extraction.options import Ocr, Options
from gdrive_rag_mcp.extraction.sandbox import Sandbox
from tests.extraction.taken_over import sandbox_taken_over, what_came_of

IN_FORCE = probe()
denies_calls = pytest.mark.skipif(not IN_FORCE.network, reason="no seccomp filter can be set here")
denies_files = pytest.mark.skipif(not IN_FORCE.files, reason="there is no Landlock here")
forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("workshop")


@pytest.fixture(scope="module")
def sandbox(workshop: Path) -> Iterator[Sandbox]:
    with sandbox_taken_over(workshop) as running:
        yield running


@denies_calls
@pytest.mark.parametrize(
    "code",
    [
        "import socket; socket.socket()",
        "import socket; socket.socket(socket.AF_UNIX)",
        "import socket; socket.socketpair()",
        "import os; os.fork()",
        "import os; os.execv('/bin/true', ['true'])",
        "import subprocess; subprocess.run(['/bin/true'])",
        "import os; os.posix_spawn('/bin/true', ['true'], {})",
        "import os; os.kill(os.getppid(), 0)",
        "import os; os.setsid()",
        "import os; os.setpgid(0, os.getppid())",
        "import os; os.memfd_create('program')",
        "import os; os.utime('.')",
        "import resource as r; r.prlimit(0, r.RLIMIT_CORE, (0, 0))",
    ],
)
def test_a_parser_that_was_taken_over_is_denied(
    sandbox: Sandbox, workshop: Path, code: str
) -> None:
    assert "PermissionError" in what_came_of(code, sandbox, workshop / "file").message


@denies_calls
@pytest.mark.parametrize("fork", [True, False], ids=["fork", "process"])
@pytest.mark.parametrize(
    "change",
    [
        "open({0!r}, 'w')",
        "open({0!r}, 'r+b')",
        "open({0!r} + '.new', 'x')",
        "os.remove({0!r})",
        "os.rename({0!r}, {0!r} + '.moved')",
        "os.chmod({0!r}, 0o777)",
        "os.truncate({0!r}, 0)",
        "os.symlink({0!r}, {0!r} + '.link')",
        "os.mkdir({0!r} + '.folder')",
    ],
)
def test_no_file_can_be_made_or_changed(tmp_path: Path, change: str, *, fork: bool) -> None:
    own = tmp_path / "own"
    own.mkdir()
    code = f"import os; {change.format(str(own / 'file'))}"

    with sandbox_taken_over(tmp_path, fork=fork) as sandbox:
        refusal = what_came_of(code, sandbox, own / "file")

    assert "PermissionError" in refusal.message
    assert [path.name for path in own.iterdir()] == ["file"]
    assert (own / "file").read_bytes().endswith(code.encode())


@denies_calls
@pytest.mark.parametrize(
    "number",
    [425, 426, 427, 101, 438, 321],
    ids=["io_uring", "io_uring2", "io_uring3", "ptrace", "fd", "bpf"],
)
def test_calls_that_lead_around_the_filter_are_denied(
    sandbox: Sandbox, workshop: Path, number: int
) -> None:
    """Ring buffers do what a filter does not see; the numbers are those of x86-64."""
    if os.uname().machine != "x86_64":
        pytest.skip("the numbers are those of another architecture")
    code = (
        "import ctypes; libc = ctypes.CDLL(None, use_errno=True)\n"
        f"said = (libc.syscall({number}, 0, 0, 0, 0, 0), ctypes.get_errno())"
    )

    assert "(-1, 1)" in what_came_of(code, sandbox, workshop / "file").message


@denies_files
@pytest.mark.parametrize(
    "look", ["open({0!r}).read()", "os.listdir({1!r})", "open('/etc/passwd').read()"]
)
def test_no_file_can_be_read_but_the_one(tmp_path: Path, look: str) -> None:
    (tmp_path / "others").mkdir()
    secret = tmp_path / "others" / "secret"
    secret.write_text("canary", encoding="ascii")
    code = "import os; said = " + look.format(str(secret), str(secret.parent))

    with sandbox_taken_over(tmp_path) as sandbox:
        refusal = what_came_of(code, sandbox, tmp_path / "file")

    assert "PermissionError" in refusal.message
    assert "canary" not in refusal.message


def test_what_reading_needs_is_not_denied(sandbox: Sandbox, workshop: Path) -> None:
    code = (
        "import os, threading, wave\n"
        "heard = []; thread = threading.Thread(target=heard.append, args=['thread'])\n"
        "thread.start(); thread.join()\n"
        f"said = heard + [open({str(workshop / 'file')!r}, 'rb').read(4), len(os.urandom(3))]"
    )

    assert "['thread', b'%PDF', 3]" in what_came_of(code, sandbox, workshop / "file").message


# ── processes that would not end ─────────────────────────────────────────────

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
WRITE = """
import os, stat
def is_pipe(n):
    try: return stat.S_ISFIFO(os.fstat(n).st_mode)
    except OSError: return False
pipe = next(filter(is_pipe, range(3, 99)))
while True: os.write(pipe, bytes(1 << 16))
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
@pytest.mark.parametrize("code", [FILL_AT_ONCE, FILL_BIT_BY_BIT, FAULT, ABORT])
def test_too_much_memory_and_crashes_are_a_limit(tmp_path: Path, code: str) -> None:
    with sandbox_taken_over(tmp_path, Limits(memory_bytes=1 << 29)) as sandbox:
        refusal = what_came_of(code, sandbox, tmp_path / "file")

        assert refusal.reason is Reason.RESOURCE_LIMIT
        assert "512 MiB of memory" in refusal.message
        assert the_next_file_is_read(sandbox, tmp_path / "file")


@denies_calls
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


@denies_calls
@denies_files
def test_with_ocr_no_other_program_can_be_started(tmp_path: Path) -> None:
    options = Options(Ocr("/usr/bin/true", str(tmp_path / "data"), ("eng",)))
    run = "import subprocess; said = subprocess.run([{!r}], env={{}}).returncode"
    with sandbox_taken_over(tmp_path, options=options) as sandbox:
        allowed = what_came_of(run.format("/usr/bin/true"), sandbox, tmp_path / "file")
        denied = what_came_of(run.format("/usr/bin/env"), sandbox, tmp_path / "file")

    assert allowed.message.endswith(" 0")
    assert "PermissionError" in denied.message
