"""What holds against the source's own word: holds, reconciling, rehearsals, and the root."""

from datetime import timedelta

import pytest

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.errors import RootUnavailableError, SettingsError
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.memory_source import InMemorySource
from tests.indexing.desk import Desk, Killed


def shelves(desk: Desk, count: int, folder: str) -> list[str]:
    return [desk.source.add_file(f"{n}.md", f"sabbatical {n}", folder) for n in range(count)]


@pytest.mark.parametrize("away", ["removed", "moved", "hidden", "trashed"])
def test_a_mass_of_files_that_the_log_says_are_gone_is_held_until_confirmed(
    drive: Desk, away: str
) -> None:
    source = drive.source
    box = source.add_folder("box")
    files = set(shelves(drive, 30, box))
    stays = set(shelves(drive, 30, "root"))
    drive.sync()
    {
        "removed": lambda: source.remove(box),
        "moved": lambda: source.move(box, source.outside),
        "hidden": lambda: source.hide(box),
        "trashed": lambda: source.trash(box),
    }[away]()
    for _ in range(2):
        report = drive.sync()
        assert (report.held, report.removed) == (30, 0)
        assert any("mass_delete_held" in warning for warning in report.warnings)
        assert set(drive.searchable()) == files | stays
    source.lose_log()
    assert drive.sync().held == 30, "a crawl says the same"
    report = drive.sync(allow_mass_delete=True)
    assert (report.held, report.removed) == (0, 30)
    assert set(drive.searchable()) == stays


def test_held_files_are_as_before_when_their_folder_is_back(drive: Desk) -> None:
    source = drive.source
    box = source.add_folder("box")
    inner = source.add_folder("inner", box)
    files = set(shelves(drive, 25, inner))
    bad = source.add_file("bad.md", "!encrypted", inner)
    drive.sync()
    before = drive.content()
    downloads = source.usage.downloads
    for binned in (True, False):
        source.trash(box) if binned else source.move(box, source.outside)
        assert drive.sync().held == 26
        source.untrash(box) if binned else source.move(box, "root")
        report = drive.sync()
        assert (report.held, report.removed, report.complete) == (0, 0, True)
        assert drive.content() == before
    assert source.usage.downloads == downloads
    source.hide(box)
    assert drive.sync().held == 26
    new = source.add_file("new.md", "sabbatical new", inner)
    assert drive.sync().held == 26
    source.show(box)
    drive.sync()
    assert drive.find("sabbatical") == {*files, new}
    assert drive.record(bad).reason is Reason.ENCRYPTED


def test_held_files_whose_folder_went_dark_outside_are_looked_through_when_it_is_back(
    drive: Desk,
) -> None:
    source = drive.source
    box = source.add_folder("box")
    inner = source.add_folder("inner", box)
    files = shelves(drive, 25, inner)
    drive.sync()
    far = source.add_folder("far", source.outside)
    source.move(box, far)
    assert drive.sync().held == 25
    source.hide(far)
    assert drive.sync().held == 25
    source.remove(files.pop())
    files.append(source.add_file("new.md", "sabbatical new", inner))
    source.show(far)
    source.move(box, "root")
    report = drive.sync()
    assert (report.held, report.removed, report.added) == (1, 0, 1), "one of them is not back"
    report = drive.sync(allow_mass_delete=True)
    assert (report.held, report.removed) == (0, 1)
    assert set(drive.searchable()) == set(files)


def test_what_is_held_stays_held_though_many_others_come(drive: Desk) -> None:
    box = drive.source.add_folder("box")
    shelves(drive, 24, box)
    shelves(drive, 36, "root")
    drive.sync()
    drive.source.move(box, drive.source.outside)
    assert drive.sync().held == 24
    shelves(drive, 30, drive.source.add_folder("new"))
    for _ in range(3):
        report = drive.sync()
        assert (report.held, report.removed) == (24, 0)


def test_those_of_the_held_that_do_not_come_back_stay_held_however_few(drive: Desk) -> None:
    box = drive.source.add_folder("box")
    files = shelves(drive, 26, box)
    drive.sync()
    drive.source.move(box, drive.source.outside)
    assert drive.sync().held == 26
    for file in files[:11]:
        drive.source.move(file, "root")
    for _ in range(2):
        report = drive.sync()
        assert (report.held, report.removed) == (15, 0)
    assert set(drive.searchable()) == set(files)


