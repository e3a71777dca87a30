"""Finds the passages that may answer a question, by words and by meaning."""

import logging
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from gdrive_rag_mcp.domain import (
    Hit,
    Mode,
    Passage,
    PhraseKind,
    PhraseStatistics,
    Query,
    RetrievalStatistics,
    Retrieved,
    TermStatistics,
    TextMatch,
    TokenVectors,
    VectorMatches,
)
from gdrive_rag_mcp.errors import EmbeddingError
from gdrive_rag_mcp.evidence.interaction import Rarity
from gdrive_rag_mcp.protocols import Embedder, SearchIndex, embed_with_tokens
from gdrive_rag_mcp.retrieval.query import analyse, checked_question
from gdrive_rag_mcp.retrieval.ranking import (
    DEFAULT_RANKING,
    Ranking,
    held_first,
    numbered,
    shared_out,
    without_copies,
)
from gdrive_rag_mcp.retrieval.reranking import RERANKED, by_tokens
from gdrive_rag_mcp.retrieval.thesaurus import NO_SYNONYMS, Thesaurus
from gdrive_rag_mcp.retrieval.wholes import asked_whole, holds_signs

EMBEDDER_UNAVAILABLE = "embedder_unavailable"

_CANDIDATES = 50  # of each retriever
_FEWEST_HITS = 10  # what judging looks at, however few were asked for
_HITS_WITH_TOKENS = 5  # as many as may answer a question
# A full-text search costs a step per posting. In a large corpus the words that many chunks share
# cost nearly all of it and hardly move the ranking.
_LARGE_CORPUS = 2_000
_COMMON_SHARE = 0.05

_Held = tuple[int, int]
"""How many quotations and how many codes of the question a chunk holds."""

_log = logging.getLogger(__name__)


