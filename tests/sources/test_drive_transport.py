"""Contents over HTTP: in blocks, resumed where they broke off, never longer than allowed."""

import gzip
import hashlib
from pathlib import Path

import pytest

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.errors import FileUnreadableError
from gdrive_rag_mcp.sources.drive_connections import Timeouts
from gdrive_rag_mcp.sources.drive_failures import DriveCallError, RunStoppedError
from gdrive_rag_mcp.sources.drive_transport import OtherLengthError, Transport
from gdrive_rag_mcp.sources.temporary_file import TemporaryFile
from tests.sources.scripted_google import (
    Asked,
    Reply,
    Script,
    ScriptedGoogle,
    connected,
    in_turn,
    scripted,
)

CONTENT = bytes(range(251)) * 10_000


def _fetch(
    transport: Transport,
    google: ScriptedGoogle,
    into: Path,
    *,
    resumable: bool = True,
    expected: int | None = None,
    limit: int = 10**9,
) -> str:
    with TemporaryFile(into, limit=limit, name="a.bin") as content:
        kind = transport.stream(
            f"{google.url}/media", content, resumable=resumable, expected=expected
        )
    written = into.read_bytes()
    assert content.size == len(written)
    assert content.md5 == hashlib.md5(written, usedforsecurity=False).hexdigest()
    return kind


def _ranges(content: bytes, *, breaks: int, at: float = 0.5) -> Script:
    """A server of ranges that breaks off so many answers after a part of them."""
    left = [breaks]

    def script(asked: Asked) -> Reply:
        wanted = asked.headers.get("range")
        start = 0 if wanted is None else int(wanted.removeprefix("bytes=").rstrip("-"))
        body = content[start:]
        left[0] -= 1
        send = int(len(body) * at) if left[0] >= 0 else None
        if wanted is None:
            return Reply(body=body, send=send)
        place = {"Content-Range": f"bytes {start}-{len(content) - 1}/{len(content)}"}
        return Reply(206, body, place, send=send)

    return script


def test_a_content_arrives_whole_with_its_type(tmp_path: Path) -> None:
    reply = Reply(body=CONTENT, headers={"Content-Type": "Text/Plain; charset=UTF-8"})
    with scripted(in_turn(reply)) as google, connected(google) as transport:
        kind = _fetch(transport, google, tmp_path / "a", expected=len(CONTENT))

    assert (tmp_path / "a").read_bytes() == CONTENT
    assert kind == "text/plain"
    assert google.headers("range") == [None]
    assert google.headers("accept-encoding") == ["identity"]


def test_after_a_break_only_the_rest_is_fetched(tmp_path: Path) -> None:
    waits: list[float] = []
    with scripted(_ranges(CONTENT, breaks=3)) as google, connected(google, waits) as transport:
        _fetch(transport, google, tmp_path / "a")

    starts = [int((wanted or "=0-")[6:-1] or 0) for wanted in google.headers("range")]
    assert (tmp_path / "a").read_bytes() == CONTENT
    assert len(waits) == 3
    assert starts == sorted(set(starts))
    assert starts[-1] > len(CONTENT) // 2


