"""Where sentences end, in many languages, by punctuation and layout alone.

No model, and no words but the abbreviations that stand before names and numbers.

An end that is missed costs little (a longer unit); one that is invented tears a fact apart. So in
doubt there is none.
"""

import re
from collections.abc import Iterator
from enum import IntEnum

from gdrive_rag_mcp.chunking.reading import Reading
from gdrive_rag_mcp.domain.running_text import CLAUSE, ITEM_LETTERS, starts_item

_CLOSERS = "[\"'”’»)\\]]"
_WIDE_CLOSERS = "[”’」』）】》\"')\\]]"
_STOPS, _WIDE_STOPS = ".!?…", "。！？｡।॥؟۔።៕"
# It begins with one set of characters, which a search skips to, and takes whole runs of them, ends
# or not, which keeps it linear. The first group is set after a stop, the second where there is no
# doubt.
_BOUNDARY = re.compile(
    f"[{_STOPS}{_WIDE_STOPS}ฯ\n]"
    rf"(?:(?<=[{_STOPS}])[{_STOPS}]*+(?:{_CLOSERS}*+(?=\s)()|)"
    rf"|(?<=[{_WIDE_STOPS}])[{_WIDE_STOPS}]*+{_WIDE_CLOSERS}*+(?:\n[”’」』）】》])*+()"
    r"|(?<=ฯ)ฯ*+(?:(?=\s)()|)"
    rf"|(?<=\n)(?=[ \t]*+(?:[\W\d{ITEM_LETTERS}]|.\))))\s*+"
)
_AFTER_STOP = 1
_BEFORE_NAMES = (
    "dr prof mr mrs ms st hr fr jr sr dipl ing hon gen nr no art abs kap vol pp fig abb tab sec ca "
    "approx bzw vgl usw bsp evtl inkl exkl ggf vs cf tel tp ths ts gs pgs ông bà"
)
_ABBREVIATIONS = frozenset(_BEFORE_NAMES.split())
_LAST_LETTERS = frozenset(word[-2:] for word in _ABBREVIATIONS)
_LAST_WORD = re.compile(r"\w+$")
_NUMBER = re.compile(r"(?:(?<![\d.,])\d{1,3}|(?:^|\n)[ \t]*\d{1,3}(?:\.\d{1,3})*)$")
"""Days, and the numbers of lists."""
_LOOK_BACK = 16
_CLOSED = re.compile(rf"[.!?…:。！？｡।॥؟۔።៕]{_WIDE_CLOSERS}*\s*$")


class Boundary(IntEnum):
    """What ends at an offset, or begins there."""

    SENTENCE = 0
    PARAGRAPH = 1
    ITEM = 2


def boundaries(reading: Reading, start: int, end: int) -> Iterator[tuple[int, Boundary]]:
    """Offsets inside `text[start:end]` after each sentence and its blanks, and what it is.

    Lines that run on are read as one. The end itself is not among the offsets.
    """
    text = reading.text
    for match in _BOUNDARY.finditer(text, start, end):
        begin, after = match.span()
        if after >= end:
            return
        line_end = text.find("\n", begin, after)
        if line_end >= 0:
            new_paragraph = text.find("\n", line_end + 1, after) >= 0
            mark = (
                starts_item(text, after)
                if new_paragraph
                else reading.lines.item_after(line_end, after)
            )
            if mark:
                yield after, Boundary.PARAGRAPH if mark == CLAUSE else Boundary.ITEM
                continue
            if new_paragraph:
                yield after, Boundary.PARAGRAPH
                continue
        group = match.lastindex
        if group and (group != _AFTER_STOP or not _goes_on(text, start, begin, after)):
            yield after, Boundary.SENTENCE


def sentence_ends(reading: Reading, start: int, end: int) -> Iterator[int]:
    """Offsets after each sentence of `text[start:end]` and its blanks; the last is `end`."""
    for offset, _ in boundaries(reading, start, end):
        yield offset
    yield end


def ends_sentence(text: str, end: int) -> bool:
    """Whether what stands before an offset is complete, as far as its last mark tells."""
    return _CLOSED.search(text[max(0, end - _LOOK_BACK) : end]) is not None


def _goes_on(text: str, start: int, stop: int, after: int) -> bool:
    """Whether a full stop belongs to the word before it, or the next word continues a sentence."""
    if text[after].islower():
        return True
    if stop == start or text[stop] != "." or not text[stop + 1].isspace():
        return False
    last = text[stop - 1]
    if last.isalpha():
        return _is_abbreviation(text, start, stop)
    return last.isdigit() and bool(_NUMBER.search(text, max(start, stop - _LOOK_BACK), stop))


def _is_abbreviation(text: str, start: int, stop: int) -> bool:
    """Whether the word before a full stop is an initial, or one that stands before others."""
    if stop - 2 < start or not (text[stop - 2].isalnum() or text[stop - 2] == "_"):
        return True
    if text[stop - 2 : stop].lower() not in _LAST_LETTERS:
        return False
    word = _LAST_WORD.search(text, max(start, stop - _LOOK_BACK), stop)
    return word is not None and word.group().lower() in _ABBREVIATIONS
