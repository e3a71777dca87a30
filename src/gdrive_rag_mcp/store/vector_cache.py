"""One vector a distinct text and model: what spares a text that is known its embedding.

Chunks that read alike share a vector, in all generations. What no chunk uses any more is kept for a
while: a file may be restored, and a change of the embedder taken back.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime

import apsw
import numpy as np

from gdrive_rag_mcp.protocols import Vectors
from gdrive_rag_mcp.store.connection import fetch, transaction
from gdrive_rag_mcp.store.scoping import stored_time

_STEP = 10_000


class VectorCache:
    """The vectors themselves, over a connection it does not own; generations point to them."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def model(self, fingerprint: str) -> int:
        """The number that stands for an embedder's fingerprint; 0 where it has no vector here."""
        row = self._connection.execute(
            "SELECT num FROM models WHERE fingerprint = ?", (fingerprint,)
        ).fetchone()
        return int(row[0]) if row else 0

    def add(self, fingerprint: str, hashes: Sequence[str], rows: Vectors) -> None:
        """Keep the vectors of texts, shape (len(hashes), dimensions), as float16."""
        self._connection.execute(
            "INSERT OR IGNORE INTO models (fingerprint) VALUES (?)", (fingerprint,)
        )
        model = self.model(fingerprint)
        self._connection.executemany(
            "INSERT OR IGNORE INTO vectors (model, hash, f16) VALUES (?, ?, ?)",
            (
                (model, bytes.fromhex(digest), row.tobytes())
                for digest, row in zip(hashes, rows.astype(np.float16), strict=True)
            ),
        )

    def let_go(self, vectors: Iterable[int]) -> None:
        """Note that a chunk does not use these any more."""
        self._connection.executemany(
            """INSERT INTO idle_vectors (vector) VALUES (?)
            ON CONFLICT (vector) DO UPDATE SET since = NULL""",
            ((vector,) for vector in vectors),
        )

    def drop_idle(self, now: datetime, unused_since: datetime, generations: Sequence[int]) -> None:
        """Drop, step by step, vectors that no chunk of the generations has used since then."""
        with transaction(self._connection):
            for number in generations:
                self._connection.execute(
                    f"""DELETE FROM idle_vectors WHERE EXISTS (
                        SELECT 1 FROM chunk_vectors_g{number} g
                        WHERE g.vector = idle_vectors.vector)"""
                )
            self._connection.execute(
                "UPDATE idle_vectors SET since = ? WHERE since IS NULL", (stored_time(now),)
            )
        while True:
            with transaction(self._connection):
                # Each takes its line of `idle_vectors` with it.
                dropped = fetch(
                    self._connection,
                    """DELETE FROM vectors WHERE num IN (
                        SELECT vector FROM idle_vectors WHERE since <= ? LIMIT ?) RETURNING 1""",
                    (stored_time(unused_since), _STEP),
                )
            if not dropped:
                return
