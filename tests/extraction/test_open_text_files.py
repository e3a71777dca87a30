from collections.abc import Callable

import pytest

from gdrive_rag_mcp.domain import Document, Reason, SegmentKind
from gdrive_rag_mcp.errors import ExtractionError
from tests.extraction.open_files import NAMESPACES, encrypted_manifest, open_file, properties

Read = Callable[[bytes, str], Document]
ODT = "application/vnd.oasis.opendocument.text"


def odt(body: str, *, styles: str = "", **parts: str) -> bytes:
    members = {f"{name}.xml": content for name, content in parts.items()}
    return open_file("text", body, styles=styles, parts=members)


def heading(level: int, text: str) -> str:
    return f'<text:h text:outline-level="{level}">{text}</text:h>'


def table(*rows: str) -> str:
    return f"<table:table>{''.join(rows)}</table:table>"


def row(*cells: str) -> str:
    wrapped = (f"<table:table-cell><text:p>{each}</text:p></table:table-cell>" for each in cells)
    return f"<table:table-row>{''.join(wrapped)}</table:table-row>"


def said(document: Document) -> list[str]:
    return [document.text[each.start : each.end] for each in document.segments]


def test_headings_make_the_path_and_paragraphs_stand_under_it(read: Read) -> None:
    document = read(
        odt(
            f"<text:p>Before.</text:p>{heading(1, '휴가')}<text:p>Text.</text:p>"
            f"{heading(2, 'Nghỉ')}<text:p>More.</text:p>{heading(1, 'End')}<text:p>Last.</text:p>"
        ),
        ODT,
    )

    assert [each.headings for each in document.segments] == [
        (), ("휴가",), ("휴가",), ("휴가", "Nghỉ"), ("휴가", "Nghỉ"), ("End",), ("End",),
    ]  # fmt: skip
    assert document.segments[0].locator.value == "1"
    assert document.segments[0].locator.kind == "paragraph"
    assert document.segments[4].locator.value == "휴가 > Nghỉ"
    assert document.segments[1].kind is SegmentKind.HEADING


def test_the_title_is_that_of_the_text_else_that_of_the_properties(read: Read) -> None:
    style = '<style:style style:name="P1" style:parent-style-name="Title"/>'
    titled = odt('<text:p text:style-name="P1">Plan</text:p>', styles=style, meta=properties("X"))

    assert read(titled, ODT).title == "Plan"
    assert read(odt("<text:p>a</text:p>", meta=properties("Given")), ODT).title == "Given"


def test_spaces_tabs_and_breaks_are_as_the_reader_sees_them(read: Read) -> None:
    body = "<text:p>a\n   b<text:s text:c='2'/>c<text:tab/>d<text:line-break/>e</text:p>"

    assert read(odt(body), ODT).text == "a b  c\td\ne"


def test_items_of_lists_have_their_numbers_and_bullets(read: Read) -> None:
    styles = (
        '<text:list-style style:name="N"><text:list-level-style-number text:level="1" '
        'style:num-format="1" style:num-suffix="."/><text:list-level-style-number text:level="2" '
        'style:num-format="a" style:num-suffix=")" text:display-levels="2"/></text:list-style>'
    )
    inner = "<text:list><text:list-item><text:p>deep</text:p></text:list-item></text:list>"
    numbered = (
        f'<text:list text:style-name="N"><text:list-item><text:p>one</text:p>{inner}'
        "</text:list-item><text:list-item><text:p>two</text:p></text:list-item></text:list>"
    )
    bulleted = "<text:list><text:list-item><text:p>dot</text:p></text:list-item></text:list>"
    again = (
        '<text:list text:style-name="N" text:continue-numbering="true"><text:list-item>'
        "<text:p>three</text:p></text:list-item></text:list>"
        '<text:list text:style-name="N"><text:list-item><text:p>new</text:p></text:list-item>'
        "</text:list>"
    )

    document = read(odt(f"<text:p>Lead:</text:p>{numbered}{bulleted}{again}", styles=styles), ODT)

    assert said(document) == [
        "Lead:", "1. one", "1.a) deep", "2. two", "• dot", "3. three", "1. new",
    ]  # fmt: skip
    assert "1. one\n1.a) deep\n2. two" in document.text


def test_tables_are_rows_under_their_names_and_merged_cells_are_filled(read: Read) -> None:
    names = f"<table:table-header-rows>{row('Who', 'Days')}</table:table-header-rows>"
    merged = (
        '<table:table-row><table:table-cell table:number-rows-spanned="2"><text:p>Kim</text:p>'
        "</table:table-cell><table:table-cell><text:p>1</text:p></table:table-cell>"
        "</table:table-row><table:table-row><table:covered-table-cell/><table:table-cell>"
        "<text:p>2</text:p></table:table-cell></table:table-row>"
    )

    document = read(odt(table(names, merged)), ODT)

    assert said(document) == ["Who | Days", "Kim | 1", "Kim | 2"]
    assert [each.context for each in document.segments] == ["", "Who | Days", "Who | Days"]
    assert document.segments[1].kind is SegmentKind.ROW


