"""Where a chunk stands: the locators of the segments it spans, as one.

Pages become a range, cells a rectangle, headings and pointers the path they have in common. Lines
are narrowed to the chunk's own where the text has kept the file's line ends.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import takewhile

from gdrive_rag_mcp.domain import Document, Locator, Segment, SegmentKind

_CELLS = re.compile(r"([A-Z]+)\d+(?::([A-Z]+)\d+)?$")
_SHUT = frozenset({"slide", "cell", "chapter", "part"})
"""Places that no chunk reaches out of, each named by its value."""
_WHOLE_FILE = "#"
"""What entries cite that have nothing in common but the file: the empty pointer as a fragment."""


class Lines:
    """Counts the line ends of a text up to an offset."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._last_ends: dict[int, int] = {}

    @cached_property
    def _ends(self) -> list[int]:
        return [match.start() for match in re.finditer("\n", self._text)]

    def between(self, start: int, end: int) -> int:
        """The number of line ends in `text[start:end]`."""
        return bisect_left(self._ends, end) - bisect_left(self._ends, start)

    def narrow(self, segment: Segment, start: int, end: int) -> Locator:
        """The segment's locator, for `text[start:end]` of it only."""
        locator = segment.locator
        first, last = locator.first, locator.last
        if locator.kind not in ("lines", "heading") or first is None or last is None:
            return locator
        if first == last or (start <= segment.start and segment.end <= end):
            return locator
        stop = self._end_of(segment)
        if self.between(segment.start, stop) != last - first:
            return locator
        start, end = max(start, segment.start), min(end, stop)
        first += self.between(segment.start, start)
        last = first + self.between(start, end)
        value = _range(first, last) if locator.kind == "lines" else locator.value
        return replace(locator, value=value, first=first, last=last)

    def _end_of(self, segment: Segment) -> int:
        """The end of a segment without the line ends it closes with."""
        if segment.start not in self._last_ends:
            text = self._text[segment.start : segment.end].rstrip("\n")
            self._last_ends[segment.start] = segment.start + len(text)
        return self._last_ends[segment.start]


def common_path(segments: Sequence[Segment]) -> tuple[str, ...]:
    """The headings that everything said in these segments stands under."""
    said = [segment for segment in segments if segment.kind is not SegmentKind.HEADING] or segments
    paths = {segment.headings for segment in said}
    return _common(list(paths)) if len(paths) > 1 else said[0].headings


def merge(locators: Sequence[Locator], path: tuple[str, ...]) -> Locator:
    """One locator for a run of them, in reading order; `path` is what they have in common.

    Where kinds meet (a heading before a table), the last one's are cited: it is what was said. Of
    what was recognised by OCR, the least sure counts.
    """
    if len(locators) == 1:
        return locators[0]
    kind = locators[-1].kind
    distinct = list(dict.fromkeys(locator for locator in locators if locator.kind == kind))
    if len(distinct) == 1:
        return distinct[0]
    firsts = [locator.first for locator in distinct if locator.first is not None]
    lasts = [locator.last for locator in distinct if locator.last is not None] or firsts
    first, last = min(firsts, default=None), max(lasts, default=None)
    label = distinct[0].label if kind == "sheet" else _labels(kind, distinct)
    value = _merged_value(distinct, path, first, last)
    sureness = [locator.ocr for locator in distinct if locator.ocr is not None]
    return Locator(kind, value, first, last, label, min(sureness, default=None))


def place_of(document: Document, start: int, end: int) -> Locator:
    """Where `document.text[start:end]` stands, whichever chunks it lies in.

    Raises:
        ValueError: the document has no segments.
    """
    lines = Lines(document.text)
    segments = document.segments
    first = bisect_right(segments, start, key=lambda segment: segment.end)
    last = bisect_left(segments, end, key=lambda segment: segment.start)
    # Between two segments stand blanks only, which belong to the one before.
    held = segments[first:last] or segments[max(0, last - 1) : max(1, last)]
    if not held:
        raise ValueError("a document without segments has no places")
    return merge([lines.narrow(segment, start, end) for segment in held], common_path(held))


def _merged_value(
    distinct: Sequence[Locator], path: tuple[str, ...], first: int | None, last: int | None
) -> str:
    """What the value of several locators of one kind is together."""
    match distinct[0].kind:
        case kind if kind in _SHUT:
            return distinct[0].value
        case "heading":
            return " > ".join(path) or distinct[-1].value
        case "pointer":
            return _common_pointer(distinct)
        case "sheet":
            return _cells(distinct, first, last)
    if first is None or last is None:
        return _range(distinct[0].value, distinct[-1].value)
    return _range(first, last)


def sheet_of(locator: Locator) -> str:
    """The name of the sheet a locator is in."""
    return locator.label or locator.value.rpartition("!")[0]


def _common(paths: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """What all paths begin with."""
    levels = zip(*paths, strict=False)
    return tuple(level[0] for level in takewhile(lambda level: len(set(level)) == 1, levels))


def _common_pointer(entries: Sequence[Locator]) -> str:
    """The innermost pointer (RFC 6901) that holds all entries."""
    return "/".join(_common([entry.value.split("/") for entry in entries])) or _WHOLE_FILE


def _range(first: int | str, last: int | str) -> str:
    return str(first) if first == last else f"{first}-{last}"


def _labels(kind: str, places: Sequence[Locator]) -> str | None:
    """The label that all share; of pages the printed numbers, if any differs from its index."""
    labels = {place.label for place in places}
    if len(labels) == 1:
        return places[0].label
    if kind != "page":
        return None
    ends = [page.label or page.value for page in (places[0], places[-1])]
    return _range(*ends)


def _cells(areas: Sequence[Locator], first: int | None, last: int | None) -> str:
    """The smallest rectangle of cells around all areas of a sheet."""
    found = [_CELLS.search(area.value) for area in areas]
    columns = [column for match in found if match for column in match.groups() if column]
    sheet = areas[0].value.rpartition("!")[0]
    if not columns or first is None or last is None:
        return sheet or areas[0].value
    left, right = (pick(columns, key=lambda c: (len(c), c)) for pick in (min, max))
    return f"{sheet}!{left}{first}:{right}{last}"
