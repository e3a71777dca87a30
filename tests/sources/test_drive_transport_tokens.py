"""Who is sent the token, and how it is renewed."""

import json
from collections.abc import Mapping
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.errors import SettingsError
from gdrive_rag_mcp.sources.drive_connections import is_google
from gdrive_rag_mcp.sources.drive_failures import (
    DriveCallError,
    ForeignAddressError,
    Reach,
)
from gdrive_rag_mcp.sources.drive_pacing import QUICK, Caller, Pacer, Patience
from gdrive_rag_mcp.sources.drive_transport import Transport
from tests.sources.scripted_google import (
    Asked,
    Reply,
    connected,
    in_turn,
    renewable,
    scripted,
)

OBJECT = Reply(body=b'{"id": "a"}')
TOKEN = Reply(body=json.dumps({"access_token": "good", "expires_in": 3600}).encode())
REFUSED = Reply(401, b'{"error": {"errors": [{"reason": "authError"}], "code": 401}}')


def _get(
    transport: Transport, keys: Mapping[str, str] = {}, caller: Caller | None = None
) -> dict[str, Any]:
    files = transport.service("drive").files()
    request = files.get(fileId="a", supportsAllDrives=True)
    return transport.metadata(request, keys=keys, caller=caller)


def _only_good(asked: Asked) -> Reply:
    if asked.target == "/token":
        return TOKEN
    good = asked.headers["authorization"] == "Bearer good"
    return OBJECT if good else Reply(401, b'{"error": {"message": "Invalid Credentials"}}')


def test_a_token_that_was_refused_is_renewed_once_for_all_threads() -> None:
    with scripted(_only_good) as google, connected(google, credentials=renewable(google)) as all_:
        threads = [Thread(target=_get, args=(all_,)) for _ in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert [asked.target for asked in google.asked].count("/token") == 1
    assert google.headers("authorization").count("Bearer good") == 12


def test_a_renewed_token_that_is_refused_too_is_a_refusal_of_the_credentials() -> None:
    def never(asked: Asked) -> Reply:
        return TOKEN if asked.target == "/token" else REFUSED

    with (
        scripted(never) as google,
        connected(google, credentials=renewable(google)) as transport,
        pytest.raises(DriveCallError, match="401") as caught,
    ):
        _get(transport)

    assert caught.value.meaning.reach is Reach.CREDENTIALS
    assert len(google.asked) == 3


def test_a_token_that_cannot_be_renewed_is_a_refusal_of_the_credentials() -> None:
    body = b'{"error": "invalid_grant", "error_description": "Token has been expired or revoked."}'

    def revoked(asked: Asked) -> Reply:
        return Reply(400, body) if asked.target == "/token" else Reply(401)

    with (
        scripted(revoked) as google,
        connected(google, credentials=renewable(google)) as transport,
        pytest.raises(DriveCallError, match="expired or revoked") as caught,
    ):
        _get(transport)

    assert caught.value.meaning.reach is Reach.CREDENTIALS


def test_the_token_endpoints_outage_is_waited_out_by_our_own_clock() -> None:
    waits: list[float] = []
    outages = [Reply(503), Reply(429), Reply(500)]

    def script(asked: Asked) -> Reply:
        return outages.pop() if asked.target == "/token" and outages else _only_good(asked)

    with (
        scripted(script) as google,
        connected(google, waits, credentials=renewable(google)) as transport,
    ):
        assert _get(transport) == {"id": "a"}

    # google-auth's own attempts, which sleep where nobody can stop them, are not made
    assert len(waits) == 3
    assert [asked.target for asked in google.asked].count("/token") == 4


def test_a_refresh_token_does_not_follow_a_redirect() -> None:
    with scripted(in_turn(TOKEN)) as other:

        def script(asked: Asked) -> Reply:
            if asked.target == "/token":
                return Reply(307, headers={"Location": f"{other.url}/token"})
            return _only_good(asked)

        with (
            scripted(script) as google,
            connected(google, credentials=renewable(google)) as transport,
            pytest.raises(DriveCallError),
        ):
            _get(transport)

    assert other.asked == []


def test_a_password_in_netrc_does_not_replace_the_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "netrc").write_text("default login somebody password secret", encoding="utf-8")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    with scripted(in_turn(OBJECT)) as google, connected(google) as transport:
        _get(transport)

    assert google.headers("authorization") == ["Bearer good"]


def test_a_server_on_this_machine_is_not_asked_through_a_proxy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with scripted(in_turn(Reply(502))) as proxy, scripted(in_turn(OBJECT)) as google:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url)
        with connected(google) as transport:
            assert _get(transport) == {"id": "a"}

    assert proxy.asked == []


