"""Asking a person for consent: what is asked, whose answer counts, and what is kept of it."""

import base64
import hashlib
import json
import os
import socket
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from gdrive_rag_mcp.errors import SettingsError, SourceAuthError, SourceUnavailableError
from gdrive_rag_mcp.sources.drive_auth import READ_ONLY
from gdrive_rag_mcp.sources.drive_consent import Consent
from gdrive_rag_mcp.sources.drive_oauth_client import read_client
from gdrive_rag_mcp.sources.drive_token_file import read_token
from gdrive_rag_mcp.testing.fake_drive import FakeDrive
from gdrive_rag_mcp.testing.fake_drive.browser import consent, visit
from tests.sources.desk import Desk, query_of, with_query

# ── when all goes well ───────────────────────────────────────────────────────


def test_consent_is_kept_with_the_name_of_who_gave_it(google: FakeDrive, desk: Desk) -> None:
    google.tokens.accounts.sign_in("ben@example.com")

    given = desk.ask()

    assert given == Consent("ben@example.com", (READ_ONLY,), desk.token_file)
    token = read_token(desk.token_file)
    assert (token.account, token.scopes) == ("ben@example.com", (READ_ONLY,))
    assert desk.token_file.stat().st_mode & 0o777 == 0o600
    [answer] = desk.done
    assert "200" in str(answer)
    assert "Close this window" in str(answer)
    assert desk.said == []


def test_what_is_asked_for_is_reading_alone_offline_with_a_state_and_a_challenge(
    google: FakeDrive, desk: Desk
) -> None:
    desk.ask()

    asked = query_of(desk.shown[0])
    assert asked["scope"] == READ_ONLY
    assert (asked["access_type"], asked["prompt"]) == ("offline", "consent")
    assert asked["redirect_uri"].startswith("http://127.0.0.1:")
    [exchange] = [request.query for request in google.requests if request.kind == "token"]
    digest = hashlib.sha256(exchange["code_verifier"].encode()).digest()
    assert asked["code_challenge"] == base64.urlsafe_b64encode(digest).decode().rstrip("=")
    assert asked["code_challenge_method"] == "S256"
    assert len(asked["state"]) >= 43
    assert exchange["redirect_uri"] == asked["redirect_uri"]
    assert "client_secret" not in asked


def test_every_question_has_secrets_of_its_own(desk: Desk) -> None:
    desk.ask()
    desk.ask()

    first, second = map(query_of, desk.shown)
    assert first["state"] != second["state"]
    assert first["code_challenge"] != second["code_challenge"]


def test_a_folder_for_the_token_is_made_for_its_owner_alone(desk: Desk, tmp_path: Path) -> None:
    desk.token_file = tmp_path / "config" / "app" / "token.json"

    desk.ask()

    assert desk.token_file.parent.stat().st_mode & 0o777 == 0o700


def test_an_account_that_drive_does_not_name_is_kept_all_the_same_and_that_is_said(
    google: FakeDrive, desk: Desk
) -> None:
    google.fail("/drive/v3/about", 403, "accessNotConfigured")

    assert desk.ask().account == ""

    [said] = desk.said
    assert "accessNotConfigured" in said
    assert "enable" in said
    assert read_token(desk.token_file).refresh_token


# ── whose answer counts ──────────────────────────────────────────────────────


def test_strays_are_answered_and_forgotten(desk: Desk) -> None:
    statuses: list[int] = []

    def person(url: str) -> None:
        back = consent(url)
        root = back.partition("?")[0]
        strays = (
            root,
            f"{root}favicon.ico",
            f"{root}?code=4/0Stolen",
            f"{root}?code=4/0Stolen&state=guess",
            f"{root}?error=access_denied",
            f"{root}?state={query_of(url)['state']}",
            with_query(back, state=query_of(back)["state"][:-1]),
            with_query(back, state="état"),
            back.replace("/?", "/other?"),
        )
        statuses.extend(visit(url)[0] for url in (*strays, back))

    assert desk.ask(person).account == "anna@example.com"
    assert statuses == [400, 404, 400, 400, 400, 400, 400, 400, 404, 200]


