"""Reads XLSX workbooks row by row, with the row numbers that the sheet itself shows."""

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

import python_calamine as calamine

from gdrive_rag_mcp.domain import Document, Locator, Reason, SegmentKind
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.building import CONTEXT_LENGTH, DocumentBuilder, one_line
from gdrive_rag_mcp.extraction.input_file import InputFile
from gdrive_rag_mcp.extraction.ooxml import Package, open_package
from gdrive_rag_mcp.extraction.sheet_merges import Merges
from gdrive_rag_mcp.extraction.sheet_rows import SaidRow, SheetRow, say_rows
from gdrive_rag_mcp.extraction.sheet_scan import (
    MAX_AREA,
    NAMED_AREA,
    Scan,
    column_letters,
    scan_sheet,
    sheet_parts,
)
from gdrive_rag_mcp.extraction.titles import sensible_title

Value = str | float | bool | dt.date | dt.time | dt.datetime | dt.timedelta
_LARGEST_EXACT = 10**15
_LATEST = dt.datetime.max - dt.timedelta(seconds=1)  # noqa: DTZ901 - sheets know no zones


def read(file: InputFile) -> Document:
    """Read an XLSX file, transitional or strict; values as stored, formulas as last calculated.

    A sheet that cannot be read is noted and costs only itself.

    Raises:
        ExtractionError: damaged, hostile, encrypted, or without text.
    """
    builder = DocumentBuilder()
    refusals = []
    with open_package(file) as package, file.open() as stream, _calamine_errors("The workbook"):
        builder.title = sensible_title(package.title())
        parts = sheet_parts(package)
        workbook = calamine.CalamineWorkbook.from_filelike(stream)
        for metadata in workbook.sheets_metadata:
            if metadata.typ != calamine.SheetTypeEnum.WorkSheet:
                continue
            try:
                scan = _scan(package, parts.get(metadata.name, ""), metadata.name)
                with _calamine_errors(f"Sheet {metadata.name}"):
                    rows = _rows(workbook.get_sheet_by_name(metadata.name), scan)
            except ExtractionError as refusal:
                refusals.append(refusal)
                builder.fail(refusal.message)
            else:
                said = say_rows(rows, named=scan.area <= NAMED_AREA)
                _add_sheet(builder, metadata, said)
    if builder.empty and refusals:
        raise refusals[0]
    return builder.finish()


@contextmanager
def _calamine_errors(what: str) -> Iterator[None]:
    try:
        yield
    except calamine.PasswordError as error:
        raise ExtractionError(Reason.ENCRYPTED, f"{what} wants a password") from error
    except calamine.CalamineError as error:
        raise ExtractionError(Reason.CORRUPT, f"{what} is damaged: {error}") from error


def _scan(package: Package, part: str, name: str) -> Scan:
    scan = scan_sheet(package, part) if part in package else Scan()
    if scan.area > MAX_AREA:
        raise ExtractionError(
            Reason.TOO_LARGE,
            f"Sheet {name} reaches over {scan.area:,} cells, more than {MAX_AREA:,}",
            hint="Delete the stray cells far to the right or below.",
        )
    return scan


def _add_sheet(
    builder: DocumentBuilder, metadata: calamine.SheetMetadata, rows: Iterable[SaidRow]
) -> None:
    hidden = metadata.visible != calamine.SheetVisibleEnum.Visible
    heading = one_line(f"{metadata.name} (hidden sheet)" if hidden else metadata.name)
    name = one_line(metadata.name)
    for said in rows:
        builder.add(
            said.text,
            _locator(name, said.row),
            SegmentKind.ROW,
            headings=(heading,),
            context=one_line(said.context, CONTEXT_LENGTH),
        )


def _locator(sheet: str, row: SheetRow) -> Locator:
    first, last = column_letters(min(row.cells)), column_letters(max(row.cells))
    number = row.number
    cells = f"{first}{number}" if first == last else f"{first}{number}:{last}{number}"
    return Locator("sheet", f"{sheet}!{cells}", number, number, sheet)


def _rows(sheet: calamine.CalamineSheet, scan: Scan) -> Iterator[SheetRow]:
    """The rows that are not blank, with remarks and merged cells filled in."""
    merges = Merges(sheet.merged_cell_ranges or ())
    remarks: dict[int, dict[int, str]] = {}
    for (row, column), remark in scan.remarks.items():
        remarks.setdefault(row, {})[column] = remark
    # Rows come from the first on, but their values only from the first column that is used.
    first_column = sheet.start[1] + 1 if sheet.start else 1
    for number, values in enumerate(sheet.iter_rows(), start=1):
        cells = _cells(values, first_column) | remarks.pop(number, {})
        if cells:
            yield merges.row(number, cells)
    for number in sorted(remarks):
        yield merges.row(number, remarks[number])


def _cells(values: Sequence[Value], first: int) -> dict[int, str]:
    shown = {column: show(value) for column, value in enumerate(values, first) if value != ""}
    return {column: text for column, text in shown.items() if text}


def show(value: Value) -> str:
    """A value as a reader of the sheet would write it: no `.0`, dates in ISO form, one line."""
    if isinstance(value, str):
        return " ".join(value.split())
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, (int, float)):
        return _number(value)
    if isinstance(value, dt.timedelta):
        minutes, seconds = divmod(round(value.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02d}:{seconds:02d}"
    return _time(value)


def _number(value: float) -> str:
    if abs(value) < _LARGEST_EXACT and value == int(value):
        return str(int(value))
    return format(value, ".15g")


def _time(value: dt.date | dt.time) -> str:
    if isinstance(value, dt.datetime):
        rounded = (min(value, _LATEST) + dt.timedelta(milliseconds=500)).replace(microsecond=0)
        return rounded.isoformat(sep=" ").removesuffix(" 00:00:00")
    if isinstance(value, dt.time):
        return value.isoformat(timespec="seconds")
    return value.isoformat()
