"""Key files: what is wrong with a bad one, what to do, and nothing of the key."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from gdrive_rag_mcp.errors import SettingsError, SourceAuthError
from gdrive_rag_mcp.sources.drive_auth import READ_ONLY
from gdrive_rag_mcp.sources.drive_service_account import load_service_account
from gdrive_rag_mcp.testing.fake_drive.tokens import TokenEndpoint

_SECRET = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC"
_OAUTH_CLIENT = {"installed": {"client_id": "1", "client_secret": _SECRET}}


@pytest.fixture
def key(tmp_path: Path) -> dict[str, Any]:
    path = TokenEndpoint("index@example.com").write_key_file(
        tmp_path / "good.json", "https://oauth2.googleapis.com/token"
    )
    loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return loaded


def _elliptic_key() -> str:
    return (
        ec.generate_private_key(ec.SECP256R1())
        .private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        .decode("ascii")
    )


def _written(path: Path, content: object) -> Path:
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def test_a_good_key_names_its_account_and_asks_for_reading_alone(
    tmp_path: Path, key: dict[str, Any]
) -> None:
    identity = load_service_account(_written(tmp_path / "key.json", key))

    assert (identity.name, identity.kind) == ("index@example.com", "service_account")
    assert identity.scopes == (READ_ONLY,)
    assert list(identity.credentials.scopes) == [READ_ONLY]
    assert READ_ONLY.endswith("drive.readonly")
    assert "share the folder with index@example.com" in identity.remedy


def test_an_identity_that_is_printed_shows_no_credentials(
    tmp_path: Path, key: dict[str, Any]
) -> None:
    identity = load_service_account(_written(tmp_path / "key.json", key))

    assert "credentials" not in repr(identity)
    assert "PRIVATE KEY" not in repr(identity)


def test_a_key_file_is_written_for_its_owner_alone(tmp_path: Path) -> None:
    path = TokenEndpoint("index@example.com").write_key_file(tmp_path / "key.json", "https://x")

    assert path.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "is not JSON"),
        (f"-----BEGIN PRIVATE KEY-----\n{_SECRET}", "is not JSON"),
        ([_SECRET], "holds no JSON object"),
        (_OAUTH_CLIENT, "OAuth client, not the key of a service account"),
        ({"web": _OAUTH_CLIENT["installed"]}, "OAuth client"),
        (
            {"type": "authorized_user", "refresh_token": _SECRET},
            "is the token of a Google account, not the key of a service account",
        ),
        ({"type": "external_account", "token": _SECRET}, "'external_account'"),
        ({"private_key": _SECRET}, "without a type"),
        ({"type": "service_account", "private_key": _SECRET}, "lacks client_email, token_uri"),
        (
            {"type": "service_account", "private_key": _SECRET, "client_email": "", "token_uri": 1},
            "lacks client_email, token_uri",
        ),
    ],
)
def test_a_file_that_is_no_key_says_what_it_is_and_nothing_that_is_in_it(
    tmp_path: Path, content: object, problem: str
) -> None:
    path = _written(tmp_path / "key.json", content)

    with pytest.raises(SourceAuthError, match=re.escape(problem)) as caught:
        load_service_account(path)

    assert str(path) in caught.value.message
    assert "service account" in caught.value.hint
    assert _SECRET not in str(caught.value)


@pytest.mark.parametrize(
    "damage",
    [
        lambda pem: pem.replace("\n", "\\n"),
        lambda pem: pem[: len(pem) // 2],
        lambda pem: pem.replace("A", "B"),
        lambda _: "no PEM " * 20,
        lambda _: _elliptic_key(),
    ],
)
def test_a_damaged_private_key_is_told_apart_without_quoting_it(
    tmp_path: Path, key: dict[str, Any], damage: Callable[[str], str]
) -> None:
    spoiled = damage(key["private_key"])
    path = _written(tmp_path / "key.json", key | {"private_key": spoiled})

    with pytest.raises(SourceAuthError, match=r"private key .* is damaged") as caught:
        load_service_account(path)

    assert spoiled[30:60] not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_key_file_that_is_not_there_or_a_folder_says_how_to_get_one(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.json", tmp_path):
        with pytest.raises(SourceAuthError, match="GOOGLE_SERVICE_ACCOUNT_FILE") as caught:
            load_service_account(path)
        assert str(path) in caught.value.message


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "key.json").write_bytes(b"\xff\xfe\x00")

    with pytest.raises(SourceAuthError, match="is not JSON"):
        load_service_account(tmp_path / "key.json")


@pytest.mark.parametrize(
    "token_uri", ["http://oauth2.example.com/token", "ftp://x", "http://[", "nonsense"]
)
def test_a_token_endpoint_that_can_be_overheard_is_refused(
    tmp_path: Path, key: dict[str, Any], token_uri: str
) -> None:
    path = _written(tmp_path / "key.json", key | {"token_uri": token_uri})

    with pytest.raises(SettingsError, match="token_uri"):
        load_service_account(path)
