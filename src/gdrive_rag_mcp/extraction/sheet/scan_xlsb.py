"""Scans the worksheets of an XLSB file, which are binary records in parts of their own.

Format: [MS-XLSB], BIFF12.
"""

import struct
import zipfile
from collections.abc import Iterator, Mapping

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.ooxml import Package
from gdrive_rag_mcp.extraction.sheet.formats import KNOWN_FORMATS, NumberFormat, number_format
from gdrive_rag_mcp.extraction.sheet.scan import ERRORS, Scan

_WORKBOOK, _STYLES = "xl/workbook.bin", "xl/styles.bin"
_ROW, _COLUMN, _SHEET = 0, 60, 156
_FORMAT, _STYLE, _FIRST_STYLE, _LAST_STYLE = 44, 47, 617, 618
_FILLED = frozenset({2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 62})
_ERRORS = frozenset({3, 11})
_HIDDEN_ROW = 0x10
_MAX_VARINT = 4


def scan_xlsb(package: Package, archive: zipfile.ZipFile) -> Mapping[str, Scan]:
    """What is to be known of each sheet, by its name.

    Raises:
        ExtractionError: damaged (`corrupt`).
    """
    try:
        formats = _formats(archive.read(_STYLES)) if _STYLES in package else {}
        links = {link.id: link.target for link in package.relationships(_WORKBOOK)}
        sheets = list(_sheets(archive.read(_WORKBOOK)))
        return {
            name: _scan_sheet(archive.read(links[link]), formats)
            for name, link in sheets
            if links.get(link, "") in package
        }
    except (struct.error, LookupError, ValueError) as error:
        raise ExtractionError(Reason.CORRUPT, f"The workbook is damaged: {error}") from error


def _records(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Each record's type (of one or two bytes), and its body (after a length of one to four)."""
    at = 0
    while at < len(data):
        kind, at = _number(data, at, 2)
        length, at = _number(data, at, _MAX_VARINT)
        yield kind, data[at : at + length]
        at += length


def _number(data: bytes, at: int, longest: int) -> tuple[int, int]:
    """A number whose bytes say with their highest bit that another follows; and what is next.

    The type of a record keeps its marker bits out of the number as well: 0x9C 0x01 is 156.
    """
    number = 0
    for place in range(longest):
        byte = data[at + place]
        number |= (byte & 0x7F) << (7 * place)
        if byte < 0x80:  # noqa: PLR2004 - the highest bit
            return number, at + place + 1
    return number, at + longest


def _string(body: bytes, at: int) -> tuple[str, int]:
    length = struct.unpack_from("<I", body, at)[0]
    end = at + 4 + 2 * length
    return body[at + 4 : end].decode("utf-16-le", "replace"), end


def _sheets(data: bytes) -> Iterator[tuple[str, str]]:
    """The name of each sheet and the link to its part."""
    for kind, body in _records(data):
        if kind == _SHEET:
            link, end = _string(body, 8)
            yield _string(body, end)[0], link


def _formats(data: bytes) -> Mapping[int, NumberFormat]:
    codes = dict(KNOWN_FORMATS)
    styles: list[int] = []
    of_cells = False
    for kind, body in _records(data):
        if kind == _FORMAT:
            codes[struct.unpack_from("<H", body)[0]] = _string(body, 2)[0]
        elif kind in (_FIRST_STYLE, _LAST_STYLE):
            of_cells = kind == _FIRST_STYLE
        elif kind == _STYLE and of_cells:
            styles.append(struct.unpack_from("<H", body, 2)[0])
    made = {number: number_format(codes.get(number)) for number in set(styles)}
    return {at: found for at, number in enumerate(styles) if (found := made[number])}


def _scan_sheet(data: bytes, formats: Mapping[int, NumberFormat]) -> Scan:
    scan = Scan()
    row = 0
    found: list[tuple[int, NumberFormat]] = []
    for kind, body in _records(data):
        if kind == _ROW:
            scan.add_formats(row, found)
            row, found = struct.unpack_from("<I", body)[0] + 1, []
            if body[11] & _HIDDEN_ROW:
                scan.hidden_rows.add(row)
        elif kind in _FILLED:
            column = struct.unpack_from("<I", body)[0] + 1
            style = int.from_bytes(body[4:7], "little")
            scan.reach(row, column)
            if kind in _ERRORS:
                scan.remarks[row, column] = ERRORS.get(body[8], "#ERROR!")
            if style in formats:
                found.append((column, formats[style]))
        elif kind == _COLUMN and body[16] & 1:
            first, last = struct.unpack_from("<II", body)
            scan.hidden_columns.append((first + 1, last + 1))
    scan.add_formats(row, found)
    return scan