def test_one_that_goes_beside_what_is_held_is_not_held_with_it(drive: Desk) -> None:
    box = drive.source.add_folder("box")
    shelves(drive, 24, box)
    others = shelves(drive, 36, "root")
    drive.sync()
    drive.source.trash(box)
    drive.sync()
    shelves(drive, 40, drive.source.add_folder("new"))
    drive.sync()
    drive.source.remove(others[0])
    report = drive.sync()
    assert (report.held, report.removed) == (24, 1)


@pytest.mark.parametrize("ahead", [timedelta(minutes=5), timedelta(days=300)])
def test_a_clock_that_was_ahead_does_not_put_the_weekly_listing_off(
    drive: Desk, ahead: timedelta
) -> None:
    drive.source.add_file("a.md", "sabbatical")
    drive.sync()
    with Store.open_for_writing(drive.path) as store, store.transaction():
        store.catalog.last_crawl = store.catalog.crawl_began = drive.now + ahead
    drive.source.folders_listed.clear()
    drive.sync()
    assert bool(drive.source.folders_listed) is (ahead > timedelta(hours=1))


def test_a_file_that_changed_while_it_was_held_is_read_when_it_is_back(drive: Desk) -> None:
    box = drive.source.add_folder("box")
    files = shelves(drive, 25, box)
    drive.sync()
    drive.source.move(box, drive.source.outside)
    drive.source.edit(files[0], "sabbatical edited meanwhile")
    assert drive.sync().held == 25
    assert drive.find("edited") == set()
    drive.source.move(box, "root")
    report = drive.sync()
    assert (report.held, report.updated) == (0, 1)
    assert drive.find("edited") == {files[0]}


def test_lost_access_without_a_word_is_found_within_a_week_and_not_before(drive: Desk) -> None:
    file = drive.source.add_file("a.md", "sabbatical")
    drive.sync()
    drive.source.hide(file, silently=True)
    drive.source.folders_listed.clear()
    drive.later(days=7)
    assert drive.sync().removed == 0
    assert drive.source.folders_listed == []
    drive.later(seconds=1)
    assert drive.sync().removed == 1
    drive.source.folders_listed.clear()
    drive.later(days=7)
    drive.sync()
    assert drive.source.folders_listed == []


def test_a_reconciling_that_broke_off_goes_on_and_does_not_start_anew(drive: Desk) -> None:
    for number in range(5):
        drive.source.add_file("a.md", "sabbatical", drive.source.add_folder(f"{number}"))
    drive.sync()
    drive.source.folders_listed.clear()
    drive.later(days=8)
    drive.source.listing_fails_after = 4
    drive.sync()
    drive.later(days=1)
    drive.source.listing_fails_after = None
    drive.sync()
    assert len(set(drive.source.folders_listed)) == 6
    assert len(drive.source.folders_listed) == 7, "the root has two pages"
    with drive.reading() as store:
        assert store.catalog.last_crawl == store.catalog.last_poll == drive.now
        assert store.catalog.crawl_began == drive.now - timedelta(days=1)


def test_full_lists_everything_and_reads_nothing_twice(drive: Desk) -> None:
    for number in range(5):
        drive.source.add_file("a.md", "sabbatical", drive.source.add_folder(f"{number}"))
    drive.sync()
    before = drive.source.usage.downloads
    drive.source.folders_listed.clear()
    report = drive.sync(full=True)
    assert (report.unchanged, drive.source.usage.downloads) == (5, before)
    assert len(set(drive.source.folders_listed)) == 6


def test_a_listing_without_what_was_there_asks_for_the_root_again(drive: Desk, desk: Desk) -> None:
    for each in (drive, desk):
        file = each.source.add_file("a.md", "sabbatical")
        each.sync()
        each.source.remove(file)
        each.source.lose_log()
        asked = 0

        def check() -> None:
            nonlocal asked
            asked += 1
            if asked == 2:
                raise RootUnavailableError("the root is gone", hint="bring it back")

        each.source.check = check  # type: ignore[method-assign] # as if it went while listing
        with pytest.raises(RootUnavailableError):
            each.sync()
        assert each.find("sabbatical") == {file}
        del each.source.check
        assert each.sync().removed == 1


def test_a_tombstone_of_the_root_alone_takes_nothing_along(drive: Desk) -> None:
    file = drive.source.add_file("a.md", "sabbatical")
    drive.sync()
    drive.source.trash("root")
    assert drive.sync().removed == 0
    assert drive.find("sabbatical") == {file}
    drive.source.untrash("root")
    assert drive.sync().removed == 0


