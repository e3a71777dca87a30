"""Reads a page's markup into a document: blocks in order under their headings, tables, lists.

Everything that shows is kept, navigation and footers too, but what stands in those is set apart
(`part`): their headings do not structure the content, and the content's do not stand above them.
"""

from collections.abc import Callable
from typing import TypeAlias

from selectolax.lexbor import LexborHTMLParser

from gdrive_rag_mcp.domain import Locator, SegmentKind
from gdrive_rag_mcp.extraction.building import (
    CONTEXT_LENGTH,
    DocumentBuilder,
    HeadingPath,
    one_line,
)
from gdrive_rag_mcp.extraction.lines import paragraphs
from gdrive_rag_mcp.extraction.tables import Row, row_line
from gdrive_rag_mcp.extraction.titles import sensible_title
from gdrive_rag_mcp.extraction.web.inline import RunningText, flat_text, lines_of
from gdrive_rag_mcp.extraction.web.lists import BULLET, ItemNumbers
from gdrive_rag_mcp.extraction.web.markup import tame
from gdrive_rag_mcp.extraction.web.nodes import (
    HEADINGS,
    NOTHING,
    TEXT,
    Node,
    is_block,
    kind_of,
    text_of,
    walk,
)
from gdrive_rag_mcp.extraction.web.table import (
    caption_of,
    is_frame,
    is_layout,
    naming_rows,
    read_rows,
)

Locate: TypeAlias = Callable[[tuple[str, ...], int, str], Locator]
"""Where a block stands, from the headings above it, its number, and the part it is set apart in."""

_PARTS = {"nav": "navigation", "footer": "footer", "aside": "aside"}
_LISTS = frozenset({"ul", "ol", "menu", "dir"})
_SET_IN_LINES = frozenset({"pre", "textarea"})
_MAX_INDENT = 8
_PERMALINK = " ¶"


class Page:
    """A page's tree, after its markup was tamed; `xml` says that it is surely XHTML.

    Raises:
        ExtractionError: it has more tags than can be read.
    """

    def __init__(self, markup: str, *, xml: bool = False) -> None:
        self._parser = LexborHTMLParser(tame(markup, xml=xml))

    @property
    def root(self) -> Node | None:
        return self._parser.root

    @property
    def title(self) -> str:
        """What the page calls itself, if that says anything."""
        title = self._parser.css_first("head > title")
        return sensible_title(title.text() if title else "")

    @property
    def first_heading(self) -> str:
        heading = self._parser.css_first("h1, h2, h3, h4, h5, h6")
        return one_line(flat_text(heading)) if heading else ""

    def all(self, tag: str) -> list[Node]:
        """The elements of a name, in order."""
        return self._parser.css(tag)


def add_page(
    builder: DocumentBuilder, page: Page, locate: Locate, *, lead: tuple[str, ...] = ()
) -> str:
    """Add a page's text to a document; returns the page's title, or nothing.

    `lead` are headings that stand above the whole page.

    Raises:
        ExtractionError: there is more text than a document may have.
    """
    root = page.root
    if root is None:
        return ""
    reader = _PageReader(builder, locate, lead)
    reader.read(root)
    if reader.blocks == 0:
        # A page saved while a dialog was open hides all the rest from screen readers.
        reader = _PageReader(builder, locate, lead, show_aria_hidden=True)
        reader.read(root)
    return page.title or reader.headings.title


