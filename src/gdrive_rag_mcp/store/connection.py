"""Opening the index file: its mode, its pragmas, and transactions over it."""

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

from gdrive_rag_mcp.errors import (
    DiskFullError,
    IndexCorruptError,
    IndexLockedError,
    IndexMissingError,
    IndexReadOnlyError,
    StoreError,
)
from gdrive_rag_mcp.store.location import is_there, refuse_unsafe_location
from gdrive_rag_mcp.store.translation import NO_ROOM, REBUILD, TranslatingCursor, opening_errors
from gdrive_rag_mcp.store.write_ahead import WriteAheadLog, checkpoint

BUSY_MILLISECONDS = 5_000
_PAUSE_SECONDS = 0.02
_PRIVATE = 0o600
_WRITER_CACHE = "-65536"  # KiB, for the only one there is

# One statement each: apsw stops a multi-statement string at the first row it returns.
# The file is not mapped into memory: that made no search faster here, while every page that was
# ever looked at counted as the server's memory, and an error of the disk would have ended it.
PRAGMAS = (
    ("synchronous", "NORMAL"),
    ("cache_size", "-16384"),  # KiB; each of a server's readers has one of its own
    ("mmap_size", "0"),
    ("temp_store", "MEMORY"),
    ("foreign_keys", "ON"),
    ("journal_size_limit", "67108864"),
)


def connect_for_writing(path: Path) -> apsw.Connection:
    """Open the index, creating it and its folder when there is none; both private to the user.

    Raises:
        IndexReadOnlyError: the folder or the file cannot be written.
        StoreError: the folder is synced or on a network, where SQLite would lose data.
    """
    refuse_unsafe_location(path)
    _create_private(path)
    connection = _connect(path, apsw.SQLITE_OPEN_READWRITE)
    if not path.stat().st_size:  # in one that holds something it would take a rewriting of all
        _pragma(connection, "auto_vacuum", "INCREMENTAL")
    if not _writes_ahead(connection):
        connection.close()
        raise StoreError(
            f"{path} is on a disk that has no shared memory for a write-ahead log",
            hint="put the index on a local disk with --db or GDRIVE_RAG_DB_PATH",
        )
    _pragma(connection, "cache_size", _WRITER_CACHE)
    WriteAheadLog(connection, BUSY_MILLISECONDS)
    return connection


def _writes_ahead(connection: apsw.Connection) -> bool:
    """Switch to the write-ahead log, which SQLite does not wait for where another is switching."""
    patience = time.monotonic() + BUSY_MILLISECONDS / 1000
    while True:
        try:
            return bool(_pragma(connection, "journal_mode", "WAL") == "wal")
        except IndexLockedError:
            if time.monotonic() > patience:
                connection.close()
                raise
            time.sleep(_PAUSE_SECONDS)


def connect_for_reading(path: Path) -> tuple[apsw.Connection, bool]:
    """Open an index that is there; the connection can change nothing.

    The flag says that the file is read as it lies there, blind to what others may write into it: a
    folder that cannot be written has no room for the log's shared memory.

    Raises:
        IndexMissingError: there is no index file.
    """
    _require_file(path)
    frozen = False
    try:
        connection = _connect(path, apsw.SQLITE_OPEN_READONLY)
    except IndexReadOnlyError:
        log = path.with_name(path.name + "-wal")
        if log.exists() and log.stat().st_size:  # the file alone is not the whole index
            raise
        connection = _connect(path, apsw.SQLITE_OPEN_READONLY, immutable=True)
        frozen = True
    _pragma(connection, "query_only", "ON")
    return connection, frozen


def _connect(path: Path, flags: int, *, immutable: bool = False) -> apsw.Connection:
    with opening_errors(str(path)):
        suffix = "?immutable=1" if immutable else ""
        connection = apsw.Connection(
            path.absolute().as_uri() + suffix, flags=flags | apsw.SQLITE_OPEN_URI
        )
        connection.cursor_factory = TranslatingCursor
        connection.set_busy_timeout(BUSY_MILLISECONDS)
        _load_vec0(connection)
    try:
        # The first read meets a damaged file, and a folder without room for a log.
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
        _refuse_impossible_schema(connection, path)
        for name, value in PRAGMAS:
            _pragma(connection, name, value)
    except StoreError:
        connection.close()
        raise
    return connection


