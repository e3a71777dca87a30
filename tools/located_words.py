"""Words with the place where they must be found, as an index of test files lists them.

`p3:word` is on page 3, `Costs!row5:word` in row 5 of a sheet, `slide2:word` on a slide,
`cell4:word` in a cell of a notebook, `OPS/one.xhtml:word` in a chapter, `subject:word` in a mail's
subject and `body:word` in its text; `doc:word` and `ins:word` (inserted) stand anywhere.
"""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from gdrive_rag_mcp.domain import Locator

_NUMBERED = re.compile(r"(p|slide|cell)(\d+):(.*)", re.DOTALL)
_ROW = re.compile(r"(.*)!row(\d+):(.*)", re.DOTALL)
_KINDS = {"p": "page", "slide": "slide", "cell": "cell"}
_ANYWHERE = frozenset({"doc", "ins", "subject"})
_SUBJECT = "subject"


@dataclass(frozen=True, slots=True)
class LocatedWord:
    """A word in its bare form, and which locators cover its place."""

    listed: str
    word: str
    covers: Callable[[Locator], bool]
    in_title: bool = False

    @classmethod
    def of(cls, listed: str) -> "LocatedWord":
        """Read a listed word; nothing covers a place of a form that is not known."""
        word, covers = parse(listed)
        return cls(listed, word, covers, listed.startswith(f"{_SUBJECT}:"))


def bare(text: str) -> str:
    """Text as it is compared: NFKC, without case and blanks, for engines differ in those."""
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())


def parse(listed: str) -> tuple[str, Callable[[Locator], bool]]:
    """A word, and which locators cover its place."""
    if row := _ROW.fullmatch(listed):
        sheet, number = row[1], int(row[2])
        return bare(row[3]), lambda at: at.label == sheet and spans(at, number)
    if numbered := _NUMBERED.fullmatch(listed):
        kind, number = _KINDS[numbered[1]], int(numbered[2])
        return bare(numbered[3]), lambda at: at.kind == kind and spans(at, number)
    place, _, word = listed.partition(":")
    return bare(word), _covering(place)


def _covering(place: str) -> Callable[[Locator], bool]:
    if place in _ANYWHERE:
        return lambda _: True
    if place == "body":
        return lambda at: at.kind == "part" and at.value.startswith("body")
    if "/" in place or "." in place:
        return lambda at: at.kind == "chapter" and at.value == place
    return lambda _: False


def spans(locator: Locator, number: int) -> bool:
    """Whether a page, row, slide or cell is among those of the locator."""
    return locator.first is not None and locator.first <= number <= (locator.last or 0)


def split(field: str) -> tuple[str, ...]:
    """The entries of a field of the index."""
    return tuple(part for each in field.split(" | ") if (part := each.strip()))
