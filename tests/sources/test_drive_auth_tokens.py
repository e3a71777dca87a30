"""A person's token file: who may read it, and what becomes of it when the token is renewed."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
import requests
from google.auth.exceptions import RefreshError
from google.auth.transport.requests import Request

from gdrive_rag_mcp.errors import SettingsError, SourceAuthError
from gdrive_rag_mcp.sources.drive_auth import READ_ONLY, Identity
from gdrive_rag_mcp.sources.drive_token_file import UserToken, read_token, write_token
from gdrive_rag_mcp.sources.drive_user import load_user
from gdrive_rag_mcp.testing.fake_drive import FakeDrive

ANNA = "anna@example.com"
SECRET = "hunter2-secret"


@pytest.fixture
def token_file(google: FakeDrive, tmp_path: Path) -> Path:
    return google.tokens.write_token_file(tmp_path / "token.json", ANNA, google.url)


@pytest.fixture
def request_tokens() -> Iterator[Request]:
    """What google-auth asks the token endpoint with."""
    with requests.Session() as session:
        yield Request(session)


def silent(_: str) -> None:
    pytest.fail("nothing was to be reported")


def ask(google: FakeDrive, identity: Identity, request: Request) -> str:
    """Whom Drive takes the identity for, renewing the token where need be."""
    headers: dict[str, str] = {}
    identity.credentials.before_request(request, "GET", google.url, headers)
    name = google.tokens.principal(headers["authorization"])
    assert name is not None
    return name


def on_disk(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


# ── what is in the file ──────────────────────────────────────────────────────


def test_a_token_survives_being_written_and_read(tmp_path: Path) -> None:
    token = UserToken(
        "id", SECRET, "refresh", account=ANNA, access_token="access",
        ends=datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC),
    )  # fmt: skip
    write_token(tmp_path / "token.json", token)

    assert read_token(tmp_path / "token.json", silent) == token
    assert (tmp_path / "token.json").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["token.json"]
    assert SECRET not in repr(token)


def test_a_file_that_google_auth_wrote_is_read(tmp_path: Path) -> None:
    from google.oauth2.credentials import Credentials

    made: Any = Credentials
    text = made(
        "access", refresh_token="refresh", token_uri="https://oauth2.googleapis.com/token",
        client_id="id", client_secret=SECRET, scopes=[READ_ONLY],
        expiry=datetime(2030, 1, 2, 3, 4, 5),  # noqa: DTZ001 -- as google-auth wants it
    ).to_json()  # fmt: skip
    path = tmp_path / "token.json"
    path.touch(0o600)
    path.write_text(text, encoding="utf-8")

    token = read_token(path, silent)

    assert (token.refresh_token, token.access_token) == ("refresh", "access")
    assert token.ends == datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.mark.parametrize("call", ["os.fsync", "pathlib.Path.replace"])
def test_a_token_whose_writing_breaks_off_leaves_the_former_one_whole_and_nothing_else(
    token_file: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    def broken(*_: object) -> None:
        raise OSError(28, "No space left on device")

    before, token = token_file.read_bytes(), read_token(token_file)
    monkeypatch.setattr(call, broken)

    with pytest.raises(OSError, match="No space left"):
        write_token(token_file, replace(token, account="someone-else@example.com"))

    assert token_file.read_bytes() == before
    assert list(token_file.parent.glob("*token*")) == [token_file]
    assert not list(token_file.parent.glob(".*"))


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("{", "is not JSON"),
        (json.dumps([SECRET]), "holds no JSON object"),
        (
            json.dumps({"type": "service_account", "private_key": SECRET}),
            "key of a service account",
        ),
        (json.dumps({"installed": {"client_secret": SECRET}}), "file of an OAuth client"),
        (json.dumps({"client_secret": SECRET}), "lacks client_id, refresh_token"),
        (
            json.dumps(
                {
                    "client_id": "1",
                    "client_secret": SECRET,
                    "refresh_token": "2",
                    "scopes": ["mail"],
                }
            ),
            "is not for reading Drive",
        ),
    ],
)
def test_a_file_that_is_no_token_says_what_it_is_and_nothing_that_is_in_it(
    tmp_path: Path, content: str, problem: str
) -> None:
    path = tmp_path / "token.json"
    path.write_text(content, encoding="utf-8")

    with pytest.raises(SourceAuthError, match=problem) as caught:
        read_token(path)

    assert str(path) in caught.value.message
    assert "auth-google" in caught.value.hint
    assert SECRET not in str(caught.value)


def test_a_token_endpoint_that_can_be_overheard_is_refused(
    google: FakeDrive, tmp_path: Path
) -> None:
    path = google.tokens.write_token_file(
        tmp_path / "token.json", ANNA, "", token_uri="http://example.com/token"
    )

    with pytest.raises(SettingsError, match="token_uri"):
        read_token(path)


def test_a_file_that_others_can_read_is_closed_to_them_and_that_is_said(token_file: Path) -> None:
    token_file.chmod(0o644)
    reports: list[str] = []

    load_user(token_file, reports.append)

    assert token_file.stat().st_mode & 0o777 == 0o600
    [report] = reports
    assert str(token_file) in report


def test_a_file_of_somebody_else_that_all_can_read_is_used_and_that_is_said(
    google: FakeDrive, public_folder: Path, ordinary_user: Callable[[], Any]
) -> None:
    if os.geteuid() != 0:
        pytest.skip("needs a file of another user")
    path = google.tokens.write_token_file(public_folder / "token.json", ANNA, google.url)
    path.chmod(0o644)
    reports: list[str] = []

    with ordinary_user():
        identity = load_user(path, reports.append)

    assert identity.name == ANNA
    assert len(reports) == 1
    assert "can be read by others" in reports[0]


# ── renewal ──────────────────────────────────────────────────────────────────


def test_a_renewed_token_is_saved_and_the_next_process_uses_it(
    google: FakeDrive, token_file: Path, request_tokens: Request
) -> None:
    assert ask(google, load_user(token_file, silent), request_tokens) == ANNA

    assert ask(google, load_user(token_file, silent), request_tokens) == ANNA
    assert google.counts()["token"] == 1
    assert token_file.stat().st_mode & 0o777 == 0o600
    assert on_disk(token_file)["account"] == ANNA


def test_only_reading_is_asked_for_when_a_token_is_renewed(
    google: FakeDrive, token_file: Path, request_tokens: Request
) -> None:
    ask(google, load_user(token_file, silent), request_tokens)

    [asked] = [request for request in google.requests if request.kind == "token"]
    assert asked.query["scope"] == READ_ONLY


def test_a_new_refresh_token_replaces_the_old_one_on_disk(
    google: FakeDrive, token_file: Path, request_tokens: Request
) -> None:
    google.tokens.accounts.rotates = True
    before = on_disk(token_file)["refresh_token"]
    identity = load_user(token_file, silent)

    for _ in range(3):
        google.tokens.expire()
        identity.credentials.refresh(request_tokens)

    assert on_disk(token_file)["refresh_token"] != before
    google.tokens.expire()
    fresh = load_user(token_file, silent)
    fresh.credentials.refresh(request_tokens)
    assert ask(google, fresh, request_tokens) == ANNA


def test_many_threads_renew_once(
    google: FakeDrive, token_file: Path, request_tokens: Request
) -> None:
    google.tokens.accounts.rotates = True
    identity = load_user(token_file, silent)
    together = Barrier(8)

    def begin(_: int) -> str:
        together.wait()
        return ask(google, identity, request_tokens)

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(begin, range(8))) == {ANNA}

    assert google.counts()["token"] == 1


_RENEW = """
import sys
from pathlib import Path
from google.auth.transport.requests import Request
from gdrive_rag_mcp.sources.drive_user import load_user
credentials = load_user(Path(sys.argv[1]), print).credentials
print("ready", flush=True)
for _ in sys.stdin:
    credentials.refresh(Request())
    print(credentials.token, flush=True)
