"""Tells whether a Word file from before 2007 begins with a heading, which the library guesses.

Format: [MS-DOC] 2.4.6.1 (paragraphs and their properties), 2.8.5 and 2.9.174 (where they lie),
2.9.271 (the styles 1 to 9 are those of headings).
"""

import struct
from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise

_TABLE_1 = 0x200
_PAGE = 512
_PAGE_NUMBER = 0x3FFFFF
_PARAGRAPHS, _PIECES = 13, 33
"""Places of two tables among those that the head of the stream points to."""

_PIECE_TABLE, _CHANGES = 2, 1
_BYTE_LETTERS = 0x40000000
_HEADINGS = range(1, 10)
_DAMAGE = (struct.error, LookupError, ValueError)


def table_name(stream: bytes) -> str:
    """The name of the stream in which the tables lie."""
    flags = int.from_bytes(stream[10:12], "little")
    return "1Table" if flags & _TABLE_1 else "0Table"


def begins_with_heading(stream: bytes, tables: bytes) -> bool:
    """Whether the first paragraph that is not blank has a heading's style; not so when damaged."""
    try:
        start, width = _first_piece(_table(stream, tables, _PIECES))
        paragraphs = _paragraphs(stream, _table(stream, tables, _PARAGRAPHS), start)
        return next((style for length, style in paragraphs if length > width), 0) in _HEADINGS
    except _DAMAGE:
        return False


def _table(stream: bytes, tables: bytes, number: int) -> bytes:
    """A table by its number; two lists of varying length stand before the places of all."""
    at = 32
    at += 2 + 2 * struct.unpack_from("<H", stream, at)[0]
    at += 2 + 4 * struct.unpack_from("<H", stream, at)[0]
    start, length = struct.unpack_from("<II", stream, at + 2 + 8 * number)
    return tables[start : start + length]


def _first_piece(pieces: bytes) -> tuple[int, int]:
    """Where the text begins in the stream, and the bytes of its letters."""
    at = 0
    while pieces[at] == _CHANGES:
        at += 3 + struct.unpack_from("<H", pieces, at + 1)[0]
    if pieces[at] != _PIECE_TABLE:
        raise ValueError(pieces[at])
    count = (struct.unpack_from("<I", pieces, at + 1)[0] - 4) // 12
    place: int = struct.unpack_from("<I", pieces, at + 5 + 4 * (count + 1) + 2)[0]
    if place & _BYTE_LETTERS:
        return (place & ~_BYTE_LETTERS) // 2, 1
    return place, 2


def _paragraphs(stream: bytes, index: bytes, start: int) -> Iterator[tuple[int, int]]:
    """The lengths in bytes and the styles of the paragraphs from a place on."""
    count = (len(index) - 4) // 8
    numbers = struct.unpack_from(f"<{2 * count + 1}I", index)
    first = max(0, bisect_right(numbers[: count + 1], start) - 1)
    for number in numbers[count + 1 + first :]:
        at = (number & _PAGE_NUMBER) * _PAGE
        page = stream[at : at + _PAGE]
        inside = page[_PAGE - 1]
        ends = struct.unpack_from(f"<{inside + 1}I", page)
        for each, (begin, end) in enumerate(pairwise(ends)):
            if begin >= start:
                yield end - begin, _style(page, 4 * (inside + 1) + 13 * each)


def _style(page: bytes, at: int) -> int:
    """The style of a paragraph; one without properties is plain text."""
    properties = 2 * page[at]
    if not properties:
        return 0
    lead = 1 if page[properties] else 2
    style: int = struct.unpack_from("<H", page, properties + lead)[0]
    return style
