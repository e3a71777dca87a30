"""What the histories found where links lead into folders: each as a scene of its own."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.indexing.sync import SyncOptions
from gdrive_rag_mcp.testing.fake_drive import FakeDrive
from gdrive_rag_mcp.testing.fake_drive.kinds import FOLDER
from tests.drive_model.people import ROOTS, People
from tests.drive_model.telling import Telling


@pytest.fixture(params=ROOTS)
def telling(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Telling]:
    with FakeDrive() as drive:
        yield Telling(drive, People(drive, request.param), tmp_path / "index.db")


def file_in(telling: Telling, folder: str) -> str:
    people = telling.people
    word = people.word()
    return people.new(people.files.add_file(f"{word}.md", word.encode(), folder), word)


def folder_in(telling: Telling, folder: str) -> str:
    return telling.people.new(telling.people.files.add_folder("folder", folder))


def link_in(telling: Telling, folder: str, target: str) -> str:
    return telling.people.new(telling.people.files.add_shortcut("link", target, folder))


AWAY: dict[str, Callable[[Telling, str], object]] = {
    "binned": lambda telling, folder: telling.people.files.trash(folder),
    "removed": lambda telling, folder: telling.people.files.remove(folder),
    "hidden": lambda telling, folder: telling.people.files.hide(folder),
    "closed": lambda telling, folder: telling.people.files.limit_access(folder),
    "moved out": lambda telling, folder: telling.people.files.move(
        folder, telling.people.places.all[0]
    ),
}


@pytest.mark.parametrize("away", AWAY)
@pytest.mark.parametrize("deep", [False, True])
def test_what_a_link_leads_to_goes_with_the_folder_it_lies_in(
    telling: Telling, away: str, *, deep: bool
) -> None:
    root = telling.people.root
    box = folder_in(telling, root)
    file = file_in(telling, folder_in(telling, box) if deep else box)
    link = link_in(telling, folder_in(telling, root), file)
    telling.settle()

    AWAY[away](telling, box)
    telling.settle()

    assert file not in telling.indexed()
    assert telling.records()[link].reason is Reason.BROKEN_SHORTCUT


@pytest.mark.parametrize("away", ["binned", "hidden"])
def test_what_a_link_leads_to_is_not_there_if_its_folder_went_before_the_link_came(
    telling: Telling, away: str
) -> None:
    box = folder_in(telling, telling.people.root)
    file = file_in(telling, box)
    telling.settle()

    AWAY[away](telling, box)
    link = link_in(telling, telling.people.root, file)
    telling.drive.api.largest_page = 1
    telling.settle()

    assert file not in telling.indexed()
    assert telling.records()[link].reason is Reason.BROKEN_SHORTCUT


def test_what_is_shared_by_itself_stays_when_its_folder_is_hidden_as_a_link_leads_there(
    telling: Telling,
) -> None:
    box = folder_in(telling, telling.people.root)
    file = file_in(telling, box)
    telling.people.files.share(file, telling.drive.email)
    link_in(telling, telling.people.root, file)
    telling.settle()

    telling.people.files.hide(box)
    telling.settle()

    assert file in telling.indexed()


def test_a_link_that_is_found_after_its_target_was_looked_up_has_its_line_in_the_same_sync(
    telling: Telling,
) -> None:
    people = telling.people
    dangling = people.files.add_file("far.md", b"far", people.places.all[0])
    outside = people.new(people.files.add_folder("outside", people.places.all[0]))
    people.files.share(outside, telling.drive.email)
    late = link_in(telling, folder_in(telling, outside), dangling)
    first = link_in(telling, people.root, dangling)
    link_in(telling, people.root, outside)

    telling.settle()

    records = telling.records()
    assert records[first].reason is records[late].reason is Reason.BROKEN_SHORTCUT


def test_the_line_of_a_link_goes_with_it_though_another_link_leads_to_it(
    telling: Telling,
) -> None:
    people = telling.people
    dangling = people.files.add_file("far.md", b"far", people.places.all[0])
    link = link_in(telling, people.root, dangling)
    link_in(telling, people.root, link)
    telling.settle()

    people.files.move(link, people.places.all[1])  # in sight, and still outside
    telling.settle()

    assert link not in telling.records()


def test_an_answer_about_nothing_does_not_say_that_what_a_link_leads_to_is_gone(
    telling: Telling,
) -> None:
    people = telling.people
    lent = people.new(people.files.add_folder("lent", people.places.all[0]))
    people.files.share(lent, telling.drive.email)
    file = file_in(telling, lent)
    link_in(telling, people.root, file)
    telling.settle()

    telling.drive.fail(f"/files/{file}\\?fields", 200, body=b"{}", times=9)
    report = telling.sync(SyncOptions(full=True))

    assert not report.complete
    assert file in telling.indexed()
    telling.drive.faults.clear()
    telling.settle()


def test_what_moved_to_another_drive_is_not_gone_before_its_link_was_followed(
    telling: Telling,
) -> None:
    people = telling.people
    other = next(place for place in people.places.drives if place != people.root)
    people.files.add_member(other, telling.drive.email)
    file = file_in(telling, people.root)
    link_in(telling, people.root, file)
    telling.settle(full=True)

    people.files.move(file, other)
    telling.drive.fail(f"/files/{file}\\?fields", 403, "dailyLimitExceeded", times=9)
    report = telling.sync(SyncOptions(allow_mass_delete=True))

    assert not report.complete or file in telling.indexed()
    assert file in telling.indexed()
    telling.drive.faults.clear()
    telling.settle()


@pytest.mark.parametrize("away", AWAY)
@pytest.mark.parametrize("deep", [False, True])
def test_what_a_link_leads_to_goes_with_the_folder_above_though_a_link_leads_between_them(
    telling: Telling, away: str, *, deep: bool
) -> None:
    people = telling.people
    outside = people.new(people.files.add_folder("outside", people.places.all[0]))
    people.files.share(outside, telling.drive.email)
    box = folder_in(telling, outside)
    between = folder_in(telling, box)
    file = file_in(telling, folder_in(telling, between) if deep else between)
    link = link_in(telling, people.root, file)
    link_in(telling, people.root, between)
    telling.settle()
    assert file in telling.indexed()

    AWAY[away](telling, box)
    telling.settle()

    assert file not in telling.indexed()
    assert telling.records()[link].reason is Reason.BROKEN_SHORTCUT


@pytest.mark.parametrize("goes", ["nothing", "link", "both"])
def test_a_link_behind_a_closed_door_puts_its_target_there_for_all_that_is_known(
    telling: Telling, goes: str
) -> None:
    people = telling.people
    box = folder_in(telling, people.root)
    closed = folder_in(telling, box)
    file = file_in(telling, people.root)
    link = link_in(telling, closed, file)
    telling.settle()

    people.do("limit", people.items(FOLDER).index(closed), 0)
    telling.settle()
    if goes != "nothing":
        people.do("remove", people.items().index(link), 0)
        telling.settle()
    if goes == "both":  # in sight, and outside
        people.do("move", people.items().index(file), people.folders().index(people.places.all[1]))
        telling.settle()
    telling.settle(full=True)

    people.do("unlimit", 0, 0)
    telling.settle()
    assert (file in telling.indexed()) == (goes != "both")
