"""What a chart of the newer kind says: waterfalls, funnels, trees ([MS-ODRAWXML], chartex)."""

from collections.abc import Iterator

from gdrive_rag_mcp.extraction.drawing.chart import Chart, Series, rows_of
from gdrive_rag_mcp.extraction.drawing.text import descendants, find, flat_text
from gdrive_rag_mcp.extraction.drawing.values import Points, Values
from gdrive_rag_mcp.extraction.ooxml import Element, attribute, child, local_name, value


def read_newer_chart(space: Element) -> Chart:
    """Read the root of a chart's part; the data stand apart from the series that show them."""
    data = {attribute(each, "id"): each for each in _named(child(space, "chartData"), "data")}
    plot = child(space, "chart", "plotArea")
    series = [_series(each, data.get(value(each, "dataId"))) for each in _named(plot, "series")]
    titles = [
        child(space, "chart", "title"),
        *(child(each, "title") for each in _named(plot, "axis")),
    ]
    names = filter(None, (_name(child(each, "tx")) for each in titles))
    return Chart(tuple(dict.fromkeys(names)), tuple(rows_of(series)))


def _series(series: Element, data: Element | None) -> Series:
    values = Values(from_1904=False)
    dimensions = [each for each in descendants(data) if local_name(each) in ("strDim", "numDim")]
    categories: Points = {}
    shown: list[Points] = []
    for each in dimensions:
        if local_name(each) == "strDim":
            categories = values.points(each)
        else:
            shown.append(values.points(each))
    return Series(_name(child(series, "tx")), categories, tuple(shown))


def _name(text: Element | None) -> str:
    """What was typed, or what the cell said that it is taken from."""
    written = find(text, "v")
    typed = flat_text(child(text, "rich"))
    return typed or ("" if written is None else " ".join((written.text or "").split()))


def _named(element: Element | None, name: str) -> Iterator[Element]:
    return (each for each in descendants(element) if local_name(each) == name)
