import io
import os
import random
import select
import signal
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import gdrive_rag_mcp
from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.isolation.limits import Limits
from gdrive_rag_mcp.extraction.isolation.sandbox import Sandbox
from gdrive_rag_mcp.extraction.reading import read_document
from gdrive_rag_mcp.protocols import Extractor

WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
MIB = 1 << 20

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
linux = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="looks into /proc")


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as running:
        yield running


@pytest.fixture
def note(tmp_path: Path) -> Path:
    path = tmp_path / "note"
    path.write_text("# Leave\n\nThirty days.\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def heavy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Word file of 3 MB that no size check stops and that takes seconds and hundreds of MB."""
    numbers = random.Random(7)  # noqa: S311 - text that packs badly, no secret
    body = "".join(
        f"<w:p><w:r><w:t>{numbers.getrandbits(40):x}</w:t></w:r></w:p>" for _ in range(400_000)
    )
    namespace = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "word/document.xml",
            f'<w:document xmlns:w="{namespace}"><w:body>{body}</w:body></w:document>',
        )
    path = tmp_path_factory.mktemp("heavy") / "heavy"
    path.write_bytes(content.getvalue())
    return path


def refusal_of(sandbox: Sandbox, path: Path, mime_type: str) -> ExtractionError:
    with pytest.raises(ExtractionError) as refusal:
        sandbox.extract(path, mime_type)
    return refusal.value


# ── reading through the sandbox ──────────────────────────────────────────────


def test_a_document_comes_back_as_if_read_here(sandbox: Sandbox, note: Path) -> None:
    extractor: Extractor = sandbox

    assert extractor.extract(note, "text/markdown") == read_document(note, "text/markdown")


def test_a_refusal_comes_back_with_its_reason_and_remedy(sandbox: Sandbox, tmp_path: Path) -> None:
    path = tmp_path / "old"
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(600))

    refusal = refusal_of(sandbox, path, WORD)

    assert refusal.reason is Reason.TYPE_MISMATCH
    assert "right name" in refusal.hint


def test_a_file_that_is_not_there_is_an_internal_failure_of_that_file(
    sandbox: Sandbox, tmp_path: Path, note: Path
) -> None:
    assert refusal_of(sandbox, tmp_path / "gone", "text/plain").reason is Reason.INTERNAL
    assert sandbox.extract(note, "text/plain").text


