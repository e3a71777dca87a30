"""Reads mails: the header, the text in its best version, and every attachment that can be read."""

import re
from collections.abc import Callable
from email import policy
from email.message import Message
from email.parser import BytesParser
from mimetypes import MimeTypes

from gdrive_rag_mcp.cleaning import clean
from gdrive_rag_mcp.domain import Document, Locator, Reason
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.building import DocumentBuilder, one_line
from gdrive_rag_mcp.extraction.encodings import proven
from gdrive_rag_mcp.extraction.formats import format_of
from gdrive_rag_mcp.extraction.input_file import InputFile
from gdrive_rag_mcp.extraction.lines import paragraphs
from gdrive_rag_mcp.extraction.mail_headers import (
    field,
    file_name,
    shorten_fields,
    shown_fields,
)
from gdrive_rag_mcp.extraction.mail_parts import (
    MAX_PARTS,
    Body,
    is_html_page,
    refuse_encrypted,
    sort_parts,
)
from gdrive_rag_mcp.extraction.reading import read_file
from gdrive_rag_mcp.extraction.web import locate as locate_in_page
from gdrive_rag_mcp.extraction.web_charset import decode
from gdrive_rag_mcp.extraction.web_page import Page, add_page

MAX_BYTES = 100_000_000
_BODY = Locator("part", "body")
_WIDE = re.compile("utf-(?:16|32)")
_UNREAD = re.compile(
    "(?:image|audio|video|font)/.*|application/(?:x-)?(?:pgp|pkcs7)-(?:signature|keys)"
)
_PGP = "-----BEGIN PGP MESSAGE-----"
_STUB = 500
_FRACTION = 4
_KINDS_WITHOUT_A_NAME = frozenset({"heading", "sheet", "part", "chapter", "pointer"})
_UNNAMED = "application/octet-stream"
_TYPES = MimeTypes()
_ENRICHED = re.compile(r"<[^<>]{1,100}>")


def read(file: InputFile) -> Document:
    """Read a mail, or a page saved as one; what is attached is read like any file.

    Raises:
        ExtractionError: too large, encrypted, hostile, or without text.
    """
    if file.size > MAX_BYTES:
        raise ExtractionError(
            Reason.TOO_LARGE, f"The mail has {file.size:,} bytes, more than {MAX_BYTES:,}"
        )
    content = shorten_fields(_narrow(file.read()))
    return _read_message(BytesParser(policy=policy.compat32).parsebytes(content), file)


def _narrow(content: bytes) -> bytes:
    """A mail is ASCII at heart; one that was saved as UTF-16 is brought back to that."""
    encoding = proven(content) or ""
    if _WIDE.match(encoding):
        return content.decode(encoding, errors="replace").encode("utf-8", errors="replace")
    return content.removeprefix(b"\xef\xbb\xbf")


def _read_message(message: Message, file: InputFile) -> Document:
    refuse_encrypted(message)
    return _MailReader(message, file).run()


class _MailReader:
    """One message, which may be attached to another."""

    def __init__(self, message: Message, file: InputFile) -> None:
        self._message = message
        self._file = file
        self._parts = sort_parts(message)
        self._is_page = is_html_page(message)
        self._builder = DocumentBuilder()

    def run(self) -> Document:
        self._builder.title = one_line(field(self._message, "Subject"))
        if not self._is_page:
            self._add_header()
        for body in self._parts.bodies:
            self._attempt("", lambda body=body: self._read_body(body))
        for number, part in enumerate(self._parts.attachments, start=1):
            self._add_attachment(number, part)
        if self._parts.cut:
            self._builder.fail(f"Parts beyond the first {MAX_PARTS:,} were not read")
        return self._builder.finish()

    def _add_header(self) -> None:
        lines = shown_fields(self._message)
        names = [_name(part) or part.get_content_type() for part in self._parts.attachments]
        if names:
            lines.append(f"Attachments: {', '.join(names)}")
        self._builder.add("\n".join(lines), Locator("part", "header"))

    def _attempt(self, what: str, reading: Callable[[], Document]) -> Document | None:
        """Read a part, or note why it cannot be read."""
        try:
            return reading()
        except ExtractionError as refusal:
            if refusal.reason is not Reason.NO_TEXT or what:
                self._builder.fail(f"{what}: {refusal.message}" if what else refusal.message)
        return None
