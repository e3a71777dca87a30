"""Tells the kinds of text apart: by what the content shows, else by what was announced."""

import re

from gdrive_rag_mcp.extraction.formats import TEXT_FORMATS, Format
from gdrive_rag_mcp.extraction.input_file import InputFile

# After a byte order mark, blanks, an XML declaration and comments.
_HTML = re.compile(
    rb"(?is)\A(?:\xef\xbb\xbf|\s|<\?xml[^>]{0,200}\?>|<!--.{0,2000}?-->)*"
    rb"<(?:!doctype\s+html|html|head|body)[\s>]"
)
_MAIL_FIELD = re.compile(
    rb"(?im)^(received|return-path|message-id|mime-version|from|to|subject|date|delivered-to|sender"
    rb"|content-type|x-[\w-]+):"
)
_FIELD_LINE = re.compile(rb"\A(?:From [^\r\n]*\r?\n)?[A-Za-z][A-Za-z0-9-]{0,60}:[^\r\n]*\r?\n")
_FEW_FIELDS = 3
_NOTEBOOK_KEYS = (
    re.compile(rb'"nbformat"\s*:\s*\d'),
    re.compile(rb'"(?:cells|worksheets)"\s*:\s*\['),
)
_TABLES = frozenset({Format.SHEET, Format.SHEET_BINARY, Format.OPEN_SHEET})
_ANY_TEXT = (Format.JSON, Format.TEXT, None)
_BLANK = b"\xef\xbb\xbf \t\r\n"
_ROWS_LOOKED_AT = 5


def text_format(head: bytes, file: InputFile, expected: Format | None) -> Format:
    """What a text would have to be read as; a PDF that lost its signature is still one.

    `head` is the file's start; zero bytes, as UTF-16 has them, may have been taken out of it.
    """
    shown = _shown_format(head)
    if shown is Format.MAIL and expected is Format.MARKDOWN:  # front matter has fields, too
        shown = None
    if shown:
        return shown
    if expected in _ANY_TEXT and _is_notebook(head, file):
        return Format.NOTEBOOK
    if expected in _TABLES and _is_table(head):
        return Format.DELIMITED
    if expected is Format.PDF and b"endobj" in file.read():
        return Format.PDF
    return expected if expected in TEXT_FORMATS else Format.TEXT


def _shown_format(head: bytes) -> Format | None:
    """The format that the first characters give away."""
    if head.lstrip(_BLANK).startswith(b"{\\rtf"):
        return Format.RTF
    if _HTML.match(head):
        return Format.WEB
    return Format.MAIL if _is_mail(head) else None


def _is_mail(head: bytes) -> bool:
    """A line of a header first, and several of the fields that only mail has together."""
    if not _FIELD_LINE.match(head):
        return False
    header = re.split(rb"\r?\n\r?\n", head, maxsplit=1)[0]
    fields = {name.lower() for name in _MAIL_FIELD.findall(header)}
    return len(fields) >= _FEW_FIELDS and not fields.isdisjoint(
        {b"from", b"received", b"mime-version", b"message-id"}
    )


def _is_notebook(head: bytes, file: InputFile) -> bool:
    if not head.lstrip(_BLANK).startswith(b"{"):
        return False
    content = file.read()
    return all(key.search(content) for key in _NOTEBOOK_KEYS)


def _is_table(head: bytes) -> bool:
    """Programs write tables of tabs or HTML under the names of sheets."""
    lines = [line for line in head.splitlines()[:_ROWS_LOOKED_AT] if line.strip()]
    tabs = {line.count(b"\t") for line in lines[:-1] or lines}
    return len(tabs) == 1 and tabs != {0}
