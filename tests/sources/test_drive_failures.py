"""What a failed call means, by the bodies that Google is known to send."""

import http.client
import json
import ssl
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
import requests
from google.auth.exceptions import MutualTLSChannelError, RefreshError, TransportError

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.sources.drive_failures import (
    DriveCallError,
    Reach,
    error_of_response,
)
from gdrive_rag_mcp.sources.drive_outages import understood

# The library's exceptions are not annotated.
_refresh_error: Any = RefreshError
_transport_error: Any = TransportError
_other_error: Any = MutualTLSChannelError
_INFO = "type.googleapis.com/google.rpc.ErrorInfo"
_QUOTA_DETAILS = {
    "error": {
        "code": 403,
        "message": "Quota exceeded for quota metric 'Queries' and limit 'Queries per minute'",
        "status": "PERMISSION_DENIED",
        "details": [
            {
                "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                "reason": "RATE_LIMIT_EXCEEDED",
                "domain": "googleapis.com",
            }
        ],
    }
}


def _body(reason: str, message: str = "said") -> dict[str, Any]:
    detail = {"domain": "global", "reason": reason, "message": message}
    return {"error": {"errors": [detail], "code": 0, "message": message}}


def _detail(reason: str, **metadata: str) -> dict[str, Any]:
    """A newer body, which has no `errors`."""
    info = {"@type": _INFO, "reason": reason, "domain": "googleapis.com", "metadata": metadata}
    return {"error": {"code": 403, "message": "said", "details": [{"@type": "Help"}, info]}}


def _canonical(code: int, status: str) -> dict[str, Any]:
    """The newest body with nothing but google.rpc.Status's own fields."""
    return {"error": {"code": code, "message": "said", "status": status}}


def _quota(unit: str) -> dict[str, Any]:
    return _detail("RATE_LIMIT_EXCEEDED", quota_unit=unit)


def _error(
    status: int, body: object = None, headers: Mapping[str, str] | None = None
) -> DriveCallError:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return error_of_response(status, headers or {}, raw)


