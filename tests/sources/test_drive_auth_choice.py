"""Which identity reads Drive: the one that is set, else the machine's own, and never another."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from gdrive_rag_mcp.errors import SettingsError, SourceAuthError
from gdrive_rag_mcp.sources.drive_adc import load_application_default
from gdrive_rag_mcp.sources.drive_auth import READ_ONLY, Identity
from gdrive_rag_mcp.sources.drive_credentials import CredentialFiles, identify
from gdrive_rag_mcp.testing.fake_drive.tokens import TokenEndpoint

SECRET = "hunter2-secret"
HERE = "http://127.0.0.1:9"
_USER = {
    "type": "authorized_user",
    "client_id": "1.apps.googleusercontent.com",
    "client_secret": SECRET,
    "refresh_token": SECRET,
}
_POOL = {
    "type": "external_account",
    "audience": "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p",
    "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
    "token_url": "https://sts.googleapis.com/v1/token",
    "credential_source": {"file": "/var/run/token"},
}
_IMPERSONATING = "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/{}"
_READER = _IMPERSONATING.format("reader@p.iam.gserviceaccount.com:generateAccessToken")
Write = Callable[[str, object], Path]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    made = tmp_path / "home"
    made.mkdir()
    return made


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(name: str, content: object) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content), encoding="utf-8")
        path.chmod(0o600)
        return path

    return written


@pytest.fixture
def token(tmp_path: Path) -> Path:
    """A person's token file."""
    return TokenEndpoint("x").write_token_file(tmp_path / "token.json", "anna@example.com", HERE)


@pytest.fixture
def key(tmp_path: Path) -> Path:
    """A service account's key."""
    return TokenEndpoint("index@example.com").write_key_file(tmp_path / "key.json", HERE)


def chosen(home: Path, files: CredentialFiles, **environ: str) -> Identity:
    return identify(files, {"HOME": str(home), **environ})


# ── the choice ───────────────────────────────────────────────────────────────


def test_a_service_account_wins_over_a_person_and_both_over_the_machine(
    home: Path, key: Path, token: Path, write: Write
) -> None:
    adc = {"GOOGLE_APPLICATION_CREDENTIALS": str(write("adc.json", _USER))}
    both = CredentialFiles(service_account=key, oauth_token=token)

    assert chosen(home, both, **adc).kind == "service_account"
    assert chosen(home, CredentialFiles(oauth_token=token), **adc).kind == "user"
    assert chosen(home, CredentialFiles(), **adc).kind == "application_default"


def test_a_token_where_auth_google_keeps_it_needs_no_setting(home: Path, token: Path) -> None:
    place = home / ".config" / "gdrive-rag-mcp" / "google-token.json"
    place.parent.mkdir(parents=True)
    token.rename(place)

    identity = chosen(home, CredentialFiles())

    assert (identity.name, identity.kind, identity.scopes) == (
        "anna@example.com",
        "user",
        (READ_ONLY,),
    )
    assert "auth-google" in identity.remedy
    assert "7 days" in identity.remedy


@pytest.mark.parametrize("set_files", ["client", "token"])
def test_a_person_who_has_not_agreed_is_asked_to_and_nobody_steps_in(
    home: Path, write: Write, set_files: str
) -> None:
    adc = {"GOOGLE_APPLICATION_CREDENTIALS": str(write("adc.json", _USER))}
    missing = home / "token.json"
    files = (
        CredentialFiles(oauth_client=home / "client.json")
        if set_files == "client"
        else CredentialFiles(oauth_token=missing)
    )

    with pytest.raises(SourceAuthError, match="no Google account is connected") as caught:
        chosen(home, files, **adc)

    assert "auth-google" in caught.value.hint


def test_a_key_that_is_set_and_missing_is_an_error_whatever_else_there_is(
    home: Path, token: Path
) -> None:
    files = CredentialFiles(service_account=home / "no.json", oauth_token=token)

    with pytest.raises(SourceAuthError, match=r"no\.json"):
        chosen(home, files)


def test_without_any_credentials_all_three_ways_are_named(home: Path) -> None:
    with pytest.raises(SettingsError, match="no credentials") as caught:
        chosen(home, CredentialFiles())

    for way in ("GOOGLE_SERVICE_ACCOUNT_FILE", "auth-google", "GOOGLE_APPLICATION_CREDENTIALS"):
        assert way in caught.value.hint


