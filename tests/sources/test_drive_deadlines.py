"""However slowly an answer comes, and wherever it stalls, it has an end."""

import gzip
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import pytest
from google.oauth2.credentials import Credentials

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.sources.drive_connections import Timeouts
from gdrive_rag_mcp.sources.drive_failures import DriveCallError, damaged
from gdrive_rag_mcp.sources.drive_pacing import Caller, Pacer, Patience, RunClock
from gdrive_rag_mcp.sources.drive_transport import Transport
from gdrive_rag_mcp.sources.temporary_file import TemporaryFile
from tests.sources.scripted_google import Reply, connected, in_turn, scripted
from tests.sources.trickle import Trickle

_OK = b"HTTP/1.1 200 OK\r\n"
_LIMIT = 0.3


@contextmanager
def _trickling(first: bytes, rest: bytes, attempts: int = 1) -> Iterator[Transport]:
    server = Trickle(first, rest)
    credentials: Callable[..., object] = Credentials
    transport = Transport(
        credentials(token="good"),
        Caller(Pacer(0, RunClock(lambda _: None)), Patience(attempts=attempts)),
        endpoint=server.url,
        timeouts=Timeouts(answer=_LIMIT),
    )
    try:
        yield transport
    finally:
        transport.close()
        server.close()


_TRICKLES = {
    "the status line": (b"", b"H"),
    "one header": (_OK + b"X-Foo: ", b"a"),
    "one header after another": (_OK, b"X: a\r\n"),
    "answers that only announce others": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "the body": (_OK + b"Content-Length: 1000000\r\n\r\n", b" "),
    "the body up to its end": (_OK + b"\r\n", b" "),
    "the body in chunks": (_OK + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
    "the length of a chunk": (_OK + b"Transfer-Encoding: chunked\r\n\r\n", b"0"),
    "a packed body": (
        _OK + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(bytes(100), 0)[:20],
        b"\0",
    ),
    "the body of an error": (b"HTTP/1.1 403 Forbidden\r\nContent-Length: 1000\r\n\r\n", b"x"),
}


@pytest.mark.parametrize(("first", "rest"), _TRICKLES.values(), ids=_TRICKLES)
def test_a_metadata_answer_that_trickles_is_given_up(first: bytes, rest: bytes) -> None:
    with _trickling(first, rest) as transport, pytest.raises(DriveCallError) as caught:
        transport.metadata(transport.service("drive").files().get(fileId="a"))

    assert "the answer took longer than 0.3 seconds" in caught.value.message
    assert (caught.value.reason, caught.value.meaning.transient) == (Reason.NETWORK, True)


@pytest.mark.parametrize(("first", "rest"), _TRICKLES.values(), ids=_TRICKLES)
def test_a_content_that_trickles_is_given_up(tmp_path: Path, first: bytes, rest: bytes) -> None:
    with (
        _trickling(first, rest) as transport,
        TemporaryFile(tmp_path / "a", limit=10**9, name="a") as into,
    ):
        uri = transport.service("drive").files().get_media(fileId="a").uri
        with pytest.raises(DriveCallError, match=r"took longer than 0\.3 seconds"):
            transport.stream(uri, into, resumable=True)


def test_a_connection_that_was_kept_for_longer_gives_the_next_answer_its_own_time() -> None:
    with (
        scripted(in_turn(Reply(body=b'{"id": "a"}'))) as google,
        connected(google, patience=Patience(attempts=1), timeouts=Timeouts(answer=2.0)) as drive,
    ):
        request = drive.service("drive").files().get(fileId="a")
        drive.metadata(request)
        Event().wait(2.1)

        assert drive.metadata(request) == {"id": "a"}


def test_attempts_that_take_long_are_not_all_made() -> None:
    now = [0.0]
    clock = RunClock(lambda _: None, clock=lambda: now[0])
    tried: list[float] = []

    def attempt() -> None:
        tried.append(now[0])
        now[0] += 1000.0
        raise damaged("it took long")

    with pytest.raises(DriveCallError, match="it took long"):
        Caller(Pacer(0, clock), Patience()).call(attempt)

    assert len(tried) == 2
