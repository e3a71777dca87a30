"""A crawl from folder to folder, and its end: never twice the same, never more than was kept."""

from collections.abc import Callable
from pathlib import Path

import pytest

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.testing.memory_source import InMemorySource
from tests.indexing.desk import Desk


def tree() -> InMemorySource:
    """Folders of several pages, empty ones, deep ones, and links that lead out and around."""
    source = InMemorySource(page_items=3, feeds=True)
    drive = source.add_drive("team")
    for number in range(7):
        source.add_file(f"top {number}.md", f"sabbatical {number}")
    below = "root"
    for level in range(3):
        below = source.add_folder(f"level {level}", below)
        source.add_folder("empty", below)
        for number in range(4):
            source.add_file(f"{level}-{number}.md", f"sabbatical {level} {number}", below)
    abroad = source.add_folder("abroad", drive)
    source.add_file("far.md", "sabbatical far away", abroad)
    source.add_file("gone out.md", "sabbatical outside", source.outside)
    source.add_shortcut("to abroad", abroad, below)
    source.add_shortcut("up again", "root", below)
    source.add_shortcut("to nothing", "file-999", below)
    locked = source.add_folder("locked")
    source.block(locked, Reason.ACCESS_DENIED)
    return source


def change(source: InMemorySource) -> None:
    """Some of everything, over several pages of two logs."""
    at = {node.name: node.id for node in source._nodes.values()}
    source.edit(at["top 0.md"], "an edited sabbatical")
    source.remove(at["top 1.md"])
    source.trash(at["top 2.md"])
    source.move(at["top 3.md"], source.outside)
    source.move(at["gone out.md"], "root")
    source.rename(at["level 0"], "renamed")
    source.move(at["level 2"], at["level 0"])
    new = source.add_folder("new")
    source.add_file("new.md", "sabbatical that is new", source.add_folder("inner", new))
    source.move(at["abroad"], "root")
    source.block(at["locked"], None)
    source.add_file("unlocked.md", "sabbatical unlocked", at["locked"])


def changed_index(path: Path) -> Desk:
    desk = Desk(path, tree())
    desk.sync()
    change(desk.source)
    return desk


def test_a_crawl_that_is_killed_after_any_page_goes_on_there(tmp_path: Path) -> None:
    clean = Desk(tmp_path / "clean.db", tree())
    clean.sync()
    once = sorted(clean.source.folders_listed)
    assert len(clean.searchable()) == 7 + 3 * 4 + 1
    for pages in range(1, 100):
        desk = Desk(tmp_path / f"{pages}.db", tree())
        if not desk.sync_killed_after(pages):
            break
        report = desk.sync()
        assert report.complete
        assert sorted(desk.source.folders_listed) == once, "nothing is listed twice"
        assert desk.content() == clean.content()
    assert 15 < pages < 99


def test_a_crawl_that_breaks_off_at_any_call_ends_with_the_same_index(tmp_path: Path) -> None:
    clean = Desk(tmp_path / "clean.db", tree())
    clean.sync()
    for calls in range(100):
        desk = Desk(tmp_path / f"{calls}.db", tree())
        desk.source.listing_fails_after = calls
        if desk.sync().complete:
            break
        desk.source.listing_fails_after = None
        assert desk.sync().complete
        assert desk.content() == clean.content()
    assert 15 < calls < 99


def test_news_are_never_lost_whichever_page_was_the_last_to_be_kept(tmp_path: Path) -> None:
    clean = changed_index(tmp_path / "clean.db")
    clean.sync(allow_mass_delete=True)
    for pages in range(1, 100):
        desk = changed_index(tmp_path / f"{pages}.db")
        if not desk.sync_killed_after(pages):
            break
        report = desk.sync(allow_mass_delete=True)
        assert report.complete
        assert desk.content() == clean.content()
    assert 8 < pages < 99


