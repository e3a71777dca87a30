"""Opening the index file: its mode, its pragmas, and SQLite's errors as ours."""

import errno
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

from gdrive_rag_mcp.errors import (
    DiskFullError,
    GdriveRagError,
    IndexCorruptError,
    IndexLockedError,
    IndexMissingError,
    IndexReadOnlyError,
    StoreError,
)
from gdrive_rag_mcp.store.location import refuse_unsafe_location

BUSY_MILLISECONDS = 5_000
_MMAP_LIMIT = 8 * 2**30

# One statement each: apsw stops a multi-statement string at the first row it returns.
_PRAGMAS = (
    ("synchronous", "NORMAL"),
    ("cache_size", "-65536"),
    ("temp_store", "MEMORY"),
    ("foreign_keys", "ON"),
    ("journal_size_limit", "67108864"),
    ("wal_autocheckpoint", "4000"),
)


@contextmanager
def store_errors(path: Path) -> Iterator[None]:
    """Turn what SQLite raises into the project's errors."""
    try:
        yield
    except apsw.Error as error:
        raise _translated(error, path) from error


def _translated(error: apsw.Error, path: Path) -> GdriveRagError:
    if isinstance(error, apsw.NotADBError | apsw.CorruptError):
        return IndexCorruptError(
            f"{path} is damaged, or is no index: {error}",
            hint="move the file away and run `gdrive-rag-mcp sync` to build it again",
        )
    if isinstance(error, apsw.FullError):
        return DiskFullError(
            f"no room left on the disk of {path}; the step was rolled back",
            hint="make room and run the command again; nothing that was indexed is lost",
        )
    if isinstance(error, apsw.ReadOnlyError | apsw.PermissionsError):
        return IndexReadOnlyError(
            f"{path} cannot be written", hint="check the permissions of the file and its folder"
        )
    if isinstance(error, apsw.CantOpenError):
        return IndexReadOnlyError(
            f"{path} cannot be opened: {error}", hint="check the path and its permissions"
        )
    if isinstance(error, apsw.BusyError | apsw.LockedError):
        return IndexLockedError(
            f"another process is writing {path}", hint="wait until it has finished, then try again"
        )
    return StoreError(f"the index {path} failed: {error}", hint="run `gdrive-rag-mcp doctor`")


def connect_for_writing(path: Path) -> apsw.Connection:
    """Open the index, creating it and its folder when there is none; both private to the user.

    Raises:
        IndexReadOnlyError: the folder or the file cannot be written.
        StoreError: the folder is synced or on a network, where SQLite would lose data.
    """
    refuse_unsafe_location(path)
    _create_private(path)
    connection = _connect(path, apsw.SQLITE_OPEN_READWRITE)
    with store_errors(path):
        if _pragma(connection, "journal_mode", "WAL") != "wal":
            raise StoreError(
                f"{path} is on a disk that has no shared memory for a write-ahead log",
                hint="put the index on a local disk with --db or GDRIVE_RAG_DB_PATH",
            )
    return connection


def connect_for_reading(path: Path) -> apsw.Connection:
    """Open an index that is there; the connection can change nothing.

    Raises:
        IndexMissingError: there is no index file.
    """
    if not path.exists():
        raise IndexMissingError(
            f"there is no index at {path}", hint="run `gdrive-rag-mcp sync` to build it"
        )
    try:
        connection = _connect(path, apsw.SQLITE_OPEN_READONLY)
        with store_errors(path):
            connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
    except IndexReadOnlyError:
        # A folder that cannot be written has no room for the log's shared memory. Without a log
        # beside it the file is whole, and may be read as it lies there.
        if path.with_name(path.name + "-wal").exists():
            raise
        connection = _connect(path, apsw.SQLITE_OPEN_READONLY, immutable=True)
    with store_errors(path):
        _pragma(connection, "query_only", "ON")
    return connection


def _connect(path: Path, flags: int, *, immutable: bool = False) -> apsw.Connection:
    with store_errors(path):
        suffix = "?immutable=1" if immutable else ""
        connection = apsw.Connection(
            path.absolute().as_uri() + suffix, flags=flags | apsw.SQLITE_OPEN_URI
        )
        connection.set_busy_timeout(BUSY_MILLISECONDS)
        connection.execute(
            "PRAGMA schema_version"
        ).fetchall()  # the first read meets a damaged file
        for name, value in _PRAGMAS:
            _pragma(connection, name, value)
        _pragma(connection, "mmap_size", str(min(path.stat().st_size * 2, _MMAP_LIMIT)))
        _load_vec0(connection)
    return connection


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
    connection.load_extension(sqlite_vec.loadable_path())
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


def _create_private(path: Path) -> None:
    """Make the file with mode 0600, so that SQLite gives its log the same mode."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        os.close(descriptor)
        path.chmod(0o600)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise DiskFullError(
                f"no room left on the disk of {path}", hint="make room and try again"
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
    except BaseException:
        # A full disk or a failed write may have rolled back by itself.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    try:
        connection.execute("COMMIT")
    except apsw.Error:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
