import io
import zipfile
from collections.abc import Callable, Mapping

import docx
import pytest
from docx.document import Document as DocxDocument

from gdrive_rag_mcp.domain import Document, Reason, SegmentKind
from gdrive_rag_mcp.errors import ExtractionError

Read = Callable[[bytes, str], Document]
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
TRANSITIONAL = "http://schemas.openxmlformats.org"
STRICT = "http://purl.oclc.org/ooxml"

_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_MAIN = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
_TYPES = (
    f'<Types xmlns="{_PACKAGE}/content-types">'
    f'<Override PartName="/word/document.xml" ContentType="{_MAIN}"/></Types>'
)
_RELATIONSHIPS = f'<Relationships xmlns="{_PACKAGE}/relationships">{{}}</Relationships>'
_LINK = '<Relationship Id="r{0}" Type="{1}/officeDocument/2006/relationships/{2}" Target="{3}"/>'


def word(
    body: str, parts: Mapping[str, str] | None = None, *, base: str = TRANSITIONAL, before: str = ""
) -> bytes:
    """A Word file from the XML inside its body; parts go by their kind, such as `footnotes`."""
    namespaces = (
        f'xmlns:w="{base}/wordprocessingml/2006/main" xmlns:v="urn:schemas-microsoft-com:vml" '
        'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
        'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"'
    )
    parts = parts or {}
    links = "".join(_LINK.format(n, base, kind, f"{kind}.xml") for n, kind in enumerate(parts))
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", _TYPES)
        main = _LINK.format("", base, "officeDocument", "word/document.xml")
        archive.writestr("_rels/.rels", _RELATIONSHIPS.format(main))
        archive.writestr("word/_rels/document.xml.rels", _RELATIONSHIPS.format(links))
        archive.writestr(
            "word/document.xml",
            f"{before}<w:document {namespaces}><w:body>{body}</w:body></w:document>",
        )
        for kind, inner in parts.items():
            archive.writestr(f"word/{kind}.xml", f"<w:{kind} {namespaces}>{inner}</w:{kind}>")
    return file.getvalue()


