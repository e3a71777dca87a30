"""Reads XLSX workbooks row by row, with the row numbers that the sheet itself shows."""

import python_calamine as calamine

from gdrive_rag_mcp.domain import Document
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.building import DocumentBuilder
from gdrive_rag_mcp.extraction.input_file import InputFile
from gdrive_rag_mcp.extraction.ooxml import Package, open_package
from gdrive_rag_mcp.extraction.sheet.building import cell_locator
from gdrive_rag_mcp.extraction.sheet.calamine import add_workbook, calamine_errors
from gdrive_rag_mcp.extraction.sheet.drawings import sheet_overlays
from gdrive_rag_mcp.extraction.sheet.notes import sheet_notes
from gdrive_rag_mcp.extraction.sheet.salvage import salvage
from gdrive_rag_mcp.extraction.sheet.scan import Scan
from gdrive_rag_mcp.extraction.sheet.scan_xml import (
    WORKBOOK,
    format_codes,
    number_formats,
    scan_sheet,
    sheet_parts,
)
from gdrive_rag_mcp.extraction.titles import sensible_title


def read(file: InputFile) -> Document:
    """Read an XLSX file, transitional or strict; values as shown, formulas as last calculated.

    A sheet that cannot be read is noted and costs only itself. Of a workbook whose list of sheets
    is damaged, the sheets that are there are read all the same.

    Raises:
        ExtractionError: damaged, hostile, encrypted, or without text.
    """
    with open_package(file) as package:
        try:
            builder = _read_workbook(file, package)
        except ExtractionError as refusal:
            builder = salvage(package, refusal)
        builder.title = sensible_title(package.title())
        return builder.finish()


def _read_workbook(file: InputFile, package: Package) -> DocumentBuilder:
    builder = DocumentBuilder()
    with file.open() as stream:
        parts = sheet_parts(package, package.main_part() or WORKBOOK)
        with calamine_errors("The workbook"):
            workbook = calamine.CalamineWorkbook.from_filelike(stream)
        formats = number_formats(format_codes(package))

        def scan(name: str) -> Scan:
            part = parts.get(name, "")
            return scan_sheet(package, part, formats) if part in package else Scan()

        def add_asides(name: str, heading: str) -> None:
            _add_asides(builder, package, parts.get(name, ""), name, heading)

        add_workbook(builder, workbook, scan, add_asides)
    return builder


def _add_asides(
    builder: DocumentBuilder, package: Package, part: str, name: str, heading: str
) -> None:
    """What is noted at the cells of a sheet, and what lies over them."""
    for note in sheet_notes(package, part, builder.fail):
        builder.add(note.text, cell_locator(name, note.row, note.column), headings=(heading,))
    for overlay in sheet_overlays(package, part, name, builder.fail):
        for line in overlay.lines:
            builder.add(line, overlay.locator, headings=(heading,))
