"""The second PDF engine: slower, but opens some files that pdfium takes for locked."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.pdf_page import MAX_PAGES, OpenedPdf, Page, PageProblem

if TYPE_CHECKING:  # only a file that pdfium refuses needs it
    from pypdf import PdfReader

# pypdf reports what it works around as warnings; the ledger says what matters.
logging.getLogger("pypdf").setLevel(logging.CRITICAL)


def _broken() -> tuple[type[Exception], ...]:
    """What pypdf raises on damaged input: its own errors, and what its assumptions run into."""
    from pypdf.errors import DeprecationError, PyPdfError

    return (
        PyPdfError,
        ArithmeticError,
        AssertionError,
        AttributeError,
        DeprecationError,
        LookupError,
        NotImplementedError,
        OSError,
        RecursionError,
        TypeError,
        ValueError,
    )


@contextmanager
def opened(path: Path) -> Iterator[OpenedPdf]:
    """Open a PDF with pypdf, and without a password.

    Raises:
        ExtractionError: it wants a password (`encrypted`) or is refused (`corrupt`).
    """
    from pypdf import PdfReader

    try:
        with path.open("rb") as file:
            reader = PdfReader(file)
            if reader.is_encrypted and not reader.decrypt(""):
                raise ExtractionError(Reason.ENCRYPTED, "The PDF wants a password")
            title = str((reader.metadata or {}).get("/Title") or "")
            labels = reader.page_labels[:MAX_PAGES]
            yield OpenedPdf(title, len(reader.pages), lambda: _pages(reader, labels))
    except _broken() as error:
        raise ExtractionError(Reason.CORRUPT, f"The PDF is damaged: {error}") from error


def _pages(reader: PdfReader, labels: list[str]) -> Iterator[Page]:
    broken = _broken()
    for index, label in enumerate(labels):
        try:
            text = reader.pages[index].extract_text()
        except broken:
            yield Page(index + 1, "", label, PageProblem.UNREADABLE)
        else:
            # Without a way to look at the page, an empty one is said to need OCR, never skipped.
            problem = None if text.strip() else PageProblem.NO_TEXT_LAYER
            yield Page(index + 1, text, label, problem)
