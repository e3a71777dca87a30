"""Reads what is drawn in an OpenDocument text or sheet: boxes, charts, descriptions of pictures."""

import posixpath
from collections.abc import Callable, Iterator

from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.drawing.shapes import Kind, Shape
from gdrive_rag_mcp.extraction.ooxml import Element, Package, child
from gdrive_rag_mcp.extraction.open_document.slides_chart import read_chart
from gdrive_rag_mcp.extraction.open_document.xml import inline
from gdrive_rag_mcp.extraction.tables import CELL_SEPARATOR

Fail = Callable[[str], None]


def box_lines(element: Element) -> Iterator[str]:
    """The paragraphs in a box or shape, wherever they stand in it."""
    for paragraph in element.iter("{*}p", "{*}h"):
        text = " ".join(inline(paragraph).text.split())
        if text:
            yield text


def graphic_lines(package: Package, shape: Shape, fail: Fail) -> Iterator[str]:
    """What a shape says that is no box: a chart's data, a picture's description.

    Damage, and objects of other programs, are told to `fail`.
    """
    if shape.kind is Kind.CHART:
        try:
            yield from _chart_lines(package, shape, fail)
        except ExtractionError as error:
            fail(error.message)
    elif shape.kind is Kind.UNREAD:
        fail(f"{shape.role} was not read")
    if shape.description:
        yield f"[Picture: {shape.description}]"


def _chart_lines(package: Package, shape: Shape, fail: Fail) -> Iterator[str]:
    """A chart is a document within the document; formulas are, too, and say nothing."""
    body = child(package.xml(f"{posixpath.normpath(shape.link)}/content.xml"), "body")
    chart = child(body, "chart", "chart")
    if chart is not None:
        found = read_chart(chart)
        yield CELL_SEPARATOR.join(found.names)
        yield from found.rows
    elif child(body, "text") is not None or child(body, "spreadsheet") is not None:
        fail("An embedded document was not read")
