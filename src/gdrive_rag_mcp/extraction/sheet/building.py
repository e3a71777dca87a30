"""Adds the rows of a sheet to a document, wherever they were read from."""

from collections.abc import Iterable

from gdrive_rag_mcp.domain import Locator, SegmentKind
from gdrive_rag_mcp.extraction.building import CONTEXT_LENGTH, DocumentBuilder, one_line
from gdrive_rag_mcp.extraction.sheet.rows import SheetRow, say_rows
from gdrive_rag_mcp.extraction.sheet.values import column_letters


def add_sheet(
    builder: DocumentBuilder,
    name: str,
    rows: Iterable[SheetRow],
    *,
    hidden: str = "",
    named: bool = True,
) -> str:
    """Add a sheet's rows under its name, which also says what of it is hidden; returns that."""
    heading = one_line(f"{name} ({hidden})" if hidden else name)
    headings = (heading,)
    label = one_line(name)
    context = shown = ""
    for said in say_rows(rows, named=named):
        if said.context != context:
            context, shown = said.context, one_line(said.context, CONTEXT_LENGTH)
        place = _locator(label, said.row)
        builder.add(said.text, place, SegmentKind.ROW, headings=headings, context=shown)
    return heading


def hidden_words(*, sheet: bool, parts: str) -> str:
    """What is hidden of a sheet: itself, or the parts named."""
    return "; ".join(filter(None, ("hidden sheet" if sheet else "", parts)))


def cell_locator(sheet: str, row: int, column: int) -> Locator:
    """One cell, such as `Budget!B4`."""
    label = one_line(sheet)
    return Locator("sheet", f"{label}!{column_letters(column)}{row}", row, row, label)


def _locator(sheet: str, row: SheetRow) -> Locator:
    first, last = column_letters(min(row.cells)), column_letters(max(row.cells))
    cells = f"{first}{row.number}"
    if first != last or row.last != row.number:
        cells += f":{last}{row.last}"
    return Locator("sheet", f"{sheet}!{cells}", row.number, row.last, sheet)
