"""The Drive source against a Drive on loopback: listings, contents, failures and threads."""

import re
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gdrive_rag_mcp.domain import ChangePage, Reason, SourceFile, SourceFolder
from gdrive_rag_mcp.errors import (
    DiskFullError,
    FileUnreadableError,
    SettingsError,
    SourceAuthError,
    SourceUnavailableError,
)
from gdrive_rag_mcp.sources.drive import DriveSource
from gdrive_rag_mcp.testing.fake_drive import FakeDrive
from gdrive_rag_mcp.testing.fake_drive.answers import Answer
from gdrive_rag_mcp.testing.fake_drive.files import DOCUMENT, FOLDER, SHORTCUT, SPREADSHEET

Connect = Callable[..., DriveSource]
Listed = Callable[[DriveSource], tuple[dict[str, SourceFile], dict[str, SourceFolder]]]
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

_opened: list[Any] = []
_recording = threading.Event()


def _record(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "socket.connect" and _recording.is_set():
        _opened.append(arguments[1])


sys.addaudithook(_record)


def _children_of(folder_id: str) -> str:
    return re.escape(f"files?q='{folder_id}' in parents")


def _media_of(file_id: str) -> str:
    return f"/files/{file_id}\\?.*alt=media"


def _fails(source: DriveSource, file: SourceFile, into: Path) -> FileUnreadableError:
    with pytest.raises(FileUnreadableError, match=re.escape(file.name)) as caught:
        source.read(file, into)
    return caught.value


# ── listing ──────────────────────────────────────────────────────────────────


def test_300_files_in_20_folders_cost_one_list_call_a_folder(
    drive: FakeDrive, connect: Connect, listed: Listed
) -> None:
    folders = [drive.files.add_folder(f"folder {number}") for number in range(20)]
    for number in range(300):
        drive.files.add_file(f"{number}.md", b"x", folders[number % 20])
    source = connect()

    files, found = listed(source)

    assert set(files) == {f"{number}.md" for number in range(300)}
    assert len(found) == 21
    assert drive.counts() == {"token": 1, "get": 2, "list": 21}
    assert source.usage.api_calls == 23


def test_pages_shorter_than_asked_for_are_not_the_end(
    drive: FakeDrive, connect: Connect, listed: Listed
) -> None:
    drive.api.largest_page = 7
    folders = [drive.files.add_folder(f"folder {number}") for number in range(20)]
    for number in range(300):
        drive.files.add_file(f"{number}.md", b"x", folders[number % 20])

    files, _ = listed(connect())

    assert len(files) == 300
    assert drive.counts()["list"] == 20 * 3 + 3


def test_an_empty_page_with_a_token_is_not_the_end(
    drive: FakeDrive, connect: Connect, listed: Listed
) -> None:
    drive.api.largest_page = 1
    for name in "ab":
        drive.files.add_file(f"{name}.md", b"x")
    drive.alter(_children_of(drive.root), _without_files)

    files, _ = listed(connect())

    assert set(files) == {"b.md"}  # the page was emptied, the listing went on


def test_a_listing_that_goes_in_circles_is_broken_off(drive: FakeDrive, connect: Connect) -> None:
    drive.alter(
        _children_of(drive.root),
        lambda _: Answer(body=b'{"nextPageToken": "again", "files": []}'),
        times=99,
    )

    with pytest.raises(SourceUnavailableError, match="in circles"):
        list(connect().changes(None))

    assert drive.counts()["list"] == 2


def test_a_source_can_be_used_again_after_it_was_closed(
    drive: FakeDrive, connect: Connect, listed: Listed
) -> None:
    drive.files.add_file("a.md", b"x")
    source = connect()
    source.check()
    source.close()

    assert set(listed(source)[0]) == {"a.md"}


def _without_files(answer: Answer) -> Answer:
    return replace(answer, body=re.sub(rb'"files": \[.*\]', b'"files": []', answer.body))


def test_every_request_names_both_flags_for_shared_drives_and_asks_for_the_token(
    drive: FakeDrive, connect: Connect, listed: Listed, tmp_path: Path
) -> None:
    drive.files.add_file("a.md", b"x")
    source = connect()
    source.read(listed(source)[0]["a.md"], tmp_path / "content")

    for request in drive.requests:
        if request.kind != "token":
            assert request.query["supportsAllDrives"] == "true"
        if request.kind == "list":
            assert request.query["includeItemsFromAllDrives"] == "true"
            assert request.query["fields"].startswith("nextPageToken,incompleteSearch,")
            assert request.query["pageSize"] == "1000"


def test_what_is_in_the_bin_is_not_listed(
    drive: FakeDrive, connect: Connect, listed: Listed
) -> None:
    folder = drive.files.add_folder("thrown away")
    drive.files.add_file("inside.md", b"x", folder)
    drive.files.add_file("kept.md", b"x")
    drive.files.trash(drive.files.add_file("single.md", b"x"))
    drive.files.trash(folder)

    assert set(listed(connect())[0]) == {"kept.md"}


def test_folders_that_contain_each_other_end_the_crawl(
    drive: FakeDrive, connect: Connect, listed: Listed
) -> None:
    above = drive.files.add_folder("above")
    below = drive.files.add_folder("below", above)
    drive.files.visible(above).parents.append(below)
    drive.files.add_file("inside.md", b"x", below)

    files, folders = listed(connect())

    assert set(files) == {"inside.md"}
    assert len(folders) == 3


def test_a_file_in_two_folders_is_listed_once_with_both(drive: FakeDrive, connect: Connect) -> None:
    one, two = drive.files.add_folder("one"), drive.files.add_folder("two")
    shared = drive.files.add_file("shared.md", b"x", one)
    drive.files.visible(shared).parents.append(two)

    files = [file for page in connect().changes(None) for file in page.files]

    assert [file.parents for file in files] == [(one, two)]


def test_an_incomplete_search_lists_what_it_can_and_never_completes(
    drive: FakeDrive, connect: Connect
) -> None:
    uncertain, certain = drive.files.add_folder("uncertain"), drive.files.add_folder("certain")
    drive.files.add_file("a.md", b"x", uncertain)
    drive.files.add_file("b.md", b"x", certain)
    drive.api.incomplete_folders.add(uncertain)
    pages: list[ChangePage] = []

    with pytest.raises(SourceUnavailableError, match="'uncertain'"):
        pages.extend(connect().changes(None))

    # `extend` keeps what came before the error
    assert {file.name for page in pages for file in page.files} == {"a.md", "b.md"}
    assert not any(page.complete for page in pages)


def test_a_listing_that_keeps_failing_ends_the_crawl_and_keeps_what_came_before(
    drive: FakeDrive, connect: Connect, waits: list[float]
) -> None:
    first, second = drive.files.add_folder("first"), drive.files.add_folder("second")
    drive.files.add_file("a.md", b"x", first)
    drive.files.add_file("b.md", b"x", second)
    drive.fail(_children_of(second), 500, times=99)
    pages: list[ChangePage] = []

    with pytest.raises(SourceUnavailableError, match="500") as caught:
        pages.extend(connect().changes(None))

    assert {file.name for page in pages for file in page.files} == {"a.md"}
    assert not any(page.complete for page in pages)
    assert caught.value.hint
    assert len(waits) == 5
    assert sum(waits) <= 120


def test_one_failing_answer_is_asked_again_and_the_listing_completes(
    drive: FakeDrive, connect: Connect, listed: Listed, waits: list[float]
) -> None:
    drive.files.add_file("a.md", b"x")
    drive.fail(_children_of(drive.root), 503)

    assert set(listed(connect())[0]) == {"a.md"}
    assert len(waits) == 1


@pytest.mark.parametrize("reason", ["userRateLimitExceeded", "rateLimitExceeded"])
def test_a_403_for_speed_waits_as_long_as_it_is_told_to(
    drive: FakeDrive, connect: Connect, listed: Listed, waits: list[float], reason: str
) -> None:
    drive.files.add_file("a.md", b"x")
    drive.fail(_children_of(drive.root), 403, reason, retry_after="17")

    assert set(listed(connect())[0]) == {"a.md"}
    assert waits == [17.0]


def test_a_dropped_or_broken_connection_is_tried_again(
    drive: FakeDrive, connect: Connect, listed: Listed
) -> None:
    drive.files.add_file("a.md", b"x")
    drive.reset(_children_of(drive.root))
    drive.cut(_children_of(drive.root))
    drive.alter(_children_of(drive.root), lambda _: Answer(body=b"<html>Sign in to the network"))
    drive.alter(_children_of(drive.root), lambda _: Answer(body=b"[]"))

    assert set(listed(connect())[0]) == {"a.md"}


@pytest.mark.parametrize(("field", "status"), [("canListChildren", None), ("", 403), ("", 404)])
def test_a_folder_that_may_not_be_listed_is_unknown_and_the_rest_is_complete(
    drive: FakeDrive, connect: Connect, listed: Listed, field: str, status: int | None
) -> None:
    closed, _ = drive.files.add_folder("closed"), drive.files.add_file("open.md", b"x")
    drive.files.add_file("inside.md", b"x", closed)
    if field:
        drive.files.set(closed, capabilities={field: False})
    if status:
        reason = "insufficientFilePermissions" if status == 403 else "notFound"
        drive.fail(_children_of(closed), status, reason)

    files, folders = listed(connect())

    assert set(files) == {"open.md"}
    expected = Reason.NOT_FOUND if status == 404 else Reason.ACCESS_DENIED
    assert folders["closed"].obstacle is expected
    assert folders["closed"].name == "closed"


def test_a_folder_removed_between_two_pages_does_not_fail_the_crawl(
    drive: FakeDrive, connect: Connect
) -> None:
    gone = drive.files.add_folder("gone")
    drive.files.add_file("inside.md", b"x", gone)
    pages = connect().changes(None)
    seen = [next(pages)]
    drive.files.remove(gone)

    seen.extend(pages)

    assert seen[-1].complete
    assert [folder.obstacle for page in seen for folder in page.folders] == [
        None,
        Reason.NOT_FOUND,
    ]


def test_access_to_the_root_lost_during_the_crawl_never_completes_it(
    drive: FakeDrive, connect: Connect
) -> None:
    drive.files.add_file("a.md", b"x", drive.files.add_folder("inside"))
    pages = connect().changes(None)
    seen = [next(pages)]
    drive.files.hide(drive.root)

    with pytest.raises(SourceUnavailableError, match="share the folder"):
        seen.extend(pages)

    assert not any(page.complete for page in seen)


def test_names_that_are_no_text_or_break_a_query_are_listed(
    drive: FakeDrive, connect: Connect
) -> None:
    names = ["it's.md", "a/b.md", "two\nlines.md", "", "same.md", "same.md", "\ud800.md"]
    odd = drive.files.add_folder("d'Artagnan \\")
    for name in names:
        drive.files.add_file(name, b"x", odd)

    found = [file.name for page in connect().changes(None) for file in page.files]

    assert sorted(found) == sorted([*names[:-1], "?.md"])


# ── versions ─────────────────────────────────────────────────────────────────


def test_a_moved_or_renamed_blob_keeps_its_version_and_a_new_content_does_not(
    drive: FakeDrive, connect: Connect, listed: Listed
) -> None:
    file = drive.files.add_file("a.md", b"before")
    before = listed(connect())[0]["a.md"]
    drive.files.move(file, drive.files.add_folder("elsewhere"))
    drive.files.rename(file, "b.md")
    moved = listed(connect())[0]["b.md"]
    drive.files.edit(file, b"after")

    assert moved.version == before.version
    assert moved.revision == before.revision
    assert listed(connect())[0]["b.md"].version != before.version


def test_a_native_document_keeps_its_version_when_its_folder_is_renamed_or_moved(
    drive: FakeDrive, connect: Connect, listed: Listed
) -> None:
    folder = drive.files.add_folder("old")
    document = drive.files.add_native("doc", {DOCX: b"1"}, folder)
    before = listed(connect())[0]["doc"].version
    drive.files.rename(folder, "new")
    drive.files.move(folder, drive.files.add_folder("above"))
    moved = listed(connect())[0]["doc"].version
    drive.files.edit_native(document, {DOCX: b"2"})

    assert moved == before
    assert listed(connect())[0]["doc"].version != before


def test_an_edit_that_hides_its_time_still_changes_a_native_version(
    drive: FakeDrive, connect: Connect, listed: Listed
) -> None:
    document = drive.files.add_native("doc", {DOCX: b"1"})
    drive.files.set(document, modifiedTime="2026-01-01T00:00:00.000Z")
    before = listed(connect())[0]["doc"].version
    drive.files.edit_native(document, {DOCX: b"2"})

    assert listed(connect())[0]["doc"].version != before


def test_a_blob_without_a_checksum_is_told_apart_by_size_time_and_revision(
    drive: FakeDrive, connect: Connect, listed: Listed
) -> None:
    file = drive.files.add_file("a.md", b"before", md5Checksum=None)
    before = listed(connect())[0]["a.md"].version
    drive.files.edit(file, b"after!")

    assert listed(connect())[0]["a.md"].version != before


def test_the_end_of_an_obstacle_changes_the_version(
    drive: FakeDrive, connect: Connect, listed: Listed
) -> None:
    file = drive.files.add_file("a.md", b"x", capabilities={"canDownload": False})
    blocked = listed(connect())[0]["a.md"]
    drive.files.set(file, capabilities={"canDownload": True})
    free = listed(connect())[0]["a.md"]

    assert (blocked.obstacle, free.obstacle) == (Reason.DOWNLOAD_FORBIDDEN, None)
    assert blocked.version != free.version


def test_client_side_encryption_is_an_obstacle_seen_in_the_listing(
    drive: FakeDrive, connect: Connect, listed: Listed
) -> None:
    drive.files.add_file("a.md", b"x", clientEncryptionDetails={"encryptionState": "encrypted"})

    assert listed(connect())[0]["a.md"].obstacle is Reason.ENCRYPTED


# ── content ──────────────────────────────────────────────────────────────────


def test_a_large_file_arrives_in_ranges(
    drive: FakeDrive, connect: Connect, listed: Listed, tmp_path: Path
) -> None:
    content = b"0123456789abcdef" * (20 * 1024 * 1024 // 16)
    drive.files.add_file("large.md", content)
    source = connect()

    source.read(listed(source)[0]["large.md"], tmp_path / "content")

    assert (tmp_path / "content").read_bytes() == content
    assert drive.counts()["media"] == 3
    assert source.usage.downloads == 1


def test_a_range_that_fails_half_way_is_fetched_again_and_not_the_rest(
    drive: FakeDrive, connect: Connect, listed: Listed, tmp_path: Path
) -> None:
    content = bytes(range(256)) * (18 * 1024 * 1024 // 256)
    file = drive.files.add_file("large.md", content)
    drive.alter(_media_of(file), lambda answer: answer)
    drive.reset(_media_of(file))
    drive.cut(_media_of(file))
    drive.fail(_media_of(file), 500)
    source = connect()

    source.read(listed(source)[0]["large.md"], tmp_path / "content")

    assert (tmp_path / "content").read_bytes() == content
    assert drive.counts()["media"] == 3 + 3


def test_a_server_that_ignores_ranges_is_understood(
    drive: FakeDrive, connect: Connect, listed: Listed, tmp_path: Path
) -> None:
    file = drive.files.add_file("a.md", b"whole")
    drive.alter(_media_of(file), lambda _: Answer(body=b"whole"))
    source = connect()

    source.read(listed(source)[0]["a.md"], tmp_path / "content")

    assert (tmp_path / "content").read_bytes() == b"whole"


@pytest.mark.parametrize(("mime_type", "exported"), [(DOCUMENT, DOCX), (SPREADSHEET, XLSX)])
def test_google_documents_are_exported(
    drive: FakeDrive,
    connect: Connect,
    listed: Listed,
    tmp_path: Path,
    mime_type: str,
    exported: str,
) -> None:
    drive.files.add_native(
        "native", {exported: b"office", "text/plain": b"no"}, mime_type=mime_type
    )
    source = connect()
    file = listed(source)[0]["native"]

    fetched = source.read(file, tmp_path / "content")

    assert file.mime_type == mime_type
    assert fetched.mime_type == exported
    assert (tmp_path / "content").read_bytes() == b"office"
    assert source.usage.downloads == 1


@pytest.mark.parametrize("kind", [SHORTCUT, "application/vnd.google-apps.form"])
def test_what_has_no_text_to_export_is_listed_and_costs_no_call(
    drive: FakeDrive, connect: Connect, listed: Listed, tmp_path: Path, kind: str
) -> None:
    drive.files.add_native("odd", {}, mime_type=kind)
    source = connect()
    file = listed(source)[0]["odd"]
    calls = len(drive.requests)

    assert file.mime_type == kind
    assert file.obstacle is None
    assert _fails(source, file, tmp_path / "content").reason is Reason.UNSUPPORTED_TYPE
    assert len(drive.requests) == calls
    assert source.usage.downloads == 0


def test_an_export_over_10_mb_says_so(
    drive: FakeDrive, connect: Connect, listed: Listed, tmp_path: Path
) -> None:
    drive.files.add_native("huge", {DOCX: b"x" * (10 * 1024 * 1024 + 1)})
    source = connect()

    error = _fails(source, listed(source)[0]["huge"], tmp_path / "content")

    assert error.reason is Reason.EXPORT_TOO_LARGE
    assert drive.counts()["export"] == 1


def test_a_file_over_the_limit_is_refused_before_it_is_fetched(
    drive: FakeDrive, connect: Connect, listed: Listed, tmp_path: Path
) -> None:
    drive.files.add_file("over.md", b"x" * 1001)
    source = connect(max_bytes=1000)

    error = _fails(source, listed(source)[0]["over.md"], tmp_path / "content")

    assert error.reason is Reason.TOO_LARGE
    assert drive.counts()["media"] == 0


def test_a_file_that_is_longer_than_listed_is_cut_off_at_the_limit(
    drive: FakeDrive, connect: Connect, listed: Listed, tmp_path: Path
) -> None:
    drive.files.add_file("over.md", b"x" * 1001, size=None)
    source = connect(max_bytes=1000)

    error = _fails(source, listed(source)[0]["over.md"], tmp_path / "content")

    assert error.reason is Reason.TOO_LARGE
    assert (tmp_path / "content").stat().st_size == 0


def _damage(answer: Answer) -> Answer:
    return replace(answer, body=b"X" + answer.body[1:])


def test_damage_on_the_way_is_noticed_and_fetched_once_more(
    drive: FakeDrive, connect: Connect, listed: Listed, tmp_path: Path
) -> None:
    file = drive.files.add_file("a.md", b"content")
    drive.alter(_media_of(file), _damage)
    source = connect()

    source.read(listed(source)[0]["a.md"], tmp_path / "content")

    assert (tmp_path / "content").read_bytes() == b"content"


def test_a_file_edited_since_the_listing_is_left_to_the_next_sync(
    drive: FakeDrive, connect: Connect, listed: Listed, tmp_path: Path
) -> None:
    file = drive.files.add_file("a.md", b"before")
    source = connect()
    stale = listed(source)[0]["a.md"]
    drive.files.edit(file, b"after")

    assert _fails(source, stale, tmp_path / "content").reason is Reason.CHANGING
    source.read(listed(source)[0]["a.md"], tmp_path / "content")
    assert (tmp_path / "content").read_bytes() == b"after"


@pytest.mark.parametrize(
    ("status", "answer", "expected"),
    [
        (403, "cannotDownloadFile", Reason.DOWNLOAD_FORBIDDEN),
        (403, "cannotDownloadAbusiveFile", Reason.ABUSE_FLAGGED),
        (403, "insufficientFilePermissions", Reason.ACCESS_DENIED),
        (403, "downloadQuotaExceeded", Reason.RATE_LIMITED),
        (403, "somethingNew", Reason.ACCESS_DENIED),
        (404, "notFound", Reason.NOT_FOUND),
        (400, "badRequest", Reason.INTERNAL),
    ],
)
def test_a_refusal_costs_that_file_alone_and_is_not_asked_again(
    drive: FakeDrive,
    connect: Connect,
    listed: Listed,
    tmp_path: Path,
    waits: list[float],
    *,
    status: int,
    answer: str,
    expected: Reason,
) -> None:
    file = drive.files.add_file("a.md", b"x")
    drive.files.add_file("b.md", b"other")
    drive.fail(_media_of(file), status, answer, times=99)
    source = connect()
    files = listed(source)[0]

    assert _fails(source, files["a.md"], tmp_path / "content").reason is expected
    source.read(files["b.md"], tmp_path / "content")

    assert waits == []
    assert (tmp_path / "content").read_bytes() == b"other"


@pytest.mark.parametrize(
    ("status", "answer", "expected"),
    [
        (429, "rateLimitExceeded", Reason.RATE_LIMITED),
        (403, "userRateLimitExceeded", Reason.RATE_LIMITED),
        (503, "backendError", Reason.NETWORK),
    ],
)
def test_what_does_not_pass_is_given_up_for_this_file_after_a_bounded_wait(
    drive: FakeDrive,
    connect: Connect,
    listed: Listed,
    tmp_path: Path,
    waits: list[float],
    *,
    status: int,
    answer: str,
    expected: Reason,
) -> None:
    file = drive.files.add_file("a.md", b"x")
    drive.fail(_media_of(file), status, answer, times=99)
    source = connect()

    assert _fails(source, listed(source)[0]["a.md"], tmp_path / "content").reason is expected
    assert 4 <= len(waits) <= 10
    assert waits == sorted(waits)
    assert sum(waits) <= 120


def test_an_order_to_wait_longer_than_patience_is_not_obeyed(
    drive: FakeDrive, connect: Connect, listed: Listed, tmp_path: Path, waits: list[float]
) -> None:
    file = drive.files.add_file("a.md", b"x")
    drive.fail(_media_of(file), 429, "rateLimitExceeded", retry_after="86400")
    source = connect()

    error = _fails(source, listed(source)[0]["a.md"], tmp_path / "content")

    assert error.reason is Reason.RATE_LIMITED
    assert waits == []


def test_a_used_up_daily_quota_stops_the_run_and_not_one_file_after_the_other(
    drive: FakeDrive, connect: Connect, listed: Listed, tmp_path: Path
) -> None:
    file = drive.files.add_file("a.md", b"x")
    drive.fail(_media_of(file), 403, "dailyLimitExceeded")
    source = connect()

    with pytest.raises(SourceUnavailableError, match="dailyLimitExceeded"):
        source.read(listed(source)[0]["a.md"], tmp_path / "content")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_no_fault_of_the_file_nor_of_the_network(
    drive: FakeDrive, connect: Connect, listed: Listed, waits: list[float]
) -> None:
    drive.files.add_file("a.md", b"x" * 100_000)
    source = connect()
    file = listed(source)[0]["a.md"]

    with pytest.raises(DiskFullError):
        source.read(file, Path("/dev/full"))

    assert waits == []


# ── credentials and the root ─────────────────────────────────────────────────


def test_an_expired_token_is_renewed_without_anybody_noticing(
    drive: FakeDrive, connect: Connect, listed: Listed
) -> None:
    drive.files.add_file("a.md", b"x")
    source = connect()
    source.check()
    drive.tokens.expire()

    assert set(listed(source)[0]) == {"a.md"}
    assert drive.counts()["token"] == 2


def test_a_key_that_dies_during_the_crawl_ends_it_and_keeps_what_came_before(
    drive: FakeDrive, connect: Connect
) -> None:
    drive.files.add_file("a.md", b"x")
    drive.files.add_file("b.md", b"x", drive.files.add_folder("inside"))
    pages = connect().changes(None)
    seen = [next(pages)]
    drive.tokens.revoke()

    with pytest.raises(SourceAuthError, match=re.escape(drive.email)) as caught:
        seen.extend(pages)

    assert [file.name for page in seen for file in page.files] == ["a.md"]
    assert not any(page.complete for page in seen)
    assert "account not found" in caught.value.message
    assert caught.value.hint


def test_a_key_that_dies_during_a_download_is_no_fault_of_the_file(
    drive: FakeDrive, connect: Connect, listed: Listed, tmp_path: Path
) -> None:
    drive.files.add_file("a.md", b"x")
    source = connect()
    file = listed(source)[0]["a.md"]
    drive.tokens.revoke()

    with pytest.raises(SourceAuthError):
        source.read(file, tmp_path / "content")


def test_an_api_that_is_switched_off_says_where_to_switch_it_on(
    drive: FakeDrive, connect: Connect
) -> None:
    drive.fail("/files/", 403, "accessNotConfigured")

    with pytest.raises(SourceAuthError, match="enable the Google Drive API"):
        connect().check()


def test_a_token_endpoint_that_cannot_be_reached_is_an_outage_and_no_bad_key(
    drive: FakeDrive, connect: Connect
) -> None:
    drive.reset("POST /token", times=99)

    with pytest.raises(SourceUnavailableError):
        connect().check()


@pytest.mark.parametrize(
    ("spoil", "problem"),
    [
        (lambda drive: drive.files.hide(drive.root), "cannot be found.*share the folder"),
        (lambda drive: drive.files.remove(drive.root), "cannot be found.*share the folder"),
        (lambda drive: drive.files.trash(drive.root), "is in the bin"),
        (
            lambda drive: drive.files.set(drive.root, capabilities={"canListChildren": False}),
            "may not be listed.*share the folder",
        ),
        (lambda drive: drive.files.set(drive.root, mimeType="text/plain"), "is no folder"),
    ],
)
def test_a_root_that_cannot_be_used_names_the_account_and_the_remedy(
    drive: FakeDrive, connect: Connect, spoil: Callable[[FakeDrive], object], problem: str
) -> None:
    spoil(drive)
    source = connect()

    with pytest.raises(SourceUnavailableError, match=problem) as checked:
        source.check()
    with pytest.raises(SourceUnavailableError, match=problem):
        list(source.changes(None))

    assert drive.email in checked.value.message


def test_a_drive_that_cannot_be_reached_is_said_to_be_that(
    drive: FakeDrive, connect: Connect
) -> None:
    source = connect()
    drive.reset("/files", times=99)

    with pytest.raises(SourceUnavailableError, match="cannot be reached"):
        source.check()


@pytest.mark.parametrize(
    ("folder_id", "remedy"),
    [
        ("https://drive.google.com/drive/folders/1AbC_d-E?usp=sharing", "set it to 1AbC_d-E"),
        ("my folder", "after /folders/"),
        ("1AbC' or trashed = true or '1", "after /folders/"),
    ],
)
def test_an_address_in_place_of_an_id_is_told_apart(
    connect: Connect, folder_id: str, remedy: str
) -> None:
    with pytest.raises(SettingsError, match=re.escape(remedy)):
        connect(folder_id)


def test_a_subfolder_may_be_the_root_and_what_is_above_stays_out(
    drive: FakeDrive, connect: Connect, listed: Listed
) -> None:
    inner = drive.files.add_folder("inner")
    drive.files.add_file("inside.md", b"x", inner)
    drive.files.add_file("outside.md", b"x")

    files, folders = listed(connect(inner))

    assert set(files) == {"inside.md"}
    assert [folder.parents for folder in folders.values()] == [()]
    assert FOLDER not in {file.mime_type for file in files.values()}


# ── threads and sockets ──────────────────────────────────────────────────────


def test_eight_threads_reading_a_hundred_files_each_get_their_own_content(
    drive: FakeDrive, connect: Connect, listed: Listed, tmp_path: Path
) -> None:
    for number in range(800):
        drive.files.add_file(f"{number}.md", f"content of {number} ".encode() * (number % 7 + 1))
    source = connect()
    files = list(listed(source)[0].values())

    def read(worker: int) -> list[str]:
        wrong = []
        for file in files[worker::8]:
            into = tmp_path / f"content-{worker}"
            source.read(file, into)
            number = int(file.name.removesuffix(".md"))
            if into.read_bytes() != f"content of {number} ".encode() * (number % 7 + 1):
                wrong.append(file.name)
        return wrong

    with ThreadPoolExecutor(8) as pool:
        wrong = [name for names in pool.map(read, range(8)) for name in names]

    assert wrong == []
    assert source.usage.downloads == drive.counts()["media"] == 800


def test_connections_of_ended_threads_are_closed_and_not_piled_up(
    drive: FakeDrive, connect: Connect
) -> None:
    source = connect()
    for _ in range(20):
        thread = threading.Thread(target=source.check)
        thread.start()
        thread.join()

    assert len(source._api._connections._by_thread) == 1


def test_nothing_but_the_loopback_address_is_ever_contacted(
    drive: FakeDrive, connect: Connect, listed: Listed, tmp_path: Path
) -> None:
    drive.files.add_file("a.md", b"x")
    drive.files.add_native("doc", {DOCX: b"x"})
    _opened.clear()
    _recording.set()
    try:
        source = connect()
        source.check()
        for file in listed(source)[0].values():
            source.read(file, tmp_path / "content")
    finally:
        _recording.clear()

    port = int(drive.url.rpartition(":")[2])
    assert _opened
    assert set(_opened) == {("127.0.0.1", port)}


def test_an_endpoint_where_a_token_could_be_overheard_is_refused(connect: Connect) -> None:
    with pytest.raises(SettingsError, match=r"GDRIVE_RAG_DRIVE_ENDPOINT.*https"):
        connect(endpoint="http://drive.example.com")
