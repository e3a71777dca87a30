"""Scans the worksheets of an XLS file, which are records in one stream.

Format: [MS-XLS] (BIFF8), and what of it holds for the programs before Excel 97 (BIFF5).
"""

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.office_97.compound_file import Ole
from gdrive_rag_mcp.extraction.sheet.formats import KNOWN_FORMATS, NumberFormat, number_format
from gdrive_rag_mcp.extraction.sheet.notes_xls import KINDS, XlsNotes
from gdrive_rag_mcp.extraction.sheet.scan import ERRORS, Scan

_FILEPASS, _BOUNDSHEET, _FORMAT, _XF = 0x2F, 0x85, 0x41E, 0xE0
_BOF, _EOF, _ROW, _COLINFO = 0x809, 0x0A, 0x208, 0x7D
_DIMENSIONS = 0x200
_MULRK, _BOOLERR, _FORMULA = 0xBD, 0x205, 0x06
# NUMBER, RK, LABELSST, LABEL, RSTRING, BOOLERR, FORMULA: row, column and style come first.
_CELLS = frozenset({0x203, 0x27E, 0xFD, 0x204, 0xD6, _BOOLERR, _FORMULA})
_BIFF8 = 0x600
_HIDDEN_ROW, _HIDDEN_COLUMN = 0x20, 0x01
_MOST_CELLS = 65_536 * 256
_ERROR_RESULT = 2
_RK_SIZE = 6


@dataclass(slots=True)
class _Book:
    """What the globals say: where each sheet begins, and how cell styles show numbers."""

    version: int = 0
    starts: list[int] = field(default_factory=list)
    codes: dict[int, str] = field(default_factory=lambda: dict(KNOWN_FORMATS))
    styles: list[int] = field(default_factory=list)

    def formats(self) -> Mapping[int, NumberFormat]:
        made = {number: number_format(self.codes.get(number)) for number in set(self.styles)}
        return {at: found for at, number in enumerate(self.styles) if (found := made[number])}


def scan_xls(ole: Ole) -> Sequence[Scan]:
    """What is to be known of each sheet, in the order of the workbook.

    Raises:
        ExtractionError: `encrypted`.
        ValueError: damaged; so are other errors of what is read, which `open_ole` knows.
    """
    name = next(each for each in ("Workbook", "Book") if ole.exists(each))
    data = ole.openstream(name).read()
    book = _read_globals(data)
    formats = book.formats()
    return [_scan_sheet(data, start, formats, book.version) for start in book.starts]


def _records(data: bytes, at: int) -> Iterator[tuple[int, bytes]]:
    while at + 4 <= len(data):
        kind, length = struct.unpack_from("<HH", data, at)
        yield kind, data[at + 4 : at + 4 + length]
        if kind == _EOF:
            return
        at += 4 + length


def _read_globals(data: bytes) -> _Book:
    book = _Book()
    for kind, body in _records(data, 0):
        if kind == _FILEPASS:
            raise ExtractionError(
                Reason.ENCRYPTED,
                "The workbook is protected by a password",
                hint="Save a copy without a password.",
            )
        if kind == _BOF:
            book.version = struct.unpack_from("<H", body)[0]
        elif kind == _BOUNDSHEET:
            book.starts.append(struct.unpack_from("<I", body)[0])
        elif kind == _FORMAT:
            number, code = _format(body, book.version)
            book.codes[number] = code
        elif kind == _XF:
            book.styles.append(struct.unpack_from("<H", body, 2)[0])
    return book


def _format(body: bytes, version: int) -> tuple[int, str]:
    if version < _BIFF8:
        return struct.unpack_from("<H", body)[0], body[3 : 3 + body[2]].decode("cp1252", "replace")
    number, length, flags = struct.unpack_from("<HHB", body)
    wide = flags & 1
    raw = body[5 : 5 + length * (1 + wide)]
    return number, raw.decode("utf-16-le" if wide else "latin-1", "replace")


def _scan_sheet(data: bytes, start: int, formats: Mapping[int, NumberFormat], version: int) -> Scan:
    scan = Scan()
    notes = XlsNotes()
    cells: dict[int, list[tuple[int, NumberFormat]]] = {}
    for kind, body in _records(data, start):
        if kind in _CELLS:
            row, column, style = struct.unpack_from("<HHH", body)
            _scan_cell(scan, kind, body, (row + 1, column + 1))
            if style in formats:
                cells.setdefault(row + 1, []).append((column + 1, formats[style]))
        elif kind == _MULRK:
            row, first = struct.unpack_from("<HH", body)
            styles = [style for style, _ in struct.iter_unpack("<HI", body[4 : len(body) - 2])]
            scan.reach(row + 1, first + len(styles))
            known = [
                (first + at, formats[style])
                for at, style in enumerate(styles, 1)
                if style in formats
            ]
            cells.setdefault(row + 1, []).extend(known)
        elif kind in KINDS and version >= _BIFF8:
            notes.take(kind, body)
        elif kind == _DIMENSIONS:
            _check_dimensions(body, version)
        else:
            _scan_layout(scan, kind, body)
    for number, found in cells.items():
        scan.add_formats(number, found)
    scan.notes = list(notes.notes())
    return scan


def _scan_cell(scan: Scan, kind: int, body: bytes, place: tuple[int, int]) -> None:
    scan.reach(*place)
    code = None
    if kind == _BOOLERR and body[7]:
        code = body[6]
    elif kind == _FORMULA and body[12:14] == b"\xff\xff" and body[6] == _ERROR_RESULT:
        code = body[8]
    if code is not None:
        scan.remarks[place] = ERRORS.get(code, "#ERROR!")


def _check_dimensions(body: bytes, version: int) -> None:
    """The reader asks for as much memory as a sheet claims to need."""
    form = "<IIHH" if version >= _BIFF8 else "<HHHH"
    first_row, last_row, first_column, last_column = struct.unpack_from(form, body)
    rows, columns = last_row - first_row, last_column - first_column
    if rows < 0 or columns < 0 or rows * columns > _MOST_CELLS:
        raise ValueError("a sheet claims more cells than there can be")


def _scan_layout(scan: Scan, kind: int, body: bytes) -> None:
    if kind == _ROW and body[12] & _HIDDEN_ROW:
        scan.hidden_rows.add(struct.unpack_from("<H", body)[0] + 1)
    elif kind == _COLINFO and body[8] & _HIDDEN_COLUMN:
        first, last = struct.unpack_from("<HH", body)
        scan.hidden_columns.append((first + 1, last + 1))
