"""Shortcuts put what they point at where they lie: once, at its own place if it has one here."""

from collections.abc import Callable

import pytest

from gdrive_rag_mcp.domain import EVERYTHING, FileState, Reason, Scope
from gdrive_rag_mcp.testing.hand_written import found_by_words
from tests.indexing.desk import Desk


@pytest.fixture(params=[False, True])
def drive(drive: Desk, request: pytest.FixtureRequest) -> Desk:
    """Links are followed at once, or when everything else is known."""
    drive.source.looks_up_late = request.param
    return drive


def below(desk: Desk, folder: str) -> set[str]:
    with desk.reading() as store:
        hits = found_by_words(store, "sabbatical", Scope(frozenset({folder})))
        return {hit.document_id for hit in hits}


def test_a_shortcut_to_a_file_brings_that_file(drive: Desk) -> None:
    box = drive.source.add_folder("box")
    file = drive.source.add_file("far.md", "sabbatical", drive.source.outside)
    link = drive.source.add_shortcut("link", file, box)
    drive.sync()
    assert drive.searchable() == {file: "box/far.md"}
    assert below(drive, box) == {file}
    assert not drive.has_line(link)
    drive.source.edit(file, "sabbatical edited")
    drive.sync()
    assert drive.find("edited") == {file}
    drive.source.remove(link)
    assert drive.sync().removed == 1
    assert drive.content() == []


def test_a_shortcut_to_a_folder_brings_all_below_and_what_comes_later(drive: Desk) -> None:
    source = drive.source
    abroad = source.add_folder("abroad", source.add_drive("team"))
    deep = source.add_folder("deep", abroad)
    files = {source.add_file(f"{n}.md", f"sabbatical {n}", deep) for n in range(5)}
    box = source.add_folder("box")
    link = source.add_shortcut("link", abroad, box)
    drive.sync()
    assert set(drive.searchable()) == below(drive, box) == files
    assert drive.searchable()[min(files)].startswith("box/abroad/deep/")
    new = source.add_file("new.md", "sabbatical new", source.add_folder("new", abroad))
    drive.sync()
    assert below(drive, box) == {*files, new}
    source.trash(link)
    drive.sync()
    assert drive.content() == []
    source.untrash(link)
    drive.sync()
    assert below(drive, box) == {*files, new}


def test_a_link_in_a_folder_that_is_only_linked_is_followed_as_well(drive: Desk) -> None:
    source = drive.source
    one = source.add_folder("one", source.add_drive("team"))
    two = source.add_folder("two", source.add_drive("other"))
    file = source.add_file("a.md", "sabbatical", two)
    source.add_shortcut("to one", one)
    source.add_shortcut("to two", two, one)
    drive.sync()
    assert drive.searchable() == {file: "one/two/a.md"}


def test_a_dangling_shortcut_has_a_line_until_its_target_is_there(drive: Desk) -> None:
    source = drive.source
    file = source.add_file("far.md", "sabbatical", source.outside)
    source.trash(file)
    link = source.add_shortcut("link", file)
    drive.sync()
    record = drive.record(link)
    assert (record.state, record.reason) == (FileState.SKIPPED, Reason.BROKEN_SHORTCUT)
    assert (record.path, record.is_folder) == ("link", False)
    calls = source.usage.api_calls
    drive.sync()
    assert source.usage.api_calls <= calls + 3, "it is not looked up at every sync"
    source.untrash(file)
    drive.sync()
    assert drive.searchable() == {file: "far.md"}
    assert not drive.has_line(link)
    source.trash(file)
    drive.sync()
    assert drive.searchable() == {}
    assert drive.has_line(link)


def test_every_shortcut_to_what_cannot_be_had_has_a_line_however_late_it_is_found(
    drive: Desk,
) -> None:
    source = drive.source
    abroad = source.add_folder("abroad", source.add_drive("team"))
    links = {source.add_shortcut("first", "file-999"), source.add_shortcut("in", abroad)}
    links.add(source.add_shortcut("second", "file-999", abroad))
    drive.sync()
    assert {line[0] for line in drive.content()} == links - {"shortcut-3"}


@pytest.mark.parametrize("change", ["renamed", "moved"])
def test_a_dangling_shortcut_that_is_touched_while_its_target_comes_back_is_cleared(
    drive: Desk, change: str
) -> None:
    source = drive.source
    file = source.add_file("far.md", "sabbatical", source.outside)
    source.trash(file)
    link = source.add_shortcut("link", file)
    drive.sync()
    source.untrash(file)
    if change == "renamed":
        source.rename(link, "another")
    else:
        source.move(link, source.add_folder("box"))
    drive.sync()
    assert set(drive.searchable()) == {file}
    assert not drive.has_line(link)


def test_a_dangling_shortcut_takes_its_line_along_wherever_it_goes(drive: Desk) -> None:
    source = drive.source
    link = source.add_shortcut("link", "file-999")
    drive.sync()
    source.rename(link, "another")
    source.move(link, source.add_folder("box"))
    drive.sync()
    assert drive.record(link).path == "box/another"
    source.move(link, source.outside)
    drive.sync()
    assert drive.content() == []
    source.move(link, "root")
    drive.sync()
    assert drive.record(link).path == "another"
    source.remove(link)
    drive.sync()
    assert drive.content() == []


@pytest.mark.parametrize("told", [False, True])
def test_a_dangling_shortcut_that_goes_leaves_no_line(drive: Desk, *, told: bool) -> None:
    source = drive.source
    link = source.add_shortcut("link", "file-999")
    source.add_shortcut("another", "file-999")
    drive.sync()
    source.hide(link, silently=not told)
    source.lose_log()
    drive.sync()
    assert not drive.has_line(link)
    assert len(drive.content()) == 1


