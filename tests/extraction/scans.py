"""Scans made on the spot: pages of text as nothing but a picture."""

import io
from collections.abc import Sequence

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


def scan(pages: Sequence[Image.Image | str]) -> bytes:
    """A PDF whose pages are these pictures, or this text."""
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=(WIDTH, HEIGHT))
    for page in pages:
        if isinstance(page, str):
            canvas.drawString(50, 720, page)
        else:
            canvas.drawImage(ImageReader(page), 0, 0, WIDTH, HEIGHT)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


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
