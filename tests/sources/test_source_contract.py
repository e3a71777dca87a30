"""What every source owes to a sync, asked of each kind there is."""

from collections.abc import Callable
from pathlib import Path

import pytest

from gdrive_rag_mcp.domain import EVERYTHING, ChangePage, Reason, SourceFile, SourceFolder
from gdrive_rag_mcp.errors import (
    FileUnreadableError,
    SourceUnavailableError,
)
from gdrive_rag_mcp.indexing.progress import Progress
from gdrive_rag_mcp.indexing.sync import Synchroniser, SyncOptions
from gdrive_rag_mcp.sources.drive import DriveSource
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.fake_drive import FakeDrive
from tests.indexing.desk import AParagraphAChunk, Paragraphs
from tests.sources.worlds import DriveWorld, Hearing, LocalWorld, MemoryWorld, World


@pytest.fixture(params=["local", "drive", "memory", "memory with a log"])
def world(request: pytest.FixtureRequest, tmp_path: Path, heard: Hearing) -> World:
    if request.param == "local":
        return LocalWorld(tmp_path, heard)
    if request.param != "drive":
        return MemoryWorld(heard, feeds=request.param != "memory")
    drive: FakeDrive = request.getfixturevalue("drive")
    connect: Callable[[], DriveSource] = request.getfixturevalue("connect")
    return DriveWorld(drive, connect(), heard)


def _files(pages: list[ChangePage]) -> list[SourceFile]:
    return [file for page in pages for file in page.files]


def _items(pages: list[ChangePage]) -> list[SourceFile | SourceFolder]:
    return [*_files(pages), *_folders(pages)]


def _folders(pages: list[ChangePage]) -> list[SourceFolder]:
    return [folder for page in pages for folder in page.folders]


def _listing(world: World) -> list[ChangePage]:
    return list(world.heard(world.source))


def _versions(world: World) -> dict[str, str]:
    return {file.name: file.version for file in _files(_listing(world))}


def test_every_file_is_listed_once_at_any_depth(world: World) -> None:
    deep = world.folder("c", world.folder("b", world.folder("a")))
    world.file("top.md", b"1")
    world.file("deep.md", b"2", deep)
    world.folder("empty")

    pages = _listing(world)

    assert sorted(file.name for file in _files(pages)) == ["deep.md", "top.md"]
    ids = [item.id for item in _items(pages)]
    assert len(set(ids)) == len(ids) == 2 + 4 + 1


def test_the_root_is_listed_first_and_alone_has_no_parent(world: World) -> None:
    world.file("a.md", b"1", world.folder("inner"))

    folders = _folders(_listing(world))

    assert [folder for folder in folders if not folder.parents] == folders[:1]
    assert [folder for folder in folders if folder.is_root] == folders[:1]


def test_every_parent_is_listed_before_or_with_its_children(world: World) -> None:
    parent = world.folder("a")
    for number in range(8):
        world.file(f"{number}.md", b"x", parent)
        parent = world.folder(f"below-{number}", parent)
    known: set[str] = set()

    for page in world.heard(world.source):
        known |= {folder.id for folder in page.folders}
        for item in _items([page]):
            assert set(item.parents) <= known


def test_a_listing_begins_and_ends_once_and_shows_nothing_outside(world: World) -> None:
    for number in range(10):
        world.file(f"{number}.md", b"x", world.folder(str(number)))

    pages = _listing(world)

    assert [page.begins for page in pages] == [True] + [False] * (len(pages) - 1)
    ends = [number for number, page in enumerate(pages) if page.complete]
    assert len(ends) == 1
    after = pages[ends[0] + 1 :]
    assert _items(after) == []
    assert all(page.removed == () and not page.news for page in pages[: ends[0]])


def test_only_a_source_that_follows_a_log_hands_out_places_in_it(world: World) -> None:
    world.file("a.md", b"x")

    pages = _listing(world)

    assert len({page.cursor is None for page in pages if page.begins or page.complete}) == 1
    assert any(page.cursor for page in pages) == any(page.caught_up for page in pages)


def test_a_listing_of_nothing_is_complete(world: World) -> None:
    pages = _listing(world)

    assert _files(pages) == []
    assert any(page.complete for page in pages)


def test_nothing_changed_means_the_same_ids_and_versions(world: World) -> None:
    world.file("a.md", b"1")
    world.file("b.md", b"2", world.folder("inner"))

    assert _files(_listing(world)) == _files(_listing(world))


def test_an_edit_changes_that_version_alone_and_no_id(world: World) -> None:
    edited = world.file("a.md", b"before")
    world.file("b.md", b"same")
    before = {file.name: file for file in _files(_listing(world))}

    world.edit(edited, b"after it")

    after = {file.name: file for file in _files(_listing(world))}
    assert after["a.md"].version != before["a.md"].version
    assert after["b.md"].version == before["b.md"].version
    assert after["a.md"].id == before["a.md"].id