def _refuse_impossible_schema(connection: apsw.Connection, path: Path) -> None:
    """No version of this program counts its schemas below 0."""
    [[version]] = fetch(connection, "PRAGMA user_version")
    if version < 0:
        raise IndexCorruptError(
            f"{path} is damaged, or is no index: its schema is {version}", hint=REBUILD
        )


def copy_to(connection: apsw.Connection, path: Path) -> None:
    """Copy all that a connection sees, in one state, to a new file that only its user may read.

    Raises:
        DiskFullError: there is no room for it.
    """
    _create_private(path)
    with opening_errors(str(path)):
        copy = apsw.Connection(str(path))
        try:
            with copy.backup("main", connection, "main") as backup:
                while not backup.done:
                    backup.step()
        except apsw.FullError:
            raise DiskFullError(
                f"no room for a copy of the index in {path.parent}",
                hint="free some space there, or point TMPDIR to a larger disk",
            ) from None
        finally:
            copy.close()


def empty_log(connection: apsw.Connection) -> None:
    """Write all of the log into the file itself, as far as readers allow it."""
    checkpoint(connection, "TRUNCATE", BUSY_MILLISECONDS)


def _pragma(connection: apsw.Connection, name: str, value: str) -> Any:  # noqa: ANN401 - SQLite's own types
    connection.execute(f"PRAGMA {name}={value}").fetchall()
    row = connection.execute(f"PRAGMA {name}").fetchone()
    return row[0] if row else None


def _load_vec0(connection: apsw.Connection) -> None:
    try:
        import sqlite_vec
    except ImportError:  # there is no build for this platform: the memory scan serves instead
        return
    connection.enable_load_extension(True)
    try:
        connection.load_extension(sqlite_vec.loadable_path())
    except apsw.ExtensionLoadingError:  # a build for another platform
        return
    finally:
        connection.enable_load_extension(False)


def fetch(
    connection: apsw.Connection, statement: str, parameters: Sequence[Any] = ()
) -> list[tuple[Any, ...]]:
    """All rows of a query; what their columns hold is for the statement to know."""
    return connection.execute(statement, parameters).fetchall()


def has_vec0(connection: apsw.Connection) -> bool:
    """Whether sqlite-vec is there to be used."""
    row = connection.execute("SELECT 1 FROM pragma_module_list WHERE name = 'vec0'").fetchone()
    return row is not None


def _require_file(path: Path) -> None:
    if not is_there(path):
        raise IndexMissingError(
            f"there is no index at {path}", hint="run `gdrive-rag-mcp sync` to build it"
        )


def make_private(path: Path) -> None:
    """Give an index that is known to be ours to its owner alone."""
    if path.stat().st_mode & 0o777 != _PRIVATE:
        path.chmod(_PRIVATE)


def _create_private(path: Path) -> None:
    """Make the file with mode 0600, so that SQLite gives its log the same mode.

    What is there already stays as it is: it may be somebody's letter.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        os.close(descriptor)
    except OSError as error:
        if error.errno in NO_ROOM:
            raise DiskFullError(
                f"no room left on the disk of {path}",
                hint=f"free some space in {path.absolute().parent}, or choose a larger disk with "
                "--db or GDRIVE_RAG_DB_PATH",
            ) from None
        raise IndexReadOnlyError(
            f"the index {path} cannot be written: {error.strerror}",
            hint="choose another place with --db or GDRIVE_RAG_DB_PATH, or correct the permissions",
        ) from None


@contextmanager
def transaction(connection: apsw.Connection, *, write: bool = True) -> Iterator[None]:
    """Everything inside or nothing; joins a transaction that is already open."""
    if connection.in_transaction:
        yield
        return
    connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # A full disk or a failed write may have rolled back by itself.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def undone(connection: apsw.Connection) -> Iterator[None]:
    """Everything inside is seen by this connection alone, and rolled back in the end."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
