"""Writes the values of cells as a reader of the sheet would, and names cells as sheets do."""

import datetime as dt
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

Value = str | float | bool | dt.date | dt.time | dt.datetime | dt.timedelta
FIRST_DAY = dt.datetime(1899, 12, 30)  # noqa: DTZ001 - sheets know no zones
_LARGEST_EXACT = 10**15
_LATEST = dt.datetime.max - dt.timedelta(seconds=1)  # noqa: DTZ901 - sheets know no zones
_ALPHABET = 26


def show(value: Value) -> str:
    """A value in one line: no `.0`, dates and times in ISO form."""
    return next(shown(value) for kind, shown in SHOWN.items() if isinstance(value, kind))


def _folded(value: str) -> str:
    return " ".join(value.split())


def _truth(value: bool) -> str:  # noqa: FBT001 - the value of a cell, no switch
    return "TRUE" if value else "FALSE"


def _duration(value: dt.timedelta) -> str:
    minutes, seconds = divmod(round(value.total_seconds()), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{seconds:02d}"


def show_number(value: float) -> str:
    """A number without a format: whole ones as such, others with the 15 digits that sheets keep."""
    if abs(value) < _LARGEST_EXACT and value == int(value):
        return str(int(value))
    return f"{value:.15g}"


def _moment(value: dt.datetime) -> str:
    rounded = (min(value, _LATEST) + dt.timedelta(milliseconds=500)).replace(microsecond=0)
    return rounded.isoformat(sep=" ").removesuffix(" 00:00:00")


def _time(value: dt.time) -> str:
    return value.isoformat(timespec="seconds")


SHOWN: Mapping[type, Callable[[Any], str]] = {
    str: _folded,
    bool: _truth,
    float: show_number,
    int: show_number,
    dt.datetime: _moment,
    dt.date: dt.date.isoformat,
    dt.time: _time,
    dt.timedelta: _duration,
}
"""How a value of each type is shown; of two that fit, the first holds."""


@lru_cache(maxsize=1 << 15)
def column_number(letters: str) -> int:
    """`A` is 1, `Z` 26, `AA` 27."""
    number = 0
    for letter in letters:
        number = number * _ALPHABET + ord(letter) - ord("A") + 1
    return number


@lru_cache(maxsize=1 << 15)
def column_letters(number: int) -> str:
    """The inverse of `column_number`."""
    letters = ""
    while number:
        number, rest = divmod(number - 1, _ALPHABET)
        letters = chr(ord("A") + rest) + letters
    return letters
