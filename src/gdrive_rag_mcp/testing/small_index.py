"""An index filled without a source: for tests and benchmarks that start from texts."""

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from gdrive_rag_mcp.domain import (
    ChangePage,
    Document,
    Locator,
    Segment,
    SegmentKind,
    SourceFile,
    SourceFolder,
)
from gdrive_rag_mcp.protocols import Chunker, Embedder, embed_with_tokens
from gdrive_rag_mcp.store import Store

_ROOT = "root"
_LISTED = datetime(2026, 1, 5, 9, tzinfo=UTC)
_BATCH = 64


def plain_document(text: str, title: str = "") -> Document:
    """A document of one segment."""
    whole = Segment(0, len(text), SegmentKind.TEXT, Locator("lines", "1", 1, 1))
    return Document(title, text, (whole,))


def fill_index(
    path: Path,
    documents: Iterable[tuple[str, Document]],
    chunker: Chunker,
    embedder: Embedder | None = None,
    *,
    name: str = "text",
) -> None:
    """Make or extend an index; every file bears the same `name`, which then tells no document."""
    documents = list(documents)
    files = tuple(SourceFile(key, name, "text/plain", (_ROOT,), "1") for key, _ in documents)
    with Store.open_for_writing(path) as store:
        store.catalog.accept_embedding(embedder.identity if embedder else None)
        root = SourceFolder(_ROOT, _ROOT, (), is_root=True)
        store.inventory.begin_run()
        store.inventory.begin_listing()
        store.inventory.record(ChangePage(files, (root,)), _LISTED)
        store.inventory.place()
        for key, document in documents:
            chunks = chunker.chunk(document)
            store.index.replace(key, document, chunks, chunking=chunker.identity)
        if embedder:
            _embed(store, embedder)


def _embed(store: Store, embedder: Embedder) -> None:
    after = 0
    while waiting := store.index.without_vector(after, _BATCH):
        numbers, chunks = zip(*waiting, strict=True)
        texts = [chunk.embedded_text for chunk in chunks]
        made = embed_with_tokens(embedder, texts, role="document")
        hashes = [chunk.hash for chunk in chunks]
        store.index.attach_vectors(numbers, hashes, made.vectors, made.tokens)
        after = numbers[-1]
