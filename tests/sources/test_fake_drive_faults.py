"""Faults, hooks and limits of the fake Drive, and how it holds up under many threads."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException
from itertools import count
from typing import Any

import pytest
from googleapiclient.errors import HttpError

from gdrive_rag_mcp.testing.fake_drive import FakeDrive, Request
from gdrive_rag_mcp.testing.fake_drive.quota import Quota
from gdrive_rag_mcp.testing.fake_drive.request_log import RequestLog
from tests.sources.asking import Asking, asking, refused

Files = Any
Json = Any


@pytest.fixture
def ask(drive: FakeDrive) -> Iterator[Asking]:
    with asking(drive) as asked:
        yield asked


@pytest.fixture
def files(ask: Asking) -> Files:
    return ask.service().files()


def test_a_fault_strikes_as_often_as_ordered_and_then_no_more(
    drive: FakeDrive, files: Files
) -> None:
    file = drive.files.add_file("a.md", b"x")
    drive.fail(f"/files/{file}", 403, "userRateLimitExceeded", times=2, retry_after="7")

    for _ in range(2):
        with pytest.raises(HttpError) as caught:
            files.get(fileId=file).execute()
        assert caught.value.resp["retry-after"] == "7"
        error = json.loads(caught.value.content)["error"]["errors"][0]
        assert (error["reason"], error["domain"]) == ("userRateLimitExceeded", "usageLimits")
    assert files.get(fileId=file).execute()["id"] == file


def test_a_rate_limit_can_come_in_the_newer_form_alone(drive: FakeDrive, files: Files) -> None:
    drive.fail("/files", 429, "RATE_LIMIT_EXCEEDED")

    with pytest.raises(HttpError) as caught:
        files.list().execute()
    error = json.loads(caught.value.content)["error"]

    assert (error["code"], error["status"]) == (429, "RESOURCE_EXHAUSTED")
    assert error["details"][0]["reason"] == "RATE_LIMIT_EXCEEDED"
    assert "errors" not in error


def test_connections_break_off_before_and_within_an_answer(drive: FakeDrive, ask: Asking) -> None:
    file = drive.files.add_file("a.bin", b"x" * 100_000)
    drive.reset("alt=media", times=9)  # the client tries again by itself
    with pytest.raises((OSError, HTTPException)):
        ask.service().files().get_media(fileId=file).execute()
    drive.faults.clear()
    drive.cut("alt=media")
    with pytest.raises((OSError, HTTPException)):
        ask.service().files().get_media(fileId=file).execute()

    assert len(ask.service().files().get_media(fileId=file).execute()) == 100_000


def test_something_can_happen_just_before_an_answer(drive: FakeDrive, files: Files) -> None:
    folders = [drive.files.add_folder(str(number)) for number in range(2)]
    file = drive.files.add_file("a.md", b"x", folders[0])
    drive.before(f"'{folders[1]}' in parents", lambda: drive.files.move(file, folders[1]), times=1)

    def names(folder: str) -> list[str]:
        answer = files.list(q=f"'{folder}' in parents").execute()
        return [item["name"] for item in answer["files"]]

    assert names(folders[0]) == ["a.md"]
    assert names(folders[1]) == ["a.md"]
    assert names(folders[0]) == []


def test_every_request_can_be_counted_and_even_ask_itself(
    drive: FakeDrive, ask: Asking, files: Files
) -> None:
    other = ask.service().files()
    seen: list[tuple[int, str]] = []

    def watch(number: int, line: str) -> None:
        seen.append((number, line))
        if number == 1:
            other.get(fileId=drive.root).execute()  # no lock is held: this must not hang

    drive.on_request = watch
    files.list(q="trashed = false").execute()

    assert [number for number, _ in seen] == [1, 2]
    assert seen[0][1].startswith("GET /drive/v3/files?q=trashed = false")


def _list_with_a_hook_that_fails() -> None:
    with FakeDrive() as drive, asking(drive) as asked:
        drive.before("/files", lambda: 1 / 0, times=9)
        with pytest.raises((OSError, HTTPException)):
            asked.service().files().list().execute()


def test_a_hook_that_fails_is_not_taken_for_the_network() -> None:
    with pytest.raises(ZeroDivisionError):
        _list_with_a_hook_that_fails()


def test_a_quota_refuses_what_is_too_much_and_nothing_else(drive: FakeDrive, files: Files) -> None:
    drive.quota(0.001, burst=3)

    for _ in range(3):
        files.list().execute()
    assert refused(files.list()) == (403, "userRateLimitExceeded")
    drive.quota(None)
    assert files.list().execute()["files"]


def test_a_quota_fills_up_again_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 0.0, 0.0, 0.05, 0.1, 10.0, 10.0, 10.0])
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    quota = Quota(10, burst=2)

    allowed = [quota.allows() for _ in range(7)]

    assert allowed == [True, True, False, True, True, True, False]


def test_a_token_without_the_scope_is_refused_by_reason(drive: FakeDrive, ask: Asking) -> None:
    http = ask.http()
    granted = drive.tokens.access.hand_out(drive.email, frozenset({"openid"}))
    http.credentials.token = granted["access_token"]

    response, body = http.request(f"{drive.url}/drive/v3/files")

    assert response.status == 403
    assert json.loads(body)["error"]["errors"][0]["reason"] == "insufficientPermissions"


def test_the_log_forgets_requests_and_never_counts() -> None:
    log = RequestLog(kept=10)
    for number in range(95):
        log.append(Request("list", str(number), {}, 200))

    assert 10 <= len(log) <= 20
    assert log[-1].line == "94"
    assert [request.line for request in log][-2:] == ["93", "94"]
    assert log.counts() == {"list": 95}
    log.clear()
    assert (len(log), log.counts()) == (0, {})


def test_many_threads_each_get_their_own_answer_while_files_change(
    drive: FakeDrive, ask: Asking
) -> None:
    contents = {
        drive.files.add_file(f"{number}.md", str(number).encode()): str(number).encode()
        for number in range(50)
    }
    numbers = count()

    def read(_: int) -> list[bool]:
        own = ask.service().files()
        right = []
        for file, content in contents.items():
            right.append(own.get_media(fileId=file).execute() == content)
            drive.files.rename(file, f"renamed {next(numbers)}")
            found = own.list(q=f"'{drive.root}' in parents", pageSize=1000, fields="files(id)")
            right.append(len(found.execute()["files"]) == 50)
        return right

    with ThreadPoolExecutor(8) as pool:
        assert all(all(right) for right in pool.map(read, range(8)))
    assert drive.counts()["media"] == drive.counts()["list"] == 8 * 50
