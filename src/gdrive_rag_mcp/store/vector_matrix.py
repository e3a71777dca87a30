"""The vectors of a serving process: int8 rows in memory that follow other processes' commits.

Each row has a scale of its own (its largest component becomes 127), so that the cosine over int8
is `(q · row) / (|q| · |row|)`; the best rows are scored again from float16 (`vector_index`).

Every row knows at which entry of the vector log it came and went. The readers that share the matrix
may look at different states of the index; each gets the rows of its own.
"""

import json
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import apsw
import numpy as np
import numpy.typing as npt

from gdrive_rag_mcp.protocols import Vector
from gdrive_rag_mcp.store.connection import fetch

_BLOCK = 4096
_SMALL_SHARE = 0.25
_DEAD_SHARE = 0.25
_FEWEST_DEAD = 1024
_NEVER = np.iinfo(np.int64).max

_ROWS = """SELECT c.num, c.file, v.f16 FROM chunks c JOIN vectors v ON v.num = c.vector
    WHERE c.generation = ? ORDER BY c.num"""
_SOME_ROWS = """SELECT c.num, c.file, v.f16 FROM json_each(?) j
    CROSS JOIN chunks c ON c.num = j.value CROSS JOIN vectors v ON v.num = c.vector
    WHERE c.generation = ?"""


def quantised(rows: npt.NDArray[np.floating]) -> npt.NDArray[np.int8]:
    """Unit rows as int8, shape kept: each row scaled so that its largest component is 127."""
    peaks = np.abs(rows).max(axis=1, keepdims=True)
    scaled: npt.NDArray[np.int8] = np.rint(rows * (127.0 / np.maximum(peaks, 1e-12))).astype(
        np.int8
    )
    return scaled


@dataclass(frozen=True, slots=True)
class Rows:
    """The matrix as one reader's state of the index has it; later changes leave it alone."""

    chunks: npt.NDArray[np.int64]
    files: npt.NDArray[np.int64]
    components: npt.NDArray[np.int8]
    inverse_norms: npt.NDArray[np.float32]
    alive: npt.NDArray[np.bool_]


