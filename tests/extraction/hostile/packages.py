"""Hostile Office, OpenDocument and EPUB packages, and hostile ZIP archives."""

import io
import struct
import zipfile
from collections.abc import Iterable, Mapping
from types import MappingProxyType

WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
SHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
SLIDES = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
OPEN_TEXT = "application/vnd.oasis.opendocument.text"
OPEN_SHEET = "application/vnd.oasis.opendocument.spreadsheet"
BOOK = "application/epub+zip"

_OFFICE = "http://schemas.openxmlformats.org"
_WORD = f"{_OFFICE}/wordprocessingml/2006/main"
_SHEET = f"{_OFFICE}/spreadsheetml/2006/main"
_SLIDES = f"{_OFFICE}/presentationml/2006/main"
_DRAWING = f"{_OFFICE}/drawingml/2006/main"
_LINKS = f"{_OFFICE}/officeDocument/2006/relationships"
_OASIS = "urn:oasis:names:tc:opendocument:xmlns"


def packed(parts: Mapping[str, str | bytes], *, stored: Iterable[str] = ()) -> bytes:
    """A ZIP archive of these members."""
    stored = set(stored)
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            method = zipfile.ZIP_STORED if name in stored else zipfile.ZIP_DEFLATED
            archive.writestr(name, part, method)
    return content.getvalue()


def _links(*targets: tuple[str, str]) -> str:
    each = "".join(
        f'<Relationship Id="r{number}" Type="{_LINKS}/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(targets, 1)
    )
    return f'<Relationships xmlns="{_OFFICE}/package/2006/relationships">{each}</Relationships>'


# ── packages with a body of one's own ────────────────────────────────────────


def word(body: str, prologue: str = "") -> bytes:
    """A Word file; the prologue stands before its main part's root."""
    return packed(
        {
            "_rels/.rels": _links(("officeDocument", "word/document.xml")),
            "word/document.xml": f'{prologue}<w:document xmlns:w="{_WORD}"><w:body>{body}'
            "</w:body></w:document>",
        }
    )


def word_with_comment(author: str, text: str, prologue: str = "") -> bytes:
    """A Word file with a comment; the prologue stands before the comments' root."""
    comment = f'<w:comment w:author="{author}">{paragraph(text)}</w:comment>'
    return packed(
        {
            "_rels/.rels": _links(("officeDocument", "word/document.xml")),
            "word/_rels/document.xml.rels": _links(("comments", "comments.xml")),
            "word/document.xml": f'<w:document xmlns:w="{_WORD}"><w:body>{paragraph("body")}'
            "</w:body></w:document>",
            "word/comments.xml": f'{prologue}<w:comments xmlns:w="{_WORD}">{comment}</w:comments>',
        }
    )


def paragraph(text: str) -> str:
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def sheet(
    rows: str,
    *,
    after: str = "",
    before: str = "",
    prologue: str = "",
    others: Mapping[str, str] = MappingProxyType({}),
) -> bytes:
    """An Excel file with one sheet, and `others` of its parts."""
    kinds = [(part.rpartition(".")[0], part) for part in others]
    return packed(
        {
            "_rels/.rels": _links(("officeDocument", "xl/workbook.xml")),
            "xl/_rels/workbook.xml.rels": _links(("worksheet", "worksheets/sheet1.xml"), *kinds),
            "xl/workbook.xml": f'<workbook xmlns="{_SHEET}" xmlns:r="{_LINKS}"><sheets>'
            '<sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>',
            "xl/worksheets/sheet1.xml": f'{prologue}<worksheet xmlns="{_SHEET}">{before}'
            f"<sheetData>{rows}</sheetData>{after}</worksheet>",
            **{f"xl/{part}": content for part, content in others.items()},
        }
    )


def sheet_of_strings(text: str, prologue: str) -> bytes:
    """An Excel file whose one cell's text is among the shared strings, after the prologue."""
    strings = f'{prologue}<sst xmlns="{_SHEET}"><si><t>{text}</t></si></sst>'
    cell = '<row r="1"><c r="A1" t="s"><v>0</v></c></row>'
    return sheet(cell, others={"sharedStrings.xml": strings})


def inline(cell: str, text: str) -> str:
    return f'<c r="{cell}" t="inlineStr"><is><t>{text}</t></is></c>'


def slides(shapes: str, prologue: str = "") -> bytes:
    """A PowerPoint file with one slide."""
    return packed(
        {
            "_rels/.rels": _links(("officeDocument", "ppt/presentation.xml")),
            "ppt/_rels/presentation.xml.rels": _links(("slide", "slides/slide1.xml")),
            "ppt/presentation.xml": f'<p:presentation xmlns:p="{_SLIDES}" xmlns:r="{_LINKS}">'
            '<p:sldIdLst><p:sldId id="256" r:id="r1"/></p:sldIdLst></p:presentation>',
            "ppt/slides/slide1.xml": f'{prologue}<p:sld xmlns:p="{_SLIDES}" xmlns:a="{_DRAWING}">'
            f"<p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>",
        }
    )


def shape(text: str) -> str:
    return f"<p:sp><p:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>"


def open_document(mime_type: str, body: str, prologue: str = "") -> bytes:
    names = " ".join(f'xmlns:{name}="{_OASIS}:{name}:1.0"' for name in ("office", "text", "table"))
    return packed(
        {
            "mimetype": mime_type,
            "content.xml": f"{prologue}<office:document-content {names}><office:body>{body}"
            "</office:body></office:document-content>",
        },
        stored=["mimetype"],
    )


def open_text(text: str, prologue: str = "") -> bytes:
    body = f"<office:text><text:p>{text}</text:p></office:text>"
    return open_document(OPEN_TEXT, body, prologue)


