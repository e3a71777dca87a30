"""A made-up corpus in a real index, through the same calls that a sync makes."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from itertools import islice
from pathlib import Path

import numpy as np

from benchmarks.corpus import BETWEEN, INNERMOST, OUTER, MadeDocument
from benchmarks.made_vectors import DIMENSIONS, Floats
from benchmarks.measuring import Stopwatch
from gdrive_rag_mcp.domain import (
    ChangePage,
    Chunk,
    Document,
    EmbeddingIdentity,
    SourceFile,
    SourceFolder,
)
from gdrive_rag_mcp.indexing.portions import Portions
from gdrive_rag_mcp.protocols import EmbedRole, Vectors
from gdrive_rag_mcp.store import Store

IDENTITY = EmbeddingIdentity("benchmark", "clusters", DIMENSIONS, "benchmark-clusters-384")
CHUNKING = "benchmark"
_NOW = datetime(2026, 7, 1, 9, tzinfo=UTC)
_FILES_A_PAGE = 1000
_DOCUMENTS_A_BATCH = 170  # about 2,000 chunks: a sync stops reading about as often to embed
_WAITING = 2000


class KnownVectors:
    """An embedder that has the questions' vectors ready."""

    max_tokens = 512
    parallel_calls = 1

    def __init__(
        self,
        texts: Sequence[str],
        vectors: Floats,
        identity: EmbeddingIdentity = IDENTITY,
    ) -> None:
        self.identity = identity
        self._place = {text: at for at, text in enumerate(texts)}
        self._vectors = vectors

    def calls(self, texts: int, characters: int) -> int:
        return 0

    def embed(self, texts: Sequence[str], *, role: EmbedRole) -> Vectors:
        return self._vectors[[self._place[text] for text in texts]]


@dataclass(frozen=True)
class Prepared:
    """A document and its cut, as they come to the index."""

    made: MadeDocument
    document: Document
    chunks: list[Chunk]


def prepared(documents: Iterable[MadeDocument]) -> Iterator[list[Prepared]]:
    """Documents in the portions that are embedded together."""
    remaining = iter(documents)
    while batch := list(islice(remaining, _DOCUMENTS_A_BATCH)):
        yield [Prepared(made, *made.cut()) for made in batch]


def build_index(
    path: Path, corpus: Iterable[MadeDocument], identity: EmbeddingIdentity = IDENTITY
) -> Stopwatch:
    """Put a corpus into an index; what making the documents costs is not counted."""
    watch = Stopwatch()
    with watch.running():
        store = Store.open_for_writing(path)
        store.catalog.accept_embedding(identity)
        store.inventory.begin_run()
        store.inventory.begin_listing()
    with store:
        for batch in prepared(corpus):
            list_files(store, [one.made for one in batch])
            with watch.running():
                write(store, batch)
        with watch.running():
            store.tidy(_NOW)
    return watch


def write(store: Store, batch: Sequence[Prepared]) -> None:
    """Put listed documents in, as a sync does, and give their chunks the vectors."""
    with Portions(store) as portions:
        for one in batch:
            with portions.document(len(one.chunks)):
                replace(store, one)
    attach(store, batch)


def list_files(store: Store, documents: Sequence[MadeDocument]) -> None:
    """What a source would tell of these documents."""
    files = tuple(
        SourceFile(
            made.id, made.name, made.mime_type, (made.folder,), "1", modified_time=made.modified
        )
        for made in documents
    )
    for start in range(0, len(files), _FILES_A_PAGE):
        page = ChangePage(files[start : start + _FILES_A_PAGE], folders())
        store.inventory.record(page, _NOW)
    store.inventory.place()


@cache
def folders() -> tuple[SourceFolder, ...]:
    """The tree that documents lie in."""
    outer = (SourceFolder(f"outer{n}", f"Outer {n}", ("root",)) for n in range(OUTER))
    between = (
        SourceFolder(f"between{n}", f"Between {n}", (f"outer{n * OUTER // BETWEEN}",))
        for n in range(BETWEEN)
    )
    inner = (
        SourceFolder(f"inner{n}", f"Inner {n}", (f"between{n * BETWEEN // INNERMOST}",))
        for n in range(INNERMOST)
    )
    return (SourceFolder("root", "Root", (), is_root=True), *outer, *between, *inner)


def replace(store: Store, one: Prepared) -> None:
    """Put one document in place of its former self, as a sync does, without its vectors."""
    with store.transaction():
        store.index.replace(one.made.id, one.document, one.chunks, chunking=CHUNKING)
        store.queue.indexed(
            one.made.id,
            content_hash=f"{one.made.number:064x}",
            extraction="benchmark",
            failures=(),
            anchors={},
            note="",
            now=_NOW,
        )


def attach(store: Store, batch: Sequence[Prepared]) -> None:
    """Give every chunk that waits for a vector the one that was made for its text."""
    chunks = [chunk for one in batch for chunk in one.chunks]
    place_of = {chunk.hash: place for place, chunk in enumerate(chunks)}
    rows = np.concatenate([one.made.vectors for one in batch])
    after = 0
    while waiting := store.index.without_vector(after, _WAITING):
        after = waiting[-1][0]
        known = store.index.attach_known([number for number, _ in waiting])
        left = [(number, chunk.hash) for number, chunk in waiting if number not in known]
        if left:
            numbers, hashes = zip(*left, strict=True)
            store.index.attach_vectors(numbers, hashes, rows[[place_of[one] for one in hashes]])
