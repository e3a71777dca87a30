"""Words of the handed files, and the places where they must be found."""

import re
import unicodedata
from collections.abc import Callable

from gdrive_rag_mcp.domain import Locator

_PAGE = re.compile(r"p(\d+):(.*)", re.DOTALL)
_ROW = re.compile(r"(.*)!row(\d+):(.*)", re.DOTALL)


def bare(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())


def parse(located: str) -> tuple[str, Callable[[Locator], bool]]:
    """A word, and which locators cover its place: `p3:word`, `Sheet!row5:word`, `doc:word`."""
    if page := _PAGE.fullmatch(located):
        number = int(page[1])
        return bare(page[2]), lambda at: at.kind == "page" and spans(at, number)
    if row := _ROW.fullmatch(located):
        number = int(row[2])
        return bare(row[3]), lambda at: at.label == row[1] and spans(at, number)
    return bare(located.partition(":")[2]), lambda at: True


def spans(locator: Locator, number: int) -> bool:
    return locator.first is not None and locator.first <= number <= (locator.last or 0)


def split(field: str) -> tuple[str, ...]:
    return tuple(part for each in field.split(" | ") if (part := each.strip()))
