"""`auth-google` as its user meets it: real processes, real requests, and no secret shown."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import pytest

from gdrive_rag_mcp.testing.fake_drive import FakeDrive
from gdrive_rag_mcp.testing.fake_drive.browser import consent, visit
from tests.end_to_end.program import INTERRUPTED_PROGRAM, PROGRAM, Ended, Run

_ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+/o/oauth2/auth\?\S+")
_BROWSER = """
import sys
from gdrive_rag_mcp.testing.fake_drive.browser import consent, visit
visit(consent(sys.argv[1]))
"""
Environ = dict[str, str]


@pytest.fixture
def google() -> Iterator[FakeDrive]:
    with FakeDrive() as fake:
        yield fake


@pytest.fixture
def environ(google: FakeDrive, tmp_path: Path) -> Environ:
    client = google.tokens.write_client_file(tmp_path / "client.json", google.url)
    return {
        "HOME": str(tmp_path / "home"),
        "GOOGLE_OAUTH_CLIENT_FILE": str(client),
        "GDRIVE_RAG_DRIVE_ENDPOINT": google.url,
        "GDRIVE_FOLDER_ID": google.root,
        "DISPLAY": "",
        "WAYLAND_DISPLAY": "",
        "BROWSER": "",
    }


@pytest.fixture
def token_file(tmp_path: Path) -> Path:
    """Where the consent is kept unless told otherwise."""
    return tmp_path / "home" / ".config" / "gdrive-rag-mcp" / "google-token.json"


@pytest.fixture
def converse(tmp_path: Path, environ: Environ) -> Callable[..., Ended]:
    """Run `auth-google`, and do something with the address that it shows."""

    def talk(act: Callable[[str, IO[str]], object], *words: str) -> Ended:
        variables = {**os.environ, **environ}
        process = subprocess.Popen(
            [*PROGRAM, "auth-google", *words],
            cwd=tmp_path,
            env={name: value for name, value in variables.items() if value},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        assert process.stderr is not None
        assert process.stdin is not None
        said = ""
        for line in process.stderr:
            said += line
            if found := _ADDRESS.search(line):
                act(found.group(), process.stdin)
                break
        out, err = process.communicate()
        return Ended(process.returncode, out, said + err)

    return talk


def assert_no_secret(google: FakeDrive, ended: Ended, token_file: Path) -> None:
    secrets = [google.tokens.accounts.client_secret]
    if token_file.exists():
        kept = json.loads(token_file.read_text(encoding="utf-8"))
        secrets += [kept["refresh_token"], kept["token"]]
    secrets += [request.query["code"] for request in google.requests if "code" in request.query]
    for secret in secrets:
        assert secret not in ended.out + ended.err


def in_browser(url: str, _: IO[str]) -> None:
    visit(consent(url))


def pasted(url: str, terminal: IO[str]) -> None:
    terminal.write("not this\n" + consent(url) + "\n")
    terminal.flush()


@pytest.mark.parametrize("act", [in_browser, pasted], ids=["browser elsewhere", "pasted"])
def test_without_a_browser_here_the_answer_comes_by_port_or_by_paste(
    google: FakeDrive,
    converse: Callable[..., Ended],
    token_file: Path,
    act: Callable[[str, IO[str]], None],
) -> None:
    ended = converse(act, "--no-browser")

    assert ended.code == 0, ended.err
    assert ended.out.splitlines() == [
        "connected as anna@example.com, to read only",
        f"consent kept in {token_file}",
        "next: `gdrive-rag-mcp doctor`, then `gdrive-rag-mcp sync`",
    ]
    assert token_file.stat().st_mode & 0o777 == 0o600
    assert "127.0.0.1" not in ended.out
    assert_no_secret(google, ended, token_file)


def test_the_result_can_be_read_by_programs(
    converse: Callable[..., Ended], token_file: Path
) -> None:
    ended = converse(in_browser, "--no-browser", "--json")

    assert ended.json == {
        "account": "anna@example.com",
        "scopes": ["https://www.googleapis.com/auth/drive.readonly"],
        "token_file": str(token_file),
        "replaced": None,
    }


def test_a_browser_on_this_machine_is_opened(
    google: FakeDrive, environ: Environ, run: Run, tmp_path: Path, repository: Path
) -> None:
    (tmp_path / "browser.py").write_text(_BROWSER, encoding="utf-8")
    browser = f"{sys.executable} {tmp_path / 'browser.py'} %s"

    ended = run(
        "auth-google",
        environ={**environ, "BROWSER": browser, "PYTHONPATH": str(repository / "src")},
    )

    assert ended.code == 0, ended.err
    assert "connected as anna@example.com" in ended.out


def test_after_consent_a_sync_reads_as_that_person_and_doctor_says_so(
    google: FakeDrive, environ: Environ, converse: Callable[..., Ended], run: Run, token_file: Path
) -> None:
    google.tokens.accounts.sign_in(google.email)  # whom the fake's folder is shared with
    google.files.add_file("leave.md", b"# Leave\n\nThirty days of unpaid leave.\n")
    assert converse(in_browser, "--no-browser").code == 0

    synced = run("sync", environ=environ)
    examined = run("doctor", environ=environ)

    assert synced.code == 0, synced.err
    assert f"{google.email} (user), with drive.readonly" in examined.out
    assert f"drive:{google.root} is visible to" in examined.out
    for ended in (synced, examined):
        assert_no_secret(google, ended, token_file)


def test_who_agrees_in_the_place_of_somebody_else_is_told_so(
    google: FakeDrive, converse: Callable[..., Ended], token_file: Path
) -> None:
    converse(in_browser, "--no-browser")
    google.tokens.accounts.sign_in("bob@example.com")

    ended = converse(in_browser, "--no-browser")

    assert "connected as bob@example.com, to read only" in ended.out
    assert "replaced the consent of anna@example.com" in ended.out
    google.tokens.accounts.sign_in("anna@example.com")
    assert converse(in_browser, "--no-browser", "--json").json["replaced"] == "bob@example.com"
    assert_no_secret(google, ended, token_file)


def test_nothing_ticked_is_no_success_and_the_consent_that_works_stays(
    google: FakeDrive, converse: Callable[..., Ended], token_file: Path
) -> None:
    assert converse(in_browser, "--no-browser").code == 0
    before = token_file.read_bytes()
    google.tokens.accounts.sign_in("anna@example.com", ticked=frozenset())

    ended = converse(in_browser, "--no-browser")

    assert (ended.code, ended.out) == (1, "")
    assert "no right to read Drive" in ended.err
    assert "tick the box" in ended.err
    assert token_file.read_bytes() == before


def test_a_service_account_that_goes_on_reading_is_named_with_what_to_unset(
    google: FakeDrive, environ: Environ, converse: Callable[..., Ended], run: Run, tmp_path: Path
) -> None:
    environ["GOOGLE_SERVICE_ACCOUNT_FILE"] = str(google.write_key_file(tmp_path / "key.json"))

    ended = converse(in_browser, "--no-browser")

    assert ended.code == 0
    assert "connected as anna@example.com" in ended.out
    [warning] = [line for line in ended.err.splitlines() if line.startswith("warning: ")]
    assert "GOOGLE_SERVICE_ACCOUNT_FILE" in warning
    assert "unset" in warning
    assert f"{google.email} (service account)" in run("doctor", environ=environ).out


def test_time_runs_out_with_a_remedy(
    google: FakeDrive, environ: Environ, run: Run, token_file: Path
) -> None:
    ended = run("auth-google", "--no-browser", "--timeout", "1", environ=environ)

    assert ended.code == 1
    assert ended.out == ""
    assert "error: no consent was given within 1 seconds" in ended.err
    assert "to fix it: " in ended.err
    assert "--no-browser" not in ended.err
    assert "--timeout" in ended.err
    assert not token_file.exists()
    assert_no_secret(google, ended, token_file)


def test_a_person_who_declines_ends_it(
    google: FakeDrive, converse: Callable[..., Ended], token_file: Path
) -> None:
    google.tokens.accounts.sign_in("anna@example.com", declines=True)

    ended = converse(in_browser, "--no-browser")

    assert (ended.code, ended.out) == (1, "")
    assert "declined" in ended.err
    assert not token_file.exists()


@pytest.mark.parametrize(
    ("words", "changed", "problem"),
    [
        ((), {"GOOGLE_OAUTH_CLIENT_FILE": ""}, "GOOGLE_OAUTH_CLIENT_FILE"),
        ((), {"GOOGLE_OAUTH_TOKEN_FILE": "/proc/token.json"}, "GOOGLE_OAUTH_TOKEN_FILE"),
        (("--port", "70000"), {}, "--port"),
        (("--timeout", "0"), {}, "--timeout"),
    ],
    ids=["no client", "nowhere to write", "no port", "no time"],
)
def test_what_is_set_wrongly_is_a_matter_of_usage(
    google: FakeDrive,
    environ: Environ,
    run: Run,
    words: tuple[str, ...],
    changed: Environ,
    problem: str,
) -> None:
    ended = run("auth-google", *words, environ=environ | changed)

    assert (ended.code, ended.out) == (2, "")
    assert problem in ended.err
    assert "Traceback" not in ended.err
    assert not google.requests


@pytest.mark.parametrize("command", [("sync",), ("doctor",)])
def test_no_other_command_ever_asks_for_consent(
    google: FakeDrive, environ: Environ, run: Run, command: tuple[str, ...]
) -> None:
    ended = run(*command, environ=environ)

    assert ended.code == 1
    assert "auth-google" in ended.out + ended.err
    assert not _ADDRESS.search(ended.out + ended.err)
    assert not google.requests


def test_a_consent_that_has_ended_stops_a_sync_with_the_remedy(
    google: FakeDrive, environ: Environ, converse: Callable[..., Ended], run: Run, token_file: Path
) -> None:
    assert converse(in_browser, "--no-browser").code == 0
    google.tokens.revoke("anna@example.com")

    for ended in (run("sync", environ=environ), run("doctor", environ=environ)):
        said = ended.out + ended.err
        assert ended.code == 1
        assert "Token has been expired or revoked" in said
        assert "7 days" in said
        assert_no_secret(google, ended, token_file)


@pytest.mark.parametrize("way", ["environment", "env file", "config file"])
@pytest.mark.parametrize(
    ("command", "setting"),
    [
        ("sync", "GOOGLE_SERVICE_ACCOUNT_FILE"),
        ("doctor", "GOOGLE_SERVICE_ACCOUNT_FILE"),
        ("sync", "GOOGLE_OAUTH_TOKEN_FILE"),
        ("auth-google", "GOOGLE_OAUTH_CLIENT_FILE"),
        ("auth-google", "GOOGLE_OAUTH_TOKEN_FILE"),
    ],
)
def test_a_secret_in_place_of_a_path_is_refused_and_shown_nowhere(
    environ: Environ, run: Run, tmp_path: Path, command: str, setting: str, way: str
) -> None:
    secret = '{"private_key": "TOPSECRET-1", "client_secret": "GOCSPX-2", "refresh_token": "1//3"}'
    words: list[str] = []
    if way == "environment":
        environ[setting] = secret
    else:
        environ.pop(setting, None)
        file = tmp_path / "settings"
        line = f"{setting}={secret}" if way == "env file" else f"{setting.lower()} = '{secret}'"
        file.write_text(line + "\n", encoding="utf-8")
        words = [f"--{way.replace(' file', '-file') if way == 'env file' else 'config'}", str(file)]
    before = {path.name for path in tmp_path.iterdir()}

    ended = run(command, *words, environ=environ)

    said = ended.out + ended.err
    assert ended.code != 0
    assert f"{setting} holds what seems to be a secret" in said
    assert "chmod 600" in said
    for part in ("TOPSECRET", "GOCSPX", "1//3", "private_key"):
        assert part not in said
    assert not {path.name for path in tmp_path.iterdir()} - before - {"data", "home"}


def test_a_key_that_others_can_read_is_noted_once_by_a_sync(
    google: FakeDrive, environ: Environ, run: Run, tmp_path: Path
) -> None:
    key = google.write_key_file(tmp_path / "key.json")
    key.chmod(0o644)
    google.files.add_file("a.md", b"# A\n")

    ended = run("sync", environ={**environ, "GOOGLE_SERVICE_ACCOUNT_FILE": str(key)})

    assert ended.code == 0
    assert ended.err.count("mode 0644") == 1
    assert f"chmod 600 {key}" in ended.err
    assert "mode 0644" not in ended.out


@pytest.mark.parametrize("word", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
def test_an_interrupted_question_leaves_nothing_behind(
    google: FakeDrive, environ: Environ, token_file: Path, tmp_path: Path, word: signal.Signals
) -> None:
    with subprocess.Popen(
        [*INTERRUPTED_PROGRAM, "auth-google", "--no-browser"],
        cwd=tmp_path,
        env={name: value for name, value in {**os.environ, **environ}.items() if value},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        assert any("or paste the address" in line for line in process.stderr)
        process.send_signal(word)
        out, err = process.communicate()

    assert (process.returncode, out) == (130, "")
    assert "Traceback" not in err
    assert not token_file.exists()
    assert not google.requests


def test_whoever_pastes_is_told_which_address_and_that_its_page_may_fail(
    environ: Environ, run: Run, tmp_path: Path
) -> None:
    port = unused_port()
    client = json.loads((tmp_path / "client.json").read_text(encoding="utf-8"))["installed"]
    client["redirect_uris"] = [f"http://localhost:{port}/back"]
    (tmp_path / "client.json").write_text(json.dumps({"web": client}), encoding="utf-8")

    ended = run("auth-google", "--no-browser", "--timeout", "1", environ=environ)

    assert "wait, if that browser is on this machine" in ended.err
    assert f"(http://localhost:{port}/back…), even if it cannot show that page" in ended.err


def unused_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port