def open_row(text: str) -> str:
    cell = f"<table:table-cell><text:p>{text}</text:p></table:table-cell>"
    return f"<table:table-row>{cell}</table:table-row>"


def open_sheet(rows: str, prologue: str = "", name: str = "S") -> bytes:
    table = f'<table:table table:name="{name}">{rows}</table:table>'
    return open_document(OPEN_SHEET, f"<office:spreadsheet>{table}</office:spreadsheet>", prologue)


def book(chapter: str, title: str = "", prologue: str = "") -> bytes:
    """An EPUB whose one chapter is this XHTML; the prologue stands before its list of parts."""
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0">'
        '<rootfiles><rootfile full-path="book.opf" media-type="application/oebps-package+xml"/>'
        "</rootfiles></container>"
    )
    opf = (
        f'{prologue}<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata>'
        f'<title xmlns="http://purl.org/dc/elements/1.1/">{title}</title></metadata><manifest>'
        '<item id="c" href="c.xhtml" media-type="application/xhtml+xml"/></manifest>'
        '<spine><itemref idref="c"/></spine></package>'
    )
    return packed(
        {
            "mimetype": BOOK,
            "META-INF/container.xml": container,
            "book.opf": opf,
            "c.xhtml": chapter,
        },
        stored=["mimetype"],
    )


# ── what hurts ───────────────────────────────────────────────────────────────


def far_cell() -> bytes:
    near, far = inline("A1", "near"), inline("XFD1048576", "far")
    return sheet(f'<row r="1">{near}</row><row r="1048576">{far}</row>')


def far_cell_in_disorder() -> bytes:
    return sheet(f'<row r="1">{inline("XFD1048576", "far")}{inline("A1", "near")}</row>')


def many_empty_rows() -> bytes:
    rows = "".join(f'<row r="{number}"/>' for number in range(2, 1_000_002))
    return sheet(f'<row r="1">{inline("A1", "first")}</row>{rows}')


def many_merged_ranges() -> bytes:
    merges = "".join(f'<mergeCell ref="A{n}:C{n}"/>' for n in range(1, 42_001))
    rows = "".join(f'<row r="{n}">{inline(f"A{n}", f"row {n}")}</row>' for n in range(1, 42_001))
    return sheet(rows, after=f'<mergeCells count="42000">{merges}</mergeCells>')


def one_merged_range_over_all() -> bytes:
    merge = '<mergeCells count="1"><mergeCell ref="A1:XFD1048576"/></mergeCells>'
    return sheet(f'<row r="1">{inline("A1", "everywhere")}</row>', after=merge)


def claimed_dimension() -> bytes:
    row = f'<row r="1">{inline("A1", "one cell")}</row>'
    return sheet(row, before='<dimension ref="A1:XFD1048576"/>')


def nested_tables(depth: int = 3_000) -> bytes:
    start, end = "<w:tbl><w:tr><w:tc>", "</w:tc></w:tr></w:tbl>"
    return word(start * depth + paragraph("inside") + end * depth)


def long_text_node(size: int = 200 << 20) -> bytes:
    return word(paragraph("a" * size))


def many_paragraphs(size: int = 200 << 20) -> bytes:
    one = paragraph("text")
    return word(one * (size // len(one)))


def nested_groups(depth: int = 3_000) -> bytes:
    return slides("<p:grpSp>" * depth + shape("inside") + "</p:grpSp>" * depth)


def repeated_rows_and_cells() -> bytes:
    cell = (
        '<table:table-cell table:number-columns-repeated="{}" office:value-type="string">'
        "<text:p>x</text:p></table:table-cell>"
    )
    rows = f'<table:table-row table:number-rows-repeated="1048576">{cell.format(16384)}'
    return open_sheet(f"{rows}</table:table-row>")


def repeated_empty_rows() -> bytes:
    cell = "<table:table-cell{}><text:p>{}</text:p></table:table-cell>"
    first = f"<table:table-row>{cell.format('', 'first')}</table:table-row>"
    blank = '<table:table-cell table:number-columns-repeated="16384"/>'
    gap = f'<table:table-row table:number-rows-repeated="1048574">{blank}</table:table-row>'
    last = f"<table:table-row>{cell.format('', 'last')}</table:table-row>"
    return open_sheet(first + gap + last)


def deep_chapter(depth: int = 200_000) -> bytes:
    start = '<html xmlns="http://www.w3.org/1999/xhtml"><body>'
    return book(start + "<div>" * depth + "inside" + "</div>" * depth + "</body></html>")


# ── hostile archives ─────────────────────────────────────────────────────────


def many_members() -> bytes:
    return packed({f"word/{number}.xml": "" for number in range(10_001)})


def overlapping_members() -> bytes:
    """Members whose directory entries all point at the same bytes (a quine's cheaper sister)."""
    first = packed({"word/document.xml": bytes(10 << 20)})
    at = first.index(b"PK\x01\x02")
    entry = first[at : first.index(b"PK\x05\x06")]
    directory = entry * 2_000
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 2_000, 2_000, len(directory), at, 0)
    return first[:at] + directory + end


def lying_sizes() -> bytes:
    """A member that is said to unpack to 100 bytes and unpacks to 300 MB."""
    content = bytearray(packed({"word/document.xml": bytes(300 << 20)}))
    local, central = content.index(b"PK\x03\x04"), content.index(b"PK\x01\x02")
    struct.pack_into("<L", content, local + 22, 100)
    struct.pack_into("<L", content, central + 24, 100)
    return bytes(content)


def nested_archives(depth: int = 12) -> bytes:
    content = bytes(10 << 20)
    for level in range(depth):
        content = packed({f"{level}.zip": content, f"{level}.again.zip": content})
    return content


def cut_off() -> bytes:
    return word(paragraph("text" * 1_000))[:-30]
