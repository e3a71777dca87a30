"""What the search shows of how well the hits answer; each signal is one number, one formula."""

import math
from collections.abc import Mapping
from itertools import pairwise

from gdrive_rag_mcp.domain import Hit
from gdrive_rag_mcp.evidence.reading import READ_HITS, Reading
from gdrive_rag_mcp.evidence.signal import UNKNOWN, Signal

_CODE_DIGITS = 2
_SMALLEST_BACKGROUND = 4


# ── the question's words ─────────────────────────────────────────────────────


def corpus_coverage(reading: Reading) -> float:
    """Share of the key terms known in scope: sum of idf of known / sum of idf of all.

    A term that no chunk holds has the highest idf there is, so it costs most. After "query
    coverage" as a predictor of query difficulty: He & Ounis, "Query performance prediction", 2006.
    """
    return reading.weight(reading.known)


def chance_coverage(reading: Reading) -> float:
    """Idf-weighted share of the key terms that a chunk drawn at random would hold.

    Sum of idf x document frequency / sum of idf: what coverage is worth depends on how common the
    terms are, and syllables and pairs of characters are more common than words. Our own; idf after
    Spärck Jones, "A statistical interpretation of term specificity and its application in
    retrieval", Journal of Documentation 1972.
    """
    statistics = reading.retrieved.statistics
    whole = sum(term.idf for term in reading.terms)
    if not whole or not statistics.chunks:
        return UNKNOWN
    expected = sum(term.idf * term.chunks / statistics.chunks for term in reading.terms)
    return expected / whole


def coverage_lead(reading: Reading) -> float:
    """By how much the fullest of the best five hits exceeds the others' mean coverage.

    Max - mean of the other shares, NaN of one hit. Our own: where one passage answers, it stands
    out; passages of one topic that do not are alike.
    """
    shares = sorted(map(reading.weight, reading.held), reverse=True)
    return shares[0] - sum(shares[1:]) / len(shares[1:]) if len(shares) > 1 else UNKNOWN


def best_coverage(reading: Reading) -> float:
    """Idf-weighted share of the key terms that the fullest of the best five hits holds.

    Max over hits of sum of idf of held / sum of idf of all: `corpus_coverage` of one passage, and
    after the same source.
    """
    return max(map(reading.weight, reading.held), default=0.0)


def close_coverage(reading: Reading) -> float:
    """Idf-weighted share of the key terms held within one window of 40 tokens of one hit.

    After the proximity of query terms: Tao & Zhai, "An exploration of proximity measures in
    information retrieval", SIGIR 2007. Unlike the coverage of a hit it does not grow with chunks.
    """
    return max(map(reading.weight, reading.together), default=0.0)


def phrase_coverage(reading: Reading) -> float:
    """Share of the question's neighbouring key terms that one hit holds as neighbours, by idf.

    Two terms are neighbours within 3 tokens and in order: the sequential dependence of Metzler &
    Croft, "A Markov random field model for term dependencies", SIGIR 2005. NaN for one term.
    """
    terms = reading.terms
    pairs = [left.idf + right.idf for left, right in pairwise(terms)]
    if not sum(pairs):
        return UNKNOWN
    shares = (sum(pairs[place] for place in held) for held in reading.phrases)
    return max(shares, default=0.0) / sum(pairs)


def codes_held(reading: Reading) -> float:
    """Share of the question's numbers, dates and codes that the best five hits hold.

    Held by any of the five / asked for. A code is a term with a digit in it and at least two
    characters. NaN where none is asked for. Our own: such a term has no synonyms.
    """
    codes = {place for place, term in enumerate(reading.terms) if _is_code(term.surface)}
    if not codes:
        return UNKNOWN
    return len(codes & frozenset().union(*reading.held)) / len(codes)


def _is_code(surface: str) -> bool:
    """Whether a term is a number, a date's part or a code: the same in every language."""
    return len(surface) >= _CODE_DIGITS and any(character.isdigit() for character in surface)


def passages_competing(reading: Reading) -> float:
    """How many chunks are in scope: ln(chunks), NaN of none.

    The best of n scores that are due to chance grows with ln n, so that the same score is worth
    less among more: Gumbel, "Statistics of Extremes", 1958, for tails that fall exponentially.
    """
    chunks = reading.retrieved.statistics.chunks
    return math.log(chunks) if chunks else UNKNOWN


# ── the rankings ─────────────────────────────────────────────────────────────


def bm25_of_ideal(reading: Reading) -> float:
    """The best BM25 score over that of an average chunk holding each key term once.

    BM25: Robertson & Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009.
    """
    ideal = reading.retrieved.statistics.ideal_bm25
    best = max((hit.bm25 for hit in reading.hits if hit.bm25 is not None), default=0.0)
    return best / ideal if ideal > 0 else 0.0


