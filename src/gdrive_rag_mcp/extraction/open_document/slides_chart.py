"""What a chart of an OpenDocument deck says: its titles, and the table that it draws."""

from collections.abc import Iterator

from gdrive_rag_mcp.extraction.drawing.chart import Chart
from gdrive_rag_mcp.extraction.ooxml import Element, child, local_name
from gdrive_rag_mcp.extraction.open_document.table import read_rows
from gdrive_rag_mcp.extraction.open_document.xml import flat_text
from gdrive_rag_mcp.extraction.tables import CELL_SEPARATOR

_TITLES = frozenset({"title", "subtitle"})
_NO_VALUE = frozenset({"nan", "1.#nan"})


def read_chart(chart: Element) -> Chart:
    """Read the element `chart:chart`."""
    table = child(chart, "table")
    rows = () if table is None else tuple(_rows(table))
    return Chart(tuple(dict.fromkeys(_titles(chart))), rows)


def _titles(element: Element) -> Iterator[str]:
    """Its own titles, and those of the axes in its plot area."""
    for each in element:
        if local_name(each) in _TITLES and (text := flat_text(each)):
            yield text
        elif local_name(each) in ("plot-area", "axis"):
            yield from _titles(each)


def _rows(table: Element) -> Iterator[str]:
    """The first row names the series, and the first column the categories."""
    rows = read_rows(table, flat_text)
    names = dict(rows.pop(0).cells) if rows and rows[0].number == 1 else {}
    for row in rows:
        cells = [
            f"{names[column]}: {text}" if column > 1 and column in names else text
            for column, text in row.cells.items()
            if text.lower() not in _NO_VALUE
        ]
        if cells:
            yield CELL_SEPARATOR.join(cells)
