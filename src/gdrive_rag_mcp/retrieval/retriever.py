"""Finds the passages that may answer a question, by words and by meaning."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace

from gdrive_rag_mcp.domain import (
    Hit,
    Mode,
    Query,
    RetrievalStatistics,
    Retrieved,
    TermStatistics,
    TextMatch,
    TokenVectors,
    VectorMatches,
)
from gdrive_rag_mcp.errors import EmbeddingError
from gdrive_rag_mcp.protocols import Embedder, SearchIndex, embed_with_tokens
from gdrive_rag_mcp.retrieval.fusion import reciprocal_rank_fusion
from gdrive_rag_mcp.retrieval.query import analyse, checked_question

EMBEDDER_UNAVAILABLE = "embedder_unavailable"

_CANDIDATES = 50  # of each retriever
_FEWEST_HITS = 10  # what judging looks at, however few were asked for
_HITS_WITH_TOKENS = 5  # as many as may answer a question
# A full-text search costs a step per posting. In a large corpus the words that many chunks share
# cost nearly all of it and hardly move the ranking.
_LARGE_CORPUS = 2_000
_COMMON_SHARE = 0.05

_log = logging.getLogger(__name__)


class Retriever:
    """Both retrievers over one index; without an embedder, or without vectors, words alone."""

    def __init__(self, index: SearchIndex, embedder: Embedder | None, mode: Mode) -> None:
        self._index = index
        self._embedder = embedder
        self._mode = mode

    def retrieve(self, query: Query) -> Retrieved:
        """Rank the passages in scope, best first: at least ten, where there are as many.

        Raises:
            QueryError: the question is empty or too long.
        """
        query = replace(query, text=checked_question(query.text))
        statistics = self._index.statistics(analyse(query.text), query.scope, query.filters)
        embedder = self._usable_embedder(statistics)
        mode = self._mode if embedder else Mode.KEYWORD
        if not statistics.chunks:
            return Retrieved(query, mode, (), statistics)
        nearest = VectorMatches(())
        tokens: TokenVectors | None = None
        warnings: tuple[str, ...] = ()
        if embedder:
            try:
                nearest, tokens = self._search_vectors(query, embedder)
            except EmbeddingError as error:
                _log.warning("Searching by keyword alone: %s", error)
                mode, warnings = Mode.KEYWORD, (EMBEDDER_UNAVAILABLE,)
        matched = self._search_text(query, statistics) if mode is not Mode.VECTOR else ()
        return Retrieved(
            query=query,
            mode=mode,
            hits=self._hits(query, matched, nearest, tokens),
            statistics=replace(statistics, background=nearest.background),
            warnings=warnings,
            question_tokens=tokens,
        )

    def _usable_embedder(self, statistics: RetrievalStatistics) -> Embedder | None:
        vectors = statistics.chunks - statistics.vectorless_chunks
        wanted = self._mode is not Mode.KEYWORD and (vectors or not statistics.chunks)
        return self._embedder if wanted else None

    def _search_vectors(
        self, query: Query, embedder: Embedder
    ) -> tuple[VectorMatches, TokenVectors | None]:
        """What is nearest to the question, and its token vectors."""
        question = embed_with_tokens(embedder, [query.text], role="query")
        vector, tokens = question.vectors[0], question.tokens[0] if question.tokens else None
        nearest = self._index.search_vectors(vector, query.scope, query.filters, _CANDIDATES)
        return nearest, tokens

    def _search_text(self, query: Query, statistics: RetrievalStatistics) -> tuple[TextMatch, ...]:
        terms = terms_to_search(statistics)
        if not terms:
            return ()
        return self._index.search_text(terms, query.scope, query.filters, _CANDIDATES)

    def _hits(
        self,
        query: Query,
        matched: Sequence[TextMatch],
        nearest: VectorMatches,
        question_tokens: TokenVectors | None,
    ) -> tuple[Hit, ...]:
        matched = sorted(matched, key=lambda match: (-match.bm25, match.chunk))
        near = sorted(nearest.matches, key=lambda match: (-match.cosine, match.chunk))
        by_text = {match.chunk: (rank, match.bm25) for rank, match in enumerate(matched, 1)}
        by_vector = {match.chunk: (rank, match.cosine) for rank, match in enumerate(near, 1)}
        fused = reciprocal_rank_fusion([tuple(by_text), tuple(by_vector)])
        best = fused[: max(query.limit, _FEWEST_HITS)]
        passages = self._index.passages([chunk for chunk, _ in best], query.scope)
        readable = [(chunk, score) for chunk, score in best if chunk in passages]
        tokens = self._tokens([chunk for chunk, _ in readable], question_tokens)
        hits = []
        for rank, (chunk, score) in enumerate(readable, start=1):
            keyword_rank, bm25 = by_text.get(chunk, (None, None))
            vector_rank, cosine = by_vector.get(chunk, (None, None))
            told = (keyword_rank, vector_rank, bm25, cosine, tokens.get(chunk))
            hits.append(Hit(passages[chunk], rank, score, *told))
        return tuple(hits)

    def _tokens(
        self, chunks: Sequence[int], question: TokenVectors | None
    ) -> Mapping[int, TokenVectors]:
        """The token vectors of the best chunks that can be compared with the question's."""
        if question is None:
            return {}
        return self._index.token_vectors(chunks[:_HITS_WITH_TOKENS], question.projection)


def terms_to_search(statistics: RetrievalStatistics) -> tuple[TermStatistics, ...]:
    """Choose the terms worth searching: known ones; function words only in want of any other.

    In a large corpus, terms that many chunks hold are left out as long as a rarer one remains.
    """
    asked = [term for term in statistics.terms if term.key] or list(statistics.terms)
    known = [term for term in asked if term.chunks]
    if statistics.chunks <= _LARGE_CORPUS:
        return tuple(known)
    common = _COMMON_SHARE * statistics.chunks
    return tuple(term for term in known if term.chunks <= common) or tuple(known)