class Retriever:
    """Both retrievers over one index; without an embedder, or without vectors, words alone.

    `rarity` tells how rare pieces of text are in the index; without it, no token counts for the
    order of the hits.
    """

    def __init__(
        self,
        index: SearchIndex,
        embedder: Embedder | None,
        mode: Mode,
        *,
        thesaurus: Thesaurus = NO_SYNONYMS,
        ranking: Ranking = DEFAULT_RANKING,
        rarity: Rarity | None = None,
    ) -> None:
        self._index = index
        self._embedder = embedder
        self._mode = mode
        self._thesaurus = thesaurus
        self._ranking = ranking
        self._rarity = rarity

    def retrieve(self, query: Query) -> Retrieved:
        """Rank the passages in scope, best first: at least ten, where there are as many.

        Raises:
            QueryError: the question is empty or too long.
        """
        query = replace(query, text=checked_question(query.text))
        statistics = self._index.statistics(
            analyse(query.text, self._thesaurus),
            query.scope,
            query.filters,
            asked_whole(query.text),
        )
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
        by_words = mode is not Mode.VECTOR
        matched = self._search_text(query, statistics) if by_words else ()
        held = self._holders(query, statistics) if by_words else {}
        unembedded = self._unembedded(matched, statistics)
        return Retrieved(
            query=query,
            mode=mode,
            hits=self._hits(query, (matched, nearest, unembedded), held, tokens),
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
        terms = [*terms_to_search(statistics), *map(as_term, statistics.phrases)]
        if not terms:
            return ()
        return self._index.search_text(terms, query.scope, query.filters, _CANDIDATES)

    def _unembedded(
        self, matched: Sequence[TextMatch], statistics: RetrievalStatistics
    ) -> Collection[int]:
        """Which of the matches the vectors cannot have found, as theirs are still to be made."""
        if not statistics.vectorless_chunks:
            return ()
        return self._index.without_vectors([match.chunk for match in matched])

    def _holders(self, query: Query, statistics: RetrievalStatistics) -> dict[int, _Held]:
        """The chunks that hold what was asked for whole, and how many quotations and codes.

        A code that more chunks hold than a ranking has places for is a topic, and not an address.
        """
        held: dict[int, _Held] = {}
        for found in statistics.phrases if self._ranking.exact_first else ():
            kind = found.phrase.kind
            if kind is PhraseKind.WORDS or not found.chunks:
                continue
            if kind is PhraseKind.CODE and found.chunks > _CANDIDATES and not found.phrase.signs:
                continue
            for chunk in self._holding(query, found):
                quotations, codes = held.get(chunk, (0, 0))
                quoted = kind is PhraseKind.QUOTATION
                held[chunk] = (quotations + quoted, codes + (not quoted))
        return held

    def _holding(self, query: Query, found: PhraseStatistics) -> Iterator[int]:
        matches = self._index.search_text([as_term(found)], query.scope, query.filters, _CANDIDATES)
        chunks = [match.chunk for match in matches]
        if found.phrase.signs is None:
            yield from chunks
            return
        for chunk, passage in self._index.passages(chunks, query.scope).items():
            if holds_signs(found.phrase, passage.reading):
                yield chunk

    def _hits(
        self,
        query: Query,
        rankings: tuple[Sequence[TextMatch], VectorMatches, Collection[int]],
        held: Mapping[int, _Held],
        question_tokens: TokenVectors | None,
    ) -> tuple[Hit, ...]:
        matched, nearest, unembedded = rankings
        ranks = _Ranks(matched, nearest)
        background = nearest.background.mean if nearest.background else None
        fused = self._ranking.fuse(ranks.bm25, ranks.cosine, background, unembedded)
        beyond = sorted(held.keys() - ranks.bm25.keys() - ranks.cosine.keys())
        ordered = held_first([*fused, *((chunk, 0.0) for chunk in beyond)], held)
        wanted = max(query.limit, _FEWEST_HITS)
        found = self._distinct(query, ordered, ranks, wanted)
        tokens = _Tokens(self._index, question_tokens, ranks)
        found = self._by_tokens(found, held, tokens)
        if self._ranking.most_of_a_document:
            found = shared_out(found, self._ranking.most_of_a_document, self._ranking.near)
        return tokens.given_to(numbered(found[:wanted]))

    def _by_tokens(
        self, hits: Sequence[Hit], held: Mapping[int, _Held], tokens: "_Tokens"
    ) -> list[Hit]:
        """The hits, the first of them by their tokens; what was asked for whole stays first."""
        if self._rarity is None or not self._ranking.tokens_pull:
            return list(hits)
        first = tokens.of(hits[:RERANKED])
        ordered = by_tokens(hits, tokens.question, first, self._rarity, self._ranking.tokens_pull)
        again = held_first([(tokens.chunk_of(hit), hit.score) for hit in ordered], held)
        by_chunk = {tokens.chunk_of(hit): hit for hit in ordered}
        return [by_chunk[chunk] for chunk, _ in again]

    def _distinct(
        self, query: Query, ordered: Sequence[tuple[int, float]], ranks: "_Ranks", wanted: int
    ) -> list[Hit]:
        """The best hits without copies; as many chunks are read as that takes."""
        found: list[Hit] = []
        distinct: list[Hit] = []
        for start in range(0, len(ordered), 2 * wanted):
            part = ordered[start : start + 2 * wanted]
            passages = self._index.passages([chunk for chunk, _ in part], query.scope)
            there = ((chunk, score) for chunk, score in part if chunk in passages)
            found += [ranks.hit(chunk, passages[chunk], score) for chunk, score in there]
            distinct = without_copies(found) if self._ranking.collapse else found
            if len(distinct) >= wanted:
                break
        return distinct


class _Tokens:
    """The token vectors of the question and of hits, each read from the index once."""

    def __init__(self, index: SearchIndex, question: TokenVectors | None, ranks: "_Ranks") -> None:
        self.question = question
        self._index = index
        self._ranks = ranks
        self._read: dict[int, TokenVectors | None] = {}

    def chunk_of(self, hit: Hit) -> int:
        return self._ranks.chunk_of[hit.passage.chunk_id]

    def of(self, hits: Sequence[Hit]) -> list[TokenVectors | None]:
        """Those of each hit that can be compared with the question's."""
        if self.question is None:
            return [None] * len(hits)
        chunks = [self.chunk_of(hit) for hit in hits]
        if new := [chunk for chunk in chunks if chunk not in self._read]:
            known = self._index.token_vectors(new, self.question.projection)
            self._read.update({chunk: known.get(chunk) for chunk in new})
        return [self._read[chunk] for chunk in chunks]

    def given_to(self, hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
        """The hits, the best of them with their token vectors."""
        best = hits[:_HITS_WITH_TOKENS]
        told = (
            replace(hit, tokens=tokens) for hit, tokens in zip(best, self.of(best), strict=True)
        )
        return *told, *hits[len(best) :]


class _Ranks:
    """Each chunk's rank and score in both rankings."""

    def __init__(self, matched: Sequence[TextMatch], nearest: VectorMatches) -> None:
        by_text = sorted(matched, key=lambda match: (-match.bm25, match.chunk))
        by_vector = sorted(nearest.matches, key=lambda match: (-match.cosine, match.chunk))
        self.bm25 = {match.chunk: match.bm25 for match in by_text}
        self.cosine = {match.chunk: match.cosine for match in by_vector}
        self._in_text = {match.chunk: rank for rank, match in enumerate(by_text, 1)}
        self._in_vectors = {match.chunk: rank for rank, match in enumerate(by_vector, 1)}
        self.chunk_of: dict[str, int] = {}

    def hit(self, chunk: int, passage: Passage, score: float) -> Hit:
        """A hit whose own rank is still to be found."""
        self.chunk_of[passage.chunk_id] = chunk
        return Hit(
            passage,
            rank=0,
            score=score,
            keyword_rank=self._in_text.get(chunk),
            vector_rank=self._in_vectors.get(chunk),
            bm25=self.bm25.get(chunk),
            cosine=self.cosine.get(chunk),
        )


def as_term(found: PhraseStatistics) -> TermStatistics:
    """A phrase as something to search for."""
    phrase = found.phrase
    return TermStatistics(phrase.surface, phrase.forms, found.chunks, found.idf)


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
