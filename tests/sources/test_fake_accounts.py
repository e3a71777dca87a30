"""The fake's token endpoint is as strict as Google's: nothing but the right question is granted."""

import base64
import hashlib
import json
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from gdrive_rag_mcp.testing.fake_drive.grants import READ_ONLY
from gdrive_rag_mcp.testing.fake_drive.tokens import TokenEndpoint

ANNA = "anna@example.com"
REDIRECT = "http://127.0.0.1:8765/"
VERIFIER = "v" * 43
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode()[:-1]


@pytest.fixture
def tokens() -> TokenEndpoint:
    return TokenEndpoint("index@example.com")


def question(tokens: TokenEndpoint, **changed: str) -> dict[str, str]:
    asked = {
        "client_id": tokens.accounts.client_id,
        "redirect_uri": REDIRECT,
        "response_type": "code",
        "scope": READ_ONLY,
        "state": "s",
        "code_challenge": CHALLENGE,
        "code_challenge_method": "S256",
        "access_type": "offline",
        "prompt": "consent",
    }
    return {name: value for name, value in (asked | changed).items() if value}


def code_of(tokens: TokenEndpoint, **changed: str) -> str:
    answer = tokens.authorize(question(tokens, **changed))
    assert answer.status == 302
    return dict(parse_qsl(urlsplit(answer.headers["Location"]).query))["code"]


def exchange(tokens: TokenEndpoint, given: str, **changed: str) -> dict[str, Any]:
    form = {
        "grant_type": "authorization_code",
        "code": given,
        "client_id": tokens.accounts.client_id,
        "client_secret": tokens.accounts.client_secret,
        "redirect_uri": REDIRECT,
        "code_verifier": VERIFIER,
    }
    return answered(tokens, form | changed)


def refresh(tokens: TokenEndpoint, token: str, **changed: str) -> dict[str, Any]:
    form = {
        "grant_type": "refresh_token",
        "refresh_token": token,
        "client_id": tokens.accounts.client_id,
        "client_secret": tokens.accounts.client_secret,
    }
    return answered(tokens, form | changed)


def answered(tokens: TokenEndpoint, form: dict[str, str]) -> dict[str, Any]:
    answer = tokens.grant(form)
    content: dict[str, Any] = json.loads(answer.body)
    assert ("error" in content) == (answer.status != 200)
    return content


def bearer(granted: dict[str, Any]) -> str:
    return f"Bearer {granted['access_token']}"


def test_a_code_becomes_tokens_of_whoever_agreed(tokens: TokenEndpoint) -> None:
    granted = exchange(tokens, code_of(tokens))

    assert tokens.principal(bearer(granted)) == ANNA
    assert tokens.may_read(bearer(granted))
    assert granted["scope"] == READ_ONLY
    assert granted["refresh_token"]


@pytest.mark.parametrize(
    "changed",
    [
        {"client_id": "other"},
        {"redirect_uri": "http://example.com/"},
        {"redirect_uri": "https://127.0.0.1/"},
        {"redirect_uri": ""},
        {"response_type": "token"},
        {"scope": ""},
        {"code_challenge": ""},
        {"code_challenge_method": "plain"},
    ],
)
def test_a_wrong_question_never_reaches_the_consent_screen(
    tokens: TokenEndpoint, changed: dict[str, str]
) -> None:
    answer = tokens.authorize(question(tokens, **changed))

    assert answer.status == 400
    assert "Location" not in answer.headers


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"code": "4/0guess"}, "invalid_grant"),
        ({"redirect_uri": "http://127.0.0.1:1/"}, "redirect_uri_mismatch"),
        ({"code_verifier": ""}, "invalid_grant"),
        ({"code_verifier": "w" * 43}, "invalid_grant"),
        ({"client_id": "other"}, "invalid_client"),
        ({"client_secret": "guess"}, "invalid_client"),
        ({"grant_type": "password"}, "unsupported_grant_type"),
    ],
)
def test_a_code_is_worth_nothing_with_anything_else_than_it_was_given_for(
    tokens: TokenEndpoint, changed: dict[str, str], error: str
) -> None:
    assert exchange(tokens, code_of(tokens), **changed)["error"] == error


