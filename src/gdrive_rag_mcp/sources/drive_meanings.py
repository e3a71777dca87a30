"""What Google's reasons and statuses mean, in one table for every kind of call.

Google says "no" with 403 for a file that may not be downloaded, for a caller that is too fast and
for an API that is switched off; only the reason in the body tells them apart.
Source: https://developers.google.com/workspace/drive/api/guides/handle-errors
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.sources.drive_reach import CHECK_NETWORK


class Reach(Enum):
    """How far a failure goes: this call alone, every call of this run, or the credentials."""

    CALL = auto()
    RUN = auto()
    CREDENTIALS = auto()


@dataclass(frozen=True, slots=True)
class Meaning:
    """The ledger's word for a failure, whether waiting helps, and how far it goes.

    Where the hint is empty, the remedy depends on whose credentials they are.
    """

    reason: Reason
    transient: bool = False
    reach: Reach = Reach.CALL
    hint: str = ""


TOO_FAST = Meaning(Reason.RATE_LIMITED, transient=True)
OUTAGE = Meaning(Reason.NETWORK, transient=True)
UNREACHABLE = Meaning(Reason.NETWORK, transient=True, hint=CHECK_NETWORK)
INTERCEPTED = Meaning(
    Reason.NETWORK,
    transient=True,
    hint="a proxy, a firewall or the sign-in page of a network seems to answer in Google's place: "
    "see to it that googleapis.com can be reached, then sync again",
)
REFUSED = Meaning(Reason.ACCESS_DENIED, reach=Reach.CREDENTIALS)
STOPPED = Meaning(Reason.NETWORK, reach=Reach.RUN)
UNEXPECTED = Meaning(Reason.INTERNAL)
API_IS_OFF = Meaning(
    Reason.ACCESS_DENIED,
    reach=Reach.CREDENTIALS,
    hint="enable the Google Drive API in the Google Cloud project the credentials belong to",
)
NO_SCOPE = Meaning(
    Reason.ACCESS_DENIED,
    reach=Reach.CREDENTIALS,
    hint="the credentials need the scope drive.readonly",
)

_FORBIDDEN = Meaning(Reason.ACCESS_DENIED)
_NOT_FOUND = Meaning(Reason.NOT_FOUND)
_NO_DOWNLOAD = Meaning(Reason.DOWNLOAD_FORBIDDEN)
_NO_CONTENT = Meaning(Reason.UNSUPPORTED_TYPE)
_USED_UP = Meaning(
    Reason.RATE_LIMITED,
    reach=Reach.RUN,
    hint="the Google Cloud project's quota for today is used up; sync again tomorrow",
)
_NO_QUOTA_PROJECT = Meaning(
    Reason.ACCESS_DENIED,
    reach=Reach.CREDENTIALS,
    hint="the credentials name a quota project that they may not use: give them the role "
    "Service Usage Consumer there, or name another project",
)

_BY_REASON: Mapping[str, Meaning] = {
    "userRateLimitExceeded": TOO_FAST,
    "rateLimitExceeded": TOO_FAST,
    "sharingRateLimitExceeded": TOO_FAST,
    "RATE_LIMIT_EXCEEDED": TOO_FAST,
    "dailyLimitExceeded": _USED_UP,
    "dailyLimitExceededUnreg": _USED_UP,
    "quotaExceeded": _USED_UP,
    # a file that too many have downloaded today: asking again today is useless
    "downloadQuotaExceeded": Meaning(Reason.RATE_LIMITED),
    "exportSizeLimitExceeded": Meaning(Reason.EXPORT_TOO_LARGE),
    # `acknowledgeAbuse` would get it, but works for its owner alone
    "cannotDownloadAbusiveFile": Meaning(Reason.ABUSE_FLAGGED),
    "cannotDownloadFile": _NO_DOWNLOAD,
    "cannotExportFile": _NO_DOWNLOAD,
    "fileNotDownloadable": _NO_CONTENT,
    "fileNotExportable": _NO_CONTENT,
    "insufficientFilePermissions": _FORBIDDEN,
    "appNotAuthorizedToFile": _FORBIDDEN,
    "domainPolicy": _FORBIDDEN,
    "forbidden": _FORBIDDEN,
    "teamDriveMembershipRequired": _FORBIDDEN,
    "notFound": _NOT_FOUND,
    "fileNotFound": _NOT_FOUND,
    "teamDriveNotFound": _NOT_FOUND,
    # google.rpc.Code, where it is all that is said
    "PERMISSION_DENIED": _FORBIDDEN,
    "NOT_FOUND": _NOT_FOUND,
    "authError": REFUSED,
    "accessNotConfigured": API_IS_OFF,
    "SERVICE_DISABLED": API_IS_OFF,
    "insufficientPermissions": NO_SCOPE,
    "ACCESS_TOKEN_SCOPE_INSUFFICIENT": NO_SCOPE,
    "USER_PROJECT_DENIED": _NO_QUOTA_PROJECT,
    "backendError": OUTAGE,
    "internalError": OUTAGE,
    "transientError": OUTAGE,
}
# A 403 or 404 for a reason that is not known here need not be about this one thing.
_BY_STATUS: Mapping[int, Meaning] = {401: REFUSED, 408: OUTAGE, 429: TOO_FAST}
# Google's error object may name no reason at all: then its code is what it says.
_WITHOUT_A_REASON: Mapping[int, Meaning] = {403: _FORBIDDEN, 404: _NOT_FOUND}
_GONE, _SERVER_ERRORS = 410, 500
# What the token endpoint says, where the remedy is the same whoever asks.
_BY_TOKEN_ERROR: Mapping[str, str] = {
    "unauthorized_client": "allow the client id and the scope drive.readonly under domain-wide "
    "delegation in the Workspace admin console; that can take up to 24 hours to work",
    "invalid_client": "the OAuth client is unknown to Google: create another, and sign in again",
    "deleted_client": "the OAuth client was deleted: create another, and sign in again",
    "disabled_client": "the OAuth client is disabled: enable it in the Google Cloud console",
    "invalid_scope": "the credentials cannot be given the scope drive.readonly",
}


def meaning_of(
    status: int, reasons: Sequence[str], *, of_the_day: bool = False, reasonless: bool = False
) -> Meaning:
    """What an answer says: the first known reason decides before the status.

    `of_the_day` says that the limit that was met is one for a day, `reasonless` that it is Google's
    error object, whole, with nothing but its code.
    """
    meaning = next((_BY_REASON[name] for name in reasons if name in _BY_REASON), None)
    if meaning is None:
        known = {**_WITHOUT_A_REASON, **_BY_STATUS} if reasonless else _BY_STATUS
        meaning = OUTAGE if status >= _SERVER_ERRORS else known.get(status, UNEXPECTED)
    return _USED_UP if of_the_day and meaning is TOO_FAST else meaning


def is_plain_outage(status: int) -> bool:
    """Whether a status says the same whoever gave it: wait, or (410) begin the log anew."""
    return (
        status >= _SERVER_ERRORS
        or _BY_STATUS.get(status) in (OUTAGE, TOO_FAST)
        or (status == _GONE)
    )


def meaning_of_token_error(code: str) -> Meaning:
    """What it means that the token endpoint refused, by OAuth's error code (RFC 6749, 5.2)."""
    hint = _BY_TOKEN_ERROR.get(code, "")
    return Meaning(REFUSED.reason, reach=REFUSED.reach, hint=hint)
