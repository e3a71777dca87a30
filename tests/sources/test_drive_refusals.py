"""Drive files that are refused, and what waiting can and cannot mend."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from gdrive_rag_mcp.domain import Reason, SourceFile, SourceFolder
from gdrive_rag_mcp.errors import (
    DiskFullError,
    FileUnreadableError,
    SourceUnavailableError,
)
from gdrive_rag_mcp.sources.drive import DriveSource
from gdrive_rag_mcp.testing.fake_drive import FakeDrive

Connect = Callable[..., DriveSource]
Listed = Callable[[DriveSource], tuple[dict[str, SourceFile], dict[str, SourceFolder]]]


def _media_of(file_id: str) -> str:
    return f"/files/{file_id}\\?.*alt=media"


def _fails(source: DriveSource, file: SourceFile, into: Path) -> FileUnreadableError:
    with pytest.raises(FileUnreadableError, match=re.escape(file.name)) as caught:
        source.read(file, into)
    return caught.value


@pytest.mark.parametrize(
    ("status", "answer", "expected"),
    [
        (403, "cannotDownloadFile", Reason.DOWNLOAD_FORBIDDEN),
        (403, "cannotDownloadAbusiveFile", Reason.ABUSE_FLAGGED),
        (403, "insufficientFilePermissions", Reason.ACCESS_DENIED),
        (403, "downloadQuotaExceeded", Reason.RATE_LIMITED),
        (403, "somethingNew", Reason.INTERNAL),
        (404, "notFound", Reason.NOT_FOUND),
        (400, "badRequest", Reason.INTERNAL),
    ],
)
def test_a_refusal_costs_that_file_alone_and_is_not_asked_again(
    drive: FakeDrive,
    connect: Connect,
    listed: Listed,
    tmp_path: Path,
    waits: list[float],
    *,
    status: int,
    answer: str,
    expected: Reason,
) -> None:
    file = drive.files.add_file("a.md", b"x")
    drive.files.add_file("b.md", b"other")
    drive.fail(_media_of(file), status, answer, times=99)
    source = connect()
    files = listed(source)[0]

    assert _fails(source, files["a.md"], tmp_path / "content").reason is expected
    source.read(files["b.md"], tmp_path / "content")

    assert waits == []
    assert (tmp_path / "content").read_bytes() == b"other"


@pytest.mark.parametrize(
    ("status", "answer", "expected"),
    [
        (429, "rateLimitExceeded", Reason.RATE_LIMITED),
        (403, "userRateLimitExceeded", Reason.RATE_LIMITED),
        (503, "backendError", Reason.NETWORK),
    ],
)
def test_what_does_not_pass_is_given_up_for_this_file_after_a_bounded_wait(
    drive: FakeDrive,
    connect: Connect,
    listed: Listed,
    tmp_path: Path,
    waits: list[float],
    *,
    status: int,
    answer: str,
    expected: Reason,
) -> None:
    file = drive.files.add_file("a.md", b"x")
    drive.fail(_media_of(file), status, answer, times=99)
    source = connect()

    assert _fails(source, listed(source)[0]["a.md"], tmp_path / "content").reason is expected
    assert 4 <= len(waits) <= 10
    assert waits == sorted(waits)
    assert sum(waits) <= 120


def test_an_order_to_wait_longer_than_patience_is_not_obeyed(
    drive: FakeDrive, connect: Connect, listed: Listed, tmp_path: Path, waits: list[float]
) -> None:
    file = drive.files.add_file("a.md", b"x")
    drive.fail(_media_of(file), 429, "rateLimitExceeded", retry_after="86400")
    source = connect()

    error = _fails(source, listed(source)[0]["a.md"], tmp_path / "content")

    assert error.reason is Reason.RATE_LIMITED
    assert waits == []


def test_a_used_up_daily_quota_stops_the_run_and_not_one_file_after_the_other(
    drive: FakeDrive, connect: Connect, listed: Listed, tmp_path: Path
) -> None:
    file = drive.files.add_file("a.md", b"x")
    drive.fail(_media_of(file), 403, "dailyLimitExceeded")
    source = connect()

    with pytest.raises(SourceUnavailableError, match="dailyLimitExceeded"):
        source.read(listed(source)[0]["a.md"], tmp_path / "content")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_no_fault_of_the_file_nor_of_the_network(
    drive: FakeDrive, connect: Connect, listed: Listed, waits: list[float]
) -> None:
    drive.files.add_file("a.md", b"x" * 100_000)
    source = connect()
    file = listed(source)[0]["a.md"]

    with pytest.raises(DiskFullError):
        source.read(file, Path("/dev/full"))

    assert waits == []
