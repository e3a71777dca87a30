"""Text boxes, charts and diagrams over the cells of a sheet."""

import io
import zipfile
from collections.abc import Callable, Mapping

import openpyxl

from gdrive_rag_mcp.domain import Document, Locator

Read = Callable[[bytes, str], Document]
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_LINK = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006"
_NAMESPACES = (
    f'xmlns:x="{_DRAWING}/spreadsheetDrawing" xmlns:a="{_DRAWING}/main" xmlns:r="{_LINK}" '
    f'xmlns:c="{_DRAWING}/chart"'
)
_CHART = (
    f'<c:chartSpace xmlns:c="{_DRAWING}/chart" xmlns:a="{_DRAWING}/main"><c:chart><c:title><c:tx>'
    "<c:rich><a:p><a:r><a:t>Rain by month</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea>"
    "<c:barChart><c:ser><c:val><c:numRef><c:numCache><c:pt idx='0'><c:v>37</c:v></c:pt>"
    "</c:numCache></c:numRef></c:val></c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>"
)


def links(**targets: str) -> str:
    inner = "".join(
        f'<Relationship Id="{kind}" Type="{_LINK}/{kind}" Target="{target}"/>'
        for kind, target in targets.items()
    )
    package = "http://schemas.openxmlformats.org/package/2006/relationships"
    return f'<Relationships xmlns="{package}">{inner}</Relationships>'


def anchor(shape: str) -> str:
    """A shape over the cells B3 to D6."""
    corners = (
        "<x:from><x:col>1</x:col><x:row>2</x:row></x:from>"
        "<x:to><x:col>3</x:col><x:row>5</x:row></x:to>"
    )
    return f"<x:twoCellAnchor>{corners}{shape}</x:twoCellAnchor>"


def box(text: str) -> str:
    return f"<x:sp><x:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></x:txBody></x:sp>"


def drawn(anchors: str, parts: Mapping[str, str] | None = None) -> bytes:
    """A workbook with one row and something drawn over it."""
    workbook = openpyxl.Workbook()
    workbook.active.title = "Plan"
    workbook.active.append(["Harvest", "of", "May"])
    file = io.BytesIO()
    workbook.save(file)
    added = {
        "xl/worksheets/_rels/sheet1.xml.rels": links(drawing="../drawings/drawing1.xml"),
        "xl/drawings/drawing1.xml": f"<x:wsDr {_NAMESPACES}>{anchors}</x:wsDr>",
        **(parts or {}),
    }
    with zipfile.ZipFile(file, "a") as archive:
        for name, content in added.items():
            archive.writestr(name, content)
    return file.getvalue()


def test_a_text_box_is_cited_with_the_cells_it_lies_over(read: Read) -> None:
    document = read(drawn(anchor(box("Mind the frost"))), XLSX)

    assert document.text == "Harvest | of | May\n\nMind the frost"
    assert document.segments[-1].locator == Locator("sheet", "Plan!B3:D6", 3, 6, "Plan")
    assert document.segments[-1].headings == ("Plan",)


def test_boxes_in_a_group_are_read(read: Read) -> None:
    document = read(drawn(anchor(f"<x:grpSp>{box('One')}{box('Two')}</x:grpSp>")), XLSX)

    assert document.text.endswith("One\n\nTwo")


def test_a_chart_gives_its_title_and_not_the_numbers_of_the_cells_again(read: Read) -> None:
    frame = (
        '<x:graphicFrame><a:graphic><a:graphicData><c:chart r:id="chart"/></a:graphicData>'
        "</a:graphic></x:graphicFrame>"
    )
    parts = {
        "xl/drawings/_rels/drawing1.xml.rels": links(chart="../charts/chart1.xml"),
        "xl/charts/chart1.xml": _CHART,
    }

    document = read(drawn(anchor(frame), parts), XLSX)

    assert document.text.endswith("May\n\nRain by month")


def test_a_damaged_drawing_costs_only_itself(read: Read) -> None:
    document = read(drawn("<x:twoCellAnchor>"), XLSX)

    assert document.text == "Harvest | of | May"
    assert "drawing1.xml" in document.failures[0]