def p(text: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def saved(document: DocxDocument) -> bytes:
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def said(document: Document) -> list[str]:
    return [document.text[each.start : each.end] for each in document.segments]


def test_headings_make_the_path_and_the_first_alone_of_its_rank_the_title(read: Read) -> None:
    source = docx.Document()
    source.add_paragraph("Before.")
    source.add_heading("Leave", 1)
    source.add_heading("Unpaid", 2)
    source.add_paragraph("Up to thirty days.")

    document = read(saved(source), WORD)

    places = {document.text[each.start : each.end]: each for each in document.segments}
    assert document.title == "Leave"
    assert places["Unpaid"].kind is SegmentKind.HEADING
    assert places["Up to thirty days."].headings == ("Leave", "Unpaid")
    assert places["Up to thirty days."].locator.value == "Leave > Unpaid"
    assert (places["Before."].locator.kind, places["Before."].locator.value) == ("paragraph", "1")


def test_a_title_paragraph_is_the_title_and_no_part_of_the_path(read: Read) -> None:
    source = docx.Document()
    source.add_heading("Staff handbook", 0)
    source.add_heading("Leave", 1)
    source.add_paragraph("Text.")

    document = read(saved(source), WORD)

    assert document.title == "Staff handbook"
    assert document.segments[-1].headings == ("Leave",)


@pytest.mark.parametrize("name", ["제목 1", "Überschrift 1", "Titre 1", "見出し 1", "heading 1"])
def test_a_heading_style_counts_in_any_language_and_by_what_it_is_based_on(
    read: Read, name: str
) -> None:
    styles = (
        f'<w:style w:styleId="a"><w:name w:val="{name}"/></w:style>'
        '<w:style w:styleId="b"><w:name w:val="house"/><w:basedOn w:val="a"/></w:style>'
        '<w:style w:styleId="c"><w:name w:val="loop"/><w:basedOn w:val="c"/></w:style>'
    )
    body = p("Leave", '<w:pStyle w:val="b"/>') + p("text", '<w:pStyle w:val="c"/>')

    document = read(word(body, {"styles": styles}), WORD)

    assert document.segments[1].headings == ("Leave",)


def test_an_outline_level_wins_over_the_style(read: Read) -> None:
    styles = '<w:style w:styleId="h"><w:name w:val="heading 1"/></w:style>'
    body = p("Real", '<w:outlineLvl w:val="1"/>') + p(
        "Plain", '<w:pStyle w:val="h"/><w:outlineLvl w:val="9"/>'
    )

    document = read(word(body, {"styles": styles}), WORD)

    kinds = [each.kind for each in document.segments]
    assert kinds == [SegmentKind.HEADING, SegmentKind.TEXT]


def test_tables_stay_in_reading_order_with_their_header_as_context(read: Read) -> None:
    source = docx.Document()
    source.add_paragraph("above")
    table = source.add_table(rows=3, cols=2)
    for row, cells in enumerate((("Grade", "Days"), ("A", "12"), ("B", "9"))):
        for column, text in enumerate(cells):
            table.cell(row, column).text = text
    source.add_paragraph("below")

    document = read(saved(source), WORD)

    assert said(document) == ["above", "Grade | Days", "A | 12", "B | 9", "below"]
    assert [each.context for each in document.segments][1:4] == ["", "Grade | Days", "Grade | Days"]
    assert document.segments[2].kind is SegmentKind.ROW


def test_a_cell_merged_downwards_is_said_in_every_row(read: Read) -> None:
    source = docx.Document()
    table = source.add_table(rows=3, cols=2)
    table.cell(0, 0).merge(table.cell(2, 0)).text = "Seoul"
    for row, text in enumerate(("Kim", "Lee", "Park")):
        table.cell(row, 1).text = text

    assert said(read(saved(source), WORD)) == ["Seoul | Kim", "Seoul | Lee", "Seoul | Park"]


def test_absurd_numbers_in_attributes_are_taken_for_none(read: Read) -> None:
    absurd = "9" * 5000
    numbering = (
        f'<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="{absurd}"><w:start w:val="{absurd}"/>'
        '<w:lvlText w:val="%1."/></w:lvl></w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
    )
    cell = f'<w:tc><w:tcPr><w:gridSpan w:val="{absurd}"/></w:tcPr>{p("cell")}</w:tc>'
    body = p("item", f'<w:outlineLvl w:val="{absurd}"/><w:numPr><w:numId w:val="1"/></w:numPr>')

    document = read(
        word(f"{body}<w:tbl><w:tr>{cell}{cell}</w:tr></w:tbl>", {"numbering": numbering}), WORD
    )

    assert document.text == "1. item\n\ncell | cell"


def test_a_table_of_one_column_is_a_frame_around_text(read: Read) -> None:
    styles = '<w:style w:styleId="h"><w:name w:val="heading 1"/></w:style>'
    cell = p("Inside", '<w:pStyle w:val="h"/>') + p("words")
    body = f"<w:tbl><w:tr><w:tc>{cell}</w:tc></w:tr></w:tbl>"

    document = read(word(body, {"styles": styles}), WORD)

    assert said(document) == ["Inside", "words"]
    assert document.segments[1].headings == ("Inside",)


def test_a_table_in_a_cell_keeps_its_words_apart(read: Read) -> None:
    inner = (
        "<w:tbl>"
        + "".join(
            f"<w:tr><w:tc>{p(a)}</w:tc><w:tc>{p(b)}</w:tc></w:tr>"
            for a, b in (("A1", "B1"), ("A2", "B2"))
        )
        + "</w:tbl>"
    )
    body = f"<w:tbl><w:tr><w:tc>{p('left')}</w:tc><w:tc>{inner}</w:tc></w:tr></w:tbl>"

    assert read(word(body), WORD).text.replace(" ;", ";") == "left | A1, B1; A2, B2;"


def test_insertions_are_kept_and_deletions_dropped(read: Read) -> None:
    body = (
        "<w:p><w:r><w:t>paid </w:t></w:r><w:ins><w:r><w:t>leave</w:t></w:r></w:ins>"
        "<w:del><w:r><w:delText>vacation</w:delText></w:r></w:del>"
        "<w:moveFrom><w:r><w:t>moved</w:t></w:r></w:moveFrom></w:p>"
        "<w:tbl><w:tr><w:trPr><w:del/></w:trPr><w:tc><w:p><w:r><w:t>gone</w:t></w:r></w:p></w:tc>"
        "<w:tc><w:p/></w:tc></w:tr></w:tbl>"
    )

    assert read(word(body), WORD).text == "paid leave"


def test_content_controls_links_and_fields_are_read_through(read: Read) -> None:
    body = (
        f"<w:sdt><w:sdtPr><w:tag/></w:sdtPr><w:sdtContent>{p('controlled')}</w:sdtContent></w:sdt>"
        "<w:p><w:hyperlink><w:r><w:t>linked</w:t></w:r></w:hyperlink><w:r><w:tab/></w:r>"
        "<w:r><w:instrText>PAGEREF 1</w:instrText></w:r>"
        "<w:fldSimple><w:r><w:t>field</w:t></w:r></w:fldSimple></w:p>"
    )

    assert read(word(body), WORD).text == "controlled\n\nlinked\tfield"


def test_a_text_box_is_read_once(read: Read) -> None:
    box = f"<w:txbxContent>{p('boxed')}</w:txbxContent>"
    body = (
        "<w:p><w:r><w:t>around</w:t></w:r><w:r><mc:AlternateContent>"
        f"<mc:Choice><wps:txbx>{box}</wps:txbx></mc:Choice>"
        f"<mc:Fallback><w:pict><v:textbox>{box}</v:textbox></w:pict></mc:Fallback>"
        "</mc:AlternateContent></w:r></w:p>"
    )

    assert said(read(word(body), WORD)) == ["around", "boxed"]


def test_a_note_is_marked_in_the_text_and_cited_where_it_is_referred_to(read: Read) -> None:
    styles = '<w:style w:styleId="h"><w:name w:val="heading 1"/></w:style>'
    notes = (
        f'<w:footnote w:id="0" w:type="separator">{p("")}</w:footnote>'
        f'<w:footnote w:id="2">{p("Except in May.")}</w:footnote>'
    )
    body = (
        p("Leave", '<w:pStyle w:val="h"/>')
        + '<w:p><w:r><w:t>Paid</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p>'
        + p("Other", '<w:pStyle w:val="h"/>')
    )

    document = read(word(body, {"styles": styles, "footnotes": notes}), WORD)

    assert said(document)[1] == "Paid[^1]"
    assert said(document)[-1] == "[^1] Except in May."
    assert document.segments[-1].locator.value == "Leave"


def test_comments_headers_and_footers_stand_apart_and_once(read: Read) -> None:
    comments = f'<w:comment w:id="1" w:author="Kim">{p("Check this.")}</w:comment>'

    document = read(
        word(p("body"), {"comments": comments, "header": p("ACME"), "footer": p("Page")}), WORD
    )

    places = {
        document.text[each.start : each.end]: each.locator.value for each in document.segments
    }
    assert places == {
        "body": "1", "[Comment by Kim] Check this.": "comments", "ACME": "header", "Page": "footer",
    }  # fmt: skip


def test_numbered_paragraphs_show_the_numbers_that_word_would(read: Read) -> None:
    numbering = (
        '<w:abstractNum w:abstractNumId="0">'
        '<w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>'
        '<w:lvl w:ilvl="1"><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1.%2)"/></w:lvl>'
        '</w:abstractNum><w:num w:numId="5"><w:abstractNumId w:val="0"/></w:num>'
    )

    def item(text: str, level: int) -> str:
        return p(text, f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="5"/></w:numPr>')

    body = item("one", 0) + item("sub", 1) + item("sub", 1) + item("two", 0) + item("sub", 1)

    document = read(word(body, {"numbering": numbering}), WORD)

    assert document.text == "1. one\n1.a) sub\n1.b) sub\n2. two\n2.a) sub"


def test_strict_files_read_like_transitional_ones(read: Read) -> None:
    styles = '<w:style w:styleId="h"><w:name w:val="heading 1"/></w:style>'
    body = p("Leave", '<w:pStyle w:val="h"/>') + p("text")

    strict = read(word(body, {"styles": styles}, base=STRICT), WORD)

    assert strict == read(word(body, {"styles": styles}), WORD)


def test_no_entity_is_expanded_and_no_file_is_read(
    read: Read, tmp_path_factory: pytest.TempPathFactory
) -> None:
    secret = tmp_path_factory.mktemp("secret") / "secret.txt"
    secret.write_text("classified", encoding="utf-8")
    entities = f'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY s SYSTEM "{secret.as_uri()}">]>'

    document = read(
        word("<w:p><w:r><w:t>be&a;fore &s;after</w:t></w:r></w:p>", before=entities), WORD
    )

    assert document.text == "before after"


def test_deep_nesting_is_refused_and_does_not_recurse(read: Read) -> None:
    deep = "<w:tbl><w:tr><w:tc>" * 2000 + p("bottom") + "</w:tc></w:tr></w:tbl>" * 2000

    with pytest.raises(ExtractionError) as refusal:
        read(word(deep), WORD)

    assert refusal.value.reason is Reason.RESOURCE_LIMIT


def test_a_body_that_is_no_xml_is_corrupt(read: Read) -> None:
    with pytest.raises(ExtractionError) as refusal:
        read(word("<w:p><w:r>"), WORD)

    assert refusal.value.reason is Reason.CORRUPT


def test_a_damaged_part_beside_the_body_is_noted_and_the_body_read(read: Read) -> None:
    document = read(word(p("body"), {"footnotes": "<w:footnote"}), WORD)

    assert document.text == "body"
    assert "word/footnotes.xml" in document.failures[0]


# ── charts and diagrams ──────────────────────────────────────────────────────

_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006"
_CHART = (
    f'<c:chartSpace xmlns:c="{_DRAWING}/chart" xmlns:a="{_DRAWING}/main"><c:chart><c:plotArea>'
    "<c:barChart><c:ser><c:tx><c:strRef><c:strCache><c:pt idx='0'><c:v>Harvest</c:v></c:pt>"
    "</c:strCache></c:strRef></c:tx><c:cat><c:strRef><c:strCache><c:pt idx='0'><c:v>May</c:v>"
    "</c:pt></c:strCache></c:strRef></c:cat><c:val><c:numRef><c:numCache><c:pt idx='0'>"
    "<c:v>37</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser></c:barChart></c:plotArea>"
    "</c:chart></c:chartSpace>"
)
_DIAGRAM = (
    f'<d:dataModel xmlns:d="{_DRAWING}/diagram" xmlns:a="{_DRAWING}/main"><d:ptLst>'
    "<d:pt modelId='1'><d:t><a:p><a:r><a:t>Ask first</a:t></a:r></a:p></d:t></d:pt>"
    "</d:ptLst></d:dataModel>"
)


def drawn(element: str, kind: str, part: str | None) -> bytes:
    """A Word file whose second paragraph shows what another part holds."""
    links = f'xmlns:r="{TRANSITIONAL}/officeDocument/2006/relationships"'
    frame = f"<w:p><w:r><w:drawing {links}>{element}</w:drawing></w:r></w:p>"
    whole = zipfile.ZipFile(io.BytesIO(word(p("Before") + frame + p("After"))))
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in whole.namelist():
            content = whole.read(name)
            if name == "word/_rels/document.xml.rels":
                link = _LINK.format("9", TRANSITIONAL, kind, "shown.xml").encode()
                content = content.replace(b"</Rel", link + b"</Rel")
            archive.writestr(name, content)
        if part is not None:
            archive.writestr("word/shown.xml", part)
    return file.getvalue()


def test_a_chart_is_read_as_rows_where_it_stands(read: Read) -> None:
    chart = f'<c:chart xmlns:c="{_DRAWING}/chart" r:id="r9"/>'

    document = read(drawn(chart, "chart", _CHART), WORD)

    assert document.text == "Before\n\nMay | Harvest: 37\n\nAfter"
    assert document.segments[1].kind is SegmentKind.ROW


def test_a_diagram_is_read_where_it_stands(read: Read) -> None:
    diagram = f'<d:relIds xmlns:d="{_DRAWING}/diagram" r:dm="r9" r:lo="r1"/>'

    document = read(drawn(diagram, "diagramData", _DIAGRAM), WORD)

    assert document.text == "Before\n\nAsk first\n\nAfter"


@pytest.mark.parametrize("part", [None, "<no><xml>"])
def test_a_chart_that_cannot_be_read_costs_only_itself(read: Read, part: str | None) -> None:
    chart = f'<c:chart xmlns:c="{_DRAWING}/chart" r:id="r9"/>'

    document = read(drawn(chart, "chart", part), WORD)

    assert document.text == "Before\n\nAfter"
    assert "word/shown.xml" in document.failures[0]


@pytest.mark.parametrize(
    ("vanish", "text"),
    [("<w:vanish/>", "Seen."), ('<w:vanish w:val="0"/>', "Seen. Unseen."), ("", "Seen. Unseen.")],
)
def test_hidden_text_is_no_content(read: Read, vanish: str, text: str) -> None:
    run = f"<w:r><w:rPr>{vanish}</w:rPr><w:t> Unseen.</w:t></w:r>"

    document = read(word(f"<w:p><w:r><w:t>Seen.</w:t></w:r>{run}</w:p>"), WORD)

    assert document.text == text


# ── tables as forms are made of ──────────────────────────────────────────────


def places(document: Document) -> list[tuple[str, int | None]]:
    return [(each.locator.value, each.locator.first) for each in document.segments]


def grid(*rows: str) -> str:
    """A table from its rows, of which each is the XML of its cells."""
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in rows)}</w:tbl>"


