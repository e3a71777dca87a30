"""What token endpoints answer, judged before anything is concluded, kept or shown.

Only an error in Google's own form says anything of the credentials. A proxy, a firewall or the
sign-in page of a network answers with the same statuses, and any of them may quote the request.
Source: RFC 6749, 5.2; https://developers.google.com/identity/protocols/oauth2/native-app
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from gdrive_rag_mcp.sources.drive_failures import DriveCallError, damaged, is_web_page
from gdrive_rag_mcp.sources.drive_fields import parsed, part, text
from gdrive_rag_mcp.sources.drive_masking import Secrets
from gdrive_rag_mcp.sources.drive_meanings import INTERCEPTED, OUTAGE, is_plain_outage

_OK = 200
_CODE = re.compile(r"[a-z_]{1,40}")
_STATUS = re.compile(r"[A-Z_]{1,40}")
_USABLE = re.compile(r"[\x21-\x7e]{1,16384}")  # what a header can carry
_REFUSALS = frozenset(
    {
        "access_denied",
        "account_disabled",
        "admin_policy_enforced",
        "deleted_client",
        "disabled_client",
        "invalid_client",
        "invalid_grant",
        "invalid_request",
        "invalid_rapt",
        "invalid_scope",
        "invalid_target",
        "invalid_token",
        "org_internal",
        "rapt_required",
        "redirect_uri_mismatch",
        "restricted_client",
        "unauthorized_client",
        "unsupported_grant_type",
    }
)
_OUTAGES = frozenset(
    {
        "internal_failure",
        "rate_limit_exceeded",
        "server_error",
        "slow_down",
        "temporarily_unavailable",
    }
)


@dataclass(frozen=True, slots=True)
class TokenAnswer:
    """An answer as google-auth reads it, and as it may be shown."""

    status: int
    data: bytes
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class TokenRefusal:
    """Google's no: a code, and what it says to it, without the secrets of the request."""

    code: str
    said: str = ""
    subtype: str = ""

    def __str__(self) -> str:
        return ": ".join(words for words in (self.code, self.said or self.subtype) if words)


def is_usable(token: object) -> bool:
    """Whether a token can be sent in a header."""
    return isinstance(token, str) and _USABLE.fullmatch(token) is not None


def granted(body: bytes, host: str) -> Mapping[str, Any]:
    """The object of a successful answer.

    Raises:
        DriveCallError: it is not Google's, or holds no token that could be used.
    """
    answer = parsed(body)
    if answer is None and is_web_page({}, body):
        raise not_googles(_OK, body, host)
    tokens = [(answer or {}).get(name) for name in ("access_token", "accessToken")]
    rotated = (answer or {}).get("refresh_token")
    if answer is None or not any(map(is_usable, tokens)) or (rotated and not is_usable(rotated)):
        raise damaged(f"Google's sign-in at {host} answered without a token that can be used")
    return answer


def refusal(status: int, body: bytes, host: str, secrets: Secrets) -> TokenRefusal:
    """What an answer that is no success says of the credentials.

    Raises:
        DriveCallError: it says nothing of them; it is an outage, or not Google's.
    """
    answer = parsed(body) or {}
    code = text(answer, "error") or ""
    said = secrets.masked(answer.get("error_description"))
    if is_plain_outage(status) or code in _OUTAGES:
        shown = f" ({code})" if code in _OUTAGES else ""
        raise DriveCallError(f"Google's sign-in at {host} answered {status}{shown}", OUTAGE)
    if code in _REFUSALS:
        subtype = text(answer, "error_subtype") or ""
        return TokenRefusal(code, said, secrets.masked(subtype) if _is_code(subtype) else "")
    error = part(answer, "error")  # of an API, as where an account is impersonated
    name = text(error, "status") or ""
    if error.get("code") == status and _STATUS.fullmatch(name):
        return TokenRefusal(name.lower(), secrets.masked(error.get("message")))
    raise not_googles(status, body, host, secrets.masked(code) if _is_code(code) else "")


def _is_code(said: str) -> bool:
    return _CODE.fullmatch(said) is not None


def not_googles(status: int, body: bytes, host: str, code: str = "") -> DriveCallError:
    """The error for an answer in Google's place; of its text, nothing is shown but a code."""
    shown = f" ({code})" if code else ""
    return DriveCallError(
        f"Google's sign-in at {host} answered {status} with {_kind(body)}{shown}, which is not "
        "Google's",
        INTERCEPTED,
        status=status,
    )


def _kind(body: bytes) -> str:
    if not body.strip():
        return "nothing"
    if is_web_page({}, body):
        return "a web page"
    return "something else" if parsed(body) is None else "an object of another kind"


class JudgingRequest:
    """google-auth's way to send a request, which hands on only what was judged."""

    def __init__(self, request: Any) -> None:  # noqa: ANN401 - google-auth's transport
        self._request = request

    def __call__(
        self,
        url: str,
        method: str = "GET",
        body: object = None,
        headers: Mapping[str, str] | None = None,
        **options: Any,  # noqa: ANN401 - the transport's own
    ) -> TokenAnswer:
        """Ask; what is not a question for a token is let through, without a refusal's text.

        Raises:
            DriveCallError: the answer says nothing of the credentials.
        """
        secrets = Secrets.of_request(body, headers)
        try:
            response = self._request(url=url, method=method, body=body, headers=headers, **options)
        except DriveCallError as error:
            raise DriveCallError(
                secrets.masked(error.message), error.meaning, status=error.status
            ) from None
        status, data, host = response.status, bytes(response.data), urlsplit(url).hostname or ""
        if status == _OK:
            if method == "POST" or "access_token" in (parsed(data) or {}):
                granted(data, host)
        elif method == "POST":
            data = _as_refusal(refusal(status, data, host, secrets))
        else:
            data = b""
        return TokenAnswer(status, data, response.headers)


def _as_refusal(no: TokenRefusal) -> bytes:
    members = {
        "error": no.code,
        "error_description": no.said or no.subtype or "no reason is given",
        "error_subtype": no.subtype,
    }
    return json.dumps({name: value for name, value in members.items() if value}).encode("ascii")


class JudgedCredentials:
    """Credentials of google-auth, which see only judged answers; all else is as they have it."""

    def __init__(self, credentials: Any) -> None:  # noqa: ANN401 - they share no annotated base
        self._credentials = credentials

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - see above
        return getattr(self._credentials, name)

    def refresh(self, request: Any) -> None:  # noqa: ANN401 - google-auth's transport
        """Get another token."""
        self._credentials.refresh(JudgingRequest(request))

    def before_request(
        self,
        request: Any,  # noqa: ANN401 - google-auth's transport
        method: str,
        url: str,
        headers: dict[str, str],
    ) -> None:
        """Get a token where need be, and put it into the headers."""
        self._credentials.before_request(JudgingRequest(request), method, url, headers)
