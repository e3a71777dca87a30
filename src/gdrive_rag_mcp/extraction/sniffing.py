"""Tells what a file is from its content; names and media types are hints at best."""

import re
import zipfile
from collections.abc import Mapping

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.archives import open_archive
from gdrive_rag_mcp.extraction.formats import Format
from gdrive_rag_mcp.extraction.input_file import InputFile
from gdrive_rag_mcp.extraction.signatures import named_by_signature
from gdrive_rag_mcp.extraction.sniffing_text import text_format

HEAD = 4096
_PDF_HEAD = 1024
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_MAIN_PART = re.compile(
    rb"(?i)(?P<word>wordprocessingml\.(?:document|template)\.main|ms-word\.[\w.]+\.main)"
    rb"|(?P<sheet>spreadsheetml\.(?:sheet|template)\.main|ms-excel\.(?:sheet|template)\.macroenabled\.main)"
    rb"|(?P<slides>presentationml\.(?:presentation|slideshow|template)\.main|ms-powerpoint\.[\w.]+\.main)"
    rb"|(?P<sheet_binary>ms-excel\.sheet\.binary\.macroenabled\.main)"
)
_CONTENT_TYPES_LIMIT = 1_000_000
_DECLARED_TYPES: Mapping[bytes, Format] = {
    b"application/vnd.oasis.opendocument.text": Format.OPEN_TEXT,
    b"application/vnd.oasis.opendocument.spreadsheet": Format.OPEN_SHEET,
    b"application/vnd.oasis.opendocument.presentation": Format.OPEN_SLIDES,
    b"application/epub+zip": Format.BOOK,
}
_DECLARED_LIMIT = 200
_PARTS: Mapping[str, Format] = {
    "word/document.xml": Format.WORD,
    "xl/workbook.xml": Format.SHEET,
    "xl/workbook.bin": Format.SHEET_BINARY,
    "ppt/presentation.xml": Format.SLIDES,
    "META-INF/container.xml": Format.BOOK,
}
_STREAMS: Mapping[str, Format] = {
    "worddocument": Format.WORD_97,
    "workbook": Format.SHEET_BINARY,
    "book": Format.SHEET_BINARY,
    "powerpoint document": Format.SLIDES_97,
}


def sniff(file: InputFile, expected: Format | None) -> Format:
    """Find out what to read a file as; `expected` decides only between the kinds of text.

    Raises:
        ExtractionError: it is empty, encrypted, damaged, or nothing that is read here.
    """
    head = file.head(HEAD)
    if not head:
        raise ExtractionError(Reason.NO_TEXT, "The file is empty (0 bytes)")
    if head.startswith(_OLE):
        return _ole_format(file)
    if head.startswith(_ZIP):
        return _archive_format(file, expected)
    if _is_pdf(head[:_PDF_HEAD], expected):
        return Format.PDF
    named = named_by_signature(head)
    if named is None:
        # UTF-16 is text, too: without its zero bytes ASCII in it reads as such.
        found = text_format(head.replace(b"\0", b"").lstrip(b"\xff\xfe"), file, expected)
        if found is not Format.TEXT or expected is Format.TEXT or _is_text(file):
            return found
    raise _refusal(expected, f"its content is {named or 'something else'}")


def _is_text(file: InputFile) -> bool:
    from gdrive_rag_mcp.extraction.encodings import is_text  # the detector takes time to load

    return is_text(file)


def _is_pdf(head: bytes, expected: Format | None) -> bool:
    """Some writers put junk before the signature; a NUL there means a container around the PDF."""
    before, signature, _ = head.partition(b"%PDF-")
    if not signature or b"\0" in before:
        return False
    return not before.strip(b"\xef\xbb\xbf \t\r\n") or expected is Format.PDF


def _archive_format(file: InputFile, expected: Format | None) -> Format:
    with open_archive(file) as archive:
        found = _by_content_types(archive) or _by_declaration(archive) or _by_parts(archive)
    if found:
        return found
    raise _refusal(expected, "its content is a ZIP archive of something else")


def _by_content_types(archive: zipfile.ZipFile) -> Format | None:
    if "[Content_Types].xml" not in archive.namelist():
        return None
    with archive.open("[Content_Types].xml") as part:
        found = _MAIN_PART.search(part.read(_CONTENT_TYPES_LIMIT))
    return Format[found.lastgroup.upper()] if found and found.lastgroup else None


def _by_declaration(archive: zipfile.ZipFile) -> Format | None:
    """OpenDocument and EPUB say in a member of their own what they are."""
    if "mimetype" not in archive.namelist():
        return None
    with archive.open("mimetype") as part:
        declared = part.read(_DECLARED_LIMIT).strip().lower()
    return _DECLARED_TYPES.get(declared.removesuffix(b"-template"))


def _by_parts(archive: zipfile.ZipFile) -> Format | None:
    names = set(archive.namelist())
    return next((found for part, found in _PARTS.items() if part in names), None)


def _ole_format(file: InputFile) -> Format:
    """Office files from before 2007 are a small file system; its top level tells what they are."""
    names = _ole_streams(file)
    if "encryptedpackage" in names:
        raise ExtractionError(
            Reason.ENCRYPTED,
            "The Office file is protected by a password",
            hint="Save a copy without a password.",
        )
    found = next((kind for name, kind in _STREAMS.items() if name in names), None)
    if found:
        return found
    raise ExtractionError(
        Reason.UNSUPPORTED_TYPE,
        "The file has a format from before 2007 that is not read",
        hint="Save it in a newer format.",
    )


def _ole_streams(file: InputFile) -> frozenset[str]:
    from gdrive_rag_mcp.extraction.office_97.compound_file import open_ole  # only few files need it

    with open_ole(file) as ole:
        return frozenset(path[0].lower() for path in ole.listdir() if len(path) == 1)


def _refusal(expected: Format | None, why: str) -> ExtractionError:
    if expected is None:
        return ExtractionError(
            Reason.UNSUPPORTED_TYPE, f"The file's type is not known, and {why}, which is not read"
        )
    return ExtractionError(
        Reason.TYPE_MISMATCH,
        f"The file is listed as {expected.label}, but {why}",
        hint="See that it has its right name, and that it was uploaded whole.",
    )
