"""What may have changed without a word in any log, and is looked at again for that reason."""

import pytest

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.errors import RootUnavailableError
from gdrive_rag_mcp.indexing.listing import LOOK_INSIDE_AFTER
from tests.indexing.desk import Desk, cost


def in_the_dark(desk: Desk, named: str) -> tuple[str, dict[str, str]]:
    """Change what is in a folder while it is out of sight, and name the folder besides."""
    source = desk.source
    box, other = source.add_folder("box"), source.add_folder("other")
    inner = source.add_folder("inner", box)
    edited = source.add_file("edited.md", "sabbatical", inner)
    deleted = source.add_file("deleted.md", "sabbatical", inner)
    desk.sync()
    source.hide(box)
    source.edit(edited, "sabbatical edited")
    source.remove(deleted)
    new = source.add_file("new.md", "sabbatical new", inner)
    source.show(box)
    source.rename(box, "renamed") if named == "renamed" else source.move(box, other)
    above = "renamed" if named == "renamed" else "other/box"
    return box, {edited: f"{above}/inner/edited.md", new: f"{above}/inner/new.md"}


@pytest.mark.parametrize("named", ["renamed", "moved"])
def test_what_happened_in_a_folder_out_of_sight_is_found_an_hour_after_it_was_named(
    drive: Desk, named: str
) -> None:
    _, expected = in_the_dark(drive, named)
    drive.sync()
    drive.later(minutes=59)
    drive.sync()
    drive.source.folders_listed.clear()
    drive.later(minutes=2)
    report = drive.sync()
    assert (report.complete, report.removed) == (True, 1)
    assert drive.searchable() == expected
    assert drive.find("edited")
    assert len(drive.source.folders_listed) == 2, "the folder and the one below it"


def test_a_rename_is_looked_into_once_and_costs_no_content(drive: Desk) -> None:
    box = drive.source.add_folder("box")
    drive.source.add_file("a.md", "sabbatical", drive.source.add_folder("inner", box))
    drive.sync()
    before = cost(drive)
    drive.source.rename(box, "renamed")
    drive.source.folders_listed.clear()
    drive.sync()
    assert drive.source.folders_listed == []
    for expected in (2, 0, 0):
        drive.source.folders_listed.clear()
        drive.later(seconds=LOOK_INSIDE_AFTER.total_seconds())
        assert drive.sync().unchanged == 1
        assert len(drive.source.folders_listed) == expected
    assert cost(drive) == before


def test_a_folder_that_is_renamed_every_other_minute_is_looked_into_all_the_same(
    drive: Desk,
) -> None:
    box, expected = in_the_dark(drive, "renamed")
    for number in range(40):
        drive.source.rename(box, "renamed" if number % 2 else "named anew")
        drive.later(minutes=2)
        drive.sync()
    assert drive.searchable() == expected


def test_a_root_that_was_lost_is_listed_anew_when_it_is_back(drive: Desk) -> None:
    source = drive.source
    box = source.add_folder("box")
    kept = source.add_file("kept.md", "sabbatical", box)
    lost = source.add_file("lost.md", "sabbatical", box)
    drive.sync()
    source.failure = RootUnavailableError("the root is out of sight")
    with pytest.raises(RootUnavailableError):
        drive.sync()
    source.hide(box)  # in the dark, all this is
    source.remove(lost)
    new = source.add_file("new.md", "sabbatical", box)
    source.show(box)
    source.rename(box, "renamed")
    source.failure = None
    report = drive.sync()
    assert (report.removed, report.added) == (1, 1)
    assert set(drive.searchable()) == {kept, new}
    drive.source.folders_listed.clear()
    drive.sync()
    assert drive.source.folders_listed == [], "once is enough"


def test_a_damaged_export_is_a_failure_and_the_earlier_text_stays(drive: Desk) -> None:
    source = drive.source
    file = source.add_file("a.md", "sabbatical of old")
    drive.sync()
    source.exported_as[file] = "text/plain"
    source.edit(file, "!corrupt")
    drive.sync()
    record = drive.record(file)
    assert (record.state.value, record.reason) == ("failed", Reason.NETWORK)
    assert drive.find("sabbatical") == {file}
    source.edit(file, "sabbatical of today")
    drive.sync()
    assert drive.find("today") == {file}


def test_a_damaged_file_that_is_kept_so_is_skipped(drive: Desk) -> None:
    file = drive.source.add_file("a.md", "!corrupt")
    drive.sync()
    assert drive.record(file).reason is Reason.CORRUPT


@pytest.mark.parametrize("reason", [Reason.DOWNLOAD_FORBIDDEN, Reason.ABUSE_FLAGGED])
@pytest.mark.parametrize("told", [True, False])
def test_a_file_that_was_not_given_out_is_asked_for_again(
    drive: Desk, reason: Reason, *, told: bool
) -> None:
    source = drive.source
    file = source.add_file("a.md", "sabbatical")
    source.fail_reading(file, reason)
    drive.sync()
    assert drive.record(file).reason is reason
    downloads = source.usage.downloads
    drive.sync()
    assert source.usage.downloads == downloads, "it rests"
    source.fail_reading(file, None)
    if told:
        source.rename(file, "b.md")
    else:
        drive.later(hours=1)
    drive.sync()
    assert drive.find("sabbatical") == {file}


def test_a_link_that_led_nowhere_is_tried_again_later_and_later(drive: Desk) -> None:
    source = drive.source
    far = source.add_folder("far", source.outside)
    file = source.add_file("a.md", "sabbatical", far)
    link = source.add_shortcut("link", file)
    source.hide(file, silently=True)
    drive.sync()
    assert drive.record(link).reason is Reason.BROKEN_SHORTCUT
    asked = len(source.looked_up)
    drive.sync()
    assert len(source.looked_up) == asked, "it rests"
    drive.later(minutes=6)
    drive.sync()
    drive.later(minutes=6)
    drive.sync()
    assert len(source.looked_up) == asked + 1
    source.show(file, silently=True)
    drive.later(hours=1)
    drive.sync()
    assert drive.find("sabbatical") == {file}
    assert not drive.has_line(link)