def test_a_reset_connection_is_resumed_too(tmp_path: Path) -> None:
    first = Reply(body=CONTENT, send=len(CONTENT) // 2, reset=True)
    rest = _ranges(CONTENT, breaks=0)
    replies = [first]

    def script(asked: Asked) -> Reply:
        return replies.pop() if replies else rest(asked)

    with scripted(script) as google, connected(google) as transport:
        _fetch(transport, google, tmp_path / "a")

    assert (tmp_path / "a").read_bytes() == CONTENT


def test_a_server_that_ignores_ranges_makes_it_start_over(tmp_path: Path) -> None:
    script = in_turn(Reply(body=CONTENT, send=len(CONTENT) // 2), Reply(body=CONTENT[::-1]))
    with scripted(script) as google, connected(google) as transport:
        _fetch(transport, google, tmp_path / "a")

    assert google.headers("range")[1] is not None
    assert (tmp_path / "a").read_bytes() == CONTENT[::-1]


@pytest.mark.parametrize(
    "place",
    [
        "bytes 0-{last}/{total}",
        "bytes {start}-{start}/{total}",
        "bytes {start}-{last}/*",
        "bytes {start}-{last}/²",
        "bytes {start}-{total}/{total}",
        "bytes " + "9" * 30 + "-{last}/{total}",
        "",
    ],
)
def test_a_rest_that_does_not_fit_is_void_and_all_is_fetched_again(
    tmp_path: Path, place: str
) -> None:
    total = len(CONTENT)

    def odd(asked: Asked) -> Reply:
        wanted = asked.headers.get("range")
        if wanted is None:
            broken = len(google.asked) == 1
            return Reply(body=CONTENT, send=total // 2 if broken else None)
        start = int(wanted[6:-1])
        header = place.format(start=start, last=total - 1, total=total)
        return Reply(206, CONTENT[start:], {"Content-Range": header})

    with scripted(odd) as google, connected(google) as transport:
        _fetch(transport, google, tmp_path / "a")

    assert (tmp_path / "a").read_bytes() == CONTENT
    assert [wanted is None for wanted in google.headers("range")] == [True, False, True]


def test_what_cannot_be_resumed_starts_from_nothing(tmp_path: Path) -> None:
    script = in_turn(Reply(body=b"old" * 500_000, send=600_000), Reply(body=CONTENT))
    with scripted(script) as google, connected(google) as transport:
        _fetch(transport, google, tmp_path / "a", resumable=False)

    assert (tmp_path / "a").read_bytes() == CONTENT
    assert google.headers("range") == [None, None]


def test_a_content_that_always_breaks_off_is_an_outage(tmp_path: Path) -> None:
    script = in_turn(Reply(body=CONTENT, send=10))
    with (
        scripted(script) as google,
        connected(google) as transport,
        pytest.raises(DriveCallError) as caught,
    ):
        _fetch(transport, google, tmp_path / "a", resumable=False)

    assert caught.value.reason is Reason.NETWORK
    assert len(google.asked) == 6


@pytest.mark.parametrize("reply", [Reply(416), Reply(200)], ids=["refused range", "no bytes"])
def test_an_empty_content_is_a_success(tmp_path: Path, reply: Reply) -> None:
    with scripted(in_turn(reply)) as google, connected(google) as transport:
        _fetch(transport, google, tmp_path / "a", expected=0)

    assert (tmp_path / "a").read_bytes() == b""


def test_a_content_that_shrank_meanwhile_is_fetched_anew(tmp_path: Path) -> None:
    script = in_turn(
        Reply(body=CONTENT, send=len(CONTENT) // 2),
        Reply(416, headers={"Content-Range": "bytes */5"}),
        Reply(body=b"short"),
    )
    with scripted(script) as google, connected(google) as transport:
        _fetch(transport, google, tmp_path / "a")

    assert (tmp_path / "a").read_bytes() == b"short"


@pytest.mark.parametrize(
    "reply",
    [
        Reply(body=b"short"),
        Reply(body=CONTENT, headers={"Content-Length": str(10**10)}),
        Reply(416),
    ],
    ids=["shorter", "longer", "empty"],
)
def test_a_content_of_another_length_than_expected_is_not_read_at_all(
    tmp_path: Path, reply: Reply
) -> None:
    with scripted(in_turn(reply)) as google, connected(google) as transport:
        with pytest.raises(OtherLengthError):
            _fetch(transport, google, tmp_path / "a", expected=20)
        assert (tmp_path / "a").read_bytes() == b""
        assert len(google.asked) == 1


def test_a_content_without_a_length_is_read_no_further_than_expected(tmp_path: Path) -> None:
    packed = Reply(body=gzip.compress(b" " * 50_000_000), headers={"Content-Encoding": "gzip"})
    with scripted(in_turn(packed)) as google, connected(google) as transport:
        with pytest.raises(OtherLengthError):
            _fetch(transport, google, tmp_path / "a", expected=200_000, limit=300_000)
        assert (tmp_path / "a").stat().st_size <= 200_000


def test_no_more_than_the_limit_is_written_whatever_is_announced(tmp_path: Path) -> None:
    endless = Reply(body=CONTENT, headers={"Content-Length": str(10**15)})
    with (
        scripted(in_turn(endless)) as google,
        connected(google) as transport,
        pytest.raises(FileUnreadableError) as caught,
    ):
        _fetch(transport, google, tmp_path / "a", limit=1_000_000)

    assert caught.value.reason is Reason.TOO_LARGE
    assert (tmp_path / "a").stat().st_size <= 1_000_000


def test_an_error_is_understood_by_the_reason_in_its_body(tmp_path: Path) -> None:
    body = b'{"error": {"errors": [{"reason": "cannotDownloadFile"}], "message": "no"}}'
    with (
        scripted(in_turn(Reply(403, body))) as google,
        connected(google) as transport,
        pytest.raises(DriveCallError, match="cannotDownloadFile: no") as caught,
    ):
        _fetch(transport, google, tmp_path / "a")

    assert caught.value.reason is Reason.DOWNLOAD_FORBIDDEN
    assert caught.value.status == 403
    assert len(google.asked) == 1


def test_an_answer_that_trickles_for_too_long_is_given_up(tmp_path: Path) -> None:
    trickle = Reply(body=CONTENT, pause=0.02)
    with (
        scripted(in_turn(trickle)) as google,
        connected(google, timeouts=Timeouts(answer=0.05)) as transport,
        pytest.raises(DriveCallError, match=r"longer than 0\.05 seconds") as caught,
    ):
        _fetch(transport, google, tmp_path / "a", resumable=False)

    assert caught.value.reason is Reason.NETWORK


def test_a_stopped_run_does_not_read_to_the_end(tmp_path: Path) -> None:
    def stop(_: Asked) -> Reply:
        transport.stop()
        return Reply(body=CONTENT)

    with scripted(stop) as google, connected(google) as transport:
        with pytest.raises(RunStoppedError):
            _fetch(transport, google, tmp_path / "a")
        assert (tmp_path / "a").read_bytes() == b""
