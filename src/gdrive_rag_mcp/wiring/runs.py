"""The use cases that write an index, or say what they would write, from settings alone."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from gdrive_rag_mcp.domain import (
    EmbeddingIdentity,
    Forecast,
    ReindexReport,
    SyncPlan,
    SyncReport,
)
from gdrive_rag_mcp.errors import EmbedderUnavailableError, SettingsError
from gdrive_rag_mcp.indexing.progress import Progress
from gdrive_rag_mcp.protocols import Chunker, Embedder, Source
from gdrive_rag_mcp.settings import Settings
from gdrive_rag_mcp.wiring.embedders import Wrap, as_it_is, make_embedder
from gdrive_rag_mcp.wiring.reading import make_extractor
from gdrive_rag_mcp.wiring.sources import make_source

if TYPE_CHECKING:  # what syncs is for the commands that do
    from gdrive_rag_mcp.indexing.sync import SyncOptions

Report = Callable[[str], None]
_DRIVE_READERS = 8


def make_chunker(settings: Settings) -> Chunker:
    """What cuts documents.

    Raises:
        SettingsError: it needs an extra that is not installed.
    """
    if settings.chunker == "llama-index":
        from gdrive_rag_mcp.chunking.llama_index import LlamaIndexChunker

        return LlamaIndexChunker(size=settings.chunk_size, overlap=settings.chunk_overlap)
    from gdrive_rag_mcp.chunking.structural import StructuralChunker

    return StructuralChunker(size=settings.chunk_size, overlap=settings.chunk_overlap)


def sync(
    settings: Settings,
    options: "SyncOptions",
    *,
    progress: Progress,
    report: Report,
    wrap: Wrap = as_it_is,
) -> SyncReport:
    """Bring the index up to date; `wrap` goes around the embedder, such as what remembers vectors.

    Raises:
        GdriveRagError: the settings, the source, the embedder or the index do not allow it.
    """
    from gdrive_rag_mcp.app.syncing import sync_index

    def embedder(recorded: EmbeddingIdentity | None) -> Embedder | None:
        try:
            made = make_embedder(settings, recorded, build=True, report=report)
        except EmbedderUnavailableError as error:
            if settings.embed_provider is not None:
                raise
            report(f"words only, without meaning: {error}")
            return None
        return made and wrap(made)

    with _source(settings, report) as source, make_extractor(settings) as sandbox:
        return sync_index(
            settings.index_path,
            source=source,
            extractor=sandbox,
            chunker=make_chunker(settings),
            embedder=embedder,
            options=options,
            progress=progress,
            readers=_readers(settings),
            ocr=settings.ocr_languages or "",
            foretell=_telling(report),
        )


def plan(
    settings: Settings, options: "SyncOptions", *, progress: Progress, report: Report
) -> SyncPlan:
    """Find out what a sync would do; nothing is written, no model is unpacked or loaded.

    Raises:
        GdriveRagError: the settings, the source or the index do not allow it.
    """
    from gdrive_rag_mcp.app.syncing import plan_sync

    def embedder(recorded: EmbeddingIdentity | None) -> Embedder | None:
        try:
            return make_embedder(settings, recorded, build=False, report=report)
        except EmbedderUnavailableError:
            return None

    with _source(settings, report) as source:
        planned = plan_sync(
            settings.index_path,
            source=source,
            extractor=make_extractor(settings),
            chunker=make_chunker(settings),
            embedder=embedder,
            options=options,
            progress=progress,
            ocr=settings.ocr_languages or "",
        )
    # Where no embedder is wanted, nothing is ahead; one that cannot be had yet is another matter.
    return replace(planned, forecast=None) if settings.embed_provider == "none" else planned


@contextmanager
def _source(settings: Settings, report: Report) -> Iterator[Source]:
    """A source for one run, whose connections are closed after it."""
    from gdrive_rag_mcp.indexing.fetching import Closable

    source = make_source(settings, report=report)
    try:
        yield source
    finally:
        if isinstance(source, Closable):
            source.close()


def _readers(settings: Settings) -> int:
    """A local disk is fast enough for one; Drive makes every one of them wait."""
    return 1 if settings.source.startswith("folder:") else _DRIVE_READERS


def plan_reindex(settings: Settings, *, report: Report) -> ReindexReport:
    """Find out what changing the index's embedder would take; nothing is written or embedded.

    Raises:
        GdriveRagError: the settings, the embedder or the index do not allow it.
    """
    from gdrive_rag_mcp.app.syncing import plan_change

    return plan_change(settings.index_path, _new_embedder(settings, report))


def reindex(
    settings: Settings,
    *,
    progress: Progress,
    report: Report,
    max_embeddings: int | None = None,
    without_refused: bool = False,
    forget_former: bool = False,
) -> ReindexReport:
    """Change the index's embedder to the one that is set, or to the embedded model.

    Raises:
        GdriveRagError: the settings, the embedder or the index do not allow it.
    """
    from gdrive_rag_mcp.app.syncing import change_embedder
    from gdrive_rag_mcp.indexing.embedding_run import Terms

    terms = Terms(progress, max_embeddings, foretell=_telling(report))
    embedder = _new_embedder(settings, report)
    return change_embedder(
        settings.index_path,
        embedder,
        terms,
        without_refused=without_refused,
        forget_former=forget_former,
    )


def _new_embedder(settings: Settings, report: Report) -> Embedder:
    """The embedder to change to: what is set, and where no provider is, of the index's own."""
    from gdrive_rag_mcp.app.syncing import recorded_embedder

    recorded = recorded_embedder(settings.index_path)
    if settings.embed_provider is not None:
        recorded = None
    elif recorded is not None and recorded.provider != "none" and _names_a_model(settings):
        settings = settings.model_copy(update={"embed_provider": recorded.provider})
        recorded = None
    embedder = make_embedder(settings, recorded, build=True, report=report)
    if embedder is None:
        raise SettingsError(
            "no embedder is set, so there is nothing to reindex with",
            hint="set GDRIVE_RAG_EMBED_PROVIDER to embedded, gemini, openai-compatible or "
            "sentence-transformers",
        )
    return embedder


def _names_a_model(settings: Settings) -> bool:
    named = (settings.embed_model, settings.embed_model_path, settings.embed_dimensions)
    return any(each is not None for each in named)


def _telling(report: Report) -> Callable[[Forecast], None]:
    """What says a forecast in words."""
    from gdrive_rag_mcp.presentation import forecast_text

    return lambda forecast: report(forecast_text(forecast))