"""


def renewers(token_file: Path, repository: Path) -> list[subprocess.Popen[str]]:
    """Two processes that renew the token whenever they get a line."""
    return [
        subprocess.Popen(
            [sys.executable, "-c", _RENEW, str(token_file)],
            env={**os.environ, "PYTHONPATH": str(repository / "src")},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]


def line_of(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()


def test_two_processes_that_renew_at_once_are_both_served_and_leave_one_whole_file(
    google: FakeDrive, token_file: Path, repository: Path, request_tokens: Request
) -> None:
    google.tokens.accounts.rotates = True  # each refresh token works once
    first, second = renewers(token_file, repository)
    for process in (first, second):
        assert line_of(process) == "ready\n"

    for _ in range(5):
        google.tokens.expire()
        for process in (first, second):
            assert process.stdin is not None
            process.stdin.write("renew\n")
            process.stdin.flush()
        for process in (first, second):
            assert line_of(process).startswith("ya29."), process.communicate()[1]
    for process in (first, second):
        _, errors = process.communicate()
        assert (process.returncode, errors) == (0, "")

    load_user(token_file, silent).credentials.refresh(request_tokens)
    assert [path.name for path in token_file.parent.iterdir()] == [token_file.name]


def test_what_another_process_renewed_is_taken_over_instead_of_renewed_again(
    google: FakeDrive, token_file: Path, request_tokens: Request
) -> None:
    late = load_user(token_file, silent)
    ask(google, load_user(token_file, silent), request_tokens)

    assert ask(google, late, request_tokens) == ANNA
    assert google.counts()["token"] == 1


def test_a_token_that_was_refused_is_not_taken_over_from_the_file(
    google: FakeDrive, token_file: Path, request_tokens: Request
) -> None:
    identity = load_user(token_file, silent)
    ask(google, identity, request_tokens)
    google.tokens.expire()

    identity.credentials.refresh(request_tokens)

    assert ask(google, identity, request_tokens) == ANNA


def test_the_file_of_another_person_is_not_overwritten(
    google: FakeDrive, token_file: Path, request_tokens: Request
) -> None:
    identity = load_user(token_file, silent)
    google.tokens.write_token_file(token_file, "ben@example.com", google.url)
    before = token_file.read_bytes()

    assert ask(google, identity, request_tokens) == ANNA
    assert token_file.read_bytes() == before


def test_a_file_that_was_deleted_is_not_made_again(
    google: FakeDrive, token_file: Path, request_tokens: Request
) -> None:
    identity = load_user(token_file, silent)
    token_file.unlink()

    assert ask(google, identity, request_tokens) == ANNA
    assert not token_file.exists()


def test_a_person_who_agrees_again_meanwhile_ends_no_run(
    google: FakeDrive, token_file: Path, request_tokens: Request
) -> None:
    identity = load_user(token_file, silent)
    google.tokens.revoke(ANNA)
    google.tokens.write_token_file(token_file, ANNA, google.url)

    assert ask(google, identity, request_tokens) == ANNA


def test_a_link_to_a_token_file_stays_a_link(
    google: FakeDrive, token_file: Path, tmp_path: Path, request_tokens: Request
) -> None:
    link = tmp_path / "link.json"
    link.symlink_to(token_file)

    ask(google, load_user(link, silent), request_tokens)

    assert link.is_symlink()
    assert on_disk(token_file)["token"]


# ── where nothing can be written ─────────────────────────────────────────────


@pytest.fixture
def locked(
    google: FakeDrive, public_folder: Path, ordinary_user: Callable[[], Any]
) -> Iterator[Path]:
    """A token file that can be read and neither written nor replaced."""
    path = google.tokens.write_token_file(public_folder / "token.json", ANNA, google.url)
    if os.geteuid() == 0:
        os.chown(path, 65534, 65534)
    path.chmod(0o400)
    public_folder.chmod(0o555)
    with ordinary_user():
        yield path


def test_a_token_that_cannot_be_saved_serves_all_the_same(
    google: FakeDrive, locked: Path, request_tokens: Request
) -> None:
    before = locked.read_bytes()
    identity = load_user(locked, silent)

    assert ask(google, identity, request_tokens) == ANNA
    google.tokens.expire()
    identity.credentials.refresh(request_tokens)

    assert ask(google, identity, request_tokens) == ANNA
    assert locked.read_bytes() == before


def test_a_refresh_token_that_cannot_be_saved_serves_this_run_and_that_is_said(
    google: FakeDrive, locked: Path, request_tokens: Request
) -> None:
    google.tokens.accounts.rotates = True
    reports: list[str] = []
    identity = load_user(locked, reports.append)

    for _ in range(3):
        google.tokens.expire()
        identity.credentials.refresh(request_tokens)

    assert ask(google, identity, request_tokens) == ANNA
    assert all("auth-google" in report and str(locked) in report for report in reports)
    assert reports


# ── the end of a consent ─────────────────────────────────────────────────────


def test_a_consent_that_was_taken_back_is_refused_and_the_file_stays(
    google: FakeDrive, token_file: Path, request_tokens: Request
) -> None:
    identity = load_user(token_file, silent)
    google.tokens.revoke(ANNA)
    before = token_file.read_bytes()

    with pytest.raises(RefreshError, match="invalid_grant"):
        identity.credentials.refresh(request_tokens)

    assert token_file.read_bytes() == before


def test_a_saved_access_token_that_is_over_is_not_used(
    google: FakeDrive, token_file: Path, request_tokens: Request
) -> None:
    over = replace(
        read_token(token_file),
        access_token="ya29.over",
        ends=datetime.now(UTC) - timedelta(seconds=1),
    )
    write_token(token_file, over)

    assert ask(google, load_user(token_file, silent), request_tokens) == ANNA