class VectorMatrix:
    """All vectors of the current generation, shared by the readers of one process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._generation = -1
        self._oldest = 0
        self._seq = -1
        self._count = 0
        self._dead = 0
        self._allocate(0, 0)

    def _allocate(self, capacity: int, dimensions: int) -> None:
        self._chunks = np.zeros(capacity, np.int64)
        self._files = np.zeros(capacity, np.int64)
        self._components = np.zeros((capacity, dimensions), np.int8)
        self._inverse_norms = np.zeros(capacity, np.float32)
        self._born = np.zeros(capacity, np.int64)
        self._died = np.zeros(capacity, np.int64)

    def rows(self, connection: apsw.Connection, generation: int) -> Rows:
        """The rows as the connection's snapshot has them."""
        # One aggregate a query: SQLite looks up a lone min or max, but walks the table for both.
        first, last = connection.execute(
            """SELECT coalesce((SELECT min(seq) FROM vector_log), 0),
                coalesce((SELECT max(seq) FROM vector_log), 0)"""
        ).fetchone() or (0, 0)
        with self._lock:
            outdated = generation < self._generation or (
                generation == self._generation and last < self._oldest
            )
            if not outdated:
                self._follow(connection, generation, first, last)
                return self._view(last)
        # A reader whose state the matrix cannot tell any more; the next one it looks at is newer.
        own = VectorMatrix()
        own._load(connection, generation, last)
        return own._view(last)

    def _view(self, seq: int) -> Rows:
        end = self._count
        return Rows(
            self._chunks[:end],
            self._files[:end],
            self._components[:end],
            self._inverse_norms[:end],
            (self._born[:end] <= seq) & (self._died[:end] > seq),
        )

    def _follow(self, connection: apsw.Connection, generation: int, first: int, last: int) -> None:
        trimmed = first > self._seq + 1
        mostly_dead = self._dead > max(_FEWEST_DEAD, self._count * _DEAD_SHARE)
        if generation != self._generation or (last > self._seq and (trimmed or mostly_dead)):
            self._load(connection, generation, last)
        elif last > self._seq:
            self._replay(connection, generation, last)

    def _load(self, connection: apsw.Connection, generation: int, last: int) -> None:
        self._count = self._dead = 0
        self._allocate(0, 0)
        self._append(connection.execute(_ROWS, (generation,)), {})
        self._generation, self._oldest, self._seq = generation, last, last

    def _replay(self, connection: apsw.Connection, generation: int, last: int) -> None:
        """Do what the log says since the last look."""
        came: dict[int, int] = {}
        went: dict[int, int] = {}
        for seq, chunk, change in connection.execute(
            "SELECT seq, chunk, change FROM vector_log WHERE seq > ? AND seq <= ? ORDER BY seq",
            (self._seq, last),
        ):
            (came if change > 0 else went)[chunk] = seq
        # What came and went between two looks was never seen here: states in between are unknown.
        passed = [went[chunk] for chunk in came if chunk in went]
        self._oldest = max([self._oldest, *passed])
        self._bury(went)
        found = fetch(connection, _SOME_ROWS, (json.dumps(sorted(came)), generation))
        self._append(found, came)
        self._seq = last

    def _bury(self, went: Mapping[int, int]) -> None:
        end = self._count
        listed = np.isin(self._chunks[:end], np.fromiter(went, np.int64, len(went)))
        for place in np.flatnonzero(listed & (self._died[:end] == _NEVER)):
            self._died[place] = went[int(self._chunks[place])]
            self._dead += 1

    def _append(self, found: Iterable[tuple[int, int, bytes]], born: Mapping[int, int]) -> None:
        batch: list[tuple[int, int, bytes]] = []
        for row in found:
            batch.append(row)
            if len(batch) == _BLOCK:
                self._append_block(batch, born)
                batch = []
        if batch:
            self._append_block(batch, born)

    def _append_block(self, batch: list[tuple[int, int, bytes]], born: Mapping[int, int]) -> None:
        rows = np.stack([np.frombuffer(f16, np.float16) for _, _, f16 in batch]).astype(np.float32)
        start, end = self._count, self._count + len(batch)
        if end > len(self._chunks):
            self._grow(max(end, 2 * len(self._chunks), _BLOCK), rows.shape[1])
        components = quantised(rows)
        norms = np.linalg.norm(components.astype(np.float32), axis=1)
        self._chunks[start:end] = [chunk for chunk, _, _ in batch]
        self._files[start:end] = [file for _, file, _ in batch]
        self._components[start:end] = components
        self._inverse_norms[start:end] = 1.0 / np.maximum(norms, 1e-12)
        self._born[start:end] = [born.get(chunk, 0) for chunk, _, _ in batch]
        self._died[start:end] = _NEVER
        self._count = end

    def _grow(self, capacity: int, dimensions: int) -> None:
        """Move to larger arrays; views handed out before keep the old ones."""
        old = self._arrays()
        self._allocate(capacity, dimensions)
        for source, target in zip(old, self._arrays(), strict=True):
            if self._count:
                target[: self._count] = source[: self._count]

    def _arrays(self) -> tuple[npt.NDArray[np.generic], ...]:
        return (
            self._chunks,
            self._files,
            self._components,
            self._inverse_norms,
            self._born,
            self._died,
        )


def scan(rows: Rows, allowed: npt.NDArray[np.bool_] | None) -> npt.NDArray[np.int64]:
    """Positions of the rows that may be found; the mask comes before any ranking."""
    mask = rows.alive if allowed is None else rows.alive & allowed[rows.files]
    return np.flatnonzero(mask)


def cosines(rows: Rows, positions: npt.NDArray[np.int64], vector: Vector) -> Vector:
    """Cosines of the rows at the positions over int8, shape (len(positions),).

    The question is int8 as well: products of whole numbers are exact in float32 whatever the order
    they are added in, so that equal rows score the same here as in sqlite-vec.
    """
    question = quantised(vector[None])[0].astype(np.float32)
    scale = np.float32(1.0 / max(float(np.linalg.norm(question)), 1e-12))
    if len(positions) < _SMALL_SHARE * len(rows.chunks):
        part: Vector = rows.components[positions].astype(np.float32) @ question
        return part * rows.inverse_norms[positions] * scale
    scores = np.empty(len(rows.chunks), np.float32)
    block = np.empty((_BLOCK, rows.components.shape[1]), np.float32)
    for start in range(0, len(scores), _BLOCK):
        end = min(start + _BLOCK, len(scores))
        part = block[: end - start]
        np.copyto(part, rows.components[start:end])
        np.dot(part, question, out=scores[start:end])
    scores *= rows.inverse_norms * scale
    return scores if len(positions) == len(scores) else scores[positions]
