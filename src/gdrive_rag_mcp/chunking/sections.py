"""A document's segments as the sections that chunks must not run across, and which of them may
share a chunk all the same because they are too small to stand alone.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby, takewhile

from gdrive_rag_mcp.chunking.locators import sheet_of
from gdrive_rag_mcp.chunking.tokens import estimate_tokens
from gdrive_rag_mcp.domain import Document, Locator, Segment, SegmentKind

_FLOWING = frozenset({"page", "heading", "lines"})
"""Text runs on from one of these to the next; any other place (a sheet) is shut."""
_SMALL_TIMES_TINY = 4


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of text that belongs to a segment, the gap up to the next segment included."""

    start: int
    end: int
    segment: Segment

    @property
    def is_heading(self) -> bool:
        return self.segment.kind is SegmentKind.HEADING


@dataclass(frozen=True)
class Section:
    """Spans in one place, under one heading, in one table or outside of all."""

    spans: tuple[Span, ...]
    tokens: int

    @property
    def path(self) -> tuple[str, ...]:
        return self.spans[-1].segment.headings

    @property
    def place(self) -> str:
        return place_of(self.spans[-1].segment.locator)

    @property
    def context(self) -> str:
        return self.spans[-1].segment.context

    @cached_property
    def has_rows(self) -> bool:
        return any(span.segment.kind is SegmentKind.ROW for span in self.spans)

    @cached_property
    def only_headings(self) -> bool:
        return all(span.is_heading for span in self.spans)


@dataclass
class Group:
    """Consecutive sections that are packed into chunks together."""

    sections: list[Section] = field(default_factory=list)
    tokens: int = 0

    def add(self, section: Section) -> None:
        self.sections.append(section)
        self.tokens += section.tokens

    def takes(self, section: Section, tiny: int) -> bool:
        """Whether a section may share a chunk with what is already here.

        A heading goes with whatever follows it. Text of fewer than `tiny` tokens goes with what is
        below it, and with a neighbour under the same heading if both are small.
        """
        last = self.sections[-1]
        if last.place != section.place or last.has_rows:
            return False
        if last.context != section.context and last.context:
            return False
        if all(member.only_headings for member in self.sections):
            return True
        if self.tokens >= tiny:
            return False
        shared = _shared(self.path, section.path)
        small = self.tokens + section.tokens <= tiny * _SMALL_TIMES_TINY
        return shared == self.path or (bool(shared) and small)

    @property
    def path(self) -> tuple[str, ...]:
        """The heading path that all sections with more than headings are under."""
        said = [section for section in self.sections if not section.only_headings]
        paths = [section.path for section in said or self.sections]
        path = paths[0]
        for other in paths[1:]:
            path = _shared(path, other)
        return path


def groups_of(document: Document, tiny: int) -> Iterator[Group]:
    """Cut a document into groups, in order, without a gap."""
    group = Group()
    for section in _sections(_spans(document)):
        if group.sections and not group.takes(section, tiny):
            yield group
            group = Group()
        group.add(section)
    if group.sections:
        yield group


def place_of(locator: Locator) -> str:
    """What a chunk must not reach out of; empty for text that flows."""
    if locator.kind in _FLOWING:
        return ""
    return f"sheet {sheet_of(locator)}" if locator.kind == "sheet" else locator.value


def _spans(document: Document) -> Iterator[Span]:
    """Share all of the text out to the segments, so that no character can get lost between them."""
    text = document.text
    segments = document.segments or (_whole(text),)
    starts = [0, *(segment.start for segment in segments[1:]), len(text)]
    for segment, start, end in zip(segments, starts, starts[1:], strict=False):
        if start < end:
            yield Span(start, end, segment)


def _whole(text: str) -> Segment:
    lines = text.count("\n") + 1
    return Segment(0, len(text), SegmentKind.TEXT, Locator("lines", f"1-{lines}", 1, lines))


def _sections(spans: Iterable[Span]) -> Iterator[Section]:
    for _, members in groupby(spans, key=_key):
        section = tuple(members)
        tokens = sum(estimate_tokens_of_span(span) for span in section)
        yield Section(section, tokens)


def _key(span: Span) -> tuple[str, tuple[str, ...], str, bool]:
    segment = span.segment
    is_row = segment.kind is SegmentKind.ROW
    return place_of(segment.locator), segment.headings, segment.context, is_row


def _shared(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    pairs = zip(one, other, strict=False)
    return tuple(left for left, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
