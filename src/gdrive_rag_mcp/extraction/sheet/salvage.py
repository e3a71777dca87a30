"""Reads the worksheets of an XLSX file whose list of sheets or links is damaged.

The parts are taken by their names. Cells are read one by one and nothing is laid out, so that the
extent of a sheet does not matter.
"""

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.building import DocumentBuilder
from gdrive_rag_mcp.extraction.ooxml import Element, Package, child, whole_number
from gdrive_rag_mcp.extraction.sheet.building import add_sheet
from gdrive_rag_mcp.extraction.sheet.formats import shows_dates
from gdrive_rag_mcp.extraction.sheet.rows import SheetRow
from gdrive_rag_mcp.extraction.sheet.scan_xml import (
    MAX_ROW,
    WORKBOOK,
    Formats,
    cell_column,
    forget,
    format_codes,
    number_formats,
    sheet_parts,
    string_text,
)
from gdrive_rag_mcp.extraction.sheet.values import FIRST_DAY, show, show_number

_STRINGS = "xl/sharedStrings.xml"
_SHEET = "xl/worksheets/sheet{}.xml"
_MAX_SHEETS = 256
_LAST_DAY = 2_958_465
_MAX_DIGITS = 400


@dataclass(frozen=True, slots=True)
class _Shared:
    """What all sheets refer to; `dates` are the styles of cells that show days."""

    strings: Sequence[str]
    formats: Formats
    dates: frozenset[str]


def salvage(package: Package, refusal: ExtractionError) -> DocumentBuilder:
    """Read what worksheets there are, and note why the workbook itself was refused.

    Raises:
        ExtractionError: the refusal, when it is not for damage or no sheet has any text.
    """
    if refusal.reason is not Reason.CORRUPT:
        raise refusal
    builder = DocumentBuilder()
    builder.fail(f"{refusal.message}; its sheets were read one by one")
    codes = format_codes(package)
    dates = frozenset(style for style, code in codes.items() if shows_dates(code))
    shared = _Shared(_strings(package, builder), number_formats(codes), dates)
    for part, name in _sheets(package).items():
        _add_part(builder, name, _rows(package, part, shared))
    if builder.empty:
        raise refusal
    return builder


def _sheets(package: Package) -> dict[str, str]:
    """The worksheets and what they are called: as they are listed, else as their parts are."""
    try:
        listed = {part: name for name, part in sheet_parts(package, WORKBOOK).items()}
    except ExtractionError:
        listed = {}
    parts = (_SHEET.format(number) for number in range(1, _MAX_SHEETS + 1))
    found = {
        part: part.rpartition("/")[2].removesuffix(".xml") for part in parts if part in package
    }
    return {part: listed.get(part, name) for part, name in found.items()}


def _add_part(builder: DocumentBuilder, name: str, rows: Iterator[SheetRow]) -> None:
    try:
        add_sheet(builder, name, rows)
    except ExtractionError as error:
        if error.reason is Reason.TOO_LARGE:
            raise
        builder.fail(error.message)


def _strings(package: Package, builder: DocumentBuilder) -> list[str]:
    strings: list[str] = []
    try:
        for item in package.stream(_STRINGS, "si") if _STRINGS in package else ():
            strings.append(string_text(item))
            forget(item)
    except ExtractionError as error:
        builder.fail(error.message)
    return strings


def _rows(package: Package, part: str, shared: _Shared) -> Iterator[SheetRow]:
    number = 0
    for row in package.stream(part, "row"):
        number = whole_number(row.get("r"), number + 1, MAX_ROW)
        said = ((cell_column(cell), _said(cell, shared)) for cell in row if len(cell))
        cells = {column: text for column, text in sorted(said) if text}
        forget(row)
        if cells:
            yield SheetRow(number, cells, {})


def _said(cell: Element, shared: _Shared) -> str:
    kind, found = cell.get("t", "n"), child(cell, "v")
    raw = "" if found is None else (found.text or "")
    if kind == "inlineStr":
        inline = child(cell, "is")
        return "" if inline is None else show(string_text(inline))
    if kind == "s":
        place = whole_number(raw, len(shared.strings), len(shared.strings))
        return show(shared.strings[place]) if place < len(shared.strings) else ""
    if kind == "b":
        return "TRUE" if raw == "1" else "FALSE"
    return _number(raw, cell.get("s", ""), shared) if kind == "n" and raw else show(raw)


def _number(raw: str, style: str, shared: _Shared) -> str:
    try:
        value = float(raw[:_MAX_DIGITS])
    except ValueError:
        return show(raw)
    if style in shared.dates and 0 < value < _LAST_DAY:
        return show(FIRST_DAY + dt.timedelta(days=value))
    found = shared.formats.get(style)
    return found.show(value) if found else show_number(value)
