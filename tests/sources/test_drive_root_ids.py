"""Ids in the wrong setting, and roots in which nothing lies."""

import re
from collections.abc import Callable

import pytest

from gdrive_rag_mcp.errors import RootUnavailableError
from gdrive_rag_mcp.sources.drive import DriveSource
from gdrive_rag_mcp.sources.drive_service_account import load_service_account
from gdrive_rag_mcp.testing.fake_drive import FakeDrive

Drive = Callable[[str], DriveSource]


@pytest.fixture
def whole(drive: FakeDrive, key_file: object, connect: Callable[..., DriveSource]) -> Drive:
    """A source of the shared drive with an id."""
    identity = load_service_account(key_file)  # type: ignore[arg-type] # a path

    def made(drive_id: str) -> DriveSource:
        return DriveSource(
            None, identity, shared_drive_id=drive_id, endpoint=drive.url, calls_per_second=0
        )

    return made


def refused(source: DriveSource) -> RootUnavailableError:
    with pytest.raises(RootUnavailableError) as caught:
        source.check()
    source.close()
    return caught.value


@pytest.mark.parametrize("where", ["my drive", "shared drive"])
def test_a_folder_in_the_place_of_a_shared_drive_is_told_where_it_belongs(
    drive: FakeDrive, whole: Drive, where: str
) -> None:
    parent = drive.root
    if where == "shared drive":
        parent = drive.files.add_drive("Team", [drive.email])
    folder = drive.files.add_folder("docs", parent)

    error = refused(whole(folder))

    assert f"{folder}, which is a folder and no shared drive" in error.message
    assert f"set GDRIVE_FOLDER_ID to {folder}" in error.hint
    assert "GDRIVE_SHARED_DRIVE_ID" in error.message
    assert not re.search(rf"{folder}.*is not in.*{folder}", error.message)


def test_a_file_in_the_place_of_a_shared_drive_is_told_to_be_one(
    drive: FakeDrive, whole: Drive
) -> None:
    file = drive.files.add_file("a.md", b"x")

    error = refused(whole(file))

    assert f"{file}, which is a file and no shared drive" in error.message
    assert "/drive/folders/" in error.hint


def test_a_folder_outside_the_shared_drive_that_is_named_is_still_told(
    drive: FakeDrive, connect: Callable[..., DriveSource]
) -> None:
    team = drive.files.add_drive("Team", [drive.email])

    error = refused(connect(shared_drive_id=team))

    assert f"the Drive folder {drive.root} is not in the shared drive {team}" in error.message


def test_before_a_root_was_seen_the_remedy_is_to_let_the_account_in(
    drive: FakeDrive, whole: Drive, connect: Callable[..., DriveSource]
) -> None:
    assert connect().share == f"share the folder with {drive.email} (viewer is enough)"
    assert whole("0ANone").share.startswith(f"add {drive.email} as a member")


def test_a_root_that_was_seen_and_is_taken_away_wants_the_account_let_in_again(
    drive: FakeDrive, connect: Callable[..., DriveSource]
) -> None:
    source = connect()
    source.check()
    drive.files.hide(drive.root)

    error = refused(source)

    assert f"share the folder with {drive.email}" in error.hint
    assert "put documents" not in error.hint


def test_a_root_that_was_seen_and_is_empty_wants_documents_or_a_look_at_what_is_shown(
    drive: FakeDrive, whole: Drive, connect: Callable[..., DriveSource]
) -> None:
    team = drive.files.add_drive("Team", [drive.email])
    for source in (connect(), whole(team)):
        source.check()

        assert source.share.startswith("put documents into it")
        assert f"check that {drive.email} sees" in source.share
        assert "as a member" not in source.share
        source.close()
