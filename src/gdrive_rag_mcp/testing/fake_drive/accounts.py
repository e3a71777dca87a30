"""People of the fake: a consent screen, authorization codes and refresh tokens, held to the rules.

A code works once, with the redirect address, the client and the PKCE verifier it was asked for
with; a refresh token belongs to one client. Refusals have the words that Google uses.
Source: RFC 6749, RFC 7636 and RFC 8252.
"""

import base64
import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from gdrive_rag_mcp.testing.fake_drive.answers import Answer
from gdrive_rag_mcp.testing.fake_drive.grants import READ_ONLY, RefusedGrantError
from gdrive_rag_mcp.testing.fake_drive.service_accounts import write_private

CLIENT_ID = "1234567890-fake.apps.googleusercontent.com"
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
_VERIFIER_LENGTHS = range(43, 129)


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who sits at the browser, and what they do at the consent screen.

    `ticked` are the scopes they agree to, of those asked for; None is all of them.
    """

    email: str = "anna@example.com"
    declines: bool = False
    ticked: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class _Code:
    """What was asked for when the code was handed out."""

    email: str
    scopes: frozenset[str]
    redirect_uri: str
    challenge: str
    offline: bool


@dataclass(frozen=True, slots=True)
class _Consent:
    email: str
    scopes: frozenset[str]
    client_id: str


@dataclass(slots=True)
class Accounts:
    """One OAuth client, and the people who use it; not locked: its owner sees to that."""

    client_id: str = CLIENT_ID
    client_secret: str = "GOCSPX-fake-client-secret"  # noqa: S105 -- it opens nothing
    visitor: Visitor = field(default_factory=Visitor)
    rotates: bool = False  # whether a refresh hands out a new refresh token and ends the old one
    forgets_refresh_tokens: bool = False  # answers without one, as if `prompt` were not there
    _codes: dict[str, _Code] = field(default_factory=dict)
    _used: dict[str, str] = field(default_factory=dict)  # used code → the refresh token it gave
    _refresh_tokens: dict[str, _Consent] = field(default_factory=dict)
    _consented: set[str] = field(default_factory=set)

    # ── the consent screen ───────────────────────────────────────────────────

    def authorize(self, query: Mapping[str, str]) -> Answer:
        """What the browser gets: back to the application, or a page that says what is wrong."""
        problem = self._problem_of_request(query)
        if problem:
            return _page(400, problem)
        back = {"state": query["state"]} if "state" in query else {}
        if self.visitor.declines:
            return _redirect(query["redirect_uri"], {"error": "access_denied", **back})
        asked = frozenset(query["scope"].split())
        ticked = asked if self.visitor.ticked is None else self.visitor.ticked
        first = self.visitor.email not in self._consented
        code = _Code(
            email=self.visitor.email,
            scopes=ticked,
            redirect_uri=query["redirect_uri"],
            challenge=query["code_challenge"],
            offline=query.get("access_type") == "offline"
            and (first or "consent" in query.get("prompt", "").split()),
        )
        self._consented.add(self.visitor.email)
        name = f"4/0Fake-{secrets.token_urlsafe(16)}"
        self._codes[name] = code
        return _redirect(
            query["redirect_uri"], {**back, "code": name, "scope": " ".join(sorted(ticked))}
        )

    def _problem_of_request(self, query: Mapping[str, str]) -> str:
        if query.get("client_id") != self.client_id:
            return "Error 401: invalid_client. The OAuth client was not found."
        if not _is_loopback(query.get("redirect_uri", "")):
            return "Error 400: redirect_uri_mismatch"
        if query.get("response_type") != "code":
            return "Error 400: invalid_request. Required parameter is missing: response_type"
        if not query.get("scope", "").strip():
            return "Error 400: invalid_request. Missing required parameter: scope"
        if query.get("code_challenge_method") != "S256" or not query.get("code_challenge"):
            return "Error 400: invalid_request. PKCE with S256 is required"
        return ""

    # ── the token endpoint ───────────────────────────────────────────────────

    def exchange_code(self, form: Mapping[str, str]) -> tuple[str, frozenset[str], str | None]:
        """Principal, scopes and perhaps a refresh token, for an authorization code.

        Raises:
            RefusedGrantError: anything about it is not as it was when it was handed out.
        """
        self._require_client(form)
        name = form.get("code", "")
        if name in self._used:  # RFC 6749, 4.1.2: what it gave is to be revoked
            self._refresh_tokens.pop(self._used[name], None)
            raise RefusedGrantError("invalid_grant", "Malformed auth code.")
        code = self._codes.get(name)
        if code is None:
            raise RefusedGrantError("invalid_grant", "Malformed auth code.")
        if form.get("redirect_uri") != code.redirect_uri:
            raise RefusedGrantError("redirect_uri_mismatch", "Bad Request")
        _require_verifier(form.get("code_verifier"), code.challenge)
        del self._codes[name]
        refresh_token = None
        if code.offline and not self.forgets_refresh_tokens:
            refresh_token = self.hand_out(code.email, code.scopes)
        self._used[name] = refresh_token or ""
        return code.email, code.scopes, refresh_token

    def refresh(self, form: Mapping[str, str]) -> tuple[str, frozenset[str], str | None]:
        """Principal, scopes and perhaps another refresh token, for a refresh token.

        Raises:
            RefusedGrantError: it is revoked, of another client, or for less than is asked.
        """
        self._require_client(form)
        token = form.get("refresh_token", "")
        consent = self._refresh_tokens.get(token)
        if consent is None:
            raise RefusedGrantError("invalid_grant", "Token has been expired or revoked.")
        if consent.client_id != self.client_id:
            raise RefusedGrantError("unauthorized_client", "Unauthorized", 401)
        scopes = frozenset(form.get("scope", "").split()) or consent.scopes
        if not scopes <= consent.scopes:
            raise RefusedGrantError("invalid_scope", "Bad Request")
        if not self.rotates:
            return consent.email, scopes, None
        del self._refresh_tokens[token]
        return consent.email, scopes, self.hand_out(consent.email, consent.scopes)

    def hand_out(
        self, email: str, scopes: frozenset[str] = frozenset({READ_ONLY}), client_id: str = ""
    ) -> str:
        """A refresh token, as if that person had just agreed."""
        token = f"1//0fake-{secrets.token_urlsafe(24)}"
        self._refresh_tokens[token] = _Consent(email, scopes, client_id or self.client_id)
        return token

    def revoke(self, refresh_token: str) -> str | None:
        """Take a refresh token back; answers whose it was."""
        consent = self._refresh_tokens.pop(refresh_token, None)
        return None if consent is None else consent.email

    def revoke_all_of(self, email: str) -> None:
        """Take every refresh token of that person back, as an administrator or a week does."""
        for token in [t for t, consent in self._refresh_tokens.items() if consent.email == email]:
            del self._refresh_tokens[token]

    def _require_client(self, form: Mapping[str, str]) -> None:
        if form.get("client_id") != self.client_id:
            raise RefusedGrantError("invalid_client", "The OAuth client was not found.", 401)
        if form.get("client_secret") != self.client_secret:
            raise RefusedGrantError("invalid_client", "The provided client secret is invalid.", 401)

    # ── files ────────────────────────────────────────────────────────────────

    def write_client_file(self, path: Path, base_url: str, *, kind: str = "installed") -> Path:
        """Write the file that the Cloud console offers for an OAuth client."""
        client = {
            "client_id": self.client_id,
            "project_id": "fake-project",
            "auth_uri": f"{base_url}/o/oauth2/auth",
            "token_uri": f"{base_url}/token",
            "client_secret": self.client_secret,
            "redirect_uris": ["http://localhost"],
        }
        return write_private(path, {kind: client})

    def write_token_file(self, path: Path, email: str, base_url: str, **changed: Any) -> Path:  # noqa: ANN401 -- any JSON
        """Write what `auth-google` leaves, without an access token; `changed` replaces members."""
        token = {
            "type": "authorized_user",
            "client_id": self.client_id,
            "client_secret": self.client_secret,
            "refresh_token": self.hand_out(email),
            "token_uri": f"{base_url}/token",
            "scopes": [READ_ONLY],
            "account": email,
        }
        return write_private(path, token | changed)

    def sign_in(
        self, email: str, *, declines: bool = False, ticked: frozenset[str] | None = None
    ) -> None:
        """Put somebody else, or the same person in another mood, before the consent screen."""
        self.visitor = replace(self.visitor, email=email, declines=declines, ticked=ticked)


def _is_loopback(address: str) -> bool:
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme == "http" and parts.hostname in _LOOPBACK and not parts.fragment


def _require_verifier(verifier: str | None, challenge: str) -> None:
    if not verifier:
        raise RefusedGrantError("invalid_grant", "Missing code verifier.")
    digest = hashlib.sha256(verifier.encode("ascii", "replace")).digest()
    made = base64.urlsafe_b64encode(digest).rstrip(b"=").decode("ascii")
    if len(verifier) not in _VERIFIER_LENGTHS or made != challenge:
        raise RefusedGrantError("invalid_grant", "Invalid code verifier.")


def _redirect(address: str, parameters: Mapping[str, str]) -> Answer:
    joint = "&" if urlsplit(address).query else "?"
    return Answer(302, headers={"Location": f"{address}{joint}{urlencode(parameters)}"})


def _page(status: int, text: str) -> Answer:
    return Answer(status, text.encode(), content_type="text/html; charset=utf-8")
