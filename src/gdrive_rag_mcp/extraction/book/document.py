"""Reads EPUB books: chapter by chapter in reading order, each cited by the page that holds it."""

from gdrive_rag_mcp.domain import Document, Locator, Reason
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.archives import check_archive, open_archive
from gdrive_rag_mcp.extraction.book.package import BookPackage
from gdrive_rag_mcp.extraction.building import DocumentBuilder, one_line
from gdrive_rag_mcp.extraction.input_file import InputFile
from gdrive_rag_mcp.extraction.web.page import add_page


def read(file: InputFile) -> Document:
    """Read an EPUB 2 or 3; a chapter that cannot be read is noted and costs only itself.

    Raises:
        ExtractionError: damaged, hostile, protected, or without text.
    """
    check_archive(file)
    builder = DocumentBuilder()
    with open_archive(file) as archive:
        book = BookPackage(archive)
        refusals = _add_chapters(builder, book)
        builder.title = book.title()
    if builder.empty and refusals:
        raise refusals[0]
    return builder.finish()


def _add_chapters(builder: DocumentBuilder, book: BookPackage) -> list[ExtractionError]:
    titles = book.titles()
    refusals = []
    for number, name in enumerate(book.chapters(), start=1):
        try:
            _add_chapter(builder, book, name, number, titles.get(name, ""))
        except ExtractionError as refusal:
            if refusal.reason is Reason.TOO_LARGE:  # of the book, not of the chapter
                raise
            refusals.append(refusal)
            builder.fail(f"{name}: {refusal.message}")
    return refusals


def _add_chapter(
    builder: DocumentBuilder, book: BookPackage, name: str, number: int, title: str
) -> None:
    page, losses = book.page(name)
    title = title or page.first_heading
    locator = Locator("chapter", one_line(name), number, number, title or None)
    # A chapter is one place, whatever heading of it a text stands under.
    add_page(builder, page, lambda *_: locator, lead=(title,) if title else ())
    builder.failures.extend(f"{name}: {loss}" for loss in losses)
