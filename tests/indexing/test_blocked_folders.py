"""A folder that cannot be looked into is unknown, not empty, and the ledger says so."""

from datetime import timedelta

import pytest

from gdrive_rag_mcp.domain import FileState, Reason
from tests.indexing.desk import Desk

BLOCKS = ("flagged", "refused")


def block(desk: Desk, folder: str, reason: Reason | None, how: str) -> None:
    """Let the folder say of itself that it is closed, or let nothing but looking into it tell."""
    if how == "flagged":
        desk.source.block(folder, reason)
    else:
        desk.source.forbid(folder, reason)
        desk.source.lose_log()  # only a crawl finds out


@pytest.mark.parametrize("how", BLOCKS)
def test_what_lay_below_a_folder_stays_when_it_is_blocked_and_is_followed_again_after(
    drive: Desk, how: str
) -> None:
    source = drive.source
    locked = source.add_folder("locked")
    deeper = source.add_folder("deeper", locked)
    link = source.add_folder("linked", source.add_drive("team"))
    files = {
        source.add_file("a.md", "sabbatical", locked),
        source.add_file("b.md", "sabbatical", deeper),
        source.add_file("c.md", "sabbatical", link),
    }
    source.add_shortcut("link", link, deeper)
    drive.sync()
    block(drive, locked, Reason.ACCESS_DENIED, how)
    report = drive.sync()
    assert (report.complete, report.removed) == (True, 0)
    assert drive.find("sabbatical") == files
    assert report.coverage.by_reason == {Reason.ACCESS_DENIED: 1}
    source.lose_log()
    assert drive.sync().removed == 0
    assert drive.find("sabbatical") == files
    block(drive, locked, None, how)
    new = source.add_file("new.md", "sabbatical", deeper)
    drive.later(days=2)
    assert drive.sync().complete
    assert drive.find("sabbatical") == {*files, new}
    assert not drive.has_line(locked)


@pytest.mark.parametrize("how", BLOCKS)
def test_a_blocked_folder_is_tried_again_later_and_later(drive: Desk, how: str) -> None:
    source = drive.source
    locked = source.add_folder("locked")
    block(drive, locked, Reason.ACCESS_DENIED, how)
    drive.sync()
    waits = []
    for attempt in range(1, 6):
        record = drive.record(locked)
        assert (record.is_folder, record.state, record.path) == (True, FileState.FAILED, "locked")
        assert (record.reason, record.attempts) == (Reason.ACCESS_DENIED, attempt)
        assert record.next_attempt
        waits.append(record.next_attempt - drive.now)
        calls = source.usage.api_calls
        drive.sync()
        assert source.usage.api_calls == calls + 2, "it rests"
        drive.now = record.next_attempt
        drive.sync()
    assert waits == [timedelta(minutes=5 * 2**n) for n in range(5)]
    drive.source.forbid(locked, None)
    drive.source.block(locked, None)
    drive.later(days=1)
    drive.sync()
    assert not drive.has_line(locked)
    block(drive, locked, Reason.NETWORK, how)
    drive.sync()
    assert drive.record(locked).attempts == 1, "it opened meanwhile"


def test_a_blocked_folder_that_opens_between_two_tries_is_listed_then(drive: Desk) -> None:
    locked = drive.source.add_folder("locked")
    drive.source.forbid(locked, Reason.ACCESS_DENIED)
    drive.sync()
    file = drive.source.add_file("a.md", "sabbatical", locked)
    drive.source.forbid(locked, None)
    drive.later(minutes=6)
    drive.sync()
    assert drive.searchable() == {file: "locked/a.md"}
    assert not drive.has_line(locked)


