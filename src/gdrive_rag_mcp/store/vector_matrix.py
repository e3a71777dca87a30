"""The vectors of a serving process: int8 rows in memory that follow other processes' commits.

Rows lie in segments, so that growing copies nothing. Every row knows at which entry of the vector
log it came and went: readers that share the matrix may look at different states of the index, and
each gets the rows of its own. Whoever cannot be served from memory (yet) is told so, and asks the
vectors on disk.
"""

import json
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence

import apsw
import numpy as np
import numpy.typing as npt

from gdrive_rag_mcp.store.connection import fetch
from gdrive_rag_mcp.store.vector_segments import Part, Segment, shed

_PIECE = 16_384
_REPLAYED_AT_ONCE = 5_000
"""Entries of the log that a search works off itself: some milliseconds' worth."""
_DEAD_SHARE = 0.25
_FEWEST_DEAD = 1024

FoundRow = tuple[int, int, bytes]


class VectorMatrix:
    """All vectors of the current generation, shared by the readers of one process.

    By itself it loads when it is first asked. Where `load_aside` is given, that is called to have
    it loaded by another thread (`matrix_loading`), and until then it has no answer.
    """

    def __init__(self, load_aside: Callable[[], None] | None = None) -> None:
        self._load_aside = load_aside
        self._lock = threading.Lock()
        self._generation = -1
        self._oldest = 0
        self._seq = -1
        self._segments: list[Segment] = []

    # ── asking ───────────────────────────────────────────────────────────────

    def parts(
        self, connection: apsw.Connection, generation: int, *, wait: bool = True
    ) -> Sequence[Part] | None:
        """The rows as the connection's snapshot has them; None where memory cannot tell.

        `wait` says to load them at once, even where somebody else would load them later.
        """
        first, last = log_span(connection)
        with self._lock:
            if self._is_past(generation, last):
                return None
            lacking = self._lacks(generation, first)
            far_behind = lacking or last - self._seq > _REPLAYED_AT_ONCE
            if far_behind and self._load_aside is not None and not wait:
                self._load_aside()
                return None
            if lacking:
                self._take_over(load(connection, generation), generation, last)
            self._replay_up_to(connection, last)
            return [segment.part(last) for segment in self._segments]

    def _is_past(self, generation: int, last: int) -> bool:
        """Whether a reader's state is older than any that is known here."""
        return generation < self._generation or (
            generation == self._generation and last < self._oldest
        )

    def _lacks(self, generation: int, first: int) -> bool:
        """Whether no following leads to that state: other vectors, or a log that was cut off."""
        return generation != self._generation or first > self._seq + 1

    # ── following ────────────────────────────────────────────────────────────

    def lacks(self, generation: int, first: int) -> bool:
        """Whether it has to be loaded, as nothing leads from what it holds to that state."""
        with self._lock:
            return self._lacks(generation, first)

    def give_up(self, generation: int) -> None:
        """Let go of another generation's rows, so that there is room for those to come."""
        with self._lock:
            if self._generation not in (-1, generation):
                self._segments, self._generation, self._seq = [], -1, -1

    def take_over(
        self, connection: apsw.Connection, segments: list[Segment], generation: int, since: int
    ) -> None:
        """Hold these rows from now on, and do what the log says since they began to be read."""
        with self._lock:
            self._take_over(segments, generation, since)
            self._replay_up_to(connection, log_span(connection)[1])
            self._oldest = self._seq

    def catch_up(self, connection: apsw.Connection) -> bool:
        """Do some of what the log says; false when nothing is left to be done."""
        with self._lock:
            last = log_span(connection)[1]
            self._replay_up_to(connection, min(last, self._seq + _REPLAYED_AT_ONCE))
            return self._seq < last

    def _take_over(self, segments: list[Segment], generation: int, seq: int) -> None:
        self._segments, self._generation = segments, generation
        self._oldest = self._seq = seq

    def _replay_up_to(self, connection: apsw.Connection, last: int) -> None:
        if last <= self._seq:
            return
        came: dict[int, int] = {}
        went: dict[int, int] = {}
        for seq, chunk, change in fetch(
            connection,
            "SELECT seq, chunk, change FROM vector_log WHERE seq > ? AND seq <= ? ORDER BY seq",
            (self._seq, last),
        ):
            (came if change > 0 else went)[chunk] = seq
        # What came and went between two looks was never seen here: states in between are unknown.
        passed = [went[chunk] for chunk in came if chunk in went]
        self._oldest = max([self._oldest, *passed])
        new = [chunk for chunk in came if chunk not in went]
        new = _absent(self._segments, new)
        append(self._segments, _some_rows(connection, self._generation, new), came)
        for segment in self._segments:
            segment.bury(went)
        self._seq = last
        self._shed_the_dead()

    def _shed_the_dead(self) -> None:
        dead = sum(segment.dead for segment in self._segments)
        if dead > max(_FEWEST_DEAD, _DEAD_SHARE * sum(map(len, self._segments))):
            self._segments = shed(self._segments)
            self._oldest = self._seq


