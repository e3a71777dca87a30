"""Failed calls, understood: what Google answered, and what something else did in its place."""

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from gdrive_rag_mcp.cleaning import clean
from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.sources.drive_fields import objects, parsed, part, text, whole_number
from gdrive_rag_mcp.sources.drive_meanings import (
    INTERCEPTED,
    OUTAGE,
    STOPPED,
    Meaning,
    Reach,
    is_plain_outage,
    meaning_of,
)

__all__ = [
    "MALFORMED",
    "DriveCallError",
    "ForeignAddressError",
    "Meaning",
    "Reach",
    "RunStoppedError",
    "damaged",
    "error_of_response",
    "intercepted",
    "is_web_page",
    "one_line",
]

_GONE, _BAD_REQUEST = 410, 400
_RETRY_AFTER_TEXT = re.compile(r"[Rr]etry after (\d{4}-\d\d-\d\dT[\d:.]+Z)")
_PAGE_TOKEN = re.compile(r"page[\s_]?token", re.IGNORECASE)
_PER_DAY = re.compile(r"1/d\b")
_MESSAGE_LENGTH = 300
_LIKE_A_TOKEN = re.compile(r"[A-Za-z0-9+/=_%.~-]{80,}")
_WEB_PAGE = re.compile(rb"\s*<(?:!doctype html|html|head|body)\b", re.IGNORECASE)
_TITLE = re.compile(rb"<title[^>]*>([^<]{1,400})", re.IGNORECASE)
_TITLE_LENGTH = 80

# What the libraries raise when they take an answer apart that is not built as they expect.
MALFORMED = (
    TypeError,
    ValueError,
    LookupError,
    AttributeError,
    RecursionError,
    OverflowError,
)


