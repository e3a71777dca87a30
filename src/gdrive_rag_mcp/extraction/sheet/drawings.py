"""Reads what lies over the cells of an XLSX sheet: text boxes, charts and diagrams."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from gdrive_rag_mcp.domain import Locator
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.building import one_line
from gdrive_rag_mcp.extraction.drawing.graphic import read_graphic
from gdrive_rag_mcp.extraction.drawing.shapes import Kind, Shape, read_shapes
from gdrive_rag_mcp.extraction.drawing.text import paragraphs
from gdrive_rag_mcp.extraction.ooxml import Element, Package, child, whole_number
from gdrive_rag_mcp.extraction.sheet.values import column_letters

_MAX_ROW, _MAX_COLUMN = 1_048_576, 16_384


@dataclass(frozen=True, slots=True)
class Overlay:
    """What lies over some cells, and over which."""

    locator: Locator
    lines: tuple[str, ...]


def sheet_overlays(
    package: Package, part: str, sheet: str, fail: Callable[[str], None]
) -> Iterator[Overlay]:
    """What lies over the cells of a worksheet's part; damaged parts are told to `fail`."""
    for link in package.relationships(part) if part in package else ():
        if link.kind != "drawing":
            continue
        try:
            targets = {each.id: each.target for each in package.relationships(link.target)}
            anchors = list(package.xml(link.target))
        except ExtractionError as error:
            fail(f"{sheet}: {error.message}")
            continue
        for anchor in anchors:
            for shape in read_shapes(anchor):
                try:
                    lines = _said(package, shape, targets)
                except ExtractionError as error:
                    fail(f"{sheet}: {error.message}")
                else:
                    if lines:
                        yield Overlay(_locator(one_line(sheet), anchor), lines)


def _said(package: Package, shape: Shape, targets: Mapping[str, str]) -> tuple[str, ...]:
    said: tuple[str, ...] = ()
    if shape.kind is Kind.TEXT:
        said = tuple(paragraphs(shape.element))
    elif shape.kind in (Kind.CHART, Kind.DIAGRAM):
        # The numbers of a chart are those of the cells, which are read already.
        said = read_graphic(package.xml(targets.get(shape.link, ""))).lines
    if shape.description:
        said = (*said, f"[Picture: {shape.description}]")
    return said


def _locator(sheet: str, anchor: Element) -> Locator:
    """The cells from the upper left corner to the lower right one, where the file knows both."""
    first_row, first_column = _corner(child(anchor, "from"))
    last_row, last_column = _corner(child(anchor, "to"))
    last_row, last_column = max(first_row, last_row), max(first_column, last_column)
    cells = f"{column_letters(first_column)}{first_row}"
    if (first_row, first_column) != (last_row, last_column):
        cells += f":{column_letters(last_column)}{last_row}"
    return Locator("sheet", f"{sheet}!{cells}", first_row, last_row, sheet)


def _corner(corner: Element | None) -> tuple[int, int]:
    """Row and column from 1; the file counts from 0."""
    row, column = child(corner, "row"), child(corner, "col")
    return (
        whole_number(None if row is None else row.text, 0, _MAX_ROW - 1) + 1,
        whole_number(None if column is None else column.text, 0, _MAX_COLUMN - 1) + 1,
    )
