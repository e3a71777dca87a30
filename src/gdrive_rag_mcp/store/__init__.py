"""The index: one SQLite file with the ledger, the documents, their full text and their vectors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import apsw

from gdrive_rag_mcp.domain import Document, EmbeddingIdentity
from gdrive_rag_mcp.errors import StoreError
from gdrive_rag_mcp.store import connection as connections
from gdrive_rag_mcp.store import documents
from gdrive_rag_mcp.store.calibration_rows import CalibrationRows
from gdrive_rag_mcp.store.catalog import Catalog
from gdrive_rag_mcp.store.chunk_sample import ChunkSample
from gdrive_rag_mcp.store.free_space import give_back
from gdrive_rag_mcp.store.frontier import StoredFrontier
from gdrive_rag_mcp.store.generation import Generation
from gdrive_rag_mcp.store.generations import Generations
from gdrive_rag_mcp.store.inventory import Inventory
from gdrive_rag_mcp.store.ledger import Ledger
from gdrive_rag_mcp.store.matrix_loading import MatrixLoader
from gdrive_rag_mcp.store.meta import Meta
from gdrive_rag_mcp.store.migrations import migrate, require_schema
from gdrive_rag_mcp.store.narrowing import Narrowing
from gdrive_rag_mcp.store.search_index import SqliteSearchIndex
from gdrive_rag_mcp.store.straying import Straying
from gdrive_rag_mcp.store.text_index import TextIndex
from gdrive_rag_mcp.store.vector_cache import VectorCache
from gdrive_rag_mcp.store.vector_index import VectorIndex
from gdrive_rag_mcp.store.vector_matrix import VectorMatrix
from gdrive_rag_mcp.store.work_queue import WorkQueue

if TYPE_CHECKING:
    from typing import Self

__all__ = ["UNUSED_VECTORS_KEPT", "MatrixLoader", "Store", "VectorMatrix", "resident_vectors"]

UNUSED_VECTORS_KEPT = timedelta(days=30)
"""How long a vector is kept that no chunk uses: a text that comes back needs no embedding."""
_VECTOR_LOG_KEPT = 200_000
_TRIM_VECTOR_LOG = """DELETE FROM vector_log
    WHERE seq <= (SELECT max(seq) FROM vector_log) - ?"""


class Store:
    """One connection to an index; threads that read at the same time each need their own.

    Whatever SQLite raises comes out as one of the project's errors, wherever it is met.
    """

    def __init__(
        self,
        path: Path,
        connection: apsw.Connection,
        matrix: VectorMatrix | None = None,
        *,
        frozen: bool = False,
    ) -> None:
        self.path = path
        self._matrix = matrix
        self._frozen = _stamp(path) if frozen else None
        self._use(connection)

    def _use(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._generation = 0
        self._narrowing = Narrowing(connection)
        self.ledger = Ledger(connection)
        self.inventory = Inventory(connection)
        self.straying = Straying(connection)
        self.queue = WorkQueue(connection)
        self.calibration = CalibrationRows(connection)
        self.chunk_sample = ChunkSample(connection)
        self._open_generation()

    def _open_generation(self) -> None:
        """Look at the generation that is searched now; a reindex may have flipped it."""
        meta = Meta(self._connection)
        generation = meta.generation
        if generation == self._generation:
            return
        self._generation = generation
        self._generations = Generations(self._connection)
        vectors = VectorIndex(self._connection, generation, self._matrix, self._narrowing)
        text = TextIndex(self._connection, meta.text_generation, self._narrowing)
        self.index = SqliteSearchIndex(
            self._connection, text, vectors, self._generations, self._narrowing
        )
        self.catalog = Catalog(self._connection, self.ledger, vectors)

    @classmethod
    def open_for_reading(cls, path: Path, *, matrix: VectorMatrix | None = None) -> Self:
        """Open an index that is there; nothing can be changed through it.

        A `matrix` is the resident vectors that a serving process shares among its readers; without
        one, sqlite-vec answers from disk.

        Raises:
            IndexMissingError: there is no index, or none of this version's schema.
            IndexCorruptError: the file is no index, or damaged.
            SchemaTooNewError: a newer version wrote it.
        """
        connection, frozen = connections.connect_for_reading(path)
        with _closed_on_error(connection):
            require_schema(connection, path)
            return cls(path, connection, matrix, frozen=frozen)

    @classmethod
    def open_for_writing(cls, path: Path) -> Self:
        """Open an index, making or migrating it as needed.

        Raises:
            IndexReadOnlyError: the file or its folder cannot be written.
            IndexCorruptError: the file is no index, or damaged.
            SchemaTooNewError: a newer version wrote it.
        """
        connection = connections.connect_for_writing(path)
        with _closed_on_error(connection):
            migrate(connection, path)
            connections.make_private(path)
            return cls(path, connection)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Everything inside is kept, or nothing of it."""
        with self.index.transaction():
            yield

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Everything inside sees one and the same state of the index."""
        self._look_again_if_frozen()
        with connections.transaction(self._connection, write=False):
            self._open_generation()
            yield

    def _look_again_if_frozen(self) -> None:
        """Where no lock can be had, see at least that the file is still the one that was opened."""
        if self._frozen is None or self._connection.in_transaction:
            return
        now = _stamp(self.path)
        if now != self._frozen:
            self._connection.close()
            connection, frozen = connections.connect_for_reading(self.path)
            with _closed_on_error(connection):
                require_schema(connection, self.path)
                self._frozen = now if frozen else None
                self._use(connection)

    def frontier(self, now: datetime) -> StoredFrontier:
        """What is known of and still to be listed or looked up; `now` says what has rested."""
        return StoredFrontier(self._connection, now)

    @contextmanager
    def rehearsal(self) -> Iterator[None]:
        """Everything inside is undone, so that it can be seen what would happen."""
        try:
            with connections.undone(self._connection):
                yield
        finally:
            self.index.forget_unwritten()

    @contextmanager
    def without(self, document_id: str) -> Iterator[None]:
        """Everything inside sees the index as if it had no such document; nothing is changed."""
        with self.rehearsal():
            self.index.remove(document_id)
            yield

    def stored_document(self, document_id: str) -> Document | None:
        """A document as it was extracted, to be cut again."""
        return documents.read(self._connection, document_id)

    def cut_otherwise(self, chunking: str) -> list[str]:
        """The documents that another chunking identity cut."""
        return documents.cut_otherwise(self._connection, chunking)

    def tidy(self, now: datetime, *, unused_kept: timedelta = UNUSED_VECTORS_KEPT) -> None:
        """After a run: drop what is of no use any more, and give its room back.

        Where a machine without sqlite-vec has written, this one builds the vectors on disk again.
        """
        with self.transaction():
            self._generations.serving.disk.restore()
            self._connection.execute(_TRIM_VECTOR_LOG, (_VECTOR_LOG_KEPT,))
        self._generations.clear_away()
        numbers = self._generations.numbers_in_use
        VectorCache(self._connection).drop_idle(now, now - unused_kept, numbers)
        give_back(self._connection)
        connections.empty_log(self._connection)

    # ── another embedder ─────────────────────────────────────────────────────

    def building(self, identity: EmbeddingIdentity) -> Generation:
        """The vectors of another embedder that are made beside those in service."""
        return self._generations.build(identity)

    @property
    def begun(self) -> EmbeddingIdentity | None:
        """The embedder whose vectors are being made, where a change to it has begun."""
        return self._generations.begun

    def abandon(self) -> None:
        """Give up the change that has begun, if there is one; its vectors stay for a while."""
        self._generations.abandon()

    def flip(self, identity: EmbeddingIdentity) -> None:
        """Search by the vectors that were built for another embedder from now on, all at once.

        Raises:
            StoreError: none were built for it.
        """
        with self.transaction():
            self._generations.flip(identity)
        self._open_generation()

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def resident_vectors(path: Path) -> MatrixLoader:
    """What keeps an index's vectors in memory, for the readers of a process that stays.

    Nothing is read before a search asks for it, and no search waits for it.
    """
    return MatrixLoader(lambda: connections.connect_for_reading(path)[0])


@contextmanager
def _closed_on_error(connection: apsw.Connection) -> Iterator[None]:
    try:
        yield
    except StoreError:
        connection.close()
        raise


def _stamp(path: Path) -> tuple[int, ...] | None:
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns
