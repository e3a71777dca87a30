"""Texts that have their vector, but no token vectors: of an index from before there were any.

The same where another projection made those that are there, or a vector was kept from such a time.
"""

from collections.abc import Sequence

import apsw

from gdrive_rag_mcp.domain import Chunk, EmbeddingOutlook, TokenVectors
from gdrive_rag_mcp.protocols import Vectors
from gdrive_rag_mcp.store.chunk_rows import ChunkRows
from gdrive_rag_mcp.store.connection import fetch, transaction
from gdrive_rag_mcp.store.token_rows import TokenRows


class TokenGaps:
    """What a generation lacks, as something to embed: one chunk for each text.

    The texts have vectors already, which stay as they are.
    """

    def __init__(
        self, connection: apsw.Connection, generation: int, model: int, projection: int
    ) -> None:
        self._connection = connection
        self._model = model
        self._projection = projection
        self._rows = TokenRows(connection, generation)
        self._chunks = ChunkRows(connection)
        table = f"chunk_vectors_g{generation}"
        self._lacking = f"""(SELECT g.chunk FROM {table} g WHERE NOT EXISTS (
                SELECT 1 FROM token_vectors t INDEXED BY token_vectors_by_projection
                WHERE t.projection = {int(projection)} AND t.vector = g.vector)
            AND NOT EXISTS (
                SELECT 1 FROM {table} e WHERE e.vector = g.vector AND e.chunk < g.chunk))"""

    def waiting(self) -> int:
        """How many texts lack them. That there are none is remembered, and then costs nothing."""
        if self._rows.are_whole(self._projection):
            return 0
        [(waiting,)] = fetch(self._connection, f"SELECT count(*) FROM {self._lacking}")
        return int(waiting)

    def outlook(self) -> EmbeddingOutlook:
        """How many texts are to be embedded again, and their length."""
        if self._rows.are_whole(self._projection):
            return EmbeddingOutlook(0, 0)
        [(texts, characters)] = fetch(
            self._connection,
            f"""SELECT count(*),
                coalesce(sum(c."end" - c.start + length(c.title) + length(c.context)), 0)
            FROM {self._lacking} l CROSS JOIN chunks c ON c.num = l.chunk""",
        )
        return EmbeddingOutlook(texts, characters)

    def without_vector(self, after: int, limit: int) -> list[tuple[int, Chunk]]:
        """Chunks whose text lacks them, in order of number, from beyond `after`."""
        return self._chunks.listed(self._lacking, after, limit)

    def attach_known(self, numbers: Sequence[int]) -> set[int]:
        """None: what the index knows of a text is not in these gaps."""
        return set()

    def attach_vectors(
        self,
        numbers: Sequence[int],
        hashes: Sequence[str],
        rows: Vectors,
        tokens: Sequence[TokenVectors] | None = None,
    ) -> None:
        """Keep the token vectors of texts; their vectors are there already."""
        with transaction(self._connection):
            self._rows.keep(self._model, hashes, tokens or ())

    def settle(self) -> None:
        """Remember that nothing is missing any more, where that is so."""
        if not self._rows.are_whole(self._projection) and not self.waiting():
            with transaction(self._connection):
                self._rows.note_whole(self._projection)
