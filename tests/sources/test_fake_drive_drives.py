"""Shared drives in the fake: who gets in, with which flags, and what searches find."""

from collections.abc import Iterator
from typing import Any

import pytest

from gdrive_rag_mcp.testing.fake_drive import FakeDrive
from gdrive_rag_mcp.testing.fake_drive.discovery import check_body
from tests.sources.asking import Asking, asking, refused

ALL = {"supportsAllDrives": True, "includeItemsFromAllDrives": True}
Service = Any
Json = Any


@pytest.fixture
def ask(drive: FakeDrive) -> Iterator[Asking]:
    with asking(drive) as asked:
        yield asked


@pytest.fixture
def service(ask: Asking) -> Service:
    return ask.service()


def _names(service: Service, **parameters: Json) -> set[str]:
    answer = service.files().list(**{"fields": "files(name)", **parameters}).execute()
    return {item["name"] for item in answer["files"]}


def test_items_of_a_shared_drive_say_so_and_its_id_is_its_topmost_folder(
    drive: FakeDrive, service: Service
) -> None:
    shared = drive.files.add_drive("Team", [drive.email])
    folder = drive.files.add_folder("inner", shared)
    file = drive.files.add_file("a.md", b"x", folder)

    def got(file_id: str) -> Json:
        return service.files().get(fileId=file_id, supportsAllDrives=True, fields="*").execute()

    root = got(shared)
    assert (root["name"], root["driveId"], "parents" in root) == ("Drive", shared, False)
    assert (got(folder)["parents"], got(folder)["driveId"]) == ([shared], shared)
    assert (got(file)["parents"], got(file)["driveId"]) == ([folder], shared)
    assert not {"owners", "ownedByMe", "shared"} & set(got(file))
    assert "driveId" not in got(drive.root)
    assert len(shared) == 19
    assert shared.startswith("0A")


def test_without_the_flag_an_item_of_a_shared_drive_is_not_found(
    drive: FakeDrive, service: Service
) -> None:
    shared = drive.files.add_drive("Team", [drive.email])
    file = drive.files.add_file("a.md", b"x", shared)

    assert refused(service.files().get(fileId=file)) == (404, "notFound")
    assert refused(service.files().get_media(fileId=file)) == (404, "notFound")
    assert refused(service.files().list(q=f"'{shared}' in parents")) == (404, "notFound")
    assert service.files().get_media(fileId=file, supportsAllDrives=True).execute() == b"x"
    assert _names(service, q=f"'{shared}' in parents", supportsAllDrives=True) == set()
    assert _names(service, q=f"'{shared}' in parents", **ALL) == {"a.md"}


def test_export_needs_no_word_about_shared_drives(drive: FakeDrive, service: Service) -> None:
    shared = drive.files.add_drive("Team", [drive.email])
    native = drive.files.add_native("doc", {"text/plain": b"x"}, shared)

    assert service.files().export_media(fileId=native, mimeType="text/plain").execute() == b"x"


@pytest.mark.parametrize(
    "parameters",
    [
        {"corpora": "drive", **ALL},
        {"driveId": "THE-DRIVE", **ALL},
        {"corpora": "user", "driveId": "THE-DRIVE", **ALL},
        {"corpora": "drive", "driveId": "THE-DRIVE", "supportsAllDrives": True},
        {"corpora": "allDrives", "supportsAllDrives": True},
        {"includeItemsFromAllDrives": True},
    ],
)
def test_flags_that_do_not_go_together_are_refused(
    drive: FakeDrive, service: Service, parameters: Json
) -> None:
    shared = drive.files.add_drive("Team", [drive.email])
    named = {key: shared if value == "THE-DRIVE" else value for key, value in parameters.items()}

    assert refused(service.files().list(**named))[0] == 403


def test_corpora_that_do_not_exist_are_refused(service: Service) -> None:
    assert refused(service.files().list(corpora="moon")) == (400, "invalid")


def test_corpora_decide_where_a_search_looks(drive: FakeDrive, service: Service) -> None:
    mine = drive.files.add_drive("Mine", [drive.email])
    other = drive.files.add_drive("Other", [drive.email])
    foreign = drive.files.add_drive("Foreign", ["somebody@example.com"])
    drive.files.add_file("mine.md", b"x", drive.files.add_folder("inner", mine))
    drive.files.add_file("other.md", b"x", other)
    lent = drive.files.add_file("lent.md", b"x", foreign)
    drive.files.add_file("kept.md", b"x", foreign)
    drive.files.add_file("home.md", b"x")
    drive.files.share(lent, drive.email)

    assert _names(service, corpora="drive", driveId=mine, **ALL) == {"inner", "mine.md"}
    assert _names(service) == {"Shared with the index", "home.md"}
    # What a member has not opened is not the user's own corpus; what is lent to a stranger is.
    assert _names(service, **ALL) == {"Shared with the index", "home.md", "lent.md"}
    assert _names(service, corpora="allDrives", **ALL) == {
        "Shared with the index",
        "home.md",
        "lent.md",
        "inner",
        "mine.md",
        "other.md",
    }


