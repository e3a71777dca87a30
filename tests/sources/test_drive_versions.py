"""When a Drive file's version changes, and when it must not."""

from collections.abc import Callable

from gdrive_rag_mcp.domain import Reason, SourceFile, SourceFolder
from gdrive_rag_mcp.sources.drive import DriveSource
from gdrive_rag_mcp.testing.fake_drive import FakeDrive

Connect = Callable[..., DriveSource]
Listed = Callable[[DriveSource], tuple[dict[str, SourceFile], dict[str, SourceFolder]]]
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


def test_a_moved_or_renamed_blob_keeps_its_version_and_a_new_content_does_not(
    drive: FakeDrive, connect: Connect, listed: Listed
) -> None:
    file = drive.files.add_file("a.md", b"before")
    before = listed(connect())[0]["a.md"]
    drive.files.move(file, drive.files.add_folder("elsewhere"))
    drive.files.rename(file, "b.md")
    moved = listed(connect())[0]["b.md"]
    drive.files.edit(file, b"after")

    assert moved.version == before.version
    assert moved.revision == before.revision
    assert listed(connect())[0]["b.md"].version != before.version


def test_a_native_document_keeps_its_version_when_its_folder_is_renamed_or_moved(
    drive: FakeDrive, connect: Connect, listed: Listed
) -> None:
    folder = drive.files.add_folder("old")
    document = drive.files.add_native("doc", {DOCX: b"1"}, folder)
    before = listed(connect())[0]["doc"].version
    drive.files.rename(folder, "new")
    drive.files.move(folder, drive.files.add_folder("above"))
    moved = listed(connect())[0]["doc"].version
    drive.files.edit_native(document, {DOCX: b"2"})

    assert moved == before
    assert listed(connect())[0]["doc"].version != before


def test_an_edit_that_hides_its_time_still_changes_a_native_version(
    drive: FakeDrive, connect: Connect, listed: Listed
) -> None:
    document = drive.files.add_native("doc", {DOCX: b"1"})
    drive.files.set(document, modifiedTime="2026-01-01T00:00:00.000Z")
    before = listed(connect())[0]["doc"].version
    drive.files.edit_native(document, {DOCX: b"2"})

    assert listed(connect())[0]["doc"].version != before


def test_a_blob_without_a_checksum_is_told_apart_by_size_time_and_revision(
    drive: FakeDrive, connect: Connect, listed: Listed
) -> None:
    file = drive.files.add_file("a.md", b"before", md5Checksum=None)
    before = listed(connect())[0]["a.md"].version
    drive.files.edit(file, b"after!")

    assert listed(connect())[0]["a.md"].version != before


def test_the_end_of_an_obstacle_changes_the_version(
    drive: FakeDrive, connect: Connect, listed: Listed
) -> None:
    file = drive.files.add_file("a.md", b"x", capabilities={"canDownload": False})
    blocked = listed(connect())[0]["a.md"]
    drive.files.set(file, capabilities={"canDownload": True})
    free = listed(connect())[0]["a.md"]

    assert (blocked.obstacle, free.obstacle) == (Reason.DOWNLOAD_FORBIDDEN, None)
    assert blocked.version != free.version


def test_client_side_encryption_is_an_obstacle_seen_in_the_listing(
    drive: FakeDrive, connect: Connect, listed: Listed
) -> None:
    drive.files.add_file("a.md", b"x", clientEncryptionDetails={"encryptionState": "encrypted"})

    assert listed(connect())[0]["a.md"].obstacle is Reason.ENCRYPTED
