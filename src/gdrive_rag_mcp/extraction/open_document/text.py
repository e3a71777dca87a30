"""Reads OpenDocument texts: headings, text, lists and tables in order, then what stands aside.

Format: OpenDocument 1.3, part 3. Insertions under review are read, deletions are not; hidden text
is read. Indexes that only repeat headings and captions are left out.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gdrive_rag_mcp.domain import Document, Locator
from gdrive_rag_mcp.extraction.drawing.shapes import Kind, Shape
from gdrive_rag_mcp.extraction.input_file import InputFile
from gdrive_rag_mcp.extraction.ooxml import Element, attribute, child, local_name, whole_number
from gdrive_rag_mcp.extraction.open_document.drawings import graphic_lines
from gdrive_rag_mcp.extraction.open_document.slides_shapes import shapes_of
from gdrive_rag_mcp.extraction.open_document.table import read_rows, table_rows
from gdrive_rag_mcp.extraction.open_document.text_lists import BULLET, ListNumbers
from gdrive_rag_mcp.extraction.open_document.xml import (
    SKIPPED,
    OpenDocument,
    annotation_text,
    flat_text,
    inline,
    is_drawn,
    open_document,
    paragraphs,
)
from gdrive_rag_mcp.extraction.prose import TITLE_LEVEL, Prose
from gdrive_rag_mcp.extraction.titles import sensible_title

_LEFT_OUT = SKIPPED | {
    "table-of-content", "illustration-index", "table-index", "object-index", "forms",
    "sequence-decls", "variable-decls", "user-field-decls", "index-title-template",
}  # fmt: skip
_ITEMS = frozenset({"list-item", "list-header"})
_CELLS = frozenset({"table-cell", "covered-table-cell"})
_MARGINS = ("header", "footer")
_MAX_LEVEL = 9
_MAX_CHAIN = 20


@dataclass(frozen=True, slots=True)
class _Note:
    """A footnote or endnote, and where it is referred to."""

    text: str
    locator: Locator
    headings: tuple[str, ...]


def read(file: InputFile) -> Document:
    """Read an ODT file.

    Raises:
        ExtractionError: damaged, hostile, encrypted, or without text.
    """
    with open_document(file) as document:
        return _Reader(document).run()


class _Reader:
    """Walks the body first; keeps notes and comments for the end."""

    def __init__(self, document: OpenDocument) -> None:
        self._document = document
        self._prose = Prose()
        self._boxes = 0
        self._label = ""
        self._tight = False
        self._notes: list[_Note] = []
        self._comments: list[str] = []
        self._roots = [document.content] + [root for root in (document.styles,) if root is not None]
        self._lists = ListNumbers(self._roots)
        self._parents = {
            attribute(style, "name"): attribute(style, "parent-style-name")
            for root in self._roots
            for style in root.iter("{*}style")
        }

    def run(self) -> Document:
        self._read_blocks(self._document.body("text"))
        for number, note in enumerate(self._notes, start=1):
            text = f"[^{number}] {note.text}"
            self._prose.builder.add(text, note.locator, headings=note.headings)
        for comment in self._comments:
            self._prose.builder.add(comment, Locator("part", "comments"))
        for kind in _MARGINS:
            for text in dict.fromkeys(self._margins(kind)):
                self._prose.builder.add(text, Locator("part", kind))
        return self._prose.finish(sensible_title(self._document.title()))

    # ── the body ─────────────────────────────────────────────────────────────

    def _read_blocks(self, container: Element) -> None:
        for each in container:
            name = local_name(each)
            if name in ("p", "h"):
                self._read_paragraph(each)
            elif name == "table":
                self._read_table(each)
            elif name == "list":
                self._read_list(each, 1, "")
            elif is_drawn(each):
                self._read_beside(each)
            elif name not in _LEFT_OUT:
                self._read_blocks(each)

    def _read_paragraph(self, paragraph: Element) -> None:
        if not self._boxes:
            self._prose.begin_paragraph()
        found = inline(paragraph, self._mark)
        level = None if self._boxes else self._level(paragraph)
        number = self._number(paragraph, level) if level else ""
        if not found.text.strip():
            pass
        elif level is None:
            text = f"{self._label} {found.text}" if self._label else found.text
            self._prose.add_text(text, tight=bool(self._label) and self._tight)
            self._tight, self._label = bool(self._label), ""
        else:
            self._prose.add_heading(level, f"{number} {found.text}" if number else found.text)
            self._tight, self._label = False, ""
        for aside in found.asides:
            self._read_beside(aside)

    def _level(self, paragraph: Element) -> int | None:
        """The rank of a heading, 0 for the title, nothing for other paragraphs."""
        if local_name(paragraph) == "h":
            return max(1, whole_number(attribute(paragraph, "outline-level"), 1, _MAX_LEVEL))
        style = attribute(paragraph, "style-name")
        for _ in range(_MAX_CHAIN):
            if style == "Title":
                return TITLE_LEVEL
            style = self._parents.get(style)
        return None

    def _number(self, heading: Element, level: int) -> str:
        """Of a list that a heading is an item of, or of the outline; unnumbered ones count not."""
        if self._label:
            return self._label if self._label != BULLET else ""
        if local_name(heading) != "h" or attribute(heading, "is-list-header") == "true":
            return ""
        restarts = attribute(heading, "restart-numbering") == "true"
        start = attribute(heading, "start-value") or ("1" if restarts else None)
        return self._lists.heading(level, start)

    def _read_list(self, element: Element, level: int, inherited: str) -> None:
        style = attribute(element, "style-name") or inherited
        continued = attribute(element, "continue-numbering") == "true"
        is_continued = continued or attribute(element, "continue-list") is not None
        self._lists.begin(style, level, continued=is_continued)
        for item in element:
            if local_name(item) not in _ITEMS:
                continue
            if local_name(item) == "list-item" and _begins_with_text(item):
                self._label = self._lists.label(style, level, attribute(item, "start-value"))
            for each in item:
                if local_name(each) == "list":
                    self._read_list(each, level + 1, style)
                else:
                    self._read_blocks([each])
            self._label = ""

    def _read_table(self, element: Element) -> None:
        self._tight = False
        rows = list(table_rows(element))
        if max((len(_cells(row)) for row in rows), default=0) > 1:
            marked = sum(local_name(row.getparent()) == "table-header-rows" for row in rows)
            said = read_rows(element, self._cell_text)
            headers = sum(row.number <= marked for row in said)
            self._prose.add_table([_line(row.cells) for row in said], headers or None)
            return
        for row in rows:
            for cell in _cells(row):
                self._read_blocks(cell)

    def _cell_text(self, cell: Element) -> str:
        """A cell in one line, with the boxes in it; its comments and notes are kept."""
        pieces = []
        for paragraph in paragraphs(cell):
            found = inline(paragraph, self._mark)
            pieces.append(" ".join(found.text.split()))
            for aside in found.asides:
                if local_name(aside) == "annotation":
                    self._comments.append(annotation_text(aside))
                elif local_name(aside) != "note":
                    pieces += self._drawn_lines(aside)
        return " ".join(filter(None, pieces))

    def _drawn_lines(self, drawn: Element) -> Iterator[str]:
        for shape in shapes_of(drawn):
            if shape.kind in (Kind.TEXT, Kind.TABLE):
                yield self._cell_text(shape.element)
            yield from graphic_lines(self._document.package, shape, self._prose.builder.fail)

    # ── what stands beside the body ──────────────────────────────────────────

    def _mark(self, note: Element) -> str:
        """The mark of a note in the text; keeps the note, and where it stands."""
        prose, body = self._prose, child(note, "note-body")
        text = "" if body is None else flat_text(body)
        self._notes.append(_Note(text, prose.locator, prose.headings))
        return f"[^{len(self._notes)}]"

    def _read_beside(self, aside: Element) -> None:
        """What hangs on a paragraph; headings in a box do not structure the text around it."""
        name = local_name(aside)
        if name == "annotation":
            self._comments.append(annotation_text(aside))
        elif name != "note":
            for shape in shapes_of(aside):
                self._read_shape(shape)

    def _read_shape(self, shape: Shape) -> None:
        self._boxes += 1
        if shape.kind is Kind.TEXT:
            self._read_blocks(shape.element)
        elif shape.kind is Kind.TABLE:
            self._read_table(shape.element)
        for line in graphic_lines(self._document.package, shape, self._prose.builder.fail):
            self._prose.add_text(line)
        self._boxes -= 1

    def _margins(self, kind: str) -> Iterator[str]:
        """Headers or footers; the same text is often in several."""
        for root in self._roots:
            for page in root.iter("{*}master-page"):
                for each in page:
                    if local_name(each).partition("-")[0] == kind:
                        yield self._cell_text(each)


def _begins_with_text(item: Element) -> bool:
    """Whether an item has a paragraph of its own; one with only a list within has no number."""
    first = next(iter(item), None)
    return first is not None and local_name(first) != "list"


def _cells(row: Element) -> list[Element]:
    return [each for each in row if local_name(each) in _CELLS]


def _line(cells: Mapping[int, str]) -> list[str]:
    """Cells with the blank ones between them."""
    return [cells.get(column, "") for column in range(1, max(cells) + 1)]
