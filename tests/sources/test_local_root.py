"""The root of a local folder: missing, empty, exchanged, and large."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from gdrive_rag_mcp.errors import (
    SourceUnavailableError,
)
from gdrive_rag_mcp.sources.local import LocalFolderSource
from gdrive_rag_mcp.sources.local_walk import Walk
from tests.sources.nothing_known import NOTHING_KNOWN

AsUser = Callable[[], AbstractContextManager[None]]


def _ids(folder: Path) -> list[str]:
    pages = LocalFolderSource(folder).changes(None, NOTHING_KNOWN)
    return sorted(file.id for page in pages for file in page.files)


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
            list(source.changes(None, NOTHING_KNOWN))


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
    pages = LocalFolderSource(folder).changes(None, NOTHING_KNOWN)
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

    pages = list(LocalFolderSource(folder).changes(None, NOTHING_KNOWN))

    assert [len(page.files) for page in pages] == [0, 499, 500, 202, 0]
