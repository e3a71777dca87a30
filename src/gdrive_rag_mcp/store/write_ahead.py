"""The write-ahead log: emptied on the way, so that it stays small whoever reads meanwhile.

SQLite begins the log anew only in a moment when nobody reads from it, which steady readers never
leave; a checkpoint that truncates it makes new readers do without, and waits for the others.
"""

from pathlib import Path

import apsw

MOST_BYTES = 64 * 2**20
"""What the log may hold before it is emptied."""
_STEP_BYTES = 16 * 2**20
_PATIENCE_MILLISECONDS = 1_000


class WriteAheadLog:
    """The log of one writing connection."""

    def __init__(self, connection: apsw.Connection, busy_milliseconds: int) -> None:
        self._connection = connection
        self._busy_milliseconds = busy_milliseconds
        self._file = Path(connection.filename_wal)
        self._next = MOST_BYTES

    def bound(self) -> None:
        """Empty the log if it has grown; where a reader holds on to it, later."""
        size = self._size()
        if size < self._next:
            if size < MOST_BYTES:
                self._next = MOST_BYTES
            return
        self.empty()
        left = self._size()
        self._next = left + _STEP_BYTES if left >= MOST_BYTES else MOST_BYTES

    def empty(self) -> None:
        """Write everything into the file itself, as far as readers allow it."""
        self._connection.set_busy_timeout(_PATIENCE_MILLISECONDS)
        try:
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        finally:
            self._connection.set_busy_timeout(self._busy_milliseconds)

    def _size(self) -> int:
        try:
            return self._file.stat().st_size
        except FileNotFoundError:
            return 0
