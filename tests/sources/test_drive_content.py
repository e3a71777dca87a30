"""Contents of Drive files: what was listed is what arrives, or the ledger knows why not."""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from gdrive_rag_mcp.domain import Reason, SourceFile
from gdrive_rag_mcp.errors import DiskFullError, FileUnreadableError
from gdrive_rag_mcp.sources.drive_content import DriveContent
from gdrive_rag_mcp.sources.drive_failures import DriveCallError, Reach, error_of_response
from gdrive_rag_mcp.sources.drive_transport import Transport
from tests.sources.scripted_google import Asked, Reply, Script, connected, in_turn, scripted

Refresh = Callable[[SourceFile], SourceFile]


def _listed(content: bytes, **changes: object) -> SourceFile:
    md5 = hashlib.md5(content, usedforsecurity=False).hexdigest()
    file = SourceFile(
        "a1", "a.md", "text/markdown", ("root",), version=md5, size=len(content), md5=md5
    )
    return replace(file, **changes)  # type: ignore[arg-type] # names and types are the caller's


def _no_refresh(file: SourceFile) -> SourceFile:
    raise AssertionError(file)


@contextmanager
def _reading(
    script: Script,
    refresh: Refresh = _no_refresh,
    *,
    max_bytes: int = 10**9,
    waits: list[float] | None = None,
) -> Iterator[tuple[DriveContent, list[Asked], Transport]]:
    with scripted(script) as google, connected(google, waits) as transport:
        content = DriveContent(transport, max_bytes=max_bytes, refresh=refresh)
        yield content, google.asked, transport


def _error(status: int, reason: str) -> Reply:
    detail = f'{{"reason": "{reason}", "message": "on order"}}'
    return Reply(status, f'{{"error": {{"errors": [{detail}]}}}}'.encode())


def test_a_file_is_downloaded_and_counted(tmp_path: Path) -> None:
    file = _listed(b"content")
    with _reading(in_turn(Reply(body=b"content"))) as (content, asked, transport):
        fetched = content.read(file, tmp_path / "a")

        assert (transport.usage.api_calls, transport.usage.downloads) == (0, 1)
    assert (tmp_path / "a").read_bytes() == b"content"
    assert (fetched.mime_type, fetched.file, fetched.note) == ("text/markdown", None, "")
    assert fetched.anchors == {}
    (only,) = asked
    assert only.target.startswith("/drive/v3/files/a1?")
    assert "alt=media" in only.target
    assert "supportsAllDrives=true" in only.target
    assert "acknowledgeAbuse" not in only.target


def test_a_resource_key_goes_along(tmp_path: Path) -> None:
    file = _listed(b"content", resource_key="0-key")
    with _reading(in_turn(Reply(body=b"content"))) as (content, asked, _):
        content.read(file, tmp_path / "a")

    assert asked[0].headers["x-goog-drive-resource-keys"] == "a1/0-key"


def test_zero_bytes_are_a_success(tmp_path: Path) -> None:
    with _reading(in_turn(Reply())) as (content, _, _transport):
        content.read(_listed(b""), tmp_path / "a")

    assert (tmp_path / "a").read_bytes() == b""


def test_damage_on_the_way_is_noticed_and_fetched_once_more(tmp_path: Path) -> None:
    file = _listed(b"content")
    script = in_turn(Reply(body=b"contEnt"), Reply(body=b"content"))
    with _reading(script, lambda listed: listed) as (content, asked, _):
        fetched = content.read(file, tmp_path / "a")

    assert (tmp_path / "a").read_bytes() == b"content"
    assert fetched.file is None
    assert len(asked) == 2


def test_a_file_that_was_edited_since_it_was_listed_is_taken_as_it_is_now(tmp_path: Path) -> None:
    fresh = _listed(b"after!!")
    with _reading(in_turn(Reply(body=b"after!!")), lambda _: fresh) as (content, asked, _t):
        fetched = content.read(_listed(b"before!"), tmp_path / "a")

    assert (tmp_path / "a").read_bytes() == b"after!!"
    assert fetched.file == fresh
    assert len(asked) == 1  # what came was whole, only newer


def test_a_file_of_another_length_now_is_not_read_until_that_is_known(tmp_path: Path) -> None:
    fresh = _listed(b"much longer than before")
    script = in_turn(Reply(body=b"much longer than before"))
    with _reading(script, lambda _: fresh) as (content, asked, _):
        fetched = content.read(_listed(b"before"), tmp_path / "a")

    assert (tmp_path / "a").read_bytes() == b"much longer than before"
    assert fetched.file == fresh
    assert len(asked) == 2


def test_a_file_that_keeps_changing_is_left_to_the_next_sync(tmp_path: Path) -> None:
    bodies = [b"version 1", b"version 2", b"version 3"]
    script = in_turn(*(Reply(body=body) for body in bodies))
    with (
        _reading(script, lambda _: _listed(b"version x")) as (content, asked, _),
        pytest.raises(FileUnreadableError, match=r"a\.md") as caught,
    ):
        content.read(_listed(b"version 0"), tmp_path / "a")

    assert caught.value.reason is Reason.CHANGING
    assert caught.value.hint
    assert len(asked) == 2


