"""Which way to sign in comes first: what is set, before what merely lies there."""

import json
from pathlib import Path

import pytest

from gdrive_rag_mcp.errors import SourceAuthError
from gdrive_rag_mcp.sources.drive_auth import Identity
from gdrive_rag_mcp.sources.drive_credentials import CredentialFiles, identify
from gdrive_rag_mcp.testing.fake_drive.tokens import TokenEndpoint

HERE = "http://127.0.0.1:9"
VARIABLE = "GOOGLE_APPLICATION_CREDENTIALS"
LEFT_OVER = "left-over@example.com"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home in which a consent was once kept, and gcloud has signed somebody in."""
    made = tmp_path / "home"
    kept = made / ".config" / "gdrive-rag-mcp" / "google-token.json"
    gcloud = made / ".config" / "gcloud" / "application_default_credentials.json"
    for path, account in ((kept, LEFT_OVER), (gcloud, "gcloud@example.com")):
        path.parent.mkdir(parents=True)
        TokenEndpoint("x").write_token_file(path, account, HERE)
    return made


@pytest.fixture
def key(tmp_path: Path) -> Path:
    return TokenEndpoint("index@example.com").write_key_file(tmp_path / "key.json", HERE)


@pytest.fixture
def token(tmp_path: Path) -> Path:
    return TokenEndpoint("x").write_token_file(tmp_path / "token.json", "set@example.com", HERE)


@pytest.fixture
def adc(tmp_path: Path) -> Path:
    return TokenEndpoint("x").write_token_file(tmp_path / "adc.json", "adc@example.com", HERE)


def chosen(home: Path, files: CredentialFiles, **environ: str) -> Identity:
    return identify(files, {"HOME": str(home), **environ})


def test_credentials_that_are_named_win_over_a_consent_that_merely_lies_there(
    home: Path, adc: Path
) -> None:
    identity = chosen(home, CredentialFiles(), **{VARIABLE: str(adc)})

    assert (identity.name, identity.kind) == ("adc@example.com", "application_default")


def test_a_consent_that_lies_there_wins_over_what_gcloud_left(home: Path) -> None:
    assert chosen(home, CredentialFiles()).name == LEFT_OVER


def test_without_a_consent_what_gcloud_left_is_used(home: Path) -> None:
    (home / ".config" / "gdrive-rag-mcp" / "google-token.json").unlink()

    assert chosen(home, CredentialFiles()).name == "gcloud@example.com"


@pytest.mark.parametrize(
    ("given", "first"),
    [
        (("key", "token", "client", "adc"), "index@example.com"),
        (("token", "client", "adc"), "set@example.com"),
        (("client", "adc"), LEFT_OVER),
        (("adc",), "adc@example.com"),
    ],
)
def test_what_is_set_is_used_in_the_order_of_the_page(
    home: Path, key: Path, token: Path, adc: Path, given: tuple[str, ...], first: str
) -> None:
    files = CredentialFiles(
        service_account=key if "key" in given else None,
        oauth_token=token if "token" in given else None,
        oauth_client=home / "client.json" if "client" in given else None,
    )

    assert chosen(home, files, **{VARIABLE: str(adc)}).name == first


def test_credentials_that_are_named_and_missing_are_an_error_and_no_consent_steps_in(
    home: Path,
) -> None:
    with pytest.raises(SourceAuthError, match=r"no\.json"):
        chosen(home, CredentialFiles(), **{VARIABLE: str(home / "no.json")})


def test_a_consent_that_lies_there_damaged_is_an_error_and_gcloud_does_not_step_in(
    home: Path,
) -> None:
    kept = home / ".config" / "gdrive-rag-mcp" / "google-token.json"
    kept.write_text(json.dumps({"type": "authorized_user"}), encoding="utf-8")

    with pytest.raises(SourceAuthError, match="lacks"):
        chosen(home, CredentialFiles())


# ── what a new consent is not used for ───────────────────────────────────────


def test_a_service_account_that_is_set_is_told_to_come_before_a_consent(
    home: Path, key: Path
) -> None:
    files = CredentialFiles(service_account=key, oauth_client=home / "client.json")

    warning = files.overruling({})

    assert "GOOGLE_SERVICE_ACCOUNT_FILE" in warning
    assert "unset" in warning


def test_named_credentials_are_told_to_come_before_a_consent_whose_client_is_not_set(
    home: Path, token: Path, adc: Path
) -> None:
    environ = {VARIABLE: str(adc)}

    warning = CredentialFiles(oauth_client=home / "client.json").overruling(environ)

    assert VARIABLE in warning
    assert "GOOGLE_OAUTH_CLIENT_FILE" in warning
    assert not CredentialFiles(oauth_token=token).overruling(environ)
    assert not CredentialFiles(oauth_client=home / "client.json").overruling({})