def test_renaming_a_folder_leaves_the_versions_of_its_files_alone(world: World) -> None:
    folder = world.folder("old")
    world.file("a.md", b"1", folder)
    before = _versions(world)

    world.rename(folder, "new")

    assert _versions(world) == before


def test_renaming_a_file_leaves_its_version_alone(world: World) -> None:
    file = world.file("old.md", b"1")
    before = _versions(world)

    world.rename(file, "new.md")

    assert _versions(world) == {"new.md": before["old.md"]}


def test_a_removed_file_is_no_longer_listed(world: World) -> None:
    gone = world.file("gone.md", b"1")
    world.file("kept.md", b"2")
    world.remove(gone)

    assert [file.name for file in _files(_listing(world))] == ["kept.md"]


def test_reading_brings_the_bytes_and_their_type(world: World, tmp_path: Path) -> None:
    contents = {"a.md": b"", "b.md": bytes(range(256)) * 50, "c.md": "größer".encode()}
    for name, content in contents.items():
        world.file(name, content)

    for file in _files(_listing(world)):
        fetched = world.source.read(file, tmp_path / "content")
        assert (tmp_path / "content").read_bytes() == contents[file.name]
        assert fetched.mime_type == file.mime_type == "text/markdown"


def test_a_shorter_content_leaves_nothing_of_a_longer_one_behind(
    world: World, tmp_path: Path
) -> None:
    world.file("a.md", b"long" * 1000)
    world.file("b.md", b"short")
    for file in sorted(_files(_listing(world)), key=lambda file: file.name):
        world.source.read(file, tmp_path / "content")

    assert (tmp_path / "content").read_bytes() == b"short"


def test_a_file_that_vanished_after_the_listing_is_not_found(world: World, tmp_path: Path) -> None:
    gone = world.file("gone.md", b"1")
    file = _files(_listing(world))[0]
    world.remove(gone)

    with pytest.raises(FileUnreadableError, match=r"gone\.md") as caught:
        world.source.read(file, tmp_path / "content")

    assert caught.value.reason is Reason.NOT_FOUND


def test_a_root_that_is_gone_is_an_error_with_a_remedy_and_no_empty_listing(world: World) -> None:
    world.file("a.md", b"1")
    world.source.check()
    world.remove_root()

    with pytest.raises(SourceUnavailableError) as checked:
        world.source.check()
    with pytest.raises(SourceUnavailableError):
        _listing(world)
    assert checked.value.hint


def test_a_root_that_goes_away_during_the_listing_ends_it_in_an_error(world: World) -> None:
    for number in range(5):
        world.file(f"{number}.md", b"x", world.folder(str(number)))
    pages = world.heard(world.source)
    seen = [next(pages)]
    world.remove_root()

    with pytest.raises(SourceUnavailableError):
        seen.extend(pages)

    assert not any(page.caught_up for page in seen)
    assert not any(page.complete for page in seen if page.cursor is None)


@pytest.mark.parametrize("pages", [1, 2])
def test_a_root_that_goes_away_during_a_sync_takes_no_file_along(
    world: World, tmp_path: Path, pages: int
) -> None:
    for number in range(5):
        world.file(f"{number}.md", b"sabbatical", world.folder(str(number)))
    heard = 0

    def lose_the_root(stage: str, _done: int, _total: int | None) -> None:
        nonlocal heard
        heard += stage == "listing"
        if heard == pages and stage == "listing":
            world.remove_root()

    with Store.open_for_writing(tmp_path / "index.db") as store:
        _synchroniser(store, world).run(SyncOptions())
        with pytest.raises(SourceUnavailableError):
            _synchroniser(store, world, lose_the_root).run(SyncOptions(full=True))
        assert store.catalog.status(EVERYTHING).documents == 5


def _synchroniser(store: Store, world: World, progress: Progress = lambda *_: None) -> Synchroniser:
    return Synchroniser(
        store,
        world.source,
        Paragraphs(),
        AParagraphAChunk(),
        None,
        supported=lambda _: True,
        extraction="1",
        progress=progress,
    )


def test_downloads_count_files_read_and_listing_reads_none(world: World, tmp_path: Path) -> None:
    world.file("a.md", b"1")
    world.file("b.md", b"2")
    files = _files(_listing(world))
    assert world.source.usage.downloads == 0

    for file in files:
        world.source.read(file, tmp_path / "content")

    assert world.source.usage.downloads == 2


def test_the_root_names_the_kind_of_source(world: World) -> None:
    kind, _, place = world.source.root.partition(":")

    assert kind in ("folder", "drive", "memory")
    assert place
