"""Another embedder's vectors: made beside the ones that are searched, then put in their place."""

import json
from collections.abc import Sequence
from dataclasses import asdict

import apsw

from gdrive_rag_mcp.domain import Chunk, EmbeddingIdentity
from gdrive_rag_mcp.protocols import Vectors
from gdrive_rag_mcp.store.connection import fetch, has_vec0, transaction
from gdrive_rag_mcp.store.meta import Meta
from gdrive_rag_mcp.store.search_index import SqliteSearchIndex
from gdrive_rag_mcp.store.vector_cache import VectorCache

_LACKING = """FROM chunks c WHERE c.generation = ? AND NOT EXISTS (
    SELECT 1 FROM vectors v WHERE v.fingerprint = ? AND v.hash = c.hash)"""


class Reembedding:
    """What a reindex does to the vectors, over a connection it does not own."""

    def __init__(
        self, connection: apsw.Connection, index: SqliteSearchIndex, cache: VectorCache
    ) -> None:
        self._connection = connection
        self._index = index
        self._cache = cache
        self._meta = Meta(connection)

    def count_lacking(self, fingerprint: str) -> int:
        """How many distinct texts that embedder has no vector of yet."""
        row = self._connection.execute(
            f"SELECT count(DISTINCT c.hash) {_LACKING}", (self._meta.generation, fingerprint)
        ).fetchone()
        return int(row[0]) if row else 0

    def lacking(self, fingerprint: str, after: int, limit: int) -> list[tuple[int, Chunk]]:
        """Chunks whose text that embedder has no vector of, in order, from beyond `after`."""
        numbers = fetch(
            self._connection,
            f"SELECT c.num {_LACKING} AND c.num > ? ORDER BY c.num LIMIT ?",
            (self._meta.generation, fingerprint, after, limit),
        )
        return self._index.chunks([number for (number,) in numbers])

    def keep(self, fingerprint: str, hashes: Sequence[str], rows: Vectors) -> None:
        """Keep vectors that nothing points to yet, shape (len(hashes), dimensions)."""
        with transaction(self._connection):
            self._cache.add(hashes, rows, fingerprint)

    def flip(self, identity: EmbeddingIdentity) -> None:
        """Let every chunk point to that embedder's vector, as a new generation.

        Chunks whose text it has no vector of wait for one. The former vectors stay for a while, so
        that going back costs nothing; full text is untouched.
        """
        former = self._meta.generation
        self._cache.let_go(
            number
            for (number,) in fetch(
                self._connection,
                "SELECT DISTINCT vector FROM chunks WHERE vector IS NOT NULL AND generation = ?",
                (former,),
            )
        )
        if has_vec0(self._connection):
            self._connection.execute(f"DROP TABLE IF EXISTS vec_g{former}")
        self._meta.delete("vec0")
        self._connection.execute(
            """UPDATE chunks SET generation = ?, vector = (SELECT v.num FROM vectors v
                WHERE v.fingerprint = ? AND v.hash = chunks.hash) WHERE generation = ?""",
            (former + 1, identity.fingerprint, former),
        )
        self._connection.execute(
            """UPDATE files SET vector_count = (
                SELECT count(c.vector) FROM chunks c WHERE c.file = files.num)
            WHERE chunk_count > 0"""
        )
        self._meta.set("embedding", json.dumps(asdict(identity)))
        self._meta.set("generation", str(former + 1))
