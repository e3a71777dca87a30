"""The change logs of the fake Drive: whose they are, what they tell, and what they do not."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from gdrive_rag_mcp.testing.fake_drive import FakeDrive
from tests.sources.asking import Asking, asking, refused
from tests.sources.change_log import ALL, Log, told

MEMBER = "member@example.com"
Service = Any
Json = Any


@pytest.fixture
def ask(drive: FakeDrive) -> Iterator[Asking]:
    with asking(drive) as asked:
        yield asked


@pytest.fixture
def user(ask: Asking) -> Log:
    return Log(ask.service())


def test_a_log_tells_of_each_item_once_as_it_is_now(drive: FakeDrive, user: Log) -> None:
    first, second = drive.files.add_file("a.md", b"x"), drive.files.add_file("b.md", b"x")
    drive.files.rename(first, "c.md")
    drive.files.edit(first, b"y")

    changes = user.new()

    assert told(changes) == [(second, False), (first, False)]
    assert changes[1]["file"]["name"] == "c.md"
    assert changes[1]["changeType"] == "file"
    assert user.new() == []


def test_pages_go_on_to_a_new_start_and_tokens_do_not_expire(drive: FakeDrive, user: Log) -> None:
    start = user.token
    files = [drive.files.add_file(f"{number}.md", b"x") for number in range(5)]

    first = user.page(pageSize=2)
    assert "newStartPageToken" not in first
    assert told(first["changes"]) == [(file, False) for file in files[:2]]
    assert told(user.new(pageSize=2)) == [(file, False) for file in files]
    drive.files.edit(files[0], b"y")
    second = user.page(pageToken=first["nextPageToken"])
    assert told(second["changes"]) == [(file, False) for file in (*files[2:], files[0])]
    assert len(user.page(pageToken=start)["changes"]) == 5


def test_an_item_changed_between_two_pages_is_told_of_later(drive: FakeDrive, user: Log) -> None:
    files = [drive.files.add_file(f"{number}.md", b"x") for number in range(3)]
    page = user.page(pageSize=1)
    drive.files.rename(files[1], "later.md")

    rest = user.page(pageToken=page["nextPageToken"])["changes"]

    assert [change["file"]["name"] for change in rest] == ["2.md", "later.md"]


@pytest.mark.parametrize("token", ["junk", "1", "-1", "9" * 30, "9" * 5000, "１２３", ""])
def test_a_token_that_is_none_is_refused(user: Log, token: str) -> None:
    status, reason = refused(user.changes.list(pageToken=token))

    assert status == 400
    assert reason == ("invalid" if token else "required")


def test_a_token_of_another_log_is_refused(drive: FakeDrive, ask: Asking, user: Log) -> None:
    shared = drive.files.add_drive("Team", [drive.email])
    other = drive.files.add_drive("Other", [drive.email])
    log = Log(ask.service(), shared)

    for wrong in (
        user.changes.list(pageToken=log.token, **ALL),
        user.changes.list(pageToken=user.token, driveId=shared, **ALL),
        user.changes.list(pageToken=log.token, driveId=other, **ALL),
        ask.service(MEMBER).changes().list(pageToken=user.token),
    ):
        assert refused(wrong) == (400, "invalid")


def test_nothing_below_a_folder_is_told_of_when_the_folder_changes(
    drive: FakeDrive, user: Log
) -> None:
    folder, other = drive.files.add_folder("folder"), drive.files.add_folder("other")
    drive.files.add_file("a.md", b"x", folder)
    user.new()

    acts: list[Callable[[], object]] = [
        lambda: drive.files.rename(folder, "renamed"),
        lambda: drive.files.move(folder, other),
        lambda: drive.files.trash(folder),
        lambda: drive.files.untrash(folder),
        lambda: drive.files.hide(folder),
        lambda: drive.files.hide(folder, hidden=False),
        lambda: drive.files.remove(folder),
    ]
    heard: list[tuple[str, bool]] = []
    for act in acts:
        act()
        heard += told(user.new())

    assert heard == [(folder, removed) for removed in (False, False, False, False, True, False)] + [
        (folder, True)
    ]


def test_the_bin_is_no_removal_and_reaches_down(drive: FakeDrive, user: Log) -> None:
    folder = drive.files.add_folder("folder")
    file = drive.files.add_file("a.md", b"x", folder)
    drive.files.trash(folder)

    states = {
        change["fileId"]: (change["removed"], change["file"]["trashed"]) for change in user.new()
    }

    assert states == {folder: (False, True), file: (False, True)}


def test_deleted_and_lost_look_alike_and_come_without_a_file(drive: FakeDrive, user: Log) -> None:
    lost, deleted = drive.files.add_folder("lost"), drive.files.add_file("a.md", b"x")
    drive.files.share(lost, drive.email)
    outside = drive.files.add_folder("outside", drive.files.my_drive("owner@example.com"))
    drive.files.move(lost, outside)
    drive.files.unshare(lost, drive.email)
    drive.files.remove(deleted)

    changes = user.new()

    assert told(changes) == [(lost, True), (deleted, True)]
    assert all("file" not in change for change in changes)
    assert user.page(includeRemoved=False)["changes"] == []


def test_a_share_is_told_to_whom_it_concerns_alone(
    drive: FakeDrive, ask: Asking, user: Log
) -> None:
    member = Log(ask.service(MEMBER))
    folder = drive.files.add_folder("folder")
    drive.files.add_file("a.md", b"x", folder)
    user.new()

    drive.files.share(folder, MEMBER)
    assert told(member.new()) == [(folder, False)]
    drive.files.unshare(folder, MEMBER)
    assert told(member.new()) == [(folder, True)]
    assert user.new() == []


def test_access_can_be_lost_without_a_word(drive: FakeDrive, ask: Asking, user: Log) -> None:
    folder = drive.files.add_folder("folder")
    shared = drive.files.add_drive("Team", [drive.email])
    user.new()

    drive.files.lose_silently(folder)
    drive.files.lose_silently(shared, drive.email)

    assert user.new() == []
    assert refused(ask.service().files().get(fileId=folder))[0] == 404
    assert refused(ask.service().drives().get(driveId=shared))[0] == 404


def test_my_drive_alone_can_be_asked_for(drive: FakeDrive, ask: Asking) -> None:
    owner = Log(ask.service("owner@example.com"))
    lent = drive.files.add_file("lent.md", b"x", drive.files.my_drive(MEMBER))
    drive.files.share(lent, "owner@example.com")
    own = drive.files.add_file("own.md", b"x")

    assert told(owner.page()["changes"]) == [(lent, False), (own, False)]
    assert told(owner.page(restrictToMyDrive=True)["changes"]) == [(own, False)]


def test_asking_for_all_fields_shortens_the_pages(drive: FakeDrive, user: Log) -> None:
    for number in range(60):
        drive.files.add_file(f"{number}.md", b"x")

    assert len(user.page(pageSize=1000)["changes"]) == 60
    assert len(user.page(pageSize=1000, fields="*")["changes"]) == 50
    assert len(user.page(pageSize=1000, fields="nextPageToken,changes(file)")["changes"]) == 60


def test_pages_of_changes_can_be_empty_without_being_the_last(drive: FakeDrive, user: Log) -> None:
    file = drive.files.add_file("a.md", b"x")
    drive.api.empty_pages = 2

    pages: list[Json] = []
    while not pages or "newStartPageToken" not in pages[-1]:
        pages.append(user.page())
        user.token = pages[-1].get("nextPageToken", user.token)

    assert [len(page["changes"]) for page in pages] == [0, 0, 1]
    assert told(pages[-1]["changes"]) == [(file, False)]


def test_other_spaces_are_empty_and_unknown_ones_refused(drive: FakeDrive, user: Log) -> None:
    drive.files.add_file("a.md", b"x")

    assert user.page(spaces="appDataFolder")["changes"] == []
    assert refused(user.changes.list(pageToken=user.token, spaces="moon")) == (400, "invalid")
