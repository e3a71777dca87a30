"""Loads a matrix beside the searches, so that none of them waits for it.

It reads in pieces, each in a snapshot of its own: a snapshot that stood as long as the loading
takes would keep the writer's log from being emptied meanwhile.
"""

import logging
from collections.abc import Callable
from threading import Lock, Thread

import apsw

from gdrive_rag_mcp.errors import StoreError
from gdrive_rag_mcp.store.connection import transaction
from gdrive_rag_mcp.store.meta import Meta
from gdrive_rag_mcp.store.vector_matrix import VectorMatrix, append, log_span, piece
from gdrive_rag_mcp.store.vector_segments import Segment

_PATIENCE_SECONDS = 5.0

_log = logging.getLogger(__name__)


class MatrixLoader:
    """Brings one matrix up to date in a thread of its own, whenever a search finds it lacking."""

    def __init__(self, connect: Callable[[], apsw.Connection]) -> None:
        self._connect = connect
        self._starting = Lock()
        self._thread: Thread | None = None
        self._ended = False
        self.matrix = VectorMatrix(self._begin)

    def close(self) -> None:
        """Give up what is being loaded."""
        self._ended = True
        if self._thread is not None:
            self._thread.join(_PATIENCE_SECONDS)

    def _begin(self) -> None:
        """Start a thread, unless there is one: then the next search asks again if it has to."""
        with self._starting:
            if self._ended or (self._thread is not None and self._thread.is_alive()):
                return
            # A daemon: a process that ends does not wait for vectors that nobody will ask for.
            self._thread = Thread(target=self._work, name="matrix-loader", daemon=True)
            self._thread.start()

    def _work(self) -> None:
        try:
            self._bring_up_to_date()
        except StoreError as error:
            # Searches go on with the vectors on disk, and the next one tries again.
            _log.warning("The vectors could not be loaded into memory: %s", error)

    def _bring_up_to_date(self) -> None:
        connection = self._connect()
        try:
            while not self._ended and not self._is_done(connection):
                pass
        finally:
            connection.close()

    def _is_done(self, connection: apsw.Connection) -> bool:
        with transaction(connection, write=False):
            generation = Meta(connection).generation
            first, _ = log_span(connection)
            if not self.matrix.lacks(generation, first):
                return not self.matrix.catch_up(connection)
        return self._load(connection, generation)

    def _load(self, connection: apsw.Connection, generation: int) -> bool:
        """Read a generation whole; false where it has to be done again."""
        self.matrix.give_up(generation)
        segments: list[Segment] = []
        after = since = -1
        while not self._ended:
            with transaction(connection, write=False):
                first, last = log_span(connection)
                since = last if since < 0 else since
                if Meta(connection).generation != generation or first > since + 1:
                    return False
                rows = piece(connection, generation, after)
                if not rows:
                    self.matrix.take_over(connection, segments, generation, since)
                    return True
            append(segments, rows, {})
            after = rows[-1][0]
        return True
