"""What both PDF engines make of a page."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

MAX_PAGES = 20_000
"""A file of one megabyte can claim hundreds of thousands of pages."""


class PageProblem(StrEnum):
    """Why a page gave less than it shows."""

    NO_TEXT_LAYER = "no text layer, needs OCR"
    UNREADABLE = "damaged, could not be read"
    BEYOND_LIMIT = f"not read, a document may have {MAX_PAGES:,} pages"


@dataclass(frozen=True, slots=True)
class Page:
    """A page, numbered from 1, with the label that is printed in the document's own table."""

    number: int
    text: str
    label: str | None = None
    problem: PageProblem | None = None


@dataclass(frozen=True, slots=True)
class OpenedPdf:
    """An open PDF; `pages()` reads at most `MAX_PAGES` of its `count` pages."""

    title: str
    count: int
    pages: Callable[[], Iterator[Page]]
