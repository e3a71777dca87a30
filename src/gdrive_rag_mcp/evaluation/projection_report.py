"""How well a projection tells questions that are answered from those only near: held-out AUROC."""

import math
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from gdrive_rag_mcp.domain import TokenVectors
from gdrive_rag_mcp.embedding.token_projection import TokenProjection, TokenStates
from gdrive_rag_mcp.evaluation.metrics import auroc, mean
from gdrive_rag_mcp.evaluation.projection_data import Asked, SetData
from gdrive_rag_mcp.evaluation.question_sets import ADJACENT_TOPIC, ANSWERABLE
from gdrive_rag_mcp.evidence.interaction import meet

FOLDS = 3
_READ = 5
"""Hits, as many as the verdict reads."""

Projections = Callable[[int], TokenProjection]
"""The projection that was learned without the articles of a fold."""
Projecting = Callable[[TokenStates, TokenProjection], TokenVectors]


@dataclass(frozen=True, slots=True)
class Told:
    """Of one set: AUROC of answerable questions (found in the best five) against adjacent topics.

    By the score of the hit that meets most, after learning from other articles and before any.
    """

    set: str
    answerable: int
    adjacent: int
    learned: float
    untrained: float


def fold_of(group: str) -> int:
    """The fold of an article, whatever set it is in."""
    return zlib.crc32(group.encode("utf-8", "surrogatepass")) % FOLDS


def told_apart(kit: SetData, learned: Projections, untrained: TokenProjection) -> Told:
    """Judge a set, each question by the projection that knows nothing of its article."""
    ups = [
        one for one in kit.asked if one.kind == ANSWERABLE and min(one.gold, default=_READ) < _READ
    ]
    downs = [one for one in kit.asked if one.kind == ADJACENT_TOPIC]
    passages = cache(_projected)  # many questions find the same ones

    def curve(of: Projections) -> float:
        scores = (
            [_score(one, of(fold_of(one.group)), passages) for one in side] for side in (ups, downs)
        )
        return auroc(*scores)

    return Told(kit.name, len(ups), len(downs), curve(learned), curve(lambda _: untrained))


def _score(asked: Asked, projection: TokenProjection, passages: Projecting) -> float:
    """How much of the question the best of its hits meets within a window; 0 without any."""
    meetings = meet(
        _projected(asked.question, projection),
        [passages(hit, projection) for hit in asked.hits[:_READ]],
        lambda _: asked.rarity,
    )
    return max(one.together for one in meetings.of_hits) if meetings else 0.0


def _projected(told: TokenStates, projection: TokenProjection) -> TokenVectors:
    return projection.of(np.asarray(told.states, np.float32), told.pieces)


def table(told: Sequence[Told]) -> str:
    """The sets as text, their mean last; only those with questions of both kinds."""
    judged = [one for one in told if not math.isnan(one.learned)]
    lines = [f"{'set':24} {'answerable':>10} {'adjacent':>9} | {'learned':>8} {'untrained':>10}"]
    lines += [
        f"{one.set:24} {one.answerable:10} {one.adjacent:9} | {one.learned:8.3f}"
        f" {one.untrained:10.3f}"
        for one in judged
    ]
    means = (mean([one.learned for one in judged]), mean([one.untrained for one in judged]))
    return "\n".join([*lines, f"{'mean':44} | {means[0]:8.3f} {means[1]:10.3f}"])
