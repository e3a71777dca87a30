"""A document's segments as the sections that chunks must not run across.

And which of them may share a chunk all the same, because they are too small to stand alone.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby, takewhile

from gdrive_rag_mcp.chunking.locators import sheet_of
from gdrive_rag_mcp.chunking.reading import Reading
from gdrive_rag_mcp.chunking.tokens import as_tokens
from gdrive_rag_mcp.domain import Document, Locator, Segment, SegmentKind

_FLOWING = frozenset({"page", "heading", "lines", "paragraph", "pointer"})
"""Text runs on from one of these to the next; any other place (a sheet, a slide) is shut."""
_HEADING, _TEXT, _ROW = SegmentKind.HEADING, SegmentKind.TEXT, SegmentKind.ROW
_SMALL_TIMES_TINY = 4
_LONGEST_HEADER = 2000


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of text that belongs to a segment, the gap up to the next segment included."""

    start: int
    end: int
    segment: Segment
    is_heading: bool
    is_text: bool
    is_row: bool

    @classmethod
    def of(cls, segment: Segment, start: int, end: int) -> "Span":
        # What kind it is is asked for so often that an enumeration's attributes would be slow.
        kind = segment.kind
        return cls(start, end, segment, kind is _HEADING, kind is _TEXT, kind is _ROW)


@dataclass(frozen=True, slots=True)
class Section:
    """Spans in one place, under one heading, in one table or outside of all.

    The headings it stands under come first, those of its parents too if these say nothing else.
    `last_words` are the text of the last span of a table, or the beginning of it.
    """

    spans: tuple[Span, ...]
    last_words: str
    tokens: int

    @property
    def said(self) -> Segment:
        """The last segment, which is text or a row unless there are only headings."""
        return self.spans[-1].segment

    @property
    def place(self) -> str:
        return place_of(self.said.locator)

    @property
    def is_table(self) -> bool:
        return self.said.kind is SegmentKind.ROW

    def names_columns_of(self, other: "Section") -> bool:
        """Whether this is the header row that the rows of the other one bring along."""
        return self.is_table and other.is_table and self.last_words == other.said.context


@dataclass(slots=True)
class Group:
    """Consecutive sections that are packed into chunks together, and the path they share."""

    sections: list[Section]
    path: tuple[str, ...]
    tokens: int

    @classmethod
    def of(cls, section: Section) -> "Group":
        return cls([section], section.said.headings, section.tokens)

    def add(self, section: Section) -> None:
        self.sections.append(section)
        self.path = shared_path(self.path, section.said.headings)
        self.tokens += section.tokens

    def takes(self, section: Section, tiny: int) -> bool:
        """Whether a section may share a chunk with what is already here.

        Text of fewer than `tiny` tokens goes with what stands below it, and with a neighbour under
        the same heading if both are small; a table is never continued by anything else.
        """
        last = self.sections[-1]
        if last.place == section.place and last.names_columns_of(section):
            return self.path == section.said.headings
        if self.tokens >= tiny or last.is_table or last.place != section.place:
            return False
        if last.said.context and last.said.context != section.said.context:
            return False
        if self.path == section.said.headings:
            return True
        shared = shared_path(self.path, section.said.headings)
        small = self.tokens + section.tokens <= tiny * _SMALL_TIMES_TINY
        return bool(shared) and (shared == self.path or small)


def groups_of(document: Document, reading: Reading, tiny: int) -> Iterator[Group]:
    """Cut a document into groups, in order, without a gap."""
    group: Group | None = None
    for section in _sections(reading, _spans(document)):
        if group and group.takes(section, tiny):
            group.add(section)
            continue
        if group:
            yield group
        group = Group.of(section)
    if group:
        yield group


def shared_path(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """The headings that two paths begin with alike."""
    pairs = zip(one, other, strict=False)
    return tuple(left for left, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def place_of(locator: Locator) -> str:
    """What a chunk must not reach out of; empty for text that flows."""
    if locator.kind in _FLOWING:
        return ""
    return f"{locator.kind} {sheet_of(locator) if locator.kind == 'sheet' else locator.value}"


def _spans(document: Document) -> Iterator[Span]:
    """Share all of the text out to the segments, so that no character can get lost between them."""
    text = document.text
    segments = document.segments or (_whole(text),)
    starts = [0, *(segment.start for segment in segments[1:]), len(text)]
    for segment, start, end in zip(segments, starts, starts[1:], strict=False):
        if start < end:
            yield Span.of(segment, start, end)


def _whole(text: str) -> Segment:
    lines = text.count("\n") + 1
    return Segment(0, len(text), SegmentKind.TEXT, Locator("lines", f"1-{lines}", 1, lines))


def _sections(reading: Reading, spans: Iterable[Span]) -> Iterator[Section]:
    """Runs of spans that belong together; headings wait for what follows them in the same place."""
    waiting: list[Span] = []
    for (place, *_), members in groupby(spans, key=_key):
        run = list(members)
        if waiting and place_of(waiting[0].segment.locator) != place:
            yield _section(reading, waiting)
            waiting = []
        said = next((i for i in range(len(run), 0, -1) if not run[i - 1].is_heading), 0)
        if said:
            yield _section(reading, waiting + run[:said])
            waiting = run[said:]
        else:
            waiting += run
    if waiting:
        yield _section(reading, waiting)


def _section(reading: Reading, spans: list[Span]) -> Section:
    last = spans[-1]
    words = ""
    if last.is_row:
        words = reading.text[last.start : min(last.end, last.start + _LONGEST_HEADER)].strip()
    tokens = as_tokens(reading.costs.of(spans[0].start, last.end))
    return Section(tuple(spans), words, tokens)


def _key(span: Span) -> tuple[str, tuple[str, ...], str, bool]:
    segment = span.segment
    return place_of(segment.locator), segment.headings, segment.context, span.is_row
