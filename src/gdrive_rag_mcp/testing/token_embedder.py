"""An embedder without a model that tells the tokens of a text apart too. For tests only."""

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

from gdrive_rag_mcp.cleaning import clean
from gdrive_rag_mcp.domain import TokenVectors
from gdrive_rag_mcp.protocols import Embedded, EmbedRole, Pieces
from gdrive_rag_mcp.terms import tokens
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder

_WIDTH = 32
_TO_31_BITS = 33


class HashingTokenEmbedder(HashingEmbedder):
    """A direction for each word, by its hash: words that are the same have the same."""

    def __init__(self, dimensions: int = 256, *, projection: int | None = 7) -> None:
        super().__init__(dimensions)
        self.projection = projection

    def token_projection(self) -> int | None:
        return self.projection

    def embed_with_tokens(self, texts: Sequence[str], *, role: EmbedRole) -> Embedded:
        vectors = self.embed(texts, role=role)
        if self.projection is None:
            return Embedded(vectors)
        return Embedded(vectors, tuple(self._directions(text, self.projection) for text in texts))

    def pieces(self, texts: Sequence[str]) -> Sequence[Pieces]:
        """A number for each word; words that are the same have the same."""
        return [
            np.array([_digest(word) >> _TO_31_BITS for word in tokens(clean(text))], np.int32)
            for text in texts
        ]

    def _directions(self, text: str, projection: int) -> TokenVectors:
        words = tokens(clean(text))
        raw = np.empty((len(words), _WIDTH), np.float32)
        for row, word in zip(raw, words, strict=True):
            row[:] = np.random.default_rng(_digest(word) + projection).standard_normal(_WIDTH)
        rows = raw / np.linalg.norm(raw, axis=1, keepdims=True)
        [pieces] = self.pieces([text])
        return TokenVectors(rows, np.ones(len(words), np.float32), projection, pieces)


def _digest(word: str) -> int:
    return int.from_bytes(blake2b(word.encode(), digest_size=8).digest(), "big")