def test_a_connection_that_says_nothing_keeps_nobody_waiting(desk: Desk) -> None:
    def person(url: str) -> None:
        back = consent(url)
        parts = urlsplit(back)
        with socket.create_connection((parts.hostname or "", parts.port or 0)):
            visit(back)

    assert desk.ask(person).account == "anna@example.com"


def test_nothing_but_get_is_served(desk: Desk) -> None:
    statuses = []

    def person(url: str) -> None:
        back = consent(url)
        parts = urlsplit(back)
        connection = HTTPConnection("127.0.0.1", parts.port)
        connection.request("POST", f"/?{parts.query}")
        statuses.append(connection.getresponse().status)
        connection.close()
        visit(back)

    desk.ask(person)

    assert statuses == [501]


def test_only_this_machine_is_listened_to(desk: Desk) -> None:
    def person(url: str) -> None:
        port = urlsplit(query_of(url)["redirect_uri"]).port
        with socket.socket() as probe:  # free on every other address of this machine
            probe.bind(("127.0.0.2", port or 0))
        visit(consent(url))

    desk.ask(person)


def test_a_page_of_ours_is_neither_stored_nor_tells_where_it_was(desk: Desk) -> None:
    headers: dict[str, str] = {}

    def person(url: str) -> None:
        parts = urlsplit(consent(url))
        connection = HTTPConnection("127.0.0.1", parts.port)
        connection.request("GET", f"/?{parts.query}")
        response = connection.getresponse()
        headers.update(response.getheaders())
        response.read()
        connection.close()

    desk.ask(person)

    assert headers["Cache-Control"] == "no-store"
    assert headers["Referrer-Policy"] == "no-referrer"


def test_the_port_can_be_chosen_and_one_in_use_is_refused(desk: Desk) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        error = desk.refused(visit, SettingsError, port=port)
    assert str(port) in error.message

    desk.ask(port=port)

    assert query_of(desk.shown[-1])["redirect_uri"] == f"http://127.0.0.1:{port}/"


# ── pasting ──────────────────────────────────────────────────────────────────


def test_the_address_may_be_pasted_after_attempts_that_are_not_it(desk: Desk) -> None:
    reading, writing = os.pipe()

    def person(url: str) -> None:
        back = consent(url)
        wrong = with_query(back, state="guess")
        lines = ["", "hello", "http://[", wrong, back[:40], back]
        os.write(writing, "\n".join(lines).encode())
        os.close(writing)

    try:
        assert desk.ask(person, pasted=reading).account == "anna@example.com"
    finally:
        os.close(reading)
    assert len(desk.said) == 4
    assert all("paste all of it" in said for said in desk.said)


def test_an_end_of_pasting_is_no_end_of_waiting(desk: Desk) -> None:
    reading, writing = os.pipe()
    os.close(writing)

    try:
        assert desk.ask(pasted=reading).account == "anna@example.com"
    finally:
        os.close(reading)


# ── when it goes wrong ───────────────────────────────────────────────────────


def test_nobody_answering_ends_in_time(desk: Desk) -> None:
    error = desk.refused(lambda _: None, SourceAuthError, seconds=0.3)

    assert "0.3 seconds" in error.message
    assert "--no-browser" in error.hint


def test_a_person_who_declines_is_taken_at_their_word(google: FakeDrive, desk: Desk) -> None:
    google.tokens.accounts.sign_in("anna@example.com", declines=True)

    error = desk.refused(lambda url: visit(consent(url)), SourceAuthError)

    assert "declined" in error.message
    assert "not given" in str(desk.done)
    assert google.counts()["token"] == 0


