"""The write-ahead log: emptied on the way, so that it stays small whoever reads meanwhile.

SQLite begins the log anew only in a moment when nobody reads from it, which steady readers never
leave. A checkpoint that truncates the log lets new readers do without it, and waits for the others.
"""

import logging

import apsw

from gdrive_rag_mcp.errors import StoreError

MOST_BYTES = 96 * 2**20
"""What the log may hold before it is emptied."""
_WRITTEN_BACK_BYTES = 48 * 2**20
_PATIENCE_MILLISECONDS = 1_000

_log = logging.getLogger(__name__)


class WriteAheadLog:
    """The log of one writing connection, which calls this after each of its commits.

    Source: sqlite.org/c3ref/wal_hook.html, which allows a checkpoint in this place.
    """

    def __init__(self, connection: apsw.Connection, busy_milliseconds: int) -> None:
        self._page_bytes: int = connection.pragma("page_size")
        self._busy_milliseconds = busy_milliseconds
        self._empty_at = MOST_BYTES
        connection.set_wal_hook(self)

    def __call__(self, connection: apsw.Connection, _: str, pages: int) -> int:
        """Bring the log's pages into the file, and empty a log that has grown."""
        size = pages * self._page_bytes
        if size < MOST_BYTES:
            self._empty_at = MOST_BYTES
        if size >= self._empty_at:
            # Where a reader holds on to it, that is tried again when it has grown some more.
            self._empty_at = size + MOST_BYTES // 4
            self._bring_back("TRUNCATE", connection)
        elif size >= _WRITTEN_BACK_BYTES:
            self._bring_back("PASSIVE", connection)
        return apsw.SQLITE_OK

    def _bring_back(self, how: str, connection: apsw.Connection) -> None:
        try:
            checkpoint(connection, how, self._busy_milliseconds)
        except StoreError as error:
            # What was committed stays so, whatever comes of the log; the next commit tries again.
            _log.warning("The write-ahead log could not be written back: %s", error)


def checkpoint(connection: apsw.Connection, how: str, busy_milliseconds: int) -> None:
    """Write the log into the file itself and, to truncate it, wait a little for readers.

    Raises:
        StoreError: the file cannot be written.
    """
    connection.set_busy_timeout(_PATIENCE_MILLISECONDS)
    try:
        connection.execute(f"PRAGMA wal_checkpoint({how})").fetchall()
    finally:
        connection.set_busy_timeout(busy_milliseconds)
