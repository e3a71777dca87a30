"""A generation: one embedder's vectors over all chunks, in service or still being built.

Which chunk has which vector is a table of its own for each generation, and so is how they are found
on disk. Chunks, their ids and the full text belong to none; a change of the embedder is therefore
a change of which generation is asked, and nothing is moved.
"""

import json
from collections import Counter
from collections.abc import Sequence

import apsw

from gdrive_rag_mcp.domain import Chunk, EmbeddingOutlook, TokenVectors
from gdrive_rag_mcp.protocols import Vectors
from gdrive_rag_mcp.store.chunk_rows import ChunkRows
from gdrive_rag_mcp.store.connection import fetch, transaction
from gdrive_rag_mcp.store.disk_vectors import DiskVectors
from gdrive_rag_mcp.store.meta import EMBEDDING, Meta
from gdrive_rag_mcp.store.token_gaps import TokenGaps
from gdrive_rag_mcp.store.token_rows import TokenRows
from gdrive_rag_mcp.store.vector_cache import VectorCache


class Generation:
    """One generation's vectors, over a connection it does not own."""

    def __init__(self, connection: apsw.Connection, number: int, embedder: str) -> None:
        """`embedder` is the name under which the index notes whose vectors they are."""
        self._connection = connection
        self._meta = Meta(connection)
        self._embedder = embedder
        self._serving = embedder == EMBEDDING
        self._table = f"chunk_vectors_g{number}"
        self._waiting = f"waiting_g{number}"
        self._cache = VectorCache(connection)
        self._chunks = ChunkRows(connection)
        self.number = number
        self.disk = DiskVectors(connection, number)
        self.tokens = TokenRows(connection, number)

    @property
    def _fingerprint(self) -> str:
        identity = self._meta.identity(self._embedder)
        return identity.fingerprint if identity else ""

    # ── vectors that are still to be made ────────────────────────────────────

    def waiting(self) -> int:
        """How many chunks wait for a vector."""
        [(waiting,)] = fetch(self._connection, f"SELECT count(*) FROM {self._waiting}")
        return int(waiting)

    def waiting_among(self, chunks: Sequence[int]) -> frozenset[int]:
        """Which of some chunks wait for a vector."""
        rows = fetch(
            self._connection,
            f"""SELECT chunk FROM {self._waiting}
            WHERE chunk IN (SELECT value FROM json_each(?))""",
            (json.dumps([int(chunk) for chunk in chunks]),),
        )
        return frozenset(chunk for (chunk,) in rows)

    def outlook(self) -> EmbeddingOutlook:
        """What is to be embedded: distinct texts that have no vector yet, and their length."""
        [(texts, characters)] = fetch(
            self._connection,
            f"""SELECT count(*), coalesce(sum(size), 0) FROM (
                SELECT max(c."end" - c.start + length(c.title) + length(c.context)) AS size
                FROM {self._waiting} w CROSS JOIN chunks c ON c.num = w.chunk
                WHERE NOT EXISTS (
                    SELECT 1 FROM vectors v WHERE v.model = ? AND v.hash = unhex(c.hash))
                GROUP BY c.hash)""",
            (self._cache.model(self._fingerprint),),
        )
        return EmbeddingOutlook(texts, characters)

    def without_vector(self, after: int, limit: int) -> list[tuple[int, Chunk]]:
        """Chunks that wait for a vector, in order of number, from beyond `after`."""
        return self._chunks.listed(self._waiting, after, limit)

    def expect(self, numbers: Sequence[int]) -> None:
        """Know of new chunks, which wait until they get a vector or go."""
        self._connection.executemany(
            f"INSERT INTO {self._waiting} (chunk) VALUES (?)", ((number,) for number in numbers)
        )

    def attach_known(self, numbers: Sequence[int]) -> set[int]:
        """Give waiting chunks the vectors that the index already has of their texts.

        Returns the numbers of those that got one.
        """
        model = self._cache.model(self._fingerprint)
        if not model:
            return set()
        with transaction(self._connection):
            attached = fetch(
                self._connection,
                f"""INSERT INTO {self._table} (chunk, vector)
                SELECT c.num, v.num FROM json_each(?) j CROSS JOIN chunks c ON c.num = j.value
                CROSS JOIN vectors v ON v.model = ? AND v.hash = unhex(c.hash)
                WHERE NOT EXISTS (SELECT 1 FROM {self._table} g WHERE g.chunk = c.num)
                RETURNING chunk, vector""",
                (json.dumps(numbers), model),
            )
            found = [number for number, _ in attached]
            if attached:
                self._connection.execute(
                    f"DELETE FROM {self._waiting} WHERE chunk IN (SELECT value FROM json_each(?))",
                    (json.dumps(found),),
                )
                self._make_findable(found)
                self.tokens.take_in(vector for _, vector in attached)
        return set(found)

    def attach_vectors(
        self,
        numbers: Sequence[int],
        hashes: Sequence[str],
        rows: Vectors,
        tokens: Sequence[TokenVectors] | None = None,
    ) -> None:
        """Give chunks their vectors, shape (len(numbers), dimensions), kept as float16.

        With the token vectors of each, where there are any. A chunk that has gone meanwhile, or
        holds another text, is left alone.
        """
        with transaction(self._connection):
            self._cache.add(self._fingerprint, hashes, rows)
            if tokens is not None:
                self.tokens.keep(self._cache.model(self._fingerprint), hashes, tokens)
            self.attach_known(numbers)

    def without_tokens(self, projection: int) -> TokenGaps:
        """The texts that have their vector, but no token vectors that this projection made."""
        model = self._cache.model(self._fingerprint)
        return TokenGaps(self._connection, self.number, model, projection)

    def _make_findable(self, chunks: Sequence[int]) -> None:
        found = fetch(
            self._connection,
            f"""SELECT g.chunk, c.file, v.f16 FROM json_each(?) j
            CROSS JOIN {self._table} g ON g.chunk = j.value
            CROSS JOIN chunks c ON c.num = g.chunk CROSS JOIN vectors v ON v.num = g.vector""",
            (json.dumps(sorted(chunks)),),
        )
        self.disk.add([(chunk, f16) for chunk, _, f16 in found])
        if self._serving:
            self._log(chunks, +1)
            self._count(Counter(file for _, file, _ in found))

    # ── chunks that go ───────────────────────────────────────────────────────

    def remove(self, chunks: Sequence[int]) -> None:
        """Forget chunks that are about to go; their vectors stay for a text that comes back."""
        gone = fetch(
            self._connection,
            f"""DELETE FROM {self._table} WHERE chunk IN (SELECT value FROM json_each(?))
            RETURNING chunk, vector""",
            (json.dumps(list(chunks)),),
        )
        if not gone:
            return
        numbers = [chunk for chunk, _ in gone]
        self.disk.remove(numbers)
        self._cache.let_go(vector for _, vector in gone)
        if self._serving:
            self._log(numbers, -1)

    def _log(self, chunks: Sequence[int], change: int) -> None:
        """Tell serving processes what to do to their matrix."""
        self._connection.execute(
            "INSERT INTO vector_log (chunk, change) SELECT value, ? FROM json_each(?)",
            (change, json.dumps(list(chunks))),
        )

    def _count(self, files: Counter[int]) -> None:
        self._connection.executemany(
            "UPDATE files SET vector_count = vector_count + ? WHERE num = ?",
            ((count, file) for file, count in files.items()),
        )


def create_tables(connection: apsw.Connection, number: int) -> None:
    """Make a generation in which every chunk waits for its vector."""
    connection.execute(
        f"""CREATE TABLE chunk_vectors_g{number} (
            chunk INTEGER PRIMARY KEY REFERENCES chunks (num),
            vector INTEGER NOT NULL REFERENCES vectors (num))"""
    )
    connection.execute(
        f"CREATE INDEX chunk_vectors_g{number}_by_vector ON chunk_vectors_g{number} (vector)"
    )
    connection.execute(
        f"""CREATE TABLE waiting_g{number} (
            chunk INTEGER PRIMARY KEY REFERENCES chunks (num) ON DELETE CASCADE)"""
    )
    connection.execute(f"INSERT INTO waiting_g{number} SELECT num FROM chunks")
