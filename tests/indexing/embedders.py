"""Embedders that watch how they are asked, wait, or balk: for tests of the pipeline."""

import threading
from collections import Counter
from collections.abc import Callable, Sequence

from gdrive_rag_mcp.errors import EmbedderUnavailableError, EmbeddingError
from gdrive_rag_mcp.protocols import EmbedRole, Vectors
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder

PATIENCE = 60.0
"""Seconds after which a test that waits for what never comes fails instead of hanging."""


class Watching(HashingEmbedder):
    """Remembers every batch of documents, and calls `before` in the thread that embeds."""

    def __init__(self, dimensions: int = 64, *, parallel_calls: int = 1) -> None:
        super().__init__(dimensions)
        self.parallel_calls = parallel_calls
        self.before: Callable[[Sequence[str]], object] = lambda _: None
        self.batches: list[tuple[str, ...]] = []
        self.threads: set[int] = set()
        self._lock = threading.Lock()

    def embed(self, texts: Sequence[str], *, role: EmbedRole) -> Vectors:
        with self._lock:
            if role == "document":
                self.batches.append(tuple(texts))
            self.threads.add(threading.get_ident())
        self.before(texts)
        with self._lock:
            return super().embed(texts, role=role)

    @property
    def times_asked(self) -> Counter[str]:
        """How often each text was embedded."""
        return Counter(text for batch in self.batches for text in batch)


class Refusing(Watching):
    """Cannot take texts with a certain word; all of them, if that is empty."""

    def __init__(self, word: str, dimensions: int = 64) -> None:
        super().__init__(dimensions)
        self.word = word

    def embed(self, texts: Sequence[str], *, role: EmbedRole) -> Vectors:
        if any(self.word in text for text in texts):
            self.batches.append(tuple(texts))
            raise EmbeddingError("cannot take it", hint="leave it out")
        return super().embed(texts, role=role)


class Hanging(Watching):
    """Answers nothing until it is closed, as a connection that stalls."""

    def __init__(self) -> None:
        super().__init__(parallel_calls=2)
        self.asked = threading.Event()
        self.closed = threading.Event()
        self.before = self._hang

    def _hang(self, _texts: Sequence[str]) -> None:
        self.asked.set()
        assert self.closed.wait(PATIENCE)
        raise EmbedderUnavailableError("the connection was closed")

    def close(self) -> None:
        self.closed.set()


def embedding_threads() -> list[str]:
    """The names of the threads that embed and have not ended."""
    return [one.name for one in threading.enumerate() if one.name.startswith("embedder-")]
