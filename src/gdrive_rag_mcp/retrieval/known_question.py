"""A question that is embedded already: asked of an index twice, or before it is opened, once."""

from collections.abc import Sequence

from gdrive_rag_mcp.domain import EmbeddingIdentity
from gdrive_rag_mcp.errors import EmbeddingError
from gdrive_rag_mcp.protocols import (
    Embedded,
    Embedder,
    EmbedRole,
    Pieces,
    Vectors,
    pieces_of,
    token_projection_of,
)


class KnownQuestion:
    """An embedder that knows one question, or why that could not be embedded."""

    def __init__(self, embedder: Embedder, outcome: Embedded | EmbeddingError) -> None:
        self._embedder = embedder
        self._outcome = outcome
        self.identity: EmbeddingIdentity = embedder.identity

    @property
    def max_tokens(self) -> int:
        return self._embedder.max_tokens

    @property
    def parallel_calls(self) -> int:
        return 1

    @property
    def embedded(self) -> Embedded:
        """What was made of the question.

        Raises:
            EmbeddingError: it could not be embedded.
        """
        if isinstance(self._outcome, EmbeddingError):
            raise self._outcome
        return self._outcome

    def calls(self, texts: int, characters: int) -> int:
        return 0

    def embed(self, texts: Sequence[str], *, role: EmbedRole) -> Vectors:
        """The question's vector, shape (1, dimensions).

        Raises:
            EmbeddingError: it could not be embedded.
        """
        return self.embedded.vectors

    def token_projection(self) -> int | None:
        return token_projection_of(self._embedder)

    def embed_with_tokens(self, texts: Sequence[str], *, role: EmbedRole) -> Embedded:
        """As `embed`, with the question's token vectors where the embedder makes them."""
        return self.embedded

    def pieces(self, texts: Sequence[str]) -> Sequence[Pieces]:
        return pieces_of(self._embedder, texts) or ()