def tc(text: str, span: int = 1, properties: str = "") -> str:
    return f'<w:tc><w:tcPr><w:gridSpan w:val="{span}"/>{properties}</w:tcPr>{p(text)}</w:tc>'


def test_each_table_is_cited_by_a_place_of_its_own(read: Read) -> None:
    first = grid(tc("Invoice") + tc("12345"), tc("Date") + tc("May"))
    second = grid(tc("Item") + tc("Chair"))

    document = read(word(first + p("between") + second + second), WORD)

    assert places(document) == [("1", 1), ("1", 1), ("2", 2), ("3", 3), ("4", 4)]


def test_a_note_in_a_table_is_cited_where_the_table_is(read: Read) -> None:
    marked = '<w:tc><w:p><w:r><w:footnoteReference w:id="2"/></w:r></w:p></w:tc>'
    notes = f'<w:footnote w:id="2">{p("Net.")}</w:footnote>'

    document = read(word(p("before") + grid(tc("Price") + marked), {"footnotes": notes}), WORD)

    assert said(document)[-1] == "[^1] Net."
    assert places(document)[-1] == ("2", 2)


def test_values_stand_under_their_names_when_names_span_columns(read: Read) -> None:
    rows = (
        tc("Person", 2) + tc("Town", 3),
        tc("Kim") + tc("Lee") + tc("Seoul", 3),
        tc("Park", 0) + tc("Choi") + tc("Busan", 3),
    )

    document = read(word(grid(*rows)), WORD)

    assert said(document) == ["Person |  | Town", "Kim | Lee | Seoul", "Park | Choi | Busan"]
    assert {each.context for each in document.segments[1:]} == {"Person | | Town"}