def log_span(connection: apsw.Connection) -> tuple[int, int]:
    """The first and last entry of the vector log; 0 and 0 where there is none."""
    # One aggregate a query: SQLite looks up a lone min or max, but walks the table for both.
    [(first, last)] = fetch(
        connection,
        """SELECT coalesce((SELECT min(seq) FROM vector_log), 0),
            coalesce((SELECT max(seq) FROM vector_log), 0)""",
    )
    return first, last


def load(connection: apsw.Connection, generation: int) -> list[Segment]:
    """All rows of a generation, in one snapshot."""
    segments: list[Segment] = []
    after = 0
    while rows := piece(connection, generation, after):
        append(segments, rows, {})
        after = rows[-1][0]
    return segments


def piece(connection: apsw.Connection, generation: int, after: int) -> list[FoundRow]:
    """The next rows (chunk, file, float16 bytes) of a generation, in order of chunk."""
    return fetch(
        connection,
        f"""SELECT g.chunk, c.file, v.f16 FROM chunk_vectors_g{generation} g
        CROSS JOIN chunks c ON c.num = g.chunk CROSS JOIN vectors v ON v.num = g.vector
        WHERE g.chunk > ? ORDER BY g.chunk LIMIT ?""",
        (after, _PIECE),
    )


def _some_rows(
    connection: apsw.Connection, generation: int, chunks: Sequence[int]
) -> list[FoundRow]:
    if not chunks:
        return []
    return fetch(
        connection,
        f"""SELECT g.chunk, c.file, v.f16 FROM json_each(?) j
        CROSS JOIN chunk_vectors_g{generation} g ON g.chunk = j.value
        CROSS JOIN chunks c ON c.num = g.chunk CROSS JOIN vectors v ON v.num = g.vector""",
        (json.dumps(sorted(chunks)),),
    )


def append(segments: list[Segment], rows: Sequence[FoundRow], born: Mapping[int, int]) -> None:
    """Add rows behind the others; `born` says at which entry of the log a chunk came."""
    start = 0
    while start < len(rows):
        if not segments or not segments[-1].room:
            segments.append(Segment(len(rows[start][2]) // 2))
        batch = rows[start : start + segments[-1].room]
        segments[-1].append(batch, born)
        start += len(batch)


def _absent(segments: Iterable[Segment], chunks: Sequence[int]) -> list[int]:
    """Of the chunks, those that no segment holds, in order."""
    wanted = np.array(sorted(chunks), np.int64)
    held: npt.NDArray[np.bool_] = np.zeros(len(wanted), np.bool_)
    for segment in segments:
        held |= segment.holds(wanted)
    absent: list[int] = wanted[~held].tolist()
    return absent