def test_a_code_that_was_used_before_is_refused(google: FakeDrive, desk: Desk) -> None:
    def person(url: str) -> None:
        back = consent(url)
        google.tokens.accounts._codes.pop(query_of(back)["code"])
        visit(back)

    assert "invalid_grant" in desk.refused(person, SourceAuthError).message


def test_a_code_of_another_question_is_refused(google: FakeDrive, desk: Desk) -> None:
    """Somebody else's code, under the right state: what PKCE is for."""

    def person(url: str) -> None:
        theirs = consent(with_query(url, code_challenge="x" * 43))
        visit(theirs)

    error = desk.refused(person, SourceAuthError)

    assert "Invalid code verifier" in error.message


def test_a_consent_without_the_right_to_read_is_refused(google: FakeDrive, desk: Desk) -> None:
    google.tokens.accounts.sign_in("anna@example.com", ticked=frozenset({"openid"}))

    error = desk.refused(lambda url: visit(consent(url)), SourceAuthError)

    assert "no right to read Drive" in error.message


def test_a_consent_that_would_end_within_the_hour_is_refused(google: FakeDrive, desk: Desk) -> None:
    google.tokens.accounts.forgets_refresh_tokens = True

    error = desk.refused(lambda url: visit(consent(url)), SourceAuthError)

    assert "refresh token" in error.message
    assert "https://myaccount.google.com/connections" in error.hint


def test_a_broader_consent_is_said_and_neither_kept_nor_used(google: FakeDrive, desk: Desk) -> None:
    broad = "https://www.googleapis.com/auth/drive"
    google.tokens.accounts.sign_in("anna@example.com", ticked=frozenset({READ_ONLY, broad}))

    assert desk.ask().scopes == (READ_ONLY,)

    [said] = desk.said
    assert broad in said
    kept = json.loads(desk.token_file.read_text(encoding="utf-8"))
    assert kept["scopes"] == [READ_ONLY]
    assert "token" not in kept


def test_a_token_endpoint_that_breaks_off_is_an_outage(google: FakeDrive, desk: Desk) -> None:
    google.reset("POST /token")

    error = desk.refused(lambda url: visit(consent(url)), SourceUnavailableError)

    assert "127.0.0.1 cannot be reached" in error.message


@pytest.mark.parametrize("body", [b"<html>", b"[]", b'{"access_token": 7}', b'{"error": [1]}'])
def test_a_token_endpoint_that_makes_no_sense_is_refused_without_blaming_the_consent(
    google: FakeDrive, desk: Desk, body: bytes
) -> None:
    google.fail("POST /token", 200, body=body)

    error = desk.refused(lambda url: visit(consent(url)), SourceUnavailableError)

    assert error.message.startswith("Google's sign-in at 127.0.0.1 answered")
    assert "HTTPS_PROXY" in error.hint


@pytest.mark.parametrize("token", ["two\r\nlines", "caf\u00e9", ""])
def test_a_token_that_cannot_be_sent_is_not_kept(google: FakeDrive, desk: Desk, token: str) -> None:
    body = {"access_token": token, "refresh_token": "1//r", "expires_in": 3600}
    google.fail("POST /token", 200, body=json.dumps(body).encode())

    error = desk.refused(lambda url: visit(consent(url)), SourceUnavailableError)

    assert "without a token that can be used" in error.message


def test_what_the_endpoint_echoes_of_our_secrets_is_not_shown(
    google: FakeDrive, desk: Desk
) -> None:
    secret = google.tokens.accounts.client_secret
    body = {"error": "invalid_client", "error_description": f"not {secret}\x1b[2J for you"}
    google.fail("POST /token", 401, body=json.dumps(body).encode())

    error = desk.refused(lambda url: visit(consent(url)), SourceAuthError)

    assert "invalid_client: not … for you" in error.message.replace("[2J", "")
    assert "\x1b" not in error.message