@pytest.mark.parametrize("late", [False, True])
def test_news_that_break_off_at_any_call_remove_nothing_that_can_be_reached(
    tmp_path: Path, *, late: bool
) -> None:
    clean = changed_index(tmp_path / "clean.db")
    before = set(clean.searchable())
    clean.sync(allow_mass_delete=True)
    kept = before & set(clean.searchable())
    for calls in range(100):
        desk = changed_index(tmp_path / f"{calls}.db")
        desk.source.looks_up_late = late
        desk.source.listing_fails_after = calls
        if desk.sync(allow_mass_delete=True).complete:
            break
        assert kept <= set(desk.searchable())
        desk.source.listing_fails_after = None
        desk.sync(allow_mass_delete=True)
        assert desk.content() == clean.content()
    assert 8 < calls < 99


@pytest.mark.parametrize(
    "anew", [lambda desk: desk.source.lose_log(), lambda desk: desk.later(days=8)]
)
def test_a_new_crawl_never_goes_on_in_the_middle_of_a_folder(
    drive: Desk, anew: Callable[[Desk], None]
) -> None:
    files = [drive.source.add_file(f"{n}.md", f"sabbatical {n}") for n in range(10)]
    drive.sync()
    drive.source.lose_log()
    assert drive.sync_killed_after(3)  # the root, and two pages of what is in it
    anew(drive)
    drive.source.folders_listed.clear()
    report = drive.sync(allow_mass_delete=True)
    assert drive.source.folders_listed == ["root"] * 4
    assert (report.complete, report.removed) == (True, 0)
    assert set(drive.searchable()) == set(files)


def test_what_is_changed_while_a_crawl_goes_on_is_told_after_it(drive: Desk) -> None:
    source = drive.source
    early, late = source.add_folder("early"), source.add_folder("late")
    for number in range(8):
        source.add_file(f"{number}.md", f"sabbatical {number}", early)
    moved = source.add_file("moved.md", "sabbatical moved", late)
    box = source.add_folder("box", late)
    inside = source.add_file("inside.md", "sabbatical inside", box)
    gone = source.add_file("gone.md", "sabbatical gone", early)
    drive.sync()
    source.lose_log()
    assert drive.sync_killed_after(5)  # early was listed to its end, late was not begun
    assert drive.source.folders_listed[-1] == early
    source.move(moved, early)
    source.move(box, early)
    source.remove(gone)
    new = source.add_file("new.md", "sabbatical new", early)
    before = source.usage.downloads
    report = drive.sync()
    assert report.complete
    assert drive.searchable() == {
        **{f"file-{n}": f"early/{n - 3}.md" for n in range(3, 11)},
        moved: "early/moved.md",
        inside: "early/box/inside.md",
        new: "early/new.md",
    }
    assert source.usage.downloads == before + 1


def test_the_first_page_that_is_never_kept_leaves_the_old_cursor(drive: Desk) -> None:
    drive.source.add_file("a.md", "sabbatical")
    drive.sync()
    with drive.reading() as store:
        before = store.catalog.cursor
    drive.source.add_file("b.md", "sabbatical too")
    drive.source.listing_fails_after = 0
    assert not drive.sync().complete
    with drive.reading() as store:
        assert store.catalog.cursor == before


def test_an_idle_sync_asks_twice_and_writes_no_line_of_any_file(drive: Desk) -> None:
    folder = drive.source.add_folder("folder")
    for number in range(300):
        drive.source.add_file(f"{number}.md", f"sabbatical {number}", folder)
    locked = drive.source.add_folder("locked")
    drive.source.block(locked, Reason.ACCESS_DENIED)
    drive.sync()
    drive.sync()
    before = drive.source.usage
    drive.later(minutes=1)
    assert drive.sync().unchanged == 300
    after = drive.source.usage
    assert (after.api_calls - before.api_calls, after.downloads) == (2, before.downloads)
    assert drive.rows_written < 10, "the time of the sync, and little else"
