"""Small files of the kinds that are read most, made on the spot, for readers to warm up on."""

import io
import json
import zipfile
from collections.abc import Iterator, Mapping

_OOXML = "application/vnd.openxmlformats-officedocument"
_OPEN = "application/vnd.oasis.opendocument"
_OFFICE = "http://schemas.openxmlformats.org"
_KIND = f"{_OFFICE}/officeDocument/2006/relationships"
_DRAWING = f"{_OFFICE}/drawingml/2006/main"
_SAYING = "Thirty days of notice are given in writing."
_OPEN_NAMES = " ".join(
    f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for prefix, name in {
        "office": "office",
        "text": "text",
        "table": "table",
        "draw": "drawing",
    }.items()
)


def samples() -> Iterator[tuple[str, bytes]]:
    """Media types, each with a file of it."""
    yield "text/plain", f"{_SAYING}\n\n{_SAYING}\n".encode()
    yield "text/plain", ("회의는 목요일로 옮겨졌습니다.\n" * 9).encode("cp949")
    # Too short for its encoding to be sure, so that all likely ones are tried.
    yield "text/plain", "Räume für Gäste, dazu Getränke\n".encode("cp1252")
    yield "text/markdown", f"# Leave\n\n{_SAYING}\n\n| a | b |\n|---|---|\n| 1 | 2 |\n".encode()
    yield "text/csv", b"Item,Price\nTable,12.50\nChair,4.00\n"
    yield "text/html", _page().encode()
    yield "application/json", b'{"leave": {"days": 30, "carried": [1, 2]}}'
    yield "application/x-ipynb+json", _notebook()
    yield "message/rfc822", _mail().encode()
    yield "application/rtf", rb"{\rtf1\ansi{\fonttbl{\f0 Arial;}}\f0 Leave\par Thirty days.\par}"
    yield "application/pdf", _pdf()
    yield f"{_OOXML}.wordprocessingml.document", _word()
    yield f"{_OOXML}.spreadsheetml.sheet", _sheet()
    yield f"{_OOXML}.presentationml.presentation", _slides()
    yield f"{_OPEN}.text", _open_document("text", f"<text:h>Leave</text:h>{_open_paragraph()}")
    yield f"{_OPEN}.spreadsheet", _open_document("spreadsheet", _open_table())
    yield f"{_OPEN}.presentation", _open_document("presentation", _open_slide())
    yield "application/epub+zip", _book()


def _page() -> str:
    table = "<table><tr><th>a<th>b<tr><td>1<td>2</table>"
    return (
        "<!doctype html><html><head><title>Leave</title></head><body><main><h1>Leave</h1>"
        f"<p>{_SAYING} <a href='https://example.org'>More</a></p><ul><li>one<li>two</ul>{table}"
        "</main></body></html>"
    )


def _notebook() -> bytes:
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Leave\n", _SAYING]},
        {"cell_type": "code", "metadata": {}, "source": "1 + 1", "outputs": []},
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


def _mail() -> str:
    return (
        "From: a@example.org\nTo: b@example.org\nSubject: =?utf-8?q?Leave?=\nMIME-Version: 1.0\n"
        'Content-Type: multipart/mixed; boundary="x"\n\n'
        f"--x\nContent-Type: text/plain; charset=utf-8\n\n{_SAYING}\n"
        "--x\nContent-Type: text/csv\nContent-Transfer-Encoding: base64\n"
        'Content-Disposition: attachment; filename="a.csv"\n\nYSxiCjEsMgo=\n--x--\n'
    )


def _pdf() -> bytes:
    page = f"BT /F1 12 Tf 72 720 Td ({_SAYING}) Tj 0 -40 Td ({_SAYING}) Tj ET"
    objects = (
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 612 792]>>",
        "<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        f"<</Length {len(page)}>>stream\n{page}\nendstream",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
    )
    made, places = "%PDF-1.4\n", []
    for number, each in enumerate(objects, start=1):
        places.append(f"{len(made):010} 00000 n \n")
        made += f"{number} 0 obj{each}endobj\n"
    count = len(objects) + 1
    table = f"xref\n0 {count}\n0000000000 65535 f \n{''.join(places)}"
    tail = f"trailer<</Size {count}/Root 1 0 R>>\nstartxref\n{len(made)}\n%%EOF\n"
    return (made + table + tail).encode()


