"""Which units make up each chunk of a group: as full as can be, cut where it hurts least.

A list that is cut brings the line above it along outside the text, as a table does its header row:
a chunk is one slice of the document, so it cannot repeat what stands pages before it.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from gdrive_rag_mcp.chunking.lead import shorten
from gdrive_rag_mcp.chunking.reading import Reading
from gdrive_rag_mcp.chunking.sentences import ends_sentence
from gdrive_rag_mcp.chunking.tokens import HUNDREDTHS, estimate_tokens
from gdrive_rag_mcp.chunking.units import Units

_LEAD_IN_SHARE = 4
"""The line above a list may take a quarter of a chunk, and is shortened to that."""


@dataclass(frozen=True, slots=True)
class Packer:
    """Packs units into chunks; `room`, `overlap` and all costs are in hundredths of a token."""

    reading: Reading
    units: Units
    room: int
    overlap: int

    def packed(self) -> Iterator[tuple[int, int]]:
        """Index ranges of the units of each chunk."""
        end = len(self.units)
        begin = self._table_begin()
        if begin and self.units.cost(begin, end) <= self.room < self.units.cost(0, end):
            yield from self._pack(0, begin)
            yield begin, end
        else:
            yield from self._pack(0, end)

    def _table_begin(self) -> int:
        """The first unit of the table that a group ends with, and what is bound to it."""
        begin = len(self.units)
        while begin > 0 and self.units.spans[begin - 1].is_row:
            begin -= 1
        if begin == len(self.units):
            return 0
        while begin > 0 and self.units.binds(begin - 1):
            begin -= 1
        return begin

    def _pack(self, start: int, last: int) -> Iterator[tuple[int, int]]:
        done = start
        while done < last:
            end = self._filled(start, done, last)
            yield start, end
            start, done = self._overlapped(start, end, last), end

    def _filled(self, start: int, done: int, last: int) -> int:
        """The end of the chunk that begins at `start` and adds at least the unit `done`.

        It stops once it costs its share, at the end of a page if it is half full, before it exceeds
        the room, and never behind what is bound to the next unit.
        """
        sums, opened = self.units.sums, self.units.opened(start)
        room = self._room_from(start)
        most = bisect_right(sums, room + opened, done, last)
        if most == last:
            return last
        share = _share(sums[last - 1] - opened, room)
        end = max(done + 1, min(most, bisect_left(sums, share + opened, done, last) + 1))
        half = bisect_right(sums, room // 2 + opened, done, last) + 1
        for index in range(max(half, done + 1), end):
            if self._turns_page(index):
                end = index
                break
        kept = end
        while kept > done + 1 and self.units.binds(kept - 1):
            kept -= 1
        return end if self.units.binds(kept - 1) else kept

    def lead_in(self, start: int, end: int) -> str:
        """The line above the list that a chunk continues, shortened; empty without one or room."""
        line, cost = self._lead_in(start)
        return line if self.units.cost(start, end) + cost <= self.room else ""

    def _room_from(self, start: int) -> int:
        """What a chunk that begins with a unit may cost, the line above its list left out."""
        return self.room - self._lead_in(start)[1]

    def _lead_in(self, start: int) -> tuple[str, int]:
        line = self.units.lead_in(start)
        return _shortened(line, self.room // HUNDREDTHS // _LEAD_IN_SHARE) if line else ("", 0)

    def _overlapped(self, start: int, end: int, last: int) -> int:
        """Where the chunk after `units[start:end]` begins, repeating the last sentences of it."""
        units = self.units
        if end == last or not units.spans[end].is_text or self._turns_page(end):
            return end
        begin = end
        while (
            begin - 1 > start
            and self._continues(begin - 1, end)
            and units.cost(begin - 1, end) <= self.overlap
            and units.cost(begin - 1, end + 1) <= self._room_from(begin - 1)
        ):
            begin -= 1
        return begin

    def _turns_page(self, index: int) -> bool:
        """Whether a unit begins another page, and no sentence runs on to it."""
        before, after = self.units.spans[index - 1], self.units.spans[index]
        if before is after:
            return False
        one, other = before.segment.locator, after.segment.locator
        return (
            one.kind == "page"
            and one != other
            and ends_sentence(self.reading.text, self.units.ends[index - 1])
        )

    def _continues(self, index: int, other: int) -> bool:
        """Whether two units are sentences under the same heading."""
        one, two = self.units.spans[index], self.units.spans[other]
        if one is two:
            return True
        return one.is_text and (one.segment.headings, one.segment.context) == (
            two.segment.headings,
            two.segment.context,
        )


@lru_cache(maxsize=64)
def _shortened(line: str, limit: int) -> tuple[str, int]:
    """A line of at most `limit` tokens, and what it costs with the line end below it."""
    line = shorten(line, limit)
    return line, estimate_tokens(line) * HUNDREDTHS


def _share(rest: int, room: int) -> int:
    """How full to make the next chunk: the last two of a group are of about one size."""
    return room if rest <= room or 2 * rest > 3 * room else rest // 2
