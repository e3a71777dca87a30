"""Our search as a serving process does it: lent connections, resident vectors, known questions."""

import threading
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.corpus import Corpus, Questions
from benchmarks.made_vectors import Floats
from benchmarks.our_index import KnownVectors
from gdrive_rag_mcp.app import Reader, StorePool
from gdrive_rag_mcp.domain import EVERYTHING, Filters, Mode, Query, Scope, VectorMatch
from gdrive_rag_mcp.retrieval.query import analyse
from gdrive_rag_mcp.retrieval.retriever import Retriever, terms_to_search

_PER_SIDE = 50
_PATIENCE_SECONDS = 300
_UNFILTERED = Filters()


class OurSearch:
    """One index, asked whole or by stage."""

    def __init__(self, path: Path, questions: Questions) -> None:
        self._pool = StorePool(path, resident=True)
        self._embedder = KnownVectors(questions.texts, questions.vectors)
        self._vectors = questions.vectors
        self._threads = threading.active_count()
        self._reader = Reader(self._pool, embedder=lambda: self._embedder)

    def hybrid(self, text: str, scope: Scope = EVERYTHING, filters: Filters = _UNFILTERED) -> int:
        """A whole search but for the embedding: statistics, both retrievers, fusion, passages.

        Returns how many passages were found.
        """
        with self._pool.lend() as store:
            retriever = Retriever(store.index, self._embedder, Mode.HYBRID)
            query = Query(text, limit=10, scope=scope, filters=filters)
            return len(retriever.retrieve(query).hits)

    def answer(self, text: str) -> int:
        """What a tool call does beside the protocol: the search, its verdict, and the coverage."""
        found = self._reader.search(text, limit=10).retrieved
        return len(found.hits) if found else 0

    def text_stage(self, text: str) -> int:
        """Statistics of the terms, and the ranking by words."""
        with self._pool.lend() as store:
            statistics = store.index.statistics(analyse(text), EVERYTHING, _UNFILTERED)
            terms = terms_to_search(statistics)
            return len(store.index.search_text(terms, EVERYTHING, _UNFILTERED, _PER_SIDE))

    def vector_stage(self, vector: Floats) -> Sequence[VectorMatch]:
        """The ranking by vectors."""
        with self._pool.lend() as store:
            found = store.index.search_vectors(vector, EVERYTHING, _UNFILTERED, _PER_SIDE)
            return found.matches

    def nearest(self, vector: Floats, corpus: Corpus) -> list[int]:
        """The ten nearest rows of the corpus, from 0."""
        matches = self.vector_stage(vector)[:10]
        with self._pool.lend() as store:
            passages = store.index.passages([match.chunk for match in matches], EVERYTHING)
        return [
            corpus.row(passage.document_id, int(passage.chunk_id.split(":")[1]))
            for match in matches
            if (passage := passages.get(match.chunk))
        ]

    def become_resident(self) -> None:
        """Search until the thread that loads the vectors has ended, and they are in memory.

        Raises:
            TimeoutError: it does not end.
        """
        end = time.monotonic() + _PATIENCE_SECONDS
        self.vector_stage(self._vectors[0])
        while threading.active_count() > self._threads:
            self.vector_stage(self._vectors[0])
            if time.monotonic() > end:
                raise TimeoutError("the vectors are not in memory after minutes")

    def close(self) -> None:
        self._pool.close()