def test_a_person_without_a_home_needs_to_say_where_the_token_is(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("HOME")
    monkeypatch.setattr(Path, "home", _no_home)
    files = CredentialFiles(oauth_client=tmp_path / "client.json")

    with pytest.raises(SettingsError, match="no home") as caught:
        identify(files, {})

    assert "GOOGLE_OAUTH_TOKEN_FILE" in caught.value.hint


def _no_home() -> Path:
    raise RuntimeError


# ── the machine's own credentials ────────────────────────────────────────────


def machine(home: Path, **environ: str) -> Identity | None:
    return load_application_default({"HOME": str(home), **environ}, home / "product_name")


def test_a_machine_without_credentials_has_none_and_nobody_is_asked(home: Path) -> None:
    assert machine(home) is None

    (home / "product_name").write_text("OptiPlex 7010\n", encoding="utf-8")
    assert machine(home) is None


def test_a_machine_of_googles_cloud_is_known_by_its_firmware(home: Path) -> None:
    (home / "product_name").write_text("Google Compute Engine\n", encoding="utf-8")

    identity = machine(home)

    assert identity is not None
    assert identity.kind == "application_default"
    assert list(identity.credentials.scopes) == [READ_ONLY]


@pytest.mark.parametrize("place", ["home", "CLOUDSDK_CONFIG"])
def test_what_gcloud_left_is_found_where_gcloud_leaves_it(
    home: Path, write: Write, place: str
) -> None:
    folder = "home/.config/gcloud" if place == "home" else "cloudsdk"
    path = write(f"{folder}/application_default_credentials.json", _USER)
    environ = {} if place == "home" else {"CLOUDSDK_CONFIG": str(path.parent)}

    identity = machine(home, **environ)

    assert identity is not None
    assert identity.kind == "application_default"


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (_USER | {"account": "anna@example.com"}, "anna@example.com"),
        (_USER, "the Google account of"),
        (_POOL, "the workload of"),
        (_POOL | {"service_account_impersonation_url": _READER}, "reader@p.iam"),
        (
            {
                "type": "impersonated_service_account",
                "service_account_impersonation_url": _READER,
                "source_credentials": _USER,
            },
            "reader@p.iam",
        ),
        (
            {
                "type": "external_account_authorized_user",
                "audience": "//iam.googleapis.com/locations/global/workforcePools/p/providers/q",
                "refresh_token": SECRET,
                "token_url": "https://sts.googleapis.com/v1/oauthtoken",
                "client_id": "1",
                "client_secret": SECRET,
            },
            "the federated user of",
        ),
    ],
    ids=["user", "user without name", "pool", "pool as account", "impersonated", "federated"],
)
def test_every_kind_is_loaded_for_reading_alone_and_without_asking_anybody(
    home: Path, write: Write, content: dict[str, Any], name: str
) -> None:
    path = write("adc.json", content)

    identity = machine(home, GOOGLE_APPLICATION_CREDENTIALS=str(path))

    assert identity is not None
    assert identity.name.startswith(name)
    assert identity.kind == "application_default"
    assert identity.scopes == (READ_ONLY,)
    asked = getattr(identity.credentials, "scopes", None) or identity.credentials._target_scopes
    assert list(asked) == [READ_ONLY]
    assert SECRET not in repr(identity)


def test_a_key_as_application_default_is_named_by_its_address(home: Path, key: Path) -> None:
    identity = machine(home, GOOGLE_APPLICATION_CREDENTIALS=str(key))

    assert identity is not None
    assert (identity.name, identity.kind) == ("index@example.com", "application_default")


def test_gclouds_login_lacks_drive_and_the_remedy_is_the_command_that_has_it(
    home: Path, write: Write
) -> None:
    identity = machine(home, GOOGLE_APPLICATION_CREDENTIALS=str(write("adc.json", _USER)))

    assert identity is not None
    assert "gcloud auth application-default login" in identity.remedy
    assert re.search(r"--scopes=\S*drive\.readonly", identity.remedy)


