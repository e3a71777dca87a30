"""Contents of Drive files: ranges, exports, damage and limits."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from gdrive_rag_mcp.domain import Reason, SourceFile, SourceFolder
from gdrive_rag_mcp.errors import (
    FileUnreadableError,
)
from gdrive_rag_mcp.sources.drive import DriveSource
from gdrive_rag_mcp.testing.fake_drive import FakeDrive
from gdrive_rag_mcp.testing.fake_drive.answers import Answer
from gdrive_rag_mcp.testing.fake_drive.files import DOCUMENT, SHORTCUT, SPREADSHEET

Connect = Callable[..., DriveSource]
Listed = Callable[[DriveSource], tuple[dict[str, SourceFile], dict[str, SourceFolder]]]
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def _media_of(file_id: str) -> str:
    return f"/files/{file_id}\\?.*alt=media"


def _fails(source: DriveSource, file: SourceFile, into: Path) -> FileUnreadableError:
    with pytest.raises(FileUnreadableError, match=re.escape(file.name)) as caught:
        source.read(file, into)
    return caught.value


def test_a_large_file_arrives_in_ranges(
    drive: FakeDrive, connect: Connect, listed: Listed, tmp_path: Path
) -> None:
    content = b"0123456789abcdef" * (20 * 1024 * 1024 // 16)
    drive.files.add_file("large.md", content)
    source = connect()

    source.read(listed(source)[0]["large.md"], tmp_path / "content")

    assert (tmp_path / "content").read_bytes() == content
    assert drive.counts()["media"] == 3
    assert source.usage.downloads == 1


def test_a_range_that_fails_half_way_is_fetched_again_and_not_the_rest(
    drive: FakeDrive, connect: Connect, listed: Listed, tmp_path: Path
) -> None:
    content = bytes(range(256)) * (18 * 1024 * 1024 // 256)
    file = drive.files.add_file("large.md", content)
    drive.alter(_media_of(file), lambda answer: answer)
    drive.reset(_media_of(file))
    drive.cut(_media_of(file))
    drive.fail(_media_of(file), 500)
    source = connect()

    source.read(listed(source)[0]["large.md"], tmp_path / "content")

    assert (tmp_path / "content").read_bytes() == content
    assert drive.counts()["media"] == 3 + 3


def test_a_server_that_ignores_ranges_is_understood(
    drive: FakeDrive, connect: Connect, listed: Listed, tmp_path: Path
) -> None:
    file = drive.files.add_file("a.md", b"whole")
    drive.alter(_media_of(file), lambda _: Answer(body=b"whole"))
    source = connect()

    source.read(listed(source)[0]["a.md"], tmp_path / "content")

    assert (tmp_path / "content").read_bytes() == b"whole"


@pytest.mark.parametrize(("mime_type", "exported"), [(DOCUMENT, DOCX), (SPREADSHEET, XLSX)])
def test_google_documents_are_exported(
    drive: FakeDrive,
    connect: Connect,
    listed: Listed,
    tmp_path: Path,
    mime_type: str,
    exported: str,
) -> None:
    drive.files.add_native(
        "native", {exported: b"office", "text/plain": b"no"}, mime_type=mime_type
    )
    source = connect()
    file = listed(source)[0]["native"]

    fetched = source.read(file, tmp_path / "content")

    assert file.mime_type == mime_type
    assert fetched.mime_type == exported
    assert (tmp_path / "content").read_bytes() == b"office"
    assert source.usage.downloads == 1


@pytest.mark.parametrize("kind", [SHORTCUT, "application/vnd.google-apps.form"])
def test_what_has_no_text_to_export_is_listed_and_costs_no_call(
    drive: FakeDrive, connect: Connect, listed: Listed, tmp_path: Path, kind: str
) -> None:
    drive.files.add_native("odd", {}, mime_type=kind)
    source = connect()
    file = listed(source)[0]["odd"]
    calls = len(drive.requests)

    assert file.mime_type == kind
    assert file.obstacle is None
    assert _fails(source, file, tmp_path / "content").reason is Reason.UNSUPPORTED_TYPE
    assert len(drive.requests) == calls
    assert source.usage.downloads == 0


def test_an_export_over_10_mb_says_so(
    drive: FakeDrive, connect: Connect, listed: Listed, tmp_path: Path
) -> None:
    drive.files.add_native("huge", {DOCX: b"x" * (10 * 1024 * 1024 + 1)})
    source = connect()

    error = _fails(source, listed(source)[0]["huge"], tmp_path / "content")

    assert error.reason is Reason.EXPORT_TOO_LARGE
    assert drive.counts()["export"] == 1


def test_a_file_over_the_limit_is_refused_before_it_is_fetched(
    drive: FakeDrive, connect: Connect, listed: Listed, tmp_path: Path
) -> None:
    drive.files.add_file("over.md", b"x" * 1001)
    source = connect(max_bytes=1000)

    error = _fails(source, listed(source)[0]["over.md"], tmp_path / "content")

    assert error.reason is Reason.TOO_LARGE
    assert drive.counts()["media"] == 0


def test_a_file_that_is_longer_than_listed_is_cut_off_at_the_limit(
    drive: FakeDrive, connect: Connect, listed: Listed, tmp_path: Path
) -> None:
    drive.files.add_file("over.md", b"x" * 1001, size=None)
    source = connect(max_bytes=1000)

    error = _fails(source, listed(source)[0]["over.md"], tmp_path / "content")

    assert error.reason is Reason.TOO_LARGE
    assert (tmp_path / "content").stat().st_size == 0


def _damage(answer: Answer) -> Answer:
    return replace(answer, body=b"X" + answer.body[1:])


def test_damage_on_the_way_is_noticed_and_fetched_once_more(
    drive: FakeDrive, connect: Connect, listed: Listed, tmp_path: Path
) -> None:
    file = drive.files.add_file("a.md", b"content")
    drive.alter(_media_of(file), _damage)
    source = connect()

    source.read(listed(source)[0]["a.md"], tmp_path / "content")

    assert (tmp_path / "content").read_bytes() == b"content"


def test_a_file_edited_since_the_listing_is_left_to_the_next_sync(
    drive: FakeDrive, connect: Connect, listed: Listed, tmp_path: Path
) -> None:
    file = drive.files.add_file("a.md", b"before")
    source = connect()
    stale = listed(source)[0]["a.md"]
    drive.files.edit(file, b"after")

    assert _fails(source, stale, tmp_path / "content").reason is Reason.CHANGING
    source.read(listed(source)[0]["a.md"], tmp_path / "content")
    assert (tmp_path / "content").read_bytes() == b"after"


def _announcing(total: object) -> Callable[[Answer], Answer]:
    headers = {"Content-Range": f"bytes 0-0/{total}"}
    return lambda answer: replace(answer, status=206, body=b"x", headers=headers)


@pytest.mark.parametrize(
    ("listed_size", "total", "expected"),
    [
        ("7", 10**6, Reason.CHANGING),
        ("7", 6, Reason.CHANGING),
        ("7", 10**12, Reason.TOO_LARGE),
        (None, 10**12, Reason.TOO_LARGE),
    ],
)
def test_a_length_that_is_not_as_listed_or_over_the_limit_ends_a_download_at_once(
    drive: FakeDrive,
    connect: Connect,
    listed: Listed,
    tmp_path: Path,
    waits: list[float],
    *,
    listed_size: str | None,
    total: int,
    expected: Reason,
) -> None:
    file_id = drive.files.add_file("a.md", b"content", size=listed_size)
    drive.alter(_media_of(file_id), _announcing(total), times=99)
    source = connect()
    file = listed(source)[0]["a.md"]

    with pytest.raises(FileUnreadableError, match=re.escape("a.md")) as caught:
        source.read(file, tmp_path / "content")

    assert caught.value.reason is expected
    assert drive.counts()["media"] == 1
    assert waits == []


@pytest.mark.parametrize("total", ["²", "*", "9" * 30, "", 7])
def test_pieces_that_are_not_the_ones_asked_for_are_given_up_after_a_few(
    drive: FakeDrive, connect: Connect, listed: Listed, tmp_path: Path, total: object
) -> None:
    file_id = drive.files.add_file("a.md", b"content")
    drive.alter(_media_of(file_id), _announcing(total), times=99)
    source = connect()
    file = listed(source)[0]["a.md"]

    with pytest.raises(FileUnreadableError) as caught:
        source.read(file, tmp_path / "content")

    assert caught.value.reason is Reason.NETWORK
    assert drive.counts()["media"] == 6
