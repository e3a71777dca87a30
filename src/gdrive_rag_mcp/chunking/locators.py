"""Where a chunk stands: the locators of the segments it spans, as one.

Pages become a range, cells a rectangle, headings the path they have in common. Lines are narrowed
to the chunk's own where the text has kept the file's line ends.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from gdrive_rag_mcp.domain import Locator, Segment, SegmentKind

_CELLS = re.compile(r"([A-Z]+)\d+(?::([A-Z]+)\d+)?$")


class Lines:
    """Counts the line ends of a text up to an offset."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._ends = [match.start() for match in re.finditer("\n", text)]

    def between(self, start: int, end: int) -> int:
        """The number of line ends in `text[start:end]`."""
        return bisect_left(self._ends, end) - bisect_left(self._ends, start)

    def narrow(self, segment: Segment, start: int, end: int) -> Locator:
        """The segment's locator, for `text[start:end]` of it only."""
        locator = segment.locator
        first, last = locator.first, locator.last
        if locator.kind not in ("lines", "heading") or first is None or last is None:
            return locator
        stop = segment.start + len(self._text[segment.start : segment.end].rstrip("\n"))
        if first == last or self.between(segment.start, stop) != last - first:
            return locator
        start, end = max(start, segment.start), min(end, stop)
        first += self.between(segment.start, start)
        last = first + self.between(start, end)
        value = _range(first, last) if locator.kind == "lines" else locator.value
        return replace(locator, value=value, first=first, last=last)


def common_path(segments: Sequence[Segment]) -> tuple[str, ...]:
    """The headings that everything said in these segments stands under."""
    said = [segment for segment in segments if segment.kind is not SegmentKind.HEADING] or segments
    paths = {segment.headings for segment in said}
    levels = zip(*paths, strict=False)
    return tuple(level[0] for level in takewhile(lambda level: len(set(level)) == 1, levels))


def merge(locators: Sequence[Locator], path: tuple[str, ...]) -> Locator:
    """One locator for a run of them, in reading order; `path` is what they have in common.

    Where kinds meet (a heading before a table), the last one's are cited: it is what was said.
    """
    kind = locators[-1].kind
    distinct = list(dict.fromkeys(locator for locator in locators if locator.kind == kind))
    if len(distinct) == 1:
        return distinct[0]
    firsts = [locator.first for locator in distinct if locator.first is not None]
    lasts = [locator.last for locator in distinct if locator.last is not None] or firsts
    first, last = min(firsts, default=None), max(lasts, default=None)
    if kind == "heading":
        return Locator(kind, " > ".join(path) or distinct[-1].value, first, last)
    if kind == "sheet":
        return Locator(kind, _cells(distinct, first, last), first, last, distinct[0].label)
    if first is None or last is None:
        return Locator(kind, _range(distinct[0].value, distinct[-1].value))
    return Locator(kind, _range(first, last), first, last, _labels(distinct))


def sheet_of(locator: Locator) -> str:
    """The name of the sheet a locator is in."""
    return locator.label or locator.value.rpartition("!")[0]


def _range(first: int | str, last: int | str) -> str:
    return str(first) if first == last else f"{first}-{last}"


def _labels(pages: Sequence[Locator]) -> str | None:
    """Printed page numbers, if any page has one that differs from its index."""
    if all(page.label is None for page in pages):
        return None
    ends = [page.label or page.value for page in (pages[0], pages[-1])]
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
