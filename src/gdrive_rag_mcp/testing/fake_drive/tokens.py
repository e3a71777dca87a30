"""Google's token endpoint: signed assertions in, access tokens out; and the key file for it."""

import base64
import json
import os
import time
from functools import cache
from pathlib import Path
from typing import Any

from gdrive_rag_mcp.testing.fake_drive.answers import Answer, answer_json

AUDIENCE = "https://oauth2.googleapis.com/token"
GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
READ_ONLY = "https://www.googleapis.com/auth/drive.readonly"
_LONGEST = 3600


@cache
def _key() -> Any:  # noqa: ANN401 -- cryptography is only there when tests are
    from cryptography.hazmat.primitives.asymmetric import rsa

    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


class TokenEndpoint:
    """Grants tokens for one service account, until it is told not to."""

    def __init__(self, email: str) -> None:
        self.email = email
        self.refusal: tuple[str, str] | None = None
        self._granted = 0
        self._valid: set[str] = set()

    def grant(self, form: dict[str, str]) -> Answer:
        """Answer a token request; the assertion must be what Google would accept."""
        if self.refusal is not None:
            return _refused(*self.refusal)
        if form.get("grant_type") != GRANT:
            return _refused("unsupported_grant_type", f"Invalid grant_type: {form}")
        problem = self._problem(form.get("assertion", ""))
        if problem:
            return _refused("invalid_grant", problem)
        self._granted += 1
        token = f"ya29.fake-{self._granted}"
        self._valid.add(token)
        return answer_json({"access_token": token, "expires_in": 3599, "token_type": "Bearer"})

    def accepts(self, authorization: str) -> bool:
        scheme, _, token = authorization.partition(" ")
        return scheme == "Bearer" and token in self._valid

    def expire(self) -> None:
        """Make every token that was granted worthless; new ones are granted."""
        self._valid.clear()

    def revoke(self) -> None:
        """Disable the account: no token works and none is granted."""
        self.expire()
        self.refusal = ("invalid_grant", "Invalid grant: account not found")

    def write_key_file(self, path: Path, token_uri: str) -> Path:
        """Write a service account's JSON key, readable by its owner alone."""
        from cryptography.hazmat.primitives import serialization

        pem = _key().private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        key = {
            "type": "service_account",
            "project_id": "fake-project",
            "private_key_id": "f" * 40,
            "private_key": pem.decode("ascii"),
            "client_email": self.email,
            "client_id": "1" * 21,
            "auth_uri": "https://accounts.google.com/o/oauth2/auth",
            "token_uri": token_uri,
            "universe_domain": "googleapis.com",
        }
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(key, file, indent=2)
        return path

    def _problem(self, assertion: str) -> str | None:
        try:
            header, claims, signature = assertion.split(".")
            if json.loads(_decoded(header)).get("alg") != "RS256":
                return "Invalid JWT: algorithm"
            self._verify(f"{header}.{claims}".encode("ascii"), _decoded(signature))
            return self._problem_of_claims(json.loads(_decoded(claims)))
        except ValueError:
            return "Invalid JWT Signature."

    def _problem_of_claims(self, claims: dict[str, Any]) -> str | None:
        expected = {"iss": self.email, "aud": AUDIENCE, "scope": READ_ONLY}
        wrong = [name for name, value in expected.items() if claims.get(name) != value]
        if wrong:
            return f"Invalid JWT: {wrong[0]} is {claims.get(wrong[0])!r}"
        issued, ends = claims.get("iat", 0), claims.get("exp", 0)
        if not issued <= time.time() + _LONGEST / 12 or not time.time() < ends <= issued + _LONGEST:
            return "Invalid JWT: Token must be a short-lived token (60 minutes)"
        return None

    @staticmethod
    def _verify(message: bytes, signature: bytes) -> None:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.asymmetric import padding

        try:
            _key().public_key().verify(signature, message, padding.PKCS1v15(), hashes.SHA256())
        except InvalidSignature:
            raise ValueError(signature) from None


def _decoded(part: str) -> bytes:
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


def _refused(error: str, description: str) -> Answer:
    return answer_json({"error": error, "error_description": description}, 400)
