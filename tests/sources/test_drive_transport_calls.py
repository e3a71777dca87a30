"""Metadata calls: whole, counted, not mixed up, and bounded."""

import gzip
import json
from collections.abc import Mapping
from threading import Event, Thread
from typing import Any

import pytest

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.sources.drive_connections import Timeouts
from gdrive_rag_mcp.sources.drive_failures import (
    DriveCallError,
    Reach,
    RunStoppedError,
)
from gdrive_rag_mcp.sources.drive_pacing import QUICK, Caller, Pacer, Patience, RunClock
from gdrive_rag_mcp.sources.drive_transport import Transport
from tests.sources.scripted_google import (
    Asked,
    Reply,
    connected,
    in_turn,
    scripted,
)

OBJECT = Reply(body=b'{"id": "a"}')


def _get(
    transport: Transport, keys: Mapping[str, str] = {}, caller: Caller | None = None
) -> dict[str, Any]:
    files = transport.service("drive").files()
    request = files.get(fileId="a", supportsAllDrives=True)
    return transport.metadata(request, keys=keys, caller=caller)


def test_an_object_is_asked_for_compressed_and_with_the_token() -> None:
    packed = Reply(body=gzip.compress(OBJECT.body), headers={"Content-Encoding": "gzip"})
    with scripted(in_turn(packed)) as google, connected(google) as transport:
        assert _get(transport) == {"id": "a"}

    (asked,) = google.asked
    assert asked.target.startswith("/drive/v3/files/a?supportsAllDrives=true")
    assert asked.headers["authorization"] == "Bearer good"
    assert "gzip" in asked.headers["accept-encoding"]
    assert "gzip" in asked.headers["user-agent"]  # or else Google does not compress
    assert "x-goog-drive-resource-keys" not in asked.headers


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({"a": "0-k_1"}, "a/0-k_1"),
        ({"a": "k1", "b": "k2"}, "a/k1,b/k2"),
        ({"a": "k1\r\nX-Evil: 1", "b": "k2"}, "b/k2"),
        ({"a": "k1,b/k2"}, None),
        ({"a": ""}, None),
    ],
)
def test_resource_keys_travel_in_their_header(
    keys: Mapping[str, str], expected: str | None
) -> None:
    with scripted(in_turn(OBJECT)) as google, connected(google) as transport:
        _get(transport, keys=keys)

    assert google.headers("x-goog-drive-resource-keys") == [expected]


def test_the_collections_of_an_api_are_made_once() -> None:
    transport = Transport(object(), Caller(Pacer(0), Patience()))
    drive = transport.service("drive")

    assert drive.files() is transport.service("drive").files()
    assert drive.files() is not drive.changes()
    with pytest.raises(AttributeError):
        drive.nonexistent()


def test_every_attempt_is_counted() -> None:
    with scripted(in_turn(Reply(503), OBJECT)) as google, connected(google) as transport:
        _get(transport)
        transport.count_download()

        assert (transport.usage.api_calls, transport.usage.downloads) == (2, 1)


def test_another_caller_may_give_up_sooner() -> None:
    waits: list[float] = []
    with scripted(in_turn(Reply(503))) as google, connected(google, waits) as transport:
        with pytest.raises(DriveCallError, match="503"):
            _get(transport, caller=transport.caller.with_patience(QUICK))
        assert len(google.asked) == 2
        assert len(waits) == 1


@pytest.mark.parametrize("body", [b"", b"[]", b"plain", b'{"a":', b"[" * 100_000])
def test_what_is_no_object_is_asked_for_again_and_then_an_outage(body: bytes) -> None:
    with (
        scripted(in_turn(Reply(body=body))) as google,
        connected(google) as transport,
        pytest.raises(DriveCallError, match="no JSON object") as caught,
    ):
        _get(transport)

    assert caught.value.reason is Reason.NETWORK
    assert len(google.asked) == 6


def test_an_answer_that_broke_off_is_asked_for_again() -> None:
    cut = Reply(body=b'{"id": "a"}           ', send=11)  # what came parses, and is not all
    with scripted(in_turn(cut, OBJECT)) as google, connected(google) as transport:
        _get(transport)

    assert len(google.asked) == 2


def test_a_small_answer_that_unpacks_to_a_huge_one_is_not_read_to_its_end() -> None:
    bomb = Reply(body=gzip.compress(b" " * 80_000_000), headers={"Content-Encoding": "gzip"})
    with (
        scripted(in_turn(bomb)) as google,
        connected(google, patience=QUICK) as transport,
        pytest.raises(DriveCallError, match="longer than"),
    ):
        _get(transport)


def test_threads_never_get_each_others_answers() -> None:
    def echo(asked: Asked) -> Reply:
        return Reply(
            body=json.dumps({"id": asked.target.split("/")[-1].partition("?")[0]}).encode()
        )

    mixed: list[str] = []

    def work(transport: Transport, number: int) -> None:
        files = transport.service("drive").files()
        for call in range(25):
            wanted = f"{number}-{call}"
            if transport.metadata(files.get(fileId=wanted))["id"] != wanted:
                mixed.append(wanted)

    with scripted(echo) as google, connected(google) as transport:
        threads = [Thread(target=work, args=(transport, number)) for number in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert len(google.asked) == 400
    assert mixed == []


def test_a_stopped_run_does_not_wait_for_its_next_attempt() -> None:
    asleep, clock = Event(), RunClock()

    def fail(_: Asked) -> Reply:
        asleep.set()
        return Reply(503)

    ended: list[DriveCallError] = []
    with scripted(fail) as google, connected(google) as shared:
        patient = Patience(first_seconds=10_000, longest_seconds=10_000, budget_seconds=1e9)
        caller = Caller(Pacer(0, clock), patient)

        def work() -> None:
            try:
                _get(shared, caller=caller)
            except DriveCallError as error:
                ended.append(error)

        thread = Thread(target=work)
        thread.start()
        asleep.wait()
        clock.stop()
        thread.join()
        with pytest.raises(RunStoppedError):
            _get(shared, caller=caller)

    assert [type(error) for error in ended] == [RunStoppedError]
    assert ended[0].meaning.reach is Reach.RUN
    assert len(google.asked) == 1


def test_the_connections_of_ended_threads_are_closed() -> None:
    with scripted(in_turn(OBJECT)) as google, connected(google) as transport:
        for _ in range(8):
            thread = Thread(target=_get, args=(transport,))
            thread.start()
            thread.join()
        _get(transport)

        assert len(transport._connections._sessions._by_thread) == 1


def test_a_server_that_says_nothing_is_an_outage() -> None:
    silent = Event()

    def never_in_time(_: Asked) -> Reply:
        silent.wait(5)
        return OBJECT

    with scripted(never_in_time) as google:
        with (
            connected(google, patience=QUICK, timeouts=Timeouts(read=0.05)) as transport,
            pytest.raises(DriveCallError, match="does not answer") as caught,
        ):
            _get(transport)
        silent.set()

    assert caught.value.reason is Reason.NETWORK
