"""The vectors of a serving process: int8 rows in memory that follow other processes' commits.

Each row has a scale of its own (its largest component becomes 127), so cosine over int8 is
`(q · row) / |row|`; the best rows are scored again from float16 (`vector_index`).
"""

import threading
from collections.abc import Iterable
from dataclasses import dataclass

import apsw
import numpy as np
import numpy.typing as npt

from gdrive_rag_mcp.protocols import Vector

_BLOCK = 4096
_SMALL_SHARE = 0.25
_DEAD_SHARE = 0.25
_FEWEST_DEAD = 1024

_ROWS = """SELECT c.num, c.file, v.f16 FROM chunks c JOIN vectors v ON v.num = c.vector
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
    """A view of the matrix that later growth leaves alone."""

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
        self._seq = -1
        self._count = 0
        self._dead = 0
        self._place: dict[int, int] = {}
        self._allocate(0, 0)

    def _allocate(self, capacity: int, dimensions: int) -> None:
        self._chunks = np.zeros(capacity, np.int64)
        self._files = np.zeros(capacity, np.int64)
        self._components = np.zeros((capacity, dimensions), np.int8)
        self._inverse_norms = np.zeros(capacity, np.float32)
        self._alive = np.zeros(capacity, np.bool_)

    def rows(self, connection: apsw.Connection, generation: int) -> Rows:
        """The rows as the connection's snapshot has them."""
        with self._lock:
            self._follow(connection, generation)
            end = self._count
            return Rows(
                self._chunks[:end],
                self._files[:end],
                self._components[:end],
                self._inverse_norms[:end],
                self._alive[:end],
            )

    def _follow(self, connection: apsw.Connection, generation: int) -> None:
        first, last = connection.execute(
            "SELECT coalesce(min(seq), 0), coalesce(max(seq), 0) FROM vector_log"
        ).fetchone() or (0, 0)
        if generation == self._generation and last <= self._seq:
            return
        trimmed = first > self._seq + 1
        mostly_dead = self._dead > max(_FEWEST_DEAD, self._count * _DEAD_SHARE)
        if generation != self._generation or trimmed or mostly_dead:
            self._load(connection, generation)
        else:
            self._apply(connection, generation)
        self._generation, self._seq = generation, last

    def _load(self, connection: apsw.Connection, generation: int) -> None:
        self._count = self._dead = 0
        self._place = {}
        self._allocate(0, 0)
        self._append(connection.execute(_ROWS + " ORDER BY c.num", (generation,)))

    def _apply(self, connection: apsw.Connection, generation: int) -> None:
        """Replay the log since the last look; a chunk's last entry is what counts."""
        last = dict(
            connection.execute(
                "SELECT chunk, change FROM vector_log WHERE seq > ? ORDER BY seq", (self._seq,)
            )
        )
        for chunk in last:
            position = self._place.pop(chunk, None)
            if position is not None:
                self._alive[position] = False
                self._dead += 1
        for chunk in sorted(chunk for chunk, change in last.items() if change > 0):
            self._append(connection.execute(_ROWS + " AND c.num = ?", (generation, chunk)))

    def _append(self, found: Iterable[tuple[int, int, bytes]]) -> None:
        batch: list[tuple[int, int, bytes]] = []
        for row in found:
            batch.append(row)
            if len(batch) == _BLOCK:
                self._append_block(batch)
                batch = []
        if batch:
            self._append_block(batch)

    def _append_block(self, batch: list[tuple[int, int, bytes]]) -> None:
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
        self._alive[start:end] = True
        self._place.update((chunk, start + at) for at, (chunk, _, _) in enumerate(batch))
        self._count = end

    def _grow(self, capacity: int, dimensions: int) -> None:
        """Move to larger arrays; views handed out before keep the old ones."""
        old = (self._chunks, self._files, self._components, self._inverse_norms, self._alive)
        end = self._count
        self._allocate(capacity, dimensions)
        new = (self._chunks, self._files, self._components, self._inverse_norms, self._alive)
        if end:
            for source, target in zip(old, new, strict=True):
                target[:end] = source[:end]


def scan(rows: Rows, allowed: npt.NDArray[np.bool_] | None) -> npt.NDArray[np.int64]:
    """Positions of the rows that may be found; the mask comes before any ranking."""
    mask = rows.alive if allowed is None else rows.alive & allowed[rows.files]
    return np.flatnonzero(mask)


def cosines(rows: Rows, positions: npt.NDArray[np.int64], vector: Vector) -> Vector:
    """Approximate cosines of the rows at the positions, shape (len(positions),)."""
    if len(positions) < _SMALL_SHARE * len(rows.chunks):
        part: Vector = rows.components[positions].astype(np.float32) @ vector
        return part * rows.inverse_norms[positions]
    scores = np.empty(len(rows.chunks), np.float32)
    block = np.empty((_BLOCK, rows.components.shape[1]), np.float32)
    for start in range(0, len(scores), _BLOCK):
        end = min(start + _BLOCK, len(scores))
        part = block[: end - start]
        np.copyto(part, rows.components[start:end])
        np.dot(part, vector, out=scores[start:end])
    scores *= rows.inverse_norms
    return scores if len(positions) == len(scores) else scores[positions]
