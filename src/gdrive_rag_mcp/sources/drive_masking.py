"""Takes the secrets of a request out of what is said about its answer.

Servers, and what stands before them, quote what they were sent: whole or cut, as it was,
URL-encoded or in base64.
"""

import base64
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from urllib.parse import parse_qsl, quote, quote_plus

from gdrive_rag_mcp.sources.drive_failures import one_line
from gdrive_rag_mcp.sources.drive_fields import parsed

_MASK = "…"
# What a form or an object may say aloud; every other value in it is taken for a secret.
_PUBLIC = frozenset(
    {
        "audience",
        "client_id",
        "delegates",
        "grant_type",
        "lifetime",
        "options",
        "redirect_uri",
        "requested_token_type",
        "scope",
        "subject_token_type",
    }
)
_SHORTEST = 4  # less would blank out the words of a sentence
_WINDOW = 8  # so much of a secret in a row is no coincidence
_RUN = re.compile(r"[A-Za-z0-9+/=_%~-]{40,}")  # no word of any language; hexadecimal, say
_MASKS = re.compile(f"{_MASK}(?:[&=]*{_MASK})+")


class Secrets:
    """The secrets of one request."""

    def __init__(self, secrets: Iterable[str]) -> None:
        forms = {form for secret in secrets for form in _forms(secret) if len(form) >= _SHORTEST}
        self._windows = {
            form[start : start + _WINDOW]
            for form in forms
            for start in range(max(1, len(form) - _WINDOW + 1))
        }
        self._sizes = {len(window) for window in self._windows}

    @classmethod
    def of_request(cls, body: object, headers: Mapping[str, str] | None) -> "Secrets":
        """What a request carries that is nobody else's business."""
        return cls([*_in_body(body), *_in_headers(headers or {})])

    def masked(self, said: object) -> str:
        """A text of somebody else in one bounded line; nothing for what is no text."""
        shown = one_line(said).encode("utf-8", "replace")
        folded, hidden = shown.lower(), bytearray(len(shown))
        for size in self._sizes:
            for start in range(len(folded) - size + 1):
                if folded[start : start + size] in self._windows:
                    hidden[start : start + size] = b"\1" * size
        pieces = (
            _MASK if hides else bytes(byte for byte, _ in run).decode("utf-8", "ignore")
            for hides, run in _runs(shown, bytes(hidden))
        )
        return _MASKS.sub(_MASK, _RUN.sub(_MASK, "".join(pieces)))


def _runs(shown: bytes, hidden: bytes) -> Iterator[tuple[bool, list[tuple[int, int]]]]:
    for hides, run in groupby(zip(shown, hidden, strict=True), key=lambda each: each[1]):
        yield bool(hides), list(run)


def _in_body(body: object) -> Iterator[str]:
    raw = body.encode("utf-8", "replace") if isinstance(body, str) else body
    if not isinstance(raw, bytes) or not raw:
        return
    fields: Iterable[tuple[str, object]]
    fields = (parsed(raw) or {}).items() or parse_qsl(raw.decode("utf-8", "replace"))
    found = [str(value) for name, value in fields if name not in _PUBLIC]
    yield from found


def _in_headers(headers: Mapping[str, str]) -> Iterator[str]:
    for name, value in headers.items():
        if name.lower() != "authorization":
            continue
        secret = str(value).partition(" ")[2]
        yield secret
        try:  # that of a client is its id and its secret, in base64
            yield base64.b64decode(secret, validate=True).decode("utf-8").partition(":")[2]
        except ValueError:
            continue


def _forms(secret: str) -> Iterator[bytes]:
    """Every way it may be written, in small letters."""
    raw = secret.encode("utf-8", "replace")
    yield raw.lower()
    for encoded in (quote(secret), quote(secret, safe=""), quote_plus(secret)):
        yield encoded.lower().encode("ascii")
    for before in range(3):  # its place among the bytes that are encoded with it
        whole = base64.b64encode(b"\0" * before + raw)
        own = whole[(8 * before + 5) // 6 : 8 * (before + len(raw)) // 6].lower()
        yield own
        yield own.translate(bytes.maketrans(b"+/", b"-_"))
