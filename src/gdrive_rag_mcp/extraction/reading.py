"""Reads a file in this process. Whoever must survive what a file does asks `sandbox.Sandbox`."""

from dataclasses import replace
from pathlib import Path

from gdrive_rag_mcp.domain import Document, Reason
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.formats import format_of, names_no_format, reader_of, stands_in
from gdrive_rag_mcp.extraction.input_file import InputFile
from gdrive_rag_mcp.extraction.options import Options
from gdrive_rag_mcp.extraction.sniffing import sniff


def read_document(path: Path, mime_type: str, options: Options | None = None) -> Document:
    """Turn a file into text.

    Raises:
        ExtractionError: it cannot be read; carries the ledger reason.
    """
    return read_file(InputFile(path, options), mime_type)


def read_file(file: InputFile, mime_type: str) -> Document:
    """Turn a file into text, on disk or within another file.

    Raises:
        ExtractionError: it cannot be read; carries the ledger reason.
    """
    expected = format_of(mime_type)
    if expected is None and not names_no_format(mime_type):
        raise ExtractionError(Reason.UNSUPPORTED_TYPE, f"Files of type {mime_type} are not read")
    try:
        found = sniff(file, expected)
        document = reader_of(found)(file)
    except RecursionError as error:
        raise ExtractionError(
            Reason.RESOURCE_LIMIT, "The file is nested more deeply than can be followed"
        ) from error
    if expected and stands_in(found, expected):
        remark = f"listed as {expected.label}, but read as what it is: {found.label}"
        return replace(document, failures=(remark, *document.failures))
    return document
