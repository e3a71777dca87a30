"""Writing an index by hand, one text a chunk: for tests of the store that need no source."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

import numpy as np
import numpy.typing as npt

from gdrive_rag_mcp.domain import (
    EVERYTHING,
    ChangePage,
    Chunk,
    Document,
    EmbeddingIdentity,
    Filters,
    Locator,
    Passage,
    Scope,
    Segment,
    SegmentKind,
    SourceFile,
    SourceFolder,
)
from gdrive_rag_mcp.protocols import Embedder
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.terms import query_terms

ROOT = "root"
WRITTEN = datetime(2026, 3, 1, 12, tzinfo=UTC)
_BATCH = 500
_PARAGRAPHS = "\n\n"


def identity(dimensions: int, model: str = "made") -> EmbeddingIdentity:
    """The identity of vectors that a test makes up."""
    return EmbeddingIdentity("made", model, dimensions, f"{model}-{dimensions}")


def cut(texts: Sequence[str], title: str = "", headings: Iterable[str] = ()) -> list[Chunk]:
    """One chunk a text, as they lie in the document of `joined`."""
    chunks, start = [], 0
    for ordinal, text in enumerate(texts):
        end = start + len(text)
        where = Locator("lines", str(ordinal + 1), ordinal + 1, ordinal + 1)
        chunks.append(Chunk(ordinal, start, end, text, where, title, tuple(headings)))
        start = end + len(_PARAGRAPHS)
    return chunks


def joined(texts: Sequence[str], title: str = "", headings: Iterable[str] = ()) -> Document:
    """The document that holds the texts, a paragraph each."""
    segments = tuple(
        Segment(chunk.start, chunk.end, SegmentKind.TEXT, chunk.locator, tuple(headings))
        for chunk in cut(texts)
    )
    return Document(title, _PARAGRAPHS.join(texts), segments)


def text_file(
    file_id: str,
    *,
    parents: Sequence[str] = (ROOT,),
    name: str | None = None,
    mime_type: str = "text/plain",
    modified: datetime | None = None,
    version: str = "1",
) -> SourceFile:
    """A file as a source lists it."""
    name = name or f"{file_id}.txt"
    return SourceFile(file_id, name, mime_type, tuple(parents), version, modified_time=modified)


class HandWritten:
    """Lists files and folders into the ledger and puts their texts into the search index."""

    def __init__(self, store: Store) -> None:
        self.store = store
        store.catalog.accept_embedding(None)
        store.inventory.begin_run()
        store.inventory.begin_listing()
        self.folder(ROOT, parents=())

    def folder(
        self, folder_id: str, *, parents: Sequence[str] = (ROOT,), name: str | None = None
    ) -> None:
        """List a folder; files below it are placed anew by the next `put` or `settle`."""
        listed = SourceFolder(
            folder_id, name or folder_id, tuple(parents), is_root=folder_id == ROOT
        )
        self.record(ChangePage(folders=(listed,)))

    def record(self, page: ChangePage) -> None:
        """Take a page into the ledger, at the time at which everything here is written."""
        self.store.inventory.record(page, WRITTEN)

    def put(
        self,
        file: SourceFile | str,
        *texts: str,
        parents: Sequence[str] = (ROOT,),
        title: str = "",
        headings: Sequence[str] = (),
    ) -> None:
        """List a file, or a text file of that id, and index its texts: each becomes a chunk."""
        listed = text_file(file, parents=parents) if isinstance(file, str) else file
        file_id = listed.id
        with self.store.transaction():
            self.record(ChangePage(files=(listed,)))
            self.settle()
            self.store.index.replace(
                file_id,
                joined(texts, title, headings),
                cut(texts, title, headings),
                chunking="one text a chunk",
            )
            self.store.queue.indexed(
                file_id, content_hash="", extraction="1", failures=(), now=WRITTEN
            )

    def settle(self) -> list[str]:
        """Place what was listed and refile what moved. Returns the ids of those."""
        moved = self.store.inventory.place()
        for file_id in moved:
            self.store.index.refile(file_id)
        return moved

    def delete(self, file_id: str) -> None:
        """Take a file out of the index and the ledger."""
        with self.store.transaction():
            self.store.index.remove(file_id)
            self.store.straying.remove(file_id)

    def embed(self, embedder: Embedder) -> None:
        """Give every chunk that waits for it a vector."""
        self.store.catalog.accept_embedding(embedder.identity)
        while waiting := self.store.index.without_vector(0, _BATCH):
            rows = embedder.embed([chunk.embedded_text for _, chunk in waiting], role="document")
            self._attach(waiting, rows)

    def attach(self, vectors: Mapping[str, npt.NDArray[np.float32]]) -> None:
        """Give waiting chunks the vectors that go with their texts."""
        while waiting := self.store.index.without_vector(0, _BATCH):
            self._attach(waiting, np.stack([vectors[chunk.text] for _, chunk in waiting]))

    def _attach(self, waiting: Sequence[tuple[int, Chunk]], rows: npt.NDArray[np.float32]) -> None:
        self.store.index.attach_vectors(
            [number for number, _ in waiting], [chunk.hash for _, chunk in waiting], rows
        )


def found_by_words(
    store: Store,
    question: str,
    scope: Scope = EVERYTHING,
    filters: Filters | None = None,
    limit: int = 50,
) -> list[Passage]:
    """The passages a question's words find, best first."""
    narrowed = filters or Filters()
    with store.reading():
        statistics = store.index.statistics(query_terms(question), scope, narrowed)
        matches = store.index.search_text(statistics.terms, scope, narrowed, limit)
        passages = store.index.passages([match.chunk for match in matches], scope)
    return [passages[match.chunk] for match in matches if match.chunk in passages]


def found_by_vector(
    store: Store,
    vector: npt.NDArray[np.float32],
    scope: Scope = EVERYTHING,
    filters: Filters | None = None,
    limit: int = 50,
) -> list[tuple[str, float]]:
    """The chunk ids a vector finds, best first, each with its cosine."""
    with store.reading():
        found = store.index.search_vectors(vector, scope, filters or Filters(), limit)
        passages = store.index.passages([match.chunk for match in found.matches], scope)
    return [
        (passages[match.chunk].chunk_id, match.cosine)
        for match in found.matches
        if match.chunk in passages
    ]
