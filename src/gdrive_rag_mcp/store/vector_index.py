"""The vector side of the index: float16 on disk, int8 to find candidates, float16 to rank them.

A serving process scans a matrix in memory; a one-shot command asks sqlite-vec's vec0, which needs
no matrix. Both quantise alike and score the best candidates again, so both rank alike.
"""

import json
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

import apsw
import numpy as np
import numpy.typing as npt

from gdrive_rag_mcp.domain import CosineBackground, Filters, Scope, VectorMatch, VectorMatches
from gdrive_rag_mcp.protocols import Vector
from gdrive_rag_mcp.store.connection import fetch, has_vec0
from gdrive_rag_mcp.store.meta import Meta
from gdrive_rag_mcp.store.scoping import filter_condition
from gdrive_rag_mcp.store.translation import decoding
from gdrive_rag_mcp.store.vector_matrix import Rows, VectorMatrix, cosines, quantised, scan

_CANDIDATES = 200
_SAMPLE = 512
_BATCH = 1024
_LOG_KEPT = 200_000
_MOST_OF_VEC0 = 4096
# Knuth's multiplicative hash scatters chunk numbers over 32 bits.
_SCATTER = 2_654_435_761
_SCATTERED = 2**32 - 1


class VectorIndex:
    """One generation's vectors, over a connection it does not own."""

    def __init__(
        self, connection: apsw.Connection, generation: int, matrix: VectorMatrix | None
    ) -> None:
        self._connection = connection
        self._generation = generation
        self._table = f"vec_g{generation}"
        self._meta = Meta(connection)
        self._has_vec0 = has_vec0(connection)
        self._shared = matrix
        self._own: VectorMatrix | None = None

    @property
    def backend(self) -> str:
        """What answers: the scan in memory, or vec0 on disk."""
        return "vec0" if self._matrix() is None else "memory"

    def _matrix(self) -> VectorMatrix | None:
        """The matrix to scan; none where vec0 is up to date and nobody keeps a matrix anyway."""
        if self._shared is None and not self._usable_vec0():
            self._own = self._own or VectorMatrix()
            return self._own
        return self._shared

    def _usable_vec0(self) -> bool:
        return self._has_vec0 and self._meta.get("vec0") == f"g{self._generation}"

    # ── writing ──────────────────────────────────────────────────────────────

    def attach(self, rows: Sequence[tuple[int, bytes]]) -> None:
        """Make chunks findable by vectors that they already point to: (number, float16 bytes)."""
        if not rows:
            return
        if self._ready_vec0(len(rows[0][1]) // 2):
            self._insert(rows)
        self._log((chunk for chunk, _ in rows), +1)

    def remove(self, chunks: Sequence[int]) -> None:
        """Forget chunks that have a vector."""
        if not chunks:
            return
        if self._usable_vec0():
            self._connection.executemany(
                f"DELETE FROM {self._table} WHERE rowid = ?", ((chunk,) for chunk in chunks)
            )
        else:
            self._meta.delete("vec0")
        self._log(chunks, -1)

    def _log(self, chunks: Iterable[int], change: int) -> None:
        self._connection.executemany(
            "INSERT INTO vector_log (chunk, change) VALUES (?, ?)",
            ((chunk, change) for chunk in chunks),
        )

    def _ready_vec0(self, dimensions: int) -> bool:
        """Whether vec0 is up to date but for the rows at hand.

        After a machine without sqlite-vec has written, it is built again from all chunks, those at
        hand included; then there is nothing left to add.
        """
        if not self._has_vec0:
            self._meta.delete("vec0")
            return False
        if self._usable_vec0():
            return True
        self._build_vec0(dimensions)
        return False

    def restore_vec0(self) -> None:
        """Build vec0 where there are vectors, but a machine without sqlite-vec has written."""
        if not self._has_vec0 or self._usable_vec0():
            return
        row = self._connection.execute(
            "SELECT length(v.f16) FROM chunks c JOIN vectors v ON v.num = c.vector "
            "WHERE c.generation = ? LIMIT 1",
            (self._generation,),
        ).fetchone()
        if row:
            self._build_vec0(row[0] // 2)

    def _build_vec0(self, dimensions: int) -> None:
        self._connection.execute(f"DROP TABLE IF EXISTS {self._table}")
        self._connection.execute(
            f"CREATE VIRTUAL TABLE {self._table} USING vec0("
            f"embedding int8[{dimensions}] distance_metric=cosine)"
        )
        known = self._connection.execute(
            "SELECT c.num, v.f16 FROM chunks c JOIN vectors v ON v.num = c.vector "
            "WHERE c.generation = ? ORDER BY c.num",
            (self._generation,),
        )
        self._insert(known)
        self._meta.set("vec0", f"g{self._generation}")

    def _insert(self, rows: Iterable[tuple[int, bytes]]) -> None:
        remaining = iter(rows)
        while batch := list(islice(remaining, _BATCH)):
            vectors = np.stack([np.frombuffer(f16, np.float16) for _, f16 in batch])
            components = quantised(vectors.astype(np.float32))
            self._connection.executemany(
                f"INSERT INTO {self._table} (rowid, embedding) VALUES (?, vec_int8(?))",
                ((chunk, row.tobytes()) for (chunk, _), row in zip(batch, components, strict=True)),
            )

    def trim_log(self) -> None:
        """Drop old log entries; a reader that still needs them loads its matrix anew."""
        self._connection.execute(
            "DELETE FROM vector_log WHERE seq <= (SELECT max(seq) FROM vector_log) - ?",
            (_LOG_KEPT,),
        )

    # ── searching ────────────────────────────────────────────────────────────

    def search(self, vector: Vector, scope: Scope, filters: Filters, limit: int) -> VectorMatches:
        """The nearest chunks by exact cosine among the nearest candidates by int8 cosine."""
        narrowed = not scope.everything or filters.any
        wanted = max(_CANDIDATES, limit)
        matrix = self._matrix()
        if matrix is None:
            candidates, sample = self._ask_vec0(vector, scope, filters, wanted, narrowed=narrowed)
        else:
            rows = matrix.rows(self._connection, self._generation)
            allowed = self._allowed(rows, scope, filters) if narrowed else None
            candidates, sample = _best_rows(rows, vector, allowed, wanted)
        found = self._ranked(candidates, vector, scope, filters, limit)
        return VectorMatches(found, _background(sample))

    def _allowed(self, rows: Rows, scope: Scope, filters: Filters) -> npt.NDArray[np.bool_]:
        """By file number, whether its chunks may be found."""
        condition, parameters = filter_condition(scope, filters)
        found = self._connection.execute(f"SELECT f.num FROM files f WHERE {condition}", parameters)
        numbers = np.array([number for (number,) in found], np.int64)
        top = max(int(rows.files.max(initial=0)), int(numbers.max(initial=0)))
        allowed = np.zeros(top + 1, np.bool_)
        allowed[numbers] = True
        return allowed

    def _ask_vec0(
        self, vector: Vector, scope: Scope, filters: Filters, wanted: int, *, narrowed: bool
    ) -> tuple[list[int], Vector]:
        condition, parameters = filter_condition(scope, filters)
        inside = (
            "FROM chunks c JOIN vectors v ON v.num = c.vector JOIN files f ON f.num = c.file "
            f"WHERE c.generation = ? AND {condition}"
        )
        known = (self._generation, *parameters)
        statement = f"SELECT rowid FROM {self._table} WHERE embedding MATCH vec_int8(?) AND k = ?"
        question: tuple[Any, ...] = (quantised(vector[None]).tobytes(), min(wanted, _MOST_OF_VEC0))
        if narrowed:
            statement += " AND rowid IN (SELECT value FROM json_each(?))"
            allowed = self._connection.execute(f"SELECT c.num {inside}", known)
            question = (*question, json.dumps([number for (number,) in allowed]))
        found = [number for (number,) in self._connection.execute(statement, question)]
        count = self._connection.execute(f"SELECT count(*) {inside}", known).fetchone()
        share = _sample_share(count[0] if count else 0)
        drawn = fetch(
            self._connection,
            f"SELECT v.f16 {inside} AND (c.num * {_SCATTER}) & {_SCATTERED} < ?",
            (*known, share),
        )
        return found, _exact_cosines([f16 for (f16,) in drawn], vector)

    def _ranked(
        self, candidates: Sequence[int], vector: Vector, scope: Scope, filters: Filters, limit: int
    ) -> tuple[VectorMatch, ...]:
        """The candidates by exact cosine, and by number where that is the same.

        Chunks that share a vector with a candidate count among them: which of many equal ones an
        engine comes up with is chance.
        """
        known = fetch(
            self._connection,
            """SELECT DISTINCT v.num, v.f16 FROM json_each(?) j
            CROSS JOIN chunks c ON c.num = j.value CROSS JOIN vectors v ON v.num = c.vector""",
            (json.dumps(candidates),),
        )
        scores = _exact_cosines([f16 for _, f16 in known], vector)
        best = sorted(zip((num for num, _ in known), scores.tolist(), strict=True), key=_by_score)
        cosine = dict(best[:limit])
        condition, parameters = filter_condition(scope, filters)
        sharing = self._connection.execute(
            f"""SELECT c.num, c.vector FROM json_each(?) j CROSS JOIN chunks c ON c.vector = j.value
            CROSS JOIN files f ON f.num = c.file WHERE c.generation = ? AND {condition}""",
            (json.dumps(list(cosine)), self._generation, *parameters),
        )
        matches = sorted(((chunk, cosine[shared]) for chunk, shared in sharing), key=_by_score)
        return tuple(VectorMatch(chunk, score) for chunk, score in matches[:limit])


def _by_score(scored: tuple[int, float]) -> tuple[float, int]:
    number, score = scored
    return -score, number


@decoding()
def _exact_cosines(f16: Sequence[bytes], vector: Vector) -> Vector:
    """Cosines of a unit vector with stored ones, shape (len(f16),).

    In float64, so that a cosine does not depend on which others it is computed along with.
    """
    if not f16:
        return np.zeros(0, np.float32)
    rows = np.stack([np.frombuffer(row, np.float16) for row in f16]).astype(np.float64)
    if not np.isfinite(rows).all():
        raise ValueError("a vector is not finite")
    exact = (rows @ vector.astype(np.float64)) / np.maximum(np.linalg.norm(rows, axis=1), 1e-12)
    cosines: Vector = exact.astype(np.float32)
    return cosines


def _best_rows(
    rows: Rows, vector: Vector, allowed: npt.NDArray[np.bool_] | None, wanted: int
) -> tuple[list[int], Vector]:
    positions = scan(rows, allowed)
    if not len(positions):
        return [], np.zeros(0, np.float32)
    scores = cosines(rows, positions, vector)
    best = (
        np.argpartition(scores, -wanted)[-wanted:]
        if len(scores) > wanted
        else np.arange(len(scores))
    )
    chunks = rows.chunks[positions]
    drawn = scores[(chunks * _SCATTER) & _SCATTERED < _sample_share(len(chunks))]
    return chunks[best].tolist(), drawn


def _sample_share(chunks: int) -> int:
    """Below which scattered number a chunk is in the sample: all, or around `_SAMPLE` of them.

    Scattered, because what lies apart by a fixed step may have more than that in common; by number,
    because then it is the same sample whichever way is searched.
    """
    return _SCATTERED + 1 if chunks <= 2 * _SAMPLE else (_SCATTERED + 1) * _SAMPLE // chunks


def _background(sample: Vector) -> CosineBackground | None:
    if not len(sample):
        return None
    return CosineBackground(float(sample.mean()), len(sample))
