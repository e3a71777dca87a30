"""Service accounts of the fake: key files, and the signed assertions that are made with them."""

import base64
import json
import os
import time
from functools import cache
from pathlib import Path
from typing import Any

from gdrive_rag_mcp.testing.fake_drive.grants import READ_ONLY, RefusedGrantError

AUDIENCE = "https://oauth2.googleapis.com/token"
GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
_LONGEST = 3600


@cache
def _key() -> Any:  # noqa: ANN401 -- cryptography is only there when tests are
    from cryptography.hazmat.primitives.asymmetric import rsa

    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def write_key_file(path: Path, email: str, token_uri: str) -> Path:
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
        "client_email": email,
        "client_id": "1" * 21,
        "auth_uri": "https://accounts.google.com/o/oauth2/auth",
        "token_uri": token_uri,
        "universe_domain": "googleapis.com",
    }
    return write_private(path, key)


def write_private(path: Path, content: dict[str, Any]) -> Path:
    """Write JSON into a file that only its owner can read."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(content, file, indent=2)
    return path


def principal_of_assertion(assertion: str, emails: frozenset[str]) -> str:
    """Whose assertion it is.

    Raises:
        RefusedGrantError: it is not what Google would accept of one of these accounts.
    """
    try:
        header, claims, signature = assertion.split(".")
        if json.loads(_decoded(header)).get("alg") != "RS256":
            raise RefusedGrantError("invalid_grant", "Invalid JWT: algorithm")
        _verify(f"{header}.{claims}".encode("ascii"), _decoded(signature))
        return _principal_of_claims(json.loads(_decoded(claims)), emails)
    except ValueError:
        raise RefusedGrantError("invalid_grant", "Invalid JWT Signature.") from None


def _principal_of_claims(claims: dict[str, Any], emails: frozenset[str]) -> str:
    issuer = claims.get("iss")
    if not isinstance(issuer, str) or issuer not in emails:
        raise RefusedGrantError("invalid_grant", "Invalid grant: account not found")
    expected = {"aud": AUDIENCE, "scope": READ_ONLY}
    wrong = [name for name, value in expected.items() if claims.get(name) != value]
    if wrong:
        detail = f"Invalid JWT: {wrong[0]} is {claims.get(wrong[0])!r}"
        raise RefusedGrantError("invalid_grant", detail)
    if claims.get("sub", issuer) != issuer:
        raise RefusedGrantError(
            "unauthorized_client",
            "Client is unauthorized to retrieve access tokens using this method, or client not "
            "authorized for any of the scopes requested.",
            401,
        )
    issued, ends = claims.get("iat", 0), claims.get("exp", 0)
    if not issued <= time.time() + _LONGEST / 12 or not time.time() < ends <= issued + _LONGEST:
        raise RefusedGrantError(
            "invalid_grant", "Invalid JWT: Token must be a short-lived token (60 minutes)"
        )
    return issuer


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
