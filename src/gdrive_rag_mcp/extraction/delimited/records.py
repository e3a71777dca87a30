"""Splits lines of delimiter-separated values into records, whatever a program wrote between them.

Format: RFC 4180, and what spreadsheets make of it: other delimiters, a first line `sep=;`, quotes
that never close, rows of any length.
"""

import csv
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

# How many columns more than with a comma each is worth: it stands within numbers and lists as well,
# while tabs stand nowhere else.
_LEADS: Mapping[str, int] = {"\t": 1_000, ";": 1, "|": 1, ",": 0}
_QUOTE = '"'
_MAX_LINES = 1_000
"""A record with more lines has a quote that was never closed."""

_SAMPLE = 200
_MIN_COLUMNS = 2
_DECLARED = re.compile(r"(?i)\ufeff?\"?sep=([^\"\w ])\"?\s*")


@dataclass(frozen=True, slots=True)
class Record:
    """The values of one record, and its lines, numbered from 1."""

    values: Sequence[str]
    first: int
    last: int


def declared_delimiter(line: str) -> str | None:
    """The delimiter that a first line `sep=;` tells Excel to use."""
    declared = _DECLARED.fullmatch(line)
    return declared[1] if declared else None


def pads(lines: Sequence[str], delimiter: str) -> bool:
    """Whether blanks stand between a delimiter and a quote, which then still begins a value.

    So it is where the rows are at least as even for it, and not fewer of them are; elsewhere the
    quotes belong to the text.
    """
    padded = re.compile(f'(?m)(?:^|{re.escape(delimiter)}) +"')
    if not padded.search("\n".join(lines[:_SAMPLE])):
        return False
    plain = _most_even(_widths(lines, delimiter))
    return _most_even(_widths(lines, delimiter, padded=True)) >= plain


def find_delimiter(lines: Sequence[str]) -> str | None:
    """The delimiter that cuts the most records into equally many values; none cuts a list."""
    ranked = []
    for delimiter, lead in _LEADS.items():
        share, _, width = _most_even(_widths(lines, delimiter, padded=pads(lines, delimiter)))
        if width:
            ranked.append((round(share, 1), width + lead, delimiter))
    return max(ranked, key=lambda each: each[:2])[2] if ranked else None


def _widths(lines: Sequence[str], delimiter: str, *, padded: bool = False) -> list[int]:
    """How many values the first records have that are not blank."""
    found = (record.values for record in records(lines, delimiter, padded=padded))
    return list(islice((len(each) for each in found if each not in ([], [""])), _SAMPLE))


def _most_even(widths: Sequence[int]) -> tuple[float, int, int]:
    """The share of the records that have as many values as most, their count, and that width.

    All are 0 where nothing has columns.
    """
    cut = Counter(width for width in widths if width >= _MIN_COLUMNS)
    if not cut:
        return 0.0, 0, 0
    width, count = max(cut.items(), key=lambda each: (each[1], each[0]))
    return count / len(widths), count, width


def records(
    lines: Sequence[str], delimiter: str, first: int = 1, *, padded: bool = False
) -> Iterator[Record]:
    """Cut lines into records; `first` is the number of the first line. Blank lines are records.

    `padded` says that a quote opens a value behind blanks, too.
    """
    csv.field_size_limit(1 << 30)
    at = 0
    while at < len(lines):
        values, count = _record(lines, at, delimiter, padded=padded)
        yield Record(values, first + at, first + at + count - 1)
        at += count


def _record(
    lines: Sequence[str], at: int, delimiter: str, *, padded: bool
) -> tuple[Sequence[str], int]:
    """The values of the record that begins at a line, and how many lines it has."""
    if _QUOTE not in lines[at]:
        return lines[at].split(delimiter), 1
    window = range(at, min(at + _MAX_LINES, len(lines)))
    reader = csv.reader(
        (f"{lines[each]}\n" for each in window), delimiter=delimiter, skipinitialspace=padded
    )
    values = next(reader)
    count = reader.line_num
    if count == len(window) > 1 and sum(lines[each].count(_QUOTE) for each in window) % 2:
        return lines[at].split(delimiter), 1
    return values, count
