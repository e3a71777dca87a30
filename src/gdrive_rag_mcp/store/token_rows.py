"""The token vectors of texts, each beside the one vector that stands for the whole text.

They come and go with that vector, whichever generation it belongs to.
"""

import json
from collections.abc import Iterable, Mapping, Sequence

import apsw

from gdrive_rag_mcp.domain import TokenVectors
from gdrive_rag_mcp.errors import IndexCorruptError
from gdrive_rag_mcp.store.connection import fetch
from gdrive_rag_mcp.store.meta import Meta
from gdrive_rag_mcp.store.packed_tokens import pack, unpack

_WHOLE = "tokens"
"""The generation, and the projection, of which every vector in use is known to have tokens."""


class TokenRows:
    """Token vectors as a generation's chunks have them, over a connection it does not own."""

    def __init__(self, connection: apsw.Connection, generation: int) -> None:
        self._connection = connection
        self._meta = Meta(connection)
        self._generation = generation

    def keep(self, model: int, hashes: Sequence[str], tokens: Sequence[TokenVectors]) -> None:
        """Keep the token vectors of texts that have a vector of that model."""
        of_text = dict(zip(hashes, tokens, strict=True))
        self._connection.executemany(
            """INSERT OR REPLACE INTO token_vectors (vector, projection, packed)
            SELECT num, ?, ? FROM vectors WHERE model = ? AND hash = ?""",
            (
                (one.projection, pack(one), model, bytes.fromhex(digest))
                for digest, one in of_text.items()
            ),
        )

    def of(self, chunks: Sequence[int], projection: int) -> Mapping[int, TokenVectors]:
        """The token vectors of some chunks; those that another projection made are left out."""
        rows = fetch(
            self._connection,
            f"""SELECT g.chunk, t.packed FROM json_each(?) j
            CROSS JOIN chunk_vectors_g{self._generation} g ON g.chunk = j.value
            CROSS JOIN token_vectors t ON t.vector = g.vector WHERE t.projection = ?""",
            (json.dumps([int(chunk) for chunk in chunks]), projection),
        )
        unpacked = {chunk: unpack(packed, projection) for chunk, packed in rows}
        return {chunk: tokens for chunk, tokens in unpacked.items() if tokens is not None}

    # ── whether any are missing ──────────────────────────────────────────────

    def are_whole(self, projection: int) -> bool:
        """Whether it is known that no vector in use lacks them; false where nobody looked."""
        return self._noted == self._mark(projection)

    def note_whole(self, projection: int) -> None:
        """Remember that every vector that the generation uses has them."""
        self._meta.set(_WHOLE, self._mark(projection))

    def take_in(self, vectors: Iterable[int]) -> None:
        """Look whether vectors that are used from now on have them, where all others do."""
        generation, _, projection = self._noted.partition(":")
        if generation != str(self._generation):
            return
        lacking = fetch(
            self._connection,
            """SELECT 1 FROM json_each(?) j WHERE NOT EXISTS (
                SELECT 1 FROM token_vectors t INDEXED BY token_vectors_by_projection
                WHERE t.projection = CAST(? AS INTEGER) AND t.vector = j.value)
            LIMIT 1""",
            (json.dumps(list(vectors)), projection),
        )
        if lacking:
            self._meta.delete(_WHOLE)

    @property
    def _noted(self) -> str:
        """What is noted; nothing where it is damaged, as all can be looked through again."""
        try:
            return self._meta.get(_WHOLE) or ""
        except IndexCorruptError:
            return ""

    def _mark(self, projection: int) -> str:
        return f"{self._generation}:{projection}"