@pytest.mark.parametrize("how", BLOCKS)
@pytest.mark.parametrize("away", ["removed", "trashed", "hidden", "moved"])
def test_a_blocked_folder_that_goes_takes_its_line_and_its_files_along(
    drive: Desk, how: str, away: str
) -> None:
    source = drive.source
    locked = source.add_folder("locked", source.add_folder("above"))
    inner = source.add_folder("inner", locked)
    source.add_file("a.md", "sabbatical", inner)
    source.block(inner, Reason.ACCESS_DENIED)
    drive.sync()
    block(drive, locked, Reason.ACCESS_DENIED, how)
    drive.sync()
    assert drive.has_line(locked)
    {
        "removed": lambda: source.remove(locked),
        "trashed": lambda: source.trash(locked),
        "hidden": lambda: source.hide(locked),
        "moved": lambda: source.move(locked, source.outside),
    }[away]()
    assert drive.sync().complete
    assert drive.content() == []


def test_a_blocked_folder_that_moves_takes_its_line_along(drive: Desk) -> None:
    locked = drive.source.add_folder("locked")
    drive.source.block(locked, Reason.ACCESS_DENIED)
    drive.sync()
    drive.source.move(locked, drive.source.add_folder("box"))
    drive.source.rename(locked, "sealed")
    drive.sync()
    assert drive.record(locked).path == "box/sealed"


def test_a_folder_that_vanishes_before_it_is_listed_leaves_nothing(drive: Desk) -> None:
    box = drive.source.add_folder("box")
    drive.source.add_file("a.md", "sabbatical", box)
    assert drive.sync_killed_after(2)
    drive.source.remove(box)
    assert drive.sync().complete
    assert drive.content() == []


@pytest.mark.parametrize("how", BLOCKS)
@pytest.mark.parametrize("calls", [None, *range(8)])
def test_what_vanished_without_a_word_while_its_folder_was_closed_is_gone_when_it_opens(
    drive: Desk, how: str, calls: int | None
) -> None:
    source = drive.source
    locked = source.add_folder("locked")
    inner = source.add_folder("inner", locked)
    files = [source.add_file(f"{n}.md", f"sabbatical {n}", inner) for n in range(7)]
    drive.sync()
    block(drive, locked, Reason.ACCESS_DENIED, how)
    drive.sync()
    source.hide(files[1], silently=True)
    source.hide(files[5], silently=True)
    drive.later(days=2)
    assert drive.sync().removed == 0
    source.block(locked, None)
    source.forbid(locked, None)
    drive.later(days=2)
    if calls is not None:
        source.listing_fails_after = calls
        drive.sync()
        assert set(files) - set(drive.searchable()) <= {files[1], files[5]}
        source.listing_fails_after = None
    source.looked_up.clear()
    assert drive.sync().complete
    assert set(source.looked_up) <= {locked, files[1], files[5]}
    assert set(drive.searchable()) == set(files) - {files[1], files[5]}


@pytest.mark.parametrize("how", BLOCKS)
def test_a_word_about_a_folder_casts_no_doubt_on_what_is_locked_below_it(
    drive: Desk, how: str
) -> None:
    source = drive.source
    box = source.add_folder("box")
    locked = source.add_folder("locked", box)
    file = source.add_file("a.md", "sabbatical", source.add_folder("inner", locked))
    drive.sync()
    block(drive, locked, Reason.ACCESS_DENIED, how)
    drive.sync()
    source.rename(box, "box")
    report = drive.sync()
    assert (report.complete, report.removed) == (True, 0)
    assert drive.searchable() == {file: "box/locked/inner/a.md"}
    assert drive.has_line(locked)


def test_a_tombstone_below_a_blocked_folder_is_believed(drive: Desk) -> None:
    locked = drive.source.add_folder("locked")
    gone = drive.source.add_file("gone.md", "sabbatical", locked)
    kept = drive.source.add_file("kept.md", "sabbatical", locked)
    drive.sync()
    drive.source.block(locked, Reason.ACCESS_DENIED)
    drive.sync()
    drive.source.remove(gone)
    assert drive.sync().removed == 1
    assert drive.find("sabbatical") == {kept}


def test_a_new_line_below_a_blocked_folder_is_not_hidden_by_it(drive: Desk) -> None:
    locked = drive.source.add_folder("locked")
    drive.source.block(locked, Reason.ACCESS_DENIED)
    drive.sync()
    file = drive.source.add_file("a.md", "sabbatical", locked)
    drive.sync()
    assert drive.searchable() == {file: "locked/a.md"}
