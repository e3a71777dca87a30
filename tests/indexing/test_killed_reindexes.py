"""A change of the embedder that is killed at any moment: one of the two serves whole, none is lost.

The index and the killed processes are real; only the embedders are made up.
"""

import subprocess
import sys
from pathlib import Path

import apsw
import numpy as np
import pytest

from gdrive_rag_mcp.app.syncing import change_embedder
from gdrive_rag_mcp.domain import EVERYTHING
from gdrive_rag_mcp.indexing.embedding_run import Terms
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.hand_written import found_by_vector
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder
from tests.indexing.desk import Desk, fill

FILES = 150
SIZES = (64, 128)
REINDEX = """
import sys
from pathlib import Path
from gdrive_rag_mcp.app.syncing import change_embedder
from gdrive_rag_mcp.indexing.embedding_run import Terms
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder

print("ready", flush=True)
terms = Terms(lambda stage, done, total: print(stage, done, flush=True))
change_embedder(Path(sys.argv[1]), HashingEmbedder(int(sys.argv[2])), terms)
print("done", flush=True)
"""


def reindex_and_kill(index: Path, dimensions: int, line: int, moment: int) -> bool:
    """Kill a reindex after some lines and a moment; false if it ended before that."""
    child = subprocess.Popen(
        [sys.executable, "-c", REINDEX, str(index), str(dimensions)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": ":".join(path for path in sys.path if path)},
    )
    assert child.stdout
    for _ in range(line):
        if child.stdout.readline() in {"", "done\n"}:
            break
    sum(range(moment))  # so that not every kill comes right after a line
    child.kill()
    child.communicate()
    return child.returncode != 0


def assert_one_serves_whole(index: Path) -> None:
    connection = apsw.Connection(str(index))
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert not connection.execute("PRAGMA foreign_key_check").fetchall()
    connection.close()
    with Store.open_for_reading(index) as store:
        status = store.catalog.status(EVERYTHING)
        assert (status.chunks, status.vectors) == (FILES, FILES)
        assert status.embedding
        embedder = HashingEmbedder(status.embedding.dimensions)
        assert status.embedding == embedder.identity
        [vector] = embedder.embed(["sabbatical number42"], role="query")
        [(_, cosine)] = found_by_vector(store, vector, limit=1)
    assert cosine == pytest.approx(1, abs=1e-3)


def kill_reindexes(desk: Desk, *, kills: int) -> None:
    fill(desk, FILES)
    desk.sync()
    draw = np.random.default_rng(3)
    killed = 0
    for _ in range(kills):
        with Store.open_for_reading(desk.path) as store:
            serving = store.catalog.embedding_identity
        assert serving
        [other] = set(SIZES) - {serving.dimensions}
        line, moment = int(draw.integers(1, 14)), int(draw.integers(400_000))
        killed += reindex_and_kill(desk.path, other, line, moment)
        assert_one_serves_whole(desk.path)
    assert killed >= kills * 0.5
    for size in SIZES:
        change_embedder(desk.path, HashingEmbedder(size), Terms())
        assert_one_serves_whole(desk.path)


def test_a_reindex_that_is_killed_a_few_times_leaves_one_embedder_whole(desk: Desk) -> None:
    kill_reindexes(desk, kills=4)


@pytest.mark.acceptance
def test_a_reindex_that_is_killed_again_and_again_leaves_one_embedder_whole(desk: Desk) -> None:
    kill_reindexes(desk, kills=50)
