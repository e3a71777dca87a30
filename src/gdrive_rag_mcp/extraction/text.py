"""Reads plain text: one segment a paragraph, located by its lines."""

from gdrive_rag_mcp.cleaning import clean
from gdrive_rag_mcp.domain import Document, Locator
from gdrive_rag_mcp.extraction.building import DocumentBuilder
from gdrive_rag_mcp.extraction.encodings import read_text
from gdrive_rag_mcp.extraction.input_file import InputFile
from gdrive_rag_mcp.extraction.lines import paragraphs


def read(file: InputFile) -> Document:
    """Read a text file of any encoding.

    Raises:
        ExtractionError: it is too large, not text, or blank.
    """
    text, losses = read_text(file)
    builder = DocumentBuilder()
    add_text(builder, text)
    builder.failures.extend(losses)
    return builder.finish()


def add_text(builder: DocumentBuilder, text: str) -> None:
    """Add text paragraph by paragraph."""
    for part in paragraphs(clean(text).split("\n")):
        builder.add(part.text, lines_locator(part.first, part.last), tight=part.continued)


def lines_locator(first: int, last: int) -> Locator:
    """Lines, numbered from 1, both ends included."""
    return Locator("lines", f"{first}-{last}" if first != last else str(first), first, last)
