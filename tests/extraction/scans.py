"""Scans made on the spot: pages of text as nothing but a picture."""

import io
from collections.abc import Sequence
from dataclasses import dataclass

import pypdfium2 as pdfium
import pytest
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from gdrive_rag_mcp.errors import SettingsError
from gdrive_rag_mcp.extraction.options import Ocr
from gdrive_rag_mcp.extraction.pdf.tesseract_setup import find_ocr

WIDTH, HEIGHT = 600, 800


def _typed(lines: Sequence[str]) -> bytes:
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=(WIDTH, HEIGHT))
    canvas.setFont("Helvetica", 14)
    for number, line in enumerate(lines):
        canvas.drawString(50, 720 - 24 * number, line)
    canvas.save()
    return file.getvalue()


def picture(lines: Sequence[str], *, turned: int = 0) -> Image.Image:
    """A picture of a page with these lines, turned clockwise by degrees."""
    document = pdfium.PdfDocument(_typed(lines))
    page = document[0]
    image: Image.Image = (
        page.render(scale=200 / 72, grayscale=True).to_pil().rotate(-turned, expand=True)
    )
    page.close()
    document.close()
    return image


@dataclass(frozen=True)
class Over:
    """A picture over the whole page, in as many strips, and words over it."""

    picture: Image.Image
    words: str
    at: tuple[float, float] = (50, 30)
    size: float = 9
    turned: int = 0
    invisible: bool = False
    strips: int = 1


def scan(
    pages: Sequence[Image.Image | str | Over], size: tuple[float, float] = (WIDTH, HEIGHT)
) -> bytes:
    """A PDF whose pages are these pictures, this text, or both."""
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=size)
    for page in pages:
        if isinstance(page, str):
            canvas.drawString(50, 720, page)
        elif isinstance(page, Over):
            _draw(canvas, page, size)
        else:
            canvas.drawImage(ImageReader(page), 0, 0, *size)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def _draw(canvas: Canvas, page: Over, size: tuple[float, float]) -> None:
    across, up = page.picture.size
    for strip in range(page.strips):
        box = (0, strip * up // page.strips, across, (strip + 1) * up // page.strips)
        high = size[1] / page.strips
        image = ImageReader(page.picture.crop(box))
        canvas.drawImage(image, 0, size[1] - high * (strip + 1), size[0], high)
    canvas.saveState()
    canvas.translate(*page.at)
    canvas.rotate(page.turned)
    text = canvas.beginText(0, 0)
    text.setFont("Helvetica", page.size, page.size * 1.2)
    text.setTextRenderMode(3 if page.invisible else 0)
    text.textLines(page.words)
    canvas.drawText(text)
    canvas.restoreState()


LETTER = (
    "The tenant pays the rent on the third day of each month.",
    "Repairs below one hundred dollars are paid by the tenant.",
    "Notice is given in writing, three months before the end.",
    "The keys are handed back on the last day before noon.",
    "Pets are allowed, unless they disturb the neighbours.",
    "The garden behind the house is used by all tenants together.",
    "Bicycles are kept in the cellar, and nowhere else in the house.",
    "This agreement ends after two years, and may be renewed.",
)
"""Long enough for tesseract to tell which way is up."""


def installed(*languages: str) -> Ocr:
    """Tesseract with these languages; without them, the test is skipped."""
    try:
        return find_ocr(languages)
    except SettingsError as error:
        pytest.skip(f"{error.message}: {error.hint}")
