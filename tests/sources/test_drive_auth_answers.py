"""What a token endpoint answers: what is concluded of it, what is shown, and what is kept."""

import base64
import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest

from gdrive_rag_mcp.errors import SourceAuthError, SourceError, SourceUnavailableError
from gdrive_rag_mcp.sources.drive_account import whoami
from gdrive_rag_mcp.sources.drive_auth import Identity
from gdrive_rag_mcp.sources.drive_credentials import CredentialFiles, identify
from gdrive_rag_mcp.sources.drive_pacing import Patience
from gdrive_rag_mcp.testing.fake_drive import FakeDrive
from tests.sources.scripted_google import Asked, Reply, ScriptedGoogle, scripted

ECHOES = 40
ONCE = Patience(attempts=1)
CLIENT_SECRET = "GOCSPX-hunter2/secret+x"
REFRESH_TOKEN = "1//0refresh-token-of-anna"
WAYS = ("service account", "person", "gcloud's person", "machine's key", "impersonated")
ME = Reply(body=b'{"user": {"emailAddress": "anna@example.com"}}')
Identify = Callable[[ScriptedGoogle, str], Identity]


@pytest.fixture
def identify_by(tmp_path: Path) -> Identify:
    """An identity of one of the ways, whose tokens come from a scripted endpoint."""

    def made(google: ScriptedGoogle, way: str) -> Identity:
        uri = f"{google.url}/token"
        key, path = tmp_path / "key.json", tmp_path / "credentials.json"
        with FakeDrive() as fake:
            fake.tokens.write_key_file(key, uri)
        person = {
            "type": "authorized_user",
            "account": "anna@example.com",
            "client_id": "client",
            "client_secret": CLIENT_SECRET,
            "refresh_token": REFRESH_TOKEN,
            "token_uri": uri,
        }
        impersonated = {
            "type": "impersonated_service_account",
            "source_credentials": json.loads(key.read_text(encoding="utf-8")),
            "service_account_impersonation_url": f"{google.url}/v1/projects/-/serviceAccounts/"
            "reader@example.com:generateAccessToken",
        }
        content = impersonated if way == "impersonated" else person
        path.write_text(json.dumps(content), encoding="utf-8")
        path.chmod(0o600)
        if way == "service account":
            return identify(CredentialFiles(service_account=key), {})
        if way == "person":
            return identify(CredentialFiles(oauth_token=path), {})
        named = key if way == "machine's key" else path
        return identify(CredentialFiles(), {"GOOGLE_APPLICATION_CREDENTIALS": str(named)})

    return made


def answering(token: Callable[[Asked], Reply]) -> AbstractContextManager[ScriptedGoogle]:
    """A server whose token endpoint answers so, and whose Drive knows everybody."""
    return scripted(lambda asked: token(asked) if asked.method == "POST" else ME)


def echoes(sent: str) -> Iterator[Reply]:
    """Refusals that quote what they refuse."""
    quoted = base64.b64encode(sent.encode()).decode()
    for said in (sent, quoted, str(parse_qsl(sent)), sent[:300]):
        for code in ("invalid_grant", "invalid_client", "weird", f"bad {said}", said):
            body = {"error": code, "error_description": f"you sent {said}"}
            yield Reply(400, json.dumps(body).encode())
        yield Reply(403, json.dumps({"error": {"code": 403, "message": said}}).encode())
        yield Reply(400, f"<html><title>{said}</title>{said}</html>".encode())
        yield Reply(400, said.encode(), {"Content-Type": f"text/{said[:30]}"})
        yield Reply(200, json.dumps({"error": said, "token": said}).encode())
        yield Reply(200, json.dumps(said).encode())


def refusal(identity: Identity, google: ScriptedGoogle) -> SourceError:
    with pytest.raises(SourceError) as caught:
        whoami(identity, endpoint=google.url, patience=ONCE)
    return caught.value


@pytest.mark.parametrize("way", WAYS)
def test_nothing_of_the_request_is_shown_whatever_the_endpoint_says_back(
    identify_by: Identify, way: str
) -> None:
    sent: list[str] = []

    def echo(asked: Asked) -> Reply:
        sent.append(asked.body.decode())
        return list(echoes(sent[-1]))[len(sent) - 1]

    with answering(echo) as google:
        identity = identify_by(google, way)
        for _ in range(ECHOES):
            error = refusal(identity, google)
            assert_nothing_of(sent[-1], f"{error} {error!r} {error.__cause__}")

    assert len(list(echoes(sent[-1]))) == len(sent) == ECHOES


