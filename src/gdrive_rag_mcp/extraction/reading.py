"""Reads a file in this process. Whoever must survive what a file does asks `sandbox.Sandbox`."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from gdrive_rag_mcp.domain import Document, Reason
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.building import one_line
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


def read_inside(file: InputFile, content: bytes, mime_type: str) -> Document:
    """Turn what lay within a file into text; whatever goes wrong is its own failure.

    Raises:
        ExtractionError: it cannot be read, for a foreseen reason or another (`internal`).
    """
    with failing_alone():
        return read_file(file.inside(content), mime_type)


@contextmanager
def failing_alone() -> Iterator[None]:
    """Keep what a reader raises from ending the file that holds what it reads.

    Raises:
        ExtractionError: something unforeseen was raised (`internal`).
    """
    try:
        yield
    except (ExtractionError, MemoryError, RecursionError):
        raise
    except Exception as error:
        what = one_line(f"reading it failed with {type(error).__name__}: {error}")
        raise ExtractionError(Reason.INTERNAL, what) from error


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
