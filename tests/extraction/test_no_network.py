"""What a parser that has been taken over can reach from within the sandbox."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from gdrive_rag_mcp.extraction.isolation.confinement_probe import probe
from gdrive_rag_mcp.extraction.isolation.sandbox import Sandbox
from gdrive_rag_mcp.extraction.options import Ocr, Options
from tests.extraction.kernel_features import confines_files, filters_calls
from tests.extraction.taken_over import sandbox_taken_over, what_came_of

denies_calls = pytest.mark.skipif(
    not filters_calls(), reason="no seccomp filter can be set on this kernel"
)
denies_files = pytest.mark.skipif(not confines_files(), reason="this kernel has no Landlock")
forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("workshop")


@pytest.fixture(scope="module")
def sandbox(workshop: Path) -> Iterator[Sandbox]:
    with sandbox_taken_over(workshop) as running:
        yield running


def test_what_the_kernel_has_is_in_force_and_told() -> None:
    confinement = probe()

    assert (confinement.network, confinement.files) == (filters_calls(), confines_files())


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
