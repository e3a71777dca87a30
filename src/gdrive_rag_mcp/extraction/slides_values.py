"""The values that a chart stores with it, as it shows them: dates, percentages, plain numbers."""

import datetime as dt
import math
import re
from collections.abc import Iterator, Mapping

from gdrive_rag_mcp.extraction.ooxml import Element, attribute, child, local_name, whole_number
from gdrive_rag_mcp.extraction.slides_text import children, find

_CACHES = ("strCache", "numCache", "multiLvlStrCache", "strLit", "numLit")
_LAST = 10**9
_LARGEST_EXACT = 10**15
# What is not a placeholder in a number format: quoted text, escaped characters, colours.
_LITERAL = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]')
_PERCENT = re.compile(r"[#0,]*0(?:\.(0+))?%")
_DATE = re.compile(r"(?i)y|d|mmm")
_EPOCH = dt.datetime(1899, 12, 30)  # noqa: DTZ001 - sheets know no zones
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
        cache = next(filter(_is_there, (find(source, name) for name in _CACHES)), None)
        if cache is None:
            return {}
        levels = [each for each in children(cache) if local_name(each) == "lvl"]
        innermost, *outer = [self._level(each) for each in levels or (cache,)]
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

    def _level(self, cache: Element) -> dict[int, str]:
        numeric = local_name(cache).startswith("num")
        shared = _inner(cache, "formatCode")
        found = {}
        for point in children(cache):
            raw = " ".join(_inner(point, "v").split())
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
    moment = _EPOCH + dt.timedelta(days=days) + dt.timedelta(milliseconds=500)
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


def _is_there(element: Element | None) -> bool:
    return element is not None
