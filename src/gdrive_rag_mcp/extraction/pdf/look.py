"""Looks at a PDF page that has little text: what else it shows, and where its text stands."""

import itertools
import re
from collections.abc import Callable, Sequence

import pypdfium2 as pdfium
from pypdfium2 import raw

from gdrive_rag_mcp.extraction.pdf.arabic import Box

_INSPECTED_OBJECTS = 200
FORM_DEPTH = 3
_DECORATION = 30
_FEW_CHARACTERS = 20
_COVER = 0.7
_COVER_BESIDE_FEW = 0.5
"""A scan is all of its page but for white edges, and a figure that takes half of one is none;
unless there is hardly more than a number beside it."""

_STRIP = 0.8
_MARGIN = 0.08
"""Of a page's width and height: half an inch and a little more, where stamps and page numbers go
and text does not."""

_LARGE_LETTERS = 0.0125
"""Of a page's longer side: letters of a title are as high and wide as this, those of stamps and
page numbers are not."""

_LINE = re.compile(r"[^\r\n]+")


def shows_something(page: pdfium.PdfPage) -> bool:
    """Whether a page without text shows something that could be read.

    Anything beyond a few lines does: a picture, letters drawn as shapes, text without a character
    map.
    """
    drawn = _drawn(page)
    return len(drawn) > _DECORATION or any(each.type != raw.FPDF_PAGEOBJ_PATH for each in drawn)


def lines_over_picture(
    page: pdfium.PdfPage, text: str, box_of: Callable[[int], Box | None]
) -> tuple[str, ...] | None:
    """The lines on a page-wide picture, without small ones in the margins; None without a picture.

    Invisible text counts wherever it stands: that is how programs for OCR write down what they
    recognised. `box_of` gives the box on the page of the character at an index of the text.
    """
    drawn = _drawn(page)
    images = [each for each in drawn if each.type == raw.FPDF_PAGEOBJ_IMAGE]
    few = len("".join(text.split())) < _FEW_CHARACTERS
    if _cover(page.get_bbox(), images) < (_COVER_BESIDE_FEW if few else _COVER):
        return None
    lines = [line for line in _LINE.finditer(text) if line[0].strip()]
    if not any(map(_is_invisible, drawn)):
        frame = page.get_bbox()
        lines = [line for line in lines if not _is_in_margins(frame, _boxes(line, box_of))]
    return tuple(line[0] for line in lines)


def _cover(frame: Box, images: Sequence[pdfium.PdfObject]) -> float:
    """What share of a page the largest picture covers, or strips of one from edge to edge do."""
    width, height = frame[2] - frame[0], frame[3] - frame[1]
    sizes = list(map(_size, images))
    strips = sum(across * up for across, up in sizes if across >= _STRIP * width)
    largest = max((across * up for across, up in sizes), default=0.0)
    return max(strips, largest) / max(width * height, 1e-9)


def _boxes(line: re.Match[str], box_of: Callable[[int], Box | None]) -> list[Box]:
    seen = (at for at in range(line.start(), line.end()) if not line.string[at].isspace())
    return [box for box in map(box_of, seen) if box is not None]


def _is_in_margins(frame: Box, boxes: Sequence[Box]) -> bool:
    left, bottom, right, top = frame
    across, up = _MARGIN * (right - left), _MARGIN * (top - bottom)
    large = _LARGE_LETTERS * max(right - left, top - bottom)
    return all(
        x2 <= left + across or x1 >= right - across or y2 <= bottom + up or y1 >= top - up
        for x1, y1, x2, y2 in boxes
    ) and not any(min(x2 - x1, y2 - y1) >= large for x1, y1, x2, y2 in boxes)


def _drawn(page: pdfium.PdfPage) -> list[pdfium.PdfObject]:
    return list(itertools.islice(page.get_objects(max_depth=FORM_DEPTH), _INSPECTED_OBJECTS))


def _size(image: pdfium.PdfObject) -> tuple[float, float]:
    try:
        left, bottom, right, top = image.get_bounds()
    except pdfium.PdfiumError:  # a damaged picture covers nothing
        return 0.0, 0.0
    return right - left, top - bottom


def _is_invisible(each: pdfium.PdfObject) -> bool:
    return bool(
        each.type == raw.FPDF_PAGEOBJ_TEXT
        and raw.FPDFTextObj_GetTextRenderMode(each) == raw.FPDF_TEXTRENDERMODE_INVISIBLE
    )
