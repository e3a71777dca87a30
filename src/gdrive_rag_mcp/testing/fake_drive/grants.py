"""What an access token of the fake stands for, and how the token endpoint says no."""

import secrets
import time
from dataclasses import dataclass, field

from gdrive_rag_mcp.testing.fake_drive.answers import Answer, answer_json

READ_ONLY = "https://www.googleapis.com/auth/drive.readonly"


@dataclass(frozen=True, slots=True)
class Grant:
    """Who may do what with a token, until when (seconds of the monotonic clock)."""

    principal: str
    scopes: frozenset[str]
    ends: float


class RefusedGrantError(Exception):
    """A token request that Google would refuse; carries the answer."""

    def __init__(self, error: str, description: str, status: int = 400) -> None:
        super().__init__(error)
        self.answer = refused(error, description, status)


def refused(error: str, description: str, status: int = 400) -> Answer:
    """A refusal in the shape of RFC 6749, section 5.2."""
    return answer_json({"error": error, "error_description": description}, status)


@dataclass(slots=True)
class AccessTokens:
    """The access tokens that were handed out; `lifetime` in seconds goes for new ones."""

    lifetime: float = 3599.0
    _granted: dict[str, Grant] = field(default_factory=dict)

    def hand_out(self, principal: str, scopes: frozenset[str]) -> dict[str, object]:
        """A new token as the token endpoint answers it."""
        token = f"ya29.fake-{secrets.token_urlsafe(24)}"
        ends = time.monotonic() + self.lifetime
        self._granted = {**self._granted, token: Grant(principal, scopes, ends)}
        return {
            "access_token": token,
            "expires_in": int(self.lifetime),
            "token_type": "Bearer",
            "scope": " ".join(sorted(scopes)),
        }

    def of(self, authorization: str) -> Grant | None:
        """What the token of an `Authorization` header stands for, while it is valid."""
        scheme, _, token = authorization.partition(" ")
        grant = self._granted.get(token) if scheme == "Bearer" else None
        return grant if grant is not None and time.monotonic() < grant.ends else None

    def principal_of(self, token: str) -> str | None:
        """Whose token it is, valid or not."""
        grant = self._granted.get(token)
        return None if grant is None else grant.principal

    def expire(self, principal: str | None = None) -> None:
        """Make all tokens worthless, or those of one principal."""
        self._granted = {
            token: grant
            for token, grant in self._granted.items()
            if principal is not None and grant.principal != principal
        }
