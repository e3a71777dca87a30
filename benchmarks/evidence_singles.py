"""What others judge by: one score each, and the cut-off that other sets would have it cut at."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gdrive_rag_mcp.domain import SearchOutcome
from gdrive_rag_mcp.evidence.reading import Reading, read

FALSE_REFUSALS = 0.05
"""Of answerable questions whose answer is among the hits: what a cut-off is placed for."""
PREDECESSOR = "predecessor"
PREDECESSORS_CUT = 0.35
_RAREST = 3


def single_scores(outcome: SearchOutcome) -> dict[str, float]:
    """Each score by name; NaN where it cannot be had."""
    if outcome.retrieved is None or not outcome.retrieved.hits:
        return dict.fromkeys((PREDECESSOR, "cosine", "rarest terms", "bm25/ideal"), 0.0)
    hits, statistics = outcome.retrieved.hits, outcome.retrieved.statistics
    cosines = [hit.cosine for hit in hits if hit.cosine is not None]
    best = max((hit.bm25 or 0.0 for hit in hits), default=0.0)
    return {
        PREDECESSOR: max(_predecessors(hit.cosine, hit.bm25) for hit in hits),
        "cosine": max(cosines, default=math.nan),
        "rarest terms": _rarest(read(outcome.retrieved)),
        "bm25/ideal": best / statistics.ideal_bm25 if statistics.ideal_bm25 > 0 else 0.0,
    }


def _predecessors(cosine: float | None, bm25: float | None) -> float:
    """0.65 of the cosine and 0.35 of 1 / (1 + |bm25|): the better the words fit, the less."""
    by_words = 0.0 if bm25 is None else 1 / (1 + abs(bm25))
    return 0.65 * (cosine or 0.0) + 0.35 * by_words


def _rarest(reading: Reading) -> float:
    """The share of the question's three rarest key terms that one of the hits holds."""
    by_rarity = sorted(range(len(reading.terms)), key=lambda place: -reading.terms[place].idf)
    rarest = frozenset(by_rarity[:_RAREST])
    if not rarest:
        return 0.0
    return max((len(rarest & held) for held in reading.held), default=0) / len(rarest)


@dataclass(frozen=True)
class Answered:
    """A score of an answerable question whose answer was found."""

    family: str
    kit: str
    score: float


def carried_over(answered: Sequence[Answered], family: str) -> float:
    """The cut-off at which the other families refuse 5 % of theirs; NaN where there are none.

    The share refused is the mean over families of the mean over their sets, so that neither a big
    set nor one in many languages speaks for all.
    """
    by_family: dict[str, dict[str, list[float]]] = {}
    for one in answered:
        if one.family != family:
            by_family.setdefault(one.family, {}).setdefault(one.kit, []).append(one.score)
    if not by_family:
        return math.nan
    scores = np.unique(
        [score for sets in by_family.values() for own in sets.values() for score in own]
    )
    low, high = 0, len(scores) - 1
    while low < high:
        middle = (low + high + 1) // 2
        if _refused(by_family, float(scores[middle])) <= FALSE_REFUSALS:
            low = middle
        else:
            high = middle - 1
    return float(scores[low])


def _refused(by_family: Mapping[str, Mapping[str, Sequence[float]]], cut: float) -> float:
    shares = [
        np.mean([np.mean(np.array(own) < cut) for own in sets.values()])
        for sets in by_family.values()
    ]
    return float(np.mean(shares))