def bm25_lead_of_five(reading: Reading) -> float:
    """How far the best BM25 score stands above the fifth, over the ideal.

    After normalised query commitment, where scores that differ show that some chunk stands out:
    Shtok, Kurland & Carmel, "Predicting query performance by query-drift estimation", TOIS 2012.
    """
    ideal = reading.retrieved.statistics.ideal_bm25
    scores = sorted((hit.bm25 or 0.0 for hit in reading.retrieved.hits), reverse=True)
    fifth = scores[READ_HITS - 1] if len(scores) >= READ_HITS else 0.0
    return (scores[0] - fifth) / ideal if scores and ideal > 0 else 0.0


def agreement(reading: Reading) -> float:
    """How the two rankings see each other's first: mean of 1 / rank in the other, 0 if not there.

    After rank agreement as evidence: Aslam & Pavlu, "Query hardness estimation using
    Jensen-Shannon divergence among multiple scoring functions", ECIR 2007.
    """
    hits = reading.retrieved.hits
    return (_other_rank(hits, "keyword") + _other_rank(hits, "vector")) / 2


def _other_rank(hits: tuple[Hit, ...], by: str) -> float:
    for hit in hits:
        own, other = hit.keyword_rank, hit.vector_rank
        if by == "vector":
            own, other = other, own
        if own == 1 and other is not None:
            return 1 / other
    return 0.0


# ── the vectors ──────────────────────────────────────────────────────────────


def cosine_height(reading: Reading) -> float:
    """How far the top cosine is from the question's background to 1, where texts are the same.

    (c1 - mean) / (1 - mean): models differ in where their cosines lie, and in how far apart. The
    mean is of the sample without its nearest chunks: in a small corpus these would raise what they
    are measured by. After the normalised commitment of scores: Shtok, Kurland & Carmel, "Predicting
    query performance by query-drift estimation", TOIS 2012; by their deviation the height of a
    chance hit would depend on how alike the corpus's other chunks are.
    """
    cosines, mean = _cosines(reading), _mean_without_best(reading)
    return (cosines[0] - mean) / (1 - mean) if cosines else UNKNOWN


def cosine_lead(reading: Reading) -> float:
    """By how much the nearest chunk leads the second, in parts of the way from background to 1.

    (c1 - c2) / (1 - mean), NaN of one cosine; mean and source as of `cosine_height`.
    """
    return _lead_over(reading, 2)


def cosine_lead_of_five(reading: Reading) -> float:
    """By how much the nearest chunk leads the fifth, in parts of the way from background to 1.

    (c1 - c5) / (1 - mean), NaN of fewer than five; mean and source as of `cosine_height`.
    """
    return _lead_over(reading, 5)


def keyword_winner_lag(reading: Reading) -> float:
    """By how much the first by keyword lies below the top cosine, in parts of the same way.

    (c1 - c of the first by keyword) / (1 - mean). Where the vectors did not find it, the last that
    they found stands in. Our own: `agreement` by how far they are apart in place of ranks.
    """
    cosines, mean = _cosines(reading), _mean_without_best(reading)
    winners = [hit for hit in reading.retrieved.hits if hit.keyword_rank == 1]
    if not cosines or not winners:
        return UNKNOWN
    cosine = winners[0].cosine
    return (cosines[0] - (cosines[-1] if cosine is None else cosine)) / (1 - mean)


def _lead_over(reading: Reading, rank: int) -> float:
    cosines = _cosines(reading)
    if len(cosines) < rank:
        return UNKNOWN
    return (cosines[0] - cosines[rank - 1]) / (1 - _mean_without_best(reading))


def _cosines(reading: Reading) -> list[float]:
    cosines = [hit.cosine for hit in reading.retrieved.hits if hit.cosine is not None]
    return sorted(cosines, reverse=True)


def _mean_without_best(reading: Reading) -> float:
    """The mean of the question's background; if that is the whole scope, without the nearest.

    NaN where too few chunks remain, or nothing lies between them and the question.
    """
    statistics = reading.retrieved.statistics
    background = statistics.background
    if background is None:
        return UNKNOWN
    total, size = background.mean * background.sample, background.sample
    if size >= statistics.chunks - statistics.vectorless_chunks:
        nearest = _cosines(reading)[: size // 4]
        total, size = total - sum(nearest), size - len(nearest)
    if size < _SMALLEST_BACKGROUND or total >= size:
        return UNKNOWN
    return total / size


SEARCH_SIGNALS: Mapping[str, Signal] = {
    signal.__name__: signal
    for signal in (
        corpus_coverage,
        chance_coverage,
        coverage_lead,
        best_coverage,
        close_coverage,
        phrase_coverage,
        codes_held,
        passages_competing,
        bm25_of_ideal,
        bm25_lead_of_five,
        agreement,
        cosine_height,
        cosine_lead,
        cosine_lead_of_five,
        keyword_winner_lag,
    )
}
