"""Whom Drive takes an identity for, without any folder, and why it cannot be asked."""

import socket
import ssl
from pathlib import Path
from threading import Thread

import pytest
import requests

from gdrive_rag_mcp.errors import SourceAuthError, SourceUnavailableError
from gdrive_rag_mcp.sources.drive_account import whoami
from gdrive_rag_mcp.sources.drive_auth import Identity
from gdrive_rag_mcp.sources.drive_credentials import CredentialFiles, identify
from gdrive_rag_mcp.sources.drive_pacing import Patience
from gdrive_rag_mcp.sources.drive_reach import why_unreachable
from gdrive_rag_mcp.testing.fake_drive import FakeDrive

ONCE = Patience(attempts=1)
NOWHERE = "no-such-host.invalid"


@pytest.fixture
def robot(google: FakeDrive, tmp_path: Path) -> Identity:
    """A service account."""
    return identify(CredentialFiles(google.write_key_file(tmp_path / "key.json")), {})


@pytest.fixture
def person(google: FakeDrive, tmp_path: Path) -> Identity:
    """Somebody who has agreed."""
    return identify(CredentialFiles(oauth_token=token_file(google, tmp_path)), {})


def token_file(google: FakeDrive, folder: Path) -> Path:
    return google.tokens.write_token_file(folder / "token.json", google.email, google.url)


def failure_of(url: str, proxy: str | None = None) -> str:
    """Why this address is not to be had, in words."""
    with requests.Session() as session:
        session.trust_env = False
        session.proxies = {"https": proxy} if proxy else {}
        with pytest.raises(OSError) as caught:  # noqa: PT011 -- what kind is the question
            session.get(url, timeout=5)
    return why_unreachable(caught.value) or ""


def unknown_name(*_: object) -> list[object]:
    raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")


def unused_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


# ── who it is ────────────────────────────────────────────────────────────────


def test_an_identity_is_named_by_drive_and_no_folder_is_asked_for(
    google: FakeDrive, robot: Identity
) -> None:
    assert whoami(robot, endpoint=google.url) == google.email
    assert {request.kind for request in google.requests} == {"token", "about"}


def test_credentials_that_are_refused_are_an_error_with_their_remedy(
    google: FakeDrive, robot: Identity
) -> None:
    google.tokens.revoke()

    with pytest.raises(SourceAuthError, match="account not found") as caught:
        whoami(robot, endpoint=google.url)

    assert caught.value.hint == robot.remedy


def test_a_person_who_did_not_tick_the_box_is_told_to_agree_again(
    google: FakeDrive, person: Identity
) -> None:
    google.fail("/drive/v3/about", 403, "insufficientPermissions")

    with pytest.raises(SourceAuthError, match="insufficientPermissions") as caught:
        whoami(person, endpoint=google.url)

    assert "auth-google" in caught.value.hint
    assert "tick the box" in caught.value.hint


def test_a_consent_that_was_given_for_something_else_is_told_in_the_same_way(
    google: FakeDrive, tmp_path: Path
) -> None:
    refresh_token = google.tokens.accounts.hand_out(google.email, frozenset({"openid"}))
    path = google.tokens.write_token_file(
        tmp_path / "token.json", google.email, google.url, refresh_token=refresh_token
    )
    person = identify(CredentialFiles(oauth_token=path), {})

    with pytest.raises(SourceAuthError, match="invalid_scope") as caught:
        whoami(person, endpoint=google.url)

    assert "auth-google" in caught.value.hint
    assert "tick the box" in caught.value.hint


def test_a_key_without_the_scope_is_not_told_to_tick_anything(
    google: FakeDrive, robot: Identity
) -> None:
    google.fail("/drive/v3/about", 403, "insufficientPermissions")

    with pytest.raises(SourceAuthError) as caught:
        whoami(robot, endpoint=google.url)

    assert "drive.readonly" in caught.value.hint
    assert "auth-google" not in caught.value.hint


