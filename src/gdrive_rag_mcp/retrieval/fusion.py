"""Merges rankings whose scores cannot be compared."""

from collections.abc import Sequence

RANK_CONSTANT = 60


def reciprocal_rank_fusion(
    rankings: Sequence[Sequence[int]], constant: int = RANK_CONSTANT
) -> tuple[tuple[int, float], ...]:
    """Order items by the sum of 1 / (constant + rank), best first; ties go by number.

    Source: Cormack, Clarke & Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and
    individual Rank Learning Methods", SIGIR 2009, where the constant is 60.

    >>> [item for item, score in reciprocal_rank_fusion([[1, 2, 3], [3, 1, 4]])]
    [1, 3, 2, 4]
    >>> reciprocal_rank_fusion([[7], [5]], constant=1)
    ((5, 0.5), (7, 0.5))
    """
    scores: dict[int, float] = {}
    for ranking in rankings:
        for rank, item in enumerate(ranking, start=1):
            scores[item] = scores.get(item, 0.0) + 1 / (constant + rank)
    return tuple(sorted(scores.items(), key=lambda scored: (-scored[1], scored[0])))
