"""What the verdict has to reach on the handed questions, and by how much it does or does not."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.evidence_asking import Asked
from benchmarks.evidence_figures import (
    NOTHING,
    Figure,
    Figures,
    accepted,
    answerable,
    figure,
    first_is_right,
    found,
    refused,
)
from gdrive_rag_mcp.evaluation.metrics import mean
from gdrive_rag_mcp.evaluation.question_sets import ABSENT_FACT, ABSENT_TOPIC, ADJACENT_TOPIC

BySet = Mapping[str, Sequence[Asked]]
_ALL_XQUAD = "xquad (all)"
_MAIN = ("xquad", "squad2", "korquad1", "viquad2", "jaquad", "pquad")
"""The sets that are large enough, and alike enough, for floors of their own."""


@dataclass(frozen=True)
class Floor:
    """One line of what is asked for; a goal may be missed, a floor may not."""

    what: str
    of: str
    bound: float
    at_most: bool
    figure: Figure
    goal: bool = False

    @property
    def margin(self) -> float:
        """By how much it is met; below 0 it is missed."""
        above = self.figure.value - self.bound
        return -above if self.at_most else above

    @property
    def missed(self) -> bool:
        return not math.isnan(self.figure.value) and self.margin < 0


def floors(by_set: BySet, measured: Sequence[Figures]) -> list[Floor]:
    """Every floor and goal that the sets of this run have something to say on."""
    of = {one.name: one for one in measured}
    lines = [*_refusals(by_set, of), *_absent(by_set, of), *_ranks(by_set, of), *_goals(of)]
    return [line for line in lines if line.figure.n]


def _refusals(by_set: BySet, of: Mapping[str, Figures]) -> Iterator[Floor]:
    """Overall, each language over all its sets, and each set; a goal for small or hard sets."""
    what = "answered in the top 5, refused"
    main = [one for name, own in by_set.items() if _is_main(name) for one in found(own)]
    everything = [one for own in by_set.values() for one in found(own)]
    yield Floor(what, "main sets", 0.05, True, figure(main, refused))
    if len(main) < len(everything):
        yield Floor(what, "all sets", 0.05, True, figure(everything, refused))
    for language in dict.fromkeys(one.language for one in of.values()):
        own = [one for one in everything if one.kit.language == language]
        yield Floor(what, f"all in {language}", 0.08, True, figure(own, refused))
    for one in of.values():
        goal = not _is_main(one.name)
        yield Floor(what, one.name, 0.08, True, one.found_refused, goal=goal)


def _is_main(name: str) -> bool:
    return name.startswith(_MAIN)


def _absent(by_set: BySet, of: Mapping[str, Figures]) -> Iterator[Floor]:
    for kind, bounds in (
        (
            ABSENT_TOPIC,
            {"korquad1-ko": 0.97, "squad2-en": 0.97, "jaquad-ja": 0.97, "pquad-fa": 0.97},
        ),
        (ADJACENT_TOPIC, {"korquad1-ko": 0.85, "squad2-en": 0.70}),
    ):
        whole, each = (0.97, 0.94) if kind == ABSENT_TOPIC else (0.85, 0.85)
        own = [one for one in _of_xquad(by_set) if one.question.kind == kind]
        yield Floor(f"{kind} refused", _ALL_XQUAD, whole, False, figure(own, refused))
        for name in _xquad(of):
            yield Floor(f"{kind} refused", name, each, False, _refused(of, name, kind))
        for name, bound in bounds.items():
            yield Floor(f"{kind} refused", name, bound, False, _refused(of, name, kind))


def _ranks(by_set: BySet, of: Mapping[str, Figures]) -> Iterator[Floor]:
    for name in (*_xquad(of), "korquad1-ko", "jaquad-ja", "pquad-fa"):
        if name in of:
            yield Floor("hit@5 of answerable", name, 0.98, False, of[name].hit_5)
    what = "accepted, first hit is gold"
    yield Floor(what, _ALL_XQUAD, 0.93, False, figure(accepted(_of_xquad(by_set)), first_is_right))
    for name in _xquad(of):
        yield Floor(what, name, 0.93, False, of[name].first_right)


def _goals(of: Mapping[str, Figures]) -> Iterator[Floor]:
    def goal(what: str, name: str, bound: float, reached: Figure) -> Floor:
        return Floor(what, name, bound, False, reached, goal=True)

    yield goal("absent_fact AUROC", "squad2-en", 0.70, _auroc(of, "squad2-en"))
    nomiracl = [_auroc(of, name) for name in of if name.startswith("nomiracl")]
    if nomiracl:
        together = Figure(mean([one.value for one in nomiracl]), sum(one.n for one in nomiracl))
        yield goal("absent_fact AUROC", "nomiracl (mean of languages)", 0.70, together)
    for name in ("viquad2-vi", "autorag-ko"):
        yield goal("absent_topic refused", name, 0.85, _refused(of, name, ABSENT_TOPIC))
    if "scifact-en" in of:
        yield goal("nDCG@10", "scifact-en", 0.69, of["scifact-en"].ndcg)
    reported = _refused(of, "financebench-en", ADJACENT_TOPIC)
    yield goal("right company, wrong filing: refused", "financebench-en", 0.0, reported)


def _xquad(of: Iterable[str]) -> list[str]:
    return [name for name in of if name.startswith("xquad-")]


def _of_xquad(by_set: BySet) -> list[Asked]:
    return [one for name in _xquad(by_set) for one in by_set[name]]


def _refused(of: Mapping[str, Figures], name: str, kind: str) -> Figure:
    return of[name].kinds[kind].refused if name in of and kind in of[name].kinds else NOTHING


def _auroc(of: Mapping[str, Figures], name: str) -> Figure:
    known = name in of and ABSENT_FACT in of[name].kinds
    return of[name].kinds[ABSENT_FACT].auroc if known else NOTHING


def overall(by_set: BySet) -> tuple[Figure, float, float]:
    """False refusals: of all that were found, the mean of the sets, and the worst set."""
    shares = [refused(some) for own in by_set.values() if (some := found(own))]
    everything = [one for own in by_set.values() for one in found(own)]
    return figure(everything, refused), mean(shares), max(shares, default=math.nan)


def unanswered(by_set: BySet) -> Figure:
    """All answerable questions refused, whether or not an answer was among the hits."""
    return figure([one for own in by_set.values() for one in answerable(own)], refused)