@pytest.mark.parametrize("target", ["{own}/moved?a=1", "/moved?a=1", "moved?a=1"])
def test_a_redirect_to_the_same_server_is_followed_with_the_token(target: str) -> None:
    def script(asked: Asked) -> Reply:
        if "moved" in asked.target:
            return OBJECT
        return Reply(302, headers={"Location": target.format(own=google.url)})

    with scripted(script) as google, connected(google) as transport:
        assert _get(transport) == {"id": "a"}

    assert google.headers("authorization") == ["Bearer good", "Bearer good"]


def test_a_redirect_to_another_server_is_not_even_asked() -> None:
    with scripted(in_turn(OBJECT)) as other:
        moved = Reply(302, headers={"Location": f"{other.url}/"})
        with (
            scripted(in_turn(moved)) as google,
            connected(google, patience=QUICK) as transport,
            pytest.raises(ForeignAddressError, match=r"127\.0\.0\.1") as caught,
        ):
            _get(transport)

    assert other.asked == []
    assert len(google.asked) == 2, "nobody knows how long somebody else answers in Drive's place"
    assert caught.value.reason is Reason.NETWORK
    assert google.url.removeprefix("http://") in caught.value.message


def test_redirects_in_circles_end() -> None:
    with (
        scripted(in_turn(Reply(302, headers={"Location": "/again"}))) as google,
        connected(google, patience=QUICK) as transport,
        pytest.raises(DriveCallError, match="in circles"),
    ):
        _get(transport)

    assert len(google.asked) == 2 * 6


@pytest.mark.parametrize(
    "url",
    [
        "https://www.googleapis.com/drive/v3/files",
        "https://docs.googleapis.com/v1/documents/a",
        "https://docs.google.com/feeds/download/documents/export/Export?id=a",
        "https://google.com",
        "https://doc-0s-docs.googleusercontent.com:443/x?y#z",
        "https://DOCS.GOOGLE.COM/a",
    ],
)
def test_google_is_sent_the_token(url: str) -> None:
    assert is_google(url)


@pytest.mark.parametrize(
    "url",
    [
        "http://docs.google.com/a",
        "https://docs.google.com:8443/a",
        "https://docs.google.com.evil.org/a",
        "https://evilgoogle.com/a",
        "https://evil.org/docs.google.com",
        "https://docs.google.com@evil.org/a",
        "https://evil.org\\@docs.google.com/a",
        "https://docs.google.com\\.evil.org/a",
        "https://evil.org#@docs.google.com/a",
        "https://evil.org?.google.com",
        "https://docs.google.com\n.evil.org/a",
        "https://docs.google.com/a\r\nHost: evil.org",
        "https://docs.goog\u0142e.com/a",
        "https://1.2.3.4.bc.googleusercontent.com/a",
        "https://storage.googleapis.com/bucket/a",
        "https://[::1]/a",
        "//docs.google.com/a",
        "ftp://docs.google.com/a",
        "file:///etc/passwd",
        "docs.google.com",
        "",
    ],
)
def test_nobody_else_is_sent_the_token(url: str) -> None:
    assert not is_google(url)


def test_all_apis_are_asked_at_the_endpoint_and_nowhere_else() -> None:
    with scripted(in_turn(OBJECT)) as google, connected(google) as transport:
        uris = [
            transport.service("drive").files().get(fileId="a").uri,
            transport.service("docs").documents().get(documentId="a").uri,
            transport.service("sheets").spreadsheets().get(spreadsheetId="a").uri,
            transport.service("slides").presentations().get(presentationId="a").uri,
        ]

    assert [uri.removeprefix(google.url).partition("?")[0] for uri in uris] == [
        "/drive/v3/files/a",
        "/v1/documents/a",
        "/v4/spreadsheets/a",
        "/v1/presentations/a",
    ]


def test_without_an_endpoint_google_itself_is_asked() -> None:
    transport = Transport(object(), Caller(Pacer(0), Patience()))

    assert is_google(transport.service("drive").files().get(fileId="a").uri)
    assert is_google(transport.service("docs").documents().get(documentId="a").uri)
    assert is_google(transport.service("sheets").spreadsheets().get(spreadsheetId="a").uri)
    assert is_google(transport.service("slides").presentations().get(presentationId="a").uri)


def test_an_endpoint_that_could_be_overheard_is_refused() -> None:
    with pytest.raises(SettingsError, match="overheard"):
        Transport(object(), Caller(Pacer(0), Patience()), endpoint="http://example.com")
