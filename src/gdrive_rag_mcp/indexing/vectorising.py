"""Giving chunks their vectors, in batches over all documents, after the text is searchable."""

from collections.abc import Sequence

from gdrive_rag_mcp.domain import Chunk
from gdrive_rag_mcp.errors import EmbedderUnavailableError, EmbeddingError
from gdrive_rag_mcp.indexing.progress import Progress
from gdrive_rag_mcp.protocols import Embedder
from gdrive_rag_mcp.store import Store

BATCH = 64


class Vectoriser:
    """Fills in vectors that are missing; each batch is kept at once, so a kill loses one.

    Chunks are taken in order of number, each once: what is refused is asked for again by the next
    run.
    """

    def __init__(
        self, store: Store, embedder: Embedder | None, progress: Progress = lambda *_: None
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._progress = progress
        self._after = 0
        self.embedded = 0
        self.reused = 0
        self.refused = 0
        self.problem: EmbeddingError | None = None

    @property
    def waiting(self) -> int:
        """How many chunks have no vector yet."""
        return self._store.index.waiting()

    def fill(self) -> None:
        """Embed until no chunk waits, or the provider cannot be reached any more."""
        done = self.embedded + self.reused
        total = done + (self.waiting if self._embedder else 0)
        while self._embedder is not None and not isinstance(self.problem, EmbedderUnavailableError):
            chunks = self._store.index.without_vector(self._after, BATCH)
            if not chunks:
                return
            self._after = chunks[-1][0]
            # The batch before may have brought the vector of the same text.
            known = self._store.index.attach_known([number for number, _ in chunks])
            self.reused += len(known)
            try:
                self._embed(self._embedder, [one for one in chunks if one[0] not in known])
            except EmbedderUnavailableError as error:
                self.problem = error
            self._progress("embedding", self.embedded + self.reused, total)

    def _embed(self, embedder: Embedder, chunks: Sequence[tuple[int, Chunk]]) -> None:
        texts = {chunk.hash: chunk.embedded_text for _, chunk in chunks}
        if not texts:
            return
        try:
            rows = embedder.embed(list(texts.values()), role="document")
        except EmbedderUnavailableError:
            raise
        except EmbeddingError as error:
            self.problem = error
            if len(texts) == 1:
                self.refused += len(chunks)
                return
            # One text that the provider cannot take must not cost its neighbours their vectors.
            middle = len(chunks) // 2
            self._embed(embedder, chunks[:middle])
            self._embed(embedder, chunks[middle:])
            return
        self.embedded += len(texts)
        self.reused += len(chunks) - len(texts)
        place = {digest: at for at, digest in enumerate(texts)}
        hashes = [chunk.hash for _, chunk in chunks]
        self._store.index.attach_vectors(
            [number for number, _ in chunks], hashes, rows[[place[digest] for digest in hashes]]
        )
