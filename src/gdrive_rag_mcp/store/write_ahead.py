"""The write-ahead log: emptied on the way, so that it stays small whoever reads meanwhile.

SQLite begins the log anew only in a moment when nobody reads from it, which steady readers never
leave. A checkpoint that truncates the log lets new readers do without it, and waits for the others.
"""

import apsw

MOST_BYTES = 96 * 2**20
"""What the log may hold before it is emptied."""
_WRITTEN_BACK_BYTES = 48 * 2**20
_PATIENCE_MILLISECONDS = 1_000


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
            empty(connection, self._busy_milliseconds)
        elif size >= _WRITTEN_BACK_BYTES:
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        return apsw.SQLITE_OK


def empty(connection: apsw.Connection, busy_milliseconds: int) -> None:
    """Write everything into the file itself and cut the log off, as far as readers allow it."""
    connection.set_busy_timeout(_PATIENCE_MILLISECONDS)
    try:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    finally:
        connection.set_busy_timeout(busy_milliseconds)
