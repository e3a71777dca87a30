"""A question that has been embedded before the index is looked at.

A snapshot of the index that stood while a provider is asked would keep the writer's log from being
emptied: so the vector is made first, and the search is handed an embedder that has it ready.
"""

import threading
from collections.abc import Callable

from gdrive_rag_mcp.domain import EmbeddingIdentity
from gdrive_rag_mcp.errors import EmbedderUnavailableError, EmbeddingError
from gdrive_rag_mcp.protocols import Embedder, embed_with_tokens
from gdrive_rag_mcp.retrieval.known_question import KnownQuestion


def embedded_question(embedder: Embedder, question: str) -> KnownQuestion:
    """A question's vector, or what a search is told when it asks for it."""
    try:
        return KnownQuestion(embedder, embed_with_tokens(embedder, [question], role="query"))
    except EmbeddingError as error:
        return KnownQuestion(embedder, error)


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
            return embedded_question(embedder, question)
        except EmbedderUnavailableError:  # even its identity may have to be asked for
            return None

    def _fits(self, recorded: EmbeddingIdentity) -> bool:
        return (
            self._embedder is not None
            and self._embedder.identity.fingerprint == recorded.fingerprint
        )