def test_another_project_may_pay(home: Path, write: Write) -> None:
    path = write("adc.json", _USER | {"quota_project_id": "of-the-file"})

    named = machine(home, GOOGLE_APPLICATION_CREDENTIALS=str(path))
    other = machine(
        home, GOOGLE_APPLICATION_CREDENTIALS=str(path), GOOGLE_CLOUD_QUOTA_PROJECT="other"
    )

    assert named is not None
    assert other is not None
    assert named.credentials.quota_project_id == "of-the-file"
    assert other.credentials.quota_project_id == "other"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ({"installed": {"client_secret": SECRET}}, "without a type"),
        ({"type": "gdch_service_account", "private_key": SECRET}, "'gdch_service_account'"),
        ({"type": "authorized_user", "client_secret": SECRET}, "lacks client_id, refresh_token"),
        ({"type": "service_account", "private_key": SECRET}, "lacks client_email"),
        (_POOL | {"credential_source": SECRET}, "cannot be used as that"),
        (_POOL | {"audience": None, "credential_source": {}}, "cannot be used as that"),
        (
            {"type": "impersonated_service_account", "source_credentials": SECRET},
            "cannot be used as that",
        ),
        (
            {
                "type": "impersonated_service_account",
                "source_credentials": {"type": SECRET},
                "service_account_impersonation_url": _READER,
            },
            "cannot be used as that",
        ),
    ],
)
def test_a_file_that_cannot_be_used_says_so_and_nothing_that_is_in_it(
    home: Path, write: Write, content: dict[str, Any], problem: str
) -> None:
    path = write("adc.json", content)

    with pytest.raises(SourceAuthError, match=re.escape(problem)) as caught:
        machine(home, GOOGLE_APPLICATION_CREDENTIALS=str(path))

    assert str(path) in caught.value.message
    assert caught.value.hint
    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_file_that_is_named_and_missing_is_an_error(home: Path) -> None:
    with pytest.raises(SourceAuthError, match=r"no\.json"):
        machine(home, GOOGLE_APPLICATION_CREDENTIALS=str(home / "no.json"))


@pytest.mark.parametrize(
    "content",
    [
        _USER | {"token_uri": "http://example.com/token"},
        _POOL | {"token_url": "http://sts.example.com/token"},
        _POOL | {"service_account_impersonation_url": "http://iam.example.com/x"},
        {
            "type": "impersonated_service_account",
            "service_account_impersonation_url": _READER,
            "source_credentials": _USER | {"token_uri": "http://example.com/token"},
        },
    ],
)
def test_an_endpoint_that_can_be_overheard_is_refused_wherever_it_stands(
    home: Path, write: Write, content: dict[str, Any]
) -> None:
    path = write("adc.json", content)

    with pytest.raises(SettingsError, match="overheard"):
        machine(home, GOOGLE_APPLICATION_CREDENTIALS=str(path))


class _Metadata(BaseHTTPRequestHandler):
    """The metadata server of a machine in Google's cloud."""

    seen: list[str]

    def do_GET(self) -> None:
        self.seen.append(self.path)
        answer: dict[str, Any] = {"access_token": "ya29.machine", "expires_in": 3599}
        if "token" not in self.path:
            answer = {"email": "machine@p.iam.gserviceaccount.com", "scopes": [READ_ONLY]}
        body = json.dumps(answer | {"token_type": "Bearer"}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Metadata-Flavor", "Google")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
        """Say nothing."""


_ASK = """
import os
from google.auth.transport.requests import Request
from gdrive_rag_mcp.sources.drive_credentials import CredentialFiles, identify
identity = identify(CredentialFiles(), os.environ)
identity.credentials.refresh(Request())
print(identity.credentials.token)
"""


def test_the_machines_account_is_asked_for_reading_alone(home: Path, repository: Path) -> None:
    seen: list[str] = []
    handler = type("Handler", (_Metadata,), {"seen": seen})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        done = subprocess.run(
            [sys.executable, "-c", _ASK],
            env={
                "HOME": str(home),
                "PATH": os.environ["PATH"],
                "PYTHONPATH": str(repository / "src"),
                "GCE_METADATA_HOST": f"127.0.0.1:{server.server_port}",
            },
            capture_output=True,
            text=True,
            check=False,
        )
        server.shutdown()
        thread.join()

    assert done.stdout == "ya29.machine\n", done.stderr
    [token_request] = [path for path in seen if "/token" in path]
    assert "drive.readonly" in token_request
    assert token_request.count("auth%2F") + token_request.count("auth/") == 1
