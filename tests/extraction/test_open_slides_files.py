from collections.abc import Callable

import pytest

from gdrive_rag_mcp.domain import Document, Locator, Reason, SegmentKind
from gdrive_rag_mcp.errors import ExtractionError
from tests.extraction.made_open_documents import (
    SLIDES,
    box,
    content,
    deck,
    frame,
    p,
    page,
    part,
    picture,
    saved,
)

Read = Callable[[bytes, str], Document]
STYLES = part(
    "office:document-styles",
    '<office:automatic-styles><style:page-layout style:name="PM0"><style:page-layout-properties '
    'fo:page-width="21cm" fo:page-height="29.7cm"/></style:page-layout><style:page-layout '
    'style:name="PM1"><style:page-layout-properties fo:page-width="28cm" fo:page-height="21cm"/>'
    "</style:page-layout></office:automatic-styles><office:master-styles>"
    '<style:master-page style:name="M" style:page-layout-name="PM1"/></office:master-styles>',
)


def said(document: Document) -> list[str]:
    return [document.text[each.start : each.end] for each in document.segments]


def test_pages_come_in_order_each_under_its_title_which_comes_first(read: Read) -> None:
    first = page(box("Thirty days.", role="outline"), box("Leave", "and rest", role="title"))

    document = read(deck(first, page(box("No title here."))), SLIDES)

    assert said(document) == ["Leave and rest", "Thirty days.", "No title here."]
    assert document.title == "Leave and rest"
    heading, below, untitled = document.segments
    assert heading.kind is SegmentKind.HEADING
    assert (below.locator, below.headings) == (Locator("slide", "1", 1, 1), ("Leave and rest",))
    assert (untitled.locator.value, untitled.headings) == ("2", ("Slide 2",))


def test_lists_lines_groups_and_shapes_are_read_in_order_and_apart(read: Read) -> None:
    items = "".join(f"<text:list-item>{p(each)}</text:list-item>" for each in ("one", "two"))
    nested = f"<text:list><text:list-item>{p('deep')}</text:list-item></text:list>"
    outline = f"<draw:text-box><text:list>{items}{nested}</text:list></draw:text-box>"
    group = f"<draw:g><draw:g><draw:rect>{p('BOX')}</draw:rect></draw:g>{box('SECOND')}</draw:g>"
    link = f'<draw:a xlink:href="http://x">{box("linked")}</draw:a>'

    document = read(deck(page(frame(outline), group, link)), SLIDES)

    assert document.text == "one\ntwo\ndeep\n\nBOX\n\nSECOND\n\nlinked"


@pytest.mark.parametrize(
    ("attributes", "heading"),
    [
        ('draw:style-name="off"', "Slide 1 (hidden slide)"),
        ('draw:style-name="child"', "Slide 1 (hidden slide)"),
        ('draw:style-name="shown"', "Slide 1"),
        ('draw:style-name="loop"', "Slide 1"),
        ('presentation:visibility="hidden"', "Slide 1 (hidden slide)"),
    ],
)
def test_a_hidden_page_is_read_and_told(read: Read, attributes: str, heading: str) -> None:
    def style(name: str, parent: str, visibility: str = "") -> str:
        said = f'presentation:visibility="{visibility}"' if visibility else ""
        return (
            f'<style:style style:name="{name}" style:family="drawing-page" '
            f'style:parent-style-name="{parent}"><style:drawing-page-properties {said}/>'
            "</style:style>"
        )

    styles = style("off", "x", "hidden") + style("child", "off") + style("shown", "off", "visible")
    styles += style("loop", "loop")

    document = read(deck(page(box("Text."), attributes=attributes), styles=styles), SLIDES)

    assert document.segments[0].headings == (heading,)


def test_notes_and_comments_are_marked_and_come_after_the_page(read: Read) -> None:
    comment = (
        f"<office:annotation><dc:creator>Kim</dc:creator>{p('Too', 'long?')}</office:annotation>"
    )
    within = f"so<office:annotation>{p('Source?')}</office:annotation>, too"
    spoken = box("Say hi.", role="notes")
    notes = f"<presentation:notes><draw:page-thumbnail/>{spoken}</presentation:notes>"

    document = read(deck(page(comment, notes, box(within)), page(box("next"))), SLIDES)

    assert said(document) == [
        "so, too",
        "Say hi.",
        "[Comment by Kim] Too long?",
        "[Comment] Source?",
        "next",
    ]
    labels = [each.locator.label for each in document.segments]
    assert labels == [None, "notes", "comments", "comments", None]


def test_a_table_is_read_once_with_its_columns_named_and_merged_cells_filled(read: Read) -> None:
    def cell(text: str, attributes: str = "") -> str:
        return f"<table:table-cell {attributes}>{p(text)}</table:table-cell>"

    covered = "<table:covered-table-cell/>"
    rows = [
        cell("City") + cell("Name") + cell("Days"),
        cell("Seoul", 'table:number-rows-spanned="2"') + cell("Kim") + cell("12"),
        covered + cell("Lee") + cell("9"),
        cell("both", 'table:number-columns-repeated="2"')
        + cell("", 'table:number-columns-repeated="9999"'),
    ]
    head, *below = [f"<table:table-row>{each}</table:table-row>" for each in rows]
    preview = '<draw:image xlink:href="Pictures/TablePreview1.svm"/>'
    table = f"<table:table-header-rows>{head}</table:table-header-rows>{''.join(below)}"
    framed = frame(f"<table:table>{table}</table:table>{preview}")

    document = read(deck(page(framed)), SLIDES)

    assert said(document) == [
        "City | Name | Days",
        "City: Seoul | Name: Kim | Days: 12",
        "City: Seoul | Name: Lee | Days: 9",
        "City: both | Name: both",
    ]
    assert document.segments[-1].context == "City | Name | Days"
    assert document.segments[-1].kind is SegmentKind.ROW


