"""Giving chunks their vectors, in batches over all documents, after the text is searchable."""

from collections.abc import Sequence

from gdrive_rag_mcp.domain import Chunk
from gdrive_rag_mcp.errors import EmbedderUnavailableError, EmbeddingError
from gdrive_rag_mcp.protocols import Embedder
from gdrive_rag_mcp.store import Store

BATCH = 64


class Vectoriser:
    """Fills in vectors that are missing; each batch is kept at once, so a kill loses one."""

    def __init__(self, store: Store, embedder: Embedder | None) -> None:
        self._store = store
        self._embedder = embedder
        self.embedded = 0
        self.refused = 0
        self.problem: EmbeddingError | None = None

    @property
    def waiting(self) -> int:
        """How many chunks have no vector yet."""
        return self._store.index.waiting()

    def fill(self) -> None:
        """Embed until no chunk waits, or the provider cannot be reached any more."""
        after = 0
        while self._embedder is not None and not isinstance(self.problem, EmbedderUnavailableError):
            chunks = self._store.index.without_vector(after, BATCH)
            if not chunks:
                return
            after = chunks[-1][0]
            try:
                self._embed(self._embedder, chunks)
            except EmbedderUnavailableError as error:
                self.problem = error

    def _embed(self, embedder: Embedder, chunks: Sequence[tuple[int, Chunk]]) -> None:
        texts = {chunk.hash: chunk.embedded_text for _, chunk in chunks}
        try:
            rows = embedder.embed(list(texts.values()), role="document")
        except EmbedderUnavailableError:
            raise
        except EmbeddingError as error:
            self.problem = error
            if len(chunks) == 1:
                self.refused += 1
                return
            # One text that the provider cannot take must not cost its neighbours their vectors.
            for one in chunks:
                self._embed(embedder, [one])
            return
        self.embedded += len(texts)
        place = {digest: at for at, digest in enumerate(texts)}
        hashes = [chunk.hash for _, chunk in chunks]
        self._store.index.attach_vectors(
            [number for number, _ in chunks], hashes, rows[[place[digest] for digest in hashes]]
        )
