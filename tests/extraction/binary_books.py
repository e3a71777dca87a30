"""Writes small workbooks in the binary forms, record by record, for tests to read.

Formats: [MS-XLS] (BIFF8) and [MS-XLSB] (BIFF12). A value is written as text, number, truth value,
error (`Error`) or formula with an error as its result (`Failed`).
"""

import io
import struct
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tests.extraction.ole import compound_file


@dataclass(frozen=True)
class Error:
    code: int


@dataclass(frozen=True)
class Failed:
    code: int


Value = str | float | bool | Error | Failed
Cells = Mapping[tuple[int, int], Value | tuple[Value, int]]


@dataclass(frozen=True)
class Sheet:
    """Cells by row and column from 0; a value may come with the number of a format."""

    name: str
    cells: Cells
    hidden: bool = False
    hidden_rows: Sequence[int] = ()
    hidden_columns: Sequence[tuple[int, int]] = ()
    notes: Sequence[tuple[int, int, str, str]] = ()
    """Row, column, author and text of comments; a row below 0 makes it a box. XLS only."""

    claims: tuple[int, int, int, int] | None = None
    """First and last row and column, as the sheet has them, where this is not the truth."""


def _split(value: Value | tuple[Value, int]) -> tuple[Value, int]:
    return value if isinstance(value, tuple) else (value, 0)


# ── XLS ──────────────────────────────────────────────────────────────────────


def xls(*sheets: Sheet, formats: Sequence[str] = (), encrypted: bool = False) -> bytes:
    """A workbook; cell formats count from 1 in the order of their codes."""
    return compound_file({"Workbook": _xls_stream(sheets, formats, encrypted=encrypted)})


def _xls_stream(sheets: Sequence[Sheet], formats: Sequence[str], *, encrypted: bool) -> bytes:
    head = _biff(0x809, struct.pack("<HHHHII", 0x600, 5, 0x0DBB, 0x07CC, 0, 6))
    if encrypted:
        head += _biff(0x2F, struct.pack("<HHH", 1, 1, 1) + bytes(48))
    head += _biff(0x42, struct.pack("<H", 1200))
    for number, code in enumerate(formats, 164):
        head += _biff(0x41E, struct.pack("<H", number) + _unicode(code, 2))
    for number in (0, *range(164, 164 + len(formats))):
        head += _biff(0xE0, struct.pack("<HHH", 0, number, 0) + bytes(14))
    bodies = [_xls_sheet(sheet) for sheet in sheets]
    bounds = [4 + 8 + 2 * len(sheet.name) for sheet in sheets]
    at = len(head) + sum(bounds) + 4
    for sheet, body in zip(sheets, bodies, strict=True):
        head += _biff(0x85, struct.pack("<IBB", at, sheet.hidden, 0) + _unicode(sheet.name, 1))
        at += len(body)
    return head + _biff(0x0A, b"") + b"".join(bodies)


def _xls_sheet(sheet: Sheet) -> bytes:
    body = _biff(0x809, struct.pack("<HHHHII", 0x600, 0x10, 0x0DBB, 0x07CC, 0, 6))
    if sheet.claims:
        body += _biff(0x200, struct.pack("<IIHHH", *sheet.claims, 0))
    for first, last in sheet.hidden_columns:
        body += _biff(0x7D, struct.pack("<HHHHHH", first, last, 2000, 0, 1, 0))
    for row in sorted({row for row, _ in sheet.cells}):
        flags = 0x120 if row in sheet.hidden_rows else 0x100
        body += _biff(0x208, struct.pack("<HHHHHHHH", row, 0, 256, 255, 0, 0, flags, 0))
    for (row, column), each in sheet.cells.items():
        value, style = _split(each)
        body += _xls_cell(struct.pack("<HHH", row, column, style), value)
    for number, (row, column, author, text) in enumerate(sheet.notes, 1):
        body += _biff(0x5D, struct.pack("<HHHHH12xHH", 0x15, 0x12, 0x19, number, 0, 0, 0))
        body += _biff(0x1B6, struct.pack("<HH6xHHI", 0, 0, len(text), 16, 0))
        half = len(text) // 2
        body += _biff(0x3C, b"\x01" + text[:half].encode("utf-16-le"))
        body += _biff(0x3C, b"\x01" + text[half:].encode("utf-16-le"))
        if row >= 0:
            place = struct.pack("<HHHH", row, column, 0, number)
            body += _biff(0x1C, place + _unicode(author, 2))
    return body + _biff(0x0A, b"")