def test_threads_that_share_a_sandbox_each_get_their_own_document(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    paths = [tmp_path / str(number) for number in range(24)]
    for path in paths:
        path.write_text(f"file {path.name}", encoding="utf-8")

    with ThreadPoolExecutor(4) as pool:
        documents = list(pool.map(lambda path: sandbox.extract(path, "text/plain"), paths))

    assert [document.text for document in documents] == [f"file {n}" for n in range(24)]


def test_without_fork_each_file_gets_a_process_of_its_own(note: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").touch()

    with Sandbox(fork=False) as sandbox:
        assert sandbox.extract(note, "text/markdown").title == "Leave"
        assert refusal_of(sandbox, tmp_path / "empty", "text/plain").reason is Reason.NO_TEXT
        assert sandbox.process_id is None


# ── what is held back ────────────────────────────────────────────────────────


@forks
@pytest.mark.parametrize("fork", [True, False], ids=["fork", "process"])
def test_computing_for_too_long_costs_only_the_file(heavy: Path, note: Path, *, fork: bool) -> None:
    with Sandbox(Limits(cpu_seconds=1), fork=fork) as sandbox:
        refusal = refusal_of(sandbox, heavy, WORD)

        assert refusal.reason is Reason.RESOURCE_LIMIT
        assert "1 seconds of computing" in refusal.message
        assert sandbox.extract(note, "text/plain").text


@linux
def test_taking_too_much_memory_costs_only_the_file(heavy: Path, note: Path) -> None:
    with Sandbox() as idle:
        idle.extract(note, "text/plain")
        status = Path(f"/proc/{idle.process_id}/status").read_text(encoding="ascii")
    used = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmSize"))
    limit = used // 1024 + 64
    with Sandbox(Limits(memory_bytes=limit * MIB)) as sandbox:
        refusal = refusal_of(sandbox, heavy, WORD)

        assert refusal.reason is Reason.RESOURCE_LIMIT
        assert f"{limit} MiB of memory" in refusal.message
        assert sandbox.extract(note, "text/plain").text


@forks
def test_waiting_for_too_long_ends_at_the_wall_clock(heavy: Path, note: Path) -> None:
    with Sandbox(Limits(wall_seconds=0.5)) as sandbox:
        refusal = refusal_of(sandbox, heavy, WORD)

    assert refusal.reason is Reason.RESOURCE_LIMIT
    assert "0.5 seconds" in refusal.message


@forks
def test_an_answer_beyond_the_limit_is_too_large(tmp_path: Path, note: Path) -> None:
    (tmp_path / "long").write_text("words and words\n" * 5_000, encoding="utf-8")

    with Sandbox(Limits(answer_bytes=20_000)) as sandbox:
        refusal = refusal_of(sandbox, tmp_path / "long", "text/plain")

        assert refusal.reason is Reason.TOO_LARGE
        assert sandbox.extract(note, "text/plain").text


@linux
def test_a_parser_that_is_killed_costs_only_the_file(heavy: Path, note: Path) -> None:
    with Sandbox() as sandbox:
        sandbox.extract(note, "text/plain")
        children = Path(f"/proc/{sandbox.process_id}/task/{sandbox.process_id}/children")
        refusals: list[ExtractionError] = []
        reading = threading.Thread(target=lambda: refusals.append(refusal_of(sandbox, heavy, WORD)))
        reading.start()
        while not (child := children.read_text(encoding="ascii").split()):
            assert reading.is_alive()
        os.kill(int(child[0]), signal.SIGABRT)
        reading.join()

        assert refusals[0].reason is Reason.RESOURCE_LIMIT
        assert "SIGABRT" in refusals[0].message
        assert sandbox.extract(note, "text/plain").text


# ── the process itself ───────────────────────────────────────────────────────


@forks
def test_a_sandbox_whose_process_was_killed_starts_another(note: Path) -> None:
    with Sandbox() as sandbox:
        sandbox.extract(note, "text/plain")
        first = sandbox.process_id
        assert first is not None
        os.kill(first, signal.SIGKILL)

        assert sandbox.extract(note, "text/plain").text
        assert sandbox.process_id != first


def test_a_closed_sandbox_leaves_no_process_and_opens_again(note: Path) -> None:
    sandbox = Sandbox()
    sandbox.extract(note, "text/plain")
    sandbox.close()

    assert sandbox.process_id is None
    with sandbox:
        assert sandbox.extract(note, "text/plain").text


@linux
def test_the_process_has_one_thread_no_secrets_and_a_silent_output(
    note: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "do-not-pass-on")
    with Sandbox() as sandbox:
        sandbox.extract(note, "text/plain")
        process = Path(f"/proc/{sandbox.process_id}")

        assert b"do-not-pass-on" not in (process / "environ").read_bytes()
        assert len(list((process / "task").iterdir())) == 1
        assert (process / "fd" / "1").readlink() == Path(os.devnull)


@linux
def test_the_process_ends_when_its_parent_is_killed(heavy: Path) -> None:
    script = (
        "import sys, threading; from pathlib import Path\n"
        "from gdrive_rag_mcp.extraction.isolation.sandbox import Sandbox\n"
        "sandbox = Sandbox(); sandbox.start(); print(sandbox.process_id, flush=True)\n"
        f"sandbox.extract(Path(sys.argv[1]), {WORD!r})\n"
    )
    source = str(Path(gdrive_rag_mcp.__file__).parents[1])
    with subprocess.Popen(
        [sys.executable, "-c", script, str(heavy)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": source},
    ) as parent:
        assert parent.stdout
        orphan = os.pidfd_open(int(parent.stdout.readline()))
        parent.kill()
        try:
            # A descriptor of a process becomes readable when the process has ended.
            assert select.select([orphan], [], [], 60)[0]
        finally:
            os.close(orphan)
