"""News from a log: what was moved, binned, deleted, and what came back."""

import pytest

from gdrive_rag_mcp.domain import EVERYTHING, Scope
from gdrive_rag_mcp.testing.hand_written import found_by_words
from tests.indexing.desk import Desk, cost


def test_a_file_that_is_moved_out_goes_and_comes_back_when_it_is_moved_in(drive: Desk) -> None:
    file = drive.source.add_file("a.md", "sabbatical")
    drive.sync()
    drive.source.move(file, drive.source.outside)
    assert drive.sync().removed == 1
    assert not drive.has_line(file)
    drive.source.edit(file, "sabbatical edited outside")
    drive.sync()
    assert not drive.has_line(file)
    drive.source.move(file, "root")
    assert drive.sync().added == 1
    assert drive.find("edited") == {file}


def test_a_folder_that_is_moved_out_takes_everything_below_along(drive: Desk) -> None:
    box = drive.source.add_folder("box")
    deep = drive.source.add_folder("deep", box)
    for number in range(5):
        drive.source.add_file(f"{number}.md", "sabbatical", deep)
    stays = drive.source.add_file("stays.md", "sabbatical")
    drive.sync()
    drive.source.folders_listed.clear()
    drive.source.move(box, drive.source.outside)
    report = drive.sync()
    assert (report.removed, drive.source.folders_listed) == (5, [])
    assert drive.find("sabbatical") == {stays}
    with drive.reading() as store:
        assert store.ledger.resolve_scope(box, EVERYTHING) is None
        assert store.ledger.resolve_scope(deep, EVERYTHING) is None


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("pages", [None, 1, 2, 3])
def test_a_folder_that_is_moved_in_is_listed_in_full_even_after_a_kill(
    drive: Desk, pages: int | None, *, known: bool
) -> None:
    box = drive.source.add_folder("box", "root" if known else drive.source.outside)
    deep = drive.source.add_folder("deep", box)
    inside = {drive.source.add_file(f"{n}.md", f"sabbatical {n}", deep) for n in range(7)}
    drive.sync()
    drive.source.move(box, drive.source.outside)
    drive.sync()
    if not known:
        assert drive.searchable() == {}
    late = drive.source.add_file("late.md", "sabbatical late", deep)
    drive.source.move(box, "root")
    if pages:
        assert drive.sync_killed_after(pages)
    assert drive.sync().complete
    assert set(drive.searchable()) == {*inside, late}


def test_moving_within_the_scope_lists_and_reads_nothing(drive: Desk) -> None:
    hr, it = drive.source.add_folder("HR"), drive.source.add_folder("IT")
    box = drive.source.add_folder("box", hr)
    file = drive.source.add_file("a.md", "sabbatical", box)
    drive.sync()
    before = cost(drive)
    drive.source.folders_listed.clear()
    drive.source.move(box, it)
    report = drive.sync()
    assert (report.unchanged, cost(drive), drive.source.folders_listed) == (1, before, [])
    assert drive.searchable() == {file: "IT/box/a.md"}
    drive.source.rename(it, "Technology")
    drive.sync()
    assert drive.searchable() == {file: "Technology/box/a.md"}
    drive.source.move(file, hr)
    assert (drive.sync().moved, cost(drive)) == (1, before)
    with drive.reading() as store:
        assert found_by_words(store, "sabbatical", Scope(frozenset({hr})))
        assert not found_by_words(store, "sabbatical", Scope(frozenset({box})))


def test_a_deleted_folder_takes_everything_below_along_though_its_log_names_it_alone(
    drive: Desk,
) -> None:
    box = drive.source.add_folder("box")
    drive.source.add_file("a.md", "sabbatical", drive.source.add_folder("inner", box))
    drive.sync()
    drive.source.remove(box)
    assert drive.sync().removed == 1
    assert drive.content() == []


def test_a_new_tree_of_folders_in_one_go_is_indexed_whole(drive: Desk) -> None:
    drive.sync()
    folder = "root"
    for level in range(6):
        folder = drive.source.add_folder(f"level {level}", folder)
        drive.source.add_file(f"{level}.md", f"sabbatical {level}", folder)
    assert drive.sync().added == 6


