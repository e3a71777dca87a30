"""A table of a slide as rows of plain cells, merged ones filled in."""

from collections.abc import Iterator

from gdrive_rag_mcp.extraction.drawing.text import children, flat_text
from gdrive_rag_mcp.extraction.ooxml import Element, attribute, child, local_name, whole_number
from gdrive_rag_mcp.extraction.sheet.merges import Corner, Merges
from gdrive_rag_mcp.extraction.sheet.rows import SheetRow

_MAX_SPAN = 1_000
_TRUE = frozenset({"1", "true"})


def read_rows(table: Element) -> list[SheetRow]:
    """The rows that say something, numbered from 1; what a merged cell says is filled downwards."""
    rows = [list(_named(row, "tc")) for row in _named(table, "tr")]
    merges = Merges(merge for at, row in enumerate(rows) for merge in _merges(at, row))
    filled = (merges.row(number, _cells(row)) for number, row in enumerate(rows, 1))
    return [row for row in filled if row.cells]


def _named(element: Element, name: str) -> Iterator[Element]:
    return (each for each in children(element) if local_name(each) == name)


def _cells(row: list[Element]) -> dict[int, str]:
    """What the cells say, by column from 1; those that another covers are empty."""
    said = {
        column: flat_text(child(cell, "txBody"))
        for column, cell in enumerate(row, 1)
        if not _is_covered(cell)
    }
    return {column: text for column, text in said.items() if text}


def _is_covered(cell: Element) -> bool:
    return any(attribute(cell, name) in _TRUE for name in ("hMerge", "vMerge"))


def _merges(at: int, row: list[Element]) -> Iterator[tuple[Corner, Corner]]:
    for column, cell in enumerate(row):
        width, height = (
            max(whole_number(attribute(cell, name), 1, _MAX_SPAN), 1)
            for name in ("gridSpan", "rowSpan")
        )
        if not _is_covered(cell) and (width, height) != (1, 1):
            yield (at, column), (at + height - 1, column + width - 1)