class _PageReader:
    """Walks the tree once: gathers running text, and turns it into a block where one ends."""

    def __init__(
        self,
        builder: DocumentBuilder,
        locate: Locate,
        lead: tuple[str, ...],
        *,
        show_aria_hidden: bool = False,
    ) -> None:
        self.blocks = 0
        self.headings = HeadingPath()
        self._builder = builder
        self._locate = locate
        self._lead = lead
        self._show_aria_hidden = show_aria_hidden
        self._text = RunningText()
        self._parts: list[str] = []
        self._lists: list[ItemNumbers] = []
        self._label = ""
        self._tight = False

    def read(self, root: Node) -> None:
        for node in walk(root, self._enter):
            self._leave(self._kind(node))
        self._flush()

    def _kind(self, node: Node) -> str:
        return kind_of(node, show_aria_hidden=self._show_aria_hidden)

    # ── beginnings and ends ──────────────────────────────────────────────────

    def _enter(self, node: Node) -> bool:
        kind = self._kind(node)
        if kind == TEXT:
            self._text.add(text_of(node))
            return False
        if kind == NOTHING:
            return False
        if kind in _SET_IN_LINES:
            return self._take_lines(node)
        if not is_block(kind):
            return self._text.enter(node, kind)
        self._flush()
        return self._enter_block(node, kind)

    def _enter_block(self, node: Node, kind: str) -> bool:
        if kind in HEADINGS and not self._parts:
            return self._take_heading(node, HEADINGS[kind])
        if kind == "table":
            return self._take_table(node)
        if kind in _LISTS:
            self._lists.append(ItemNumbers(node, is_ordered=kind == "ol"))
        elif kind == "li":
            self._label = self._next_label(node)
        elif kind in _PARTS:
            self._parts.append(_PARTS[kind])
        return True

    def _leave(self, kind: str) -> None:
        if not is_block(kind):
            self._text.leave(kind)
            return
        self._flush()
        if kind in _LISTS:
            self._lists.pop()
            self._tight = bool(self._lists)
        elif kind == "li":
            self._label = ""
        elif kind == "dt":
            self._tight = True
        elif kind in _PARTS:
            self._parts.pop()

    def _next_label(self, item: Node) -> str:
        indent = "  " * min(len(self._lists) - 1, _MAX_INDENT)
        label = self._lists[-1].label(item) if self._lists else BULLET
        return f"{indent}{label} "

    # ── blocks ───────────────────────────────────────────────────────────────

    def _flush(self) -> None:
        """What has gathered becomes a block: a paragraph, or an item of a list."""
        for text in self._text.take():
            item = bool(self._label)
            self._add(self._label + text, tight=self._tight)
            self._label = ""
            self._tight = item or bool(self._lists)

    def _take_heading(self, node: Node, level: int) -> bool:
        text = flat_text(node).removesuffix(_PERMALINK).removesuffix(_PERMALINK.strip())
        if text:
            self.headings.enter(level, text)
            self._add(text, SegmentKind.HEADING)
        self._tight = False
        return False

    def _take_lines(self, node: Node) -> bool:
        self._flush()
        for part in paragraphs(lines_of(node)):
            self._add(part.text, tight=part.continued)
        return False

    def _take_table(self, table: Node) -> bool:
        if is_layout(table):
            return True
        rows = read_rows(table)
        if is_frame(rows):
            return True
        self._tight = False
        self._add(caption_of(table))
        self._add_rows(rows, naming_rows(table, rows))
        return False

    def _add_rows(self, rows: list[Row], headers: int) -> None:
        context = one_line(
            " / ".join(row_line(row.cells) for row in rows[:headers]), CONTEXT_LENGTH
        )
        for number, row in enumerate(rows):
            self._add(
                row_line(row.cells), SegmentKind.ROW, context=context if number >= headers else ""
            )

    def _add(
        self,
        text: str,
        kind: SegmentKind = SegmentKind.TEXT,
        *,
        context: str = "",
        tight: bool = False,
    ) -> None:
        if not text:
            return
        self.blocks += 1
        part = self._parts[-1] if self._parts else ""
        path = () if part else self.headings.path
        self._builder.add(
            text,
            self._locate(path, self.blocks, part),
            kind,
            headings=self._under(path),
            context=context,
            tight=tight,
        )

    def _under(self, path: tuple[str, ...]) -> tuple[str, ...]:
        """The headings above, each once where the page begins with what it stands under."""
        repeats = self._lead and path and path[0].casefold() == self._lead[-1].casefold()
        return self._lead[:-1] + path if repeats else self._lead + path
