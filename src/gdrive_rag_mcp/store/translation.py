"""SQLite's errors as the project's: the one seam that every statement passes, rows included."""

import errno
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

from gdrive_rag_mcp.errors import (
    DiskFullError,
    IndexCorruptError,
    IndexLockedError,
    IndexReadOnlyError,
    StoreError,
)

REBUILD = "move the file away and run `gdrive-rag-mcp sync` to build it again"
"""What to do about an index that is damaged."""
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""The errors of a disk, or of a share of one, that is full."""
_UNDECODABLE = (
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    OverflowError,
    RecursionError,
    zlib.error,
)
_FOREIGN = (apsw.Error, UnicodeDecodeError, UnicodeEncodeError)


class TranslatingCursor(apsw.Cursor):
    """A cursor whose errors are ours, also those that only come up while rows are fetched."""

    # Not through a context manager, whose price every single statement and row would pay.

    def execute(self, *arguments: Any, **options: Any) -> apsw.Cursor:  # noqa: ANN401 - apsw's own
        try:
            return super().execute(*arguments, **options)
        except _FOREIGN as error:
            raise self._ours(error) from error

    def executemany(self, *arguments: Any, **options: Any) -> apsw.Cursor:  # noqa: ANN401 - apsw's own
        try:
            return super().executemany(*arguments, **options)
        except _FOREIGN as error:
            raise self._ours(error) from error

    def fetchall(self) -> list[tuple[Any, ...]]:
        try:
            return super().fetchall()
        except _FOREIGN as error:
            raise self._ours(error) from error

    def fetchone(self) -> Any:  # noqa: ANN401 - SQLite's own types
        try:
            return super().fetchone()
        except _FOREIGN as error:
            raise self._ours(error) from error

    def __next__(self) -> Any:  # noqa: ANN401 - SQLite's own types
        try:
            return super().__next__()
        except _FOREIGN as error:
            raise self._ours(error) from error

    def _ours(self, error: apsw.Error | UnicodeError) -> StoreError:
        if isinstance(error, apsw.Error):
            return _translated(error, self.connection)
        if isinstance(error, UnicodeEncodeError):
            return StoreError(
                f"{error.object[:80]!r} is no valid Unicode text, so the index cannot hold it",
                hint="leave out the half of a surrogate pair in it",
            )
        return _garbled(self.connection.filename, error)


@contextmanager
def opening_errors(path: str) -> Iterator[None]:
    """The same for what is done before there is a cursor: opening the file, its extensions."""
    try:
        yield
    except apsw.Error as error:
        raise _named(error, path, no_room=False) from error


@contextmanager
def decoding() -> Iterator[None]:
    """Around what turns stored values into the project's nouns; as a decorator, too.

    SQLite keeps no checksums: a damaged page may well hold rows, only not ours any more.
    """
    try:
        yield
    except _UNDECODABLE as error:
        raise _garbled("the index", error) from error


def _translated(error: apsw.Error, connection: apsw.Connection) -> StoreError:
    no_room = isinstance(error, apsw.IOError) and connection.system_errno in NO_ROOM
    return _named(error, connection.filename, no_room=no_room)


def _named(error: apsw.Error, path: str, *, no_room: bool) -> StoreError:
    if no_room or isinstance(error, apsw.FullError):
        return DiskFullError(
            f"no room left on the disk of {path}; the step was rolled back",
            hint=f"free some space in {Path(path).absolute().parent}, or choose an index on a "
            "larger disk with --db or GDRIVE_RAG_DB_PATH, and run the command again; nothing that "
            "was indexed is lost",
        )
    # A statement of ours that SQLite cannot make sense of: the tables are not what they were.
    if isinstance(error, apsw.NotADBError | apsw.CorruptError | apsw.SQLError):
        return _garbled(path, error)
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
    return StoreError(
        f"the index {path} failed: {error}",
        hint="see that its disk is there and in order, then run the command again",
    )


def _garbled(path: str, error: Exception) -> IndexCorruptError:
    return IndexCorruptError(
        f"{path} is damaged, or is no index: {error}",
        hint=REBUILD,
    )
