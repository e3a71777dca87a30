"""The index as a file: who may read it, how it is opened, and what else may lie in its place."""

import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread

import apsw
import pytest

from gdrive_rag_mcp.domain import EVERYTHING
from gdrive_rag_mcp.errors import (
    DiskFullError,
    GdriveRagError,
    IndexCorruptError,
    IndexMissingError,
    IndexReadOnlyError,
    SchemaTooNewError,
    StoreError,
)
from gdrive_rag_mcp.store import Store, location
from gdrive_rag_mcp.store.connection import PRAGMAS
from gdrive_rag_mcp.store.migrations import SCHEMA_VERSION
from gdrive_rag_mcp.testing.hand_written import HandWritten, found_by_vector, found_by_words
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder

STORED_PRAGMAS = {
    "synchronous": 1,
    "cache_size": -65536,
    "temp_store": 2,
    "foreign_keys": 1,
    "journal_size_limit": 67108864,
    "wal_autocheckpoint": 4000,
    "journal_mode": "wal",
    "busy_timeout": 5000,
}


@pytest.fixture
def index(tmp_path: Path) -> Path:
    """An index of three documents."""
    path = tmp_path / "index.db"
    with Store.open_for_writing(path) as store:
        hand = HandWritten(store)
        for number in range(3):
            hand.put(f"file{number}", f"Sabbatical leave number {number}.", "Another paragraph.")
        hand.embed(HashingEmbedder(32))
    return path


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
        assert store._connection.pragma("mmap_size") == 2 * index.stat().st_size
    assert {name for name, _ in PRAGMAS} <= set(STORED_PRAGMAS)


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


def other_program(path: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.execute("CREATE TABLE messages (body TEXT)")
    connection.close()


def other_program_with_a_version(path: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA user_version = 1")
    connection.close()


def a_text_file(path: Path) -> None:
    path.write_text("Dear diary, today I wrote something that is not a database.\n" * 40)


def half_an_index(path: Path) -> None:
    with Store.open_for_writing(path) as store:
        HandWritten(store).put("a", *(f"text {number}" for number in range(200)))
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2 + 100])


def a_garbled_header(path: Path) -> None:
    Store.open_for_writing(path).close()
    path.write_bytes(b"\x00" * 100 + path.read_bytes()[100:])


def a_garbled_schema(path: Path) -> None:
    Store.open_for_writing(path).close()
    content = path.read_bytes()
    path.write_bytes(content[:100] + b"\xff" * 3900 + content[4000:])


@pytest.mark.parametrize(
    "make",
    [
        other_program,
        other_program_with_a_version,
        a_text_file,
        half_an_index,
        a_garbled_header,
        a_garbled_schema,
    ],
)
@pytest.mark.parametrize("opened", [Store.open_for_reading, Store.open_for_writing])
def test_what_is_no_whole_index_is_refused_and_left_alone(
    tmp_path: Path, make: Callable[[Path], None], opened: Callable[[Path], Store]
) -> None:
    path = tmp_path / "index.db"
    make(path)
    before = path.read_bytes()
    with pytest.raises(IndexCorruptError) as caught, opened(path) as store:
        list(store.catalog.chunks("a", scope=EVERYTHING))
    assert str(path) in caught.value.message
    assert caught.value.hint
    if make is not other_program_with_a_version:  # WAL mode is set before anything is read
        assert path.read_bytes()[100:] == before[100:]


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
        assert "room" in caught.value.hint
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


