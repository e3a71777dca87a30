"""The values that a chart stores with it, as it shows them: dates, percentages, plain numbers."""

import datetime as dt
import math
import re
from collections.abc import Iterator, Mapping

from gdrive_rag_mcp.extraction.drawing.text import children, descendants
from gdrive_rag_mcp.extraction.ooxml import Element, attribute, child, local_name, whole_number
from gdrive_rag_mcp.extraction.sheet.values import FIRST_DAY

_CACHES = frozenset({"strCache", "numCache", "multiLvlStrCache", "strLit", "numLit"})
_DIMENSIONS = frozenset({"strDim", "numDim"})
_LAST = 10**9
_LARGEST_EXACT = 10**15
# What is not a placeholder in a number format: quoted text, escaped characters, colours.
_LITERAL = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]')
_PERCENT = re.compile(r"[#0,]*0(?:\.(0+))?%")
_DATE = re.compile(r"(?i)y|d|mmm")
_DAYS_FROM_1904 = 1_462
_LAST_DAY = 2_958_465
"""31 December 9999, as sheets count days."""

Points = Mapping[int, str]
"""Values by their place in a series, from 0; a place without a value is missing."""


class Values:
    """Reads what a chart stores; `from_1904`: its workbook counts days from that year on."""

    def __init__(self, *, from_1904: bool) -> None:
        self._shift = _DAYS_FROM_1904 if from_1904 else 0

    def points(self, source: Element | None) -> Points:
        """The values of a series; of categories in levels the outer ones come first."""
        cache = _cache(source)
        if cache is None:
            return {}
        levels = [each for each in children(cache) if local_name(each) == "lvl"]
        numeric = local_name(cache).startswith("num")
        innermost, *outer = [self._level(each, numeric=numeric) for each in levels or (cache,)]
        found = dict(innermost)
        for level in outer:
            for index, said in _spread(level, sorted(found)):
                found[index] = f"{said} {found[index]}"
        return found

    def text(self, source: Element | None) -> str:
        """A name: written out, or the cells that it repeats, in one line."""
        written = child(source, "v")
        if written is not None:
            return " ".join((written.text or "").split())
        return " ".join(self.points(source).values())

    def _level(self, level: Element, *, numeric: bool) -> dict[int, str]:
        shared = attribute(level, "formatCode") or _inner(level, "formatCode")
        found = {}
        for point in children(level):
            raw = " ".join((_inner(point, "v") or point.text or "").split())
            index = whole_number(attribute(point, "idx"), _LAST, _LAST)
            if local_name(point) != "pt" or not raw or index == _LAST:
                continue
            code = attribute(point, "formatCode") or shared
            found[index] = self._shown(raw, code) if numeric else raw
        return found

    def _shown(self, raw: str, code: str) -> str:
        try:
            number = float(raw)
        except ValueError:
            return raw
        if not math.isfinite(number):
            return raw
        code = _LITERAL.sub("", code.partition(";")[0])
        percent = _PERCENT.fullmatch(code)
        if percent:
            return f"{number:.{len(percent[1] or '')}%}"
        if _DATE.search(code) and 0 < number + self._shift < _LAST_DAY:
            return _date(number + self._shift)
        return plain_number(number)


def plain_number(number: float) -> str:
    """A number without `.0`, and without the digits that floating point adds."""
    if abs(number) < _LARGEST_EXACT and number == int(number):
        return str(int(number))
    return format(number, ".15g")


def _date(days: float) -> str:
    moment = FIRST_DAY + dt.timedelta(days=days) + dt.timedelta(milliseconds=500)
    return moment.replace(microsecond=0).isoformat(sep=" ").removesuffix(" 00:00:00")


def _spread(level: Points, places: list[int]) -> Iterator[tuple[int, str]]:
    """An outer category holds from its own place up to the next one's."""
    starts = sorted(level, reverse=True)
    said = ""
    for place in places:
        while starts and starts[-1] <= place:
            said = level[starts.pop()]
        if said:
            yield place, said


def _inner(element: Element, name: str) -> str:
    found = child(element, name)
    return "" if found is None else found.text or ""


def _cache(source: Element | None) -> Element | None:
    """Where the values are stored; charts of the newer kind have no cache, but dimensions."""
    if source is None or local_name(source) in _DIMENSIONS:
        return source
    found = (each for each in descendants(source) if local_name(each) in _CACHES)
    return next(found, None)
