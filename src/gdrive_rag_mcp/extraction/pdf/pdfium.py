"""The first PDF engine: fast and hard to upset."""

import math
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress

import pypdfium2 as pdfium
from pypdfium2 import raw

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.input_file import InputFile
from gdrive_rag_mcp.extraction.pdf.arabic import Box, with_ligatures_in_order
from gdrive_rag_mcp.extraction.pdf.look import (
    FORM_DEPTH,
    lines_over_picture,
    shows_something,
)
from gdrive_rag_mcp.extraction.pdf.notes import notes_on
from gdrive_rag_mcp.extraction.pdf.page import MAX_PAGES, OpenedPdf, Page, PageProblem
from gdrive_rag_mcp.extraction.pdf.tesseract import Picture

_SHORT_TEXT = 300
"""Characters: a scan often carries a stamp or a page number as its only text."""

_PASSWORD_ERROR = 4
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
            lambda page, turn: _picture(document, page, turn),
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
        problem, over_picture = None, None
        with closing(page.get_textpage()) as layer:
            text = with_ligatures_in_order(layer.get_text_range(), lambda at: _box(layer, at))
            length = len("".join(text.split()))
            if not length:
                problem = PageProblem.NO_TEXT_LAYER if shows_something(page) else None
            elif length < _SHORT_TEXT:
                over_picture = lines_over_picture(page, text, lambda at: _box(layer, at))
        label = document.get_page_label(index)
        return Page(index + 1, text, label, problem, over_picture, notes=notes_on(page))


def _box(layer: pdfium.PdfTextPage, at: int) -> Box | None:
    """Where a character of the text is drawn; None for one that is not."""
    character = raw.FPDFText_GetCharIndexFromTextIndex(layer, at)
    if character < 0:
        return None
    try:
        box: Box = layer.get_charbox(character)
    except pdfium.PdfiumError:
        return None
    return box


def _picture(document: pdfium.PdfDocument, page: Page, turn: int) -> Picture | None:
    """A page in grey, without the text that is known; None if it cannot be drawn."""
    try:
        with closing(document[page.number - 1]) as drawn:
            if page.text.strip():
                _hide_text(drawn)
            width, height = drawn.get_size()
            fits = math.sqrt(_MOST_PIXELS / max(width * height, 1))
            scale = min(_DOTS_PER_INCH / _POINTS_PER_INCH, fits)
            with closing(drawn.render(scale=scale, rotation=turn, grayscale=True)) as bitmap:
                pixels, stride = bytes(bitmap.buffer), bitmap.stride
                rows = range(0, stride * bitmap.height, stride)
                lines = b"".join(pixels[start : start + bitmap.width] for start in rows)
                resolution = max(round(scale * _POINTS_PER_INCH), 1)
                return Picture(bitmap.width, bitmap.height, lines, resolution)
    except pdfium.PdfiumError:
        return None


def _hide_text(page: pdfium.PdfPage) -> None:
    """What is known in letters would be recognised a second time."""
    for each in page.get_objects(filter=[raw.FPDF_PAGEOBJ_TEXT], max_depth=FORM_DEPTH):
        raw.FPDFPageObj_SetIsActive(each, False)
