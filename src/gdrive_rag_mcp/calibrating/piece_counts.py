"""Counts in how many of an index's texts each piece of the embedder's vocabulary occurs."""

import time
from collections.abc import Callable, Sequence

import numpy as np

from gdrive_rag_mcp.domain import PieceFrequencies
from gdrive_rag_mcp.protocols import Embedder, pieces_of
from gdrive_rag_mcp.store import Store

SAMPLE = 2_000
"""Texts that are counted at most: a piece in one of a hundred is off by a fifth then."""
_FEWEST = 256
_BATCH = 64


def count_pieces(
    store: Store,
    embedder: Embedder,
    numbers: Sequence[int],
    seconds: float,
    clock: Callable[[], float] = time.monotonic,
) -> PieceFrequencies | None:
    """Count the pieces of some chunks; None where the embedder does not tell any.

    After `seconds` it makes do with what it has, but not with less than 256 chunks.

    Raises:
        EmbedderUnavailableError: the model cannot be read.
    """
    until, counted = clock() + seconds, 0
    found: list[np.ndarray[tuple[int], np.dtype[np.int64]]] = []
    for start in range(0, len(numbers), _BATCH):
        if counted >= _FEWEST and clock() > until:
            break
        texts = [
            text.embedded_text for _, text in store.chunk_sample.texts(numbers[start:][:_BATCH])
        ]
        told = pieces_of(embedder, texts)
        if told is None:
            return None
        found += [np.unique(pieces).astype(np.int64) for pieces in told]
        counted += len(texts)
    ids, counts = np.unique(np.concatenate([np.zeros(0, np.int64), *found]), return_counts=True)
    return PieceFrequencies(ids, counts.astype(np.int64), counted)
