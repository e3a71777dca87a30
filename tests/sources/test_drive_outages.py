"""What is said of a server that cannot be reached: a cause in plain words, and who was asked."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any

import pytest
import requests
from google.auth.exceptions import TransportError
from google.oauth2.credentials import Credentials

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.sources.drive_failures import DriveCallError
from gdrive_rag_mcp.sources.drive_outages import understood
from gdrive_rag_mcp.sources.drive_pacing import Caller, Pacer, Patience, RunClock
from gdrive_rag_mcp.sources.drive_transport import Transport
from tests.sources.scripted_google import Reply, in_turn, scripted

_user: Any = Credentials  # it is not annotated
_transport_error: Any = TransportError
ONCE = Patience(attempts=1)
LONG = "files(id,name,mimeType,parents,size,modifiedTime,md5Checksum,version)" * 10


def _said_by(url: str, token_uri: str | None = None) -> DriveCallError:
    """What a listing with a long mask fails with, where `url` is Drive."""
    credentials = _user(token="good")
    if token_uri is not None:
        credentials = _user(
            token=None, refresh_token="r", token_uri=token_uri, client_id="c", client_secret="s"
        )
    caller = Caller(Pacer(0, RunClock(lambda _: None)), ONCE)
    transport = Transport(credentials, caller, endpoint=url)
    request = transport.service("drive").files().list(q="trashed = false", fields=LONG)
    try:
        with pytest.raises(DriveCallError) as caught:
            transport.metadata(request)
    finally:
        transport.close()
    return caught.value


def _unused() -> str:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return f"127.0.0.1:{probe.getsockname()[1]}"


@contextmanager
def _answering(raw: bytes) -> Iterator[str]:
    """A server that says these bytes to one question, whatever it is."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(raw)

        thread = Thread(target=answer)
        thread.start()
        yield f"127.0.0.1:{server.getsockname()[1]}"
        thread.join()


def test_a_refused_connection_is_said_to_be_that_and_by_whom_without_the_question() -> None:
    place = _unused()
    error = _said_by(f"http://{place}")

    assert error.message == (
        f"Drive cannot be reached at {place}: 127.0.0.1 refuses the connection"
    )
    assert "proxy" in error.meaning.hint
    assert (error.reason, error.meaning.transient) == (Reason.NETWORK, True)


def test_the_token_endpoint_is_not_taken_for_drive() -> None:
    place = _unused()
    with scripted(in_turn(Reply(body=b"{}"))) as google:
        error = _said_by(google.url, f"http://{place}/token")

    assert error.message == f"no access token at {place}: 127.0.0.1 refuses the connection"


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"\x8fK\xc0+\x84\x01g \xb1\r\n\r\n", "its answer is not HTTP"),
        (b"HTTP/1.1 2oo OK\r\n\r\n", "its answer is not HTTP"),
        (b"HTTP/1.1 200 OK\r\nX: " + b"a" * 70_000 + b"\r\n\r\n", "its answer is not HTTP"),
        (b"", "127.0.0.1 broke the connection off"),
        (
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc",
            "its answer broke off",
        ),
        (
            b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 7\r\n\r\nno gzip",
            "its answer cannot be unpacked",
        ),
    ],
)
def test_what_a_server_sends_instead_of_an_answer_is_named_and_never_quoted(
    raw: bytes, expected: str
) -> None:
    with _answering(raw) as place:
        error = _said_by(f"http://{place}")

    assert error.message == f"Drive cannot be reached at {place}: {expected}"


def test_an_error_of_the_system_that_is_no_error_of_the_network_keeps_its_words() -> None:
    with pytest.raises(DriveCallError) as caught, understood("https://www.googleapis.com/x?y=z"):
        raise OSError(24, "Too many open files")

    assert caught.value.message == (
        "Drive cannot be reached at www.googleapis.com:443: Too many open files"
    )


def test_a_proxy_that_has_no_usable_address_is_not_taken_for_an_answer() -> None:
    with (
        pytest.raises(DriveCallError, match="proxy that is set has no usable") as caught,
        understood(),
    ):
        raise requests.exceptions.InvalidProxyURL("http:///")

    assert caught.value.reason is Reason.NETWORK


def test_why_no_token_came_is_kept_where_it_is_no_matter_of_the_network() -> None:
    with (
        pytest.raises(DriveCallError, match="no access token: the token endpoint answered 503"),
        understood(),
    ):
        raise _transport_error("the token endpoint answered 503")


def test_a_page_with_the_status_of_a_success_is_said_to_be_no_answer_of_google() -> None:
    page = Reply(body=b"<html><title>Hotel</title>Sign in", headers={"Content-Type": "text/html"})
    with scripted(in_turn(page)) as google:
        error = _said_by(google.url)

    assert "answered 200 with a web page ('Hotel'), which is no answer of Google" in error.message
    assert "sign-in page" in error.meaning.hint
