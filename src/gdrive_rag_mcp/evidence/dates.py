"""Dates in a text, in any of the languages' month names, by number, or by year alone."""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from gdrive_rag_mcp.evidence.lexicon_dates import MONTHS, WEEKDAYS
from gdrive_rag_mcp.evidence.quantities import Quantity, units_named
from gdrive_rag_mcp.evidence.written import listed, plain

_FIRST_YEAR, _LAST_YEAR = 1000, 2100
_YEAR_UNIT = "year"
_LONG_TIMES = {"decade", "century"}
_DAYS, _MONTHS = 31, 12
_DAY_BEFORE = re.compile(
    r"(?<!\d)(\d{1,2})(?:st|nd|rd|th|er|º|ª|\.|-го|η)?,?\s*(?:of |de |del |του )?$"
)
_DAY_AFTER = re.compile(r"\s*(\d{1,2})(?:st|nd|rd|th)?(?![\d:])")
_YEAR_AFTER = re.compile(r"[\s,]*(?:of |de |del |του )?\d{3,4}(?!\d)")
_NUMBERED = re.compile(
    r"(?P<m1>\d{1,2}) ?[月월] ?(?:(?P<d1>\d{1,2}) ?[日일号號])?"
    r"|(?:ngày )?(?P<d2>\d{1,2}) tháng (?P<m2>\d{1,2})"
    r"|tháng (?P<m3>\d{1,2})(?!\d)"
    r"|(?<!\d)(?P<y4>\d{4})-(?P<m4>\d{2})-(?P<d4>\d{2})(?!\d)"
    r"|(?<!\d)(?P<d5>\d{1,2})[./](?P<m5>\d{1,2})[./](?P<y5>\d{4})(?!\d)"
)
_CLOCK = re.compile(r"(?<!\d)\d{1,2}:\d{2}(?!\d)|\d ?(?:a\.?m\.?|p\.?m\.?|uhr|時|时|點|시)(?!\w)")
_ERA = re.compile(
    r"\d\s?(?:bce?|ad|ce|[vn]\.\s?chr|[ad]\.\s?c|av\.\s?j|до н|н\. ?э|tcn|scn)(?!\w)"
    r"|(?:公元|紀元|기원)前?전? ?\d"
)
_WORD = re.compile(r"[^\W\d_][^\W_\d]*")


def years(found: Sequence[Quantity]) -> frozenset[str]:
    """The years among a text's numbers: four bare digits, with the word for years or no unit."""
    return frozenset(f"{quantity.value:.0f}" for quantity in found if is_year(quantity))


def is_year(quantity: Quantity) -> bool:
    """Whether a number reads as a year; "five years" does not, 1950年 does."""
    if not quantity.bare or not _FIRST_YEAR <= quantity.value <= _LAST_YEAR:
        return False
    return quantity.unit is None or quantity.unit.name == _YEAR_UNIT


def days(text: str) -> frozenset[str]:
    """The days (`05-03`) and months (`05`) of a plain text, and years in such as 1987-05-03."""
    return frozenset({*_named(text), *_numbered(text)})


def tells_time(text: str, found: Sequence[Quantity]) -> bool:
    """Whether a text has a year, a month, a weekday, a century or a time of day."""
    if years(found) or days(text) or _CLOCK.search(text) or _ERA.search(text):
        return True
    if any(unit.name in _LONG_TIMES for unit in units_named(text)):
        return True
    return any(word.group() in _weekdays() for word in _WORD.finditer(text))


def _named(text: str) -> Iterator[str]:
    names = _months()
    for word in _WORD.finditer(text):
        month = names.get(word.group())
        if not month:
            continue
        before = _DAY_BEFORE.search(text[max(0, word.start() - 12) : word.start()])
        after = _DAY_AFTER.match(text, word.end())
        day = before or after
        if day and 1 <= int(day.group(1)) <= _DAYS:
            yield f"{month:02}-{int(day.group(1)):02}"
        elif _YEAR_AFTER.match(text, word.end()):
            yield f"{month:02}"


def _numbered(text: str) -> Iterator[str]:
    for found in _NUMBERED.finditer(text):
        parts = {name: int(value) for name, value in found.groupdict().items() if value}
        month = next(value for name, value in parts.items() if name.startswith("m"))
        day = next((value for name, value in parts.items() if name.startswith("d")), None)
        yield from (str(value) for name, value in parts.items() if name.startswith("y"))
        if 1 <= month <= _MONTHS:
            yield f"{month:02}" if day is None else f"{month:02}-{day:02}"


@cache
def _months() -> dict[str, int]:
    return {plain(name): number for number, names in enumerate(MONTHS, 1) for name in listed(names)}


@cache
def _weekdays() -> frozenset[str]:
    return frozenset(plain(name) for name in listed(WEEKDAYS))
