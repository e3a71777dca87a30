"""The index as a file: who may read it, how it is opened, and what else may lie in its place."""

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from gdrive_rag_mcp.domain import EVERYTHING
from gdrive_rag_mcp.errors import (
    DiskFullError,
    IndexMissingError,
    IndexReadOnlyError,
    SchemaTooNewError,
    StoreError,
)
from gdrive_rag_mcp.store import Store, location
from gdrive_rag_mcp.store.connection import PRAGMAS
from gdrive_rag_mcp.store.migrations import SCHEMA_VERSION
from gdrive_rag_mcp.testing.hand_written import HandWritten, found_by_words
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder

STORED_PRAGMAS = {
    "synchronous": 1,
    "mmap_size": 0,
    "temp_store": 2,
    "foreign_keys": 1,
    "journal_size_limit": 67108864,
    "journal_mode": "wal",
    "busy_timeout": 5000,
}


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_index_and_what_sqlite_puts_beside_it_are_private(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    before = os.umask(0)
    try:
        with Store.open_for_writing(path) as store:
            HandWritten(store).put("a", "text")
            beside = sorted(tmp_path.iterdir())
            assert [entry.name for entry in beside] == ["index.db", "index.db-shm", "index.db-wal"]
            assert {mode(entry) for entry in beside} == {0o600}
    finally:
        os.umask(before)


def test_an_index_that_others_could_read_is_made_private_again(index: Path) -> None:
    index.chmod(0o644)
    Store.open_for_writing(index).close()
    assert mode(index) == 0o600


@pytest.mark.parametrize("opened", [Store.open_for_reading, Store.open_for_writing])
def test_every_pragma_is_really_on(index: Path, opened: Callable[[Path], Store]) -> None:
    with opened(index) as store:
        read_back = {name: store._connection.pragma(name) for name in STORED_PRAGMAS}
        assert read_back == STORED_PRAGMAS
        kibibytes = -store._connection.pragma("cache_size")
        assert kibibytes == (65_536 if opened == Store.open_for_writing else 16_384)
    assert {name for name, _ in PRAGMAS} <= {*STORED_PRAGMAS, "cache_size"}


def test_a_reader_can_change_nothing(index: Path) -> None:
    with Store.open_for_reading(index) as store:
        assert store._connection.pragma("query_only") == 1
        with pytest.raises(IndexReadOnlyError):
            store.inventory.begin_run()
        with pytest.raises(IndexReadOnlyError), store.transaction():
            store.index.remove("file0")
        assert len(found_by_words(store, "sabbatical")) == 3


def test_a_missing_index_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(IndexMissingError, match=r"index\.db") as caught:
        Store.open_for_reading(tmp_path / "index.db")
    assert "sync" in caught.value.hint
    assert not list(tmp_path.iterdir())


def test_an_empty_file_is_no_index_yet_and_becomes_one(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    path.touch()
    with pytest.raises(IndexMissingError):
        Store.open_for_reading(path)
    Store.open_for_writing(path).close()
    Store.open_for_reading(path).close()


def test_an_index_of_a_newer_version_is_refused_by_number(index: Path) -> None:
    connection = apsw.Connection(str(index))
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 4}")
    connection.close()
    for opened in (Store.open_for_reading, Store.open_for_writing):
        with pytest.raises(SchemaTooNewError, match=str(SCHEMA_VERSION + 4)) as caught:
            opened(index)
        assert "upgrade" in caught.value.hint


def test_migrating_twice_changes_nothing(index: Path) -> None:
    def content() -> list[tuple[object, ...]]:
        connection = apsw.Connection(str(index), flags=apsw.SQLITE_OPEN_READONLY)
        rows = connection.execute("SELECT name, sql FROM sqlite_schema ORDER BY name").fetchall()
        rows += connection.execute("SELECT id, path, state FROM files").fetchall()
        connection.close()
        return rows

    before = content()
    Store.open_for_writing(index).close()
    assert content() == before


def test_processes_that_make_the_same_index_at_once_all_succeed(tmp_path: Path) -> None:
    program = (
        "import sys, pathlib\n"
        "from gdrive_rag_mcp.store import Store\n"
        "print('ready', flush=True); sys.stdin.readline()\n"
        "Store.open_for_writing(pathlib.Path(sys.argv[1])).close()\n"
    )
    for attempt in range(2):
        path = tmp_path / f"{attempt}.db"
        children = [
            subprocess.Popen(
                [sys.executable, "-c", program, str(path)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for _ in range(3)
        ]
        for child in children:
            assert child.stdout
            assert child.stdout.readline() == "ready\n"
        for child in children:
            assert child.stdin
            child.stdin.write("go\n")
            child.stdin.flush()
        errors = [child.communicate()[1] for child in children]
        assert [child.returncode for child in children] == [0, 0, 0], errors
        with Store.open_for_reading(path) as store:
            assert store.catalog.status(EVERYTHING).schema_version == SCHEMA_VERSION


def test_a_full_disk_rolls_back_the_step_and_keeps_what_there_was(index: Path) -> None:
    with Store.open_for_writing(index) as store:
        hand = HandWritten(store)
        pages = store._connection.pragma("page_count")
        store._connection.pragma("max_page_count", pages + 4)
        words = " ".join(f"word{number}" for number in range(3000))
        with pytest.raises(DiskFullError) as caught:
            hand.put("file1", *(f"{words} {number}" for number in range(40)))
        assert str(index.parent) in caught.value.hint
        assert found_by_words(store, "sabbatical 1")[0].document_id == "file1"
        assert not found_by_words(store, "word77")
    with Store.open_for_reading(index) as store:
        assert len(found_by_words(store, "sabbatical")) == 3
    check = apsw.Connection(str(index))
    assert check.pragma("integrity_check") == "ok"
    check.close()


def test_a_vector_that_has_no_room_is_refused_in_our_words(index: Path) -> None:
    with Store.open_for_writing(index) as store:
        hand = HandWritten(store)
        hand.put("new", *(f"paragraph {number}" for number in range(400)))
        store._connection.pragma("max_page_count", store._connection.pragma("page_count"))
        with pytest.raises(DiskFullError):
            hand.embed(HashingEmbedder(32))
        assert len(found_by_words(store, "paragraph 7", limit=400)) >= 400


@pytest.mark.parametrize("part", ["Google Drive", "Dropbox", "OneDrive - Acme", "CloudStorage"])
def test_a_synced_folder_is_refused_before_anything_is_written(tmp_path: Path, part: str) -> None:
    path = tmp_path / part / "below" / "index.db"
    with pytest.raises(StoreError, match="synced") as caught:
        Store.open_for_writing(path)
    assert "local disk" in caught.value.hint
    assert not (tmp_path / part).exists()


def test_a_network_file_system_is_refused_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # No network file system can be mounted for a test; only the kernel's answer is replaced.
    monkeypatch.setattr(location, "_file_system", lambda folder: "nfs4")
    with pytest.raises(StoreError, match="nfs4"):
        Store.open_for_writing(tmp_path / "index.db")


def test_the_kind_of_a_file_system_is_read_from_the_kernel() -> None:
    if sys.platform != "linux":
        pytest.skip("other systems are not asked")
    assert location._file_system(Path("/proc/self")) == "proc"
