"""Dates of a question in the ways documents write them: 2024-03-01, 01.03.2024, 1 March 2024."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gdrive_rag_mcp.retrieval.month_names import MONTHS, SHORT_MONTHS
from gdrive_rag_mcp.terms import fold, language_of, phrase_of

_MONTHS_A_YEAR, _DAYS_A_MONTH = 12, 31
_YEAR = r"(?:1[5-9]|20)\d\d"
_NAME = r"[^\s\d.,]{2,}"
_YEAR_FIRST = re.compile(
    rf"(?<![\w./-])(?P<y>{_YEAR})(?P<mark>[-/.])(?P<m>\d{{1,2}})(?P=mark)(?P<d>\d{{1,2}})(?![\w/-])"
)
_YEAR_LAST = re.compile(
    rf"(?<![\w./-])(?P<d>\d{{1,2}})(?P<mark>[-/.])\s?(?P<m>\d{{1,2}})(?P=mark)\s?(?P<y>{_YEAR})"
    r"(?![\w/-])"
)
_SIGNS = re.compile(
    r"(?P<y>\d{4})\s?[年년]\s?(?P<m>\d{1,2})\s?[月월]\s?(?P<d>\d{1,2})\s?[日號号일]"
)
_VIETNAMESE = re.compile(r"(?P<d>\d{1,2}) tháng (?P<m>\d{1,2}),? năm (?P<y>\d{4})", re.IGNORECASE)
_DAY_NAME = re.compile(
    rf"(?<!\w)(?P<d>\d{{1,2}})(?:st|nd|rd|th|er|[.ºª])?\s(?:of\s|de\s|tháng\s)?(?P<n>{_NAME})"
    rf"[.,]{{0,2}}\s(?:de\s|del\s|năm\s)?(?P<y>{_YEAR})(?!\w)"
)
_NAME_DAY = re.compile(
    rf"(?<!\w)(?P<n>{_NAME})\.?\s(?P<d>\d{{1,2}})(?:st|nd|rd|th)?,?\s(?P<y>{_YEAR})(?!\w)"
)
_Day = tuple[int, int, int]
"""Year, month, day."""


@dataclass(frozen=True, slots=True)
class Date:
    """A day as the question writes it, and how it may be written, as index tokens."""

    surface: str
    forms: tuple[str, ...]


def dates_in(text: str) -> Iterator[Date]:
    """Every full date of a text; where day and month cannot be told apart, both readings."""
    language = language_of(text)
    for pattern in (_YEAR_FIRST, _SIGNS, _VIETNAMESE, _YEAR_LAST, _DAY_NAME, _NAME_DAY):
        for match in pattern.finditer(text):
            days = [day for day in _readings(match) if _is_day(day)]
            ways = [way for day in days for way in _ways(day, language)]
            if ways:
                yield Date(match.group(), tuple(dict.fromkeys([phrase_of(match.group()), *ways])))


def _readings(match: "re.Match[str]") -> Sequence[_Day]:
    year, day, groups = int(match["y"]), int(match["d"]), match.groupdict()
    if "n" in groups:
        return [(year, month, day) for month in _NUMBERS.get(fold(match["n"]), ())]
    month = int(match["m"])
    return [(year, month, day), *([(year, day, month)] if match.re is _YEAR_LAST else ())]


def _is_day(day: _Day) -> bool:
    return 1 <= day[1] <= _MONTHS_A_YEAR and 1 <= day[2] <= _DAYS_A_MONTH


def _ways(date: _Day, language: str) -> Iterator[str]:
    """The date in figures, and with the month's name in the question's language and in English."""
    year, month, day = date
    yield f"{year:04}{month:02}{day:02}"
    days = tuple(dict.fromkeys((f"{day}", f"{day:02}")))
    for m, d in dict.fromkeys(((f"{month:02}", f"{day:02}"), (f"{month}", f"{day}"))):
        yield from (f"{year} {m} {d}", f"{d} {m} {year}", f"{m} {d} {year}")
    yield phrase_of(f"{year}年{month}月{day}日")
    yield phrase_of(f"{year}년 {month}월 {day}일")
    yield phrase_of(f"{day} tháng {month} năm {year}")
    for name in _names(month, language):
        for d in days:
            yield phrase_of(f"{d} {name} {year}")
            yield phrase_of(f"{name} {d} {year}")
        yield phrase_of(f"{day} de {name} de {year}")
        yield phrase_of(f"{_ordinal(day)} {name} {year}")


def _names(month: int, language: str) -> Iterator[str]:
    for known in dict.fromkeys((language, "en")):
        if known in MONTHS:
            yield MONTHS[known][month - 1]
    yield SHORT_MONTHS[month - 1]


def _ordinal(day: int) -> str:
    teens = range(11, 14)
    ending = "th" if day in teens else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return f"{day}{ending}"


def _numbers() -> dict[str, tuple[int, ...]]:
    """Which months a name may mean: in some languages the same word is another month."""
    found: dict[str, tuple[int, ...]] = {}
    for names in (*MONTHS.values(), SHORT_MONTHS):
        for number, name in enumerate(names, 1):
            numbers = found.get(fold(name), ())
            found[fold(name)] = tuple(dict.fromkeys((*numbers, number)))
    return found


_NUMBERS = _numbers()