def test_a_verifier_that_is_too_short_is_refused(tokens: TokenEndpoint) -> None:
    digest = hashlib.sha256(b"short").digest()
    code = code_of(tokens, code_challenge=base64.urlsafe_b64encode(digest).decode().rstrip("="))

    assert exchange(tokens, code, code_verifier="short")["error"] == "invalid_grant"


def test_a_code_works_once_and_its_second_use_takes_back_what_it_gave(
    tokens: TokenEndpoint,
) -> None:
    code = code_of(tokens)
    granted = exchange(tokens, code)

    assert exchange(tokens, code)["error"] == "invalid_grant"
    assert refresh(tokens, granted["refresh_token"])["error"] == "invalid_grant"


@pytest.mark.parametrize(
    ("changed", "again"),
    [({"access_type": ""}, False), ({"prompt": ""}, True)],
    ids=["online", "without a prompt"],
)
def test_a_refresh_token_is_given_offline_and_to_whoever_is_asked(
    tokens: TokenEndpoint, changed: dict[str, str], *, again: bool
) -> None:
    if again:  # without a prompt only the first consent has one
        assert "refresh_token" in exchange(tokens, code_of(tokens, **changed))

    assert "refresh_token" not in exchange(tokens, code_of(tokens, **changed))


def test_a_refresh_token_gives_tokens_of_the_same_person(tokens: TokenEndpoint) -> None:
    granted = refresh(tokens, tokens.accounts.hand_out("ben@example.com"))

    assert tokens.principal(bearer(granted)) == "ben@example.com"
    assert "refresh_token" not in granted


def test_a_rotated_refresh_token_replaces_the_old_one(tokens: TokenEndpoint) -> None:
    tokens.accounts.rotates = True
    old = tokens.accounts.hand_out(ANNA)

    new = refresh(tokens, old)["refresh_token"]

    assert refresh(tokens, old)["error_description"] == "Token has been expired or revoked."
    assert "access_token" in refresh(tokens, new)


def test_more_than_was_agreed_to_is_not_granted(tokens: TokenEndpoint) -> None:
    token = tokens.accounts.hand_out(ANNA, frozenset({"openid"}))

    assert refresh(tokens, token, scope=READ_ONLY)["error"] == "invalid_scope"
    granted = refresh(tokens, token)
    assert tokens.accepts(bearer(granted))
    assert not tokens.may_read(bearer(granted))


def test_a_refresh_token_of_another_client_is_refused(tokens: TokenEndpoint) -> None:
    token = tokens.accounts.hand_out(ANNA, client_id="other.apps.googleusercontent.com")

    assert refresh(tokens, token)["error"] == "unauthorized_client"


@pytest.mark.parametrize("taken_back", ["refresh_token", "access_token"])
def test_what_is_revoked_ends_the_consent(tokens: TokenEndpoint, taken_back: str) -> None:
    granted = exchange(tokens, code_of(tokens))

    assert tokens.revoke_token({"token": granted[taken_back]}).status == 200

    assert not tokens.accepts(bearer(granted))
    assert refresh(tokens, granted["refresh_token"])["error"] == "invalid_grant"
    assert tokens.revoke_token({"token": granted["refresh_token"]}).status == 400


def test_access_tokens_end_for_one_or_for_all(tokens: TokenEndpoint) -> None:
    anna, ben = (
        bearer(refresh(tokens, tokens.accounts.hand_out(name))) for name in (ANNA, "ben@x.org")
    )

    tokens.expire(ANNA)
    assert (tokens.accepts(anna), tokens.accepts(ben)) == (False, True)
    tokens.expire()
    assert not tokens.accepts(ben)


def test_a_token_ends_by_itself(tokens: TokenEndpoint) -> None:
    tokens.access.lifetime = 0

    granted = refresh(tokens, tokens.accounts.hand_out(ANNA))

    assert granted["expires_in"] == 0
    assert tokens.principal(bearer(granted)) is None


def test_no_header_of_another_kind_is_a_token(tokens: TokenEndpoint) -> None:
    granted = refresh(tokens, tokens.accounts.hand_out(ANNA))

    for header in ("", "Bearer", granted["access_token"], f"Basic {granted['access_token']}"):
        assert tokens.principal(header) is None
