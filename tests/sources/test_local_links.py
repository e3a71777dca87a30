"""Symbolic links: cycles are cut, and everything is listed once."""

from collections.abc import Callable
from pathlib import Path

from gdrive_rag_mcp.domain import Reason, SourceFile, SourceFolder
from gdrive_rag_mcp.sources.local import LocalFolderSource
from tests.sources.nothing_known import NOTHING_KNOWN

Listing = tuple[dict[str, SourceFile], dict[str, SourceFolder]]
Lister = Callable[[LocalFolderSource], Listing]


def _ids(folder: Path) -> list[str]:
    pages = LocalFolderSource(folder).changes(None, NOTHING_KNOWN)
    return sorted(file.id for page in pages for file in page.files)


def _read(folder: Path, file: SourceFile, into: Path) -> bytes:
    LocalFolderSource(folder).read(file, into)
    return into.read_bytes()


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