@pytest.mark.parametrize(
    ("fresh", "expected"),
    [
        (_listed(b"new", obstacle=Reason.DOWNLOAD_FORBIDDEN), Reason.DOWNLOAD_FORBIDDEN),
        (_listed(b"new", size=10**6), Reason.TOO_LARGE),
    ],
)
def test_what_may_not_be_read_any_more_is_not_asked_for_again(
    tmp_path: Path, fresh: SourceFile, expected: Reason
) -> None:
    script = in_turn(Reply(body=b"neu"))
    with (
        _reading(script, lambda _: fresh, max_bytes=1000) as (content, asked, _),
        pytest.raises(FileUnreadableError) as caught,
    ):
        content.read(_listed(b"old"), tmp_path / "a")

    assert caught.value.reason is expected
    assert len(asked) == 1


def test_a_file_that_is_gone_when_it_is_looked_up_again_is_not_found(tmp_path: Path) -> None:
    def gone(_: SourceFile) -> SourceFile:
        raise error_of_response(404, {}, _error(404, "notFound").body)

    with (
        _reading(in_turn(Reply(body=b"new")), gone) as (content, _, _transport),
        pytest.raises(FileUnreadableError) as caught,
    ):
        content.read(_listed(b"old"), tmp_path / "a")

    assert caught.value.reason is Reason.NOT_FOUND


@pytest.mark.parametrize("size", [7, None])
def test_without_a_checksum_the_length_must_do(tmp_path: Path, size: int | None) -> None:
    file = _listed(b"content", md5=None, size=size)
    with _reading(in_turn(Reply(body=b"another"))) as (content, _, _transport):
        content.read(file, tmp_path / "a")

    assert (tmp_path / "a").read_bytes() == b"another"


def test_a_file_over_the_limit_is_refused_before_it_is_asked_for(tmp_path: Path) -> None:
    with (
        _reading(in_turn(Reply()), max_bytes=1000) as (content, asked, transport),
        pytest.raises(FileUnreadableError) as caught,
    ):
        content.read(_listed(b"x" * 1001), tmp_path / "a")

    assert caught.value.reason is Reason.TOO_LARGE
    assert asked == []
    assert transport.usage.downloads == 0


def test_a_file_of_unknown_size_is_refused_by_what_really_comes(tmp_path: Path) -> None:
    file = _listed(b"", size=None, md5=None)
    with (
        _reading(in_turn(Reply(body=b"x" * 1001)), max_bytes=1000) as (content, asked, _),
        pytest.raises(FileUnreadableError) as caught,
    ):
        content.read(file, tmp_path / "a")

    assert caught.value.reason is Reason.TOO_LARGE
    assert (tmp_path / "a").stat().st_size <= 1000
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("reply", "expected", "attempts"),
    [
        (_error(403, "cannotDownloadFile"), Reason.DOWNLOAD_FORBIDDEN, 1),
        (_error(403, "cannotDownloadAbusiveFile"), Reason.ABUSE_FLAGGED, 1),
        (_error(403, "downloadQuotaExceeded"), Reason.RATE_LIMITED, 1),
        (_error(403, "fileNotDownloadable"), Reason.UNSUPPORTED_TYPE, 1),
        (_error(404, "notFound"), Reason.NOT_FOUND, 1),
        (_error(403, "somethingNew"), Reason.INTERNAL, 1),
        (_error(400, "badRequest"), Reason.INTERNAL, 1),
        (_error(403, "userRateLimitExceeded"), Reason.RATE_LIMITED, 7),
        (_error(500, "backendError"), Reason.NETWORK, 6),
        (Reply(body=b"content", send=3), Reason.NETWORK, 6),
    ],
)
def test_a_refusal_is_this_files_alone_and_only_what_may_pass_is_tried_again(
    tmp_path: Path, reply: Reply, expected: Reason, attempts: int
) -> None:
    waits: list[float] = []
    with (
        _reading(in_turn(reply), waits=waits) as (content, asked, _),
        pytest.raises(FileUnreadableError, match=r"a\.md") as caught,
    ):
        content.read(_listed(b"content"), tmp_path / "a")

    assert caught.value.reason is expected
    assert len(asked) == attempts
    assert (waits == []) is (attempts == 1)


@pytest.mark.parametrize(
    ("reply", "reach"),
    [
        (_error(403, "dailyLimitExceeded"), Reach.RUN),
        (_error(403, "accessNotConfigured"), Reach.CREDENTIALS),
        (_error(403, "insufficientPermissions"), Reach.CREDENTIALS),
    ],
)
def test_what_holds_for_every_file_is_no_fault_of_this_one(
    tmp_path: Path, reply: Reply, reach: Reach
) -> None:
    with (
        _reading(in_turn(reply)) as (content, _, _transport),
        pytest.raises(DriveCallError) as caught,
    ):
        content.read(_listed(b"content"), tmp_path / "a")

    assert caught.value.meaning.reach is reach


@pytest.mark.parametrize("kind", ["shortcut", "form", "folder", "drive-sdk.123"])
def test_what_has_no_text_to_export_costs_no_call(tmp_path: Path, kind: str) -> None:
    file = _listed(b"", mime_type=f"application/vnd.google-apps.{kind}")
    with (
        _reading(in_turn(Reply())) as (content, asked, _),
        pytest.raises(FileUnreadableError) as caught,
    ):
        content.read(file, tmp_path / "a")

    assert caught.value.reason is Reason.UNSUPPORTED_TYPE
    assert asked == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_no_fault_of_the_file(tmp_path: Path) -> None:
    body = b"x" * 3_000_000
    with _reading(in_turn(Reply(body=body))) as (content, asked, _), pytest.raises(DiskFullError):
        content.read(_listed(body), Path("/dev/full"))

    assert len(asked) == 1
