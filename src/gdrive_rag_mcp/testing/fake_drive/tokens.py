"""Google's authorization and token endpoints: consent, assertions, codes, refresh tokens in.

Access tokens come out, each of one principal.
"""

from collections.abc import Mapping
from pathlib import Path
from threading import RLock
from typing import Any

from gdrive_rag_mcp.testing.fake_drive.accounts import Accounts
from gdrive_rag_mcp.testing.fake_drive.answers import Answer, answer_json
from gdrive_rag_mcp.testing.fake_drive.grants import (
    READ_ONLY,
    AccessTokens,
    RefusedGrantError,
    refused,
)
from gdrive_rag_mcp.testing.fake_drive.service_accounts import (
    AUDIENCE,
    GRANT,
    principal_of_assertion,
    write_key_file,
)

__all__ = ["AUDIENCE", "GRANT", "READ_ONLY", "TokenEndpoint"]


class TokenEndpoint:
    """Grants tokens to service accounts and to people, until it is told not to; thread-safe.

    `email` is the service account that `write_key_file` writes a key for unless told otherwise;
    `accounts` are the people and the OAuth client; `access.lifetime` is how long tokens work;
    `refusal` (error, description) makes it say no to everybody.
    """

    def __init__(self, email: str) -> None:
        self.email = email
        self.accounts = Accounts()
        self.access = AccessTokens()
        self.refusal: tuple[str, str] | None = None
        self._service_accounts = frozenset({email})
        self._lock = RLock()

    # ── what the server routes here ──────────────────────────────────────────

    def authorize(self, query: Mapping[str, str]) -> Answer:
        """`GET /o/oauth2/auth`: the consent screen, answered by whoever `accounts.visitor` is."""
        with self._lock:
            return self.accounts.authorize(query)

    def grant(self, form: Mapping[str, str]) -> Answer:
        """`POST /token`."""
        if self.refusal is not None:
            return refused(*self.refusal)
        try:
            with self._lock:
                return answer_json(self._granted(form))
        except RefusedGrantError as refusal:
            return refusal.answer

    def revoke_token(self, form: Mapping[str, str]) -> Answer:
        """`POST /revoke`, of a refresh token or of an access token."""
        token = form.get("token", "")
        with self._lock:
            principal = self.accounts.revoke(token) or self.access.principal_of(token)
            if principal is None:
                return refused("invalid_token", "Token expired or revoked")
            self.revoke(principal)
            return answer_json({})

    # ── what the API asks ────────────────────────────────────────────────────

    def accepts(self, authorization: str) -> bool:
        """Whether an `Authorization` header holds a valid token, whatever it is for."""
        return self.access.of(authorization) is not None

    def principal(self, authorization: str) -> str | None:
        """The e-mail address of the token's owner."""
        grant = self.access.of(authorization)
        return None if grant is None else grant.principal

    def may_read(self, authorization: str) -> bool:
        """Whether the token's scopes cover reading; without: 403 `insufficientPermissions`."""
        grant = self.access.of(authorization)
        return grant is not None and READ_ONLY in grant.scopes

    # ── what tests order ─────────────────────────────────────────────────────

    def expire(self, principal: str | None = None) -> None:
        """Make every access token worthless, or those of one principal; new ones are granted."""
        self.access.expire(principal)

    def revoke(self, principal: str | None = None) -> None:
        """Disable an account: none of its tokens works and none is granted."""
        with self._lock:
            email = principal or self.email
            self.access.expire(email)
            self.accounts.revoke_all_of(email)
            self._service_accounts -= {email}

    def write_key_file(self, path: Path, token_uri: str, email: str | None = None) -> Path:
        """Write a service account's JSON key, readable by its owner alone."""
        with self._lock:
            self._service_accounts |= {email or self.email}
        return write_key_file(path, email or self.email, token_uri)

    def write_client_file(self, path: Path, base_url: str, *, kind: str = "installed") -> Path:
        """Write the OAuth client's file, whose endpoints are at `base_url`."""
        return self.accounts.write_client_file(path, base_url, kind=kind)

    def write_token_file(self, path: Path, email: str, base_url: str, **changed: Any) -> Path:  # noqa: ANN401 -- any JSON
        """Write a token file of a person who has agreed; `changed` replaces its members."""
        with self._lock:
            return self.accounts.write_token_file(path, email, base_url, **changed)

    def _granted(self, form: Mapping[str, str]) -> dict[str, object]:
        kind = form.get("grant_type")
        if kind == GRANT:
            principal = principal_of_assertion(form.get("assertion", ""), self._service_accounts)
            return self.access.hand_out(principal, frozenset({READ_ONLY}))
        if kind == "authorization_code":
            principal, scopes, refresh_token = self.accounts.exchange_code(form)
        elif kind == "refresh_token":
            principal, scopes, refresh_token = self.accounts.refresh(form)
        else:
            raise RefusedGrantError("unsupported_grant_type", f"Invalid grant_type: {kind}")
        answer = self.access.hand_out(principal, scopes)
        return answer if refresh_token is None else {**answer, "refresh_token": refresh_token}
