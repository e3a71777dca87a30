"""Cutting a run of text that is too long for one unit, where it hurts least.

At a line's end, else after a clause, else at a blank, else (scripts without blanks) between two
characters as a reader counts them, never inside one.
"""

import re
import unicodedata
from collections.abc import Iterator

from gdrive_rag_mcp.chunking.reading import Reading

_CLAUSE_END = re.compile(r"[,;:|\t、，；：،؛](?:\s|(?<=[、，；：\t]))")
_BLANK = re.compile(r"\s")
_MOST_MARKS = 64
"""A base character with more marks than this is no writing, and is cut like any other text."""
_JOINER = "\u200d"
_LEADING_VOWELS = frozenset("เแโใไເແໂໃໄ")
_FOLLOWING_VOWELS = frozenset("ำຳ")
_VIRAMAS = frozenset("्্੍્୍్್്්္្")


def pieces(reading: Reading, start: int, end: int, limit: int) -> Iterator[int]:
    """Offsets after each piece of `text[start:end]`, none above `limit` tokens; the last is `end`.

    A single character that is above the limit by itself is still a piece.
    """
    while start < end:
        stop = max(start + 1, reading.costs.reach(start, end, limit))
        if stop < end:
            stop = _best_cut(reading, start, stop)
        yield stop
        start = stop


def _best_cut(reading: Reading, start: int, stop: int) -> int:
    """The offset in `(start, stop]` to cut at."""
    text, half = reading.text, (start + stop) // 2
    line = text.rfind("\n", half, stop)
    while line >= 0 and reading.lines.runs_on(line):
        line = text.rfind("\n", half, line)
    if line >= 0:
        return line + 1
    for boundary in (_CLAUSE_END, _BLANK):
        ends = [match.end() for match in boundary.finditer(text, half, stop)]
        if ends:
            return ends[-1]
    blanks = [match.end() for match in _BLANK.finditer(text, start, half)]
    return blanks[-1] if blanks else between_characters(text, start, stop)


def between_characters(text: str, start: int, offset: int) -> int:
    """The last offset in `(start, offset]` that is not inside a character as a reader sees it."""
    lowest = max(start + 1, offset - _MOST_MARKS)
    for candidate in range(offset, lowest - 1, -1):
        if not _joins(text, start, candidate):
            return candidate
    return offset


def _joins(text: str, start: int, offset: int) -> bool:
    """Whether the characters on both sides of an offset make up one; after UAX #29."""
    if offset >= len(text):
        return False
    left, right = text[offset - 1], text[offset]
    return (
        unicodedata.category(right)[0] == "M"
        or right in _FOLLOWING_VOWELS
        or left in _LEADING_VOWELS
        or _JOINER in (left, right)
        or left in _VIRAMAS
        or "\U0001f3fb" <= right <= "\U0001f3ff"
        or "\U000e0020" <= right <= "\U000e007f"
        or left + right == "\r\n"
        or _is_one_syllable(left, right)
        or _is_half_a_flag(text, start, offset)
    )


def _is_one_syllable(left: str, right: str) -> bool:
    """Hangul in parts: vowels and finals join what is before them, initials one another."""
    if "\u1160" <= right <= "\u11ff" or "\ud7b0" <= right <= "\ud7fb":
        return True
    return _is_initial(left) and _is_initial(right)


def _is_initial(char: str) -> bool:
    return "\u1100" <= char <= "\u115f" or "\ua960" <= char <= "\ua97c"


def _is_half_a_flag(text: str, start: int, offset: int) -> bool:
    """Flags are pairs of regional indicators, counted from the start of their run."""
    run = 0
    while offset - run > start and run < _MOST_MARKS and _is_indicator(text[offset - run - 1]):
        run += 1
    return run % 2 == 1 and _is_indicator(text[offset])


def _is_indicator(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"
