"""Settings that name a file of secrets: a secret in place of the path, and files of other kinds."""

import base64
import json
import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from gdrive_rag_mcp.errors import SettingsError, SourceAuthError
from gdrive_rag_mcp.sources.drive_credentials import CredentialFiles, identify
from gdrive_rag_mcp.sources.drive_named_files import named_file
from gdrive_rag_mcp.testing.fake_drive import FakeDrive

MARK = "TOPSECRET"
PEM = f"-----BEGIN PRIVATE KEY-----\n{MARK}{'Ab3/' * 400}\n-----END PRIVATE KEY-----\n"
OBJECT = json.dumps({"type": "service_account", "private_key": PEM, "client_secret": MARK})
SECRETS = {
    "JSON": OBJECT,
    "short JSON": f'{{"private_key":"{MARK}"}}',
    "JSON over lines": json.dumps({"private_key": MARK}, indent=1),
    "first line of JSON": "{",
    "PEM": PEM,
    "PEM on one line": PEM.replace("\n", " ")[:150],
    "JSON in base64": base64.b64encode(OBJECT.encode()).decode(),
    "short base64": base64.urlsafe_b64encode(bytes(range(200))).decode(),
    "a long text": f"{MARK} and " * 40,
    "client secret": f"GOCSPX-{MARK}",
    "access token": f"ya29.{MARK}",
    "refresh token": f"1//0{MARK}-abcdefghijklmnopqrstuvwxyz",
    "two lines": f"/etc/key.json\n{MARK}",
}
SETTINGS = (
    "GOOGLE_SERVICE_ACCOUNT_FILE",
    "GOOGLE_OAUTH_CLIENT_FILE",
    "GOOGLE_OAUTH_TOKEN_FILE",
    "GOOGLE_APPLICATION_CREDENTIALS",
)


def ways(setting: str, value: str) -> tuple[dict[str, Path], dict[str, str]]:
    """What `identify` is given of a setting: a path of the settings, or the environment."""
    member = setting.removeprefix("GOOGLE_").removesuffix("_FILE").lower()
    if setting == "GOOGLE_APPLICATION_CREDENTIALS":
        return {}, {setting: value}
    return {member: Path(value).absolute()}, {}


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("kind", SECRETS)
def test_a_secret_in_place_of_a_path_is_refused_and_not_quoted(
    setting: str, kind: str, tmp_path: Path
) -> None:
    files, environ = ways(setting, SECRETS[kind])

    with pytest.raises(SettingsError) as caught:
        identify(CredentialFiles(**files), {"HOME": str(tmp_path), **environ})

    said = f"{caught.value} {caught.value!r}"
    assert setting in caught.value.message
    assert "chmod 600" in caught.value.hint
    assert "path" in caught.value.hint
    assert len(said) < 1000
    for part in (MARK, SECRETS[kind][:40], SECRETS[kind][-40:]):
        assert len(part) < 8 or part not in said
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


@pytest.mark.parametrize(
    "name",
    [
        "key.json",
        "my project-1a2b3c.json",
        "GOCSPX.json",
        "1/0.json",
        "Schlüssel für Drive.json",
        "a=b+c_d.json",
        "eyJ.json",
        "${HOME}/key.json",
    ],
)
def test_a_path_is_taken_as_it_is_whether_or_not_the_file_is_there(
    tmp_path: Path, name: str
) -> None:
    assert named_file("SETTING", tmp_path / name) == tmp_path / name


def test_a_file_that_is_there_may_have_a_long_path(tmp_path: Path) -> None:
    path = tmp_path / ("a" * 220) / ("b" * 220)
    path.parent.mkdir()

    with pytest.raises(SettingsError):
        named_file("SETTING", path)
    path.touch()

    assert named_file("SETTING", path) == path


def test_a_file_that_an_earlier_run_made_of_a_secret_does_not_make_it_a_path(
    tmp_path: Path,
) -> None:
    path = tmp_path / f'{{"refresh_token":"{MARK}"}}'
    path.touch()

    with pytest.raises(SettingsError):
        CredentialFiles(oauth_token=path)


# ── what kind of file it is ──────────────────────────────────────────────────


@pytest.fixture
def key(tmp_path: Path) -> Path:
    with FakeDrive() as google:
        return google.write_key_file(tmp_path / "key.json")


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    return path


def identified(setting: str, path: Path, said: list[str] | None = None) -> Mapping[str, str]:
    files, environ = ways(setting, str(path))
    reports = [] if said is None else said
    identity = identify(CredentialFiles(**files), environ, reports.append)
    return {"name": identity.name, "kind": identity.kind}


@pytest.mark.parametrize(
    "setting", [name for name in SETTINGS if name != "GOOGLE_OAUTH_CLIENT_FILE"]
)
def test_what_is_no_regular_file_is_refused_at_once(
    setting: str, pipe: Path, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(pipe)

    for path in (pipe, tmp_path / "link", Path("/dev/zero"), Path("/dev/null"), tmp_path):
        with pytest.raises(SourceAuthError, match=r"no regular file|Is a directory") as caught:
            identified(setting, path)
        assert str(path) in caught.value.message


def test_a_key_behind_links_is_read(key: Path, tmp_path: Path) -> None:
    (tmp_path / "one").symlink_to(key)
    (tmp_path / "two").symlink_to("one")

    assert identified(SETTINGS[0], tmp_path / "two") == identified(SETTINGS[0], key)


def test_a_file_that_is_too_large_for_a_key_is_not_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "key.json"
    with path.open("wb") as file:
        file.truncate(1 << 40)  # sparse: reading it would not end in time

    with pytest.raises(SourceAuthError, match="larger than 1024 KB"):
        identified(SETTINGS[0], path)


def test_a_key_with_a_byte_order_mark_is_read(key: Path) -> None:
    before = identified(SETTINGS[0], key)
    key.write_bytes(b"\xef\xbb\xbf" + key.read_bytes())

    assert identified(SETTINGS[0], key) == before


@pytest.mark.parametrize("setting", ["GOOGLE_SERVICE_ACCOUNT_FILE", SETTINGS[3]])
@pytest.mark.parametrize(
    ("mode", "may"),
    [(0o644, "read by others"), (0o640, "read by others"), (0o666, "read or changed by others")],
)
def test_a_key_that_others_can_read_is_reported_with_its_mode_and_left_as_it_is(
    setting: str, key: Path, mode: int, may: str
) -> None:
    key.chmod(mode)
    said: list[str] = []

    identified(setting, key, said)

    (only,) = said
    assert may in only
    assert f"mode {mode:04o}" in only
    assert f"chmod 600 {key}" in only
    assert key.stat().st_mode & 0o777 == mode


@pytest.mark.parametrize("mode", [0o600, 0o400])
def test_a_key_for_its_owner_alone_is_no_news(key: Path, mode: int) -> None:
    key.chmod(mode)
    said: list[str] = []

    identified(SETTINGS[0], key, said)

    assert said == []


def test_a_type_that_is_no_word_is_not_quoted(key: Path) -> None:
    content = json.loads(key.read_text(encoding="utf-8"))
    for setting in ("GOOGLE_SERVICE_ACCOUNT_FILE", "GOOGLE_APPLICATION_CREDENTIALS"):
        key.write_text(json.dumps({**content, "type": f"GOCSPX-{MARK}"}), encoding="utf-8")

        with pytest.raises(SourceAuthError, match="no word") as caught:
            identified(setting, key)

        assert MARK not in str(caught.value)
