"""Tells what a file is from its content; names and media types are hints at best."""

import re
import zipfile
from pathlib import Path

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.archives import open_archive
from gdrive_rag_mcp.extraction.formats import TEXT_FORMATS, Format

HEAD = 1024
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")
_MAIN_PART = re.compile(
    rb"(?i)(?P<word>wordprocessingml\.(?:document|template)\.main|ms-word\.[\w.]+\.main)"
    rb"|(?P<sheet>spreadsheetml\.(?:sheet|template)\.main|ms-excel\.(?:sheet|template)\.macroenabled\.main)"
)
_CONTENT_TYPES_LIMIT = 1_000_000


def sniff(path: Path, expected: Format) -> Format:
    """Find out what to read a file as; `expected` decides only between the kinds of text.

    Raises:
        ExtractionError: it is empty, encrypted, damaged, or nothing that is read here.
    """
    with path.open("rb") as file:
        head = file.read(HEAD)
    if not head:
        raise ExtractionError(Reason.NO_TEXT, "The file is empty (0 bytes)")
    if head.startswith(_OLE):
        raise _ole_error(path)
    if head.startswith(_ZIP):
        return _office_format(path)
    if _is_pdf(head, expected):
        return Format.PDF
    if expected in TEXT_FORMATS:
        return expected
    raise _mismatch(expected, "its content has another form")


def _is_pdf(head: bytes, expected: Format) -> bool:
    """Some writers put junk before the signature; a NUL there means a container around the PDF."""
    before, signature, _ = head.partition(b"%PDF-")
    if not signature or b"\0" in before:
        return False
    return not before.strip(b"\xef\xbb\xbf \t\r\n") or expected is Format.PDF


def _office_format(path: Path) -> Format:
    with open_archive(path) as archive:
        if "[Content_Types].xml" in archive.namelist():
            with archive.open("[Content_Types].xml") as part:
                found = _MAIN_PART.search(part.read(_CONTENT_TYPES_LIMIT))
            if found:
                return Format.WORD if found["word"] else Format.SHEET
        return _format_by_parts(archive)


def _format_by_parts(archive: zipfile.ZipFile) -> Format:
    names = set(archive.namelist())
    if "word/document.xml" in names:
        return Format.WORD
    if "xl/workbook.xml" in names:
        return Format.SHEET
    raise ExtractionError(
        Reason.TYPE_MISMATCH, "The file is a ZIP archive, but neither a Word nor an Excel file"
    )


def _ole_error(path: Path) -> ExtractionError:
    if _ENCRYPTED_PACKAGE in path.read_bytes():
        return ExtractionError(
            Reason.ENCRYPTED,
            "The Office file is protected by a password",
            hint="Save a copy without a password.",
        )
    return ExtractionError(
        Reason.UNSUPPORTED_TYPE,
        "The file has the Office format from before 2007",
        hint="Save it as DOCX or XLSX.",
    )


def _mismatch(expected: Format, why: str) -> ExtractionError:
    return ExtractionError(
        Reason.TYPE_MISMATCH, f"The file is listed as {expected.value}, but {why}"
    )
