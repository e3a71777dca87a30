"""A change of the embedder that is killed in any phase: one of the two serves whole, none is lost.

The index and the killed processes are real; only the embedders are made up. Each round changes to
one that the index has never had, so that all is embedded anew.
"""

import json
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import apsw
import numpy as np
import pytest

from gdrive_rag_mcp.app.syncing import change_embedder
from gdrive_rag_mcp.domain import EVERYTHING
from gdrive_rag_mcp.indexing.embedding_run import Terms
from gdrive_rag_mcp.store import Store, VectorMatrix
from gdrive_rag_mcp.testing.hand_written import found_by_vector
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder
from tests.indexing.desk import Desk, fill

FILES = 150

# Says which phase it enters, and ends itself at a certain statement of one: the signal that cannot
# be caught is sent before the statement is executed, or by another thread meanwhile. What only
# reads does not count, and of what is executed again and again, two in a row do.
REINDEX = """
import json, os, signal, sys, threading
from collections import Counter
from pathlib import Path
import apsw
from gdrive_rag_mcp.app.syncing import change_embedder
from gdrive_rag_mcp.indexing.embedding_run import Terms
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder

index, dimensions, aim, statement, meanwhile = json.loads(sys.argv[1])
phase, statements, former, awake = "", Counter(), [], threading.Event()

def enter(name):
    global phase
    if phase != name:
        phase = name
        os.write(1, f"{name}\\n".encode())

def end():
    os.kill(os.getpid(), signal.SIGKILL)

def end_when_awake():
    awake.wait()
    end()

def at_a_statement(event):
    if event["sql"].lstrip().startswith(("SELECT", "PRAGMA")):
        return
    former.append(event["sql"])
    if former[:-1] == [former[-1]] * 2:
        former.pop()
        return
    del former[:-2]
    statements[phase] += 1
    if (phase, statements[phase]) == (aim, statement):
        awake.set() if meanwhile else end()

class Embedder(HashingEmbedder):
    def embed(self, texts, *, role):
        enter("embedding")
        return super().embed(texts, role=role)

building, flip = Store.building, Store.flip

def build(self, identity):
    self._connection.trace_v2(apsw.SQLITE_TRACE_STMT, at_a_statement)
    enter("beginning")
    return building(self, identity)

def flip_and_say(self, identity):
    enter("flipping")
    flip(self, identity)
    enter("tidying")

Store.building, Store.flip = build, flip_and_say
threading.Thread(target=end_when_awake, daemon=True).start()
change_embedder(Path(index), Embedder(dimensions), Terms())
enter("done")
os.write(1, json.dumps(statements).encode())
"""

MAY_SERVE: dict[str, Callable[[int, int], set[int]]] = {
    "beginning": lambda former, _: {former},
    "embedding": lambda former, _: {former},
    "flipping": lambda former, new: {former, new},
    "tidying": lambda _, new: {new},
    "done": lambda _, new: {new},
}
"""By the phase in which it ended, which of the two embedders' vectors may be searched."""
PHASES = tuple(MAY_SERVE)[:-1]


@dataclass(frozen=True)
class Aim:
    """At which writing statement of which phase a reindex is killed; at 0, at none."""

    phase: str
    statement: int
    meanwhile: bool = False
    """By another thread, while the statement is executed or a little later."""


@dataclass
class Rounds:
    """Reindexes of one index, each to an embedder of its own."""

    desk: Desk
    killed: Counter[str] = field(default_factory=Counter)
    """How many were killed in each phase."""
    size: int = 0
    """The dimensions of the embedder that was changed to last."""
    _sizes: Iterator[int] = field(default_factory=lambda: count(72, 8))

    def statements(self) -> dict[str, int]:
        """Of how many writing statements each phase consists."""
        *_, last = self._reindex(next(self._sizes), Aim("none", 0)).splitlines()
        return dict(json.loads(last))

    def kill(self, aim: Aim) -> None:
        """Kill one, to an embedder that is new to the index, which must be whole thereafter."""
        former, self.size = serving(self.desk.path), next(self._sizes)
        told = self._reindex(self.size, aim).splitlines()
        ended = next(phase for phase in reversed(MAY_SERVE) if phase in told)
        self.killed[ended] += ended in PHASES
        assert serving(self.desk.path) in MAY_SERVE[ended](former, self.size)
        assert_one_serves_whole(self.desk.path)

    def finish(self) -> None:
        """Have the next one go on with what was killed; nothing that was kept is made again."""
        kept = self._vectors_of(self.size)
        report = change_embedder(self.desk.path, HashingEmbedder(self.size), Terms())
        assert (report.embedded, report.flipped) == (FILES - kept, True)
        assert serving(self.desk.path) == self.size
        assert_one_serves_whole(self.desk.path)
        assert_no_other_is_left(self.desk.path)

    def finish_another(self) -> None:
        """Have the next one change to yet another embedder, in place of what was killed."""
        self.size = next(self._sizes)
        self.finish()

    def _reindex(self, size: int, aim: Aim) -> str:
        how = [str(self.desk.path), size, aim.phase, aim.statement, aim.meanwhile]
        child = subprocess.run(
            [sys.executable, "-c", REINDEX, json.dumps(how)],
            capture_output=True,
            text=True,
            env={"PYTHONPATH": ":".join(path for path in sys.path if path)},
            check=False,
        )
        assert not child.stderr
        assert child.returncode == (0 if "done" in child.stdout else -signal.SIGKILL)
        return child.stdout

    def _vectors_of(self, size: int) -> int:
        """How many vectors of an embedder are kept."""
        with self.desk.reading() as store:
            [(vectors,)] = store._connection.execute(
                """SELECT count(*) FROM vectors v JOIN models m ON m.num = v.model
                WHERE m.fingerprint = ?""",
                (HashingEmbedder(size).identity.fingerprint,),
            ).fetchall()
        return int(str(vectors))


