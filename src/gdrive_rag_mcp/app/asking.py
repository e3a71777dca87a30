"""A question that has been embedded before the index is looked at.

A snapshot of the index that stood while a provider is asked would keep the writer's log from being
emptied: so the vector is made first, and the search is handed an embedder that has it ready.
"""

import threading
from collections.abc import Callable, Sequence

from gdrive_rag_mcp.domain import EmbeddingIdentity
from gdrive_rag_mcp.errors import EmbedderUnavailableError, EmbeddingError
from gdrive_rag_mcp.protocols import (
    Embedded,
    Embedder,
    EmbedRole,
    Pieces,
    Vectors,
    embed_with_tokens,
    pieces_of,
    token_projection_of,
)


class EmbeddedQuestion:
    """An embedder that knows one question, or why that could not be embedded."""

    def __init__(self, embedder: Embedder, question: str) -> None:
        self._embedder = embedder
        self.identity: EmbeddingIdentity = embedder.identity
        self._embedded: Embedded | None = None
        self._problem: EmbeddingError | None = None
        try:
            self._embedded = embed_with_tokens(embedder, [question], role="query")
        except EmbeddingError as error:
            self._problem = error

    @property
    def max_tokens(self) -> int:
        return self._embedder.max_tokens

    @property
    def parallel_calls(self) -> int:
        return 1

    def calls(self, texts: int, characters: int) -> int:
        return 0

    def embed(self, texts: Sequence[str], *, role: EmbedRole) -> Vectors:
        """The question's vector, shape (1, dimensions).

        Raises:
            EmbeddingError: it could not be embedded.
        """
        return self.embed_with_tokens(texts, role=role).vectors

    def token_projection(self) -> int | None:
        return token_projection_of(self._embedder)

    def embed_with_tokens(self, texts: Sequence[str], *, role: EmbedRole) -> Embedded:
        """As `embed`, with the question's token vectors where the embedder makes them."""
        if self._embedded is None:
            raise self._problem or EmbeddingError("the question was not embedded")
        return self._embedded

    def pieces(self, texts: Sequence[str]) -> Sequence[Pieces]:
        return pieces_of(self._embedder, texts) or ()


class QuestionEmbedding:
    """Embeds questions by the embedder whose vectors the index holds, as far as it is to be had.

    `make` is called when one is first needed, and when a reindex has made another the index's.
    """

    def __init__(self, make: Callable[[], Embedder | None]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._embedder: Embedder | None = None

    def of(self, question: str, recorded: EmbeddingIdentity | None) -> Embedder | None:
        """A question's vector; None where the index has no vectors, or there is no embedder.

        Another embedder than the index's is returned as it is: it has no business with the
        question, which may cost money or tell somebody what is asked.
        """
        if recorded is None:
            return None
        try:
            with self._lock:
                if not self._fits(recorded):
                    self._embedder = self._make()
                embedder = self._embedder
                if embedder is None or not self._fits(recorded):
                    return embedder
            return EmbeddedQuestion(embedder, question)
        except EmbedderUnavailableError:  # even its identity may have to be asked for
            return None

    def _fits(self, recorded: EmbeddingIdentity) -> bool:
        return (
            self._embedder is not None
            and self._embedder.identity.fingerprint == recorded.fingerprint
        )
