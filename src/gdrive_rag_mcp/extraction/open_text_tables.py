"""A table of an OpenDocument text as rows of plain cells."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from gdrive_rag_mcp.extraction.ooxml import Element, attribute, local_name, whole_number

_GROUPS = frozenset({"table-header-rows", "table-row-group", "table-rows", "table-header"})
_CELLS = frozenset({"table-cell", "covered-table-cell"})
_MAX_COLUMNS = 1_000
_MAX_ROWS = 1_000
"""Rows and cells that are alike are stored once with a count, which nothing bounds."""

CellText = Callable[[Element], str]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of as many cells as each has; the first `headers` rows are repeated on every page."""

    rows: list[tuple[str, ...]]
    headers: int

    @property
    def width(self) -> int:
        return max(map(len, self.rows), default=0)


def read_table(table: Element, text_of: CellText) -> Table:
    """Read a table; a cell merged over others is said in each row it covers."""
    above: dict[int, str] = {}
    rows: list[tuple[str, ...]] = []
    headers = 0
    for row in table_rows(table):
        count = _count(row, "number-rows-repeated", _MAX_ROWS)
        cells = tuple(_cells(row, above, text_of))
        while cells and not cells[-1]:
            cells = cells[:-1]
        rows += [cells] * (count if cells else 1)
        headers += count if local_name(row.getparent()) == "table-header-rows" else 0
    return Table(rows, headers)


def table_rows(table: Element) -> Iterator[Element]:
    """The rows of a table, also those in groups."""
    for each in table:
        name = local_name(each)
        if name == "table-row":
            yield each
        elif name in _GROUPS:
            yield from table_rows(each)


def row_cells(row: Element) -> Iterator[Element]:
    """The cells of a row, covered ones included."""
    return (each for each in row if local_name(each) in _CELLS)


def _cells(row: Element, above: dict[int, str], text_of: CellText) -> Iterator[str]:
    """The texts of a row's cells; `above` holds what cells merged downwards still say."""
    column = 0
    across = 0
    for cell in row_cells(row):
        text = text_of(cell)
        covered = local_name(cell) == "covered-table-cell"
        for _ in range(_count(cell, "number-columns-repeated", _MAX_COLUMNS - column)):
            if covered and not text:
                yield "" if across > 0 else above.get(column, "")
                across -= 1
            else:
                across = _count(cell, "number-columns-spanned", _MAX_COLUMNS) - 1
                above[column] = text
                yield text
            column += 1
        if column >= _MAX_COLUMNS:
            return


def _count(element: Element, name: str, largest: int) -> int:
    return max(1, whole_number(attribute(element, name), 1, max(1, largest)))
