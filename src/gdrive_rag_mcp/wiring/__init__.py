"""Settings → objects: the one place that knows which class serves which setting."""

from gdrive_rag_mcp.app import Reader, StorePool
from gdrive_rag_mcp.domain import Mode
from gdrive_rag_mcp.protocols import Embedder
from gdrive_rag_mcp.retrieval.thesaurus import Thesaurus
from gdrive_rag_mcp.settings import Settings
from gdrive_rag_mcp.wiring.embedders import Wrap, as_it_is, make_embedder
from gdrive_rag_mcp.wiring.runs import make_chunker, plan, plan_reindex, reindex, sync
from gdrive_rag_mcp.wiring.sources import (
    connect_google,
    make_drive,
    make_identity,
    make_source,
    require_drive,
    root_of,
)

__all__ = [
    "connect_google",
    "make_chunker",
    "make_drive",
    "make_embedder",
    "make_identity",
    "make_reader",
    "make_source",
    "plan",
    "plan_reindex",
    "reindex",
    "require_drive",
    "root_of",
    "sync",
]


def make_reader(settings: Settings, *, resident: bool, wrap: Wrap = as_it_is) -> Reader:
    """The read use cases; `resident` keeps the vectors in memory, for a process that stays.

    `wrap` goes around the embedder of the questions.
    """
    pool = StorePool(settings.index_path, resident=resident)

    def embedder() -> Embedder | None:
        with pool.lend() as store:
            recorded = store.catalog.embedding_identity
        made = make_embedder(settings, recorded, build=False)
        return made and wrap(made)

    return Reader(
        pool,
        embedder=embedder,
        mode=Mode(settings.retrieval_mode),
        threshold=settings.evidence_threshold,
        thesaurus=Thesaurus(settings.synonyms),
    )
