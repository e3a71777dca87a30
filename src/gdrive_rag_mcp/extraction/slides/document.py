"""Reads PowerPoint decks slide by slide: the title, what stands below it, the notes, the comments.

The parts are walked here rather than by a library, because groups, charts, diagrams, comments and
hidden slides are part of what a deck says. What only a layout or a master says is left out.
"""

from collections.abc import Iterator, Mapping

from gdrive_rag_mcp.domain import Document, Locator, Reason
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.building import DocumentBuilder
from gdrive_rag_mcp.extraction.drawing.graphic import read_graphic
from gdrive_rag_mcp.extraction.drawing.shapes import Kind, Shape, area_of, link_in, read_shapes
from gdrive_rag_mcp.extraction.drawing.text import find, flat_text, paragraphs
from gdrive_rag_mcp.extraction.input_file import InputFile
from gdrive_rag_mcp.extraction.ooxml import (
    Element,
    Package,
    Relationship,
    attribute,
    child,
    local_name,
    open_package,
)
from gdrive_rag_mcp.extraction.slides.comments import read_authors, read_comments
from gdrive_rag_mcp.extraction.slides.losses import Losses
from gdrive_rag_mcp.extraction.slides.page import Page
from gdrive_rag_mcp.extraction.slides.table import read_rows
from gdrive_rag_mcp.extraction.titles import sensible_title

_MAIN_PART = "ppt/presentation.xml"
_TITLES = frozenset({"title", "ctrTitle"})
_MARGINS = frozenset({"ftr", "hdr", "dt"})
_NOT_SAID = frozenset({"sldNum", "sldImg"})
_FALSE = frozenset({"0", "false"})

Links = Mapping[str, Relationship]


def read(file: InputFile) -> Document:
    """Read a PPTX file, transitional or strict; a slide that cannot be read costs only itself.

    Raises:
        ExtractionError: damaged, hostile, encrypted, without text, or with pictures of text alone.
    """
    with open_package(file) as package:
        return _Reader(package).run()


class _Reader:
    """Reads the slides in the order of the deck; keeps what is said of the deck as a whole."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self._builder = DocumentBuilder()
        self._footers: dict[str, None] = {}
        self._losses = Losses(self._builder)
        main = package.main_part() or _MAIN_PART
        self._deck = package.xml(main)
        self._links = {link.id: link for link in package.relationships(main)}
        self._area = area_of(child(self._deck, "sldSz"))
        self._authors = read_authors(self._author_lists())

    def run(self) -> Document:
        done: set[str] = set()
        for place, part in enumerate(self._slides(), 1):
            # A deck that lists a slide twice would let a small file cost much.
            if part in done:
                continue
            done.add(part)
            with self._losses.guarded(f"slide {place}"):
                self._read_slide(place, part)
        for footer in self._footers:
            self._builder.add(footer, Locator("part", "footer"))
        self._losses.refuse_if_all()
        self._builder.title = self._builder.title or sensible_title(self._package.title())
        return self._builder.finish()

    def _slides(self) -> Iterator[str]:
        """The parts of the slides in the order in which they are shown."""
        listed = child(self._deck, "sldIdLst")
        for each in () if listed is None else listed:
            if local_name(each) == "sldId":
                link = self._links.get(link_in(each, "id"))
                yield link.target if link else f"(link {link_in(each, 'id')})"

    def _author_lists(self) -> Iterator[Element]:
        for link in self._links.values():
            if link.kind in ("commentAuthors", "authors"):
                with self._losses.guarded("the authors of comments"):
                    yield self._package.xml(link.target)

    # ── a slide ──────────────────────────────────────────────────────────────

    def _read_slide(self, place: int, part: str) -> None:
        slide = self._package.xml(part)
        shapes = list(read_shapes(child(slide, "cSld", "spTree")))
        title = next((each for each in shapes if _is_title(each)), None)
        text = flat_text(title.element) if title else ""
        if place == 1:
            self._builder.title = text
        hidden = attribute(slide, "show") in _FALSE
        page = Page(self._builder, place, text, hidden=hidden)
        links = self._links_of(part, place)
        for shape in shapes:
            if shape is not title:
                with self._losses.guarded(f"slide {place}"):
                    self._read_shape(shape, page, links)
        background = find(child(slide, "cSld", "bg"), "blipFill") is not None
        self._losses.look_at(page, shapes, self._area, background=background)
        self._read_notes(page, links)
        self._read_comments(page, links)

    def _links_of(self, part: str, place: int) -> Links:
        with self._losses.guarded(f"slide {place}"):
            return {link.id: link for link in self._package.relationships(part)}
        return {}

    def _read_shape(self, shape: Shape, page: Page, links: Links) -> None:
        if shape.kind is Kind.TEXT:
            self._read_text(shape, page)
        elif shape.kind is Kind.TABLE:
            page.say_table(read_rows(shape.element))
        elif shape.kind in (Kind.CHART, Kind.DIAGRAM):
            graphic = read_graphic(self._linked(shape, links))
            page.say(graphic.lines)
            page.say_rows(graphic.rows, graphic.context)
        elif shape.kind is Kind.UNREAD:
            self._builder.fail(f"slide {page.place}: {shape.role} was not read")
        if shape.description:
            page.describe(shape.description)

    def _read_text(self, shape: Shape, page: Page) -> None:
        """Footers are said once for the deck; dates and numbers that fill themselves in, never."""
        if shape.role in _MARGINS:
            if find(shape.element, "fld") is None and (text := flat_text(shape.element)):
                self._footers[text] = None
        elif shape.role not in _NOT_SAID:
            page.say(paragraphs(shape.element))

    def _linked(self, shape: Shape, links: Links) -> Element:
        link = links.get(shape.link)
        if link is None:
            raise ExtractionError(Reason.CORRUPT, f"There is no part behind a {shape.kind.value}")
        return self._package.xml(link.target)

    # ── what hangs on a slide ────────────────────────────────────────────────

    def _read_notes(self, page: Page, links: Links) -> None:
        link = next((each for each in links.values() if each.kind == "notesSlide"), None)
        if link is None:
            return
        with self._losses.guarded(f"slide {page.place}, notes"):
            notes = self._package.xml(link.target)
            for shape in read_shapes(child(notes, "cSld", "spTree")):
                if shape.kind is Kind.TEXT and shape.role not in _MARGINS | _NOT_SAID:
                    page.say(paragraphs(shape.element), aside="notes")

    def _read_comments(self, page: Page, links: Links) -> None:
        for link in links.values():
            if link.kind == "comments":
                with self._losses.guarded(f"slide {page.place}, comments"):
                    comments = read_comments(self._package.xml(link.target), self._authors)
                    page.say(comments, aside="comments")


def _is_title(shape: Shape) -> bool:
    return shape.role in _TITLES and bool(flat_text(shape.element))
