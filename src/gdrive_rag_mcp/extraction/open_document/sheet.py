"""Reads ODS workbooks row by row; cells say what the sheet itself shows.

Format: OpenDocument 1.3, part 3. Rows and cells that are alike are stored once with a count, up to
a million times; they are never laid out, but said once with all the rows that they stand for.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from gdrive_rag_mcp.domain import Document, Reason
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.building import DocumentBuilder
from gdrive_rag_mcp.extraction.drawing.shapes import Kind
from gdrive_rag_mcp.extraction.input_file import InputFile
from gdrive_rag_mcp.extraction.ooxml import (
    Element,
    Package,
    attribute,
    child,
    local_name,
    whole_number,
)
from gdrive_rag_mcp.extraction.open_document.drawings import box_lines, graphic_lines
from gdrive_rag_mcp.extraction.open_document.slides_shapes import read_shapes
from gdrive_rag_mcp.extraction.open_document.xml import annotation_text, flat_text, open_document
from gdrive_rag_mcp.extraction.sheet.building import add_sheet, cell_locator, hidden_words
from gdrive_rag_mcp.extraction.sheet.merges import Corner, Merges
from gdrive_rag_mcp.extraction.sheet.rows import NAMED_AREA, SheetRow
from gdrive_rag_mcp.extraction.sheet.scan import MAX_AREA, Scan
from gdrive_rag_mcp.extraction.sheet.scan_xml import forget
from gdrive_rag_mcp.extraction.sheet.values import show_number
from gdrive_rag_mcp.extraction.titles import sensible_title

_MAX_ROW = 10_000_000
_MAX_COLUMN = 16_384
_CELLS = frozenset({"table-cell", "covered-table-cell"})
_HIDDEN = frozenset({"collapse", "filter"})
_MAX_FORMULA = 200
_CACHE_STYLE = "ta_extref"
"""LibreOffice keeps what it read from other files as sheets of this style."""

_DURATION = re.compile(r"(-?)PT(\d+)H(\d+)M(\d+)")


def read(file: InputFile) -> Document:
    """Read an ODS file; values as shown, dates in ISO form, formulas as last calculated.

    Raises:
        ExtractionError: damaged, hostile, encrypted, or without text.
    """
    builder = DocumentBuilder()
    with open_document(file) as document:
        builder.title = sensible_title(document.title())
        for sheet in _sheets(document.package):
            _add(builder, sheet)
    return builder.finish()


@dataclass(slots=True)
class _Row:
    """A row that is not blank, and how many follow that are the same."""

    number: int
    cells: dict[int, str]
    rows: int
    hidden: bool


@dataclass(slots=True)
class _Sheet:
    """What has been read of a sheet; rows and columns are numbered from 1."""

    package: Package
    name: str = ""
    hidden: bool = False
    failures: list[str] = field(default_factory=list)
    scan: Scan = field(default_factory=Scan)
    rows: list[_Row] = field(default_factory=list)
    notes: list[tuple[int, int, str]] = field(default_factory=list)
    merged: list[tuple[Corner, Corner]] = field(default_factory=list)
    filled: int = 0
    next_row: int = 1
    next_column: int = 1

    def add_columns(self, column: Element) -> None:
        last = self.next_column + _count(column, "number-columns-repeated", _MAX_COLUMN) - 1
        if attribute(column, "visibility") in _HIDDEN:
            self.scan.hidden_columns.append((self.next_column, last))
        self.next_column = last + 1

    def add_row(self, row: Element) -> None:
        """Take a row that ended.

        Raises:
            ExtractionError: the sheet has more filled cells than a sheet may have.
        """
        count = _count(row, "number-rows-repeated", _MAX_ROW)
        cells = dict(self._cells(row))
        if cells:
            self.filled += len(cells)
            if self.filled > MAX_AREA:
                raise ExtractionError(
                    Reason.TOO_LARGE, f"A sheet has more than {MAX_AREA:,} filled cells"
                )
            self.scan.reach(self.next_row + count - 1, max(cells))
            hidden = attribute(row, "visibility") in _HIDDEN
            self.rows.append(_Row(self.next_row, cells, count, hidden))
        self.next_row += count

    def _cells(self, row: Element) -> Iterator[tuple[int, str]]:
        column = 1
        for cell in row:
            if local_name(cell) not in _CELLS:
                continue
            count = _count(cell, "number-columns-repeated", _MAX_COLUMN)
            text = _said(cell) if len(cell) or cell.attrib else ""
            if text:
                self._note_span(cell, column)
                last = min(column + count - 1, _MAX_COLUMN)
                yield from ((each, text) for each in range(column, last + 1))
            for each in cell:
                if local_name(each) == "annotation":
                    self.notes.append((self.next_row, column, annotation_text(each)))
            self.add_drawn(cell, self.next_row, column)
            column += count

    def add_drawn(self, holder: Element, row: int, column: int) -> None:
        """Take what is drawn at a cell; what is drawn on the sheet as a whole is at the first."""
        for shape in read_shapes(holder):
            lines = box_lines(shape.element) if shape.kind is Kind.TEXT else ()
            graphics = graphic_lines(self.package, shape, self.failures.append)
            self.notes += [(row, column, line) for line in (*lines, *graphics)]

    def _note_span(self, cell: Element, column: int) -> None:
        across = _count(cell, "number-columns-spanned", _MAX_COLUMN)
        down = _count(cell, "number-rows-spanned", _MAX_ROW)
        if across > 1 or down > 1:
            top, first = self.next_row - 1, column - 1
            self.merged.append(((top, first), (top + down - 1, first + across - 1)))


def _sheets(package: Package) -> Iterator[_Sheet]:
    """The sheets one by one, as they end in the file."""
    hidden: frozenset[str | None] = frozenset()
    sheet = _Sheet(package)
    tags = ("automatic-styles", "shapes", "table-column", "table-row", "table")
    for element in package.stream("content.xml", *tags):
        name = local_name(element)
        if name == "automatic-styles":
            hidden = frozenset(_hiding_styles(element))
        elif next(element.iterancestors("{*}table-cell"), None) is not None:
            continue  # a table within a cell is part of what the cell says
        elif name == "table-column":
            sheet.add_columns(element)
        elif name == "shapes":
            sheet.add_drawn(element, 1, 1)
        elif name == "table-row":
            sheet.add_row(element)
            forget(element)
        else:
            style = attribute(element, "style-name")
            sheet.name, sheet.hidden = attribute(element, "name") or "", style in hidden
            if style != _CACHE_STYLE:
                yield sheet
            sheet = _Sheet(package)
            element.clear()


def _hiding_styles(styles: Element) -> Iterator[str]:
    for style in styles:
        properties = child(style, "table-properties")
        if properties is not None and attribute(properties, "display") == "false":
            yield attribute(style, "name") or ""


def _add(builder: DocumentBuilder, sheet: _Sheet) -> None:
    hidden = hidden_words(sheet=sheet.hidden, parts=sheet.scan.hidden_part())
    named = sheet.filled <= NAMED_AREA
    heading = add_sheet(builder, sheet.name, _rows(sheet), hidden=hidden, named=named)
    for row, column, text in sheet.notes:
        builder.add(text, cell_locator(sheet.name, row, column), headings=(heading,))
    for failure in sheet.failures:
        builder.fail(f"{sheet.name}: {failure}")


def _rows(sheet: _Sheet) -> Iterator[SheetRow]:
    merges = Merges(sheet.merged)
    for row in sheet.rows:
        yield merges.row(row.number, row.cells, rows=row.rows, hidden=row.hidden)


def _count(element: Element, name: str, largest: int) -> int:
    return max(1, whole_number(attribute(element, name), 1, largest))


def _said(cell: Element) -> str:
    """What a cell shows; days and times in ISO form, whatever the form in the sheet."""
    kind = attribute(cell, "value-type")
    shown = flat_text(cell)
    if kind == "date":
        day = (attribute(cell, "date-value") or shown).replace("T", " ")
        return day.partition(".")[0].removesuffix(" 00:00:00")
    if kind == "time":
        span = _DURATION.match(attribute(cell, "time-value") or "")
        return f"{span[1]}{int(span[2])}:{span[3]}:{span[4]}" if span else shown
    if shown:
        return shown
    if kind in ("float", "percentage", "currency"):
        return _number(attribute(cell, "value") or "")
    formula = attribute(cell, "formula")
    if formula and kind is None:
        return f"={formula.partition('=')[2][:_MAX_FORMULA]} (not calculated)"
    return " ".join((attribute(cell, "string-value") or "").split())


def _number(raw: str) -> str:
    try:
        return show_number(float(raw))
    except ValueError:
        return raw