def test_a_cell_that_spans_columns_leaves_merges_below_in_their_place(read: Read) -> None:
    start, more = '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
    rows = (
        tc("a", 2) + tc("b", 1, start),
        tc("c") + tc("d") + tc("", 1, more),
    )

    assert said(read(word(grid(*rows)), WORD)) == ["a |  | b", "c | d | b"]


# ── embedded documents ───────────────────────────────────────────────────────

_CHUNK = '<w:altChunk xmlns:r="http://schemas.openxmlformats.org/officeDocument" r:id="r9"/>'
_PAGE_AS_MAIL = (
    b"MIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n\n--b\n"
    b"Content-Type: text/html\nContent-Location: file:///a.html\n\n"
    b"<p>Thirty days.</p>\n--b--\n"
)


def embedding(body: str, content: bytes | None, ending: str, media_type: str = "") -> bytes:
    """A Word file with an embedded document where its body has a `_CHUNK`."""
    whole = zipfile.ZipFile(io.BytesIO(word(body)))
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in whole.namelist():
            part = whole.read(name)
            if name == "word/_rels/document.xml.rels":
                link = _LINK.format("9", TRANSITIONAL, "aFChunk", f"chunk.{ending}").encode()
                part = part.replace(b"</Rel", link + b"</Rel")
            if name == "[Content_Types].xml" and media_type:
                default = f'<Default Extension="{ending}" ContentType="{media_type}"/></Types>'
                part = part.replace(b"</Types>", default.encode())
            archive.writestr(name, part)
        if content is not None:
            archive.writestr(f"word/chunk.{ending}", content)
    return file.getvalue()


