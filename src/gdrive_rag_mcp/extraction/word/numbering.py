"""Counts the numbered paragraphs of a Word file, as Word itself stores no numbers."""

import re
from collections.abc import Mapping

from gdrive_rag_mcp.extraction.ooxml import Element, attribute, local_name, value, whole_number

_PLACE = re.compile(r"%([1-9])")
_ROMAN = (
    (1000, "m"),
    (900, "cm"),
    (500, "d"),
    (400, "cd"),
    (100, "c"),
    (90, "xc"),
    (50, "l"),
    (40, "xl"),
    (10, "x"),
    (9, "ix"),
    (5, "v"),
    (4, "iv"),
    (1, "i"),
)
_ALPHABET = 26
_MAX_LEVEL = 8
_MAX_START = 1_000_000
_MAX_LETTER = 5 * _ALPHABET
_MAX_ROMAN = 4_000
_HANGUL = "가나다라마바사아자차카타파하"


class Numbering:
    """The lists of a file with their counters; paragraphs must be asked for in reading order."""

    def __init__(self, root: Element | None) -> None:
        parts = [] if root is None else list(root)
        abstract = {
            attribute(each, "abstractNumId"): _levels(each)
            for each in parts
            if local_name(each) == "abstractNum"
        }
        self._lists: Mapping[str | None, tuple[str | None, Mapping[int, Element]]] = {
            attribute(each, "numId"): (
                value(each, "abstractNumId"),
                abstract.get(value(each, "abstractNumId"), {}),
            )
            for each in parts
            if local_name(each) == "num"
        }
        self._counts: dict[tuple[str | None, int], int] = {}

    def label(self, numbering: Element | None) -> str:
        """The number or bullet in front of a paragraph, such as `2.1.`; counts it."""
        identity, levels = self._lists.get(value(numbering, "numId"), (None, {}))
        level = whole_number(value(numbering, "ilvl"), 0, _MAX_LEVEL)
        if level not in levels:
            return ""
        form = value(levels[level], "numFmt") or "decimal"
        if form in ("bullet", "none"):
            return "•" if form == "bullet" else ""
        self._count(identity, level, levels)
        pattern = value(levels[level], "lvlText") or ""
        return _PLACE.sub(lambda place: self._number(identity, int(place[1]) - 1, levels), pattern)

    def _count(self, identity: str | None, level: int, levels: Mapping[int, Element]) -> None:
        start = _start(levels[level])
        self._counts[identity, level] = self._counts.get((identity, level), start - 1) + 1
        for deeper in range(level + 1, _MAX_LEVEL + 1):
            self._counts.pop((identity, deeper), None)

    def _number(self, identity: str | None, level: int, levels: Mapping[int, Element]) -> str:
        if level not in levels:
            return ""
        count = self._counts.get((identity, level), _start(levels[level]))
        return _written(count, value(levels[level], "numFmt") or "decimal")


def _levels(abstract: Element) -> Mapping[int, Element]:
    return {
        whole_number(attribute(each, "ilvl"), 0, _MAX_LEVEL): each
        for each in abstract
        if local_name(each) == "lvl"
    }


def _start(level: Element) -> int:
    return whole_number(value(level, "start"), 1, _MAX_START)


def _written(count: int, form: str) -> str:
    """A number in the forms that are common; the others are shown as digits."""
    if form.endswith("Letter") and 0 < count <= _MAX_LETTER:
        letter = chr(ord("a") + (count - 1) % _ALPHABET) * ((count - 1) // _ALPHABET + 1)
        return letter.upper() if form.startswith("upper") else letter
    if form.endswith("Roman") and 0 < count < _MAX_ROMAN:
        return _roman(count).upper() if form.startswith("upper") else _roman(count)
    if form == "ganada" and 0 < count <= len(_HANGUL):
        return _HANGUL[count - 1]
    return f"{count:02d}" if form == "decimalZero" else str(count)


def _roman(count: int) -> str:
    digits = ""
    for size, digit in _ROMAN:
        digits += digit * (count // size)
        count %= size
    return digits
