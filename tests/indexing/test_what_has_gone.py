"""What a listing does not show any more: removed, held or spared, never lost by mistake."""

import pytest

from gdrive_rag_mcp.domain import EVERYTHING, Reason
from tests.indexing.desk import Desk, fill


def test_a_file_that_vanished_is_removed_after_a_complete_listing_only(desk: Desk) -> None:
    gone = desk.source.add_file("gone.md", "sabbatical gone")
    for number in range(9):
        desk.source.add_file(f"{number}.md", f"sabbatical {number}")
    desk.sync()
    desk.source.remove(gone)
    desk.source._page_items = 3
    desk.source.listing_fails_after = 2
    before = desk.now
    desk.later(days=1)
    broken = desk.sync()
    assert not broken.complete
    assert "listing_incomplete" in broken.warnings[0]
    assert (broken.removed, desk.find("gone")) == (0, {gone})
    with desk.reading() as store:
        assert store.catalog.last_sync == before
    desk.source.listing_fails_after = None
    report = desk.sync()
    assert (report.removed, report.complete, desk.find("gone")) == (1, True, set())
    with desk.reading() as store:
        assert store.ledger.get(gone, EVERYTHING) is None
        assert store.catalog.last_sync == desk.now


def test_a_deleted_folder_goes_with_everything_below(desk: Desk) -> None:
    folder = desk.source.add_folder("Old")
    below = desk.source.add_folder("Below", folder)
    desk.source.add_file("a.md", "sabbatical", below)
    desk.sync()
    desk.source.remove(folder)
    assert desk.sync().removed == 1
    with desk.reading() as store:
        for item in (folder, below):
            assert store.ledger.resolve_scope(item, EVERYTHING) is None


@pytest.mark.parametrize(
    ("count", "gone", "held"),
    [(60, 20, False), (60, 21, True), (100, 30, False), (100, 31, True), (20, 20, False)],
)
def test_many_deletions_at_once_are_held_until_confirmed(
    desk: Desk, count: int, gone: int, *, held: bool
) -> None:
    files = fill(desk, count)
    desk.sync()
    for file in files[:gone]:
        desk.source.remove(file)
    report = desk.sync()
    assert (report.held, report.removed) == ((gone, 0) if held else (0, gone))
    assert bool(desk.find("number0")) == held, "what is held is still found"
    assert any("mass_delete_held" in warning for warning in report.warnings) == held
    if held:
        again = desk.sync()
        assert (again.held, again.removed) == (gone, 0)
        confirmed = desk.sync(allow_mass_delete=True)
        assert (confirmed.held, confirmed.removed) == (0, gone)
        assert desk.find("number0") == set()


def test_new_files_do_not_make_a_mass_deletion_look_small(desk: Desk) -> None:
    files = fill(desk, 60)
    desk.sync()
    for file in files[:40]:
        desk.source.remove(file)
    for number in range(100):
        desk.source.add_file(f"new{number}.md", f"another text, number {number}")
    assert desk.sync().held == 40


def test_files_that_came_back_under_another_id_are_not_gone(desk: Desk) -> None:
    files = fill(desk, 60)
    desk.sync()
    for file in files[:40]:
        desk.source.remove(file)
    fill(desk, 40)
    report = desk.sync()
    assert (report.held, report.removed, report.added) == (0, 40, 40)
    assert report.embedded_chunks == 0


def test_held_files_that_come_back_are_as_before(desk: Desk) -> None:
    folder = desk.source.add_folder("Away")
    for number in range(30):
        desk.source.add_file(f"{number}.md", f"sabbatical {number}", folder)
    desk.source.add_file("x.md", "!encrypted", folder)
    desk.sync()
    nodes = dict(desk.source._nodes)
    desk.source.remove(folder)
    assert desk.sync().held == 31
    desk.source._nodes = nodes
    before = desk.source.usage.downloads
    report = desk.sync()
    assert (report.held, report.unchanged) == (0, 30)
    assert report.coverage.by_reason == {Reason.ENCRYPTED: 1}
    assert desk.source.usage.downloads == before


def test_what_lies_below_a_folder_that_cannot_be_listed_is_spared(desk: Desk) -> None:
    locked = desk.source.add_folder("Locked")
    deeper = desk.source.add_folder("Deeper", locked)
    inside = desk.source.add_file("a.md", "sabbatical inside", deeper)
    outside = desk.source.add_file("b.md", "sabbatical outside")
    desk.sync()
    desk.source.block(locked, Reason.ACCESS_DENIED)
    desk.source.remove(outside)
    report = desk.sync()
    assert report.removed == 1
    assert desk.find("sabbatical") == {inside}
    assert report.coverage.by_reason == {Reason.ACCESS_DENIED: 1}
    assert desk.record(locked).is_folder
    desk.source.block(locked, None)
    desk.source.remove(inside)
    assert desk.sync().removed == 1
