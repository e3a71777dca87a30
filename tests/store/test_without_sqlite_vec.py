"""Where sqlite-vec has no build: a child process that cannot import it writes and searches."""

import subprocess
import sys
from pathlib import Path

import pytest

from gdrive_rag_mcp.domain import EVERYTHING
from gdrive_rag_mcp.store import Store, VectorMatrix
from gdrive_rag_mcp.testing.hand_written import WRITTEN, HandWritten, found_by_vector
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder

EMBEDDER = HashingEmbedder(32)
VECTOR = EMBEDDER.embed(["sabbatical leave"], role="query")[0]

ELSEWHERE = """
import sys
sys.modules["sqlite_vec"] = None
from pathlib import Path
import numpy as np
from gdrive_rag_mcp.domain import EVERYTHING
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.hand_written import HandWritten, found_by_vector, WRITTEN
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder
embedder = HashingEmbedder(32)
with Store.open_for_writing(Path(sys.argv[1])) as store:
    assert store.catalog.status(EVERYTHING).vector_backend == "memory"
    hand = HandWritten(store)
    for file in sys.argv[2:]:
        if file.startswith("-"):
            hand.delete(file[1:])
        else:
            hand.put(file, f"sabbatical leave {file}", "another text")
            hand.embed(embedder)
    store.tidy(WRITTEN)
    for chunk, _ in found_by_vector(store, embedder.embed(["sabbatical leave"], role="query")[0]):
        print(chunk.split(":")[0], chunk.split(":")[1])
"""


def elsewhere(path: Path, *files: str) -> list[str]:
    """Write where there is no sqlite-vec; returns what a search finds there."""
    ran = subprocess.run(
        [sys.executable, "-c", ELSEWHERE, str(path), *files],
        check=False,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.splitlines()


def found(path: Path, backend: str, matrix: VectorMatrix | None = None) -> list[str]:
    with Store.open_for_reading(path, matrix=matrix) as store:
        assert store.catalog.status(EVERYTHING).vector_backend == backend
        return [" ".join(chunk.split(":")[:2]) for chunk, _ in found_by_vector(store, VECTOR)]


@pytest.mark.parametrize("changes", [["b", "c"], ["a"], ["-a", "b"], ["-a"]])
def test_an_index_written_elsewhere_is_searched_in_memory_until_it_is_restored(
    tmp_path: Path, changes: list[str]
) -> None:
    path = tmp_path / "index.db"
    with Store.open_for_writing(path) as store:
        hand = HandWritten(store)
        hand.put("a", "sabbatical leave a", "more")
        hand.put("z", "zebra")
        hand.embed(EMBEDDER)
    assert len(found(path, "vec0")) == 3
    there = elsewhere(path, *changes)
    assert there == found(path, "memory") == found(path, "memory", VectorMatrix())
    with Store.open_for_writing(path) as store:
        store.tidy(WRITTEN)
    assert found(path, "vec0") == there


def test_an_index_begun_elsewhere_gets_its_vectors_on_disk(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    there = elsewhere(path, "a", "b")
    with Store.open_for_writing(path) as store:
        hand = HandWritten(store)
        hand.put("c", "sabbatical leave c")
        hand.embed(EMBEDDER)
    here = found(path, "vec0")
    assert len(here) == 5
    assert [chunk for chunk in here if chunk[0] != "c"] == there
    assert here == found(path, "memory", VectorMatrix())


def test_a_reader_notices_that_vec0_was_left_behind(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    with Store.open_for_writing(path) as store:
        hand = HandWritten(store)
        hand.put("a", "sabbatical leave")
        hand.embed(EMBEDDER)
    with Store.open_for_reading(path) as reader:
        assert len(found_by_vector(reader, VECTOR)) == 1
        there = elsewhere(path, "b")
        assert len(found_by_vector(reader, VECTOR)) == len(there) == 3
