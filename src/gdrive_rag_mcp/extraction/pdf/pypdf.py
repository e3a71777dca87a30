"""The second PDF engine: slower, but opens some files that pdfium takes for locked."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from pypdf import PdfReader
from pypdf.errors import DeprecationError, PyPdfError

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.input_file import InputFile
from gdrive_rag_mcp.extraction.pdf.page import MAX_PAGES, OpenedPdf, Page, PageProblem

# pypdf reports what it works around as warnings; the ledger says what matters.
logging.getLogger("pypdf").setLevel(logging.CRITICAL)


# What pypdf raises on damaged input: its own errors, and what its assumptions run into.
_BROKEN = (
    PyPdfError,
    DeprecationError,
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    NotImplementedError,
    OSError,
    RecursionError,
    TypeError,
    ValueError,
)


@contextmanager
def opened(file: InputFile) -> Iterator[OpenedPdf]:
    """Open a PDF with pypdf, and without a password.

    Raises:
        ExtractionError: it wants a password (`encrypted`) or is refused (`corrupt`).
    """
    try:
        with file.open() as stream:
            reader = PdfReader(stream)
            if reader.is_encrypted and not reader.decrypt(""):
                raise ExtractionError(Reason.ENCRYPTED, "The PDF wants a password")
            title = _title(reader)
            labels = reader.page_labels[:MAX_PAGES]
            yield OpenedPdf(title, len(reader.pages), lambda: _pages(reader, labels))
    except _BROKEN as error:
        raise ExtractionError(Reason.CORRUPT, f"The PDF is damaged: {error}") from error


def _title(reader: PdfReader) -> str:
    return str(reader.metadata.get("/Title") or "") if reader.metadata else ""


def _pages(reader: PdfReader, labels: list[str]) -> Iterator[Page]:
    for index, label in enumerate(labels):
        try:
            text = reader.pages[index].extract_text()
        except _BROKEN:
            yield Page(index + 1, "", label, PageProblem.UNREADABLE)
        else:
            # Without a way to look at the page, an empty one is said to need OCR, never skipped.
            problem = None if text.strip() else PageProblem.NO_TEXT_LAYER
            yield Page(index + 1, text, label, problem)