def as_nobody(work: Callable[[], None]) -> str:
    """Run something in a child process without root's rights; returns what it raised."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setresgid(65534, 65534, 65534)
            os.setresuid(65534, 65534, 65534)
            try:
                work()
                said = "fine"
            except GdriveRagError as error:
                said = f"{type(error).__name__}: {error}"
            os.write(write, said.encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        said = pipe.read().decode()
    os.waitpid(child, 0)
    return said


@pytest.fixture
def shown(index: Path) -> Iterator[Path]:
    """A copy of the index for another user, in a folder that this user may not write."""
    if os.geteuid() != 0:
        pytest.skip("only root can become somebody else")
    with tempfile.TemporaryDirectory() as name:  # pytest's own folders are closed to others
        folder = Path(name)
        copy = folder / "index.db"
        shutil.copy(index, copy)
        os.chown(copy, 65534, 65534)
        folder.chmod(0o555)
        yield copy


def test_an_index_in_a_folder_that_cannot_be_written_is_read_all_the_same(shown: Path) -> None:
    def work() -> None:
        with Store.open_for_reading(shown) as store:
            assert len(found_by_words(store, "sabbatical")) == 3
            assert len(found_by_vector(store, HashingEmbedder(32)._bag("sabbatical"))) == 6

    assert as_nobody(work) == "fine"
    assert [entry.name for entry in shown.parent.iterdir()] == ["index.db"]


def test_a_reader_that_cannot_lock_sees_what_was_written_since(shown: Path) -> None:
    read, write = os.pipe()
    done, tell = os.pipe()

    def work() -> None:
        with Store.open_for_reading(shown) as store:
            assert len(found_by_words(store, "sabbatical")) == 3
            os.write(tell, b".")
            os.read(read, 1)
            assert len(found_by_words(store, "sabbatical")) == 4

    def write_more() -> None:
        os.read(done, 1)
        with Store.open_for_writing(shown) as store:
            HandWritten(store).put("another", "One more sabbatical.")
        os.chown(shown, 65534, 65534)
        os.write(write, b".")

    writer = Thread(target=write_more)
    writer.start()
    said = as_nobody(work)
    writer.join()
    assert said == "fine"


def test_a_folder_that_cannot_be_written_is_said_to_be_read_only(shown: Path) -> None:
    assert as_nobody(lambda: Store.open_for_writing(shown.with_name("new.db")).close()).startswith(
        "IndexReadOnlyError"
    )
    shown.chmod(0o400)

    def write() -> None:
        with Store.open_for_writing(shown) as store:
            HandWritten(store).put("another", "One more.")

    assert as_nobody(write).startswith("IndexReadOnlyError")
    shown.chmod(0o000)
    assert as_nobody(lambda: Store.open_for_reading(shown).close()).startswith("IndexReadOnlyError")


def test_a_folder_in_the_place_of_the_index_is_an_error_of_ours(tmp_path: Path) -> None:
    for opened in (Store.open_for_reading, Store.open_for_writing):
        with pytest.raises(StoreError, match=tmp_path.name):
            opened(tmp_path)


def test_whatever_byte_is_garbled_the_error_is_ours(index: Path, tmp_path: Path) -> None:
    """In a child process: a damaged file must not end the program either."""
    program = (
        "import pathlib, random, sys\n"
        "from gdrive_rag_mcp.domain import EVERYTHING\n"
        "from gdrive_rag_mcp.errors import GdriveRagError\n"
        "from gdrive_rag_mcp.store import Store\n"
        "from gdrive_rag_mcp.testing.hand_written import found_by_words\n"
        "whole, path = pathlib.Path(sys.argv[1]).read_bytes(), pathlib.Path(sys.argv[2])\n"
        "draw = random.Random(7)\n"
        "refused = 0\n"
        "for _ in range(150):\n"
        "    start = draw.randrange(100, len(whole) - 600)\n"
        "    path.write_bytes(whole[:start] + draw.randbytes(500) + whole[start + 500:])\n"
        "    try:\n"
        "        with Store.open_for_reading(path) as store:\n"
        "            store.catalog.status(EVERYTHING)\n"
        "            for record in store.ledger.all(EVERYTHING):\n"
        "                list(store.catalog.chunks(record.id, EVERYTHING))\n"
        "                store.stored_document(record.id)\n"
        "            found_by_words(store, 'sabbatical leave')\n"
        "    except GdriveRagError:\n"
        "        refused += 1\n"
        "print(refused)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program, str(index), str(tmp_path / "garbled.db")],
        check=False,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    assert int(ran.stdout) > 10
