"""Changing the embedder of an index while it is searched: all new vectors first, then one flip.

What has been embedded is kept batch by batch, so a run that ends early changes nothing for those
who search, and the next one goes on where it left off.
"""

from datetime import datetime

from gdrive_rag_mcp.indexing.progress import Progress
from gdrive_rag_mcp.indexing.vectorising import BATCH
from gdrive_rag_mcp.protocols import Embedder
from gdrive_rag_mcp.store import Store


def reindex(store: Store, embedder: Embedder, *, now: datetime, progress: Progress) -> int:
    """Embed every text with another embedder and search by its vectors from then on.

    Returns how many texts were embedded; whoever runs it holds the writer's lock.

    Raises:
        EmbedderUnavailableError: the embedder cannot be had; the index is as it was.
        EmbeddingError: it refuses even single texts; the index is as it was.
    """
    fingerprint = embedder.identity.fingerprint
    total, embedded, after = store.reembedding.count_lacking(fingerprint), 0, 0
    while chunks := store.reembedding.lacking(fingerprint, after, BATCH):
        after = chunks[-1][0]
        texts = {chunk.hash: chunk.embedded_text for _, chunk in chunks}
        rows = embedder.embed(list(texts.values()), role="document")
        store.reembedding.keep(fingerprint, list(texts), rows)
        embedded += len(texts)
        progress("embedding", embedded, total)
    store.flip(embedder.identity)
    store.tidy(now)
    return embedded
