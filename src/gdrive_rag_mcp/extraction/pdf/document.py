"""Reads PDF page by page: pdfium first, pypdf for what pdfium refuses.

A page that cannot be read costs itself alone, and a page without a text layer is never passed over
in silence.
"""

import itertools
from collections.abc import Iterator
from dataclasses import replace

from gdrive_rag_mcp.domain import Document, Locator, Reason
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.building import DocumentBuilder, one_line
from gdrive_rag_mcp.extraction.input_file import InputFile
from gdrive_rag_mcp.extraction.options import Ocr
from gdrive_rag_mcp.extraction.pdf import pdfium as pdf_pdfium
from gdrive_rag_mcp.extraction.pdf import pypdf as pdf_pypdf
from gdrive_rag_mcp.extraction.pdf.ocr import PageRecogniser
from gdrive_rag_mcp.extraction.pdf.page import (
    MAX_PAGES,
    WITHOUT_TEXT,
    OpenedPdf,
    Page,
    PageProblem,
)
from gdrive_rag_mcp.extraction.pdf.paragraphs import page_paragraphs
from gdrive_rag_mcp.extraction.pdf.stamps import with_stamps_told
from gdrive_rag_mcp.extraction.titles import sensible_title


def read(file: InputFile) -> Document:
    """Read a PDF file.

    Raises:
        ExtractionError: encrypted, damaged, without a text layer, or without text at all.
    """
    try:
        with pdf_pdfium.opened(file) as pdf:
            return _assemble(pdf, file.options.ocr)
    except ExtractionError as refusal:
        if refusal.reason not in (Reason.ENCRYPTED, Reason.CORRUPT):
            raise
        return _second_try(file, refusal)


def _second_try(file: InputFile, refusal: ExtractionError) -> Document:
    """What pdfium calls encrypted or damaged may be neither; its own word stands if pypdf fails."""
    try:
        with pdf_pypdf.opened(file) as pdf:
            return _assemble(pdf, None)
    except ExtractionError as second:
        if second.reason is Reason.RESOURCE_LIMIT:
            raise
        raise refusal from second


def _assemble(pdf: OpenedPdf, ocr: Ocr | None) -> Document:
    builder = DocumentBuilder()
    builder.title = sensible_title(pdf.title)
    problems: dict[PageProblem, list[int]] = {}
    recognised = has_text = False
    for page in _recognised(pdf, ocr):
        for piece, locator, context in _pieces(page):
            builder.add(piece, locator, context=context)
        recognised = recognised or page.recognised is not None
        has_text = has_text or _has_text(page)
        if page.problem:
            problems.setdefault(page.problem, []).append(page.number)
    if pdf.count > MAX_PAGES:
        problems[PageProblem.BEYOND_LIMIT] = list(range(MAX_PAGES + 1, pdf.count + 1))
    if problems and (builder.empty or not has_text):
        raise _without_text(problems, stamped=not builder.empty)
    for problem, numbers in problems.items():
        for numbered in _ranges(numbers):
            builder.fail(f"{numbered}: {problem.value}")
    concerned = recognised or not problems.keys().isdisjoint(WITHOUT_TEXT)
    return replace(builder.finish(), ocr_matters=concerned)


def _has_text(page: Page) -> bool:
    """Whether a page says more than a stamp: a document of stamps alone is one without text."""
    notes = page.notes.fields or page.notes.comments
    return bool(page.recognised or notes or (page.text.strip() and not page.is_stamp))


def _pieces(page: Page) -> Iterator[tuple[str, Locator, str]]:
    """What is on a page, each with its locator and what must be known to read it."""
    locator = _locator(page)
    for paragraph in page_paragraphs(page.text):
        yield paragraph, locator, ""
    if page.recognised:
        sure = replace(locator, ocr=int(page.recognised.confidence))
        for paragraph in page_paragraphs(page.recognised.text):
            yield paragraph, sure, ""
    yield "\n".join(page.notes.fields), locator, "Form fields"
    for comment in page.notes.comments:
        yield comment, locator, "Comment"


def _recognised(pdf: OpenedPdf, ocr: Ocr | None) -> Iterator[Page]:
    pages = iter(with_stamps_told(pdf.pages()))
    if ocr is None or pdf.render is None:
        return pages
    return map(PageRecogniser(ocr, pdf.render).recognised, pages)


def _locator(page: Page) -> Locator:
    number = page.number
    label = one_line(page.label or "")
    if label == str(number):
        label = ""
    return Locator("page", str(number), number, number, label or None)


def _without_text(problems: dict[PageProblem, list[int]], *, stamped: bool) -> ExtractionError:
    no_text = "no text but a stamp" if stamped else "no text"
    for problem in WITHOUT_TEXT:
        if problem in problems:
            pages = ", ".join(itertools.islice(_ranges(problems[problem]), 5))
            return ExtractionError(
                Reason.NEEDS_OCR,
                f"The PDF has {no_text}: {pages}: {problem.value}",
                hint="Run it through OCR and store the result, or set GDRIVE_RAG_OCR_LANGUAGES.",
            )
    return ExtractionError(Reason.CORRUPT, "No page of the PDF can be read")


def _ranges(numbers: list[int]) -> Iterator[str]:
    """`[3]` → page 3; `[4, 5, 6]` → pages 4-6."""
    runs = itertools.groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0])
    for _, run in runs:
        members = [number for _, number in run]
        if len(members) == 1:
            yield f"page {members[0]}"
        else:
            yield f"pages {members[0]}-{members[-1]}"
