"""What the parts of a mail hold: texts in their better version, and bytes of what is attached."""

import re
from collections.abc import Mapping
from email.message import Message

from gdrive_rag_mcp.cleaning import clean
from gdrive_rag_mcp.domain import Document, Locator, Reason
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.building import DocumentBuilder
from gdrive_rag_mcp.extraction.encodings import MAX_BYTES
from gdrive_rag_mcp.extraction.formats import Format, format_of
from gdrive_rag_mcp.extraction.lines import paragraphs
from gdrive_rag_mcp.extraction.mail.headers import field, file_name
from gdrive_rag_mcp.extraction.mail.parts import Body, inside
from gdrive_rag_mcp.extraction.web.charset import decode
from gdrive_rag_mcp.extraction.web.page import Locate, Page, add_page

BODY = Locator("part", "body")
_PGP = "-----BEGIN PGP MESSAGE-----"
_NOTICE = re.compile(r"(?i)\bhtml\b")
_NOTICE_LENGTH = 500
_FRACTION = 4
_UNNAMED = "application/octet-stream"
_RICH = frozenset({"text/enriched", "text/richtext"})
_COMMAND = re.compile(r"<[^<>]{1,100}>")
_FOLD = re.compile(r"\r?\n[ \t]")
_OOXML = "application/vnd.openxmlformats-officedocument"
_OPEN = "application/vnd.oasis.opendocument"
# What names end in; the lists of Python and of systems differ, and other kinds tell by content.
_TYPE_OF_ENDING: Mapping[str, str] = {
    "csv": "text/csv",
    "doc": "application/msword",
    "docx": f"{_OOXML}.wordprocessingml.document",
    "eml": "message/rfc822",
    "epub": "application/epub+zip",
    "htm": "text/html",
    "html": "text/html",
    "ipynb": "application/x-ipynb+json",
    "json": "application/json",
    "jsonl": "application/jsonl",
    "markdown": "text/markdown",
    "md": "text/markdown",
    "mht": "message/rfc822",
    "mhtml": "message/rfc822",
    "ndjson": "application/x-ndjson",
    "odp": f"{_OPEN}.presentation",
    "ods": f"{_OPEN}.spreadsheet",
    "odt": f"{_OPEN}.text",
    "pdf": "application/pdf",
    "ppt": "application/vnd.ms-powerpoint",
    "pptx": f"{_OOXML}.presentationml.presentation",
    "rtf": "application/rtf",
    "tsv": "text/tab-separated-values",
    "txt": "text/plain",
    "xhtml": "application/xhtml+xml",
    "xls": "application/vnd.ms-excel",
    "xlsx": f"{_OOXML}.spreadsheetml.sheet",
}


def read_body(body: Body, locate: Locate) -> Document:
    """The text in plain form, unless the page says far more.

    Raises:
        ExtractionError: there is none, it is encrypted, or it cannot be read.
    """
    refusals = []
    plain = page = None
    try:
        plain = _read_plain(body.plain) if body.plain is not None else None
    except ExtractionError as refusal:
        refusals.append(refusal)
    try:
        page = _read_pages(body.pages, locate) if body.pages else None
    except ExtractionError as refusal:
        refusals.append(refusal)
    if plain is None or (page is not None and _is_stub(plain.text, page.text)):
        plain = page
    if plain is None:
        raise refusals[0]
    return plain


def content_of(part: Message) -> bytes:
    """The bytes of a part, as far as they can be decoded."""
    if part.is_multipart():
        return b"\n\n".join(map(_as_lines, inside(part)))
    content = part.get_payload(decode=True)
    return content if isinstance(content, bytes) else b""


def _as_lines(message: Message) -> bytes:
    """A block of fields, as reports on delivery have them, and what may follow it."""
    fields = "\n".join(f"{name}: {value}" for name, value in message.items())
    return fields.encode(errors="replace") + b"\n\n" + content_of(message)


def name_of(part: Message) -> str:
    """The name of what is attached; of a message its subject."""
    name = file_name(part)
    messages = inside(part) if part.get_content_type().startswith("message/") else []
    return name or (field(messages[0], "Subject") if messages else "")


def media_type_of(content_type: str, name: str) -> str:
    """What to read an attachment as; a type that says little gives way to the name's ending."""
    declared = format_of(content_type)
    if declared not in {None, Format.TEXT}:
        return content_type
    named = _TYPE_OF_ENDING.get(name.rpartition(".")[2].lower())
    return named or (content_type if declared else _UNNAMED)


def _read_plain(part: Message) -> Document:
    builder = DocumentBuilder()
    text, losses = decode(_text_content(part), part.get_content_charset() or "")
    content_type = part.get_content_type()
    if content_type in _RICH:
        text = _COMMAND.sub("", text)
    elif content_type == "text/calendar":
        text = _FOLD.sub("", text)
    if text.lstrip().startswith(_PGP):
        raise ExtractionError(
            Reason.ENCRYPTED,
            "The text of the mail is encrypted",
            hint="Save a decrypted copy from the mail program of its receiver.",
        )
    for each in paragraphs(clean(text).split("\n")):
        builder.add(each.text, BODY, tight=each.continued)
    builder.failures.extend(losses)
    return builder.finish()


def _read_pages(parts: tuple[Message, ...], locate: Locate) -> Document:
    builder = DocumentBuilder()
    for part in parts:
        markup, losses = decode(_text_content(part), part.get_content_charset() or "")
        title = add_page(builder, Page(markup), locate)
        builder.title = builder.title or title
        builder.failures.extend(losses)
    return builder.finish()


def _text_content(part: Message) -> bytes:
    content = content_of(part)
    if len(content) > MAX_BYTES:
        raise ExtractionError(
            Reason.TOO_LARGE, f"A text of the mail has more than {MAX_BYTES:,} bytes"
        )
    return content


def _is_stub(plain: str, page: str) -> bool:
    """Whether a plain text only stands in for the page, as notices for old mail programs do."""
    notice = len(plain) < _NOTICE_LENGTH and len(plain) < len(page) and _NOTICE.search(plain)
    return bool(notice) or len(plain) * _FRACTION < len(page)
