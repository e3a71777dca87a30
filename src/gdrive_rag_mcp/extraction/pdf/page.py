"""What both PDF engines make of a page."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from gdrive_rag_mcp.extraction.pdf.tesseract import Picture, Recognised

MAX_PAGES = 20_000
"""A file of one megabyte can claim hundreds of thousands of pages."""

MAX_OCR_PAGES = 100
MAX_OCR_SECONDS = 600
"""A page takes 2 to 6 seconds in a language."""


class PageProblem(StrEnum):
    """Why a page gave less than it shows."""

    NO_TEXT_LAYER = "no text layer, needs OCR"
    UNRECOGNISED = "no text layer, and OCR recognises nothing"
    BEYOND_OCR = f"no text layer; OCR ends after {MAX_OCR_PAGES} pages or {MAX_OCR_SECONDS} seconds"
    UNREADABLE = "damaged, could not be read"
    BEYOND_LIMIT = f"not read, a document may have {MAX_PAGES:,} pages"


@dataclass(frozen=True, slots=True)
class Notes:
    """Filled form fields as `name: value`, and what comments say."""

    fields: tuple[str, ...] = ()
    comments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """A page, numbered from 1, with the label that is printed in the document's own table.

    `over_picture` are, on a page that is a picture with short text on it, the lines that do not
    stand in the margins; None on any other page. `is_stamp`: the text is nothing but a stamp.
    """

    number: int
    text: str
    label: str | None = None
    problem: PageProblem | None = None
    over_picture: tuple[str, ...] | None = None
    is_stamp: bool = False
    recognised: Recognised | None = None
    notes: Notes = Notes()


Render = Callable[[Page, int], Picture | None]
"""Draws a page without the text that it has, turned clockwise by degrees; None if it cannot."""

WITHOUT_TEXT = (PageProblem.NO_TEXT_LAYER, PageProblem.UNRECOGNISED, PageProblem.BEYOND_OCR)


@dataclass(frozen=True, slots=True)
class OpenedPdf:
    """An open PDF; `pages()` reads at most `MAX_PAGES` of its `count` pages.

    `render` draws a page, where the engine can, and without its text: page, degrees to turn it.
    """

    title: str
    count: int
    pages: Callable[[], Iterator[Page]]
    render: Render | None = None
