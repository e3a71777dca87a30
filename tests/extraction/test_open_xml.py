from collections.abc import Mapping

import pytest
from lxml import etree

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.input_file import InputFile
from gdrive_rag_mcp.extraction.ooxml import local_name, open_package
from gdrive_rag_mcp.extraction.open_document.table import read_rows
from gdrive_rag_mcp.extraction.open_document.xml import (
    annotation_text,
    flat_text,
    inline,
    open_document,
    paragraphs,
)
from gdrive_rag_mcp.extraction.reading import read_file
from tests.extraction.made_open_documents import TEXT, content, p, part, saved


def opened(parts: Mapping[str, str]) -> tuple[str, str, bool]:
    """The text of the body, the title and whether there are styles."""
    with open_document(InputFile(saved(parts, TEXT))) as document:
        return flat_text(document.body("text")), document.title(), document.styles is not None


def paragraph(inner: str) -> etree._Element:
    return etree.fromstring(part("text:p", inner))


def test_a_document_has_a_body_a_title_and_styles() -> None:
    meta = "<office:meta><dc:title>Leave</dc:title></office:meta>"
    parts = {
        "content.xml": content("text", p("one", "two")),
        "meta.xml": part("office:document-meta", meta),
        "styles.xml": part("office:document-styles", ""),
    }

    assert opened(parts) == ("one two", "Leave", True)


def test_only_the_content_is_needed() -> None:
    damaged = {"meta.xml": "<x>", "styles.xml": "<y", "META-INF/manifest.xml": "<z>"}

    assert opened({"content.xml": content("text", p("one")), **damaged}) == ("one", "", False)


@pytest.mark.parametrize(
    "parts", [{}, {"content.xml": "<x>"}, {"content.xml": content("drawing", "")}]
)
def test_a_document_without_the_content_asked_for_is_corrupt(parts: Mapping[str, str]) -> None:
    with pytest.raises(ExtractionError) as refused:
        opened(parts)

    assert refused.value.reason is Reason.CORRUPT


@pytest.mark.parametrize("name", ["content.xml", "encrypted-package"])
def test_a_password_is_told_from_damage(name: str) -> None:
    entry = (
        f'<manifest:file-entry manifest:full-path="{name}"><manifest:encryption-data/>'
        "</manifest:file-entry>"
    )
    parts = {"META-INF/manifest.xml": part("manifest:manifest", entry), "content.xml": "\x9d\x00"}

    with pytest.raises(ExtractionError) as refused:
        opened(parts)

    assert refused.value.reason is Reason.ENCRYPTED


def test_white_space_is_folded_and_what_stands_for_it_is_not() -> None:
    inner = (
        " one\n  <text:span> two</text:span> <text:s text:c='3'/>three<text:tab/>four"
        "<text:line-break/> five "
    )

    assert inline(paragraph(inner)).text == "one two    three\tfour\n five"


def test_absurd_numbers_of_spaces_are_bounded() -> None:
    assert len(inline(paragraph("a<text:s text:c='999999999'/>b")).text) <= 102
    assert inline(paragraph("a<text:s text:c='-5'/>b")).text == "a b"


def test_what_hangs_on_a_paragraph_is_apart_from_its_text_and_in_order() -> None:
    inner = (
        f"See<office:annotation>{p('why?')}</office:annotation> this<text:note>"
        "<text:note-citation>1</text:note-citation>"
        f"<text:note-body>{p('small')}</text:note-body></text:note>"
        f"<draw:frame><draw:text-box>{p('boxed')}</draw:text-box></draw:frame>"
        "<text:a>, linked</text:a><text:ruby><text:ruby-base>漢</text:ruby-base><text:ruby-text>"
        "kan</text:ruby-text></text:ruby>."
    )

    plain, marked = inline(paragraph(inner)), inline(paragraph(inner), lambda _: "[^1]")

    assert plain.text == "See this, linked漢."
    assert marked.text == "See this[^1], linked漢."
    assert [local_name(each) for each in plain.asides] == ["annotation", "note", "frame"]


