"""A chart or a diagram by the part that holds it, of whichever kind it is."""

from dataclasses import dataclass

from gdrive_rag_mcp.extraction.drawing.chart import read_chart
from gdrive_rag_mcp.extraction.drawing.diagram import read_points
from gdrive_rag_mcp.extraction.drawing.newer_chart import read_newer_chart
from gdrive_rag_mcp.extraction.ooxml import Element, child, local_name
from gdrive_rag_mcp.extraction.tables import CELL_SEPARATOR


@dataclass(frozen=True, slots=True)
class Graphic:
    """Lines to read, and rows of numbers under what `context` names."""

    lines: tuple[str, ...]
    rows: tuple[str, ...] = ()

    @property
    def context(self) -> str:
        return CELL_SEPARATOR.join(self.lines) if self.rows else ""


def read_graphic(root: Element) -> Graphic:
    """Read the root of a chart's or a diagram's part; one of another kind says nothing."""
    if local_name(root) == "dataModel":
        return Graphic(tuple(read_points(root)))
    is_newer = child(root, "chartData") is not None
    chart = read_newer_chart(root) if is_newer else read_chart(root)
    return Graphic(chart.names, chart.rows)
