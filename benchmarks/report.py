"""Prints how well questions with an answer are told from those without: one line a set and kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any

from benchmarks.evidence_sets import ABSENT_FACT, ABSENT_TOPIC, ADJACENT_TOPIC, ANSWERABLE
from benchmarks.logistic import auroc

_MODES = ("hybrid", "keyword", "vector")
_HEAD = (
    f"{'set':22} {'kind':15} {'n':>4} | "
    + " ".join(f"{mode:>8}" for mode in _MODES)
    + f" {'bm25/ideal':>10} {'cosine':>7} | "
    + " ".join(f"{mode + '%':>8}" for mode in _MODES)
    + " | hit@5 found%"
)


@dataclass(frozen=True)
class Scored:
    """A question's row and its log-odds by mode; 0 is the threshold."""

    row: Mapping[str, Any]
    odds: Mapping[str, float]

    @property
    def single(self) -> tuple[float, float]:
        """The two best single scores there are: BM25 over its ideal, and the top cosine."""
        return self.row["signals"]["hybrid"]["bm25_of_ideal"], self.row["cosine"]


def print_report(questions: Sequence[Scored]) -> None:
    """AUROC against the answerable of the set, and the share that is judged wrongly.

    Wrong is refused for answerable, accepted for all others; `found%` is refused among the
    answerable whose answer is among the top five.
    """
    print(_HEAD)
    for name in dict.fromkeys(question.row["set"] for question in questions):
        own = [question for question in questions if question.row["set"] == name]
        answerable = [question for question in own if question.row["kind"] == ANSWERABLE]
        print(_answerable_line(name, answerable))
        for kind in (ABSENT_TOPIC, ADJACENT_TOPIC, ABSENT_FACT):
            others = [question for question in own if question.row["kind"] == kind]
            if others:
                print(_unanswerable_line(name, kind, answerable, others))


def _answerable_line(name: str, answerable: Sequence[Scored]) -> str:
    found = [question for question in answerable if question.row["gold_rank"]["hybrid"]]
    return (
        f"{name:22} {ANSWERABLE:15} {len(answerable):4} | {'':45} | "
        + " ".join(f"{_refused(answerable, mode):8.1%}" for mode in _MODES)
        + f" | {len(found) / max(1, len(answerable)):5.3f} {_refused(found, 'hybrid'):5.1%}"
    )


def _unanswerable_line(
    name: str, kind: str, answerable: Sequence[Scored], others: Sequence[Scored]
) -> str:
    curves = [
        auroc([q.odds[mode] for q in answerable], [q.odds[mode] for q in others]) for mode in _MODES
    ]
    singles = [
        auroc([q.single[place] for q in answerable], [q.single[place] for q in others])
        for place in (0, 1)
    ]
    return (
        f"{name:22} {kind:15} {len(others):4} | "
        + " ".join(f"{curve:8.3f}" for curve in curves)
        + f" {singles[0]:10.3f} {singles[1]:7.3f} | "
        + " ".join(f"{1 - _refused(others, mode):8.1%}" for mode in _MODES)
        + " |"
    )


def _refused(questions: Sequence[Scored], mode: str) -> float:
    return mean(question.odds[mode] < 0 for question in questions) if questions else float("nan")
