"""Header fields of mails as people read them: encoded words decoded, broken ones as far as it goes.

The fields are decoded here rather than by the library's newer policy, whose parsers of structured
fields give up on what mail programs really send.
"""

import binascii
import quopri
import re
import urllib.parse
from collections.abc import Iterator
from email.message import Message
from typing import Any

from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.building import one_line
from gdrive_rag_mcp.extraction.web.charset import decode

MAX_FIELD = 10_000
_SHOWN = ("From", "To", "Cc", "Bcc", "Date", "Subject")
_ENCODED_WORD = re.compile(r"=\?([^?\s]{1,80})\?([bBqQ])\?([^?]*)\?=")
_NO_BASE64 = re.compile(rb"[^A-Za-z0-9+/]")
_PARAMETER = r"""(?i);\s*{}(?:\*\d+)?(?P<encoded>\*?)\s*=\s*(?P<value>"[^"]*"|[^;\s]*)"""
_STRUCTURED = re.compile(
    rb"^(content-(?:type|disposition)[ \t]*:)([^\n]*(?:\n[ \t][^\n]*)*)",
    re.IGNORECASE | re.MULTILINE,
)


class ReadMessage(Message):
    """A message whose damaged parameters are read as far as they go, rather than raised about."""

    def get_param(
        self,
        param: str,
        failobj: Any = None,  # noqa: ANN401 - the library's signature
        header: str = "content-type",
        unquote: bool = True,  # noqa: FBT001, FBT002 - the library's signature
    ) -> Any:  # noqa: ANN401 - the library's signature
        """A parameter; where several claim to be it, or its pieces cannot be put together, one."""
        try:
            found = super().get_param(param, failobj, header, unquote)
        except (TypeError, ValueError):
            found = _first_parameter(str(self.get(header, "")), param) or failobj
        if isinstance(found, tuple) and "\0" in (found[0] or ""):
            return found[2]  # its charset is none, and the library would look it up
        return found


def _first_parameter(text: str, name: str) -> str:
    """The first parameter of a field by its name; a part of one that came in pieces counts."""
    found = re.search(_PARAMETER.format(re.escape(name)), text)
    if not found:
        return ""
    value = found["value"].strip('"')
    return urllib.parse.unquote(value.rpartition("'")[2]) if found["encoded"] else value


def shorten_fields(content: bytes) -> bytes:
    """Cut fields whose parameters would cost the square of their number to take apart."""

    def shortened(field: re.Match[bytes]) -> bytes:
        return field[1] + field[2][:MAX_FIELD] if len(field[2]) > MAX_FIELD else field[0]

    return _STRUCTURED.sub(shortened, content)


def shown_fields(message: Message) -> list[str]:
    """The fields that a reader looks at, a line each."""
    fields = ((name, field(message, name)) for name in _SHOWN)
    return [f"{name}: {text}" for name, text in fields if text]


def field(message: Message, name: str) -> str:
    """A field by its name, in one line; of several the first."""
    wanted = name.lower()
    # `raw_items` gives the text as it came, whatever the policy would make of it.
    raw = next((value for key, value in message.raw_items() if key.lower() == wanted), "")
    return one_line(decoded(str(raw)), MAX_FIELD)


def file_name(part: Message) -> str:
    """The name that a part is sent under."""
    name = part.get_filename() or ""
    return one_line(decoded(name)).replace("/", "_")


def decoded(raw: str) -> str:
    """Text from a header field: encoded words, or bytes that should not be there."""
    text = "".join(_pieces(raw)) if "=?" in raw else raw
    return _without_raw_bytes(text)


def _pieces(raw: str) -> Iterator[str]:
    """Words next to each other belong together: characters may be split between them."""
    held: list[bytes] = []
    charset, at = "", 0
    for word in _ENCODED_WORD.finditer(raw):
        between = raw[at : word.start()]
        named = word[1].partition("*")[0].lower()  # after it a language may be named (RFC 2231)
        if between.strip() or at == 0 or named != charset:
            yield _text(b"".join(held), charset)
            yield between if between.strip() or at == 0 else ""
            held.clear()
        held.append(_content(word[2], word[3]))
        charset, at = named, word.end()
    yield _text(b"".join(held), charset)
    yield raw[at:]


def _content(how: str, text: str) -> bytes:
    plain = text.encode("ascii", errors="ignore")
    if how in "qQ":
        return quopri.decodestring(plain, header=True)
    letters = _NO_BASE64.sub(b"", plain)
    # A letter too many cannot be decoded; what comes before it still says something.
    return binascii.a2b_base64(letters[: len(letters) - (len(letters) % 4 == 1)] + b"==")


def _text(content: bytes, charset: str) -> str:
    try:
        return decode(content, charset)[0] if content else ""
    except ExtractionError:
        return content.decode("ascii", errors="replace")


def _without_raw_bytes(text: str) -> str:
    """Fields with letters that were never encoded; the parser keeps their bytes as surrogates."""
    try:
        return _text(text.encode("ascii", errors="surrogateescape"), "")
    except UnicodeEncodeError:
        return text