def assert_nothing_of(sent: str, shown: str) -> None:
    secrets = [CLIENT_SECRET, REFRESH_TOKEN, dict(parse_qsl(sent)).get("assertion", "")]
    for secret in filter(None, secrets):
        windows = {secret[start : start + 10] for start in range(len(secret) - 9)}
        assert not any(window in shown for window in windows), shown
    assert "GOCSPX" not in shown
    assert base64.b64encode(sent.encode()).decode()[60:90] not in shown


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "reply",
    [
        Reply(400, b"<html>Blocked by policy</html>", {"Content-Type": "text/html"}),
        Reply(403, b"<html>Sign in to the hotel</html>", {"Content-Type": "text/html"}),
        Reply(307, b"", {"Location": "https://proxy.example/"}),
        Reply(302, b"", {"Location": "/login"}),
        Reply(403, b""),
        Reply(401, b"denied"),
        Reply(403, b'{"error": "blocked", "policy": 7}'),
        Reply(403, b'{"message": "no"}'),
        Reply(400, b'{"error": ["invalid_grant"]}'),
        Reply(200, b"<html>Sign in</html>", {"Content-Type": "text/html"}),
        Reply(200, b'{"foo": 1}'),
        Reply(200, b""),
        Reply(200, b"[]"),
    ],
    ids=lambda reply: f"{reply.status} {reply.body[:24]!r}",
)
def test_an_answer_that_is_not_googles_says_nothing_of_the_credentials(
    identify_by: Identify, way: str, reply: Reply
) -> None:
    with answering(lambda _: reply) as google:
        error = refusal(identify_by(google, way), google)

    assert isinstance(error, SourceUnavailableError)
    assert "auth-google" not in str(error)
    assert "sign-in" in error.message or "token endpoint" in error.message
    assert error.hint
    if reply.status != 200:
        assert str(reply.status) in error.message
        assert "proxy" in error.hint


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "code", ["invalid_grant", "invalid_client", "unauthorized_client", "deleted_client"]
)
def test_googles_own_no_decides_and_is_shown(identify_by: Identify, way: str, code: str) -> None:
    body = {"error": code, "error_description": "Token has been expired or revoked."}
    with answering(lambda _: Reply(400, json.dumps(body).encode())) as google:
        error = refusal(identify_by(google, way), google)

    assert isinstance(error, SourceAuthError)
    assert f"{code}: Token has been expired or revoked." in error.message


def test_a_no_without_a_word_shows_its_code_alone(identify_by: Identify) -> None:
    with answering(lambda _: Reply(400, b'{"error": "invalid_grant"}')) as google:
        error = refusal(identify_by(google, "person"), google)

    assert "invalid_grant" in error.message
    assert "None" not in error.message


# ── tokens that cannot be sent ───────────────────────────────────────────────

UNUSABLE = ["A\r\nX-Evil: 1", "caf\u00e9", "line\u2028end", "two words", 12345, "", None, ["x"]]


def token(value: object, **more: object) -> Reply:
    body = {"access_token": value, "expires_in": 3600, "token_type": "Bearer", **more}
    return Reply(body=json.dumps(body).encode())


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("value", UNUSABLE, ids=repr)
def test_a_token_that_cannot_be_sent_is_a_damaged_answer(
    identify_by: Identify, way: str, value: object
) -> None:
    with answering(lambda _: token(value)) as google:
        error = refusal(identify_by(google, way), google)

    assert isinstance(error, SourceUnavailableError)
    assert "Evil" not in str(error)


@pytest.mark.parametrize("value", UNUSABLE, ids=repr)
def test_a_token_that_cannot_be_sent_is_never_kept_and_the_next_run_asks_again(
    identify_by: Identify, tmp_path: Path, value: object
) -> None:
    replies = [token(value), token("fine")]
    with answering(lambda _: replies.pop(0)) as google:
        person = identify_by(google, "person")
        before = (tmp_path / "credentials.json").read_bytes()
        refusal(person, google)
        assert (tmp_path / "credentials.json").read_bytes() == before

        again = identify(CredentialFiles(oauth_token=tmp_path / "credentials.json"), {})
        assert whoami(again, endpoint=google.url, patience=ONCE) == "anna@example.com"

    assert kept(tmp_path)["token"] == "fine"


@pytest.mark.parametrize("rotated", ["a\nb", 7, ["x"]], ids=repr)
def test_a_rotated_refresh_token_that_is_damaged_does_not_replace_the_good_one(
    identify_by: Identify, tmp_path: Path, rotated: object
) -> None:
    with answering(lambda _: token("fine", refresh_token=rotated)) as google:
        refusal(identify_by(google, "person"), google)

    assert kept(tmp_path)["refresh_token"] == REFRESH_TOKEN


@pytest.mark.parametrize("value", UNUSABLE, ids=repr)
def test_a_token_that_lies_in_the_file_and_cannot_be_sent_is_renewed(
    identify_by: Identify, tmp_path: Path, value: object
) -> None:
    path = tmp_path / "credentials.json"
    ends = (datetime.now(UTC) + timedelta(hours=1)).replace(tzinfo=None, microsecond=0)
    with answering(lambda _: token("fine")) as google:
        identify_by(google, "person")
        content = {**kept(tmp_path), "token": value, "expiry": f"{ends.isoformat()}Z"}
        path.write_text(json.dumps(content), encoding="utf-8")

        person = identify(CredentialFiles(oauth_token=path), {})
        assert whoami(person, endpoint=google.url, patience=ONCE) == "anna@example.com"

    assert google.headers("authorization")[-1] == "Bearer fine"
    assert kept(tmp_path)["token"] == "fine"


def kept(folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / "credentials.json").read_text(encoding="utf-8"))
    return content
