"""`sync --dry-run` on indexes that a sync would have to rewrite first: not a byte is changed."""

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from gdrive_rag_mcp.app.rehearsing import index_to_rehearse_on
from gdrive_rag_mcp.errors import DiskFullError, IndexLockedError
from gdrive_rag_mcp.indexing.lock import writer_lock
from gdrive_rag_mcp.store.copying import copy_index
from gdrive_rag_mcp.store.migrations import SCHEMA_VERSION
from tests.end_to_end.program import Run
from tests.store.test_migrating import old

Settings = dict[str, str]


@pytest.fixture
def settings(tmp_path: Path, documents: Path) -> Settings:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    return {
        "GDRIVE_RAG_SOURCE": f"folder:{documents}",
        "GDRIVE_RAG_DB_PATH": str(tmp_path / "desk" / "index.db"),
        "TMPDIR": str(temporary),
    }


@pytest.fixture
def index(run: Run, settings: Settings) -> Path:
    """An index of the first schema, of two documents."""
    path = Path(settings["GDRIVE_RAG_DB_PATH"])
    assert run("sync", environ=settings).code == 0
    old(path)
    return path


def schema(index: Path) -> int:
    connection = apsw.Connection(str(index), flags=apsw.SQLITE_OPEN_READONLY)
    version = connection.pragma("user_version")
    connection.close()
    assert isinstance(version, int)
    return version


def test_a_plan_on_an_older_index_tells_what_a_sync_would_do_and_leaves_every_byte(
    run: Run, index: Path, settings: Settings, documents: Path
) -> None:
    (documents / "new.md").write_text("# New\n\nThe okapi.\n", encoding="utf-8")
    before = index.read_bytes()

    planned = run("sync", "--dry-run", "--json", environ=settings)

    assert planned.code == 0, planned.err
    assert [one["path"] for one in planned.json["to_read"]] == ["new.md"]
    assert index.read_bytes() == before
    assert not list(Path(settings["TMPDIR"]).iterdir())
    assert schema(index) == 1

    done = run("sync", "--json", environ=settings)
    assert (done.json["added"], done.json["unchanged"]) == (1, 2)
    assert schema(index) == SCHEMA_VERSION


def test_what_an_older_index_still_has_in_its_log_is_planned_on_too(
    run: Run, index: Path, settings: Settings
) -> None:
    leave_log = (
        "import apsw, os, sys\n"
        "connection = apsw.Connection(sys.argv[1])\n"
        "connection.execute(\"UPDATE files SET version = 'other' WHERE name = 'leave.md'\")\n"
        "os._exit(0)\n"
    )
    subprocess.run([sys.executable, "-c", leave_log, str(index)], check=True)
    log = index.with_name("index.db-wal")
    kept = (index.read_bytes(), log.read_bytes())
    assert kept[1]

    planned = run("sync", "--dry-run", "--json", environ=settings)

    assert [one["path"] for one in planned.json["to_read"]] == ["HR/leave.md"]
    assert (index.read_bytes(), log.read_bytes()) == kept


def test_an_empty_file_stays_one(run: Run, settings: Settings) -> None:
    path = Path(settings["GDRIVE_RAG_DB_PATH"])
    path.parent.mkdir()
    path.touch()

    planned = run("sync", "--dry-run", "--json", environ=settings)

    assert [one["path"] for one in planned.json["to_read"]] == ["HR/leave.md", "invoices.txt"]
    assert path.read_bytes() == b""


def test_what_is_no_index_is_refused_and_stays(run: Run, settings: Settings) -> None:
    path = Path(settings["GDRIVE_RAG_DB_PATH"])
    path.parent.mkdir()
    path.write_text("Dear diary, this is no database.\n" * 99, encoding="utf-8")
    before = path.read_bytes()

    planned = run("sync", "--dry-run", environ=settings)

    assert planned.code == 1
    assert "is no index" in planned.err
    assert path.read_bytes() == before


def test_an_index_of_this_version_is_rehearsed_in_itself(index: Path, run: Run) -> None:
    run("init-db", "--db", index)

    with index_to_rehearse_on(index) as rehearsed_on:
        assert rehearsed_on == index


def test_the_copy_is_private_and_gone_in_the_end(index: Path) -> None:
    before = os.umask(0)
    try:
        with index_to_rehearse_on(index) as copy:
            assert stat.S_IMODE(copy.stat().st_mode) == 0o600
            assert stat.S_IMODE(copy.parent.stat().st_mode) == 0o700
            assert schema(copy) == 1
    finally:
        os.umask(before)
    assert not copy.parent.exists()


def test_an_older_index_that_is_being_written_is_not_planned_on(index: Path) -> None:
    with writer_lock(index), pytest.raises(IndexLockedError), index_to_rehearse_on(index):
        pass


def test_a_copy_that_has_no_room_is_refused_with_the_folder_and_what_to_do(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A disk cannot be filled for a test: the copy is only allowed a few pages.
    opened: Callable[..., apsw.Connection] = apsw.Connection

    def small(name: str, *arguments: object, **options: object) -> apsw.Connection:
        connection = opened(name, *arguments, **options)
        if name.endswith("copy.db"):
            connection.pragma("max_page_count", 2)
        return connection

    monkeypatch.setattr(apsw, "Connection", small)

    with pytest.raises(DiskFullError, match=str(tmp_path)) as caught:
        copy_index(index, tmp_path / "copy.db")

    assert "TMPDIR" in caught.value.hint
