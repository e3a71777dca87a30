"""Scans the worksheets of an XLSX file, which are XML."""

import re
from collections.abc import Mapping
from functools import lru_cache
from string import ascii_letters, digits

from lxml import etree

from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.ooxml import (
    Element,
    Package,
    attribute,
    child,
    local_name,
    whole_number,
)
from gdrive_rag_mcp.extraction.sheet.formats import KNOWN_FORMATS, NumberFormat, number_format
from gdrive_rag_mcp.extraction.sheet.glance import glance
from gdrive_rag_mcp.extraction.sheet.scan import Scan
from gdrive_rag_mcp.extraction.sheet.values import column_number

WORKBOOK = "xl/workbook.xml"
MAX_ROW = 10_000_000
_MAX_COLUMN = 16_384
_MAX_FORMULA = 200
_MAX_LETTERS = 8
_REFERENCE = re.compile(r"([A-Z]{1,3})\d{1,7}$")
_REFERENCES = etree.XPath("*[*]/@r", smart_strings=False)
# Error values, and formulas without the value they last had; an empty string is one.
_UNSAID = etree.XPath(
    "*[local-name()='c'][@t='e'"
    " or (*[local-name()='f'] and not(@t='str') and not(*[local-name()='v']/text()))]"
)
Formats = Mapping[str | None, NumberFormat]
"""Formats by the number of the style that a cell has."""


def sheet_parts(package: Package, main: str) -> Mapping[str, str]:
    """The part that holds each worksheet, by the sheet's name; `main` lists them."""
    targets = {link.id: link.target for link in package.relationships(main)}
    sheets = child(package.xml(main), "sheets")
    return {
        attribute(sheet, "name") or "": targets.get(attribute(sheet, "id") or "", "")
        for sheet in ([] if sheets is None else sheets)
        if local_name(sheet) == "sheet"
    }


def format_codes(package: Package) -> Mapping[str, str]:
    """The code of the number format of each cell style; none when the styles are damaged."""
    try:
        root = package.xml("xl/styles.xml")
    except ExtractionError:
        return {}
    codes = {str(number): code for number, code in KNOWN_FORMATS.items()}
    for each in _children(root, "numFmts"):
        codes[attribute(each, "numFmtId") or ""] = attribute(each, "formatCode") or ""
    styles = (attribute(each, "numFmtId") or "" for each in _children(root, "cellXfs"))
    return {str(at): codes[number] for at, number in enumerate(styles) if number in codes}


def number_formats(codes: Mapping[str, str]) -> Formats:
    """The styles whose numbers are not shown as they are."""
    made = {code: number_format(code) for code in set(codes.values())}
    return {style: found for style, code in codes.items() if (found := made[code])}


def scan_sheet(package: Package, part: str, formats: Formats) -> Scan:
    """Read a worksheet's cells once, keeping no values.

    Raises:
        ExtractionError: the part is damaged or built to exhaust.
    """
    plain = glance(package.read(part), [style for style in formats if style])
    if plain:
        return plain
    scan = Scan()
    number = 0
    for element in package.stream(part, "row", "cols"):
        if local_name(element) == "cols":
            scan.hidden_columns = [_columns(each) for each in element if _is_hidden(each)]
            continue
        number = whole_number(element.get("r"), number + 1, MAX_ROW)
        _scan_row(element, number, scan, formats)
        forget(element)
    return scan


def _scan_row(row: Element, number: int, scan: Scan, formats: Formats) -> None:
    last = next((cell for cell in reversed(row) if len(cell)), None)
    if last is None:
        return
    scan.reach(number, cell_column(last))
    _reach_named(row, scan)
    if _is_hidden(row):
        scan.hidden_rows.add(number)
    for cell in _UNSAID(row):
        scan.remarks[number, cell_column(cell)] = _remark(cell)
    if formats:
        styles = [cell.get("s") for cell in row]
        if not formats.keys().isdisjoint(styles):
            styled = zip(row, map(formats.get, styles), strict=True)
            found = [(cell_column(cell), each) for cell, each in styled if each]
            scan.add_formats(number, found)


def _reach_named(row: Element, scan: Scan) -> None:
    """Cells reach where they say they stand, in whatever order and row they are written."""
    named = _REFERENCES(row)
    columns = {each.rstrip(digits) for each in named}
    rows = {each.lstrip(ascii_letters) for each in named}
    if named:
        scan.reach(max(map(_row_of, rows)), max(map(_column_of, columns)))


def _row_of(number: str) -> int:
    return whole_number(number, MAX_ROW if number.isdecimal() else 0, MAX_ROW)


@lru_cache(maxsize=1 << 15)
def _column_of(letters: str) -> int:
    """No reader knows what to make of other characters; of too many letters some are enough."""
    return column_number(letters[:_MAX_LETTERS].upper()) if letters.isalpha() else 0


def cell_column(cell: Element) -> int:
    """A cell that does not name its column stands where it is written."""
    place = _REFERENCE.match(cell.get("r") or "")
    return column_number(place[1]) if place else cell.getparent().index(cell) + 1


def string_text(element: Element) -> str:
    """The text of its runs; the small print over East Asian characters is left out."""
    texts = (each for each in element.iter("{*}t") if local_name(each.getparent()) != "rPh")
    return "".join(each.text or "" for each in texts)


def forget(row: Element) -> None:
    """Free a row that has been read, and the place it took among its siblings."""
    row.clear()
    while row.getprevious() is not None:
        del row.getparent()[0]


def _children(root: Element, name: str) -> list[Element]:
    parent = child(root, name)
    return [] if parent is None else list(parent)


def _is_hidden(element: Element) -> bool:
    return element.get("hidden") in ("1", "true")


def _columns(element: Element) -> tuple[int, int]:
    first = whole_number(element.get("min"), 1, _MAX_COLUMN)
    return first, whole_number(element.get("max"), first, _MAX_COLUMN)


def _remark(cell: Element) -> str:
    if cell.get("t") == "e":
        value = child(cell, "v")
        return "" if value is None else (value.text or "")
    formula = child(cell, "f")
    text = "" if formula is None else (formula.text or "")
    return f"={text[:_MAX_FORMULA] or '…'} (not calculated)"
