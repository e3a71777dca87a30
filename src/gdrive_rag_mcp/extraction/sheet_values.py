"""Writes the values of cells as a reader of the sheet would, and names cells as sheets do."""

import datetime as dt
from functools import lru_cache

Value = str | float | bool | dt.date | dt.time | dt.datetime | dt.timedelta
_LARGEST_EXACT = 10**15
_LATEST = dt.datetime.max - dt.timedelta(seconds=1)  # noqa: DTZ901 - sheets know no zones
_ALPHABET = 26


def show(value: Value) -> str:
    """A value in one line: no `.0`, dates and times in ISO form."""
    if isinstance(value, str):
        return " ".join(value.split())
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, (int, float)):
        return show_number(value)
    if isinstance(value, dt.timedelta):
        minutes, seconds = divmod(round(value.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02d}:{seconds:02d}"
    return _time(value)


def show_number(value: float) -> str:
    """A number without a format: whole ones as such, others with the 15 digits that sheets keep."""
    if abs(value) < _LARGEST_EXACT and value == int(value):
        return str(int(value))
    return format(value, ".15g")


def _time(value: dt.date | dt.time) -> str:
    if isinstance(value, dt.datetime):
        rounded = (min(value, _LATEST) + dt.timedelta(milliseconds=500)).replace(microsecond=0)
        return rounded.isoformat(sep=" ").removesuffix(" 00:00:00")
    if isinstance(value, dt.time):
        return value.isoformat(timespec="seconds")
    return value.isoformat()


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
