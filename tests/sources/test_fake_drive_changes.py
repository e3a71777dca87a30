"""The change logs of the fake Drive: whose they are, what they tell, and what they do not."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from gdrive_rag_mcp.testing.fake_drive import FakeDrive
from tests.sources.asking import Asking, asking, refused

ALL = {"supportsAllDrives": True, "includeItemsFromAllDrives": True}
MEMBER = "member@example.com"
FIELDS = (
    "nextPageToken,newStartPageToken,"
    "changes(changeType,fileId,driveId,removed,file(id,name,trashed,parents),drive(name))"
)
Service = Any
Json = Any


@pytest.fixture
def ask(drive: FakeDrive) -> Iterator[Asking]:
    with asking(drive) as asked:
        yield asked


class Log:
    """Reads a change log from where it was opened, page by page."""

    def __init__(self, service: Service, drive_id: str | None = None) -> None:
        self.changes = service.changes()
        self.drive = {} if drive_id is None else {"driveId": drive_id}
        self.token = self.changes.getStartPageToken(supportsAllDrives=True, **self.drive).execute()[
            "startPageToken"
        ]

    def page(self, **parameters: Json) -> Json:
        return self.changes.list(
            **{"pageToken": self.token, "fields": FIELDS, **ALL, **self.drive, **parameters}
        ).execute()

    def new(self, **parameters: Json) -> list[Json]:
        found: list[Json] = []
        while True:
            answer = self.page(**parameters)
            found += answer["changes"]
            self.token = answer.get("nextPageToken") or answer["newStartPageToken"]
            if "newStartPageToken" in answer:
                return found


def _told(changes: list[Json]) -> list[tuple[str, bool]]:
    return [(change["fileId"], change["removed"]) for change in changes]


@pytest.fixture
def user(ask: Asking) -> Log:
    return Log(ask.service())


def test_a_log_tells_of_each_item_once_as_it_is_now(drive: FakeDrive, user: Log) -> None:
    first, second = drive.files.add_file("a.md", b"x"), drive.files.add_file("b.md", b"x")
    drive.files.rename(first, "c.md")
    drive.files.edit(first, b"y")

    changes = user.new()

    assert _told(changes) == [(second, False), (first, False)]
    assert changes[1]["file"]["name"] == "c.md"
    assert changes[1]["changeType"] == "file"
    assert user.new() == []


def test_pages_go_on_to_a_new_start_and_tokens_do_not_expire(drive: FakeDrive, user: Log) -> None:
    start = user.token
    files = [drive.files.add_file(f"{number}.md", b"x") for number in range(5)]

    first = user.page(pageSize=2)
    assert "newStartPageToken" not in first
    assert _told(first["changes"]) == [(file, False) for file in files[:2]]
    assert _told(user.new(pageSize=2)) == [(file, False) for file in files]
    drive.files.edit(files[0], b"y")
    second = user.page(pageToken=first["nextPageToken"])
    assert _told(second["changes"]) == [(file, False) for file in (*files[2:], files[0])]
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
    told = []
    for act in acts:
        act()
        told += _told(user.new())

    assert told == [(folder, removed) for removed in (False, False, False, False, True, False)] + [
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

    assert _told(changes) == [(lost, True), (deleted, True)]
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
    assert _told(member.new()) == [(folder, False)]
    drive.files.unshare(folder, MEMBER)
    assert _told(member.new()) == [(folder, True)]
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


def test_a_drive_has_its_own_log_and_its_members_do_not_hear_twice(
    drive: FakeDrive, ask: Asking, user: Log
) -> None:
    shared = drive.files.add_drive("Team", [drive.email])
    log, stranger = Log(ask.service(), shared), Log(ask.service(MEMBER))
    user.new()
    lent = drive.files.add_file("lent.md", b"x", shared)
    drive.files.share(lent, MEMBER)
    drive.files.edit(lent, b"y")
    kept = drive.files.add_file("kept.md", b"x", shared)

    assert _told(log.new()) == [(lent, False), (kept, False)]
    assert user.new() == []
    assert _told(stranger.page()["changes"]) == [(lent, False)]
    assert stranger.page(includeItemsFromAllDrives=False)["changes"] == []


def test_between_drives_one_log_loses_what_the_other_gains(
    drive: FakeDrive, ask: Asking, user: Log
) -> None:
    one, two = (drive.files.add_drive(name, [drive.email]) for name in ("One", "Two"))
    first, second = Log(ask.service(), one), Log(ask.service(), two)
    folder = drive.files.add_folder("folder")
    file = drive.files.add_file("a.md", b"x", folder)
    user.new()

    drive.files.move(folder, one)
    assert (_told(user.new()), _told(first.new())) == ([(folder, True)], [(folder, False)])
    drive.files.move(folder, two)
    assert (_told(first.new()), _told(second.new())) == ([(folder, True)], [(folder, False)])
    got = ask.service().files().get(fileId=file, supportsAllDrives=True, fields="driveId")
    assert got.execute() == {"driveId": two}
    drive.files.move(folder, drive.root)
    assert (_told(second.new()), _told(user.new())) == ([(folder, True)], [(folder, False)])
    assert ask.service().files().get(fileId=file, fields="driveId").execute() == {}


def test_what_left_the_log_can_be_sent_along_while_it_is_within_reach(
    drive: FakeDrive, ask: Asking, user: Log
) -> None:
    shared = drive.files.add_drive("Team", [drive.email])
    file = drive.files.add_file("a.md", b"x")
    user.new()
    drive.files.move(file, shared)

    plain, with_file = user.page(), user.page(includeCorpusRemovals=True)

    assert "file" not in plain["changes"][0]
    assert with_file["changes"][0]["removed"] is True
    assert with_file["changes"][0]["file"]["parents"] == [shared]


def test_membership_and_names_of_drives_are_told_of_as_changes_of_drives(
    drive: FakeDrive, ask: Asking
) -> None:
    shared = drive.files.add_drive("Team")
    drive.files.add_file("a.md", b"x", shared)
    member = Log(ask.service(MEMBER))

    drive.files.add_member(shared, MEMBER)
    joined = member.new()
    drive.files.rename(shared, "Crew")
    renamed = member.new()
    drive.files.remove_member(shared, MEMBER)
    left = member.new()

    assert [
        {"changeType": "drive", "driveId": shared, "removed": False, "drive": {"name": "Team"}}
    ] == joined
    assert renamed[0]["drive"] == {"name": "Crew"}
    assert left == [{"changeType": "drive", "driveId": shared, "removed": True}]


def test_a_drive_that_is_deleted_is_told_to_its_members_and_takes_its_log_along(
    drive: FakeDrive, ask: Asking, user: Log
) -> None:
    shared = drive.files.add_drive("Team", [drive.email])
    drive.files.add_file("a.md", b"x", shared)
    log = Log(ask.service(), shared)
    user.new()

    drive.files.remove(shared)

    assert [(change["changeType"], change["removed"]) for change in user.new()] == [("drive", True)]
    assert refused(log.changes.list(pageToken=log.token, driveId=shared, **ALL))[0] == 404


def test_a_drive_log_wants_its_flags(drive: FakeDrive, ask: Asking) -> None:
    shared = drive.files.add_drive("Team", [drive.email])
    log = Log(ask.service(), shared)
    changes, token = log.changes, log.token

    for request in (
        changes.list(pageToken=token, driveId=shared),
        changes.list(pageToken=token, driveId=shared, supportsAllDrives=True),
        changes.list(pageToken=token, driveId=shared, includeItemsFromAllDrives=True),
        changes.getStartPageToken(driveId=shared),
    ):
        assert refused(request)[0] == 403


def test_my_drive_alone_can_be_asked_for(drive: FakeDrive, ask: Asking) -> None:
    owner = Log(ask.service("owner@example.com"))
    lent = drive.files.add_file("lent.md", b"x", drive.files.my_drive(MEMBER))
    drive.files.share(lent, "owner@example.com")
    own = drive.files.add_file("own.md", b"x")

    assert _told(owner.page()["changes"]) == [(lent, False), (own, False)]
    assert _told(owner.page(restrictToMyDrive=True)["changes"]) == [(own, False)]


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
    assert _told(pages[-1]["changes"]) == [(file, False)]


def test_other_spaces_are_empty_and_unknown_ones_refused(drive: FakeDrive, user: Log) -> None:
    drive.files.add_file("a.md", b"x")

    assert user.page(spaces="appDataFolder")["changes"] == []
    assert refused(user.changes.list(pageToken=user.token, spaces="moon")) == (400, "invalid")
