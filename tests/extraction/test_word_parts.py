"""Which parts of a Word file are read, how they are found, and what its tables say."""

import io
import zipfile
from collections.abc import Callable, Mapping, Sequence

import pytest

from gdrive_rag_mcp.domain import Document, SegmentKind

Read = Callable[[bytes, str], Document]
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
Link = tuple[str, str]
"""The kind of a link and its target, seen from the main part."""


def links(targets: Sequence[Link], mode: str = "") -> str:
    return "".join(
        f'<Relationship Id="r{at}{mode}" Type="{_OFFICE}/{kind}" Target="{target}"'
        + (f' TargetMode="{mode}"/>' if mode else "/>")
        for at, (kind, target) in enumerate(targets)
    )


def word(
    body: str,
    parts: Mapping[Link, str] | None = None,
    *,
    main: str = "word/document.xml",
    outside: Sequence[Link] = (),
) -> bytes:
    """A Word file; `parts` are by their links, `outside` are links that lead out of it."""
    folder, _, name = main.rpartition("/")
    relationships = f'<Relationships xmlns="{_PACKAGE}/relationships">{{}}</Relationships>'
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{_PACKAGE}/content-types"><Override PartName="/{main}" '
            f'ContentType="{WORD}.main+xml"/></Types>',
        )
        whole = links([("officeDocument", main)])
        archive.writestr("_rels/.rels", relationships.format(whole))
        own = links(list(parts or {})) + links(outside, "External")
        archive.writestr(f"{folder}/_rels/{name}.rels", relationships.format(own))
        archive.writestr(main, f"<w:document {_W}><w:body>{body}</w:body></w:document>")
        for (kind, target), inner in (parts or {}).items():
            archive.writestr(f"{folder}/{target}", f"<w:{kind} {_W}>{inner}</w:{kind}>")
    return file.getvalue()


def p(text: str) -> str:
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def row(*cells: str, header: bool = False) -> str:
    properties = "<w:trPr><w:tblHeader/></w:trPr>" if header else ""
    return f"<w:tr>{properties}{''.join(cells)}</w:tr>"


def cell(text: str = "", properties: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{p(text)}</w:tc>"


def said(document: Document) -> list[str]:
    return [document.text[each.start : each.end] for each in document.segments]


def in_part(document: Document, part: str) -> list[str]:
    return [
        document.text[each.start : each.end]
        for each in document.segments
        if each.locator.value == part
    ]


# ── tables ───────────────────────────────────────────────────────────────────


def test_rows_that_are_marked_as_headers_name_the_columns_whatever_they_say(read: Read) -> None:
    years = row(cell("2023"), cell("2024"), header=True)
    halves = row(cell("H1"), cell("H1"), header=True)
    data = row(cell("12"), cell("14"))

    document = read(word(f"<w:tbl>{years}{halves}{data}</w:tbl>"), WORD)

    assert [(each.kind, each.context) for each in document.segments] == [
        (SegmentKind.ROW, ""),
        (SegmentKind.ROW, ""),
        (SegmentKind.ROW, "2023 | 2024 / H1 | H1"),
    ]


def test_a_first_row_of_numbers_that_is_not_marked_names_no_column(read: Read) -> None:
    rows = row(cell("2023"), cell("2024")) + row(cell("12"), cell("14"))

    document = read(word(f"<w:tbl>{rows}</w:tbl>"), WORD)

    assert [each.context for each in document.segments] == ["", ""]


@pytest.mark.parametrize("span", [2, 3])
def test_a_cell_merged_downwards_beside_a_wide_one_stays_in_its_column(
    read: Read, span: int
) -> None:
    restart, onward = '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
    top = row(cell("wide", f'<w:gridSpan w:val="{span}"/>'), cell("Grade A", restart))
    below = row(*(cell(f"narrow {at}") for at in range(span)), cell("", onward))

    texts = said(read(word(f"<w:tbl>{top}{below}</w:tbl>"), WORD))

    narrow = " | ".join(f"narrow {at}" for at in range(span))
    assert [each for each in texts[0].split(" | ") if each.strip()] == ["wide", "Grade A"]
    assert texts[1] == f"{narrow} | Grade A"


def test_a_row_that_begins_further_right_stays_under_the_columns_it_stands_in(read: Read) -> None:
    restart = cell("Grade A", '<w:vMerge w:val="restart"/>')
    top = row(cell("Kim"), cell("12"), restart)
    late = '<w:tr><w:trPr><w:gridBefore w:val="1"/></w:trPr>{}</w:tr>'

    below = late.format(cell("9") + cell("", "<w:vMerge/>"))
    texts = said(read(word(f"<w:tbl>{top}{below}</w:tbl>"), WORD))

    assert texts[1].split(" | ")[-2:] == ["9", "Grade A"]


# ── notes, headers and footers ───────────────────────────────────────────────


def test_endnotes_are_read_where_they_are_referred_to_and_counted_with_footnotes(
    read: Read,
) -> None:
    body = (
        '<w:p><w:r><w:t>Paid</w:t><w:endnoteReference w:id="7"/></w:r></w:p>'
        '<w:p><w:r><w:t>Unpaid</w:t><w:footnoteReference w:id="7"/></w:r></w:p>'
    )
    parts = {
        ("endnotes", "endnotes.xml"): f'<w:endnote w:id="7">{p("Until May.")}</w:endnote>',
        ("footnotes", "footnotes.xml"): f'<w:footnote w:id="7">{p("From June.")}</w:footnote>',
    }

    document = read(word(body, parts), WORD)

    where = {document.text[each.start : each.end]: each.locator.value for each in document.segments}
    assert where == {
        "Paid[^1]": "1",
        "Unpaid[^2]": "2",
        "[^1] Until May.": "1",
        "[^2] From June.": "2",
    }


@pytest.mark.parametrize("kind", ["header", "footer"])
def test_sections_that_share_a_header_say_it_once_and_those_that_differ_say_each(
    read: Read, kind: str
) -> None:
    texts = ("ACME", "ACME", "Annex", "ACME")
    parts = {(kind, f"{kind}{at}.xml"): p(text) for at, text in enumerate(texts)}

    document = read(word(p("body"), parts), WORD)

    assert in_part(document, kind) == ["ACME", "Annex"]


# ── how parts are found ──────────────────────────────────────────────────────


@pytest.mark.parametrize("main", ["word/document2.xml", "content/text/main.xml"])
def test_the_main_part_is_the_one_that_the_file_points_to(read: Read, main: str) -> None:
    parts = {("header", "head.xml"): p("ACME")}

    document = read(word(p("Thirty days."), parts, main=main), WORD)

    assert said(document) == ["Thirty days.", "ACME"]


def test_what_a_link_leads_to_outside_of_the_file_is_no_part_of_it(read: Read) -> None:
    """Neither is it missed, nor is a part read that happens to have the same name."""
    parts = {("other", "lure.xml"): p("unseen")}
    outside = [
        ("header", "http://127.0.0.1:9/header.xml"),
        ("footer", "lure.xml"),
        ("styles", "styles.xml"),
    ]

    document = read(word(p("Thirty days."), parts, outside=outside), WORD)

    assert document.text == "Thirty days."
    assert document.failures == ()
