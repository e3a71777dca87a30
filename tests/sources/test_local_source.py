"""The local folder: links, loops, odd names, special files, files in motion, and bad roots."""

import os
import socket
import sys
import unicodedata
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from gdrive_rag_mcp.domain import Reason, SourceFile, SourceFolder
from gdrive_rag_mcp.errors import (
    DiskFullError,
    FileUnreadableError,
    SourceError,
    SourceUnavailableError,
)
from gdrive_rag_mcp.sources.local import LocalFolderSource
from gdrive_rag_mcp.sources.local_walk import Walk
from gdrive_rag_mcp.sources.temporary_file import TemporaryFile

AsUser = Callable[[], AbstractContextManager[None]]
Listing = tuple[dict[str, SourceFile], dict[str, SourceFolder]]
Lister = Callable[[LocalFolderSource], Listing]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "documents"
    made.mkdir()
    return made


def _ids(folder: Path) -> list[str]:
    pages = LocalFolderSource(folder).changes(None)
    return sorted(file.id for page in pages for file in page.files)


def _read(folder: Path, file: SourceFile, into: Path) -> bytes:
    LocalFolderSource(folder).read(file, into)
    return into.read_bytes()


# ── what is listed ───────────────────────────────────────────────────────────


def test_hidden_files_lock_files_and_desktop_litter_are_passed_over(folder: Path) -> None:
    for name in (".env", ".git/config", "~$Report.docx", "Thumbs.db", "DESKTOP.INI", ".DS_Store"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("x")
    for name in ("a~b.md", "$x.md", "thumbs.db.md"):
        (folder / name).write_text("x")

    assert _ids(folder) == ["$x.md", "a~b.md", "thumbs.db.md"]


def test_files_named_to_be_passed_over_are_also_when_they_come_later_or_through_a_link(
    folder: Path, tmp_path: Path
) -> None:
    (folder / "data").mkdir()
    (tmp_path / "link").symlink_to(folder)
    named = [folder / "data" / "index.db", tmp_path / "link" / "data" / "index.db-wal"]
    source = LocalFolderSource(folder, passed_over=[*named, tmp_path / "nowhere" / "x.db"])
    for name in ("index.db", "index.db-wal", "index.db.md"):
        (folder / "data" / name).write_text("x")
    (folder / "index.db").write_text("x")

    listed = [file.id for page in source.changes(None) for file in page.files]

    assert sorted(listed) == ["data/index.db.md", "index.db"]


def test_ids_are_readable_paths_and_folders_end_in_a_slash(folder: Path, listed: Lister) -> None:
    (folder / "HR" / "2026 plans").mkdir(parents=True)
    (folder / "HR" / "2026 plans" / "Urlaub für alle.docx").write_text("x")

    files, folders = listed(LocalFolderSource(folder))

    assert files["Urlaub für alle.docx"].id == "HR/2026 plans/Urlaub für alle.docx"
    assert files["Urlaub für alle.docx"].parents == ("HR/2026 plans/",)
    assert folders["2026 plans"].parents == ("HR/",)
    assert folders["HR"].parents == (folders["documents"].id,) == ("./",)


def test_every_file_has_the_address_it_can_be_opened_at(folder: Path, listed: Lister) -> None:
    path = folder / "50% größer #1?.md"
    path.write_text("x")

    url = listed(LocalFolderSource(folder))[0][path.name].url

    assert url is not None
    assert Path(unquote(urlsplit(url).path)).samefile(path)


@pytest.mark.parametrize(
    "name",
    [
        "two\nlines.md",
        "trailing blank .md ",
        " leading.md",
        "tab\there.md",
        "100%.md",
        "100%25.md",
        "a:b:c.md",
        "emoji 👨‍👩‍👧.md",
        "right\u202eto left.md",
        unicodedata.normalize("NFD", "Café Ängste.md"),
        "한국어 휴가.md",
        "\u0301starts with an accent.md",
        "n" * 252 + ".md",
        "back\\slash 'quoted' \"twice\".md",
    ],
)
def test_a_file_of_any_name_is_listed_under_a_printable_id_and_read_back(
    folder: Path, tmp_path: Path, name: str, listed: Lister
) -> None:
    (folder / "in").mkdir()
    (folder / "in" / name).write_text(name, encoding="utf-8")

    file = listed(LocalFolderSource(folder))[0][name]

    assert file.id.isprintable()
    assert unicodedata.is_normalized("NFC", file.id)
    assert file.id == file.id.strip()
    assert _read(folder, file, tmp_path / "copy") == name.encode()


@pytest.mark.skipif(sys.platform == "darwin", reason="that file system refuses such names")
def test_a_name_that_is_no_utf8_is_listed_as_unicode_and_read_back(
    folder: Path, tmp_path: Path
) -> None:
    names = [b"caf\xe9.md", b"caf\xe8.md", "café.md".encode(), "cafe\u0301.md".encode()]
    for name in names:
        (folder / os.fsdecode(name)).write_bytes(name)

    files = [file for page in LocalFolderSource(folder).changes(None) for file in page.files]

    assert len({file.id for file in files}) == len(names)
    assert all(file.name.encode() and file.id.encode() for file in files)
    assert {_read(folder, file, tmp_path / "copy") for file in files} == set(names)


def test_a_path_deeper_than_the_system_can_open_is_unknown_and_not_a_crash(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    for _ in range(20):
        os.mkdir("d" * 250, dir_fd=descriptor)
        inner = os.open("d" * 250, os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = inner
    os.close(descriptor)

    pages = list(LocalFolderSource(folder).changes(None))

    obstacles = [item.obstacle for page in pages for item in page.folders if item.obstacle]
    assert obstacles == [Reason.RESOURCE_LIMIT]
    assert pages[-1].complete


def test_modified_time_is_aware_and_absurd_times_do_not_break_the_listing(
    folder: Path, listed: Lister
) -> None:
    for name, seconds in (
        ("now.md", 1_700_000_000),
        ("negative.md", -5),
        ("far.md", 2**33),
        ("absurd.md", 3 * 10**11),
    ):
        (folder / name).write_text("x")
        os.utime(folder / name, (seconds, seconds))

    files = listed(LocalFolderSource(folder))[0]

    now = files["now.md"].modified_time
    assert now is not None
    assert now.isoformat() == "2023-11-14T22:13:20+00:00"
    assert set(files) == {"now.md", "negative.md", "far.md", "absurd.md"}


# ── links ────────────────────────────────────────────────────────────────────


def test_a_link_to_a_folder_above_is_cut(folder: Path) -> None:
    (folder / "a" / "b").mkdir(parents=True)
    (folder / "a" / "b" / "file.md").write_text("x")
    (folder / "a" / "b" / "up").symlink_to(folder / "a")
    (folder / "a" / "root").symlink_to(folder)
    (folder / "a" / "everything").symlink_to("/")

    assert _ids(folder) == ["a/b/file.md"]


def test_a_link_that_leads_to_itself_is_named_and_not_followed(
    folder: Path, listed: Lister
) -> None:
    (folder / "self.md").symlink_to(folder / "self.md")

    assert listed(LocalFolderSource(folder))[0]["self.md"].obstacle is Reason.NOT_FOUND


def test_what_is_inside_is_listed_at_its_real_place_although_a_link_comes_first(
    folder: Path,
) -> None:
    (folder / "z").mkdir()
    (folder / "z" / "file.md").write_text("x")
    (folder / "a").symlink_to(folder / "z")
    (folder / "b.md").symlink_to(folder / "z" / "file.md")

    assert _ids(folder) == ["z/file.md"]


def test_a_folder_outside_is_followed_once(folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "handbook"
    outside.mkdir()
    (outside / "file.md").write_text("x")
    (outside / "back").symlink_to(folder)
    (folder / "one").symlink_to(outside)
    (folder / "two").symlink_to(outside)

    assert _ids(folder) == ["one/file.md"]


def test_a_file_outside_is_listed_and_read_through_its_link(
    folder: Path, tmp_path: Path, listed: Lister
) -> None:
    (tmp_path / "outside.md").write_text("outside")
    (folder / "link.md").symlink_to(tmp_path / "outside.md")

    file = listed(LocalFolderSource(folder))[0]["link.md"]

    assert _read(folder, file, tmp_path / "copy") == b"outside"


def test_a_dangling_link_is_in_the_listing_with_its_reason(folder: Path, listed: Lister) -> None:
    (folder / "lost.md").symlink_to(folder / "nowhere.md")

    assert listed(LocalFolderSource(folder))[0]["lost.md"].obstacle is Reason.NOT_FOUND


def test_hard_links_are_files_in_their_own_right(folder: Path) -> None:
    (folder / "a.md").write_text("x")
    (folder / "b.md").hardlink_to(folder / "a.md")

    assert _ids(folder) == ["a.md", "b.md"]


def test_a_folder_with_links_in_a_ring_ends(folder: Path, tmp_path: Path) -> None:
    for here, there in (("p", "q"), ("q", "r"), ("r", "p")):
        (tmp_path / here).mkdir()
        (tmp_path / here / f"{here}.md").write_text("x")
        (tmp_path / here / "next").symlink_to(tmp_path / there)
    (folder / "ring").symlink_to(tmp_path / "p")

    assert _ids(folder) == ["ring/next/next/r.md", "ring/next/q.md", "ring/p.md"]


# ── what cannot be read ──────────────────────────────────────────────────────


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
    public_folder: Path, ordinary_user: AsUser, listed: Lister
) -> None:
    for name, mode in (("closed", 0o000), ("names-only", 0o744), ("open", 0o755)):
        (public_folder / name).mkdir()
        (public_folder / name / f"{name}.md").write_text("x")
        (public_folder / name).chmod(mode)

    with ordinary_user():
        files, folders = listed(LocalFolderSource(public_folder))

    assert set(files) == {"open.md"}
    assert folders["closed"].obstacle is Reason.ACCESS_DENIED
    assert folders["open"].obstacle is None


def test_a_folder_whose_names_may_be_seen_but_not_its_files_is_unknown(
    public_folder: Path, ordinary_user: AsUser, listed: Lister
) -> None:
    (public_folder / "names").mkdir()
    (public_folder / "names" / "a.md").write_text("x")
    (public_folder / "names").chmod(0o444)

    with ordinary_user():
        files, folders = listed(LocalFolderSource(public_folder))

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

    with pytest.raises(SourceError, match="TMPDIR") as caught:
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


# ── the root ─────────────────────────────────────────────────────────────────


def test_a_missing_root_says_which_and_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(SourceUnavailableError, match=r"does not exist.*mount") as caught:
        LocalFolderSource(tmp_path / "nowhere").check()

    assert str(tmp_path / "nowhere") in caught.value.message


def test_a_root_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file.md").write_text("x")

    with pytest.raises(SourceUnavailableError, match="is no folder"):
        LocalFolderSource(tmp_path / "file.md").check()


def test_a_root_that_may_not_be_read_is_refused(public_folder: Path, ordinary_user: AsUser) -> None:
    (public_folder / "closed").mkdir(mode=0o700)
    (public_folder / "closed").chmod(0o000)
    source = LocalFolderSource(public_folder / "closed")

    with ordinary_user():
        with pytest.raises(SourceUnavailableError, match="may not be read"):
            source.check()
        with pytest.raises(SourceUnavailableError, match="may not be read"):
            list(source.changes(None))


def test_an_empty_root_may_be_an_absent_mount_unless_a_hidden_file_says_otherwise(
    folder: Path,
) -> None:
    with pytest.raises(SourceUnavailableError, match=r"is empty.*mount"):
        LocalFolderSource(folder).check()

    (folder / ".keep").touch()
    LocalFolderSource(folder).check()


def test_a_root_exchanged_during_the_listing_never_completes_it(folder: Path) -> None:
    (folder / "a").mkdir()
    (folder / "a" / "a.md").write_text("x")
    pages = LocalFolderSource(folder).changes(None)
    seen = [next(pages)]
    folder.rename(folder.with_name("old"))
    folder.mkdir()
    (folder / "other.md").write_text("x")

    with pytest.raises(SourceUnavailableError, match="exchanged"):
        seen.extend(pages)

    assert not any(page.complete for page in seen)


def test_a_root_that_is_a_link_or_relative_is_the_same_absolute_root(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "a.md").write_text("x")
    (tmp_path / "link").symlink_to(folder)
    monkeypatch.chdir(tmp_path)

    assert LocalFolderSource(Path("documents")).root == f"folder:{folder}"
    assert _ids(tmp_path / "link") == ["a.md"]


def test_a_folder_that_vanishes_during_the_walk_is_gone_and_no_error(folder: Path) -> None:
    (folder / "a").mkdir()
    (folder / "b.md").write_text("x")
    items = Walk(folder).items()
    seen = [next(items)]
    (folder / "a").rmdir()

    seen.extend(items)

    assert [item.id for item in seen] == ["./", "b.md"]


def test_a_large_folder_comes_in_pages(folder: Path) -> None:
    for number in range(1201):
        (folder / f"{number}.md").touch()

    pages = list(LocalFolderSource(folder).changes(None))

    assert [len(page.files) for page in pages] == [499, 500, 202, 0]