def test_news_of_what_lies_elsewhere_leave_no_trace(drive: Desk) -> None:
    drive.sync()
    folder = drive.source.add_folder("far", drive.source.outside)
    file = drive.source.add_file("far.md", "sabbatical", folder)
    drive.source.add_shortcut("far", file, folder)
    drive.sync()
    with drive.reading() as store:
        count = "SELECT (SELECT count(*) FROM folders), (SELECT count(*) FROM shortcuts)"
        assert store._connection.execute(count).fetchone() == (1, 0)
    assert not drive.has_line(file)


@pytest.mark.parametrize("team", ["a drive told of before", "x drive told of later"])
@pytest.mark.parametrize("tells", [False, True])
def test_what_moves_between_drives_is_not_gone_whichever_log_is_read_first(
    drive: Desk, team: str, *, tells: bool
) -> None:
    source = drive.source
    source.tells_of_descendants = tells
    abroad = source.add_folder("abroad", source.add_drive(team))
    source.add_shortcut("link", abroad)
    box = source.add_folder("box")
    inner = source.add_folder("inner", box)
    files = {source.add_file(f"{n}.md", f"sabbatical {n}", inner) for n in range(4)}
    single = source.add_file("single.md", "sabbatical single")
    drive.sync()
    before = cost(drive)
    for parent in (abroad, "root"):
        source.move(box, parent)
        source.move(single, parent)
        report = drive.sync()
        assert (report.removed, report.complete) == (0, True)
        assert set(drive.searchable()) == {*files, single}
        assert cost(drive) == before
        where = "abroad" if parent == abroad else ""
        assert drive.record(single).path == f"{where}/single.md".lstrip("/")


@pytest.mark.parametrize("calls", range(12))
def test_tombstones_of_a_move_between_drives_remove_nothing_while_a_listing_is_due(
    drive: Desk, calls: int
) -> None:
    source = drive.source
    source.tells_of_descendants = True
    abroad = source.add_folder("abroad", source.add_drive("team"))
    source.add_shortcut("link", abroad)
    box = source.add_folder("box", abroad)
    inner = source.add_folder("inner", box)
    file = source.add_file("a.md", "sabbatical", inner)
    deleted = source.add_file("b.md", "sabbatical", abroad)
    drive.sync()
    source.move(box, "root")
    source.remove(deleted)
    source.listing_fails_after = calls
    report = drive.sync()
    assert file in drive.searchable()
    source.listing_fails_after = None
    report = drive.sync()
    assert report.complete
    assert drive.searchable() == {file: "box/inner/a.md"}


def test_tombstones_hold_though_a_listing_broke_off_but_nothing_else_is_concluded(
    drive: Desk,
) -> None:
    source = drive.source
    told = source.add_file("told.md", "sabbatical told")
    moved = source.add_file("moved.md", "sabbatical moved")
    new = source.add_folder("new", source.outside)
    source.add_file("new.md", "sabbatical new", new)
    drive.sync()
    source.remove(told)
    source.move(moved, source.outside)
    source.move(new, "root")
    source.listing_fails_after = 2  # the log to its end, but not what is in the folder
    report = drive.sync()
    assert (report.complete, report.removed) == (False, 1)
    assert drive.find("told") == set()
    assert drive.find("moved") == {moved}
    source.listing_fails_after = None
    report = drive.sync()
    assert (report.complete, report.removed, report.added) == (True, 1, 1)
    assert drive.find("moved") == set()


def test_a_folder_that_went_and_a_file_that_left_it_before_are_told_apart(drive: Desk) -> None:
    box = drive.source.add_folder("box")
    saved = drive.source.add_file("saved.md", "sabbatical saved", box)
    drive.source.add_file("lost.md", "sabbatical lost", box)
    drive.sync()
    drive.source.move(saved, "root")
    drive.source.remove(box)
    assert drive.sync().removed == 1
    assert drive.searchable() == {saved: "saved.md"}
