"""Reads what is embedded in a Word file as a file of its own, and takes it over where it stands.

An `altChunk` (ECMA-376 part 1, 17.17.2.1) is a page, an RTF, a text or another Word file that Word
turns into paragraphs when it opens the file that holds it.
"""

from gdrive_rag_mcp.domain import Document, SegmentKind
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.building import pieces_of
from gdrive_rag_mcp.extraction.formats import format_of
from gdrive_rag_mcp.extraction.input_file import InputFile
from gdrive_rag_mcp.extraction.ooxml import Package
from gdrive_rag_mcp.extraction.prose import Prose
from gdrive_rag_mcp.extraction.reading import read_inside

_ANYTHING = "application/octet-stream"


def add_embedded(prose: Prose, file: InputFile, package: Package, part: str) -> str:
    """Add what a part of the file holds, and return its title; what fails is noted."""
    try:
        declared = package.media_type(part)
        document = read_inside(
            file, package.read(part), declared if format_of(declared) else _ANYTHING
        )
    except ExtractionError as refusal:
        prose.builder.fail(f"An embedded document was not read: {refusal.message}", refusal.reason)
        return ""
    _take_over(prose, document)
    for failure in document.failures:
        prose.builder.fail(f"In an embedded document: {failure}")
    return document.title


def _take_over(prose: Prose, document: Document) -> None:
    """Its headings become headings here, of the rank that they have there; a table counts once."""
    last = SegmentKind.TEXT
    for piece, segment, tight in pieces_of(document):
        in_table = segment.kind is last is SegmentKind.ROW
        last = segment.kind
        if not in_table:
            prose.begin_paragraph()
        if segment.kind is SegmentKind.HEADING:
            prose.add_heading(len(segment.headings), piece)
        else:
            prose.add_piece(piece, segment.kind, context=segment.context, tight=tight)
