"""Reads OpenDocument decks page by page: the title, what stands below it, notes, comments."""

import posixpath
from collections.abc import Iterator

from gdrive_rag_mcp.domain import Document, Locator
from gdrive_rag_mcp.extraction.building import DocumentBuilder
from gdrive_rag_mcp.extraction.drawing.shapes import Kind, Shape
from gdrive_rag_mcp.extraction.input_file import InputFile
from gdrive_rag_mcp.extraction.ooxml import Element, attribute, child, local_name
from gdrive_rag_mcp.extraction.open_document.slides_chart import read_chart
from gdrive_rag_mcp.extraction.open_document.slides_shapes import read_shapes, shapes_of
from gdrive_rag_mcp.extraction.open_document.slides_styles import PageStyles
from gdrive_rag_mcp.extraction.open_document.table import read_rows
from gdrive_rag_mcp.extraction.open_document.xml import (
    OpenDocument,
    annotation_text,
    flat_text,
    inline,
    open_document,
    paragraphs,
)
from gdrive_rag_mcp.extraction.slides.losses import Losses
from gdrive_rag_mcp.extraction.slides.page import Page
from gdrive_rag_mcp.extraction.tables import CELL_SEPARATOR
from gdrive_rag_mcp.extraction.titles import sensible_title

_DOCUMENTS = frozenset({"text", "spreadsheet", "presentation", "drawing"})
_MARGINS = {
    "footer-decl": "use-footer-name",
    "date-time-decl": "use-date-time-name",
}
"""What a deck says at the margin of its pages, and how a page says that it does."""


def read(file: InputFile) -> Document:
    """Read an ODP file; an object in it that cannot be read costs only itself.

    Raises:
        ExtractionError: damaged, hostile, encrypted, without text, or with pictures of text alone.
    """
    with open_document(file) as document:
        return _Reader(document).run()


class _Reader:
    """Reads the pages in their order."""

    def __init__(self, document: OpenDocument) -> None:
        self._document = document
        self._deck = document.body("presentation")
        self._builder = DocumentBuilder()
        self._styles = PageStyles(document)
        self._losses = Losses(self._builder)
        self._comments: list[Element] = []

    def run(self) -> Document:
        pages = [each for each in self._deck if local_name(each) == "page"]
        for place, page in enumerate(pages, 1):
            self._read_page(place, page)
        for margin in self._margins(pages):
            self._builder.add(margin, Locator("part", "footer"))
        self._losses.refuse_if_all()
        self._builder.title = self._builder.title or sensible_title(self._document.title())
        return self._builder.finish()

    def _margins(self, pages: list[Element]) -> dict[str, None]:
        """Footers and dates that some page uses, each text once; not today's date."""
        used = {(kind, attribute(page, use)) for page in pages for kind, use in _MARGINS.items()}
        declared = (
            each
            for each in self._deck
            if (local_name(each), attribute(each, "name")) in used
            and attribute(each, "source") != "current-date"
        )
        return dict.fromkeys(" ".join("".join(each.itertext()).split()) for each in declared)

    # ── a page ───────────────────────────────────────────────────────────────

    def _read_page(self, place: int, element: Element) -> None:
        shapes = list(read_shapes(element))
        title = next((each for each in shapes if _is_title(each)), None)
        text = flat_text(title.element) if title else ""
        if place == 1:
            self._builder.title = text
        page = Page(self._builder, place, text, hidden=self._styles.is_hidden(element))
        self._comments = [each for each in element if local_name(each) == "annotation"]
        for shape in shapes:
            self._read_shape(shape, page, said=shape is title)
        self._losses.look_at(page, shapes, self._styles.area(element))
        notes = child(element, "notes")
        for shape in () if notes is None else read_shapes(notes):
            if shape.kind is Kind.TEXT:
                page.say(self._lines(shape.element, page), aside="notes")
        page.say(filter(None, map(annotation_text, self._comments)), aside="comments")

    def _read_shape(self, shape: Shape, page: Page, *, said: bool = False) -> None:
        if shape.kind is Kind.TEXT:
            lines = list(self._lines(shape.element, page))
            page.say(() if said else lines)
        elif shape.kind is Kind.TABLE:
            page.say_table(read_rows(shape.element, flat_text))
        elif shape.kind is Kind.CHART:
            with self._losses.guarded(f"slide {page.place}"):
                self._read_object(shape, page)
        elif shape.kind is Kind.UNREAD:
            self._builder.fail(f"slide {page.place}: {shape.role} was not read")
        if shape.description:
            page.describe(shape.description)

    def _lines(self, element: Element, page: Page) -> Iterator[str]:
        """The paragraphs of a shape; what is drawn within their lines is said before them."""
        for paragraph in paragraphs(element):
            found = inline(paragraph)
            for aside in found.asides:
                if local_name(aside) == "annotation":
                    self._comments.append(aside)
                else:
                    for shape in shapes_of(aside):
                        self._read_shape(shape, page)
            if found.text.strip():
                yield found.text.strip()

    def _read_object(self, shape: Shape, page: Page) -> None:
        """A chart is a document within the document; other documents are told, formulas are not."""
        folder = posixpath.normpath(shape.link)
        body = child(self._document.package.xml(f"{folder}/content.xml"), "body")
        chart = child(body, "chart", "chart")
        if chart is not None:
            found = read_chart(chart)
            page.say(found.names)
            page.say_rows(found.rows, CELL_SEPARATOR.join(found.names))
        elif body is not None and any(local_name(each) in _DOCUMENTS for each in body):
            self._builder.fail(f"slide {page.place}: an embedded document was not read")


def _is_title(shape: Shape) -> bool:
    return shape.role == "title" and shape.kind is Kind.TEXT and bool(flat_text(shape.element))
