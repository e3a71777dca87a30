"""A Word table as rows of plain cells."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gdrive_rag_mcp.extraction.ooxml import (
    Element,
    attribute,
    child,
    local_name,
    value,
    whole_number,
)
from gdrive_rag_mcp.extraction.tables import Row
from gdrive_rag_mcp.extraction.word.inline import NoteMark, children, inline

_CONTENTS = frozenset({"tbl", "tr", "tc", "p"})
# Word itself makes no more columns than this.
_MAX_SPAN = 63


@dataclass(frozen=True, slots=True)
class WordRow:
    """A row: the cells that it has, and these under the columns of the whole table.

    A cell that spans columns leaves blank ones behind it in `spread`.
    """

    own: Row
    spread: tuple[str, ...]


def inside(element: Element, name: str) -> Iterator[Element]:
    """Rows of a table, cells of a row, also inside content controls and tracked insertions."""
    for each in children(element):
        if local_name(each) == name:
            yield each
        elif local_name(each) not in _CONTENTS:
            yield from inside(each, name)


def table_rows(table: Element) -> Iterator[Element]:
    """The rows of a table that were not deleted."""
    return (row for row in inside(table, "tr") if child(row, "trPr", "del") is None)


def read_rows(table: Element, mark: NoteMark) -> list[WordRow]:
    """The rows of a table; a cell merged downwards says in every row what it says in the first."""
    above: dict[int, str] = {}
    rows = []
    for row in table_rows(table):
        cells = dict(_cells(row, above, mark))
        rows.append((cells, child(row, "trPr", "tblHeader") is not None))
    # Grids are finer than what is seen: only where a cell begins somewhere, there is a column.
    columns = sorted({column for cells, _ in rows for column in cells})
    return [_row(cells, columns, header=header) for cells, header in rows]


def flat_text(element: Element, mark: NoteMark) -> str:
    """Everything below an element in one line, nested tables and boxes included."""
    return " ".join(filter(None, (" ".join(part.split()) for part in _parts(element, mark))))


def _row(cells: dict[int, str], columns: Sequence[int], *, header: bool) -> WordRow:
    end = max(cells, default=-1)
    spread = tuple(cells.get(column, "") for column in columns if column <= end)
    return WordRow(Row(tuple(cells.values()), header), spread)


def _cells(row: Element, above: dict[int, str], mark: NoteMark) -> Iterator[tuple[int, str]]:
    """The cells with their columns in the grid, from 0."""
    column = whole_number(value(row, "trPr", "gridBefore"), 0, _MAX_SPAN)
    for cell in inside(row, "tc"):
        merge = child(cell, "tcPr", "vMerge")
        continues = merge is not None and attribute(merge, "val") != "restart"
        text = above.get(column, "") if continues else flat_text(cell, mark)
        above[column] = text
        yield column, text
        column += max(whole_number(value(cell, "tcPr", "gridSpan"), 1, _MAX_SPAN), 1)


def _parts(element: Element, mark: NoteMark) -> Iterator[str]:
    for each in children(element):
        name = local_name(each)
        if name == "p":
            found = inline(each, mark)
            yield found.text
            for block in found.blocks:
                yield from _parts(block, mark)
        elif name == "tr":
            yield ", ".join(filter(None, (flat_text(cell, mark) for cell in inside(each, "tc"))))
            yield ";"
        else:
            yield from _parts(each, mark)
