"""What packing moves as a whole: sentences, list items, rows, headings; pieces of longer ones."""

from collections.abc import Iterable, Iterator
from itertools import pairwise

from gdrive_rag_mcp.chunking.cutting import pieces
from gdrive_rag_mcp.chunking.reading import Reading
from gdrive_rag_mcp.chunking.sections import Span
from gdrive_rag_mcp.chunking.sentences import Boundary, boundaries
from gdrive_rag_mcp.chunking.tokens import HUNDREDTHS
from gdrive_rag_mcp.domain.running_text import CLAUSE, running_text, starts_item

_LEADS_IN = (":", "：")


class Units:
    """The units of some spans, one behind the other without a gap, and what they cost together.

    `room` is what a unit may cost in tokens; a text above it is cut into pieces of `piece` tokens,
    so that they can overlap.
    """

    def __init__(self, reading: Reading, spans: Iterable[Span], room: int, piece: int) -> None:
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.spans: list[Span] = []
        self._paragraphs: set[int] = set()
        self._items: set[int] = set()
        self._reading = reading
        self._room, self._piece = room, piece
        for span in spans:
            self._add_span(span)
        self.sums = [reading.costs.before[end] for end in self.ends]
        """Rises from unit to unit; with `opened` it tells what a run of them costs."""
        self._lead_ins = self._find_lead_ins() if self._items else {}

    def __len__(self) -> int:
        return len(self.ends)

    def opened(self, start: int) -> int:
        """What to take from `sums` for the cost of a run that begins with a unit."""
        return self._reading.costs.opened(self.starts[start])

    def cost(self, start: int, end: int) -> int:
        """What units `start` to `end`, the last not included, cost in hundredths of a token."""
        return self.sums[end - 1] - self.opened(start) if start < end else 0

    def binds(self, index: int) -> bool:
        """Whether a unit announces the next: a heading, or what ends with a colon."""
        if self.spans[index].is_heading:
            return True
        return index + 1 < len(self) and self._introduces(index, index + 1)

    def lead_in(self, index: int) -> str:
        """The line that a list stands under, for a unit inside the list."""
        found = self._lead_ins.get(index)
        if found is None:
            return ""
        line = running_text(self._reading.text[self.starts[found] : self.ends[found]].strip())
        return line.replace("\n", " ")

    def _add_span(self, span: Span) -> None:
        if not span.is_text:
            self._paragraphs.add(len(self.ends))
            self._add([span.start, span.end], span, self._room)
            return
        offsets = [span.start]
        is_item = starts_item(self._reading.text, span.start) not in {None, CLAUSE}
        for offset, boundary in boundaries(self._reading, span.start, span.end):
            offsets.append(offset)
            if boundary is not Boundary.SENTENCE:
                self._add_paragraph(offsets, span, is_item=is_item)
                offsets, is_item = [offset], boundary is Boundary.ITEM
        offsets.append(span.end)
        self._add_paragraph(offsets, span, is_item=is_item)

    def _add_paragraph(self, offsets: list[int], span: Span, *, is_item: bool) -> None:
        """The sentences between the offsets; an item of a list is one unit if it has room."""
        index = len(self.ends)
        self._paragraphs.add(index)
        if is_item:
            self._items.add(index)
            if self._has_room(offsets[0], offsets[-1]):
                offsets = [offsets[0], offsets[-1]]
        self._add(offsets, span, self._piece)

    def _add(self, offsets: list[int], span: Span, piece: int) -> None:
        if not self._has_room(offsets[0], offsets[-1]):
            offsets = list(self._in_pieces(offsets, piece))
        self.starts += offsets[:-1]
        self.ends += offsets[1:]
        self.spans += [span] * (len(offsets) - 1)

    def _has_room(self, start: int, end: int) -> bool:
        return self._reading.costs.of(start, end) <= self._room * HUNDREDTHS

    def _in_pieces(self, offsets: list[int], piece: int) -> Iterator[int]:
        """The offsets, and more of them where two are too far apart."""
        yield offsets[0]
        for start, end in pairwise(offsets):
            if self._has_room(start, end):
                yield end
            else:
                yield from pieces(self._reading, start, end, piece)

    def _find_lead_ins(self) -> dict[int, int]:
        """For each unit of a list that a line introduces, that line's unit.

        A list in a list is told by its marks and their indentation.
        """
        found: dict[int, int] = {}
        levels: list[tuple[tuple[int | None, int], int | None]] = []
        last = -1
        for index, after in self._runs_of_items():
            mark = self._mark(index)
            if index != last:
                levels = []
            known = [number for number, (level, _) in enumerate(levels) if level == mark]
            if known:
                del levels[known[-1] + 1 :]
            elif index > 0 and self._introduces(index - 1, index):
                levels.append((mark, index - 1))
            else:
                levels.append((mark, levels[-1][1] if levels else None))
            lead_in = levels[-1][1]
            if lead_in is not None:
                found.update(dict.fromkeys(range(index, after), lead_in))
            last = after
        return found

    def _runs_of_items(self) -> Iterator[tuple[int, int]]:
        """Index ranges of the units of each item."""
        for index in sorted(self._items):
            after = index + 1
            while after < len(self) and after not in self._paragraphs:
                after += 1
            yield index, after

    def _mark(self, item: int) -> tuple[int | None, int]:
        start = self.starts[item]
        return starts_item(self._reading.text, start), start - self._reading.text.rfind(
            "\n", 0, start
        )

    def _introduces(self, index: int, following: int) -> bool:
        if not self.spans[index].is_text:
            return False
        one, other = self.spans[index].segment, self.spans[following].segment
        text = self._reading.text[self.starts[index] : self.ends[index]].rstrip()
        return one.headings == other.headings and text.endswith(_LEADS_IN)