def test_cells_repeated_without_end_do_no_harm(read: Read) -> None:
    wide = (
        '<table:table-row table:number-rows-repeated="999999999"><table:table-cell '
        'table:number-columns-repeated="999999999"><text:p>x</text:p></table:table-cell>'
        "<table:table-cell/></table:table-row>"
    )

    assert len(read(odt(table(wide) + "<text:p>end</text:p>"), ODT).text) < 100_000


def test_a_table_of_one_column_is_a_frame_around_text(read: Read) -> None:
    document = read(odt(table(row("First."), row("Second."))), ODT)

    assert [each.kind for each in document.segments] == [SegmentKind.TEXT, SegmentKind.TEXT]


def test_notes_are_cited_with_the_place_that_refers_to_them(read: Read) -> None:
    note = (
        '<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation>'
        "<text:note-body><text:p>See above.</text:p></text:note-body></text:note>"
    )

    document = read(
        odt(f"{heading(1, 'A')}<text:p>Text{note} on.</text:p>{heading(1, 'B')}"
            f"{table(row('x', f'in a cell{note}'))}"),
        ODT,
    )  # fmt: skip

    assert said(document) == [
        "A", "Text[^1] on.", "B", "x | in a cell[^2]", "[^1] See above.", "[^2] See above.",
    ]  # fmt: skip
    assert document.segments[4].headings == ("A",)
    assert document.segments[5].headings == ("B",)


def test_comments_are_tagged_and_stand_apart(read: Read) -> None:
    comment = (
        "<office:annotation><dc:creator>Kim</dc:creator><text:p>Sure?</text:p></office:annotation>"
    )

    document = read(odt(f"<text:p>Some{comment} text</text:p><text:p>end</text:p>"), ODT)

    assert said(document) == ["Some text", "end", "[Comment by Kim] Sure?"]
    assert document.segments[2].locator.value == "comments"


def test_text_boxes_are_read_once_after_their_paragraph_and_structure_nothing(read: Read) -> None:
    inside = f"{heading(1, 'Boxed')}<text:p>in</text:p>"
    box = f"<draw:frame><draw:text-box>{inside}</draw:text-box></draw:frame>"

    document = read(odt(f"{heading(1, 'A')}<text:p>out{box}</text:p><text:p>on</text:p>"), ODT)

    assert said(document) == ["A", "out", "Boxed", "in", "on"]
    assert {each.headings for each in document.segments} == {("A",)}


def test_charts_and_descriptions_of_pictures_are_read_and_damaged_charts_told(read: Read) -> None:
    chart = (
        f"<office:document-content {NAMESPACES}><office:body><office:chart><chart:chart "
        'xmlns:chart="urn:oasis:names:tc:opendocument:xmlns:chart:1.0"><chart:title>'
        "<text:p>Days off</text:p></chart:title></chart:chart></office:chart></office:body>"
        "</office:document-content>"
    )
    link = 'xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href'
    body = (
        f'<text:p>a<draw:frame><draw:object {link}="./Object 1"/></draw:frame></text:p>'
        f'<draw:frame><draw:object {link}="./Object 2"/><svg:title>A plan</svg:title></draw:frame>'
        "<text:p>b<draw:frame><draw:table/></draw:frame></text:p>"
    )

    document = read(open_file("text", body, parts={"Object 1/content.xml": chart}), ODT)

    assert "Days off" in said(document)
    assert "[Picture: A plan]" in said(document)
    assert "Object 2/content.xml" in document.failures[0]


def test_deletions_under_review_are_left_out_and_insertions_are_kept(read: Read) -> None:
    changes = (
        "<text:tracked-changes><text:changed-region><text:deletion><text:p>gone</text:p>"
        "</text:deletion></text:changed-region></text:tracked-changes>"
    )
    body = '<text:p>kept <text:change-start text:change-id="c"/>new<text:change-end/></text:p>'

    assert read(odt(changes + body), ODT).text == "kept new"


def test_indexes_that_repeat_headings_are_left_out_and_others_are_read(read: Read) -> None:
    contents = (
        "<text:table-of-content><text:index-body><text:p>Leave 3</text:p></text:index-body>"
        "</text:table-of-content>"
    )
    sources = (
        "<text:bibliography><text:index-body><text:p>Kim 2020</text:p></text:index-body>"
        "</text:bibliography>"
    )

    assert read(odt(f"{contents}{heading(1, 'Leave')}{sources}"), ODT).text == "Leave\n\nKim 2020"


def test_sections_and_hidden_text_are_read(read: Read) -> None:
    body = '<text:section text:display="none"><text:p>tucked away</text:p></text:section>'

    assert read(odt(body), ODT).text == "tucked away"


