"""Listing a Drive folder: pages, cycles, faults, and what is never complete."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from gdrive_rag_mcp.domain import ChangePage, LookedUp, Reason, SourceFile, SourceFolder
from gdrive_rag_mcp.errors import (
    SourceUnavailableError,
)
from gdrive_rag_mcp.sources.drive import DriveSource
from gdrive_rag_mcp.testing.fake_drive import FakeDrive
from gdrive_rag_mcp.testing.fake_drive.answers import Answer

Connect = Callable[..., DriveSource]
Heard = Callable[[DriveSource], Iterator[ChangePage]]
Listed = Callable[[DriveSource], tuple[dict[str, SourceFile], dict[str, SourceFolder]]]


def _children_of(folder_id: str) -> str:
    return re.escape(f"files?q='{folder_id}' in parents")


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
    assert drive.counts() == {"token": 1, "get": 1, "start_token": 1, "list": 21, "changes": 1}
    assert source.usage.api_calls == 24


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


def test_a_listing_that_goes_in_circles_is_broken_off(
    drive: FakeDrive, connect: Connect, heard: Heard
) -> None:
    drive.alter(
        _children_of(drive.root),
        lambda _: Answer(body=b'{"nextPageToken": "again", "files": []}'),
        times=99,
    )

    with pytest.raises(SourceUnavailableError, match="in circles"):
        list(heard(connect()))

    assert drive.counts()["list"] == 2


def test_a_source_that_was_closed_makes_no_further_call(
    drive: FakeDrive, connect: Connect, heard: Heard
) -> None:
    source = connect()
    source.check()
    source.close()

    with pytest.raises(SourceUnavailableError, match="stopped"):
        list(heard(source))

    assert drive.counts()["list"] == 0


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
    drive.files.add_parent(above, below)
    drive.files.add_file("inside.md", b"x", below)

    files, folders = listed(connect())

    assert set(files) == {"inside.md"}
    assert len(folders) == 3


def test_a_file_in_two_folders_is_listed_with_both_wherever_it_is_found(
    drive: FakeDrive, connect: Connect, heard: Heard
) -> None:
    one, two = drive.files.add_folder("one"), drive.files.add_folder("two")
    shared = drive.files.add_file("shared.md", b"x", one)
    drive.files.add_parent(shared, two)

    files = [file for page in heard(connect()) for file in page.files]

    assert {file.parents for file in files} == {(one, two)}


def test_an_incomplete_search_lists_what_it_can_and_never_completes(
    drive: FakeDrive, connect: Connect, heard: Heard
) -> None:
    uncertain, certain = drive.files.add_folder("uncertain"), drive.files.add_folder("certain")
    drive.files.add_file("a.md", b"x", uncertain)
    drive.files.add_file("b.md", b"x", certain)
    drive.api.incomplete_folders.add(uncertain)
    pages: list[ChangePage] = []

    with pytest.raises(SourceUnavailableError, match="'uncertain'"):
        pages.extend(heard(connect()))

    # `extend` keeps what came before the error
    assert {file.name for page in pages for file in page.files} == {"a.md", "b.md"}
    assert not any(page.complete for page in pages)


def test_a_listing_that_keeps_failing_ends_the_crawl_and_keeps_what_came_before(
    drive: FakeDrive, connect: Connect, heard: Heard, waits: list[float]
) -> None:
    first, second = drive.files.add_folder("first"), drive.files.add_folder("second")
    drive.files.add_file("a.md", b"x", first)
    drive.files.add_file("b.md", b"x", second)
    drive.fail(_children_of(second), 500, times=99)
    pages: list[ChangePage] = []

    with pytest.raises(SourceUnavailableError, match="500") as caught:
        pages.extend(heard(connect()))

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


def test_a_folder_that_says_it_may_not_be_listed_is_not_even_asked_for(
    drive: FakeDrive, connect: Connect, listed: Listed
) -> None:
    closed, _ = drive.files.add_folder("closed"), drive.files.add_file("open.md", b"x")
    drive.files.add_file("inside.md", b"x", closed)
    drive.files.set(closed, capabilities={"canListChildren": False})

    files, folders = listed(connect())

    assert set(files) == {"open.md"}
    assert folders["closed"].obstacle is Reason.ACCESS_DENIED
    assert drive.counts()["list"] == 1


@pytest.mark.parametrize(
    ("status", "said", "reason"),
    [
        (403, "insufficientFilePermissions", Reason.ACCESS_DENIED),
        (404, "notFound", Reason.NOT_FOUND),
    ],
)
def test_a_folder_that_is_refused_is_unknown_and_the_rest_is_complete(
    drive: FakeDrive, connect: Connect, heard: Heard, status: int, said: str, reason: Reason
) -> None:
    closed, _ = drive.files.add_folder("closed"), drive.files.add_file("open.md", b"x")
    drive.files.add_file("inside.md", b"x", closed)
    drive.fail(_children_of(closed), status, said, times=9)

    pages = list(heard(connect()))

    assert {file.name for page in pages for file in page.files} == {"open.md"}
    assert [one for page in pages for one in page.looked_up] == [LookedUp(closed, reason)]
    assert any(page.complete for page in pages)


def test_a_folder_removed_while_it_waits_to_be_listed_does_not_fail_the_crawl(
    drive: FakeDrive, connect: Connect, heard: Heard
) -> None:
    gone = drive.files.add_folder("gone")
    drive.files.add_file("inside.md", b"x", gone)
    pages = heard(connect())
    seen = [next(pages), next(pages)]
    drive.files.remove(gone)

    seen.extend(pages)

    assert any(page.complete for page in seen)
    assert [one.id for page in seen for one in page.removed] == [gone]


def test_access_to_the_root_lost_during_the_crawl_never_completes_it(
    drive: FakeDrive, connect: Connect, heard: Heard
) -> None:
    drive.files.add_file("a.md", b"x", drive.files.add_folder("inside"))
    pages = heard(connect())
    seen = [next(pages)]
    drive.files.hide(drive.root)

    with pytest.raises(SourceUnavailableError, match="share the folder"):
        seen.extend(pages)

    assert not any(page.complete for page in seen)


def test_names_that_are_no_text_or_break_a_query_are_listed(
    drive: FakeDrive, connect: Connect, heard: Heard
) -> None:
    names = ["it's.md", "a/b.md", "two\nlines.md", "", "same.md", "same.md", "\ud800.md"]
    odd = drive.files.add_folder("d'Artagnan \\")
    for name in names:
        drive.files.add_file(name, b"x", odd)

    found = [file.name for page in heard(connect()) for file in page.files]

    assert sorted(found) == sorted([*names[:-1], "?.md"])
