"""Reads workbooks in binary form: XLS, as Excel wrote them until 2003, and XLSB."""

import python_calamine as calamine

from gdrive_rag_mcp.domain import Document, Reason
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.archives import open_archive
from gdrive_rag_mcp.extraction.building import DocumentBuilder
from gdrive_rag_mcp.extraction.input_file import InputFile
from gdrive_rag_mcp.extraction.office_97.compound_file import ole_title, open_ole
from gdrive_rag_mcp.extraction.ooxml import open_package
from gdrive_rag_mcp.extraction.sheet.building import cell_locator
from gdrive_rag_mcp.extraction.sheet.calamine import add_workbook, calamine_errors
from gdrive_rag_mcp.extraction.sheet.scan import Scan
from gdrive_rag_mcp.extraction.sheet.scan_xls import scan_xls
from gdrive_rag_mcp.extraction.sheet.scan_xlsb import scan_xlsb
from gdrive_rag_mcp.extraction.titles import sensible_title

_ZIP = b"PK"
_MAX_XLS_AREA = 30_000_000
"""All sheets of an XLS file are laid out as it is opened, 24 bytes a cell."""


def read(file: InputFile) -> Document:
    """Read an XLS or XLSB file; values as shown, formulas as last calculated.

    Raises:
        ExtractionError: damaged, hostile, encrypted, too large, or without text.
    """
    builder = DocumentBuilder()
    if file.head(2) == _ZIP:
        _read_xlsb(builder, file)
    else:
        _read_xls(builder, file)
    return builder.finish()


def _read_xlsb(builder: DocumentBuilder, file: InputFile) -> None:
    with open_package(file) as package, open_archive(file) as archive:
        scans = scan_xlsb(package, archive)
        builder.title = sensible_title(package.title())
        add_workbook(builder, _open(file), lambda name: scans.get(name, Scan()))


def _read_xls(builder: DocumentBuilder, file: InputFile) -> None:
    with open_ole(file) as ole:
        builder.title = ole_title(ole)
        scans = scan_xls(ole)
    area = sum(scan.area for scan in scans)
    if area > _MAX_XLS_AREA:
        raise ExtractionError(
            Reason.TOO_LARGE,
            f"The sheets reach over {area:,} cells, more than {_MAX_XLS_AREA:,}",
            hint="Delete the stray cells far to the right or below.",
        )
    workbook = _open(file)
    names = (metadata.name for metadata in workbook.sheets_metadata)
    by_name = dict(zip(names, scans, strict=False))

    def add_notes(name: str, heading: str) -> None:
        for note in by_name.get(name, Scan()).notes:
            locator = cell_locator(name, note.row, note.column)
            builder.add(note.text, locator, headings=(heading,))

    add_workbook(builder, workbook, lambda name: by_name.get(name, Scan()), add_notes)


def _open(file: InputFile) -> calamine.CalamineWorkbook:
    with file.open() as stream, calamine_errors("The workbook"):
        return calamine.CalamineWorkbook.from_filelike(stream)
