"""Reads the sheets of a workbook with calamine, completed by what a scan found out of each."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import python_calamine as calamine

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.building import DocumentBuilder
from gdrive_rag_mcp.extraction.panics import panics_as_damage
from gdrive_rag_mcp.extraction.sheet.building import add_sheet, hidden_words
from gdrive_rag_mcp.extraction.sheet.merges import Merges
from gdrive_rag_mcp.extraction.sheet.rows import NAMED_AREA, SheetRow
from gdrive_rag_mcp.extraction.sheet.scan import Scan
from gdrive_rag_mcp.extraction.sheet.values import SHOWN, Value, show

AfterSheet = Callable[[str, str], None]
"""Given a sheet's name and the heading that its rows were added under."""


def add_workbook(
    builder: DocumentBuilder,
    workbook: calamine.CalamineWorkbook,
    scan_of: Callable[[str], Scan],
    after: AfterSheet | None = None,
) -> None:
    """Add every worksheet; one that cannot be read is noted and costs only itself.

    Raises:
        ExtractionError: none could be read, and this is why the first could not.
    """
    refusals = []
    for metadata in workbook.sheets_metadata:
        if metadata.typ != calamine.SheetTypeEnum.WorkSheet:
            continue
        try:
            scan = scan_of(metadata.name)
            scan.check(metadata.name)
            with calamine_errors(f"Sheet {metadata.name}"):
                sheet = workbook.get_sheet_by_name(metadata.name)
        except ExtractionError as refusal:
            refusals.append(refusal)
            builder.fail(refusal.message)
        else:
            is_hidden = metadata.visible != calamine.SheetVisibleEnum.Visible
            hidden = hidden_words(sheet=is_hidden, parts=scan.hidden_part())
            named = scan.area <= NAMED_AREA
            heading = add_sheet(
                builder, metadata.name, _rows(sheet, scan), hidden=hidden, named=named
            )
            if after:
                after(metadata.name, heading)
    if builder.empty and refusals:
        raise refusals[0]


@contextmanager
def calamine_errors(what: str) -> Iterator[None]:
    """Turn what calamine says into ours."""
    try:
        with panics_as_damage(what):
            yield
    except calamine.PasswordError as error:
        raise ExtractionError(
            Reason.ENCRYPTED, f"{what} wants a password", hint="Save a copy without a password."
        ) from error
    except calamine.CalamineError as error:
        raise ExtractionError(Reason.CORRUPT, f"{what} is damaged: {error}") from error


def _rows(sheet: calamine.CalamineSheet, scan: Scan) -> Iterator[SheetRow]:
    """The rows that are not blank, with remarks and merged cells filled in."""
    merges = Merges(sheet.merged_cell_ranges or ())
    remarks: dict[int, dict[int, str]] = {}
    for (row, column), remark in scan.remarks.items():
        remarks.setdefault(row, {})[column] = remark
    # Rows come from the first on, but their values only from the first column that is used.
    first_column = sheet.start[1] + 1 if sheet.start else 1
    for number, values in enumerate(sheet.iter_rows(), start=1):
        cells = _cells(values, first_column)
        for column, found in scan.formats(number):
            value = _number_at(values, column - first_column)
            if value is not None:
                cells[column] = found.show(value)
        if number in remarks:
            cells = dict(sorted((cells | remarks.pop(number)).items()))
        if cells:
            yield merges.row(number, cells, hidden=number in scan.hidden_rows)
    for number in sorted(remarks):
        cells = dict(sorted(remarks[number].items()))
        yield merges.row(number, cells, hidden=number in scan.hidden_rows)


def _cells(values: Sequence[Value], first: int) -> dict[int, str]:
    cells = {}
    for column, value in enumerate(values, first):
        if value != "" and (text := SHOWN.get(type(value), show)(value)):
            cells[column] = text
    return cells


def _number_at(values: Sequence[Value], place: int) -> float | None:
    """The number at a place of a row; none where there is no cell, or something else in it."""
    value = values[place] if 0 <= place < len(values) else None
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    return None
