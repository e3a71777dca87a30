"""The index: one SQLite file with the ledger, the documents, their full text and their vectors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import apsw

from gdrive_rag_mcp.domain import Document
from gdrive_rag_mcp.store import connection as connections
from gdrive_rag_mcp.store import documents
from gdrive_rag_mcp.store.catalog import Catalog
from gdrive_rag_mcp.store.inventory import Inventory
from gdrive_rag_mcp.store.ledger import Ledger
from gdrive_rag_mcp.store.meta import Meta
from gdrive_rag_mcp.store.migrations import migrate, require_schema
from gdrive_rag_mcp.store.scoping import stored_time
from gdrive_rag_mcp.store.search_index import SqliteSearchIndex
from gdrive_rag_mcp.store.text_index import TextIndex
from gdrive_rag_mcp.store.vector_index import VectorIndex
from gdrive_rag_mcp.store.vector_matrix import VectorMatrix
from gdrive_rag_mcp.store.work_queue import WorkQueue

if TYPE_CHECKING:
    from typing import Self

__all__ = ["Store", "VectorMatrix"]

_UNUSED_VECTORS_KEPT = timedelta(days=30)


class Store:
    """One connection to an index; threads that read at the same time each need their own."""

    def __init__(
        self, path: Path, connection: apsw.Connection, matrix: VectorMatrix | None = None
    ) -> None:
        self.path = path
        self._connection = connection
        self._matrix = matrix
        self._generation = 0
        self.ledger = Ledger(connection)
        self.inventory = Inventory(connection)
        self.queue = WorkQueue(connection)
        self._open_generation()

    def _open_generation(self) -> None:
        """Look at the generation that is searched now; a reindex may have flipped it."""
        generation = Meta(self._connection).generation
        if generation == self._generation:
            return
        self._generation = generation
        self._vectors = VectorIndex(self._connection, generation, self._matrix)
        text = TextIndex(self._connection, generation)
        self.index = SqliteSearchIndex(self._connection, generation, text, self._vectors)
        self.catalog = Catalog(self._connection, self.ledger, self._vectors)

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
        connection = connections.connect_for_reading(path)
        require_schema(connection, path)
        with connections.store_errors(path):
            return cls(path, connection, matrix)

    @classmethod
    def open_for_writing(cls, path: Path) -> Self:
        """Open an index, making or migrating it as needed.

        Raises:
            IndexReadOnlyError: the file or its folder cannot be written.
            IndexCorruptError: the file is no index, or damaged.
            SchemaTooNewError: a newer version wrote it.
        """
        connection = connections.connect_for_writing(path)
        migrate(connection, path)
        with connections.store_errors(path):
            return cls(path, connection)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Everything inside is kept, or nothing of it; SQLite's errors come out as ours."""
        with connections.store_errors(self.path), connections.transaction(self._connection):
            yield

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Everything inside sees one and the same state of the index."""
        with (
            connections.store_errors(self.path),
            connections.transaction(self._connection, write=False),
        ):
            self._open_generation()
            yield

    def stored_document(self, document_id: str) -> Document | None:
        """A document as it was extracted, to be cut again."""
        return documents.read(self._connection, document_id)

    def cut_otherwise(self, chunking: str) -> list[str]:
        """The documents that another chunking identity cut."""
        return documents.cut_otherwise(self._connection, chunking)

    def tidy(self, now: datetime) -> None:
        """After a sync: drop vectors long unused, old log entries, and the write-ahead log."""
        with self.transaction():
            self._connection.execute(
                """UPDATE vectors SET unused_since = CASE
                    WHEN num IN (SELECT vector FROM chunks WHERE vector IS NOT NULL) THEN NULL
                    ELSE coalesce(unused_since, ?) END""",
                (stored_time(now),),
            )
            self._connection.execute(
                "DELETE FROM vectors WHERE unused_since < ?",
                (stored_time(now - _UNUSED_VECTORS_KEPT),),
            )
            self._vectors.trim_log()
        with connections.store_errors(self.path):
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
