"""A Word table as rows of plain cells."""

from collections.abc import Iterator

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
_MAX_SPAN = 1_000


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


def read_rows(table: Element, mark: NoteMark) -> list[Row]:
    """The rows of a table; a cell merged downwards says in every row what it says in the first."""
    above: dict[int, str] = {}
    rows = []
    for row in table_rows(table):
        cells = tuple(_cells(row, above, mark))
        rows.append(Row(cells, child(row, "trPr", "tblHeader") is not None))
    return rows


def flat_text(element: Element, mark: NoteMark) -> str:
    """Everything below an element in one line, nested tables and boxes included."""
    return " ".join(filter(None, (" ".join(part.split()) for part in _parts(element, mark))))


def _cells(row: Element, above: dict[int, str], mark: NoteMark) -> Iterator[str]:
    column = 0
    for cell in inside(row, "tc"):
        merge = child(cell, "tcPr", "vMerge")
        continues = merge is not None and attribute(merge, "val") != "restart"
        text = above.get(column, "") if continues else flat_text(cell, mark)
        above[column] = text
        yield text
        column += whole_number(value(cell, "tcPr", "gridSpan"), 1, _MAX_SPAN)


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
