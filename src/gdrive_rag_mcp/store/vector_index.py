"""The vector side of the index: float16 on disk, int8 to find candidates, float16 to rank them.

A serving process scans a matrix in memory; a one-shot command asks sqlite-vec's vec0, which needs
no matrix. Both quantise alike and score the best candidates again, so both rank alike.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any

import apsw
import numpy as np
import numpy.typing as npt

from gdrive_rag_mcp.domain import CosineBackground, Filters, Scope, VectorMatch, VectorMatches
from gdrive_rag_mcp.protocols import Vector
from gdrive_rag_mcp.store.connection import fetch, has_vec0
from gdrive_rag_mcp.store.meta import Meta
from gdrive_rag_mcp.store.scoping import filter_condition
from gdrive_rag_mcp.store.vector_matrix import Rows, VectorMatrix, cosines, quantised, scan

_CANDIDATES = 200
_SAMPLE = 512
_BATCH = 1024
_LOG_KEPT = 200_000


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
        self._matrix = matrix
        if matrix is None and not self._usable_vec0():
            self._matrix = VectorMatrix()

    @property
    def backend(self) -> str:
        """What answers: the scan in memory, or vec0 on disk."""
        return "vec0" if self._matrix is None else "memory"

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
        """Forget chunks; those without a vector are ignored."""
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
        self._connection.execute(f"DROP TABLE IF EXISTS {self._table}")
        self._connection.execute(
            f"CREATE VIRTUAL TABLE {self._table} USING vec0("
            f"embedding int8[{dimensions}] distance_metric=cosine)"
        )
        known = fetch(
            self._connection,
            "SELECT c.num, v.f16 FROM chunks c JOIN vectors v ON v.num = c.vector "
            "WHERE c.generation = ?",
            (self._generation,),
        )
        self._insert([(chunk, f16) for chunk, f16 in known])
        self._meta.set("vec0", f"g{self._generation}")
        return False

    def _insert(self, rows: Sequence[tuple[int, bytes]]) -> None:
        for start in range(0, len(rows), _BATCH):
            batch = rows[start : start + _BATCH]
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
        if self._matrix is None:
            candidates, sample = self._ask_vec0(vector, scope, filters, narrowed=narrowed)
        else:
            rows = self._matrix.rows(self._connection, self._generation)
            allowed = self._allowed(rows, scope, filters) if narrowed else None
            candidates, sample = _best_rows(rows, vector, allowed)
        return VectorMatches(self._rescored(candidates, vector)[:limit], _background(sample))

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
        self, vector: Vector, scope: Scope, filters: Filters, *, narrowed: bool
    ) -> tuple[list[int], Vector]:
        condition, parameters = filter_condition(scope, filters)
        inside = (
            "FROM chunks c JOIN files f ON f.num = c.file "
            f"WHERE c.generation = ? AND c.vector IS NOT NULL AND {condition}"
        )
        known = (self._generation, *parameters)
        statement = f"SELECT rowid FROM {self._table} WHERE embedding MATCH vec_int8(?) AND k = ?"
        question: tuple[Any, ...] = (quantised(vector[None]).tobytes(), _CANDIDATES)
        if narrowed:
            statement += " AND rowid IN (SELECT value FROM json_each(?))"
            allowed = self._connection.execute(f"SELECT c.num {inside}", known)
            question = (*question, json.dumps([number for (number,) in allowed]))
        found = [number for (number,) in self._connection.execute(statement, question)]
        count = self._connection.execute(f"SELECT count(*) {inside}", known).fetchone()
        step = _sample_step(count[0] if count else 0)
        drawn = self._connection.execute(f"SELECT c.num {inside} AND c.num % ? = 0", (*known, step))
        sample = self._exact([number for (number,) in drawn], vector)
        return found, np.array([cosine for _, cosine in sample], np.float32)

    def _rescored(self, chunks: Sequence[int], vector: Vector) -> tuple[VectorMatch, ...]:
        scored = sorted(self._exact(chunks, vector), key=lambda found: (-found[1], found[0]))
        return tuple(VectorMatch(chunk, cosine) for chunk, cosine in scored)

    def _exact(self, chunks: Sequence[int], vector: Vector) -> list[tuple[int, float]]:
        found = fetch(
            self._connection,
            """SELECT c.num, v.f16 FROM json_each(?) j JOIN chunks c ON c.num = j.value
            JOIN vectors v ON v.num = c.vector""",
            (json.dumps([int(chunk) for chunk in chunks]),),
        )
        if not found:
            return []
        rows = np.stack([np.frombuffer(f16, np.float16) for _, f16 in found]).astype(np.float32)
        scores = (rows @ vector) / np.maximum(np.linalg.norm(rows, axis=1), 1e-12)
        return [(chunk, float(score)) for (chunk, _), score in zip(found, scores, strict=True)]


def _best_rows(
    rows: Rows, vector: Vector, allowed: npt.NDArray[np.bool_] | None
) -> tuple[list[int], Vector]:
    positions = scan(rows, allowed)
    if not len(positions):
        return [], np.zeros(0, np.float32)
    scores = cosines(rows, positions, vector)
    best = (
        np.argpartition(scores, -_CANDIDATES)[-_CANDIDATES:]
        if len(scores) > _CANDIDATES
        else np.arange(len(scores))
    )
    chunks = rows.chunks[positions]
    drawn = scores[chunks % _sample_step(len(chunks)) == 0]
    return [int(chunk) for chunk in chunks[best]], drawn


def _sample_step(chunks: int) -> int:
    """Every how many chunk numbers one is drawn: the same sample, whichever way is searched."""
    return max(1, chunks // _SAMPLE)


def _background(sample: Vector) -> CosineBackground | None:
    if not len(sample):
        return None
    return CosineBackground(float(sample.mean()), float(sample.std()), len(sample))