def test_a_redirect_of_the_token_endpoint_is_not_followed(google: FakeDrive, desk: Desk) -> None:
    from dataclasses import replace

    google.alter(
        "POST /token",
        lambda answer: replace(answer, status=307, headers={"Location": f"{google.url}/elsewhere"}),
    )

    desk.refused(lambda url: visit(consent(url)), SourceUnavailableError)

    assert not any("/elsewhere" in request.line for request in google.requests)


def test_a_consent_does_not_take_the_place_of_what_is_no_regular_file(desk: Desk) -> None:
    os.mkfifo(desk.token_file)

    with pytest.raises(SettingsError, match="no regular file"):
        desk.ask()

    assert desk.token_file.is_fifo()
    assert desk.shown == []


def test_nobody_is_asked_for_a_consent_that_could_not_be_kept(desk: Desk) -> None:
    desk.token_file.mkdir()

    with pytest.raises(SettingsError, match="cannot be written") as caught:
        desk.ask()

    assert "GOOGLE_OAUTH_TOKEN_FILE" in caught.value.hint
    assert desk.shown == []


def test_an_old_consent_stays_where_a_new_one_fails(google: FakeDrive, desk: Desk) -> None:
    desk.ask()
    before = desk.token_file.read_bytes()
    google.tokens.accounts.sign_in("ben@example.com", declines=True)

    with pytest.raises(SourceAuthError, match="declined"):
        desk.ask()

    assert desk.token_file.read_bytes() == before


# ── the client's file ────────────────────────────────────────────────────────


def client_file(folder: Path, content: object) -> Path:
    path = folder / "client.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


_CLIENT = {"client_id": "1", "client_secret": "hunter2"}


def test_a_web_client_comes_back_to_what_is_registered_to_the_letter(
    google: FakeDrive, desk: Desk
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    web = json.loads(desk.client_file.read_text(encoding="utf-8"))["installed"]
    registered = f"http://localhost:{port}/oauth/back"
    web["redirect_uris"] = ["https://example.com/back", registered]
    desk.client_file.write_text(json.dumps({"web": web}), encoding="utf-8")

    def person(url: str) -> None:
        visit(consent(url).replace("localhost", "127.0.0.1"))

    assert desk.ask(person).account == "anna@example.com"
    assert query_of(desk.shown[0])["redirect_uri"] == registered
    with pytest.raises(SettingsError, match="not registered") as caught:
        desk.ask(port=port + 1)
    assert str(port) in caught.value.hint


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ([1], "holds no JSON object"),
        ({"type": "service_account", "private_key": "hunter2"}, "is the key of a service account"),
        ({"type": "authorized_user", "refresh_token": "hunter2"}, "token of a Google account"),
        ({"installed": "hunter2"}, "OAuth client"),
        ({"installed": {"client_id": "1"}}, "lacks client_secret"),
        ({"web": _CLIENT}, "without a redirect to this machine"),
        ({"web": {**_CLIENT, "redirect_uris": [7, "http://[", "https://localhost/"]}}, "redirect"),
    ],
)
def test_a_file_that_is_no_usable_client_says_what_it_is(
    tmp_path: Path, content: object, problem: str
) -> None:
    path = client_file(tmp_path, content)

    with pytest.raises(SourceAuthError, match=problem) as caught:
        read_client(path)

    assert str(path) in caught.value.message
    assert "Desktop app" in caught.value.hint
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("name", ["auth_uri", "token_uri"])
def test_an_endpoint_of_the_client_that_can_be_overheard_is_refused(
    tmp_path: Path, name: str
) -> None:
    path = client_file(tmp_path, {"installed": {**_CLIENT, name: "http://example.com/x"}})

    with pytest.raises(SettingsError, match=name):
        read_client(path)


def test_a_client_that_is_printed_shows_no_secret(tmp_path: Path) -> None:
    assert "hunter2" not in repr(read_client(client_file(tmp_path, {"installed": _CLIENT})))
