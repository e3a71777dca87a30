"""One vector a distinct text and model: which chunks share it, and how long it outlives them."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

import apsw
import numpy as np

from gdrive_rag_mcp.protocols import Vectors
from gdrive_rag_mcp.store.connection import fetch, transaction
from gdrive_rag_mcp.store.scoping import stored_time
from gdrive_rag_mcp.store.vector_index import VectorIndex


class VectorCache:
    """The vectors themselves, over a connection it does not own; the vector index finds them."""

    def __init__(self, connection: apsw.Connection, vectors: VectorIndex) -> None:
        self._connection = connection
        self._vectors = vectors

    def _fingerprint(self) -> str:
        row = self._connection.execute(
            "SELECT value ->> 'fingerprint' FROM meta WHERE key = 'embedding'"
        ).fetchone()
        return str(row[0]) if row else ""

    def add(self, hashes: Sequence[str], rows: Vectors, fingerprint: str | None = None) -> None:
        """Keep the vectors of texts, shape (len(hashes), dimensions), as float16.

        They are the index's own embedder's unless another fingerprint is given.
        """
        fingerprint = self._fingerprint() if fingerprint is None else fingerprint
        self._connection.executemany(
            "INSERT OR IGNORE INTO vectors (fingerprint, hash, f16) VALUES (?, ?, ?)",
            (
                (fingerprint, digest, row.tobytes())
                for digest, row in zip(hashes, rows.astype(np.float16), strict=True)
            ),
        )

    def attach(self, numbers: Sequence[int]) -> set[int]:
        """Give waiting chunks the vectors of their texts, where there are any.

        Returns the numbers of the chunks that got one.
        """
        with transaction(self._connection):
            # `+vector`: by number, not by the index of the many chunks that have no vector.
            attached = fetch(
                self._connection,
                """UPDATE chunks SET vector = v.num FROM vectors v
                WHERE v.fingerprint = ? AND v.hash = chunks.hash AND +chunks.vector IS NULL
                AND chunks.num IN (SELECT value FROM json_each(?)) RETURNING num, file""",
                (self._fingerprint(), json.dumps(numbers)),
            )
            found = fetch(
                self._connection,
                """SELECT c.num, v.f16 FROM json_each(?) j CROSS JOIN chunks c ON c.num = j.value
                CROSS JOIN vectors v ON v.num = c.vector ORDER BY c.num""",
                (json.dumps([number for number, _ in attached]),),
            )
            self._vectors.attach([(number, f16) for number, f16 in found])
            self._connection.executemany(
                "UPDATE files SET vector_count = vector_count + ? WHERE num = ?",
                ((count, file) for file, count in Counter(file for _, file in attached).items()),
            )
        return {number for number, _ in attached}

    def let_go(self, vectors: Iterable[int]) -> None:
        """Note that a chunk does not use these any more."""
        self._connection.executemany(
            """INSERT INTO idle_vectors (vector) VALUES (?)
            ON CONFLICT (vector) DO UPDATE SET since = NULL""",
            ((vector,) for vector in vectors),
        )

    def drop_idle(self, now: datetime, kept: timedelta) -> None:
        """Drop vectors that no chunk has used for longer than `kept`.

        Until then they spare a text that comes back, such as a restored file's, its embedding.
        """
        self._connection.execute(
            """DELETE FROM idle_vectors
            WHERE EXISTS (SELECT 1 FROM chunks c WHERE c.vector = idle_vectors.vector)"""
        )
        self._connection.execute(
            "UPDATE idle_vectors SET since = ? WHERE since IS NULL", (stored_time(now),)
        )
        self._connection.execute(
            "DELETE FROM vectors WHERE num IN (SELECT vector FROM idle_vectors WHERE since < ?)",
            (stored_time(now - kept),),
        )