def test_headers_and_footers_are_read_once(read: Read) -> None:
    box = "<draw:frame><draw:text-box><text:p>Secret</text:p></draw:text-box></draw:frame>"
    margins = {"header": box, "footer": "p. 1"}
    page = "".join(
        f"<style:{kind}><text:p>{text}</text:p></style:{kind}>" for kind, text in margins.items()
    )
    styles = (
        f"<office:document-styles {NAMESPACES}><office:master-styles>"
        f"<style:master-page>{page}</style:master-page><style:master-page>{page}"
        "</style:master-page></office:master-styles></office:document-styles>"
    )

    document = read(open_file("text", "<text:p>body</text:p>", parts={"styles.xml": styles}), ODT)

    assert said(document) == ["body", "Secret", "p. 1"]
    assert [each.locator.value for each in document.segments][1:] == ["header", "footer"]


def test_an_encrypted_text_is_told(read: Read) -> None:
    data = open_file("text", "", parts={"META-INF/manifest.xml": encrypted_manifest("text")})

    with pytest.raises(ExtractionError) as refusal:
        read(data, ODT)

    assert refusal.value.reason is Reason.ENCRYPTED


@pytest.mark.parametrize("body", ["<text:p>", "<text:p>&undefined;</text:p></wrong>"])
def test_a_damaged_text_is_corrupt(read: Read, body: str) -> None:
    with pytest.raises(ExtractionError) as refusal:
        read(odt(body), ODT)

    assert refusal.value.reason is Reason.CORRUPT


def test_what_is_nested_too_deeply_is_a_resource_limit(read: Read) -> None:
    with pytest.raises(ExtractionError) as refusal:
        read(odt("<text:section>" * 3000 + "</text:section>" * 3000), ODT)

    assert refusal.value.reason is Reason.RESOURCE_LIMIT


def test_a_text_without_words_has_no_text(read: Read) -> None:
    with pytest.raises(ExtractionError) as refusal:
        read(odt("<text:p/>"), ODT)

    assert refusal.value.reason is Reason.NO_TEXT


def test_hidden_text_is_no_content(read: Read) -> None:
    style = (
        '<style:style style:name="T1"><style:text-properties text:display="none"/></style:style>'
    )
    body = (
        '<text:p>Seen<text:span text:style-name="T1"> unseen</text:span>, too.</text:p>'
        '<text:p text:style-name="T1">Unseen.</text:p>'
    )

    document = read(odt(body, styles=style), ODT)

    assert document.text == "Seen, too."


@pytest.mark.parametrize(
    ("form", "start", "labels"),
    [
        ('style:num-format="i"', 3, ["iii.", "iv."]),
        ('style:num-format="I"', 8, ["VIII.", "IX."]),
        ('style:num-format="a"', 26, ["z.", "aa.", "ab."]),
        ('style:num-format="A" style:num-letter-sync="true"', 26, ["Z.", "AA.", "BB."]),
        ('style:num-format="I"', 4_000, ["4000."]),
    ],
)
def test_numerals_are_written_as_they_are_shown(
    read: Read, form: str, start: int, labels: list[str]
) -> None:
    styles = (
        '<text:list-style style:name="N"><text:list-level-style-number text:level="1" '
        f'{form} style:num-suffix="." text:start-value="{start}"/></text:list-style>'
    )
    items = "<text:list-item><text:p>x</text:p></text:list-item>" * len(labels)

    document = read(odt(f'<text:list text:style-name="N">{items}</text:list>', styles=styles), ODT)

    assert said(document) == [f"{label} x" for label in labels]


def test_headings_have_the_numbers_of_the_outline_in_text_and_path(read: Read) -> None:
    levels = (
        '<text:outline-level-style text:level="1" style:num-format="I" style:num-suffix="."/>'
        '<text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2"/>'
        '<text:outline-level-style text:level="3" style:num-format=""/>'
    )
    styles = (
        f"<office:document-styles {NAMESPACES}><office:styles><text:outline-style>{levels}"
        "</text:outline-style></office:styles></office:document-styles>"
    )
    apart = '<text:h text:outline-level="1" text:is-list-header="true">Preface</text:h>'
    again = '<text:h text:outline-level="1" text:restart-numbering="true">Annex</text:h>'
    body = (
        f"{apart}{heading(1, 'One')}{heading(2, 'a')}{heading(2, 'b')}{heading(3, 'deep')}"
        f"{heading(1, 'Two')}{heading(2, 'c')}<text:p>Text.</text:p>{again}"
    )

    document = read(open_file("text", body, parts={"styles.xml": styles}), ODT)

    assert said(document) == [
        "Preface", "I. One", "I.1 a", "I.2 b", "deep", "II. Two", "II.1 c", "Text.", "I. Annex",
    ]  # fmt: skip
    assert document.segments[7].locator.value == "II. Two > II.1 c"


def test_a_heading_that_is_an_item_of_a_list_has_its_number_but_no_bullet(read: Read) -> None:
    styles = (
        '<text:list-style style:name="N"><text:list-level-style-number text:level="1" '
        'style:num-format="1" style:num-suffix=")"/></text:list-style>'
    )
    lists = "".join(
        f"<text:list{style}><text:list-item>{heading(1, text)}</text:list-item></text:list>"
        for style, text in ((' text:style-name="N"', "Scope"), ("", "Plain"))
    )

    assert said(read(odt(lists, styles=styles), ODT)) == ["1) Scope", "Plain"]
