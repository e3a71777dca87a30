"""Asks a question that was made from a chunk: once as it is, and once without its document.

The second time the document is really out of the index, in a transaction that is rolled back: so
every count, score and cosine is what it would be, and no other process sees it.
"""

from dataclasses import dataclass

import numpy as np

from gdrive_rag_mcp.domain import (
    Mode,
    Probe,
    Query,
    Retrieved,
    Seen,
)
from gdrive_rag_mcp.evidence.interaction import Rarity
from gdrive_rag_mcp.evidence.measuring import measure
from gdrive_rag_mcp.evidence.reading import read
from gdrive_rag_mcp.evidence.verdict import model_name
from gdrive_rag_mcp.protocols import (
    Embedded,
    Embedder,
    embed_with_tokens,
    token_projection_of,
)
from gdrive_rag_mcp.retrieval import Retriever
from gdrive_rag_mcp.retrieval.known_question import KnownQuestion
from gdrive_rag_mcp.store import Store

_SEEN_CLOSELY = 5
"""Hits that the signals are read from."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A question to ask, and the document that it was made from."""

    key: str
    question: str
    document_id: str


def embedded_question(embedder: Embedder, question: str, known: bytes = b"") -> KnownQuestion:
    """A question and its vector; made anew only where it is not known, or token vectors are needed.

    Raises:
        EmbeddingError: it cannot be embedded.
    """
    if known and token_projection_of(embedder) is None:
        vector = np.frombuffer(known, np.float16).astype(np.float32)
        length = max(float(np.linalg.norm(vector)), 1e-12)
        return KnownQuestion(embedder, Embedded((vector / length)[None]))
    return KnownQuestion(embedder, embed_with_tokens(embedder, [question], role="query"))


def ask(
    store: Store,
    candidate: Candidate,
    asked: KnownQuestion | None,
    rarity: Rarity | None = None,
    asked_of: str = "",
) -> Probe:
    """What the verdict sees of a question with its document, and without it.

    `rarity` tells how rare the pieces of its tokens are, where that is known.
    """
    present = _retrieved(store, candidate.question, asked, rarity)
    with store.without(candidate.document_id):
        absent = _retrieved(store, candidate.question, asked, rarity)
    numbers = store.chunk_sample.numbers_of(
        [hit.passage.chunk_id for one in (present, absent) for hit in one.hits[:_SEEN_CLOSELY]]
    )
    return Probe(
        candidate.key,
        candidate.question,
        seen(present, rarity),
        seen(absent, rarity),
        tuple(sorted(numbers)),
        _reach(absent),
        chunks=present.statistics.chunks,
        newest=store.chunk_sample.newest(),
        asked_of=asked_of,
        vector=asked.embedded.vectors[0].astype(np.float16).tobytes() if asked else b"",
    )


def _retrieved(
    store: Store, question: str, asked: KnownQuestion | None, rarity: Rarity | None
) -> Retrieved:
    mode = Mode.HYBRID if asked else Mode.KEYWORD
    return Retriever(store.index, asked, mode, rarity=rarity).retrieve(Query(question))


def seen(retrieved: Retrieved, rarity: Rarity | None = None) -> Seen:
    """The signals of what was retrieved, as the verdict measures them before any calibration."""
    if not retrieved.hits:
        return Seen({}, None)
    reading = read(retrieved, rarity)
    signals = measure(reading)
    return Seen(signals, model_name(reading, signals))


def _reach(retrieved: Retrieved) -> float:
    """The cosine from which a chunk would be among those that are read."""
    cosines = sorted((hit.cosine for hit in retrieved.hits if hit.cosine is not None), reverse=True)
    return cosines[:_SEEN_CLOSELY][-1] if cosines else 0.0