def serving(index: Path) -> int:
    """The dimensions of the embedder whose vectors are searched."""
    with Store.open_for_reading(index) as store:
        identity = store.catalog.embedding_identity
    assert identity
    assert identity == HashingEmbedder(identity.dimensions).identity
    return identity.dimensions


def assert_one_serves_whole(index: Path) -> None:
    connection = apsw.Connection(str(index))
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert not connection.execute("PRAGMA foreign_key_check").fetchall()
    connection.close()
    embedder = HashingEmbedder(serving(index))
    [vector] = embedder.embed(["sabbatical number42"], role="query")
    for matrix in (None, VectorMatrix()):  # on disk, and in memory
        with Store.open_for_reading(index, matrix=matrix) as store:
            status = store.catalog.status(EVERYTHING)
            assert (status.chunks, status.vectors) == (FILES, FILES)
            assert store.index.waiting() == 0
            found = found_by_vector(store, vector, limit=FILES + 1)
        assert len({chunk for chunk, _ in found}) == FILES
        assert found[0][1] == pytest.approx(1, abs=1e-3)


def assert_no_other_is_left(index: Path) -> None:
    with Store.open_for_reading(index) as store:
        assert store.begun is None
        number = store.catalog.status(EVERYTHING).generation
        names = store._connection.execute("SELECT name FROM sqlite_schema").fetchall()
        lost = store._connection.execute(
            f"""SELECT num FROM vectors WHERE num NOT IN (SELECT vector FROM idle_vectors)
            AND num NOT IN (SELECT vector FROM chunk_vectors_g{number})"""
        ).fetchall()
    tables = [re.fullmatch(r"(?:chunk_vectors|waiting|vec)_g(\d+)", str(name)) for (name,) in names]
    assert [int(table[1]) for table in tables if table] == [number] * 3
    assert not lost, "vectors that nothing uses, and that nobody will ever drop"


@pytest.fixture
def rounds(desk: Desk) -> Rounds:
    fill(desk, FILES)
    desk.sync()
    return Rounds(desk)


def every(phase: str, of: Mapping[str, int]) -> list[Aim]:
    """An aim at each statement of a phase."""
    return [Aim(phase, statement) for statement in range(1, of[phase] + 1)]


def spread(phase: str, of: Mapping[str, int], kills: int, *, meanwhile: bool = False) -> list[Aim]:
    """Aims all over a phase, but for its end, which may come a little earlier."""
    places = np.linspace(1, of[phase] * 0.9, kills)
    return [Aim(phase, int(place), meanwhile) for place in places]


def test_a_reindex_that_is_killed_in_any_phase_leaves_one_embedder_whole(rounds: Rounds) -> None:
    of = rounds.statements()
    for phase in PHASES:
        rounds.kill(Aim(phase, of[phase] // 2))
        rounds.finish()
    rounds.kill(Aim("embedding", of["embedding"] // 3))
    rounds.finish_another()
    assert rounds.killed == {"beginning": 1, "embedding": 2, "flipping": 1, "tidying": 1}


def test_a_reindex_that_is_killed_at_any_statement_of_the_flip_leaves_one_embedder_whole(
    rounds: Rounds,
) -> None:
    aims = every("flipping", rounds.statements())
    assert len(aims) > 4
    for aim in aims:
        rounds.kill(aim)
    rounds.finish()
    assert rounds.killed == {"flipping": len(aims)}


@pytest.mark.acceptance
def test_a_reindex_that_is_killed_again_and_again_leaves_one_embedder_whole(
    rounds: Rounds,
) -> None:
    of = rounds.statements()
    sure = [
        *every("beginning", of),
        *spread("embedding", of, 8),
        *every("flipping", of),
        *every("tidying", of),
    ]
    likely = [
        *spread("embedding", of, 6, meanwhile=True),
        *spread("flipping", of, 4, meanwhile=True),
        *spread("tidying", of, 4, meanwhile=True),
    ]
    draw = np.random.default_rng(3)
    for aim in draw.permutation(np.array([*sure, *likely], object)):
        rounds.kill(aim)
        match draw.integers(3):  # else the next to be killed finds it as it was left
            case 0:
                rounds.finish()
            case 1:
                rounds.finish_another()
    rounds.finish()
    assert rounds.killed.total() >= 50
    for phase, fewest in Counter(aim.phase for aim in sure).items():
        assert rounds.killed[phase] >= fewest


@pytest.mark.acceptance
def test_a_change_that_a_killed_one_was_giving_up_can_still_be_gone_on_with(
    rounds: Rounds,
) -> None:
    statements = rounds.statements()["embedding"]
    for statement in (*range(1, 8), 12):
        rounds.kill(Aim("embedding", statements // 2))
        given_up = rounds.size
        rounds.kill(Aim("beginning", statement))
        rounds.size = given_up
        rounds.finish()
    assert rounds.killed == {"beginning": 8, "embedding": 8}
