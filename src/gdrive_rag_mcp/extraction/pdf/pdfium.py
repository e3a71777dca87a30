"""The first PDF engine: fast and hard to upset."""

import itertools
import math
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress

import pypdfium2 as pdfium
from pypdfium2 import raw

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.input_file import InputFile
from gdrive_rag_mcp.extraction.pdf.arabic import Box, with_ligatures_in_order
from gdrive_rag_mcp.extraction.pdf.notes import notes_on
from gdrive_rag_mcp.extraction.pdf.page import MAX_PAGES, OpenedPdf, Page, PageProblem
from gdrive_rag_mcp.extraction.pdf.tesseract import Picture

FEW_CHARACTERS = 20
"""A scan often carries a stamp or a page number as its only text."""

_PASSWORD_ERROR = 4
_INSPECTED_OBJECTS = 200
_FORM_DEPTH = 3
_DECORATION = 30
_PATH, _IMAGE = 2, 3
_PAGE_COVER = 0.5
_DOTS_PER_INCH = 200
_POINTS_PER_INCH = 72
_MOST_PIXELS = 16_000_000
"""A page of four times A4 at 200 dots per inch; larger ones are drawn more coarsely."""


@contextmanager
def opened(file: InputFile) -> Iterator[OpenedPdf]:
    """Open a PDF with pdfium.

    Raises:
        ExtractionError: it wants a password (`encrypted`) or is refused (`corrupt`).
    """
    try:
        document = pdfium.PdfDocument(file.read())
    except pdfium.PdfiumError as error:
        raise _refusal(error) from error
    with closing(document):
        with suppress(pdfium.PdfiumError):  # whoever has a broken form still has text
            document.init_forms()
        title = document.get_metadata_value("Title")
        yield OpenedPdf(
            title,
            len(document),
            lambda: _pages(document),
            lambda index, turn: _picture(document, index, turn),
        )


def _refusal(error: pdfium.PdfiumError) -> ExtractionError:
    if error.err_code == _PASSWORD_ERROR:
        return ExtractionError(
            Reason.ENCRYPTED,
            "The PDF cannot be opened without its password",
            hint="Save a copy without a password.",
        )
    return ExtractionError(Reason.CORRUPT, f"The PDF is damaged: {error}")


def _pages(document: pdfium.PdfDocument) -> Iterator[Page]:
    for index in range(min(len(document), MAX_PAGES)):
        number = index + 1
        try:
            yield _page(document, index)
        except pdfium.PdfiumError:
            yield Page(number, "", problem=PageProblem.UNREADABLE)


def _page(document: pdfium.PdfDocument, index: int) -> Page:
    with closing(document[index]) as page:
        with closing(page.get_textpage()) as layer:
            text = with_ligatures_in_order(layer.get_text_range(), lambda at: _box(layer, at))
        few = len("".join(text.split())) < FEW_CHARACTERS
        problem = PageProblem.NO_TEXT_LAYER if few and _shows_more(page, text) else None
        return Page(index + 1, text, document.get_page_label(index), problem, notes=notes_on(page))


def _box(layer: pdfium.PdfTextPage, at: int) -> Box | None:
    """Where a character of the text is drawn; None for one that is not."""
    character = raw.FPDFText_GetCharIndexFromTextIndex(layer, at)
    if character < 0:
        return None
    box: Box = layer.get_charbox(character)
    return box


def _shows_more(page: pdfium.PdfPage, text: str) -> bool:
    """Whether a page with little or no text shows something that could be read.

    With some text, only a picture over half the page counts; with none, anything beyond a few lines
    does: a picture, letters drawn as shapes, text without a character map.
    """
    drawn = list(itertools.islice(page.get_objects(max_depth=_FORM_DEPTH), _INSPECTED_OBJECTS))
    if text.strip():
        return any(_covers_page(each, page) for each in drawn if each.type == _IMAGE)
    return len(drawn) > _DECORATION or any(each.type != _PATH for each in drawn)


def _covers_page(image: pdfium.PdfObject, page: pdfium.PdfPage) -> bool:
    try:
        left, bottom, right, top = image.get_bounds()
    except pdfium.PdfiumError:  # a damaged picture covers nothing
        return False
    width, height = page.get_size()
    return bool((right - left) * (top - bottom) >= _PAGE_COVER * width * height)


def _picture(document: pdfium.PdfDocument, index: int, turn: int) -> Picture | None:
    """A page in grey; None if it cannot be drawn."""
    try:
        with closing(document[index]) as page:
            width, height = page.get_size()
            fits = math.sqrt(_MOST_PIXELS / max(width * height, 1))
            scale = min(_DOTS_PER_INCH / _POINTS_PER_INCH, fits)
            with closing(page.render(scale=scale, rotation=turn, grayscale=True)) as bitmap:
                pixels, stride = bytes(bitmap.buffer), bitmap.stride
                rows = range(0, stride * bitmap.height, stride)
                lines = b"".join(pixels[start : start + bitmap.width] for start in rows)
                resolution = max(round(scale * _POINTS_PER_INCH), 1)
                return Picture(bitmap.width, bitmap.height, lines, resolution)
    except pdfium.PdfiumError:
        return None