def test_a_drive_that_is_down_is_said_to_be_that(google: FakeDrive, robot: Identity) -> None:
    google.fail("/drive/v3/about", 503, "backendError", times=9)

    with pytest.raises(SourceUnavailableError, match="answered 503") as caught:
        whoami(robot, endpoint=google.url, patience=ONCE)

    assert "later" in caught.value.hint


# ── why it cannot be asked ───────────────────────────────────────────────────


def test_a_drive_that_is_not_there_is_told_in_words_with_what_to_check(robot: Identity) -> None:
    with pytest.raises(SourceUnavailableError) as caught:
        whoami(robot, endpoint=f"http://127.0.0.1:{unused_port()}", patience=ONCE)

    assert caught.value.message == (
        "Google cannot be reached from here: 127.0.0.1 refuses the connection"
    )
    assert "HTTPS_PROXY" in caught.value.hint
    assert "folder" not in str(caught.value)


def test_a_token_endpoint_that_is_not_there_is_told_in_the_same_words(
    google: FakeDrive, tmp_path: Path
) -> None:
    path = google.tokens.write_token_file(
        tmp_path / "token.json",
        google.email,
        google.url,
        token_uri=f"http://127.0.0.1:{unused_port()}/token",
    )
    person = identify(CredentialFiles(oauth_token=path), {})

    with pytest.raises(SourceUnavailableError, match="refuses the connection") as caught:
        whoami(person, endpoint=google.url, patience=ONCE)

    assert "Pool" not in caught.value.message


def test_a_name_that_nobody_knows_is_said_to_be_that(monkeypatch: pytest.MonkeyPatch) -> None:
    # No test may ask a name server, so the system's answer is put in its place.
    monkeypatch.setattr(socket, "getaddrinfo", unknown_name)

    assert failure_of(f"https://{NOWHERE}/") == f"the name of {NOWHERE} cannot be resolved"


def test_a_proxy_that_is_not_there_is_blamed_and_its_password_is_not_shown() -> None:
    port = unused_port()

    said = failure_of("https://www.googleapis.com/", f"http://anna:hunter2@127.0.0.1:{port}")

    assert said == f"the proxy 127.0.0.1:{port} refuses the connection"


def test_a_proxy_that_is_no_address_is_blamed() -> None:
    assert failure_of("https://www.googleapis.com/", "http:///") == (
        "the proxy that is set has no usable address"
    )


def test_a_proxy_that_says_no_is_blamed() -> None:
    with socket.create_server(("127.0.0.1", 0)) as proxy:
        port = proxy.getsockname()[1]

        def refuse() -> None:
            connection, _ = proxy.accept()
            with connection:
                connection.recv(4096)
                connection.sendall(b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n")

        thread = Thread(target=refuse)
        thread.start()
        said = failure_of("https://www.googleapis.com/", f"http://127.0.0.1:{port}")
        thread.join()

    assert said == f"the proxy 127.0.0.1:{port} does not let the connection through"


def test_a_server_that_breaks_off_or_speaks_no_tls_is_told_apart() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        def answer(words: bytes) -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(4096)
                connection.sendall(words)

        for words, scheme, expected in (
            (b"hello\r\n", "https", "127.0.0.1 cannot be spoken to by TLS"),
            (b"", "http", "127.0.0.1 broke the connection off"),
        ):
            thread = Thread(target=answer, args=(words,))
            thread.start()
            assert failure_of(f"{scheme}://127.0.0.1:{port}/").startswith(expected)
            thread.join()


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (TimeoutError(), "the server does not answer"),
        (OSError(101, "Network is unreachable"), "there is no way to the server"),
        (ssl.SSLCertVerificationError(1, "x"), "the certificate of the server is not trusted"),
        (ValueError("no network in it"), None),
    ],
)
def test_what_the_system_says_is_put_into_words(
    raised: BaseException, expected: str | None
) -> None:
    said = why_unreachable(raised)

    assert said is None if expected is None else (said or "").startswith(expected)
