"""The change logs of shared drives, and what they say of each other."""

from collections.abc import Iterator
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

    assert told(log.new()) == [(lent, False), (kept, False)]
    assert user.new() == []
    assert told(stranger.page()["changes"]) == [(lent, False)]
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
    assert (told(user.new()), told(first.new())) == ([(folder, True)], [(folder, False)])
    drive.files.move(folder, two)
    assert (told(first.new()), told(second.new())) == ([(folder, True)], [(folder, False)])
    got = ask.service().files().get(fileId=file, supportsAllDrives=True, fields="driveId")
    assert got.execute() == {"driveId": two}
    drive.files.move(folder, drive.root)
    assert (told(second.new()), told(user.new())) == ([(folder, True)], [(folder, False)])
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