def _xls_cell(place: bytes, value: Value) -> bytes:
    if isinstance(value, str):
        return _biff(0x204, place + _unicode(value, 2))
    if isinstance(value, Error):
        return _biff(0x205, place + struct.pack("<BB", value.code, 1))
    if isinstance(value, Failed):
        result = struct.pack("<BBBBBBH", 2, 0, value.code, 0, 0, 0, 0xFFFF)
        return _biff(0x06, place + result + struct.pack("<HIH", 0, 0, 3) + b"\x1e\x01\x00")
    if isinstance(value, bool):
        return _biff(0x205, place + struct.pack("<BB", value, 0))
    return _biff(0x203, place + struct.pack("<d", value))


def _biff(kind: int, body: bytes) -> bytes:
    return struct.pack("<HH", kind, len(body)) + body


def _unicode(text: str, width: int) -> bytes:
    return len(text).to_bytes(width, "little") + b"\x01" + text.encode("utf-16-le")


# ── XLSB ─────────────────────────────────────────────────────────────────────

_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="bin" ContentType='
    '"application/vnd.ms-excel.sheet.binary.macroEnabled.main"/></Types>'
)
_LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def xlsb(*sheets: Sheet, formats: Sequence[str] = ()) -> bytes:
    """A workbook; cell formats count from 1 in the order of their codes."""
    book = _record(131)
    book += _record(153, bytes(12)) + _record(143)
    for number, sheet in enumerate(sheets, 1):
        state = struct.pack("<II", sheet.hidden, number)
        book += _record(156, state + _wide(f"r{number}") + _wide(sheet.name))
    book += _record(144) + _record(132)
    styles = _record(278) + _record(615, struct.pack("<I", len(formats)))
    for number, code in enumerate(formats, 164):
        styles += _record(44, struct.pack("<H", number) + _wide(code))
    styles += _record(616) + _record(617, struct.pack("<I", len(formats) + 1))
    for number in (0, *range(164, 164 + len(formats))):
        styles += _record(47, struct.pack("<HH", 0, number) + bytes(12))
    styles += _record(618) + _record(279)
    links = [
        _link(f"r{at}", "worksheet", f"worksheets/sheet{at}.bin")
        for at in range(1, len(sheets) + 1)
    ]
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": _TYPES,
        "_rels/.rels": _links(_link("r1", "officeDocument", "xl/workbook.bin")),
        "xl/workbook.bin": book,
        "xl/styles.bin": styles,
        "xl/_rels/workbook.bin.rels": _links(*links, _link("s", "styles", "styles.bin")),
    }
    for number, sheet in enumerate(sheets, 1):
        parts[f"xl/worksheets/sheet{number}.bin"] = _xlsb_sheet(sheet)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return file.getvalue()


def _xlsb_sheet(sheet: Sheet) -> bytes:
    rows = sorted({row for row, _ in sheet.cells})
    last = max((column for _, column in sheet.cells), default=0)
    claims = sheet.claims or (0, max(rows, default=0), 0, last)
    body = _record(129) + _record(148, struct.pack("<IIII", *claims))
    for first, final in sheet.hidden_columns:
        body += _record(390) + _record(60, struct.pack("<IIIIH", first, final, 2000, 0, 1))
        body += _record(391)
    body += _record(145)
    for row in rows:
        flags = 0x10 if row in sheet.hidden_rows else 0
        body += _record(0, struct.pack("<IIHBBBI", row, 0, 300, 0, flags, 0, 0))
        for (at, column), each in sheet.cells.items():
            if at == row:
                value, style = _split(each)
                body += _xlsb_cell(struct.pack("<II", column, style), value)
    return body + _record(146) + _record(130)


def _xlsb_cell(place: bytes, value: Value) -> bytes:
    if isinstance(value, str):
        return _record(6, place + _wide(value))
    if isinstance(value, Error):
        return _record(3, place + bytes([value.code]))
    if isinstance(value, Failed):
        return _record(11, place + bytes([value.code]) + struct.pack("<HI", 0, 0) + bytes(4))
    if isinstance(value, bool):
        return _record(4, place + bytes([value]))
    return _record(5, place + struct.pack("<d", value))


def _record(kind: int, body: bytes = b"") -> bytes:
    return _varint(kind, 2) + _varint(len(body), 4) + body


def _varint(number: int, longest: int) -> bytes:
    out = b""
    for _ in range(longest):
        number, low = number >> 7, number & 0x7F
        out += bytes([low | (0x80 if number else 0)])
        if not number:
            break
    return out


def _wide(text: str) -> bytes:
    return struct.pack("<I", len(text)) + text.encode("utf-16-le")


def _link(identity: str, kind: str, target: str) -> str:
    return f'<Relationship Id="{identity}" Type="{_LINKS}/{kind}" Target="{target}"/>'


def _links(*links: str) -> str:
    space = "http://schemas.openxmlformats.org/package/2006/relationships"
    return f'<Relationships xmlns="{space}">{"".join(links)}</Relationships>'