@pytest.mark.parametrize(
    ("status", "body", "reason", "transient", "reach"),
    [
        (403, _body("userRateLimitExceeded"), Reason.RATE_LIMITED, True, Reach.CALL),
        (403, _body("sharingRateLimitExceeded"), Reason.RATE_LIMITED, True, Reach.CALL),
        (403, _QUOTA_DETAILS, Reason.RATE_LIMITED, True, Reach.CALL),
        (403, _body("downloadQuotaExceeded"), Reason.RATE_LIMITED, False, Reach.CALL),
        (403, _body("dailyLimitExceeded"), Reason.RATE_LIMITED, False, Reach.RUN),
        (403, _body("quotaExceeded"), Reason.RATE_LIMITED, False, Reach.RUN),
        (429, _quota("1/d/{project}"), Reason.RATE_LIMITED, False, Reach.RUN),
        (429, _quota("1/min/{project}/{user}"), Reason.RATE_LIMITED, True, Reach.CALL),
        (403, _body("teamDriveMembershipRequired"), Reason.ACCESS_DENIED, False, Reach.CALL),
        (403, _body("appNotAuthorizedToFile"), Reason.ACCESS_DENIED, False, Reach.CALL),
        (403, _body("cannotExportFile"), Reason.DOWNLOAD_FORBIDDEN, False, Reach.CALL),
        (403, _body("fileNotExportable"), Reason.UNSUPPORTED_TYPE, False, Reach.CALL),
        (404, _body("fileNotFound"), Reason.NOT_FOUND, False, Reach.CALL),
        (404, _canonical(404, "NOT_FOUND"), Reason.NOT_FOUND, False, Reach.CALL),
        (403, _canonical(403, "PERMISSION_DENIED"), Reason.ACCESS_DENIED, False, Reach.CALL),
        (403, _detail("SERVICE_DISABLED"), Reason.ACCESS_DENIED, False, Reach.CREDENTIALS),
        (
            403,
            _detail("ACCESS_TOKEN_SCOPE_INSUFFICIENT"),
            Reason.ACCESS_DENIED,
            False,
            Reach.CREDENTIALS,
        ),
        (403, _detail("USER_PROJECT_DENIED"), Reason.ACCESS_DENIED, False, Reach.CREDENTIALS),
        (403, _body("exportSizeLimitExceeded"), Reason.EXPORT_TOO_LARGE, False, Reach.CALL),
        (403, _body("cannotDownloadAbusiveFile"), Reason.ABUSE_FLAGGED, False, Reach.CALL),
        (403, _body("cannotDownloadFile"), Reason.DOWNLOAD_FORBIDDEN, False, Reach.CALL),
        (403, _body("fileNotDownloadable"), Reason.UNSUPPORTED_TYPE, False, Reach.CALL),
        (403, _body("insufficientFilePermissions"), Reason.ACCESS_DENIED, False, Reach.CALL),
        (403, _body("domainPolicy"), Reason.ACCESS_DENIED, False, Reach.CALL),
        (403, _body("accessNotConfigured"), Reason.ACCESS_DENIED, False, Reach.CREDENTIALS),
        (403, _body("insufficientPermissions"), Reason.ACCESS_DENIED, False, Reach.CREDENTIALS),
        # of a reason that is not known, nobody knows what it is about
        (403, _body("somethingNew"), Reason.INTERNAL, False, Reach.CALL),
        (404, _body("somethingNew"), Reason.INTERNAL, False, Reach.CALL),
        (403, _detail("SECURITY_POLICY_VIOLATED"), Reason.INTERNAL, False, Reach.CALL),
        (404, {"error": {"code": 404}}, Reason.NOT_FOUND, False, Reach.CALL),
        (403, {"error": {"code": 403, "errors": []}}, Reason.ACCESS_DENIED, False, Reach.CALL),
        (403, {"error": {"code": 404}}, Reason.NETWORK, True, Reach.CALL),
        (403, _body("forbidden"), Reason.ACCESS_DENIED, False, Reach.CALL),
        (401, _body("authError"), Reason.ACCESS_DENIED, False, Reach.CREDENTIALS),
        (401, _canonical(401, "UNAUTHENTICATED"), Reason.ACCESS_DENIED, False, Reach.CREDENTIALS),
        (404, _body("notFound"), Reason.NOT_FOUND, False, Reach.CALL),
        (429, b"", Reason.RATE_LIMITED, True, Reach.CALL),
        (408, b"", Reason.NETWORK, True, Reach.CALL),
        (500, _body("internalError"), Reason.NETWORK, True, Reach.CALL),
        (502, b"<html>Bad Gateway", Reason.NETWORK, True, Reach.CALL),
        (400, _body("invalid"), Reason.INTERNAL, False, Reach.CALL),
    ],
)
def test_the_reason_in_the_body_decides_before_the_status(
    status: int, body: object, reason: Reason, *, transient: bool, reach: Reach
) -> None:
    meaning = _error(status, body).meaning

    assert (meaning.reason, meaning.transient, meaning.reach) == (reason, transient, reach)


def test_the_message_keeps_what_google_said_in_one_bounded_line() -> None:
    said = _error(403, _body("cannotDownloadFile", "no\n\nway " + "x " * 5000)).message

    assert said.startswith("Drive answered 403 (cannotDownloadFile: no way x")
    assert len(said) < 400


@pytest.mark.parametrize(
    ("value", "expected"),
    [("30", 30.0), (" 7 ", 7.0), ("", 0.0), ("soon", 0.0), ("-5", 0.0)],
)
def test_seconds_to_wait_are_taken_from_the_header(value: str, expected: float) -> None:
    assert _error(429, headers={"retry-after": value}).retry_after == expected


def test_a_moment_to_wait_for_is_taken_from_the_header_or_the_message() -> None:
    moment = datetime.now(UTC) + timedelta(minutes=10)
    by_date = _error(503, headers={"retry-after": format_datetime(moment, usegmt=True)})
    text = f"User rate limit exceeded. Retry after {moment:%Y-%m-%dT%H:%M:%S}.000Z"
    by_text = _error(403, _body("userRateLimitExceeded", text))
    past = _error(503, headers={"retry-after": "Mon, 05 Jan 2015 10:00:00 GMT"})

    assert 0 < by_date.retry_after <= 600
    assert 0 < by_text.retry_after <= 600
    assert past.retry_after == 0


