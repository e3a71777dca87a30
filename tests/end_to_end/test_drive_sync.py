"""The real Drive client against a Drive on loopback: a crawl, and what later changes cost."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gdrive_rag_mcp import wiring
from gdrive_rag_mcp.app.syncing import sync_index
from gdrive_rag_mcp.domain import SyncReport
from gdrive_rag_mcp.extraction.isolation.sandbox import Sandbox
from gdrive_rag_mcp.indexing.sync import SyncOptions
from gdrive_rag_mcp.settings import load_settings
from gdrive_rag_mcp.testing.fake_drive import FakeDrive
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder
from tests.end_to_end.program import Run, drive_settings

FOLDERS, FILES_A_FOLDER = 20, 15


def text_of(number: int) -> bytes:
    """A document of several chunks, of which each file has others."""
    paragraphs = [
        f"Clause {clause} of contract {number} says that party {number * 31 + clause} delivers "
        f"{clause + 3} crates of item {number}-{clause} within {clause + 10} days. " * 12
        for clause in range(4)
    ]
    return "\n\n".join([f"# Contract {number}", *paragraphs]).encode()


@pytest.fixture
def drive() -> Iterator[FakeDrive]:
    """300 files in 20 folders, five deep in places."""
    with FakeDrive() as drive:
        folders = [drive.root]
        for number in range(FOLDERS):
            folders.append(drive.files.add_folder(f"Folder {number}", folders[number // 2]))
        for number in range(FOLDERS * FILES_A_FOLDER):
            folder = folders[1 + number % FOLDERS]
            drive.files.add_file(f"contract-{number}.md", text_of(number), folder)
        yield drive


@pytest.fixture
def sync(drive: FakeDrive, tmp_path: Path) -> Iterator[Callable[..., SyncReport]]:
    """Sync the fake Drive into one index with an embedder that needs no model."""
    settings = load_settings(
        {"db_path": tmp_path / "index.db"},
        environ={
            **drive_settings(drive, tmp_path),
            "GDRIVE_RAG_CHUNK_SIZE": "100",
            "HOME": str(tmp_path),
        },
    )
    with Sandbox() as sandbox:

        def run(options: SyncOptions | None = None) -> SyncReport:
            drive.requests.clear()
            return sync_index(
                settings.index_path,
                source=wiring.make_source(settings),
                extractor=sandbox,
                chunker=wiring.make_chunker(settings),
                embedder=lambda _: HashingEmbedder(),
                options=options or SyncOptions(),
                progress=lambda *_: None,
            )

        yield run


def contents_read(drive: FakeDrive) -> int:
    counts = drive.counts()
    return counts["media"] + counts["export"]


def test_a_crawl_then_what_each_kind_of_change_costs(
    drive: FakeDrive, sync: Callable[[], SyncReport]
) -> None:
    first = sync()

    assert (first.added, first.complete) == (300, True)
    assert first.coverage.in_scope == first.coverage.searchable == 300
    assert contents_read(drive) == first.downloads == 300

    again = sync()

    assert (again.unchanged, again.embedded_chunks) == (300, 0)
    assert contents_read(drive) == again.downloads == 0

    names: dict[str, Any] = {item.name: item.id for item in drive.files.all_visible()}
    drive.files.rename(names["Folder 0"], "Renamed")
    renamed = sync()

    assert renamed.moved == 0
    assert (renamed.unchanged, renamed.embedded_chunks, contents_read(drive)) == (300, 0, 0)

    text = text_of(7).replace(b"Clause 2 of contract 7 says", b"Clause 2 of contract 7 claims", 1)
    drive.files.edit(names["contract-7.md"], text)
    edited = sync()

    assert (edited.updated, edited.unchanged, contents_read(drive)) == (1, 299, 1)
    assert 1 <= edited.embedded_chunks <= 2
    assert edited.reused_chunks >= 3

    drive.files.remove(names["contract-8.md"])
    removed = sync()

    assert (removed.removed, removed.coverage.in_scope, contents_read(drive)) == (1, 299, 0)


def test_files_that_a_broken_listing_did_not_show_stay(
    drive: FakeDrive, sync: Callable[..., SyncReport]
) -> None:
    sync()
    names: dict[str, Any] = {item.name: item.id for item in drive.files.all_visible()}
    drive.files.lose_silently(names["contract-8.md"])
    drive.fail(rf"files\?.*{names['Folder 3']}.* in parents", 500, times=1000)

    broken = sync(SyncOptions(full=True))

    assert not broken.complete
    assert "Folder 3" in str(broken.warnings)
    assert (broken.removed, broken.coverage.searchable) == (0, 300)
    drive.faults.clear()
    assert sync().coverage.searchable == 299


def test_the_pace_that_is_set_keeps_a_sync_below_a_quota(
    drive: FakeDrive, run: Run, tmp_path: Path
) -> None:
    folder = drive.files.add_folder("few")
    for number in range(70):
        drive.files.add_file(f"few-{number}.md", text_of(number), folder)
    environ = {**drive_settings(drive, tmp_path), "GDRIVE_FOLDER_ID": folder}
    drive.quota(25, burst=25)

    done = run("sync", "--json", environ={**environ, "GDRIVE_RAG_DRIVE_QPS": "20"})

    assert done.json["coverage"]["by_state"] == {"indexed": 70}
    assert {request.status for request in drive.requests} == {200}


def test_the_command_line_syncs_a_drive_and_names_the_account_it_needs(
    drive: FakeDrive, run: Run, tmp_path: Path
) -> None:
    key = drive.write_key_file(tmp_path / "key.json")
    environ = {
        "GDRIVE_FOLDER_ID": drive.root,
        "GOOGLE_SERVICE_ACCOUNT_FILE": str(key),
        "GDRIVE_RAG_DRIVE_ENDPOINT": drive.url,
        "GDRIVE_RAG_DRIVE_QPS": "1000",
    }

    done = run("sync", "--json", environ=environ)
    drive.files.hide(drive.root)
    hidden = run("sync", "--json", environ=environ)
    after = run("status", "--json", environ=environ)

    assert done.code == 0, done.err
    assert done.json["coverage"]["by_state"] == {"indexed": 300}
    assert hidden.code == 1
    assert "@" in hidden.err
    assert after.json["coverage"]["by_state"] == {"indexed": 300}
