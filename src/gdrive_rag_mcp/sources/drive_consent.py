"""Asks a person for consent to read their Drive, and keeps it in the token file.

The exchange is one POST of our own. google-auth-oauthlib would need two environment variables set
that switch off checks for the whole process (https, and scopes that differ), and follow redirects
with the client's secret.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from errno import EISDIR
from os import strerror
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any
from urllib.parse import urlsplit

import requests
from google.auth.exceptions import GoogleAuthError
from google.auth.transport.requests import Request

from gdrive_rag_mcp.cleaning import clean
from gdrive_rag_mcp.errors import SettingsError, SourceAuthError, SourceUnavailableError
from gdrive_rag_mcp.sources.drive_auth import (
    READ_ONLY,
    SCOPES,
    Report,
    require_private_channel,
)
from gdrive_rag_mcp.sources.drive_failures import error_of_response
from gdrive_rag_mcp.sources.drive_fields import number, parsed, part, text
from gdrive_rag_mcp.sources.drive_oauth_client import OAuthClient, new_secret, read_client
from gdrive_rag_mcp.sources.drive_receiver import Answer, Receiver
from gdrive_rag_mcp.sources.drive_token_file import UserToken, write_token

_GOOGLE = "https://www.googleapis.com"
_SECONDS = 30.0
_OK = 200
_LONGEST_TOKEN = 24 * 3600
_LONGEST_WORDS = 300
_AGAIN = "run `gdrive-rag-mcp auth-google` again"


@dataclass(frozen=True, slots=True)
class Asking:
    """How a person is asked: what shows them the address, and how long they have.

    `show` answers whether a browser was opened; where none was, the redirect address may be pasted
    into the descriptor `pasted`.
    """

    show: Callable[[str], bool]
    report: Report
    seconds: float = 300.0
    port: int = 0
    pasted: int | None = None


@dataclass(frozen=True, slots=True)
class Consent:
    """Who agreed, to what, and where that is kept; `account` is empty where Drive did not say."""

    account: str
    scopes: tuple[str, ...]
    token_file: Path


def ask_for_consent(
    client_file: Path, token_file: Path, asking: Asking, *, endpoint: str | None = None
) -> Consent:
    """Ask, wait for the answer, turn it into tokens and keep them.

    Raises:
        SourceAuthError: consent was not given, or not for what is needed.
        SourceUnavailableError: nobody answered in time, or Google cannot be reached.
        SettingsError: the client cannot be used, or the token file not be written.
    """
    client = read_client(client_file)
    root = endpoint or _GOOGLE
    require_private_channel(root, "GDRIVE_RAG_DRIVE_ENDPOINT")
    _require_writable(token_file)
    state, verifier = new_secret(), new_secret()
    receiver = Receiver(client.redirect(asking.port), state)
    with receiver.listening():
        opened = asking.show(client.authorization_url(receiver.address, state, verifier))
        answer = receiver.wait(asking.seconds, None if opened else asking.pasted, asking.report)
    code = _code(answer, asking.seconds)
    token = _token(client, _exchange(client, code, receiver.address, verifier), asking.report)
    token = replace(token, account=_account(root, token.access_token or "", asking.report))
    with _writing(token_file):
        write_token(token_file, token)
    return Consent(token.account, token.scopes, token_file)


@contextmanager
def _writing(token_file: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise SettingsError(
            f"the token file {token_file} cannot be written: {error.strerror}",
            hint="name another place in GOOGLE_OAUTH_TOKEN_FILE, or correct the permissions",
        ) from None


def _require_writable(token_file: Path) -> None:
    """Make the folder, before anybody is asked for a consent that could not be kept."""
    with _writing(token_file):
        token_file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if token_file.is_dir():
            raise IsADirectoryError(EISDIR, strerror(EISDIR))
        with TemporaryFile(dir=token_file.resolve().parent):
            pass


def _code(answer: Answer | None, seconds: float) -> str:
    if answer is None:
        raise SourceAuthError(
            f"no consent was given within {seconds:g} seconds",
            hint=f"{_AGAIN}; on a machine without a browser with --no-browser, and paste the "
            "address that the browser ends at",
        )
    if answer.error == "access_denied":
        raise SourceAuthError("consent to read Drive was declined", hint=_AGAIN)
    if answer.error:
        raise SourceAuthError(f"Google did not ask for consent: {_line(answer.error)}", hint=_AGAIN)
    return answer.code


def _exchange(
    client: OAuthClient, code: str, redirect_uri: str, verifier: str
) -> Mapping[str, Any]:
    """Turn the code into tokens: one POST, not repeated, since a code works once."""
    status, body = _call(
        client.token_uri,
        "POST",
        {"Content-Type": "application/x-www-form-urlencoded"},
        client.exchange_form(code, redirect_uri, verifier),
    )
    answer = parsed(body) or {}
    if status == _OK and text(answer, "access_token"):
        return answer
    said = ": ".join(
        _line(words)
        for name in ("error", "error_description")
        if (words := text(answer, name) or "")
    )
    for secret in (client.client_secret, code, verifier):
        said = said.replace(secret, "…")
    raise SourceAuthError(
        f"the token endpoint answered {status}" + (f" ({said})" if said else ""),
        hint=f"{_AGAIN}; if it stays so, download the OAuth client's file again",
    )


def _token(client: OAuthClient, granted: Mapping[str, Any], report: Report) -> UserToken:
    """What is kept of the answer.

    Raises:
        SourceAuthError: it does not let Drive be read, or not for longer than an hour.
    """
    scopes = (text(granted, "scope") or READ_ONLY).split()  # RFC 6749, 5.1: absent means as asked
    if READ_ONLY not in scopes:
        raise SourceAuthError(
            "Google granted no right to read Drive", hint=f"{_AGAIN}, and tick the box for Drive"
        )
    refresh_token = text(granted, "refresh_token")
    if refresh_token is None:
        raise SourceAuthError(
            "Google granted access without a refresh token, which would end within the hour",
            hint="take the app's access away at https://myaccount.google.com/connections, then "
            + _AGAIN,
        )
    broader = sorted(set(scopes) - set(SCOPES))
    if broader:
        report(
            f"Google granted more than was asked for ({_line(', '.join(broader))}); only "
            "drive.readonly is used"
        )
    seconds = number(granted, "expires_in")
    return UserToken(
        client.client_id,
        client.client_secret,
        refresh_token,
        client.token_uri,
        access_token=text(granted, "access_token"),
        # The broader token is used once, to name the account, and not kept.
        ends=None
        if broader or seconds is None
        else datetime.now(UTC) + timedelta(seconds=min(seconds, _LONGEST_TOKEN)),
    )


def _account(root: str, access_token: str, report: Report) -> str:
    """The e-mail address of whoever agreed; nothing, and a report, where Drive does not tell."""
    url = f"{root.rstrip('/')}/drive/v3/about?fields=user(emailAddress)"
    problem = "it answered with something that makes no sense"
    hint = ""
    try:
        status, body = _call(url, "GET", {"Authorization": f"Bearer {access_token}"})
    except SourceUnavailableError as error:
        problem = error.message
    else:
        if status == _OK:
            email = text(part(parsed(body) or {}, "user"), "emailAddress")
            if email:
                return _line(email)
        else:
            refusal = error_of_response(status, {}, body)
            problem, hint = refusal.message, refusal.meaning.hint
    report(f"Drive did not say whose account it is: {problem}" + (f" ({hint})" if hint else ""))
    return ""


def _call(
    url: str, method: str, headers: Mapping[str, str], body: bytes | None = None
) -> tuple[int, bytes]:
    """One request, no redirect followed: what it carries is for this address alone."""
    try:
        with requests.Session() as session:
            session.auth = _as_it_is  # or else `.netrc` would replace the token
            session.trust_env = urlsplit(url).scheme == "https"  # no proxy before this machine
            response = Request(session)(
                url, method, body, headers, timeout=_SECONDS, allow_redirects=False
            )
            return int(response.status), bytes(response.data)
    except (GoogleAuthError, OSError) as error:
        host = urlsplit(url).hostname
        raise SourceUnavailableError(
            f"{host} cannot be reached: {type(error).__name__}",
            hint="check the network and the proxy, then " + _AGAIN,
        ) from None


def _as_it_is(request: requests.PreparedRequest) -> requests.PreparedRequest:
    return request


def _line(said: str) -> str:
    """A text of somebody else in one bounded line."""
    return " ".join(clean(said).split())[:_LONGEST_WORDS]