@pytest.mark.parametrize(
    ("raised", "transient", "reach"),
    [
        (_refresh_error("invalid_grant: gone", {}), False, Reach.CREDENTIALS),
        (_refresh_error("server_error", retryable=True), True, Reach.CALL),
        (_transport_error(ConnectionResetError("reset")), True, Reach.CALL),
        (_other_error("certificate"), False, Reach.CREDENTIALS),
        (ConnectionRefusedError("refused"), True, Reach.CALL),
        (TimeoutError(), True, Reach.CALL),
        (ssl.SSLError("handshake"), True, Reach.CALL),
        (http.client.IncompleteRead(b"half"), True, Reach.CALL),
        (http.client.RemoteDisconnected("closed"), True, Reach.CALL),
        (requests.ConnectionError("no such host"), True, Reach.CALL),
        (requests.exceptions.ChunkedEncodingError("broken"), True, Reach.CALL),
        (requests.exceptions.ContentDecodingError("not gzip"), True, Reach.CALL),
        (requests.Timeout("slow"), True, Reach.CALL),
    ],
)
def test_what_the_layers_below_raise_is_understood(
    raised: Exception, *, transient: bool, reach: Reach
) -> None:
    with pytest.raises(DriveCallError) as caught, understood():
        raise raised

    assert caught.value.meaning.transient is transient
    assert caught.value.meaning.reach is reach
    assert caught.value.__cause__ is raised


@pytest.mark.parametrize(
    ("code", "hint"),
    [
        ("invalid_grant", ""),
        ("unauthorized_client", "domain-wide"),
        ("invalid_client", "another"),
        ("deleted_client", "another"),
        ("disabled_client", "enable it"),
    ],
)
def test_a_refused_refresh_names_the_remedy_unless_that_depends_on_who_asks(
    code: str, hint: str
) -> None:
    with pytest.raises(DriveCallError, match=code) as caught, understood():
        raise _refresh_error(f"{code}: words", {"error": code, "error_description": "words"})

    assert hint in caught.value.meaning.hint
    assert bool(caught.value.meaning.hint) is bool(hint)


def test_a_refusal_without_words_is_understood_too() -> None:
    with pytest.raises(DriveCallError) as caught, understood():
        raise _refresh_error

    assert caught.value.meaning.reach is Reach.CREDENTIALS


def _invalid(location: str, message: str = "Invalid Value") -> dict[str, Any]:
    detail = {"domain": "global", "reason": "invalid", "message": message, "location": location}
    return {"error": {"errors": [detail], "code": 400, "message": message}}


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        (400, _invalid("pageToken"), True),
        (400, _invalid("parameter", "Invalid page token."), True),
        (
            400,
            {"error": {"details": [{"fieldViolations": [{"field": "page_token"}]}]}},
            True,
        ),
        (410, b"", True),
        (400, _invalid("q"), False),
        (400, b"", False),
        (404, _invalid("pageToken"), False),
        (500, b"pageToken", False),
    ],
)
def test_a_page_token_that_is_refused_is_told_apart_from_other_bad_requests(
    status: int, body: object, *, expected: bool
) -> None:
    assert _error(status, body).invalid_page_token is expected


def test_the_parameter_that_google_complains_of_is_kept() -> None:
    error = _error(404, _invalid("driveId", "Shared drive not found: x"))

    assert (error.status, error.named) == (404, ("driveId",))


def _quoting(*, in_token_request: bool) -> Exception:
    """What `requests` says of a token that cannot stand in a header."""
    said = requests.exceptions.InvalidHeader("return character in header value: 'Bearer s3cret'")
    if not in_token_request:
        return said
    wrapped: Exception = _transport_error(said)
    wrapped.__cause__ = said  # as google-auth raises it
    return wrapped


@pytest.mark.parametrize("in_token_request", [False, True])
def test_what_the_libraries_say_of_a_malformed_token_does_not_quote_it(
    *, in_token_request: bool
) -> None:
    with pytest.raises(DriveCallError) as caught, understood():
        raise _quoting(in_token_request=in_token_request)

    assert "s3cret" not in str(caught.value)
    assert caught.value.meaning.transient


def test_a_mistake_in_our_own_code_is_not_taken_for_an_outage() -> None:
    with pytest.raises(ZeroDivisionError), understood():
        _ = 1 / 0


def test_a_token_that_an_answer_repeats_is_not_shown() -> None:
    token = f"ya29.{'c0ffee' * 30}-x"
    body = {"error": {"code": 403, "message": f"not with {token}!", "errors": [{"reason": "x"}]}}

    message = _error(403, body).message

    assert "c0ffee" not in message
    assert "not with …!" in message