def test_deleted_text_is_left_out_and_inserted_text_kept() -> None:
    body = (
        f"<text:tracked-changes><text:changed-region><text:deletion>{p('gone')}</text:deletion>"
        "</text:changed-region></text:tracked-changes>"
        f"{p('<text:change-start/>new<text:change-end/> and<text:change/> old')}"
    )

    assert opened({"content.xml": content("text", body)})[0] == "new and old"


def test_paragraphs_are_found_in_lists_sections_and_tables() -> None:
    inner = (
        f"<text:h>head</text:h><text:section>{p('in section')}</text:section>"
        f"<text:list><text:list-item>{p('item')}</text:list-item></text:list>"
        f"<table:table><table:table-row><table:table-cell>{p('cell')}</table:table-cell>"
        "</table:table-row></table:table>"
    )
    body = etree.fromstring(part("office:text", inner))

    assert [inline(each).text for each in paragraphs(body)] == [
        "head",
        "in section",
        "item",
        "cell",
    ]


def test_a_comment_has_its_author_if_it_has_one() -> None:
    named = etree.fromstring(
        part(
            "office:annotation",
            f"<dc:creator>Kim</dc:creator><dc:date>2026</dc:date>{p('Too', 'long?')}",
        )
    )
    bare = etree.fromstring(part("office:annotation", p("Source?")))
    blank = etree.fromstring(part("office:annotation", "<dc:creator>Kim</dc:creator>" + p(" ")))

    assert annotation_text(named) == "[Comment by Kim] Too long?"
    assert annotation_text(bare) == "[Comment] Source?"
    assert annotation_text(blank) == ""


def test_entities_are_neither_expanded_nor_fetched() -> None:
    entities = (
        '<!DOCTYPE x [<!ENTITY a "bomb bomb"><!ENTITY b "&a;&a;">'
        '<!ENTITY c SYSTEM "file:///etc/passwd">]>'
    )
    parts = {"content.xml": content("text", p("so &b;&c;far"), before=entities)}

    assert opened(parts)[0] == "so far"


def test_spans_and_repetitions_beyond_all_measure_are_bounded() -> None:
    huge = 'table:number-columns-{0}="999999999" table:number-rows-{0}="999999999"'
    row = "<table:table-row table:number-rows-repeated='1000000'>{}</table:table-row>"
    cells = f"<table:table-cell {huge.format('spanned')}>{p('wide')}</table:table-cell>"
    repeated = f"<table:table-cell {huge.format('repeated')}>{p('x')}</table:table-cell>"
    table = etree.fromstring(part("table:table", row.format(cells) + row.format(repeated)))

    rows = read_rows(table, flat_text)

    assert [each.number for each in rows] == [1, 2]
    assert len(rows[1].cells) == 1_000


@pytest.mark.parametrize("kind", ["text", "spreadsheet", "presentation"])
def test_a_file_without_its_content_is_corrupt_whatever_it_is(kind: str) -> None:
    media_type = f"application/vnd.oasis.opendocument.{kind}"

    with pytest.raises(ExtractionError) as refused:
        read_file(InputFile(saved({}, media_type)), media_type)

    assert refused.value.reason is Reason.CORRUPT
    assert "'content.xml' of the file is missing" in refused.value.message


def test_a_part_is_of_the_type_that_its_name_or_else_its_ending_is_given() -> None:
    types = (
        '<Types><Default Extension="XML" ContentType="text/xml"/>'
        '<Override PartName="/a/Main.xml" ContentType="text/main"/></Types>'
    )
    with open_package(InputFile(saved({"[Content_Types].xml": types}, TEXT))) as package:
        found = [package.media_type(f"a/{name}") for name in ("main.xml", "b.xml", "c", "d.rtf")]

    assert found == ["text/main", "text/xml", "", ""]