def test_another_root_takes_the_place_of_the_first_even_after_a_kill(drive: Desk) -> None:
    shelves(drive, 30, "root")
    drive.sync()
    other = InMemorySource("other", page_items=3, feeds=True)
    for _ in range(40):
        other.add_folder("so that the numbers differ")
    file = other.add_file("a.md", "sabbatical elsewhere")
    drive.source = other
    with pytest.raises(SettingsError, match="memory:other"):
        drive.sync()
    with drive.reading() as store:
        assert store.catalog.root == "memory:memory"
    real = other.changes

    def killed(*_: object) -> None:
        raise Killed

    other.changes = killed  # type: ignore[method-assign,assignment] # dies before the first page
    with pytest.raises(Killed):
        drive.sync(full=True)
    other.changes = real  # type: ignore[method-assign] # and is started again
    report = drive.sync(allow_mass_delete=True)
    assert (report.complete, report.removed) == (True, 30)
    assert drive.searchable() == {file: "a.md"}


def messy(desk: Desk) -> None:
    """Something of everything that a sync may have to do."""
    source = desk.source
    box = source.add_folder("box")
    away = source.add_folder("away")
    names = ["kept", "edited", "deleted", "moved", "failed", "partial"]
    at = {name: source.add_file(f"{name}.md", f"sabbatical {name}", box) for name in names}
    source.edit(at["partial"], "sabbatical\n\n?page 3")
    source.fail_reading(at["failed"], Reason.NETWORK)
    desk.sync()
    source.edit(at["edited"], "sabbatical again")
    source.remove(at["deleted"])
    source.move(at["moved"], away)
    source.rename(box, "chest")
    source.add_file("new.md", "sabbatical new", away)
    source.add_file("new.zip", b"PK", away, mime_type="application/zip")
    blocked = source.add_file("blocked.md", "sabbatical", away)
    source.block(blocked, Reason.DOWNLOAD_FORBIDDEN)
    desk.later(days=1)


@pytest.mark.parametrize("kind", ["drive", "desk"])
@pytest.mark.parametrize("full", [False, True])
def test_a_rehearsal_changes_nothing_and_says_what_then_happens(
    kind: str, request: pytest.FixtureRequest, *, full: bool
) -> None:
    desk: Desk = request.getfixturevalue(kind)
    messy(desk)
    plan = desk.plan(full=full)
    assert desk.plan(full=full) == plan
    before = desk.source.usage.downloads
    report = desk.sync(full=full)
    wanted = {"chest/edited.md": "updated", "chest/failed.md": "retry", "away/new.md": "added"}
    if full:
        wanted["chest/partial.md"] = "updated"
    assert dict(plan.to_read) == wanted
    assert desk.source.usage.downloads - before == len(wanted)
    assert plan.to_remove == ("chest/deleted.md",)
    assert report.removed == 1
    assert (plan.to_hold, report.held) == ((), 0)
    assert (plan.moved, plan.complete) == (report.moved, report.complete) == (1, True)
    assert plan.unchanged == report.unchanged - int(full), "what is read may prove to be the same"
    assert plan.warnings == report.warnings


@pytest.mark.parametrize("confirmed", [False, True])
def test_a_rehearsal_tells_what_would_be_held_and_what_would_come_back(
    drive: Desk, *, confirmed: bool
) -> None:
    source = drive.source
    box, chest = source.add_folder("box"), source.add_folder("chest")
    shelves(drive, 25, box)
    shelves(drive, 30, chest)
    drive.sync()
    source.trash(box)
    assert drive.sync().held == 25
    source.untrash(box)
    source.edit("file-3", "sabbatical edited")
    source.trash(chest)
    plan = drive.plan(allow_mass_delete=confirmed)
    report = drive.sync(allow_mass_delete=confirmed)
    assert (len(plan.to_hold), len(plan.to_remove)) == ((0, 30) if confirmed else (30, 0))
    assert (len(plan.to_hold), len(plan.to_remove)) == (report.held, report.removed)
    assert plan.to_read == (("box/0.md", "updated"),)
    assert (plan.unchanged, report.unchanged, report.updated) == (24, 24, 1)
    assert plan.warnings == report.warnings


def test_a_rehearsal_of_a_listing_that_breaks_off_says_so(drive: Desk) -> None:
    drive.source.add_file("a.md", "sabbatical")
    drive.source.listing_fails_after = 0
    plan = drive.plan()
    assert (plan.complete, plan.to_remove) == (False, ())
    assert "listing_incomplete" in plan.warnings[0]
