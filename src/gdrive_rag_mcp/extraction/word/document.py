"""Reads Word files: headings, text, lists and tables in reading order, then what stands aside.

The parts are walked here rather than by a library, because text boxes, content controls, tracked
insertions and notes are part of what a reader sees.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from gdrive_rag_mcp.domain import Document, Locator, SegmentKind
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.building import CONTEXT_LENGTH, one_line
from gdrive_rag_mcp.extraction.comments import tagged
from gdrive_rag_mcp.extraction.drawing.graphic import read_graphic
from gdrive_rag_mcp.extraction.drawing.shapes import link_in
from gdrive_rag_mcp.extraction.input_file import InputFile
from gdrive_rag_mcp.extraction.ooxml import (
    Element,
    Package,
    attribute,
    child,
    local_name,
    open_package,
)
from gdrive_rag_mcp.extraction.prose import Prose
from gdrive_rag_mcp.extraction.tables import header_rows
from gdrive_rag_mcp.extraction.titles import sensible_title
from gdrive_rag_mcp.extraction.word.embedded import add_embedded
from gdrive_rag_mcp.extraction.word.inline import children, inline
from gdrive_rag_mcp.extraction.word.numbering import Numbering
from gdrive_rag_mcp.extraction.word.styles import Styles
from gdrive_rag_mcp.extraction.word.table import flat_text, inside, read_rows, table_rows

_MAIN_PART = "word/document.xml"
_LINKS = {"chart": "id", "relIds": "dm"}
"""What stands for a chart or a diagram, and the attribute that holds the link to it."""

_SEPARATORS = frozenset({"separator", "continuationSeparator", "continuationNotice"})


@dataclass(frozen=True, slots=True)
class _Anchor:
    """Where a note is referred to."""

    number: int
    locator: Locator
    headings: tuple[str, ...]


def read(file: InputFile) -> Document:
    """Read a DOCX file, transitional or strict.

    Raises:
        ExtractionError: damaged, hostile, encrypted, or without text.
    """
    with open_package(file) as package:
        return _Reader(package, file).run()


class _Reader:
    """Walks the body first and the parts beside it after; keeps the notes."""

    def __init__(self, package: Package, file: InputFile) -> None:
        self._package = package
        self._file = file
        self._prose = Prose()
        self._builder = self._prose.builder
        self._embedded_title = ""
        self._boxes = 0
        self._in_list = False
        self._notes: dict[tuple[str, str], _Anchor] = {}
        self._main = package.main_part() or _MAIN_PART
        self._links = package.relationships(self._main)
        self._styles = Styles(next(self._parts("styles"), None))
        self._numbering = Numbering(next(self._parts("numbering"), None))

    def run(self) -> Document:
        body = child(self._package.xml(self._main), "body")
        if body is not None:
            self._read_blocks(body)
        for kind in ("footnotes", "endnotes"):
            self._read_notes(kind)
        self._read_comments()
        for kind in ("header", "footer"):
            self._read_margins(kind)
        return self._prose.finish(sensible_title(self._package.title()) or self._embedded_title)

    def _parts(self, kind: str) -> Iterator[Element]:
        """The parts of a kind that are linked and readable; the others are noted."""
        for link in self._links:
            if link.kind == kind:
                try:
                    yield self._package.xml(link.target)
                except ExtractionError as error:
                    self._builder.fail(error.message, error.reason)

    # ── the body ─────────────────────────────────────────────────────────────

    def _read_blocks(self, container: Element) -> None:
        for each in children(container):
            name = local_name(each)
            if name == "p":
                self._read_paragraph(each)
            elif name == "tbl":
                self._read_table(each)
            elif name == "altChunk":
                self._read_embedded(each)
            else:
                self._read_blocks(each)

    def _read_paragraph(self, paragraph: Element) -> None:
        if not self._boxes:
            self._prose.begin_paragraph()
        found = inline(paragraph, self._mark)
        properties = child(paragraph, "pPr")
        if found.text.strip():
            label = self._numbering.label(self._styles.numbering(properties))
            text = f"{label} {found.text}" if label else found.text
            level = None if self._boxes else self._styles.heading_level(properties)
            if level is None:
                self._prose.add_text(text, tight=bool(label) and self._in_list)
            else:
                self._prose.add_heading(level, text)
            self._in_list = bool(label)
        for block in found.blocks:
            self._read_beside(block)

    def _read_beside(self, block: Element) -> None:
        """What hangs on a paragraph; headings in a box do not structure the text around it."""
        self._boxes += 1
        if local_name(block) in _LINKS:
            self._read_graphic(block)
        elif local_name(block) == "tbl":
            self._read_table(block)
        else:
            self._read_blocks(block)
        self._boxes -= 1

    def _read_embedded(self, chunk: Element) -> None:
        self._in_list = False
        part = self._target(attribute(chunk, "id"))
        title = add_embedded(self._prose, self._file, self._package, part)
        self._embedded_title = self._embedded_title or title

    def _target(self, identity: str | None) -> str:
        """The part that a link leads to; nothing if there is none, which no part is called."""
        return next((each.target for each in self._links if each.id == identity), "")

    def _read_graphic(self, link: Element) -> None:
        """A chart or a diagram, whose part is linked to."""
        identity = link_in(link, _LINKS[local_name(link)])
        try:
            graphic = read_graphic(self._package.xml(self._target(identity)))
        except ExtractionError as error:
            self._builder.fail(error.message, error.reason)
            return
        for line in graphic.lines:
            self._prose.add_text(line)
        context = one_line(graphic.context, CONTEXT_LENGTH)
        for row in graphic.rows:
            self._prose.add_piece(row, SegmentKind.ROW, context=context)

    def _read_table(self, table: Element) -> None:
        if max((len(list(inside(row, "tc"))) for row in table_rows(table)), default=0) <= 1:
            self._read_frame(table)
            return
        self._in_list = False
        self._prose.begin_paragraph()
        rows = read_rows(table, self._mark)
        headers = header_rows([row.own for row in rows])
        self._prose.add_rows([row.spread for row in rows], headers)

    def _read_frame(self, table: Element) -> None:
        """A table of one column is a frame around text, not data."""
        for row in table_rows(table):
            for cell in inside(row, "tc"):
                self._read_blocks(cell)

    # ── what stands beside the body ──────────────────────────────────────────

    def _mark(self, kind: str, identity: str) -> str:
        """The mark of a note in the text; remembers where it stands, for the note itself."""
        known = self._notes.get((kind, identity))
        number = known.number if known else len(self._notes) + 1
        if known is None:
            anchor = _Anchor(number, self._prose.locator, self._prose.headings)
            self._notes[kind, identity] = anchor
        return f"[^{number}]"

    def _read_notes(self, kind: str) -> None:
        """Notes are cited with the place that refers to them."""
        for part in self._parts(kind):
            for note in part:
                if attribute(note, "type") in _SEPARATORS:
                    continue
                text = flat_text(note, self._mark)
                anchor = self._notes.get((kind, attribute(note, "id") or ""))
                if anchor is None:
                    self._builder.add(text, Locator("part", kind))
                elif text:
                    numbered = f"[^{anchor.number}] {text}"
                    self._builder.add(numbered, anchor.locator, headings=anchor.headings)

    def _read_comments(self) -> None:
        for part in self._parts("comments"):
            for comment in part:
                text = flat_text(comment, self._mark)
                author = one_line(attribute(comment, "author") or "")
                if text:
                    self._builder.add(tagged(text, author), Locator("part", "comments"))

    def _read_margins(self, kind: str) -> None:
        """Headers and footers, each text once however many sections repeat it."""
        texts = (flat_text(part, self._mark) for part in self._parts(kind))
        for text in dict.fromkeys(texts):
            self._builder.add(text, Locator("part", kind))