class DriveCallError(Exception):
    """A call to Google that failed, understood; it never leaves this package.

    `status` is that of the answer, if there was one; `named` are the parameters it complains of.
    """

    def __init__(
        self,
        message: str,
        meaning: Meaning,
        *,
        retry_after: float = 0.0,
        status: int | None = None,
        named: tuple[str, ...] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.meaning = meaning
        self.retry_after = retry_after
        self.status = status
        self.named = named

    @property
    def reason(self) -> Reason:
        return self.meaning.reason

    @property
    def stays_here(self) -> bool:
        """Whether other calls may still succeed."""
        return self.meaning.reach is Reach.CALL

    @property
    def invalid_page_token(self) -> bool:
        """Whether a page token was refused, so that a listing or a log must be begun anew."""
        if self.status == _GONE:
            return True
        said = (*self.named, self.message)
        return self.status == _BAD_REQUEST and any(_PAGE_TOKEN.search(each) for each in said)

    @property
    def is_bad_request(self) -> bool:
        """Whether Google did not understand the question, such as an unknown conversion."""
        return self.status == _BAD_REQUEST and not self.meaning.transient


class ForeignAddressError(DriveCallError):
    """An address that must not be sent the token: one that Drive names, or is redirected to.

    Google does not redirect its APIs to others, so that a redirect is somebody else's answer.
    """

    def __init__(self, where: str, redirected_from: str | None = None) -> None:
        super().__init__(
            f"Drive refers to {where}, which is not Google's"
            if redirected_from is None
            else f"{redirected_from} redirects to {where}, which is not Google's",
            Meaning(Reason.ACCESS_DENIED) if redirected_from is None else INTERCEPTED,
        )


class RunStoppedError(DriveCallError):
    """The run was stopped from outside; no call is made any more."""

    def __init__(self) -> None:
        super().__init__("the run was stopped", STOPPED)


def error_of_response(
    status: int, headers: Mapping[str, str], body: bytes, *, host: str = ""
) -> DriveCallError:
    """Understand an answer that is no success, whoever gave it.

    Only Google's own words say anything of what was asked for: whatever stands between, such as a
    proxy or the sign-in page of a network, answers with the same statuses.
    """
    error = part(parsed(body) or {}, "error")
    details = [*objects(error, "errors"), *objects(error, "details")]  # older and newer bodies
    reasons = _texts(details, "reason")
    is_googles = bool(details) or error.get("code") == status
    if not is_googles and not is_plain_outage(status):
        return intercepted(status, headers, body, host=host)
    if not reasons:  # the newest bodies may have nothing but google.rpc.Status's own fields
        reasons = _texts([error], "status")
    message = one_line(error.get("message"))
    said = ": ".join(words for words in (one_line(", ".join(reasons)), message) if words)
    if not is_googles and is_web_page(headers, body):
        said = _kind(headers, body)
    return DriveCallError(
        f"Drive answered {status}" + (f" ({said})" if said else ""),
        meaning_of(
            status,
            reasons,
            of_the_day=_is_of_the_day(details),
            reasonless=not (details or reasons) and error.get("code") == status,
        ),
        retry_after=_retry_after(headers, message),
        status=status,
        named=_named(details),
    )


def intercepted(
    status: int, headers: Mapping[str, str], body: bytes, *, host: str = ""
) -> DriveCallError:
    """An answer in Drive's place: an outage of the way there, and no word about what was asked."""
    return DriveCallError(
        f"{host or 'Drive'} answered {status} with {_kind(headers, body)}, which is no answer of"
        " Google's API",
        INTERCEPTED,
        status=status,
    )


def _kind(headers: Mapping[str, str], body: bytes) -> str:
    """What somebody else's answer is, in words, with the title if it is a page for people."""
    if is_web_page(headers, body):
        found = _TITLE.search(body)
        title = one_line(found.group(1).decode("utf-8", "replace")) if found else ""
        return "a web page" + (f" ({title[:_TITLE_LENGTH]!r})" if title else "")
    if not body.strip():
        return "nothing"
    if parsed(body) is not None:
        return "an object of another kind"
    said = one_line(headers.get("content-type", "").partition(";")[0])
    return f"something of the type {said[:_TITLE_LENGTH]}" if said else "something else"


def is_web_page(headers: Mapping[str, str], body: bytes) -> bool:
    """Whether an answer was made for a browser."""
    return "html" in headers.get("content-type", "").lower() or bool(_WEB_PAGE.match(body))


def _texts(details: Iterable[Mapping[str, Any]], name: str) -> list[str]:
    return list(dict.fromkeys(said for detail in details if (said := text(detail, name))))


def _named(details: list[dict[str, Any]]) -> tuple[str, ...]:
    """The parameters that Google complains of."""
    violations = [each for detail in details for each in objects(detail, "fieldViolations")]
    return (*_texts(details, "location"), *_texts(violations, "field"))


def _is_of_the_day(details: list[dict[str, Any]]) -> bool:
    """Whether the limit is one for a day, such as `1/d/{project}` (google.rpc.ErrorInfo)."""
    units = _texts((part(detail, "metadata") for detail in details), "quota_unit")
    return any(_PER_DAY.match(unit) for unit in units)


def _retry_after(headers: Mapping[str, str], message: str) -> float:
    """Seconds to wait: from the header (a number or a date) or from the message's text."""
    value = headers.get("retry-after", "")
    seconds = whole_number(value)
    if seconds is not None:
        return float(seconds)
    moment = None
    try:
        if value:
            moment = parsedate_to_datetime(value)
        elif found := _RETRY_AFTER_TEXT.search(message):
            moment = datetime.fromisoformat(found.group(1))
    except MALFORMED:
        return 0.0
    if moment is None:
        return 0.0
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (aware - datetime.now(UTC)).total_seconds())


def damaged(problem: str) -> DriveCallError:
    """An answer that broke off or makes no sense, which the next attempt may mend."""
    return DriveCallError(problem, OUTAGE)


def one_line(said: object) -> str:
    """A text of somebody else in one bounded line; nothing for what is no text.

    No id is as long as a token is: what runs on for so long may be the one that was sent.
    """
    if not isinstance(said, str):
        return ""
    return _LIKE_A_TOKEN.sub("…", " ".join(clean(said).split()))[:_MESSAGE_LENGTH]