def test_a_stranger_is_told_that_there_is_no_such_drive(drive: FakeDrive, ask: Asking) -> None:
    shared = drive.files.add_drive("Team", ["somebody@example.com"])
    service, member = ask.service(), ask.service("somebody@example.com")

    for request in (
        service.drives().get(driveId=shared),
        service.files().list(corpora="drive", driveId=shared, **ALL),
        service.changes().getStartPageToken(driveId=shared, supportsAllDrives=True),
        service.drives().get(driveId="nonexistent"),
    ):
        assert refused(request) == (404, "notFound")
    assert service.drives().list().execute()["drives"] == []
    assert member.drives().get(driveId=shared).execute()["name"] == "Team"

    drive.files.add_member(shared, drive.email)
    assert service.drives().get(driveId=shared).execute()["name"] == "Team"
    drive.files.remove_member(shared, drive.email)
    assert refused(service.drives().get(driveId=shared)) == (404, "notFound")
    assert refused(service.files().get(fileId=shared, supportsAllDrives=True))[0] == 404


def test_drives_are_listed_by_tens_unless_asked_for_more(
    drive: FakeDrive, service: Service
) -> None:
    names = [f"Drive {number}" for number in range(23)]
    for name in names:
        drive.files.add_drive(name, [drive.email])

    found: list[str] = []
    sizes = []
    request = service.drives().list()
    while request is not None:
        answer = request.execute()
        sizes.append(len(answer["drives"]))
        found += [one["name"] for one in answer["drives"]]
        request = service.drives().list_next(request, answer)

    assert found == names
    assert sizes == [10, 10, 3]
    assert len(service.drives().list(pageSize=100).execute()["drives"]) == 23
    assert refused(service.drives().list(pageToken="junk")) == (400, "invalid")
    assert refused(service.drives().list(useDomainAdminAccess=True))[0] == 403


def test_about_names_the_caller_and_wants_its_fields_named(
    drive: FakeDrive, service: Service
) -> None:
    about = service.about().get(fields="user,exportFormats").execute()

    assert about["user"]["emailAddress"] == drive.email
    assert "text/markdown" in about["exportFormats"]["application/vnd.google-apps.document"]
    assert refused(service.about().get()) == (400, "required")


def test_nothing_is_sent_that_googles_resources_do_not_have(
    drive: FakeDrive, service: Service
) -> None:
    shared = drive.files.add_drive("Team", [drive.email])
    token = service.changes().getStartPageToken().execute()["startPageToken"]
    keyed = drive.files.add_file("a.tar.gz", b"x", shared)
    drive.files.require_resource_key(keyed)
    drive.files.share(drive.files.add_native("doc", {"text/plain": b"x"}), drive.email)
    drive.files.add_shortcut("link", keyed)
    drive.files.limit_access(drive.files.add_folder("limited"))
    drive.files.rename(shared, "Crew")
    everything = {"fields": "*"}

    listed = service.files().list(corpora="allDrives", **ALL, **everything).execute()
    changed = service.changes().list(pageToken=token, **ALL, **everything).execute()

    assert len(listed["files"]) == 5
    assert len(changed["changes"]) == 4
    check_body("FileList", listed, "drive.v3")
    check_body("ChangeList", changed, "drive.v3")
    check_body("DriveList", service.drives().list(**everything).execute(), "drive.v3")
    check_body("About", service.about().get(**everything).execute(), "drive.v3")


def test_every_user_has_a_topmost_folder_of_their_own(drive: FakeDrive, ask: Asking) -> None:
    owner = ask.service("owner@example.com").files()
    stranger = ask.service("stranger@example.com").files()
    drive.files.add_file("theirs.md", b"x", drive.files.my_drive("stranger@example.com"))

    above = owner.get(fileId=drive.root, fields="parents").execute()["parents"]
    assert owner.get(fileId="root").execute()["id"] == above[0]
    assert stranger.get(fileId="root").execute()["id"] != above[0]
    found = stranger.list(q="'root' in parents", fields="files(name,ownedByMe)").execute()
    assert found["files"] == [{"name": "theirs.md", "ownedByMe": True}]