def test_a_chart_says_its_titles_and_its_table(read: Read) -> None:
    def row(*cells: str) -> str:
        made = "".join(f"<table:table-cell>{p(each)}</table:table-cell>" for each in cells)
        return f"<table:table-row>{made}</table:table-row>"

    chart = (
        f"<chart:chart><chart:title>{p('Revenue')}</chart:title><chart:plot-area><chart:axis>"
        f"<chart:title>{p('USD m')}</chart:title></chart:axis></chart:plot-area><table:table>"
        f"<table:table-header-rows>{row('', 'Sales', 'Costs')}</table:table-header-rows>"
        f"<table:table-rows>{row('Q1', '12', 'NaN')}{row('Q2', '14', '9')}</table:table-rows>"
        "</table:table></chart:chart>"
    )
    shape = frame('<draw:object xlink:href="./Object 1"/><draw:image/>')

    document = read(
        deck(page(shape), parts={"Object 1/content.xml": content("chart", chart)}), SLIDES
    )

    assert said(document) == ["Revenue", "USD m", "Q1 | Sales: 12", "Q2 | Sales: 14 | Costs: 9"]
    assert document.segments[-1].context == "Revenue | USD m"


def test_other_objects_are_told_and_cost_only_themselves(read: Read) -> None:
    objects = "".join(frame(f'<draw:object xlink:href="./Object {each}"/>') for each in (1, 2, 3))
    parts = {
        "Object 1/content.xml": content("spreadsheet", ""),
        "Object 2/content.xml": "<math/>",
    }

    document = read(deck(page(box("kept"), objects), parts=parts), SLIDES)

    assert said(document) == ["kept"]
    assert [each.partition(":")[0] for each in document.failures] == ["slide 1", "slide 1"]
    assert "embedded document" in document.failures[0]
    assert "Object 3" in document.failures[1]


def test_footers_that_pages_use_are_said_once_and_page_numbers_never(read: Read) -> None:
    declared = (
        '<presentation:footer-decl presentation:name="f">For staff</presentation:footer-decl>'
        '<presentation:footer-decl presentation:name="g">Unused</presentation:footer-decl>'
        '<presentation:date-time-decl presentation:name="d" presentation:source="current-date">now'
        "</presentation:date-time-decl>"
    )
    uses = 'presentation:use-footer-name="f" presentation:use-date-time-name="d"'
    pages = [page(box("Text <text:page-number>7</text:page-number>"), attributes=uses)] * 2

    document = read(deck(*pages, declared=declared), SLIDES)

    assert said(document) == ["Text", "Text", "For staff"]
    assert document.segments[-1].locator == Locator("part", "footer")


def test_pictures_are_described_and_a_deck_of_nothing_else_needs_ocr(read: Read) -> None:
    described = read(
        deck(page(box("Text."), picture("A queue at gate 4"), picture("a.png"))), SLIDES
    )
    with pytest.raises(ExtractionError) as large:
        read(deck(page(picture()), parts={"styles.xml": STYLES}), SLIDES)
    with pytest.raises(ExtractionError) as small:
        read(deck(page(picture(width="2cm", height="2cm")), parts={"styles.xml": STYLES}), SLIDES)

    assert said(described) == ["Text.", "[Picture: A queue at gate 4]"]
    assert large.value.reason is Reason.NEEDS_OCR
    assert small.value.reason is Reason.NO_TEXT


def test_without_a_title_on_its_first_page_a_deck_has_the_title_of_its_properties(
    read: Read,
) -> None:
    inner = "<office:meta><dc:title>Budget 2026</dc:title></office:meta>"
    parts = {"meta.xml": part("office:document-meta", inner)}

    assert read(deck(page(box("Text.")), parts=parts), SLIDES).title == "Budget 2026"


def test_a_deck_nested_without_end_is_refused_for_what_it_costs(read: Read) -> None:
    nested = "<draw:g>" * 3_000 + box("deep") + "</draw:g>" * 3_000

    with pytest.raises(ExtractionError) as refused:
        read(deck(page(nested)), SLIDES)

    assert refused.value.reason is Reason.RESOURCE_LIMIT


def test_an_object_that_is_the_deck_itself_is_not_read_again(read: Read) -> None:
    shape = frame('<draw:object xlink:href="./"/>')

    document = read(deck(page(box("once"), shape)), SLIDES)

    assert said(document) == ["once"]
    assert len(document.failures) == 1


def test_a_deck_without_its_body_is_corrupt(read: Read) -> None:
    with pytest.raises(ExtractionError) as refused:
        read(saved({"content.xml": content("text", p("x"))}, SLIDES), SLIDES)

    assert refused.value.reason is Reason.CORRUPT
