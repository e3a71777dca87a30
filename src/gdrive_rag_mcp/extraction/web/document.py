"""Reads web pages: what shows in a browser, under the page's own headings."""

from gdrive_rag_mcp.domain import Document, Locator
from gdrive_rag_mcp.extraction.building import DocumentBuilder
from gdrive_rag_mcp.extraction.encodings import read_bytes
from gdrive_rag_mcp.extraction.input_file import InputFile
from gdrive_rag_mcp.extraction.web.charset import decode
from gdrive_rag_mcp.extraction.web.page import Page, add_page


def read(file: InputFile) -> Document:
    """Read an HTML or XHTML file of any encoding; scripts do not run, and nothing is fetched.

    Raises:
        ExtractionError: it is too large, hostile, not text, or shows no text without scripts.
    """
    markup, losses = decode(read_bytes(file))
    builder = DocumentBuilder()
    builder.title = add_page(builder, Page(markup), locate)
    builder.failures.extend(losses)
    return builder.finish()


def locate(path: tuple[str, ...], number: int, part: str) -> Locator:
    """By the headings above; before the first one by counting blocks."""
    if part:
        return Locator("part", part)
    if path:
        return Locator("heading", " > ".join(path))
    return Locator("paragraph", str(number), number, number)
