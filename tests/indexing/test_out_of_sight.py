"""What was in the bin or out of sight for a while, and what became of it in the dark."""

import pytest

from gdrive_rag_mcp.domain import Scope
from gdrive_rag_mcp.testing.hand_written import found_by_words
from tests.indexing.desk import Desk, cost


def test_the_bin_takes_a_folder_with_all_below_and_gives_it_back(drive: Desk) -> None:
    box = drive.source.add_folder("box")
    files = {
        drive.source.add_file(f"{n}.md", "sabbatical", drive.source.add_folder(f"{n}", box))
        for n in range(4)
    }
    drive.sync()
    drive.source.trash(box)
    assert drive.sync().removed == 4
    drive.source.untrash(box)
    assert drive.sync().added == 4
    assert drive.find("sabbatical") == files


def test_what_was_binned_and_taken_out_between_two_syncs_never_left(drive: Desk) -> None:
    box = drive.source.add_folder("box")
    file = drive.source.add_file("a.md", "sabbatical", box)
    drive.sync()
    before = cost(drive)
    drive.source.trash(box)
    drive.source.untrash(box)
    drive.source.move(file, drive.source.outside)
    drive.source.move(file, box)
    report = drive.sync()
    assert (report.removed, report.unchanged, cost(drive)) == (0, 1, before)


def test_lost_sight_is_like_a_deletion_and_comes_back(drive: Desk) -> None:
    box = drive.source.add_folder("box")
    file = drive.source.add_file("a.md", "sabbatical", box)
    drive.sync()
    drive.source.hide(box)
    assert drive.sync().removed == 1
    drive.source.show(box)
    assert drive.sync().added == 1
    assert drive.find("sabbatical") == {file}


@pytest.mark.parametrize("pages", [None, 1, 2])
def test_what_happened_inside_a_folder_while_it_was_out_of_sight_is_found(
    drive: Desk, pages: int | None
) -> None:
    source = drive.source
    box = source.add_folder("box")
    inner = source.add_folder("inner", box)
    edited = source.add_file("edited.md", "sabbatical", inner)
    source.add_file("deleted.md", "sabbatical", inner)
    moved = source.add_file("moved.md", "sabbatical", inner)
    kept = source.add_file("kept.md", "sabbatical", inner)
    drive.sync()
    source.hide(box)
    if pages:
        assert drive.sync_killed_after(pages)
    source.edit(edited, "sabbatical edited")
    source.remove("file-4")
    source.move(moved, box)
    new = source.add_file("new.md", "sabbatical new", inner)
    source.show(box)
    report = drive.sync()
    assert (report.complete, report.removed) == (True, 1)
    assert drive.searchable() == {
        edited: "box/inner/edited.md",
        moved: "box/moved.md",
        kept: "box/inner/kept.md",
        new: "box/inner/new.md",
    }
    assert drive.find("edited") == {edited}


@pytest.mark.parametrize("pages", range(2, 7))
def test_what_was_listed_before_a_kill_and_vanished_in_the_dark_leaves_no_line(
    drive: Desk, pages: int
) -> None:
    source = drive.source
    drive.sync()
    box = source.add_folder("box", source.outside)
    inner = source.add_folder("inner", box)
    kept = source.add_file("kept.md", "sabbatical", inner)
    gone = source.add_file("gone.md", "sabbatical", inner)
    source.move(box, "root")
    assert drive.sync_killed_after(pages)
    source.hide(box)
    source.remove(gone)
    source.show(box)
    assert drive.sync().complete
    assert drive.searchable() == {kept: "box/inner/kept.md"}
    assert not drive.has_line(gone)


def test_a_folder_with_two_parents_that_vanished_in_the_dark_is_gone_from_both(
    drive: Desk,
) -> None:
    source = drive.source
    one, two = source.add_folder("one"), source.add_folder("two")
    shared = source.add_folder("shared", one)
    source.move(shared, one, two)
    source.add_file("a.md", "sabbatical", shared)
    drive.sync()
    source.hide(one)
    source.hide(two)
    source.remove(shared)
    source.show(one)
    source.show(two)
    assert drive.sync().removed == 1
    assert drive.content() == []


def test_a_file_with_two_parents_stays_until_it_has_left_both(drive: Desk) -> None:
    one, two = drive.source.add_folder("one"), drive.source.add_folder("two")
    file = drive.source.add_file("a.md", "sabbatical", one)
    drive.source.move(file, one, two)
    drive.sync()
    for folder in (one, two):
        with drive.reading() as store:
            assert found_by_words(store, "sabbatical", Scope(frozenset({folder})))
    drive.source.trash(one)
    assert drive.sync().removed == 0
    assert drive.searchable() == {file: "two/a.md"}
    drive.source.move(two, drive.source.outside)
    assert drive.sync().removed == 1


def test_an_edit_of_what_is_in_the_bin_brings_nothing_back(drive: Desk) -> None:
    box = drive.source.add_folder("box")
    file = drive.source.add_file("a.md", "sabbatical", box)
    drive.sync()
    drive.source.trash(box)
    drive.source.edit(file, "sabbatical edited in the bin")
    assert drive.sync().removed == 1
    drive.source.untrash(box)
    drive.sync()
    assert drive.find("edited") == {file}