@pytest.mark.parametrize("away", ["trashed", "hidden"])
def test_what_a_link_leads_to_goes_with_its_own_folder(drive: Desk, away: str) -> None:
    source = drive.source
    box, shelf = source.add_folder("box"), source.add_folder("shelf")
    inner = source.add_folder("inner", box)
    source.add_file("a.md", "sabbatical", inner)
    link = source.add_shortcut("link", inner, shelf)
    drive.sync()
    source.trash(box) if away == "trashed" else source.hide(box)
    assert drive.sync().removed == 1
    assert drive.searchable() == {}
    assert drive.record(link).reason is Reason.BROKEN_SHORTCUT


def test_a_link_that_vanished_without_a_word_is_no_way_any_more(drive: Desk) -> None:
    source = drive.source
    box, shelf = source.add_folder("box"), source.add_folder("shelf")
    file = source.add_file("a.md", "sabbatical", box)
    link = source.add_shortcut("link", file, shelf)
    drive.sync()
    assert below(drive, shelf) == {file}
    source.hide(link, silently=True)
    source.lose_log()
    assert drive.sync().removed == 0
    assert below(drive, box) == {file}
    assert below(drive, shelf) == set()


def in_a_circle(desk: Desk, box: str) -> None:
    desk.source.add_shortcut("to itself", box, box)


def to_the_root(desk: Desk, box: str) -> None:
    desk.source.add_shortcut("up", "root", box)


def to_each_other(desk: Desk, box: str) -> None:
    other = desk.source.add_folder("other", desk.source.add_drive("team"))
    desk.source.add_shortcut("there", other, box)
    desk.source.add_shortcut("back", box, other)


@pytest.mark.parametrize("link", [in_a_circle, to_the_root, to_each_other])
def test_links_that_lead_in_circles_end_no_sync_and_double_nothing(
    drive: Desk, link: Callable[[Desk, str], None]
) -> None:
    box = drive.source.add_folder("box")
    file = drive.source.add_file("a.md", "sabbatical", box)
    link(drive, box)
    report = drive.sync()
    assert (report.complete, drive.searchable()) == (True, {file: "box/a.md"})
    listed = drive.source.folders_listed
    assert len(listed) == len(set(listed))
    drive.source.remove(box)
    drive.sync()
    assert drive.content() == []


def test_a_shortcut_to_what_is_in_scope_anyway_doubles_nothing(drive: Desk) -> None:
    source = drive.source
    box, shelf = source.add_folder("box"), source.add_folder("shelf")
    file = source.add_file("a.md", "sabbatical", box)
    source.add_shortcut("the file", file, shelf)
    source.add_shortcut("the folder", box, shelf)
    first = drive.sync()
    assert (first.added, first.downloads) == (1, 1)
    assert drive.searchable() == {file: "box/a.md"}, "its own place, not that of a link"
    assert below(drive, box) == below(drive, shelf) == {file}
    source.move(box, source.outside)
    report = drive.sync()
    assert (report.removed, report.downloads) == (0, 1)
    assert drive.searchable() == {file: "shelf/box/a.md"}
    assert below(drive, shelf) == below(drive, box) == {file}
    source.move(box, "root")
    drive.sync()
    assert drive.searchable() == {file: "box/a.md"}


def test_a_target_that_comes_into_scope_itself_is_shown_at_its_own_place(drive: Desk) -> None:
    source = drive.source
    file = source.add_file("a.md", "sabbatical", source.outside)
    link = source.add_shortcut("link", file)
    drive.sync()
    home = source.add_folder("home")
    source.move(file, home)
    report = drive.sync()
    assert (report.removed, source.usage.downloads) == (0, 1)
    assert drive.searchable() == {file: "home/a.md"}
    source.remove(link)
    assert drive.sync().removed == 0
    assert drive.searchable() == {file: "home/a.md"}


def test_a_target_that_is_deleted_goes_and_its_shortcut_is_said_to_dangle(drive: Desk) -> None:
    source = drive.source
    abroad = source.add_folder("abroad", source.add_drive("team"))
    source.add_file("a.md", "sabbatical", abroad)
    link = source.add_shortcut("link", abroad)
    drive.sync()
    source.remove(abroad)
    assert drive.sync().removed == 1
    assert drive.record(link).reason is Reason.BROKEN_SHORTCUT


def test_a_shortcut_to_a_shortcut_is_said_to_dangle(drive: Desk) -> None:
    source = drive.source
    file = source.add_file("a.md", "sabbatical", source.outside)
    hop = source.add_shortcut("hop", file, source.outside)
    link = source.add_shortcut("link", hop)
    drive.sync()
    assert drive.searchable() == {}
    assert drive.record(link).reason is Reason.BROKEN_SHORTCUT


def test_a_path_takes_the_fewest_links_there_are(drive: Desk) -> None:
    source = drive.source
    abroad = source.add_folder("abroad", source.add_drive("team"))
    middle = source.add_folder("middle", abroad)
    inner = source.add_folder("inner", middle)
    file = source.add_file("a.md", "sabbatical", inner)
    source.add_shortcut("a way round", inner, abroad)
    source.add_shortcut("way in", abroad)
    drive.sync()
    assert drive.searchable() == {file: "abroad/middle/inner/a.md"}


def test_a_folder_that_only_a_link_leads_to_any_more_gets_no_line_of_its_own(drive: Desk) -> None:
    source = drive.source
    folder = source.add_folder("folder")
    link = source.add_shortcut("link", folder)
    drive.sync()
    source.trash(folder)
    drive.later(days=8)
    drive.sync()
    with drive.reading() as store:
        lines = {record.id: record.reason for record in store.ledger.all(EVERYTHING)}
    assert lines == {link: Reason.BROKEN_SHORTCUT}
