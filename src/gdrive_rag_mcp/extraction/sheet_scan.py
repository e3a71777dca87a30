"""Looks through the XML of a workbook for what its reader would choke on or leave out.

The reader lays every sheet out as a full rectangle, so that one stray cell in the last corner would
take more memory than there is; and it drops error values and formulas that were never calculated.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from lxml import etree

from gdrive_rag_mcp.extraction.ooxml import (
    Element,
    Package,
    attribute,
    child,
    local_name,
    whole_number,
)

MAX_AREA = 5_000_000
NAMED_AREA = 200_000
"""In a larger sheet the rows do not repeat the columns' names: that doubles the text."""

_REFERENCE = re.compile(r"([A-Z]{1,3})\d{1,7}$")
# Error values, and formulas without the value they last had; an empty string is one.
_UNSAID = etree.XPath(
    "*[local-name()='c'][@t='e'"
    " or (*[local-name()='f'] and not(@t='str') and not(*[local-name()='v']/text()))]"
)
_MAX_ROW = 10_000_000
_MAX_FORMULA = 200
_ALPHABET = 26


@dataclass(slots=True)
class Scan:
    """How far a sheet reaches (numbers from 1), and what its reader will not say of some cells."""

    rows: int = 0
    columns: int = 0
    remarks: dict[tuple[int, int], str] = field(default_factory=dict)

    @property
    def area(self) -> int:
        return self.rows * self.columns


def sheet_parts(package: Package) -> Mapping[str, str]:
    """The part that holds each worksheet, by the sheet's name."""
    main = package.main_part() or "xl/workbook.xml"
    targets = {link.id: link.target for link in package.relationships(main)}
    sheets = child(package.xml(main), "sheets")
    return {
        attribute(sheet, "name") or "": targets.get(attribute(sheet, "id") or "", "")
        for sheet in ([] if sheets is None else sheets)
        if local_name(sheet) == "sheet"
    }


def scan_sheet(package: Package, part: str) -> Scan:
    """Read a worksheet's cells once, keeping nothing but its extent and the remarks.

    Raises:
        ExtractionError: the part is damaged or built to exhaust.
    """
    scan = Scan()
    number = 0
    for row in package.stream(part, "row"):
        number = whole_number(row.get("r"), number + 1, _MAX_ROW)
        last = next((cell for cell in reversed(row) if len(cell)), None)
        if last is not None:
            scan.rows = max(scan.rows, number)
            scan.columns = max(scan.columns, _column(last))
            for cell in _UNSAID(row):
                scan.remarks[number, _column(cell)] = _remark(cell)
        _forget(row)
    return scan


def _column(cell: Element) -> int:
    """A cell that does not name its column stands where it is written."""
    place = _REFERENCE.match(cell.get("r") or "")
    return column_number(place[1]) if place else cell.getparent().index(cell) + 1


def _forget(row: Element) -> None:
    """Free a row that has been read, and the place it took among its siblings."""
    row.clear()
    while row.getprevious() is not None:
        del row.getparent()[0]


def _remark(cell: Element) -> str:
    if cell.get("t") == "e":
        value = child(cell, "v")
        return "" if value is None else (value.text or "")
    formula = child(cell, "f")
    text = "" if formula is None else (formula.text or "")
    return f"={text[:_MAX_FORMULA] or '…'} (not calculated)"


def column_number(letters: str) -> int:
    """`A` is 1, `Z` 26, `AA` 27."""
    number = 0
    for letter in letters:
        number = number * _ALPHABET + ord(letter) - ord("A") + 1
    return number


def column_letters(number: int) -> str:
    """The inverse of `column_number`."""
    letters = ""
    while number:
        number, rest = divmod(number - 1, _ALPHABET)
        letters = chr(ord("A") + rest) + letters
    return letters