def _word() -> bytes:
    names = f'xmlns:w="{_OFFICE}/wordprocessingml/2006/main"'
    run = f"<w:r><w:rPr><w:b/></w:rPr><w:t>{_SAYING}</w:t></w:r>"
    cells = "<w:tc><w:p><w:r><w:t>1</w:t></w:r></w:p></w:tc>" * 2
    styles = (
        '<w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/>'
        '<w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style>'
    )
    body = (
        '<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Leave</w:t></w:r></w:p>'
        f"<w:p>{run}</w:p><w:tbl><w:tr>{cells}</w:tr><w:tr>{cells}</w:tr></w:tbl>"
    )
    parts = {
        "word/document.xml": f"<w:document {names}><w:body>{body}</w:body></w:document>",
        "word/styles.xml": f"<w:styles {names}>{styles}</w:styles>",
        "docProps/core.xml": f'<c:coreProperties xmlns:c="{_OFFICE}/package/2006/metadata/'
        'core-properties" xmlns:d="http://purl.org/dc/elements/1.1/"><d:title>Leave</d:title>'
        "</c:coreProperties>",
    }
    return _office("word/document.xml", parts, {"styles": "styles.xml"})


def _sheet() -> bytes:
    names = f'xmlns="{_OFFICE}/spreadsheetml/2006/main"'
    rows = "".join(
        f'<row r="{n}"><c r="A{n}" t="inlineStr"><is><t>a</t></is></c>'
        f'<c r="B{n}" s="1"><v>{n}</v></c></row>'
        for n in range(1, 6)
    )
    fonts = '<cellXfs><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/></cellXfs>'
    parts = {
        "xl/workbook.xml": f'<workbook {names} xmlns:r="{_KIND}"><sheets>'
        '<sheet name="S" sheetId="1" r:id="r0"/></sheets></workbook>',
        "xl/worksheets/sheet1.xml": f"<worksheet {names}><sheetData>{rows}</sheetData></worksheet>",
        "xl/styles.xml": f"<styleSheet {names}>{fonts}</styleSheet>",
    }
    links = {"worksheet": "worksheets/sheet1.xml", "styles": "styles.xml"}
    return _office("xl/workbook.xml", parts, links)


def _slides() -> bytes:
    names = f'xmlns:p="{_OFFICE}/presentationml/2006/main" xmlns:a="{_DRAWING}" xmlns:r="{_KIND}"'
    shape = (
        '<p:sp><p:nvSpPr><p:cNvPr id="2" name="T"/><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr>'
        f"<p:txBody><a:p><a:r><a:t>{_SAYING}</a:t></a:r></a:p></p:txBody></p:sp>"
    )
    parts = {
        "ppt/presentation.xml": f"<p:presentation {names}><p:sldIdLst>"
        '<p:sldId id="256" r:id="r0"/></p:sldIdLst></p:presentation>',
        "ppt/slides/slide1.xml": f"<p:sld {names}><p:cSld><p:spTree>{shape}</p:spTree></p:cSld>"
        "</p:sld>",
    }
    return _office("ppt/presentation.xml", parts, {"slide": "slides/slide1.xml"})


def _office(main: str, parts: Mapping[str, str], links: Mapping[str, str]) -> bytes:
    """An Office file: its parts, and what its main part points to."""
    folder, _, name = main.rpartition("/")
    return _archive(
        {
            "_rels/.rels": _relationships({"officeDocument": main}),
            f"{folder}/_rels/{name}.rels": _relationships(links),
            **parts,
        }
    )


def _relationships(links: Mapping[str, str]) -> str:
    made = "".join(
        f'<Relationship Id="r{number}" Type="{_KIND}/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(links.items())
    )
    names = f"{_OFFICE}/package/2006/relationships"
    return f'<Relationships xmlns="{names}">{made}</Relationships>'


def _open_document(kind: str, body: str) -> bytes:
    content = (
        f"<office:document-content {_OPEN_NAMES}><office:body><office:{kind}>{body}"
        f"</office:{kind}></office:body></office:document-content>"
    )
    return _archive({"mimetype": f"{_OPEN}.{kind}", "content.xml": content})


def _open_paragraph() -> str:
    return f"<text:p>{_SAYING}</text:p>"


def _open_table() -> str:
    row = f"<table:table-row>{f'<table:table-cell>{_open_paragraph()}</table:table-cell>' * 2}"
    return f'<table:table table:name="S">{f"{row}</table:table-row>" * 3}</table:table>'


def _open_slide() -> str:
    box = f"<draw:frame><draw:text-box>{_open_paragraph()}</draw:text-box></draw:frame>"
    return f'<draw:page draw:name="1">{box}</draw:page>'


def _book() -> bytes:
    container = "urn:oasis:names:tc:opendocument:xmlns:container"
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf"><metadata/><manifest><item id="a"'
        ' href="a.xhtml" media-type="application/xhtml+xml"/></manifest>'
        '<spine><itemref idref="a"/></spine></package>'
    )
    return _archive(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": f'<container xmlns="{container}"><rootfiles>'
            '<rootfile full-path="a.opf"/></rootfiles></container>',
            "a.opf": package,
            "a.xhtml": _page(),
        }
    )


def _archive(members: Mapping[str, str]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return content.getvalue()
