"""Sees at a glance that a worksheet has nothing but plain values, which spares taking it apart.

Most of a large workbook is plain, and looking for a few strings costs a tenth of parsing it.
"""

import re
from collections.abc import Collection, Iterator

from gdrive_rag_mcp.extraction.sheet.scan import Scan
from gdrive_rag_mcp.extraction.sheet.values import column_number

_WINDOW = 1 << 22
_COLUMN = re.compile(rb'<c r="([A-Z]{1,3})\d{1,7}"')
_ROW = re.compile(rb'<c r="[A-Z]{1,3}(\d{1,7})"')
_STYLE = re.compile(rb' s="(\d+)"')
# Error values, formulas, what is hidden; and other ways to write XML, which are not understood.
_NOT_PLAIN = (b't="e"', b"<f>", b"<f ", b"<f/", b"hidden=", b"'", b" =", b"= ", b"<!", b":c ")


def glance(part: bytes, formatted: Collection[str]) -> Scan | None:
    """How far a worksheet reaches, or nothing if it has to be read to know.

    `formatted` are the styles whose numbers are not shown as they are.
    """
    scan = Scan()
    styles: set[bytes] = set()
    for window in _windows(part):
        columns = _COLUMN.findall(window)
        cells = window.count(b"<c ") + window.count(b"<c>")
        # A cell that is closed at once is blank, and does not count.
        if {len(columns), window.count(b"</c>")} != {cells} or any(
            each in window for each in _NOT_PLAIN
        ):
            return None
        if columns:
            rows = max(map(int, set(_ROW.findall(window))))
            scan.reach(rows, max(column_number(each.decode()) for each in set(columns)))
            styles.update(_STYLE.findall(window))
    is_plain = scan.rows and styles.isdisjoint(style.encode() for style in formatted)
    return scan if is_plain else None


def _windows(part: bytes) -> Iterator[bytes]:
    """The part in pieces that begin with a row, so that no cell is cut."""
    start = 0
    while start < len(part):
        end = part.find(b"<row", start + _WINDOW)
        end = len(part) if end < 0 else end
        yield part[start:end]
        start = end
