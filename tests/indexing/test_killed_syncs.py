"""A sync that is killed at any moment leaves a sound index, and the next one finishes the work.

The folder, the files, the index and the killed processes are real; only the embedder is made up.
"""

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest

from gdrive_rag_mcp.domain import EVERYTHING
from gdrive_rag_mcp.store import Store, VectorMatrix
from gdrive_rag_mcp.testing.hand_written import found_by_vector
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder

SYNC = """
import sys
from pathlib import Path
from gdrive_rag_mcp.indexing.lock import writer_lock
from gdrive_rag_mcp.indexing.sync import Synchroniser, SyncOptions
from gdrive_rag_mcp.sources.local import LocalFolderSource
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder
from tests.indexing.desk import AParagraphAChunk, Paragraphs

index, folder = Path(sys.argv[1]), Path(sys.argv[2])
print("ready", flush=True)
with writer_lock(index), Store.open_for_writing(index) as store:
    report = Synchroniser(
        store, LocalFolderSource(folder), Paragraphs(), AParagraphAChunk(), HashingEmbedder(64),
        supported=lambda _: True, extraction="1",
        progress=lambda stage, done, total: print(stage, done, flush=True),
    ).run(SyncOptions(allow_mass_delete=True))
print("done", flush=True)
"""


def start(index: Path, folder: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", SYNC, str(index), str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": ":".join(path for path in sys.path if path)},
    )


def finish(index: Path, folder: Path) -> None:
    child = start(index, folder)
    _, errors = child.communicate()
    assert child.returncode == 0, errors


def exported(index: Path) -> list[dict[str, Any]]:
    """All that a reader can see, without times."""
    with Store.open_for_reading(index) as store, store.reading():
        return [
            {
                "id": record.id,
                "path": record.path,
                "state": record.state,
                "hash": record.content_hash,
                "chunks": [
                    (at, chunk.chunk_id, chunk.text, chunk.path)
                    for at, chunk in store.catalog.chunks(record.id, EVERYTHING)
                ],
            }
            for record in store.ledger.all(EVERYTHING)
        ]


def nearest(index: Path) -> list[tuple[str, float]]:
    vector = HashingEmbedder(64).embed(["sabbatical of team 3"], role="query")[0]
    with Store.open_for_reading(index) as store:
        disk = found_by_vector(store, vector, limit=4000)
    with Store.open_for_reading(index, matrix=VectorMatrix()) as store:
        assert found_by_vector(store, vector, limit=4000) == disk
    return sorted(disk)


def assert_not_torn(index: Path) -> None:
    connection = apsw.Connection(str(index))
    connection.enable_load_extension(True)
    connection.load_extension(pytest.importorskip("sqlite_vec").loadable_path())
    assert connection.pragma("integrity_check") == "ok"
    assert not connection.execute("PRAGMA foreign_key_check").fetchall()
    if connection.pragma("user_version"):
        connection.execute("INSERT INTO text_g1 (text_g1) VALUES ('integrity-check')")

        def rows(statement: str) -> set[int]:
            return {number for (number,) in connection.execute(statement)}

        chunks = rows("SELECT num FROM chunks")
        assert rows("SELECT id FROM text_g1_docsize") == chunks
        assert rows("SELECT file FROM chunks") == rows("SELECT file FROM documents")
        with_vector = rows("SELECT chunk FROM chunk_vectors_g1")
        on_disk = connection.execute("SELECT 1 FROM meta WHERE key = 'vec0_g1'").fetchone()
        assert (rows("SELECT rowid FROM vec_g1") if on_disk else set()) == with_vector
        [(counted,)] = connection.execute(
            """SELECT count(*) FROM files f WHERE
            chunk_count != (SELECT count(*) FROM chunks c WHERE c.file = f.num)
            OR vector_count != (SELECT count(*) FROM chunks c
                JOIN chunk_vectors_g1 g ON g.chunk = c.num WHERE c.file = f.num)
            OR (state = 'indexed' AND chunk_count = 0)"""
        )
        assert counted == 0
    connection.close()


class Folder:
    """A few hundred small documents that people keep changing."""

    def __init__(self, path: Path, files: int) -> None:
        self.path = path
        self._draw = np.random.default_rng(8)
        for number in range(files):
            self._write(number)

    def _write(self, number: int) -> None:
        file = self.path / f"team{number % 7}" / f"{number}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        edition = self._draw.integers(1000)
        file.write_text(
            "\n\n".join(
                f"sabbatical of team {number % 7}, rule {part} of {number}"
                + (f", edition {edition}" if part == 2 else "")
                for part in range(4)
            ),
            encoding="utf-8",
        )

    def change(self) -> None:
        """Edit some, delete some, add some, and rename a folder."""
        files = sorted(self.path.rglob("*.md"))
        for place in self._draw.choice(len(files), size=len(files) // 3, replace=False):
            self._write(int(files[place].stem))
        for place in self._draw.choice(len(files), size=8, replace=False):
            files[place].unlink()
        for _ in range(8):
            self._write(int(self._draw.integers(1000, 9999)))


def kill_at(child: "subprocess.Popen[str]", line: int, moment: int) -> bool:
    """Kill a sync after some lines of progress and a moment; false if it ended before that."""
    assert child.stdout
    for _ in range(line):
        if child.stdout.readline() in {"", "done\n"}:
            break
    sum(range(moment))  # so that not every kill comes right after a line
    child.kill()
    child.communicate()
    return child.returncode != 0


def sync_and_kill(tmp_path: Path, *, files: int, kills: int) -> None:
    folder, index, clean = tmp_path / "docs", tmp_path / "index.db", tmp_path / "clean.db"
    docs = Folder(folder, files)
    draw = np.random.default_rng(9)
    killed = 0
    for round_ in range(kills):
        if round_ % 5 == 4:
            docs.change()
        child = start(index, folder)
        line, moment = int(draw.integers(1, files)), int(draw.integers(500_000))
        killed += kill_at(child, line, moment)
        if index.exists():
            assert_not_torn(index)
    assert killed >= kills * 0.6
    finish(index, folder)
    finish(clean, folder)
    assert_not_torn(index)
    assert exported(index) == exported(clean)
    assert nearest(index) == nearest(clean)


def test_killed_a_few_times_the_index_is_sound_and_gets_done(tmp_path: Path) -> None:
    sync_and_kill(tmp_path, files=60, kills=4)


@pytest.mark.acceptance
def test_killed_at_any_moment_the_index_is_sound_and_gets_done(tmp_path: Path) -> None:
    sync_and_kill(tmp_path, files=300, kills=25)


def test_a_second_sync_is_refused_while_the_first_goes_on(tmp_path: Path) -> None:
    folder, index = tmp_path / "docs", tmp_path / "index.db"
    Folder(folder, 200)
    first = start(index, folder)
    assert first.stdout
    while not first.stdout.readline().startswith("reading"):
        pass
    first.send_signal(signal.SIGSTOP)  # it holds the lock as long as this takes
    second = start(index, folder)
    _, errors = second.communicate()
    assert second.returncode != 0
    assert "IndexLockedError" in errors
    assert f"pid {first.pid}" in errors
    first.send_signal(signal.SIGCONT)
    _, errors = first.communicate()
    assert first.returncode == 0, errors
    assert len(exported(index)) == 200
