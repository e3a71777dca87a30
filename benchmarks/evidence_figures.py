"""What the verdicts over a set come to: rates with their intervals, ranks and AUROC."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from benchmarks.evidence_asking import SHOWN, Asked
from benchmarks.evidence_singles import (
    PREDECESSOR,
    PREDECESSORS_CUT,
    Answered,
    carried_over,
)
from gdrive_rag_mcp.evaluation.metrics import (
    auroc,
    bootstrap_interval,
    hit_at,
    mean,
    reciprocal_rank,
    share,
)
from gdrive_rag_mcp.evaluation.question_sets import ANSWERABLE, KINDS

VERDICT = "verdict"
_ROUNDS = 500


@dataclass(frozen=True)
class Figure:
    """A share or a mean, of so many questions, and its interval of 95 %."""

    value: float
    n: int
    low: float = math.nan
    high: float = math.nan


NOTHING = Figure(math.nan, 0)
Statistic = Callable[[Sequence[Asked]], float]


def figure(asked: Sequence[Asked], statistic: Statistic) -> Figure:
    """A statistic of questions, bootstrapped by their groups."""
    groups: dict[str, list[Asked]] = {}
    for one in asked:
        groups.setdefault(one.question.group, []).append(one)
    low, high = bootstrap_interval(list(groups.values()), statistic, rounds=_ROUNDS)
    return Figure(statistic(asked), len(asked), low, high)


def confidence(one: Asked) -> float:
    return one.evidence.confidence


def _single(name: str) -> Callable[[Asked], float]:
    return lambda one: one.singles[name]


def refused(asked: Sequence[Asked]) -> float:
    return share([not one.evidence.sufficient for one in asked])


def area(asked: Sequence[Asked], score: Callable[[Asked], float]) -> float:
    """AUROC of a score: answerable questions against all others."""
    answerable = [score(one) for one in asked if one.question.kind == ANSWERABLE]
    others = [score(one) for one in asked if one.question.kind != ANSWERABLE]
    return auroc(answerable, others)


@dataclass(frozen=True)
class Kind:
    """How one kind of unanswerable questions fares, by the verdict and by single scores."""

    refused: Figure
    auroc: Figure
    singles_auroc: Mapping[str, float]
    singles_refused: Mapping[str, float]


@dataclass(frozen=True)
class Figures:
    """All figures of a set.

    `refused` is of all answerable questions, `found_refused` of those whose answer is among the
    hits that are shown, and `first_right` the share of the accepted whose first hit answers them.
    """

    name: str
    family: str
    language: str
    refused: Figure
    found_refused: Figure
    hit_1: Figure
    hit_5: Figure
    mrr: Figure
    first_right: Figure
    ndcg: Figure
    kinds: Mapping[str, Kind]
    singles_refused: Mapping[str, float] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def answerable(asked: Sequence[Asked]) -> list[Asked]:
    return [one for one in asked if one.question.kind == ANSWERABLE]


def found(asked: Sequence[Asked]) -> list[Asked]:
    return [one for one in asked if one.question.kind == ANSWERABLE and one.found]


def accepted(asked: Sequence[Asked]) -> list[Asked]:
    return [one for one in answerable(asked) if one.evidence.sufficient]


def first_is_right(asked: Sequence[Asked]) -> float:
    return share([hit_at(one.gold_rank, 1) for one in asked])


def figures(own: Sequence[Asked], cuts: Mapping[str, float]) -> Figures:
    """The figures of one set; `cuts` are the cut-offs of the single scores."""
    kit, answers = own[0].kit, answerable(own)
    judged = [one for one in own if not math.isnan(one.ndcg)]
    kinds = {kind: [one for one in own if one.question.kind == kind] for kind in KINDS[1:]}
    return Figures(
        name=kit.name,
        family=kit.family,
        language=kit.language,
        refused=figure(answers, refused),
        found_refused=figure(found(own), refused),
        hit_1=figure(answers, first_is_right),
        hit_5=figure(answers, lambda some: share([hit_at(one.gold_rank, SHOWN) for one in some])),
        mrr=figure(answers, lambda some: mean([reciprocal_rank(one.gold_rank) for one in some])),
        first_right=figure(accepted(own), first_is_right),
        ndcg=figure(judged, lambda some: mean([one.ndcg for one in some])),
        kinds={kind: _kind(asked, answers, cuts) for kind, asked in kinds.items() if asked},
        singles_refused={
            name: share([one.singles[name] < cut for one in found(own)])
            for name, cut in cuts.items()
            if not math.isnan(cut)
        }
        | _predecessor_itself(found(own)),
    )


def _kind(asked: Sequence[Asked], answers: Sequence[Asked], cuts: Mapping[str, float]) -> Kind:
    return Kind(
        refused=figure(asked, refused),
        auroc=figure([*answers, *asked], lambda some: area(some, confidence)),
        singles_auroc={name: area([*answers, *asked], _single(name)) for name in asked[0].singles},
        singles_refused={
            name: share([one.singles[name] < cut for one in asked])
            for name, cut in cuts.items()
            if not math.isnan(cut)
        }
        | _predecessor_itself(asked),
    )


def _predecessor_itself(asked: Sequence[Asked]) -> dict[str, float]:
    """What the predecessor refuses at the threshold it came with."""
    below = [one.singles[PREDECESSOR] < PREDECESSORS_CUT for one in asked]
    return {f"{PREDECESSOR} at {PREDECESSORS_CUT}": share(below)}


def all_figures(by_set: Mapping[str, Sequence[Asked]]) -> list[Figures]:
    """The figures of every set, single scores cut as the other families would have it."""
    names = list(next(iter(by_set.values()))[0].singles) if by_set else []
    everything = [one for own in by_set.values() for one in found(own)]
    scores = {
        name: [Answered(one.kit.family, one.kit.name, one.singles[name]) for one in everything]
        for name in names
    }
    families = {own[0].kit.family for own in by_set.values()}
    cuts = {
        family: {name: carried_over(scores[name], family) for name in names} for family in families
    }
    return [figures(own, cuts[own[0].kit.family]) for own in by_set.values()]
