"""The default chunker: structure first (sheets, tables, headings, pages), then sentences.

Exact by construction: every chunk is a slice of the document's text, so that its offsets, its
locator and its quotation cannot drift apart.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

from gdrive_rag_mcp.chunking.cutting import pieces
from gdrive_rag_mcp.chunking.lead import Lead, fit_lead
from gdrive_rag_mcp.chunking.locators import Lines, common_path, merge
from gdrive_rag_mcp.chunking.sections import Group, Span, groups_of
from gdrive_rag_mcp.chunking.sentences import ends_sentence, sentence_ends
from gdrive_rag_mcp.chunking.tokens import (
    HUNDREDTHS,
    MOST_CHARACTERS_PER_TOKEN,
    TOUCHING,
    estimate_tokens,
    measure,
)
from gdrive_rag_mcp.domain import Chunk, Document, SegmentKind
from gdrive_rag_mcp.errors import SettingsError

_LEAST_SIZE = 50
_LEAD_SHARE = 3
_TINY_SHARE = 12
"""Below a twelfth of a chunk (25 tokens of 300) a section says too little to be found alone."""
_PIECE_SHARE = 8


@dataclass(frozen=True, slots=True)
class _Unit:
    """What packing moves as a whole: a sentence, a row, a heading, or a piece of a longer one."""

    start: int
    end: int
    cost: int
    span: Span
    complete: bool

    @property
    def is_text(self) -> bool:
        return self.span.segment.kind is SegmentKind.TEXT


class StructuralChunker:
    """Cuts along a document's structure into chunks of at most `size` estimated tokens.

    The embedded text, title and headings included, stays within `size`; sentences worth `overlap`
    tokens are repeated where a section had to be cut, never across headings or rows.

    Raises:
        SettingsError: sizes that cannot work together.
    """

    def __init__(self, size: int, overlap: int) -> None:
        if size < _LEAST_SIZE or not 0 <= overlap <= size // 2:
            raise SettingsError(
                f"chunks of {size} tokens cannot share {overlap}",
                hint=f"chunk_size: {_LEAST_SIZE} or more; chunk_overlap: 0 to half of chunk_size",
            )
        self._size = size
        self._overlap = overlap

    @property
    def identity(self) -> str:
        """Changes whenever any document might be cut differently."""
        return f"structural/1 size={self._size} overlap={self._overlap}"

    def chunk(self, document: Document) -> tuple[Chunk, ...]:
        """Cut a document; chunks in reading order, every non-blank character in at least one."""
        lines = Lines(document.text)
        chunks: list[Chunk] = []
        for group in groups_of(document, self._size // _TINY_SHARE):
            # One less, since an estimate is rounded up and the costs that are added up are not.
            room = self._size - self._widest_lead(document, group) - 1
            units = self._units(document.text, group, room)
            for first, last in self._packed(units, room * HUNDREDTHS):
                chunk = self._chunk(document, lines, units[first:last], len(chunks))
                if chunk and (not chunks or chunk.end > chunks[-1].end):
                    chunks.append(chunk)
        return tuple(chunks)

    def _widest_lead(self, document: Document, group: Group) -> int:
        """The tokens to keep free for what any chunk of a group is embedded under."""
        segments = (span.segment for section in group.sections for span in section.spans)
        leads = {(segment.headings, segment.context) for segment in segments}
        return max(self._lead(document, *lead).tokens for lead in leads)

    def _lead(self, document: Document, headings: tuple[str, ...], context: str) -> Lead:
        return fit_lead(document.title, headings, context, self._size // _LEAD_SHARE)

    def _units(self, text: str, group: Group, room: int) -> list[_Unit]:
        return [
            unit
            for section in group.sections
            for span in section.spans
            for unit in self._units_of(text, span, room)
        ]

    def _units_of(self, text: str, span: Span, room: int) -> Iterator[_Unit]:
        """Whole sentences, rows and headings; those above `room` in pieces that can overlap."""
        is_text = span.segment.kind is SegmentKind.TEXT
        far = room * MOST_CHARACTERS_PER_TOKEN + 1
        start = span.start
        for end in sentence_ends(text, start, span.end) if is_text else (span.end,):
            if end - start < far and estimate_tokens(text[start:end]) <= room:
                yield _unit(text, start, end, span)
            else:
                limit = max(self._overlap, room // _PIECE_SHARE) if is_text else room
                for cut in pieces(text, start, end, limit):
                    yield _unit(text, start, cut, span)
                    start = cut
            start = end

    def _packed(self, units: list[_Unit], room: int) -> Iterator[tuple[int, int]]:
        """Index ranges of the units of each chunk."""
        sums = list(accumulate((unit.cost for unit in units), initial=0))
        start, done = 0, 0
        while done < len(units):
            share = _share(sums[-1] - sums[start], room)
            end = _filled(units, start, done, share, room)
            yield start, end
            start, done = self._overlapped(units, start, end, room), end

    def _overlapped(self, units: list[_Unit], start: int, end: int, room: int) -> int:
        """Where the chunk after `units[start:end]` begins, repeating the last sentences of it."""
        if end == len(units) or not units[end].is_text or _turns_page(units, end):
            return end
        free = min(self._overlap * HUNDREDTHS, room - units[end].cost)
        begin = end
        while begin - 1 > start and _continues(units[begin - 1], units[end]):
            free -= units[begin - 1].cost
            if free < 0:
                break
            begin -= 1
        return begin

    def _chunk(
        self, document: Document, lines: Lines, units: list[_Unit], ordinal: int
    ) -> Chunk | None:
        """The chunk of a run of units without blanks at its ends; none if it is all blank."""
        raw = document.text[units[0].start : units[-1].end]
        text = raw.strip()
        if not text:
            return None
        start = units[0].start + len(raw) - len(raw.lstrip())
        end = start + len(text)
        segments = [
            segment
            for segment in dict.fromkeys(unit.span.segment for unit in units)
            if segment.start < end and start < segment.end
        ] or [units[-1].span.segment]
        path = common_path(segments)
        locator = merge([lines.narrow(segment, start, end) for segment in segments], path)
        context = segments[-1].context
        lead = self._lead(document, path, "" if text.startswith(context) else context)
        return Chunk(ordinal, start, end, text, locator, lead.title, lead.headings, lead.context)


def _unit(text: str, start: int, end: int, span: Span) -> _Unit:
    touches = start > 0 and not text[start - 1].isspace()
    cost = measure(text[start:end]) + TOUCHING * touches
    return _Unit(start, end, cost, span, ends_sentence(text, end))


def _share(rest: int, room: int) -> int:
    """How full to make the next chunk: the last two of a section are of about one size."""
    return room if rest <= room or 2 * rest > 3 * room else rest // 2


def _filled(units: list[_Unit], start: int, done: int, share: int, room: int) -> int:
    """The end of the chunk that begins at `start` and adds at least the unit `done`.

    It stops once it costs `share`, at the end of a page if it is half full, before it exceeds
    `room`, and never behind a heading.
    """
    cost = sum(unit.cost for unit in units[start:done])
    end = done
    while end < len(units) and cost + units[end].cost <= room:
        if end > done and (cost >= share or (2 * cost > room and _turns_page(units, end))):
            break
        cost += units[end].cost
        end += 1
    end = max(end, done + 1)
    kept = end
    while kept > done + 1 and end < len(units) and units[kept - 1].span.is_heading:
        kept -= 1
    return end if units[kept - 1].span.is_heading else kept


def _turns_page(units: list[_Unit], index: int) -> bool:
    """Whether a unit begins another page, and no sentence runs on to it."""
    before, after = units[index - 1], units[index]
    one, other = before.span.segment.locator, after.span.segment.locator
    return one.kind == "page" and one != other and before.complete


def _continues(before: _Unit, after: _Unit) -> bool:
    """Whether two units are sentences under the same heading."""
    one, other = before.span.segment, after.span.segment
    return before.is_text and (one.headings, one.context) == (other.headings, other.context)
