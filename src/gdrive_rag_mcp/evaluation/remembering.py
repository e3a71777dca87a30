"""Keeps every vector that was ever made, so that the same text is never embedded twice.

A run over question sets takes minutes to hours of embedding, and is repeated for every change to
what is measured; each batch is on disk before the next one begins.
"""

import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from gdrive_rag_mcp.domain import EmbeddingIdentity
from gdrive_rag_mcp.evaluation.own_file import OwnFile, key_of
from gdrive_rag_mcp.evaluation.token_memory import TokenMemory
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

_BATCH = 32


class VectorMemory:
    """What every embedder made, in a folder; give `wrap` the embedder, and use what it gives.

    Each process writes a file of its own and reads all there are: several may run side by side.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._kept: dict[str, _Vectors] = {}
        self._kept_tokens: dict[str, TokenMemory] = {}

    def wrap(self, embedder: Embedder) -> Embedder:
        """An embedder that asks the given one only for what is not known yet."""
        identity = embedder.identity
        name = identity.fingerprint[:12]
        if name not in self._kept:
            self._kept[name] = _Vectors(self._folder / f"vectors-{name}", identity.dimensions)
        projection = token_projection_of(embedder)
        if projection is None:
            return RememberingEmbedder(embedder, self._kept[name])
        tokens = f"tokens-{name}-{projection:08x}"
        if tokens not in self._kept_tokens:
            self._kept_tokens[tokens] = TokenMemory(self._folder / tokens, projection)
        return RememberingEmbedder(embedder, self._kept[name], self._kept_tokens[tokens])


class _Vectors:
    """Vectors by key, in memory and in files of (key, vector) records without any header."""

    def __init__(self, folder: Path, dimensions: int) -> None:
        self._record = np.dtype([("key", "V16"), ("vector", "<f4", (dimensions,))])
        self._known: dict[bytes, npt.NDArray[np.float32]] = {}
        self._own = OwnFile(folder)
        self.lock = threading.Lock()
        for file in sorted(folder.glob("*.bin")):
            whole = file.stat().st_size // self._record.itemsize  # the last may be cut short
            records = np.fromfile(file, self._record, count=whole)
            keys = (key.tobytes() for key in records["key"])
            self._known.update(zip(keys, records["vector"], strict=True))

    def __contains__(self, key: bytes) -> bool:
        return key in self._known

    def __getitem__(self, key: bytes) -> npt.NDArray[np.float32]:
        return self._known[key]

    def add(self, keys: Sequence[bytes], vectors: Vectors) -> None:
        records = np.empty(len(keys), self._record)
        records["key"] = [np.void(key) for key in keys]
        records["vector"] = vectors
        self._own.append(records.tobytes())
        self._known.update(zip(keys, vectors, strict=True))


class RememberingEmbedder:
    """An embedder with a memory; of the same identity, as its vectors are the same."""

    def __init__(
        self, inner: Embedder, memory: _Vectors, tokens: TokenMemory | None = None
    ) -> None:
        self._inner = inner
        self._memory = memory
        self._tokens = tokens

    @property
    def identity(self) -> EmbeddingIdentity:
        return self._inner.identity

    @property
    def max_tokens(self) -> int:
        return self._inner.max_tokens

    @property
    def parallel_calls(self) -> int:
        return self._inner.parallel_calls

    def calls(self, texts: int, characters: int) -> int:
        return self._inner.calls(texts, characters)

    def embed(self, texts: Sequence[str], *, role: EmbedRole) -> Vectors:
        keys = [key_of(text, role) for text in texts]
        with self._memory.lock:
            known = dict(zip(keys, texts, strict=True))
            new = [(key, text) for key, text in known.items() if key not in self._memory]
        for start in range(0, len(new), _BATCH):
            batch = new[start : start + _BATCH]
            vectors = self._inner.embed([text for _, text in batch], role=role)
            with self._memory.lock:
                self._memory.add([key for key, _ in batch], vectors)
        if not keys:
            return self._inner.embed((), role=role)
        return np.stack([self._memory[key] for key in keys])

    def token_projection(self) -> int | None:
        return token_projection_of(self._inner)

    def pieces(self, texts: Sequence[str]) -> Sequence[Pieces]:
        return pieces_of(self._inner, texts) or ()

    def embed_with_tokens(self, texts: Sequence[str], *, role: EmbedRole) -> Embedded:
        tokens = self._tokens
        if tokens is None:
            return Embedded(self.embed(texts, role=role))
        keys = [key_of(text, role) for text in texts]
        with self._memory.lock:
            known = dict(zip(keys, texts, strict=True))
            new = [(key, text) for key, text in known.items() if key not in tokens]
        for start in range(0, len(new), _BATCH):
            self._embed_with_tokens(new[start : start + _BATCH], role, tokens)
        return Embedded(self.embed(texts, role=role), tuple(tokens.read(key, role) for key in keys))

    def _embed_with_tokens(
        self, batch: Sequence[tuple[bytes, str]], role: EmbedRole, memory: TokenMemory
    ) -> None:
        made = embed_with_tokens(self._inner, [text for _, text in batch], role=role)
        with self._memory.lock:
            vectors = [(key, row) for (key, _), row in zip(batch, made.vectors, strict=True)]
            fresh = [pair for pair in vectors if pair[0] not in self._memory]
            if fresh:
                self._memory.add([key for key, _ in fresh], np.stack([row for _, row in fresh]))
            for (key, _), tokens in zip(batch, made.tokens or (), strict=True):
                memory.add(key, tokens, role)
