"""Connections to one index for several threads."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gdrive_rag_mcp.store import MatrixLoader, Store, resident_vectors
from gdrive_rag_mcp.store.activity import Activity


class StorePool:
    """Lends each thread a connection of its own to the index as it is now.

    Where the file was replaced under its name, connections to the former one are let go. With
    `resident`, all connections share one matrix of vectors in memory. `activity` is where whoever
    searches says so, for a writer to give way.
    """

    def __init__(self, path: Path, *, resident: bool = False) -> None:
        self._path = path
        self._resident = resident
        self._lock = threading.Lock()
        self._file: tuple[int, int] | None = None
        self._vectors: MatrixLoader | None = None
        self._idle: list[Store] = []
        self.activity = Activity(path)

    @contextmanager
    def lend(self) -> Iterator[Store]:
        """A connection in one read snapshot.

        Raises:
            IndexMissingError: there is no index file.
            StoreError: the file cannot be read as an index.
        """
        store, file = self._take()
        try:
            with store.reading():
                yield store
        except BaseException:
            store.close()
            raise
        self._give_back(store, file)

    def _take(self) -> tuple[Store, tuple[int, int] | None]:
        file = self._identity()
        with self._lock:
            if file != self._file:
                self._let_go()
                self._file = file
                if self._resident:
                    self._vectors = resident_vectors(self._path)
            if self._idle:
                return self._idle.pop(), file
            matrix = self._vectors.matrix if self._vectors else None
        return Store.open_for_reading(self._path, matrix=matrix), file

    def _give_back(self, store: Store, file: tuple[int, int] | None) -> None:
        with self._lock:
            if file == self._file:
                self._idle.append(store)
                return
        store.close()

    def _identity(self) -> tuple[int, int] | None:
        try:
            status = self._path.stat()
        except OSError:
            return None
        return status.st_dev, status.st_ino

    def _let_go(self) -> None:
        while self._idle:
            self._idle.pop().close()
        if self._vectors is not None:
            self._vectors.close()
            self._vectors = None

    def close(self) -> None:
        """Close every connection that is not lent out."""
        with self._lock:
            self._let_go()
            self._file = None
