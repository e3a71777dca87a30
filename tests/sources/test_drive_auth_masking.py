"""What is shown of a text that may quote the request it answers."""

import base64
from collections.abc import Callable
from urllib.parse import quote, quote_plus, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdrive_rag_mcp.sources.drive_masking import Secrets

SECRET = "GOCSPX-q/Zr+8Xw=T4 pL~m"
FORM = {"grant_type": "refresh_token", "client_id": "my-client-id", "client_secret": SECRET}
WAYS: dict[str, Callable[[str], str]] = {
    "raw": str,
    "quoted": lambda said: quote(said, safe=""),
    "quoted but for slashes": quote,
    "quoted as in a form": quote_plus,
    "quoted in small letters": lambda said: quote(said, safe="").lower(),
    "base64": lambda said: base64.b64encode(said.encode()).decode(),
    "URL-safe base64": lambda said: base64.urlsafe_b64encode(said.encode()).decode().rstrip("="),
    "base64 of more": lambda said: base64.b64encode(f"a={said}&b".encode()).decode(),
    "base64 of still more": lambda said: base64.b64encode(f"ab={said}".encode()).decode(),
    "its first half": lambda said: said[: len(said) // 2],
    "its last half": lambda said: said[len(said) // 2 :],
    "hexadecimal": lambda said: said.encode().hex(),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_secret_is_masked_however_it_is_written(way: str) -> None:
    written = WAYS[way](SECRET)
    secrets = Secrets.of_request(urlencode(FORM).encode(), {})

    shown = secrets.masked(f"You sent {written} to us")

    assert shown.startswith("You sent ")
    assert shown.endswith(" to us")
    assert "…" in shown
    assert not any(written[start : start + 8] in shown for start in range(len(written) - 7)), shown


def test_what_is_no_secret_of_a_request_is_shown() -> None:
    secrets = Secrets.of_request(urlencode(FORM), {})

    said = "refresh_token of my-client-id for a.robot@some-project.iam.gserviceaccount.com is old"

    assert secrets.masked(said) == said


@pytest.mark.parametrize(
    ("body", "headers", "secret"),
    [
        (b'{"code": "4/0AbCdEfGh", "lifetime": "3600s"}', {}, "4/0AbCdEfGh"),
        (b"assertion=eyJhbGciOi.eyJpc3MiOi.c2lnbmF0dXJl", {}, "c2lnbmF0dXJl"),
        (None, {"authorization": "Bearer ya29.a0AfH6SMB"}, "ya29.a0AfH6SMB"),
        (
            "subject_token=abc",
            {"Authorization": f"Basic {base64.b64encode(b'client:hunter2-secret').decode()}"},
            "hunter2-secret",
        ),
    ],
    ids=["object", "assertion", "bearer", "client"],
)
def test_secrets_are_found_wherever_a_request_carries_them(
    body: object, headers: dict[str, str], secret: str
) -> None:
    shown = Secrets.of_request(body, headers).masked(f"no {secret} here")

    assert shown == "no … here"


def test_control_characters_do_not_hide_a_secret() -> None:
    assert "hunter2" not in Secrets(["hunter2-secret"]).masked("hun\x00ter2-\x1bsecret")


@given(st.text(min_size=8, max_size=60), st.text(max_size=30), st.text(max_size=30))
def test_no_secret_of_any_letters_survives(secret: str, before: str, after: str) -> None:
    shown = Secrets([secret]).masked(before + secret + after)

    assert secret not in shown
