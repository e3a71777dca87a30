"""A reindex that is killed at any moment: one generation serves, whole, and the next run goes on.

The index and the killed processes are real; only the embedders are made up. Some kills come at a
statement of the run, so that none of its steps is left out; the others at any moment.
"""

import subprocess
import sys
from datetime import UTC, datetime, timedelta
from itertools import cycle
from pathlib import Path

import apsw
import numpy as np
import pytest

from gdrive_rag_mcp.domain import EVERYTHING
from gdrive_rag_mcp.store import Store, VectorMatrix
from gdrive_rag_mcp.testing.hand_written import HandWritten, found_by_vector, found_by_words
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder

SIZES = (64, 96)
DOCUMENTS, PARTS = 100, 6
CHUNKS = DOCUMENTS * PARTS
REINDEX = """
import os, signal, sys
from datetime import datetime, UTC
from pathlib import Path
from gdrive_rag_mcp.indexing.embedding_run import Terms
from gdrive_rag_mcp.indexing.lock import writer_lock
from gdrive_rag_mcp.indexing.reindexing import Reindexing
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder

index, dimensions, last = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
statements = 0

def trace(cursor, statement, bindings):
    global statements
    statements += 1
    if statements == last:
        os.kill(os.getpid(), signal.SIGKILL)
    return True

print("ready", flush=True)
with writer_lock(index), Store.open_for_writing(index) as store:
    store._connection.set_exec_trace(trace)
    flip = store.flip
    def and_tell(identity):
        print("flip", statements, flush=True)
        flip(identity)
        print("flipped", statements, flush=True)
    store.flip = and_tell
    Reindexing(store, HashingEmbedder(dimensions), Terms()).run(datetime.now(UTC))
print("done", statements, flush=True)
"""


@pytest.fixture
def index(tmp_path: Path) -> Path:
    path = tmp_path / "index.db"
    with Store.open_for_writing(path) as store:
        hand = HandWritten(store)
        for number in range(DOCUMENTS):
            hand.put(f"d{number}", *(f"sabbatical {number} part {part}" for part in range(PARTS)))
        hand.embed(HashingEmbedder(SIZES[0]))
    return path


def start(index: Path, dimensions: int, last: int = 0) -> "subprocess.Popen[str]":
    """Reindex in another process, which kills itself at its `last` statement."""
    return subprocess.Popen(
        [sys.executable, "-c", REINDEX, str(index), str(dimensions), str(last)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": ":".join(path for path in sys.path if path)},
    )


def finish(index: Path, dimensions: int) -> dict[str, int]:
    """Reindex to the end; returns how many statements had run at each of its steps."""
    child = start(index, dimensions)
    told, errors = child.communicate()
    assert child.returncode == 0, errors
    with Store.open_for_writing(index) as store:  # so that the next change has all to embed
        store.tidy(datetime.now(UTC), unused_kept=timedelta(0))
    steps = [line.split() for line in told.splitlines()]
    return {words[0]: int(words[1]) for words in steps if len(words) > 1}


def assert_one_generation_serves_whole(index: Path) -> int:
    """Whoever opens the index now finds everything, by the vectors of one embedder; returns it."""
    connection = apsw.Connection(str(index))
    assert connection.pragma("integrity_check") == "ok"
    assert not connection.execute("PRAGMA foreign_key_check").fetchall()
    connection.close()
    for matrix in (None, VectorMatrix()):
        with Store.open_for_reading(index, matrix=matrix) as store:
            status = store.catalog.status(EVERYTHING)
            assert status.embedding
            assert (status.chunks, status.vectors) == (CHUNKS, CHUNKS)
            dimensions = status.embedding.dimensions
            embedder = HashingEmbedder(dimensions)
            assert status.embedding == embedder.identity
            question = embedder.embed(["sabbatical 7 part 3"], role="query")[0]
            found = found_by_vector(store, question, limit=CHUNKS)
            assert len({chunk for chunk, _ in found}) == CHUNKS
            assert found[0][0].startswith("d7:3:")
            assert found[0][1] > 0.999
            assert len(found_by_words(store, "sabbatical", limit=CHUNKS)) == CHUNKS
    return dimensions


def reindex_and_kill(index: Path, *, at_statements: int, at_moments: int) -> None:
    steps = finish(index, SIZES[1])
    flip, done = steps["flip"], steps["done"]
    draw = np.random.default_rng(3)
    places = [
        *np.linspace(flip, done - 2, at_statements // 2, dtype=int).tolist(),
        *draw.integers(1, flip, at_statements - at_statements // 2).tolist(),
    ]
    targets = cycle(SIZES)
    killed, served = 0, {SIZES[1]}
    for place in places:
        target = next(targets)
        child = start(index, target, int(place))
        child.communicate()
        killed += child.returncode != 0
        served.add(assert_one_generation_serves_whole(index))
        finish(index, target)
        assert assert_one_generation_serves_whole(index) == target
    for _ in range(at_moments):
        target = next(targets)
        child = start(index, target)
        assert child.stdout
        assert child.stdout.readline() == "ready\n"
        sum(range(int(draw.integers(3_000_000))))
        child.kill()
        child.communicate()
        killed += child.returncode != 0
        assert_one_generation_serves_whole(index)
        finish(index, target)
    assert killed > 0.8 * (at_statements + at_moments)
    assert served == set(SIZES)


def test_killed_a_few_times_one_generation_serves_and_the_change_gets_done(index: Path) -> None:
    reindex_and_kill(index, at_statements=4, at_moments=1)


@pytest.mark.acceptance
def test_killed_at_any_moment_one_generation_serves_and_the_change_gets_done(index: Path) -> None:
    reindex_and_kill(index, at_statements=34, at_moments=16)
