"""Reads tables kept as text (CSV, TSV and their like): a record is a row, located by its lines."""

from collections.abc import Iterator, Sequence

from gdrive_rag_mcp.cleaning import clean
from gdrive_rag_mcp.domain import Document, SegmentKind
from gdrive_rag_mcp.extraction.building import CONTEXT_LENGTH, DocumentBuilder, one_line
from gdrive_rag_mcp.extraction.delimited.records import (
    Record,
    declared_delimiter,
    find_delimiter,
    pads,
    records,
)
from gdrive_rag_mcp.extraction.encodings import read_text
from gdrive_rag_mcp.extraction.input_file import InputFile
from gdrive_rag_mcp.extraction.sheet.rows import NAMED_AREA, SheetRow, say_rows
from gdrive_rag_mcp.extraction.text import lines_locator
from gdrive_rag_mcp.extraction.text import read as read_as_text


def read(file: InputFile) -> Document:
    """Read delimiter-separated values in any encoding; a file of one column is read as text.

    Raises:
        ExtractionError: it is too large, not text, or blank.
    """
    text, losses = read_text(file)
    lines = clean(text).split("\n")
    declared = declared_delimiter(lines[0])
    if declared:
        lines[0] = ""
    delimiter = declared or find_delimiter(lines)
    if not delimiter:
        return read_as_text(file)
    builder = DocumentBuilder()
    _add_records(builder, list(records(lines, delimiter, padded=pads(lines, delimiter))))
    builder.failures.extend(losses)
    return builder.finish()


def _add_records(builder: DocumentBuilder, found: Sequence[Record]) -> None:
    area = len(found) * max(len(record.values) for record in found)
    for said in say_rows(_rows(found), named=area <= NAMED_AREA):
        builder.add(
            said.text,
            lines_locator(said.row.number, said.row.last),
            SegmentKind.ROW,
            context=one_line(said.context, CONTEXT_LENGTH),
        )


def _rows(found: Sequence[Record]) -> Iterator[SheetRow]:
    """The records that are not blank, by their lines."""
    for record in found:
        folded = {column: " ".join(value.split()) for column, value in enumerate(record.values, 1)}
        cells = {column: text for column, text in folded.items() if text}
        if cells:
            yield SheetRow(record.first, cells, {}, record.last - record.first + 1)
