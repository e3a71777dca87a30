"""What a failed Drive call means: one table by reason, then by status, for every kind of call.

Google says "no" with 403 for a file that may not be downloaded, for a caller that is too fast and
for an API that is switched off; only the reason in the body tells them apart.
Source: https://developers.google.com/workspace/drive/api/guides/handle-errors
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import Enum, auto
from http.client import HTTPException
from typing import Any

import httplib2
from google.auth.exceptions import GoogleAuthError, RefreshError, TransportError

from gdrive_rag_mcp.cleaning import clean
from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.sources.drive_fields import parsed, part, text, whole_number


class Reach(Enum):
    """How far a failure goes: this call alone, every call of this run, or the credentials."""

    CALL = auto()
    RUN = auto()
    CREDENTIALS = auto()


@dataclass(frozen=True, slots=True)
class Meaning:
    """The ledger's word for a failure, whether waiting helps, and how far it goes."""

    reason: Reason
    transient: bool = False
    reach: Reach = Reach.CALL
    hint: str = ""


_TOO_FAST = Meaning(Reason.RATE_LIMITED, transient=True)
_OUTAGE = Meaning(Reason.NETWORK, transient=True)
_FORBIDDEN = Meaning(Reason.ACCESS_DENIED)
_REFUSED = Meaning(
    Reason.ACCESS_DENIED,
    reach=Reach.CREDENTIALS,
    hint="see that the key still exists in the Google Cloud console, that the account is not "
    "disabled, and that this machine's clock is right",
)
_API_IS_OFF = Meaning(
    Reason.ACCESS_DENIED,
    reach=Reach.CREDENTIALS,
    hint="enable the Google Drive API in the Google Cloud project the key belongs to",
)
_NO_SCOPE = Meaning(
    Reason.ACCESS_DENIED,
    reach=Reach.CREDENTIALS,
    hint="the credentials need the scope drive.readonly",
)

_BY_REASON: Mapping[str, Meaning] = {
    "userRateLimitExceeded": _TOO_FAST,
    "rateLimitExceeded": _TOO_FAST,
    "sharingRateLimitExceeded": _TOO_FAST,
    "RATE_LIMIT_EXCEEDED": _TOO_FAST,
    # a file that too many have downloaded today: asking again today is useless
    "downloadQuotaExceeded": Meaning(Reason.RATE_LIMITED),
    "dailyLimitExceeded": Meaning(Reason.RATE_LIMITED, reach=Reach.RUN),
    "exportSizeLimitExceeded": Meaning(Reason.EXPORT_TOO_LARGE),
    "cannotDownloadAbusiveFile": Meaning(Reason.ABUSE_FLAGGED),
    "cannotDownloadFile": Meaning(Reason.DOWNLOAD_FORBIDDEN),
    "fileNotDownloadable": Meaning(Reason.UNSUPPORTED_TYPE),
    "fileNotExportable": Meaning(Reason.UNSUPPORTED_TYPE),
    "insufficientFilePermissions": _FORBIDDEN,
    "appNotAuthorizedToFile": _FORBIDDEN,
    "domainPolicy": _FORBIDDEN,
    "notFound": Meaning(Reason.NOT_FOUND),
    "authError": _REFUSED,
    "accessNotConfigured": _API_IS_OFF,
    "SERVICE_DISABLED": _API_IS_OFF,
    "insufficientPermissions": _NO_SCOPE,
    "ACCESS_TOKEN_SCOPE_INSUFFICIENT": _NO_SCOPE,
}
_BY_STATUS: Mapping[int, Meaning] = {
    401: _REFUSED,
    403: _FORBIDDEN,
    404: Meaning(Reason.NOT_FOUND),
    408: _OUTAGE,
    429: _TOO_FAST,
}
_UNEXPECTED = Meaning(Reason.INTERNAL)
_RETRY_AFTER_TEXT = re.compile(r"[Rr]etry after (\d{4}-\d\d-\d\dT[\d:.]+Z)")
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
    """A Drive call that failed, understood; it never leaves this package."""

    def __init__(self, message: str, meaning: Meaning, *, retry_after: float = 0.0) -> None:
        super().__init__(message)
        self.message = message
        self.meaning = meaning
        self.retry_after = retry_after

    @property
    def reason(self) -> Reason:
        return self.meaning.reason

    @property
    def stays_here(self) -> bool:
        """Whether other calls may still succeed."""
        return self.meaning.reach is Reach.CALL


def error_of_response(status: int, headers: Mapping[str, str], body: bytes) -> DriveCallError:
    """Understand an answer that is no success."""
    # Empty for what a proxy may have answered instead of Google's error body.
    error = part(parsed(body) or {}, "error")
    reasons = _reasons(error)
    message = _line(error.get("message"))
    meaning = next((_BY_REASON[name] for name in reasons if name in _BY_REASON), None)
    if meaning is None:
        outage = status >= 500  # noqa: PLR2004 -- the class of server errors
        meaning = _OUTAGE if outage else _BY_STATUS.get(status, _UNEXPECTED)
    said = ": ".join(words for words in (_line(", ".join(reasons)), message) if words)
    return DriveCallError(
        f"Drive answered {status}" + (f" ({said})" if said else ""),
        meaning,
        retry_after=_retry_after(headers, message),
    )


def _reasons(error: Mapping[str, Any]) -> list[str]:
    """`errors[].reason`, then the `details[].reason` of newer bodies."""
    named = [
        reason
        for key in ("errors", "details")
        if isinstance(details := error.get(key), list)
        for detail in details
        if isinstance(detail, dict) and (reason := text(detail, "reason"))
    ]
    return list(dict.fromkeys(named))


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
        meaning = _OUTAGE if error.retryable else _REFUSED
        raise DriveCallError(f"no access token: {_line(error.args[0])}", meaning) from error
    except TransportError as error:
        raise DriveCallError(f"no access token: {_said(error)}", _OUTAGE) from error
    except GoogleAuthError as error:
        raise DriveCallError(f"no access token: {_said(error)}", _REFUSED) from error
    except (httplib2.HttpLib2Error, HTTPException, OSError) as error:
        raise DriveCallError(f"Drive cannot be reached: {_said(error)}", _OUTAGE) from error
    except MALFORMED as error:
        # Its own words are the library's, and may quote the answer, which may hold a token.
        raise damaged(
            "Drive, or the token endpoint, answered with something that makes no sense"
            f" ({type(error).__name__})"
        ) from error


def damaged(problem: str) -> DriveCallError:
    """An answer that broke off or makes no sense, which the next attempt may mend."""
    return DriveCallError(problem, _OUTAGE)


def _said(error: Exception) -> str:
    return _line(str(error)) or type(error).__name__


def _line(said: object) -> str:
    """A text of somebody else in one bounded line; nothing for what is no text."""
    return " ".join(clean(said).split())[:_MESSAGE_LENGTH] if isinstance(said, str) else ""
