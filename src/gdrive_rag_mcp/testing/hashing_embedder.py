"""An embedder without a model: texts that share words get near vectors. For tests only."""

from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

from gdrive_rag_mcp.cleaning import clean
from gdrive_rag_mcp.domain import EmbeddingIdentity
from gdrive_rag_mcp.embedding.contract import identify, unit_rows
from gdrive_rag_mcp.protocols import EmbedRole, Vector, Vectors
from gdrive_rag_mcp.terms import tokens


class HashingEmbedder:
    """A bag of hashed, folded words with damped counts; deterministic on every machine."""

    max_tokens = 512
    parallel_calls = 1

    def __init__(self, dimensions: int = 256) -> None:
        self.identity: EmbeddingIdentity = identify("hashing", "bag-of-words", dimensions)
        self.embedded_texts = 0
        """Texts embedded so far: what a cache is measured by."""

    def calls(self, texts: int, characters: int) -> int:
        return 0

    def embed(self, texts: Sequence[str], *, role: EmbedRole) -> Vectors:
        dimensions = self.identity.dimensions
        self.embedded_texts += len(texts)
        rows = [self._bag(text) for text in texts]
        raw = np.array(rows, np.float32).reshape(len(rows), dimensions)
        return unit_rows(raw, count=len(texts), dimensions=dimensions, provider="hashing")

    def _bag(self, text: str) -> Vector:
        bag: Vector = np.zeros(self.identity.dimensions, np.float32)
        for token, count in Counter(tokens(clean(text))).items():
            digest = int.from_bytes(blake2b(token.encode(), digest_size=8).digest(), "big")
            sign = 1 if digest & 1 else -1
            bag[(digest >> 1) % len(bag)] += sign * (1 + np.log(count))
        if not bag.any():  # no words at all, or words that cancel each other out
            bag[0] = 1
        return bag
