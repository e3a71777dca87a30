"""What Google grants for the code of a consent: exchanged, judged, and named by Drive.

The exchange is one POST of our own. google-auth-oauthlib would need two environment variables set
that switch off checks for the whole process (https, and scopes that differ), and follow redirects
with the client's secret.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from google.auth.exceptions import GoogleAuthError
from google.auth.transport.requests import Request

from gdrive_rag_mcp.errors import SourceAuthError, SourceUnavailableError
from gdrive_rag_mcp.sources.drive_auth import READ_ONLY, SCOPES, Report
from gdrive_rag_mcp.sources.drive_connections import new_session
from gdrive_rag_mcp.sources.drive_failures import DriveCallError, error_of_response, one_line
from gdrive_rag_mcp.sources.drive_fields import number, parsed, part, text
from gdrive_rag_mcp.sources.drive_masking import Secrets
from gdrive_rag_mcp.sources.drive_meanings import NO_SCOPE, REFUSED
from gdrive_rag_mcp.sources.drive_oauth_client import OAuthClient
from gdrive_rag_mcp.sources.drive_reach import CHECK_NETWORK, why_unreachable
from gdrive_rag_mcp.sources.drive_token_answers import granted, refusal
from gdrive_rag_mcp.sources.drive_token_file import AGAIN, TICK_THE_BOX, UserToken

_SECONDS = 30.0
_OK = 200
_LONGEST_TOKEN = 24 * 3600


def token_for(
    client: OAuthClient, code: str, redirect_uri: str, verifier: str, api: str, report: Report
) -> UserToken:
    """The token that a code stands for; `api` is where Drive is asked whose it is.

    Raises:
        SourceAuthError: the code was refused, or the token does not let Drive be read.
        SourceUnavailableError: the token endpoint cannot be reached, or something else answers.
    """
    token = _judged(client, _exchange(client, code, redirect_uri, verifier), report)
    account = _account(api, token.access_token or "", report)
    return replace(token, account=account)


def _exchange(
    client: OAuthClient, code: str, redirect_uri: str, verifier: str
) -> Mapping[str, Any]:
    """Turn the code into tokens: one POST, not repeated, since a code works once."""
    form = client.exchange_form(code, redirect_uri, verifier)
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    status, body = _call(client.token_uri, "POST", kind, form)
    host = urlsplit(client.token_uri).hostname or ""
    try:
        if status == _OK:
            return granted(body, host)
        refused = refusal(status, body, host, Secrets.of_request(form, {}))
    except DriveCallError as error:
        raise SourceUnavailableError(error.message, hint=f"{CHECK_NETWORK}, then {AGAIN}") from None
    raise SourceAuthError(
        f"the token endpoint answered {status} ({refused})",
        hint=f"{AGAIN}; if it stays so, download the OAuth client's file again",
    )


def _judged(client: OAuthClient, answer: Mapping[str, Any], report: Report) -> UserToken:
    """What is kept of the answer.

    Raises:
        SourceAuthError: it does not let Drive be read, or not for longer than an hour.
    """
    scopes = _granted_scopes(answer)
    if READ_ONLY not in scopes:
        raise SourceAuthError("Google granted no right to read Drive", hint=TICK_THE_BOX)
    refresh_token = text(answer, "refresh_token")
    if refresh_token is None:
        raise SourceAuthError(
            "Google granted access without a refresh token, which would end within the hour",
            hint="take the app's access away at https://myaccount.google.com/connections, then "
            + AGAIN,
        )
    broader = sorted(scopes - set(SCOPES))
    if broader:
        report(
            f"Google granted more than was asked for ({one_line(', '.join(broader))}); only "
            "drive.readonly is used"
        )
    seconds = number(answer, "expires_in")
    return UserToken(
        client.client_id,
        client.client_secret,
        refresh_token,
        client.token_uri,
        access_token=text(answer, "access_token"),
        # One without an end is not kept: a broader token is used once, to name the account.
        ends=None
        if broader or seconds is None
        else datetime.now(UTC) + timedelta(seconds=min(seconds, _LONGEST_TOKEN)),
    )


def _granted_scopes(answer: Mapping[str, Any]) -> set[str]:
    """As asked if nothing is said of them (RFC 6749, 5.1); an empty word grants nothing."""
    if "scope" not in answer:
        return set(SCOPES)
    return set((text(answer, "scope") or "").split())


def _account(api: str, access_token: str, report: Report) -> str:
    """The e-mail address of whoever agreed; nothing, and a report, where Drive does not tell.

    Raises:
        SourceAuthError: Drive refuses the very token that was granted.
    """
    url = f"{api.rstrip('/')}/drive/v3/about?fields=user(emailAddress)"
    problem = "it answered with something that makes no sense"
    try:
        status, body = _call(url, "GET", {"Authorization": f"Bearer {access_token}"})
    except SourceUnavailableError as error:
        problem = error.message
    else:
        if status == _OK:
            email = text(part(parsed(body) or {}, "user"), "emailAddress")
            if email:
                return one_line(email)
        else:
            problem = _tolerated(error_of_response(status, {}, body), Secrets([access_token]))
    report(f"Drive did not say whose account it is: {problem}")
    return ""


def _tolerated(refused: DriveCallError, secrets: Secrets) -> str:
    """A refusal that is no fault of the consent, such as an API that is switched off, in words.

    Raises:
        SourceAuthError: it is the consent's.
    """
    said = secrets.masked(refused.message)
    if refused.meaning in (NO_SCOPE, REFUSED):
        raise SourceAuthError(
            f"Drive refuses the access that Google granted: {said}",
            hint=TICK_THE_BOX if refused.meaning == NO_SCOPE else AGAIN,
        )
    return said + (f" ({refused.meaning.hint})" if refused.meaning.hint else "")


def _call(
    url: str, method: str, headers: Mapping[str, str], body: bytes | None = None
) -> tuple[int, bytes]:
    """One request, no redirect followed: what it carries is for this address alone."""
    try:
        # No proxy stands before this machine.
        trusting = urlsplit(url).scheme == "https"
        with new_session(trusting=trusting, seconds=_SECONDS) as session:
            response = Request(session)(
                url, method, body, headers, timeout=_SECONDS, allow_redirects=False
            )
            return int(response.status), bytes(response.data)
    except (GoogleAuthError, OSError) as error:
        host = urlsplit(url).hostname
        raise SourceUnavailableError(
            f"{host} cannot be reached: {why_unreachable(error) or type(error).__name__}",
            hint=f"{CHECK_NETWORK}, then {AGAIN}",
        ) from None
