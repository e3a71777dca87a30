"""The use cases of writing: making an index and bringing it up to date, one writer at a time."""

from collections.abc import Callable
from pathlib import Path

from gdrive_rag_mcp.domain import EmbeddingIdentity, SyncReport
from gdrive_rag_mcp.extraction import EXTRACTION_VERSION, is_supported
from gdrive_rag_mcp.indexing.lock import writer_lock
from gdrive_rag_mcp.indexing.sync import Progress, Synchroniser, SyncOptions
from gdrive_rag_mcp.protocols import Chunker, Embedder, Extractor, Source
from gdrive_rag_mcp.store import Store


def create_index(path: Path) -> None:
    """Make an empty index, or bring the schema of one that is there up to date.

    Raises:
        IndexLockedError: another process is writing it.
        StoreError: the file cannot be written, or is no index.
    """
    with writer_lock(path):
        Store.open_for_writing(path).close()


def sync_index(
    path: Path,
    *,
    source: Source,
    extractor: Extractor,
    chunker: Chunker,
    embedder: Callable[[EmbeddingIdentity | None], Embedder | None],
    options: SyncOptions,
    progress: Progress,
) -> SyncReport:
    """Bring an index up to date; `embedder` is asked for one that goes with what the index holds.

    Raises:
        IndexLockedError: another process is writing it.
        SourceError, StoreError, SettingsError: as `Synchroniser.run`.
    """
    with writer_lock(path), Store.open_for_writing(path) as store:
        return Synchroniser(
            store=store,
            source=source,
            extractor=extractor,
            chunker=chunker,
            embedder=embedder(store.catalog.embedding_identity),
            supported=is_supported,
            extraction=EXTRACTION_VERSION,
            progress=progress,
        ).run(options)
