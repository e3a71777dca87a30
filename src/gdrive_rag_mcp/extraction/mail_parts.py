"""Sorts the parts of a mail: its texts, which versions of them say the same, what is attached."""

from dataclasses import dataclass, field
from email.message import Message

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.mail_headers import file_name

MAX_PARTS = 1_000
_MAX_LEVELS = 50
_PLAIN = "text/plain"
_HTML = "text/html"
_BODY_TYPES = frozenset({_PLAIN, _HTML, "text/calendar", "text/enriched", "text/richtext"})
_REPORTS = frozenset({"message/delivery-status", "message/disposition-notification"})
# What a page is dressed in, and its text once more for watches and for programs that run it.
_DRESS = ("font/", "text/css", "text/javascript", "application/javascript", "text/x-amp")
_DRESS_TYPES = frozenset({"application/x-javascript", "text/watch-html", "application/font-woff"})
_SEALED = frozenset({"application/pkcs7-mime", "application/x-pkcs7-mime"})


@dataclass(frozen=True, slots=True)
class Body:
    """One text of the mail, in one or two versions."""

    plain: Message | None = None
    html: Message | None = None


@dataclass(slots=True)
class Parts:
    """The texts in order, and what is attached."""

    bodies: list[Body] = field(default_factory=list)
    attachments: list[Message] = field(default_factory=list)
    count: int = 0
    cut: bool = False


def sort_parts(message: Message) -> Parts:
    """Go through a message, not into those that are attached to it."""
    parts = Parts()
    _sort(message, parts, 0, texts=True)
    return parts


def is_html_page(message: Message) -> bool:
    """Whether this is a page that a browser saved in the form of a mail (MHTML)."""
    sent = any(name in message for name in ("To", "Cc", "Received", "Delivered-To"))
    content_type = message.get_content_type()
    return not sent and (
        content_type == "multipart/related" or "Snapshot-Content-Location" in message
    )


def refuse_encrypted(message: Message) -> None:
    """Raise for a message whose content only its receiver can read.

    Raises:
        ExtractionError: S/MIME or PGP (`encrypted`).
    """
    content_type = message.get_content_type()
    sealed = content_type in _SEALED and message.get_param("smime-type") != "signed-data"
    if sealed or content_type == "multipart/encrypted":
        raise ExtractionError(
            Reason.ENCRYPTED,
            "The mail is encrypted",
            hint="Save a decrypted copy from the mail program of its receiver.",
        )


def _sort(part: Message, parts: Parts, level: int, *, texts: bool) -> None:
    """`texts` is false in the other versions of a text that was taken already."""
    parts.count += 1
    if parts.count > MAX_PARTS or level > _MAX_LEVELS:
        parts.cut = True
        return
    content_type = part.get_content_type()
    inside = part.get_payload() if part.is_multipart() else None
    if not isinstance(inside, list) or not content_type.startswith("multipart/"):
        _sort_leaf(part, parts, texts=texts)
    elif content_type == "multipart/encrypted":
        parts.attachments.append(part)
    elif content_type == "multipart/alternative":
        _sort_versions(part, parts, level, texts=texts)
    else:
        related = content_type == "multipart/related"
        for each in inside:
            if isinstance(each, Message) and not (related and _is_dress(each)):
                _sort(each, parts, level + 1, texts=texts)


def _sort_leaf(part: Message, parts: Parts, *, texts: bool) -> None:
    if not _is_body(part):
        parts.attachments.append(part)
    elif texts:
        is_html = part.get_content_type() == _HTML
        parts.bodies.append(Body(html=part) if is_html else Body(plain=part))


def _sort_versions(part: Message, parts: Parts, level: int, *, texts: bool) -> None:
    """Versions of one text, of which only one is read; what else is among them is attached."""
    inside = [each for each in part.get_payload() if isinstance(each, Message)]
    plain = next((each for each in inside if _is(each, _PLAIN)), None)
    pages = [page for each in inside for page in _pages_in(each, 0)]
    # Text in several pieces, with what is attached between them, is read as it comes.
    html = pages[-1] if len(pages) == 1 or pages and pages[-1] in inside else None
    if texts and (plain is not None or html is not None):
        parts.bodies.append(Body(plain, html))
        texts = False
    for each in inside:
        if each is plain or each is html or _is_dress(each):
            continue
        is_version = each.get_content_type() in {_PLAIN, _HTML} or each.is_multipart()
        _sort(each, parts, level + 1, texts=texts or not is_version)


def _pages_in(part: Message, level: int) -> list[Message]:
    """The pages among mixed parts, and the one that stands for related ones."""
    if _is(part, _HTML):
        return [part]
    content_type, inside = part.get_content_type(), part.get_payload()
    if not (isinstance(inside, list) and content_type.startswith("multipart/")):
        return []
    if level > _MAX_LEVELS:
        return []
    messages = [each for each in inside if isinstance(each, Message)]
    found = [page for each in messages for page in _pages_in(each, level + 1)]
    return found[:1] if content_type == "multipart/related" else found


def _is(part: Message, content_type: str) -> bool:
    return part.get_content_type() == content_type and _is_body(part)


def _is_body(part: Message) -> bool:
    content_type = part.get_content_type()
    if content_type in _REPORTS or content_type.startswith("multipart/"):
        return True  # a multipart without parts is one text after all
    attached = part.get_content_disposition() == "attachment" or file_name(part)
    return content_type in _BODY_TYPES and not attached


def _is_dress(part: Message) -> bool:
    content_type = part.get_content_type()
    return content_type.startswith(_DRESS) or content_type in _DRESS_TYPES
