"""Which questions an index is asked: of the texts with the lowest hashes, one each."""

from gdrive_rag_mcp.calibrating.probes import Candidate
from gdrive_rag_mcp.calibrating.questions import question_from
from gdrive_rag_mcp.protocols import Embedder
from gdrive_rag_mcp.store import Store

PROBES = 64
PAID_PROBES = 40
"""Where a provider may bill for each question."""
_LOOKED_AT = 4
"""Texts for each question that is wanted: of a table or a list no sentence can be made."""
_LARGEST_DOCUMENT = 256
"""Chunks; to take a larger one out and put it back costs more than it tells."""
_MOST_OF_THE_INDEX = 0.5
"""Of all chunks; without a document that holds more, it would be another index."""


def candidates(store: Store, embedder: Embedder | None, chunks: int) -> list[Candidate]:
    """The questions to ask of an index of so many chunks, in order of their texts' hashes."""
    paid = embedder is not None and embedder.calls(1, 100) > 0
    most = PAID_PROBES if paid else PROBES
    largest = min(_LARGEST_DOCUMENT, _MOST_OF_THE_INDEX * chunks)
    lowest = store.chunk_sample.lowest(_LOOKED_AT * most)
    sample = [one for one in lowest if one.siblings <= largest]
    texts = dict(store.chunk_sample.texts([one.number for one in sample]))
    found: list[Candidate] = []
    for one in sample:
        if len(found) == most:
            break
        question = question_from(texts[one.number].reading, one.key)
        if question is not None:
            found.append(Candidate(one.key, question, one.document_id))
    return found
