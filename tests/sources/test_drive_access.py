"""Who may see what: credentials, the root, threads and the addresses contacted."""

import re
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from gdrive_rag_mcp.domain import ChangePage, SourceFile, SourceFolder
from gdrive_rag_mcp.errors import (
    SettingsError,
    SourceAuthError,
    SourceUnavailableError,
)
from gdrive_rag_mcp.sources.drive import DriveSource
from gdrive_rag_mcp.testing.fake_drive import FakeDrive
from gdrive_rag_mcp.testing.fake_drive.files import FOLDER

Connect = Callable[..., DriveSource]
Heard = Callable[[DriveSource], Iterator[ChangePage]]
Listed = Callable[[DriveSource], tuple[dict[str, SourceFile], dict[str, SourceFolder]]]
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

_opened: list[Any] = []
_recording = threading.Event()


def _record(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "socket.connect" and _recording.is_set():
        _opened.append(arguments[1])


sys.addaudithook(_record)


def test_an_expired_token_is_renewed_without_anybody_noticing(
    drive: FakeDrive, connect: Connect, listed: Listed
) -> None:
    drive.files.add_file("a.md", b"x")
    source = connect()
    source.check()
    drive.tokens.expire()

    assert set(listed(source)[0]) == {"a.md"}
    assert drive.counts()["token"] == 2


def test_a_key_that_dies_during_the_crawl_ends_it_and_keeps_what_came_before(
    drive: FakeDrive, connect: Connect, heard: Heard
) -> None:
    drive.files.add_file("a.md", b"x")
    drive.files.add_file("b.md", b"x", drive.files.add_folder("inside"))
    pages = heard(connect())
    seen = [next(pages), next(pages)]
    drive.tokens.revoke()

    with pytest.raises(SourceAuthError, match=re.escape(drive.email)) as caught:
        seen.extend(pages)

    assert [file.name for page in seen for file in page.files] == ["a.md"]
    assert not any(page.complete for page in seen)
    assert "account not found" in caught.value.message
    assert caught.value.hint


def test_a_key_that_dies_during_a_download_is_no_fault_of_the_file(
    drive: FakeDrive, connect: Connect, listed: Listed, tmp_path: Path
) -> None:
    drive.files.add_file("a.md", b"x")
    source = connect()
    file = listed(source)[0]["a.md"]
    drive.tokens.revoke()

    with pytest.raises(SourceAuthError):
        source.read(file, tmp_path / "content")


def test_an_api_that_is_switched_off_says_where_to_switch_it_on(
    drive: FakeDrive, connect: Connect
) -> None:
    drive.fail("/files/", 403, "accessNotConfigured")

    with pytest.raises(SourceAuthError, match="enable the Google Drive API"):
        connect().check()


def test_a_token_endpoint_that_cannot_be_reached_is_an_outage_and_no_bad_key(
    drive: FakeDrive, connect: Connect
) -> None:
    drive.reset("POST /token", times=99)

    with pytest.raises(SourceUnavailableError):
        connect().check()


@pytest.mark.parametrize(
    ("spoil", "problem"),
    [
        (lambda drive: drive.files.hide(drive.root), "cannot be found.*share the folder"),
        (lambda drive: drive.files.remove(drive.root), "cannot be found.*share the folder"),
        (lambda drive: drive.files.trash(drive.root), "is in the bin"),
        (
            lambda drive: drive.files.set(drive.root, capabilities={"canListChildren": False}),
            "may not be listed.*share the folder",
        ),
        (lambda drive: drive.files.set(drive.root, mimeType="text/plain"), "is no folder"),
    ],
)
def test_a_root_that_cannot_be_used_names_the_account_and_the_remedy(
    drive: FakeDrive,
    connect: Connect,
    heard: Heard,
    spoil: Callable[[FakeDrive], object],
    problem: str,
) -> None:
    spoil(drive)
    source = connect()

    with pytest.raises(SourceUnavailableError, match=problem) as checked:
        source.check()
    with pytest.raises(SourceUnavailableError, match=problem):
        list(heard(source))

    assert drive.email in checked.value.message


def test_a_drive_that_cannot_be_reached_is_said_to_be_that(
    drive: FakeDrive, connect: Connect
) -> None:
    source = connect()
    drive.reset("/files", times=99)

    with pytest.raises(SourceUnavailableError, match="cannot be reached"):
        source.check()


@pytest.mark.parametrize(
    ("folder_id", "remedy"),
    [
        ("https://drive.google.com/drive/folders/1AbC_d-E?usp=sharing", "set it to 1AbC_d-E"),
        ("my folder", "after /folders/"),
        ("1AbC' or trashed = true or '1", "after /folders/"),
    ],
)
def test_an_address_in_place_of_an_id_is_told_apart(
    connect: Connect, folder_id: str, remedy: str
) -> None:
    with pytest.raises(SettingsError, match=re.escape(remedy)):
        connect(folder_id)


def test_a_subfolder_may_be_the_root_and_what_is_above_stays_out(
    drive: FakeDrive, connect: Connect, listed: Listed
) -> None:
    inner = drive.files.add_folder("inner")
    drive.files.add_file("inside.md", b"x", inner)
    drive.files.add_file("outside.md", b"x")

    files, folders = listed(connect(inner))

    assert set(files) == {"inside.md"}
    assert [folder.is_root for folder in folders.values()] == [True]
    assert FOLDER not in {file.mime_type for file in files.values()}


def test_eight_threads_reading_a_hundred_files_each_get_their_own_content(
    drive: FakeDrive, connect: Connect, listed: Listed, tmp_path: Path
) -> None:
    for number in range(800):
        drive.files.add_file(f"{number}.md", f"content of {number} ".encode() * (number % 7 + 1))
    source = connect()
    files = list(listed(source)[0].values())

    def read(worker: int) -> list[str]:
        wrong = []
        for file in files[worker::8]:
            into = tmp_path / f"content-{worker}"
            source.read(file, into)
            number = int(file.name.removesuffix(".md"))
            if into.read_bytes() != f"content of {number} ".encode() * (number % 7 + 1):
                wrong.append(file.name)
        return wrong

    with ThreadPoolExecutor(8) as pool:
        wrong = [name for names in pool.map(read, range(8)) for name in names]

    assert wrong == []
    assert source.usage.downloads == drive.counts()["media"] == 800


def test_connections_of_ended_threads_are_closed_and_not_piled_up(
    drive: FakeDrive, connect: Connect
) -> None:
    source = connect()
    for _ in range(20):
        thread = threading.Thread(target=source.check)
        thread.start()
        thread.join()

    assert len(source._transport._connections._sessions._by_thread) == 1


def test_nothing_but_the_loopback_address_is_ever_contacted(
    drive: FakeDrive, connect: Connect, listed: Listed, tmp_path: Path
) -> None:
    drive.files.add_file("a.md", b"x")
    drive.files.add_native("doc", {DOCX: b"x"})
    _opened.clear()
    _recording.set()
    try:
        source = connect()
        source.check()
        for file in listed(source)[0].values():
            source.read(file, tmp_path / "content")
    finally:
        _recording.clear()

    port = int(drive.url.rpartition(":")[2])
    assert _opened
    assert set(_opened) == {("127.0.0.1", port)}


def test_an_endpoint_where_a_token_could_be_overheard_is_refused(connect: Connect) -> None:
    with pytest.raises(SettingsError, match=r"GDRIVE_RAG_DRIVE_ENDPOINT.*https"):
        connect(endpoint="http://drive.example.com")
