"""The measures of an evaluation: pure functions of scores, ranks and verdicts.

A measure of nothing is NaN, never 0: an empty set was not judged badly, it was not judged.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

T = TypeVar("T")


def share(values: Sequence[bool]) -> float:
    """Return the share of `values` that hold."""
    return sum(values) / len(values) if values else math.nan


def mean(values: Sequence[float]) -> float:
    """Return the arithmetic mean."""
    return math.fsum(values) / len(values) if values else math.nan


def reciprocal_rank(rank: int | None) -> float:
    """Return 1 / rank (1-based), and 0 for what was not found; their mean is MRR.

    Source: Voorhees, "The TREC-8 Question Answering Track Report", 1999.
    """
    return 1 / rank if rank else 0.0


def hit_at(rank: int | None, depth: int) -> bool:
    """Tell whether `rank` (1-based; None: not found) is among the first `depth`."""
    return rank is not None and rank <= depth


def gains_of(ranking: Iterable[Iterable[str]], worth: Mapping[str, float]) -> list[float]:
    """Return what each place of a ranking is worth, each place given by what it names.

    What is named twice counts at its first place; a place that names several is worth the best of
    them, and one that names nothing new is none.
    """
    seen: set[str] = set()
    found = []
    for named in ranking:
        if new := set(named) - seen:
            seen |= new
            found.append(max(worth.get(one, 0.0) for one in new))
    return found


def ndcg_at(gains: Sequence[float], ideal: Sequence[float], depth: int) -> float:
    """Return the discounted gain of a ranking over that of the best possible one.

    Args:
        gains: What the hit at each place is worth, the first place first.
        ideal: The worth of everything there was to find, in any order.
        depth: How many places count.

    Source: Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques", 2002,
    with log2(rank + 1) as the discount from the first place on, as trec_eval has it.
    """
    best = _discounted(sorted(ideal, reverse=True)[:depth])
    return _discounted(gains[:depth]) / best if best else math.nan


def _discounted(gains: Sequence[float]) -> float:
    return math.fsum(gain / math.log2(place + 1) for place, gain in enumerate(gains, start=1))


def auroc(positives: Sequence[float], negatives: Sequence[float]) -> float:
    """Return the chance that a positive scores above a negative; ties count half.

    NaN when one side is empty, or when a score is NaN. O(n log n).
    Source: Mann and Whitney, 1947; Hanley and McNeil, "The meaning and use of the area under a
    receiver operating characteristic (ROC) curve", 1982.
    """
    if not len(positives) or not len(negatives):
        return math.nan
    import numpy as np

    ups, downs = np.asarray(positives, np.float64), np.sort(np.asarray(negatives, np.float64))
    if np.isnan(ups).any() or np.isnan(downs).any():
        return math.nan
    below = np.searchsorted(downs, ups, side="left").sum()
    not_above = np.searchsorted(downs, ups, side="right").sum()
    return float(below + not_above) / (2 * len(ups) * len(downs))


def bootstrap_interval(
    groups: Sequence[Sequence[T]],
    statistic: Callable[[Sequence[T]], float],
    *,
    rounds: int = 1000,
    level: float = 0.95,
    seed: int = 0,
) -> tuple[float, float]:
    """Return the percentile interval of `statistic`, resampling whole groups with replacement.

    Cases of one group (questions on one document, translations of one question) say nearly the
    same thing; drawn one by one they would make the interval too narrow. Rounds for which the
    statistic is NaN count for nothing; NaN, NaN when all of them are, or there are no groups.
    Source: Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13; whole
    groups: Davison and Hinkley, "Bootstrap Methods and their Application", 1997, section 3.8.
    """
    filled = [group for group in groups if len(group)]
    if not filled:
        return math.nan, math.nan
    import numpy as np

    draws = np.random.default_rng(seed).integers(len(filled), size=(rounds, len(filled)))
    values = [
        statistic([item for place in places for item in filled[place]]) for places in draws.tolist()
    ]
    known = [value for value in values if not math.isnan(value)]
    if not known:
        return math.nan, math.nan
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
