"""Numbers and what they count or measure, in any script's digits and any way of grouping them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TypeVar

from gdrive_rag_mcp.evidence import lexicon_units
from gdrive_rag_mcp.evidence.lexicon_money import MONEY
from gdrive_rag_mcp.evidence.lexicon_numbers import MAGNITUDES
from gdrive_rag_mcp.evidence.written import listed, plain
from gdrive_rag_mcp.terms import fold

MONEY_UNIT = "money"
PERCENT = "percent"
TIME = "time"
LENGTH = "length"

_MEASURES = {
    PERCENT: lexicon_units.PERCENT,
    TIME: lexicon_units.TIME,
    LENGTH: lexicon_units.LENGTH,
    "area": lexicon_units.AREA,
    "weight": lexicon_units.WEIGHT,
    "volume": lexicon_units.VOLUME,
    "other": lexicon_units.OTHER,
    MONEY_UNIT: MONEY,
}
_Meaning = TypeVar("_Meaning")
_NUMBER = re.compile(r"(?<![a-z\d])(?:\d{1,3}(?: \d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,٬٫'’]\d+)*)")
_SEPARATOR = re.compile(r"[.,٬٫'’ ]")
_GROUP = 3
_RUN = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_THAI = re.compile("[\u0e00-\u0e7f]")
_LONGEST_UNIT = 8  # characters, in scripts without blanks
_REACH = 32  # characters after a number in which its unit is looked for
_EDGES = " \t\n-‑–~()[].,;:!?،؟।。、）（"


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit by name, and what it measures."""

    name: str
    measures: str


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in a text, from `start` to `end`; `bare` where its digits stand alone."""

    value: float
    start: int
    end: int
    bare: bool
    unit: Unit | None


def quantities(text: str) -> Iterator[Quantity]:
    """The numbers of a plain text in order; what reads as none, as 12.05.1950, is left out."""
    for found in _NUMBER.finditer(text):
        value = _value(found.group())
        if value is None:
            continue
        rest = text[found.end() : found.end() + _REACH]
        magnitude, length = _longest_start(rest, _magnitudes())
        unit, _ = _longest_start(rest[length:], _units())
        if unit is None:
            unit = _money_before(text[max(0, found.start() - _LONGEST_UNIT) : found.start()])
        bare = found.group().isdigit() and not magnitude
        yield Quantity(value * (magnitude or 1), found.start(), found.end(), bare, unit)


def units_named(text: str, function_words: frozenset[str] = frozenset()) -> frozenset[Unit]:
    """The units that a plain text names, with a number or without; single letters are none."""
    known, words = _units(), [word.strip(_EDGES) for word in text.split()]
    alone = [*words, *map(" ".join, pairwise(words))]
    found = {known[word] for word in alone if word in known and _is_telling(word, function_words)}
    for word in words:
        if _RUN.search(word):
            found.update(_units_within(word))
    return frozenset(found)


def _is_telling(word: str, function_words: frozenset[str]) -> bool:
    return not word.isalpha() or (len(word) > 1 and fold(word) not in function_words)


def _units_within(run: str) -> Iterator[Unit]:
    for start in range(len(run) - 1):
        # One character, or two of an alphabet, are too often a part of another word.
        shortest = 3 if _THAI.match(run, start) else 2
        for length in range(_LONGEST_UNIT, shortest - 1, -1):
            unit = _units().get(run[start : start + length])
            if unit:
                yield unit
                break


def _value(written: str) -> float | None:
    """The number, or None for a date or a version: signs group by three or part once."""
    *groups, last = _SEPARATOR.split(written)
    grouped = (
        groups and len(groups[0]) <= _GROUP and all(len(part) == _GROUP for part in groups[1:])
    )
    separators = _SEPARATOR.findall(written)
    if not groups:
        return float(last)
    if grouped and len(last) == _GROUP and len(set(separators)) == 1 and groups[0] != "0":
        return float("".join((*groups, last)))
    if len(groups) == 1 or (grouped and separators[-1] != separators[-2]):
        return float("".join(groups) + "." + last)
    return None


def _longest_start(rest: str, known: Mapping[str, _Meaning]) -> tuple[_Meaning | None, int]:
    """What of the known forms a text begins with, and up to where it reaches."""
    begin = len(rest) - len(rest.lstrip(" -\u2011"))
    if begin < len(rest) and _RUN.match(rest[begin]):
        for length in range(_LONGEST_UNIT, 0, -1):
            if rest[begin : begin + length] in known:
                return known[rest[begin : begin + length]], begin + length
        return None, 0
    words = rest[begin:].split(maxsplit=2)[:2]
    for form in (" ".join(words), *words[:1]):
        if form.strip(_EDGES) in known:
            return known[form.strip(_EDGES)], begin + len(form)
    return None, 0


def _money_before(text: str) -> Unit | None:
    last = text.split()[-1:]
    signs = (last[0], last[0][-1]) if last else ()
    found = (_units().get(sign) for sign in signs)
    return next((unit for unit in found if unit and unit.measures == MONEY_UNIT), None)


@cache
def _units() -> dict[str, Unit]:
    return {
        plain(form): Unit(name, measures)
        for measures, table in _MEASURES.items()
        for name, forms in table.items()
        for form in listed(forms)
    }


@cache
def _magnitudes() -> dict[str, int]:
    return {plain(form): value for forms, value in MAGNITUDES.items() for form in forms.split()}
