"""Failed calls, understood: what Google answered, and what the layers below raised."""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from typing import Any

from google.auth.exceptions import GoogleAuthError, RefreshError, TransportError

from gdrive_rag_mcp.cleaning import clean
from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.sources.drive_fields import objects, parsed, part, text, whole_number
from gdrive_rag_mcp.sources.drive_meanings import (
    OUTAGE,
    REFUSED,
    STOPPED,
    Meaning,
    Reach,
    meaning_of,
    meaning_of_token_error,
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
    "understood",
]

_GONE, _BAD_REQUEST = 410, 400
_RETRY_AFTER_TEXT = re.compile(r"[Rr]etry after (\d{4}-\d\d-\d\dT[\d:.]+Z)")
_PAGE_TOKEN = re.compile(r"page[\s_]?token", re.IGNORECASE)
_PER_DAY = re.compile(r"1/d\b")
_MESSAGE_LENGTH = 300

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
        return self.status == _BAD_REQUEST


class ForeignAddressError(DriveCallError):
    """Drive refers to an address that must not be sent the token."""

    def __init__(self, where: str) -> None:
        super().__init__(
            f"Drive refers to {where}, which is not Google's", Meaning(Reason.ACCESS_DENIED)
        )


class RunStoppedError(DriveCallError):
    """The run was stopped from outside; no call is made any more."""

    def __init__(self) -> None:
        super().__init__("the run was stopped", STOPPED)


def error_of_response(status: int, headers: Mapping[str, str], body: bytes) -> DriveCallError:
    """Understand an answer that is no success."""
    # Empty for what a proxy may have answered instead of Google's error body.
    error = part(parsed(body) or {}, "error")
    details = [*objects(error, "errors"), *objects(error, "details")]  # older and newer bodies
    reasons = _texts(details, "reason")
    message = _line(error.get("message"))
    said = ": ".join(words for words in (_line(", ".join(reasons)), message) if words)
    return DriveCallError(
        f"Drive answered {status}" + (f" ({said})" if said else ""),
        meaning_of(status, reasons, of_the_day=_is_of_the_day(details)),
        retry_after=_retry_after(headers, message),
        status=status,
        named=_named(details),
    )


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


@contextmanager
def understood() -> Iterator[None]:
    """Translate what the Google, HTTP and socket layers raise.

    Only a call to them belongs inside: what they raise over a malformed answer looks like a
    mistake of our own.

    Raises:
        DriveCallError: in place of all of it.
    """
    try:
        yield
    except RefreshError as error:
        raise _refused(error) from error
    except TransportError as error:
        raise DriveCallError(f"no access token: {_said(error)}", OUTAGE) from error
    except GoogleAuthError as error:
        raise DriveCallError(f"no access token: {_said(error)}", REFUSED) from error
    except MALFORMED as error:
        raise damaged(
            "Drive, or the token endpoint, answered with something that makes no sense"
            f" ({_said(error)})"
        ) from error
    except (HTTPException, OSError) as error:  # what `requests` raises is an OSError
        raise DriveCallError(f"Drive cannot be reached: {_said(error)}", OUTAGE) from error


def _refused(error: RefreshError) -> DriveCallError:
    """The token endpoint's no, which is `<code>: <description>`."""
    said = error.args[0] if error.args else ""
    meaning = meaning_of_token_error(str(said).partition(":")[0])
    return DriveCallError(f"no access token: {_line(said)}", OUTAGE if error.retryable else meaning)


def damaged(problem: str) -> DriveCallError:
    """An answer that broke off or makes no sense, which the next attempt may mend."""
    return DriveCallError(problem, OUTAGE)


def _said(error: BaseException) -> str:
    """An exception's words, unless they are about an answer: they may quote it, and the token."""
    if isinstance(error, MALFORMED) or isinstance(error.__cause__, MALFORMED):
        return type(error).__name__
    return _line(str(error)) or type(error).__name__


def _line(said: object) -> str:
    """A text of somebody else in one bounded line; nothing for what is no text."""
    return " ".join(clean(said).split())[:_MESSAGE_LENGTH] if isinstance(said, str) else ""
