"""What a chart says: its titles, and its numbers as rows."""

from collections.abc import Iterator
from dataclasses import dataclass

from gdrive_rag_mcp.extraction.drawing.text import children, flat_text
from gdrive_rag_mcp.extraction.drawing.values import Points, Values
from gdrive_rag_mcp.extraction.ooxml import Element, child, local_name, value
from gdrive_rag_mcp.extraction.tables import CELL_SEPARATOR

_CATEGORIES = ("cat", "xVal")
_VALUES = ("val", "yVal", "bubbleSize")
_TRUE = frozenset({"1", "true"})


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart as a reader sees it: `names` are its own title and those of its axes.

    `rows` hold a category and its values in one line each: `Q1 | Sales: 12 | Costs: 9`.
    """

    names: tuple[str, ...]
    rows: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Series:
    """Values that belong together: for scattered points several at one place."""

    name: str
    categories: Points
    values: tuple[Points, ...]

    def places(self) -> list[int]:
        return sorted({*self.categories, *(place for each in self.values for place in each)})

    def said(self, place: int) -> str:
        text = ", ".join(each[place] for each in self.values if place in each)
        return f"{self.name}: {text}" if self.name and text else text


def read_chart(space: Element) -> Chart:
    """Read the root of a chart's part."""
    values = Values(from_1904=value(space, "date1904") in _TRUE)
    chart = child(space, "chart")
    plot = child(chart, "plotArea")
    names = [_title(chart, values)]
    series: list[Series] = []
    for group in () if plot is None else children(plot):
        if local_name(group).endswith("Ax"):
            names.append(_title(group, values))
        series += (_series(each, values) for each in children(group) if local_name(each) == "ser")
    return Chart(tuple(dict.fromkeys(filter(None, names))), tuple(rows_of(series)))


def _title(element: Element | None, values: Values) -> str:
    """A title that was typed, or the cell that it repeats."""
    source = child(element, "title", "tx")
    return flat_text(child(source, "rich")) or values.text(source)


def _series(series: Element, values: Values) -> Series:
    categories = (values.points(child(series, each)) for each in _CATEGORIES)
    return Series(
        values.text(child(series, "tx")),
        next(filter(None, categories), {}),
        tuple(values.points(child(series, each)) for each in _VALUES),
    )


def rows_of(series: list[Series]) -> Iterator[str]:
    """Series that say something of the same category at the same place share a row."""
    rows: dict[tuple[int, str], list[str]] = {}
    for each in series:
        for place in each.places():
            category = each.categories.get(place, "")
            rows.setdefault((place, category), []).append(each.said(place))
    for (_, category), cells in sorted(rows.items(), key=lambda row: row[0][0]):
        yield CELL_SEPARATOR.join(filter(None, (category, *cells)))
