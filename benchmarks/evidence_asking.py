"""Asks the questions of a set as the command line does, and notes what came back."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from benchmarks.evidence_singles import single_scores
from gdrive_rag_mcp.domain import Evidence, Hit, SearchOutcome
from gdrive_rag_mcp.evaluation.corpus_indexes import CorpusIndex
from gdrive_rag_mcp.evaluation.metrics import gains_of, ndcg_at
from gdrive_rag_mcp.evaluation.question_sets import Question, QuestionSet, asking

SHOWN = 5
_RANKED = 10
_DEEP = 50

Search = Callable[..., SearchOutcome]


@dataclass(frozen=True)
class Asked:
    """A question of a set, its verdict, and at which place the first passage that answers it is."""

    kit: QuestionSet
    question: Question
    evidence: Evidence
    gold_rank: int | None
    singles: dict[str, float]
    ndcg: float = math.nan
    warnings: tuple[str, ...] = field(default=())

    @property
    def found(self) -> bool:
        """Whether an answer to it is among the hits that are shown."""
        return self.gold_rank is not None

    def as_json(self) -> dict[str, Any]:
        """All of it that a later look may want."""
        return {
            "set": self.kit.name,
            "language": self.kit.language,
            "id": self.question.id,
            "kind": self.question.kind,
            "group": self.question.group,
            "sufficient": self.evidence.sufficient,
            "reason": self.evidence.reason.value,
            "confidence": self.evidence.confidence,
            "threshold": self.evidence.threshold,
            "gold_rank": self.gold_rank,
            "ndcg": None if math.isnan(self.ndcg) else self.ndcg,
            "missing_terms": list(self.evidence.missing_terms),
            "signals": dict(self.evidence.signals),
            "singles": {
                name: None if math.isnan(score) else score for name, score in self.singles.items()
            },
        }


def asked(kit: QuestionSet, index: CorpusIndex, search: Search) -> Iterator[Asked]:
    """Ask every question of a set."""
    for question in kit.questions:
        with asking(kit, question):
            outcome = search(question.text, limit=SHOWN)
        hits = outcome.retrieved.hits if outcome.retrieved else ()
        yield Asked(
            kit,
            question,
            outcome.evidence,
            index.gold_rank(hits, question.gold),
            single_scores(outcome),
            _ndcg(question, index, search) if question.relevant else math.nan,
            outcome.warnings,
        )


def _ndcg(question: Question, index: CorpusIndex, search: Search) -> float:
    """The nDCG@10 of the documents, each at the place of its best passage; copies share one."""
    deep = search(question.text, limit=_DEEP)
    hits: tuple[Hit, ...] = deep.retrieved.hits if deep.retrieved else ()
    found = gains_of(map(index.documents, hits), question.relevant)
    return ndcg_at(found, list(question.relevant.values()), _RANKED)
