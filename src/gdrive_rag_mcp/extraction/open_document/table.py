"""A table of an OpenDocument text or deck as rows of plain cells, merged ones filled in."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from gdrive_rag_mcp.extraction.ooxml import Element, attribute, local_name, whole_number
from gdrive_rag_mcp.extraction.sheet.merges import Corner, Merges
from gdrive_rag_mcp.extraction.sheet.rows import SheetRow

_MAX_COLUMNS = 1_000
_MAX_ROWS = 10_000
_GROUPS = frozenset({"table-header-rows", "table-rows", "table-row-group"})
_CELLS = frozenset({"table-cell", "covered-table-cell"})

CellText = Callable[[Element], str]
"""The text of a cell in one line."""


@dataclass(frozen=True, slots=True)
class _Row:
    cells: dict[int, str]
    merges: tuple[tuple[int, int, int], ...]
    """Column from 0, columns and rows covered."""


def table_rows(table: Element) -> Iterator[Element]:
    """The rows of a table, those that are repeated on every page included, each once."""
    for each in table:
        name = local_name(each)
        if name == "table-row":
            yield each
        elif name in _GROUPS:
            yield from table_rows(each)


def read_rows(table: Element, text_of: CellText) -> list[SheetRow]:
    """The rows that say something, numbered from 1; what a merged cell says is filled downwards."""
    rows = [_row(row, text_of) for row in table_rows(table)]
    ranges = [merge for at, row in enumerate(rows) for merge in _ranges(at, row)]
    merges = Merges(ranges)
    filled = (merges.row(number, row.cells) for number, row in enumerate(rows, 1))
    return [row for row in filled if row.cells]


def _ranges(at: int, row: _Row) -> Iterator[tuple[Corner, Corner]]:
    for column, width, height in row.merges:
        yield (at, column), (at + height - 1, column + width - 1)


def _row(row: Element, text_of: CellText) -> _Row:
    """Empty cells repeat a format over the rest of the row, which says nothing."""
    cells: dict[int, str] = {}
    merges = []
    column = 0
    for cell in row:
        if local_name(cell) not in _CELLS or column >= _MAX_COLUMNS:
            continue
        repeated = _count(cell, "number-columns-repeated", _MAX_COLUMNS)
        text = text_of(cell) if local_name(cell) == "table-cell" else ""
        width = _count(cell, "number-columns-spanned", _MAX_COLUMNS)
        height = _count(cell, "number-rows-spanned", _MAX_ROWS)
        if text:
            cells.update({column + each + 1: text for each in range(repeated)})
            if (width, height) != (1, 1):
                merges.append((column, width, height))
        column += repeated
    return _Row(cells, tuple(merges))


def _count(cell: Element, name: str, largest: int) -> int:
    return max(whole_number(attribute(cell, name), 1, largest), 1)
