"""Sorts the parts of a mail: its texts, which versions of them say the same, what is attached."""

from dataclasses import dataclass, field
from email.message import Message

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.mail.headers import file_name

MAX_PARTS = 1_000
MAX_LEVELS = 50
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
    """One text of the mail: its plain version, and its version as a page or several."""

    plain: Message | None = None
    pages: tuple[Message, ...] = ()


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


def inside(part: Message) -> list[Message]:
    """The parts of a part; none if it is one piece."""
    payload = part.get_payload() if part.is_multipart() else ()
    return [each for each in payload if isinstance(each, Message)]


def is_html_page(message: Message) -> bool:
    """Whether this is a page that a browser or Word saved in the form of a mail (MHTML)."""
    if any(name in message for name in ("To", "Cc", "Received", "Delivered-To")):
        return False
    parts = inside(message) if message.get_content_type() == "multipart/related" else []
    return "Snapshot-Content-Location" in message or (
        bool(parts) and "Content-Location" in parts[0]
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
    if parts.count > MAX_PARTS or level > MAX_LEVELS:
        parts.cut = True
        return
    content_type = part.get_content_type()
    if not (part.is_multipart() and content_type.startswith("multipart/")):
        _sort_leaf(part, parts, texts=texts)
    elif content_type == "multipart/encrypted":
        parts.attachments.append(part)
    elif content_type == "multipart/alternative":
        _sort_versions(part, parts, level, texts=texts)
    else:
        related = content_type == "multipart/related"
        for each in inside(part):
            if not (related and _is_dress(each)):
                _sort(each, parts, level + 1, texts=texts)


def _sort_leaf(part: Message, parts: Parts, *, texts: bool) -> None:
    if not _is_body(part):
        parts.attachments.append(part)
    elif texts:
        is_html = part.get_content_type() == _HTML
        parts.bodies.append(Body(pages=(part,)) if is_html else Body(plain=part))


def _sort_versions(part: Message, parts: Parts, level: int, *, texts: bool) -> None:
    """Versions of one text, of which only one is read; what else is among them is attached."""
    among = inside(part)
    plain = next((each for each in among if _is(each, _PLAIN)), None)
    versions = [pages for each in among if (pages := _pages_in(each, 0))]
    pages = versions[-1] if versions else ()
    if texts and (plain is not None or pages):
        parts.bodies.append(Body(plain, pages))
        texts = False
    for each in among:
        if each is plain or each in pages or _is_dress(each):
            continue
        is_version = each.get_content_type() in {_PLAIN, _HTML} or each.is_multipart()
        _sort(each, parts, level + 1, texts=texts or not is_version)


def _pages_in(part: Message, level: int) -> tuple[Message, ...]:
    """The pages among mixed parts, and the one that stands for related ones."""
    if _is(part, _HTML):
        return (part,)
    content_type = part.get_content_type()
    if level > MAX_LEVELS or not content_type.startswith("multipart/"):
        return ()
    found = tuple(page for each in inside(part) for page in _pages_in(each, level + 1))
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
