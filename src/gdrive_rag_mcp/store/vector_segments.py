"""A stretch of the matrix in memory: its rows, and when each came and went."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gdrive_rag_mcp.store.quantising import inverse_norms, quantised

ROWS_A_SEGMENT = 65_536
NEWEST = 2**62
"""Behind every entry of the log."""
_NEVER = np.iinfo(np.int64).max
# Knuth's multiplicative hash scatters chunk numbers over 32 bits.
SCATTER = 2_654_435_761
SCATTERED = 2**32 - 1


@dataclass(frozen=True, slots=True)
class Part:
    """A segment as one reader's state of the index has it; later changes leave it alone."""

    chunks: npt.NDArray[np.int64]
    files: npt.NDArray[np.int32]
    components: npt.NDArray[np.int8]
    inverse_norms: npt.NDArray[np.float32]
    scattered: npt.NDArray[np.uint32]
    """The chunk numbers, scattered evenly: those below a bound are a sample."""
    alive: npt.NDArray[np.bool_] | None
    """Which rows that state has; None for all."""


class Segment:
    """Up to `ROWS_A_SEGMENT` rows; only appended to, and marked as gone.

    `dead` of them are gone; the `youngest` came at that entry of the log.
    """

    def __init__(self, dimensions: int, capacity: int = ROWS_A_SEGMENT) -> None:
        self._count = 0
        self._ascending = True
        self.youngest = 0
        self.dead = 0
        self._chunks = np.zeros(capacity, np.int64)
        self._files = np.zeros(capacity, np.int32)
        self._components = np.zeros((capacity, dimensions), np.int8)
        self._inverse_norms = np.zeros(capacity, np.float32)
        self._scattered = np.zeros(capacity, np.uint32)
        self._born = np.zeros(capacity, np.int64)
        self._died = np.full(capacity, _NEVER, np.int64)

    def __len__(self) -> int:
        return self._count

    @property
    def dimensions(self) -> int:
        return self._components.shape[1]

    @property
    def room(self) -> int:
        """How many rows still fit."""
        return len(self._chunks) - self._count

    def append(self, rows: Sequence[tuple[int, int, bytes]], born: Mapping[int, int]) -> None:
        """Add rows (chunk, file, float16 bytes) that fit, not yet here."""
        if not rows:
            return
        start, end = self._count, self._count + len(rows)
        vectors = np.frombuffer(b"".join(f16 for _, _, f16 in rows), np.float16)
        components = quantised(vectors.reshape(len(rows), -1))
        chunks = np.fromiter((chunk for chunk, _, _ in rows), np.int64, len(rows))
        self._chunks[start:end] = chunks
        self._files[start:end] = [file for _, file, _ in rows]
        self._components[start:end] = components
        self._inverse_norms[start:end] = inverse_norms(components)
        self._scattered[start:end] = (chunks * SCATTER) & SCATTERED
        self._born[start:end] = [born.get(chunk, 0) for chunk, _, _ in rows] if born else 0
        self.youngest = max(self.youngest, int(self._born[start:end].max()))
        joint = self._chunks[max(start - 1, 0) : end]
        self._ascending = self._ascending and bool((joint[1:] > joint[:-1]).all())
        self._count = end

    def part(self, seq: int) -> Part:
        """The rows as they were at that entry of the log."""
        end = self._count
        alive = None
        if self.dead or self.youngest > seq:
            alive = (self._born[:end] <= seq) & (self._died[:end] > seq)
        return Part(
            self._chunks[:end],
            self._files[:end],
            self._components[:end],
            self._inverse_norms[:end],
            self._scattered[:end],
            alive,
        )

    def holds(self, chunks: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """By chunk, whether it has a row here."""
        return self._places(chunks) >= 0

    def bury(self, went: Mapping[int, int]) -> None:
        """Mark chunks as gone from that entry of the log on, as far as they are here."""
        chunks = np.fromiter(went, np.int64, len(went))
        places = self._places(chunks)
        for place, seq in zip(places.tolist(), went.values(), strict=True):
            if place >= 0 and self._died[place] == _NEVER:
                self._died[place] = seq
                self.dead += 1

    def _places(self, chunks: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Where each chunk is, or -1."""
        own = self._chunks[: self._count]
        order = None if self._ascending else np.argsort(own, kind="stable")
        found = np.searchsorted(own, chunks, sorter=order)
        found = np.minimum(found, max(self._count - 1, 0))
        places: npt.NDArray[np.int64] = found if order is None else order[found]
        if not self._count:
            return np.full(len(chunks), -1, np.int64)
        return np.where(own[places] == chunks, places, -1)

    def left(self) -> npt.NDArray[np.intp]:
        """Places of the rows that are not gone."""
        return np.flatnonzero(self._died[: self._count] == _NEVER)

    def take(self, other: "Segment") -> None:
        """Add what is left of another segment, which stays as it is."""
        left = other.left()
        start, end = self._count, self._count + len(left)
        for source, target in zip(other.columns(), self.columns(), strict=True):
            target[start:end] = source[left]
        joint = self._chunks[max(start - 1, 0) : end]
        self._ascending = self._ascending and bool((joint[1:] > joint[:-1]).all())
        self.youngest = max(self.youngest, other.youngest)
        self._count = end

    def columns(self) -> tuple[npt.NDArray[np.generic], ...]:
        """All that is known of each row, column by column."""
        return (
            self._chunks,
            self._files,
            self._components,
            self._inverse_norms,
            self._scattered,
            self._born,
            self._died,
        )


def shed(segments: Sequence[Segment]) -> list[Segment]:
    """The rows that are not gone, in as few segments; what has none to shed stays as it is."""
    kept: list[Segment] = []
    for segment in segments:
        left = len(segment) - segment.dead
        fits = bool(kept) and len(kept[-1]) + left <= ROWS_A_SEGMENT and kept[-1].room >= left
        if not segment.dead and not (fits and left < ROWS_A_SEGMENT // 2):
            kept.append(segment)
        elif left:
            if not fits or kept[-1] in segments:
                kept.append(Segment(segment.dimensions))
            kept[-1].take(segment)
    return kept