@pytest.mark.parametrize(
    ("content", "ending", "media_type"),
    [
        (b"<p>Thirty days.</p>", "html", "text/html"),
        (b"<html><body><p>Thirty days.</p></body></html>", "htm", ""),
        (rb"{\rtf1\ansi Thirty days.\par}", "rtf", "application/rtf"),
        (b"Thirty days.", "txt", "text/plain"),
        (word(p("Thirty days.")), "docx", _MAIN),
        (_PAGE_AS_MAIL, "mht", "message/rfc822"),
    ],
)
def test_an_embedded_document_is_the_text_where_it_stands(
    read: Read, content: bytes, ending: str, media_type: str
) -> None:
    alone = read(embedding(_CHUNK, content, ending, media_type), WORD)
    amid = read(embedding(p("Before") + _CHUNK + p("After"), content, ending, media_type), WORD)

    assert said(alone) == ["Thirty days."]
    assert alone.failures == ()
    assert said(amid) == ["Before", "Thirty days.", "After"]
    assert places(amid) == [("1", 1), ("2", 2), ("3", 3)]


def test_headings_and_tables_of_an_embedded_document_stay_what_they_are(read: Read) -> None:
    page = (
        b"<title>Rules</title><h1>Leave</h1><h2>Paid</h2><table><tr><th>Who<th>Days</tr>"
        b"<tr><td>Kim<td>30</tr></table><h1>Pay</h1><p>Monthly."
    )

    document = read(embedding(p("Before") + _CHUNK + p("After"), page, "html", "text/html"), WORD)

    assert document.title == "Rules"
    assert [each.headings for each in document.segments] == [
        (), ("Leave",), *[("Leave", "Paid")] * 3, *[("Pay",)] * 3,
    ]  # fmt: skip
    assert document.segments[4].context == "Who | Days"
    assert document.segments[4].kind is SegmentKind.ROW


@pytest.mark.parametrize(
    ("content", "reason"), [(None, Reason.CORRUPT), (b"\x89PNG\r\n\x1a\n", Reason.UNSUPPORTED_TYPE)]
)
def test_an_embedded_document_that_cannot_be_read_is_told(
    read: Read, content: bytes | None, reason: Reason
) -> None:
    amid = read(embedding(p("Before") + _CHUNK, content, "bin"), WORD)
    with pytest.raises(ExtractionError) as refusal:
        read(embedding(_CHUNK, content, "bin"), WORD)

    assert said(amid) == ["Before"]
    assert "An embedded document was not read" in amid.failures[0]
    assert refusal.value.reason is reason
    assert "An embedded document was not read" in refusal.value.message


def test_documents_embedded_in_each_other_end_somewhere(read: Read) -> None:
    whole = word(p("innermost"))
    for level in range(8):
        whole = embedding(p(f"level {level}") + _CHUNK, whole, "docx", _MAIN)

    document = read(whole, WORD)

    assert "level 7" in document.text
    assert "innermost" not in document.text
    assert "lies within" in document.failures[0]
