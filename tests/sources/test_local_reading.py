"""Local files that cannot be read, special files, and files in motion."""

import os
import socket
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from gdrive_rag_mcp.domain import Reason, SourceFile, SourceFolder
from gdrive_rag_mcp.errors import (
    DiskFullError,
    FileUnreadableError,
    SourceError,
)
from gdrive_rag_mcp.sources.local import LocalFolderSource
from gdrive_rag_mcp.sources.temporary_file import TemporaryFile
from tests.sources.nothing_known import NOTHING_KNOWN

AsUser = Callable[[], AbstractContextManager[None]]
Listing = tuple[dict[str, SourceFile], dict[str, SourceFolder]]
Lister = Callable[[LocalFolderSource], Listing]


def _walked(folder: Path) -> Listing:
    """Files and folders by name, without an index, which not every user could write."""
    pages = list(LocalFolderSource(folder).changes(None, NOTHING_KNOWN))
    return (
        {file.name: file for page in pages for file in page.files},
        {found.name: found for page in pages for found in page.folders},
    )


def _read(folder: Path, file: SourceFile, into: Path) -> bytes:
    LocalFolderSource(folder).read(file, into)
    return into.read_bytes()


def test_special_files_are_listed_but_never_opened(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, listed: Lister
) -> None:
    os.mkfifo(folder / "pipe.md")
    monkeypatch.chdir(folder)  # a socket's address is at most 107 bytes
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket.md")

    files = listed(LocalFolderSource(folder))[0]

    assert {file.mime_type for file in files.values()} == {"inode/fifo", "inode/socket"}
    for file in files.values():
        assert file.obstacle is Reason.UNSUPPORTED_TYPE
        with pytest.raises(FileUnreadableError):
            _read(folder, file, tmp_path / "copy")


def test_a_pipe_that_took_a_files_place_does_not_block_reading(
    folder: Path, tmp_path: Path, listed: Lister
) -> None:
    (folder / "a.md").write_text("x")
    file = listed(LocalFolderSource(folder))[0]["a.md"]
    (folder / "a.md").unlink()
    os.mkfifo(folder / "a.md")

    with pytest.raises(FileUnreadableError) as caught:
        _read(folder, file, tmp_path / "copy")

    assert caught.value.reason is Reason.UNSUPPORTED_TYPE


def test_a_folder_that_may_not_be_listed_is_unknown_and_its_siblings_are_listed(
    public_folder: Path, ordinary_user: AsUser
) -> None:
    for name, mode in (("closed", 0o000), ("names-only", 0o744), ("open", 0o755)):
        (public_folder / name).mkdir()
        (public_folder / name / f"{name}.md").write_text("x")
        (public_folder / name).chmod(mode)

    with ordinary_user():
        files, folders = _walked(public_folder)

    assert set(files) == {"open.md"}
    assert folders["closed"].obstacle is Reason.ACCESS_DENIED
    assert folders["open"].obstacle is None


def test_a_folder_whose_names_may_be_seen_but_not_its_files_is_unknown(
    public_folder: Path, ordinary_user: AsUser
) -> None:
    (public_folder / "names").mkdir()
    (public_folder / "names" / "a.md").write_text("x")
    (public_folder / "names").chmod(0o444)

    with ordinary_user():
        files, folders = _walked(public_folder)

    assert files == {}
    assert folders["names"].obstacle is Reason.ACCESS_DENIED


def test_a_file_that_may_not_be_read_says_so(
    public_folder: Path, tmp_path: Path, ordinary_user: AsUser, listed: Lister
) -> None:
    (public_folder / "secret.md").write_text("x")
    (public_folder / "secret.md").chmod(0o000)
    file = listed(LocalFolderSource(public_folder))[0]["secret.md"]

    with ordinary_user(), pytest.raises(FileUnreadableError, match=r"secret\.md") as caught:
        LocalFolderSource(public_folder).read(file, tmp_path / "copy")

    assert caught.value.reason is Reason.ACCESS_DENIED


def test_a_file_over_the_limit_is_refused_and_one_at_the_limit_is_not(
    folder: Path, tmp_path: Path, listed: Lister
) -> None:
    (folder / "at.md").write_bytes(b"x" * 1000)
    (folder / "over.md").write_bytes(b"x" * 1001)
    source = LocalFolderSource(folder, max_bytes=1000)
    files = listed(source)[0]

    source.read(files["at.md"], tmp_path / "copy")
    with pytest.raises(FileUnreadableError) as caught:
        source.read(files["over.md"], tmp_path / "copy")

    assert caught.value.reason is Reason.TOO_LARGE


class _Restless(TemporaryFile):
    """Lets the file be written to whenever a part of it has been copied."""

    growing: Path
    times: int

    def write(self, block: bytes) -> None:
        super().write(block)
        if type(self).times > 0:
            type(self).times -= 1
            with type(self).growing.open("ab") as file:
                file.write(b"more")


@pytest.mark.parametrize(("times", "content"), [(1, b"startmore"), (99, None)])
def test_a_file_changed_while_read_is_read_again_once_and_then_given_up(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    listed: Lister,
    times: int,
    content: bytes | None,
) -> None:
    (folder / "log.md").write_bytes(b"start")
    file = listed(LocalFolderSource(folder))[0]["log.md"]
    # No other writer could be made to write at just that moment.
    monkeypatch.setattr("gdrive_rag_mcp.sources.local.TemporaryFile", _Restless)
    monkeypatch.setattr(_Restless, "growing", folder / "log.md", raising=False)
    monkeypatch.setattr(_Restless, "times", times, raising=False)

    if content is not None:
        assert _read(folder, file, tmp_path / "copy") == content
        return
    with pytest.raises(FileUnreadableError) as caught:
        _read(folder, file, tmp_path / "copy")
    assert caught.value.reason is Reason.CHANGING


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("length", [10, 100_000])
def test_a_full_disk_is_no_fault_of_the_file(folder: Path, listed: Lister, length: int) -> None:
    (folder / "a.md").write_text("x" * length)
    source = LocalFolderSource(folder)
    file = listed(source)[0]["a.md"]

    with pytest.raises(DiskFullError):
        source.read(file, Path("/dev/full"))


def test_a_temporary_folder_that_is_gone_is_no_fault_of_the_file(
    folder: Path, tmp_path: Path, listed: Lister
) -> None:
    (folder / "a.md").write_text("x")
    source = LocalFolderSource(folder)
    file = listed(source)[0]["a.md"]

    with pytest.raises(SourceError, match="nowhere") as caught:
        source.read(file, tmp_path / "nowhere" / "copy")

    assert not isinstance(caught.value, FileUnreadableError)


@pytest.mark.parametrize(
    "bad", ["../outside.md", "/etc/hostname", "a/../../outside.md", "%2e%2e/outside.md", "a\0b", ""]
)
def test_an_id_that_no_listing_made_reads_nothing(folder: Path, tmp_path: Path, bad: str) -> None:
    (tmp_path / "outside.md").write_text("secret")
    (folder / "a").mkdir()
    file = SourceFile(bad, "x.md", "text/markdown", ("./",), "1")

    with pytest.raises(FileUnreadableError) as caught:
        _read(folder, file, tmp_path / "copy")

    assert caught.value.reason is Reason.NOT_FOUND
    assert not (tmp_path / "copy").exists()
