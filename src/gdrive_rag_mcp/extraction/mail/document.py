"""Reads mails: the header, the text in its best version, and every attachment that can be read."""

import re
from collections.abc import Callable
from email import policy
from email.errors import CloseBoundaryNotFoundDefect
from email.message import Message
from email.parser import BytesParser

from gdrive_rag_mcp.domain import Document, Locator, Reason
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.building import DocumentBuilder, pieces_of
from gdrive_rag_mcp.extraction.encodings import is_text, proven
from gdrive_rag_mcp.extraction.input_file import InputFile
from gdrive_rag_mcp.extraction.mail.content import (
    BODY,
    content_of,
    media_type_of,
    name_of,
    read_body,
)
from gdrive_rag_mcp.extraction.mail.headers import ReadMessage, field, shorten_fields, shown_fields
from gdrive_rag_mcp.extraction.mail.parts import (
    MAX_LEVELS,
    MAX_PARTS,
    Body,
    inside,
    is_html_page,
    refuse_encrypted,
    sort_parts,
)
from gdrive_rag_mcp.extraction.reading import failing_alone, read_inside
from gdrive_rag_mcp.extraction.web.document import locate as locate_in_page

MAX_BYTES = 100_000_000
_WIDE = re.compile("utf-(?:16|32)")
# Listed by name, and not missed: pictures in the text, recordings, signatures.
_UNREAD = re.compile(
    "(?:image|audio|video|font)/.*|application/(?:x-)?(?:pgp|pkcs7)-(?:signature|keys)"
)
_SPEAK_FOR_THEMSELVES = frozenset({"heading", "sheet", "part", "chapter", "pointer"})


def read(file: InputFile) -> Document:
    """Read a mail, or a page saved as one; what is attached is read like any file.

    Raises:
        ExtractionError: too large, encrypted, hostile, no mail, or without text.
    """
    if file.size > MAX_BYTES:
        raise ExtractionError(
            Reason.TOO_LARGE, f"The mail has {file.size:,} bytes, more than {MAX_BYTES:,}"
        )
    content = shorten_fields(_narrow(file.read()))
    message = BytesParser(ReadMessage, policy=policy.compat32).parsebytes(content)
    if not message.keys() and not is_text(file):
        raise ExtractionError(
            Reason.TYPE_MISMATCH, "The file is listed as mail, but its content is something else"
        )
    return _read_message(message, file)


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
        self._builder.title = field(self._message, "Subject")
        if not self._is_page:
            self._add_header()
        for body in self._parts.bodies:
            self._add_body(body)
        for number, part in enumerate(self._parts.attachments, start=1):
            if not _UNREAD.fullmatch(part.get_content_type()):
                self._add_attachment(f"attachment {number}", part)
        if self._parts.cut:
            self._builder.fail(
                f"Parts beyond {MAX_PARTS:,}, or {MAX_LEVELS} levels deep, were not read"
            )
        if any(isinstance(each, CloseBoundaryNotFoundDefect) for each in self._message.defects):
            self._builder.fail("The mail ends early; its last part may not be whole")
        return self._builder.finish()

    def _add_header(self) -> None:
        lines = shown_fields(self._message)
        names = list(filter(None, map(name_of, self._parts.attachments)))
        if names:
            lines.append(f"Attachments: {', '.join(names)}")
        self._builder.add("\n".join(lines), Locator("part", "header"))

    def _add_body(self, body: Body) -> None:
        try:
            document = read_body(body, locate_in_page if self._is_page else lambda *_: BODY)
        except ExtractionError as refusal:
            alone = len(self._parts.bodies) == 1 and not self._parts.attachments
            if refusal.reason is Reason.ENCRYPTED and alone:
                raise
            if refusal.reason is not Reason.NO_TEXT:
                self._builder.fail(refusal.message, refusal.reason)
            return
        if self._is_page and document.title:
            self._builder.title = document.title
        self._adopt(document, lambda locator: locator)

    def _add_attachment(self, label: str, part: Message) -> None:
        name = name_of(part)
        try:
            document = self._read_attachment(part, name)
        except ExtractionError as refusal:
            what = f"{label} ({name or part.get_content_type()}): {refusal.message}"
            self._builder.fail(what, refusal.reason)
            return
        where = f"{label}: {name}" if name else label

        def within(locator: Locator) -> Locator:
            return Locator("part", f"{where} > {_words(locator)}", label=label)

        self._adopt(document, within, title=document.title, what=f"{label} ({name}): ")

    def _read_attachment(self, part: Message, name: str) -> Document:
        refuse_encrypted(part)
        content_type = part.get_content_type()
        messages = inside(part) if content_type.startswith("message/") else []
        if messages and messages[0].keys():
            with failing_alone():
                return _read_message(messages[0], self._file.inside(b""))
        return read_inside(self._file, content_of(part), media_type_of(content_type, name))

    def _adopt(
        self,
        document: Document,
        relocate: Callable[[Locator], Locator],
        *,
        title: str = "",
        what: str = "",
    ) -> None:
        """Take over a document that was read by itself, piece by piece."""
        for piece, segment, tight in pieces_of(document):
            lead = (title,) if title and segment.headings[:1] != (title,) else ()
            self._builder.add(
                piece,
                relocate(segment.locator),
                segment.kind,
                headings=lead + segment.headings,
                context=segment.context,
                tight=tight,
            )
        for failure in document.failures:
            self._builder.fail(what + failure)


def _words(locator: Locator) -> str:
    """A place within a document, in words."""
    if locator.kind in _SPEAK_FOR_THEMSELVES:
        return locator.value
    return f"{locator.kind} {locator.value}"
