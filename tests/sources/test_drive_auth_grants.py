"""What was really granted: a consent that cannot read Drive is none, and replaces nothing."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from gdrive_rag_mcp.errors import SettingsError, SourceAuthError, SourceUnavailableError
from gdrive_rag_mcp.sources.drive_auth import READ_ONLY
from gdrive_rag_mcp.sources.drive_grant import token_for
from gdrive_rag_mcp.sources.drive_oauth_client import read_client
from gdrive_rag_mcp.sources.drive_token_file import read_token
from gdrive_rag_mcp.testing.fake_drive import FakeDrive
from gdrive_rag_mcp.testing.fake_drive.answers import Answer
from gdrive_rag_mcp.testing.fake_drive.browser import consent, visit
from tests.sources.desk import Desk
from tests.sources.trickle import Trickle

ANNA, BOB = "anna@example.com", "bob@example.com"


def refused_over_a_working_consent(desk: Desk) -> SourceAuthError:
    """Ask once more, which is refused, and see that what worked before is still there."""
    before = desk.token_file.read_bytes()
    with pytest.raises(SourceAuthError) as caught:
        desk.ask()
    assert desk.token_file.read_bytes() == before
    return caught.value


def saying_of_scope(value: object) -> Callable[[Answer], Answer]:
    """The token endpoint's answer with another `scope`."""

    def changed(answer: Answer) -> Answer:
        content = {**json.loads(answer.body), "scope": value}
        return replace(answer, body=json.dumps(content).encode())

    return changed


def without_scope(answer: Answer) -> Answer:
    content = json.loads(answer.body)
    del content["scope"]
    return replace(answer, body=json.dumps(content).encode())


# ── nothing was ticked ───────────────────────────────────────────────────────


@pytest.mark.parametrize("ticked", [frozenset(), frozenset({"openid"})], ids=["nothing", "openid"])
def test_a_box_that_is_not_ticked_is_no_consent_and_the_earlier_one_stays(
    google: FakeDrive, desk: Desk, ticked: frozenset[str]
) -> None:
    desk.ask()
    google.tokens.accounts.sign_in(ANNA, ticked=ticked)

    error = refused_over_a_working_consent(desk)

    assert "no right to read Drive" in error.message
    assert "tick the box" in error.hint


@pytest.mark.parametrize("scope", ["", " ", None, 7, [], [READ_ONLY], {"scope": READ_ONLY}])
def test_a_scope_that_does_not_say_reading_is_not_taken_for_reading(
    google: FakeDrive, desk: Desk, scope: object
) -> None:
    desk.ask()
    google.alter("POST /token", saying_of_scope(scope))

    assert "no right to read Drive" in refused_over_a_working_consent(desk).message


def test_a_scope_that_is_left_out_is_the_one_that_was_asked_for(
    google: FakeDrive, desk: Desk
) -> None:
    google.alter("POST /token", without_scope)

    assert desk.ask().account == ANNA
    assert read_token(desk.token_file).scopes == (READ_ONLY,)


def test_a_scope_that_is_left_out_where_nothing_was_granted_is_found_out_by_asking_drive(
    google: FakeDrive, desk: Desk
) -> None:
    desk.ask()
    google.tokens.accounts.sign_in(ANNA, ticked=frozenset())
    google.alter("POST /token", without_scope)

    error = refused_over_a_working_consent(desk)

    assert "insufficientPermissions" in error.message
    assert "tick the box" in error.hint


@pytest.mark.parametrize(
    ("status", "reason"), [(403, "insufficientPermissions"), (401, "authError")]
)
def test_a_token_that_drive_refuses_is_not_kept(
    google: FakeDrive, desk: Desk, status: int, reason: str
) -> None:
    google.fail("/drive/v3/about", status, reason)

    error = desk.refused(lambda url: visit(consent(url)), SourceAuthError)

    assert str(status) in error.message
    assert "auth-google" in error.hint


@pytest.mark.parametrize("status", [403, 500])
def test_a_drive_that_is_not_to_be_asked_just_now_costs_nobody_their_consent(
    google: FakeDrive, desk: Desk, status: int
) -> None:
    google.fail("/drive/v3/about", status, "accessNotConfigured" if status == 403 else "")

    assert desk.ask().account == ""

    assert read_token(desk.token_file).refresh_token
    assert any("did not say whose account" in said for said in desk.said)


# ── whose consent is replaced ────────────────────────────────────────────────


def test_whoever_takes_over_a_consent_is_told_whose_it_was(google: FakeDrive, desk: Desk) -> None:
    assert desk.ask().replaced is None
    google.tokens.accounts.sign_in(BOB)

    given = desk.ask()

    assert (given.account, given.replaced) == (BOB, ANNA)
    assert read_token(desk.token_file).account == BOB


def test_agreeing_again_replaces_nobody(desk: Desk) -> None:
    desk.ask()

    assert desk.ask().replaced is None


def test_a_consent_without_a_name_is_told_to_be_replaced_too(google: FakeDrive, desk: Desk) -> None:
    google.tokens.write_token_file(desk.token_file, BOB, google.url, account="")

    assert desk.ask().replaced == ""


@pytest.mark.parametrize("left", ["", "{", "{}"], ids=["empty", "broken", "of nobody"])
def test_a_token_file_that_is_damaged_is_made_anew(desk: Desk, left: str) -> None:
    desk.token_file.write_text(left, encoding="utf-8")

    assert desk.ask().replaced is None
    assert read_token(desk.token_file).account == ANNA


def test_a_key_or_a_client_is_never_overwritten_with_a_consent(
    google: FakeDrive, desk: Desk, tmp_path: Path
) -> None:
    for other in (google.write_key_file(tmp_path / "key.json"), desk.client_file):
        desk.token_file = other
        before = other.read_bytes()

        with pytest.raises(SettingsError, match="would be lost") as caught:
            desk.ask()

        assert "GOOGLE_OAUTH_TOKEN_FILE" in caught.value.hint
        assert other.read_bytes() == before
    assert desk.shown == [], "nobody is asked for what could not be kept"


# ── how long somebody was waited for, and where ──────────────────────────────


def test_who_had_no_browser_opened_is_not_advised_to_go_without(desk: Desk) -> None:
    error = desk.refused(lambda _: None, SourceAuthError, seconds=0.3, pasted=None)

    assert "--no-browser" not in error.hint
    for advice in ("paste", "--timeout", "error of Google"):
        assert advice in error.hint


def test_a_port_that_only_the_client_chose_is_no_matter_of_the_option(desk: Desk) -> None:
    import socket

    web = json.loads(desk.client_file.read_text(encoding="utf-8"))["installed"]
    with socket.create_server(("127.0.0.1", 0)) as taken:
        web["redirect_uris"] = [f"http://localhost:{taken.getsockname()[1]}/"]
        desk.client_file.write_text(json.dumps({"web": web}), encoding="utf-8")

        error = desk.refused(visit, SettingsError)

    assert "--port" not in error.hint
    assert "Desktop app" in error.hint


# ── an answer without an end ─────────────────────────────────────────────────


def test_a_token_endpoint_that_trickles_is_given_up(
    google: FakeDrive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gdrive_rag_mcp.sources.drive_grant._SECONDS", 0.3)
    endpoint = Trickle(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n", b" ")
    client = read_client(google.tokens.write_client_file(tmp_path / "client.json", endpoint.url))
    try:
        with pytest.raises(SourceUnavailableError, match="does not answer") as caught:
            token_for(client, "code", "http://127.0.0.1/", "verifier", google.url, pytest.fail)
    finally:
        endpoint.close()

    assert "auth-google" in caught.value.hint
