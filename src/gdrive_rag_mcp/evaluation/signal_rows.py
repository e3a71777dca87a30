"""Asks question sets of their indexes in every mode, and notes what the verdict would see."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from gdrive_rag_mcp.domain import Calibration, Mode, Retrieved
from gdrive_rag_mcp.evaluation.corpus_indexes import CorpusIndex
from gdrive_rag_mcp.evaluation.question_sets import Question, QuestionSet, asking
from gdrive_rag_mcp.evidence.calibrated import calibrated, rarity_in
from gdrive_rag_mcp.evidence.measuring import measure
from gdrive_rag_mcp.evidence.reading import READ_HITS, read
from gdrive_rag_mcp.evidence.rows import Row
from gdrive_rag_mcp.evidence.verdict import model_name

Retrieve = Callable[[str], Retrieved]


@dataclass(frozen=True, slots=True)
class Searchable:
    """What finds passages in each mode an index can be searched in, and what it knows of itself."""

    retrieve: Mapping[Mode, Retrieve]
    calibration: Calibration | None = None


AsTold = Callable[[Question, Retrieved], Retrieved]
"""What is to be judged of what was retrieved for a question."""
Retrieving = Callable[[Path], AbstractContextManager[Searchable]]


def signal_rows(
    kit: QuestionSet,
    index: CorpusIndex,
    retrieving: Retrieving,
    as_told: AsTold = lambda _, retrieved: retrieved,
) -> Iterator[Row]:
    """One row a question and mode; several small corpora of one size count as one set."""
    with retrieving(index.path) as opened:
        for question in kit.questions:
            for retrieve in opened.retrieve.values():
                with asking(kit, question):
                    retrieved = retrieve(question.text)
                found = as_told(question, retrieved)
                yield _row(kit, question, found, index, opened.calibration)


def _row(
    kit: QuestionSet,
    question: Question,
    retrieved: Retrieved,
    index: CorpusIndex,
    calibration: Calibration | None,
) -> Row:
    reading = read(retrieved, rarity_in(calibration))
    signals = calibrated(measure(reading), calibration)
    hits = retrieved.hits[:READ_HITS]
    return Row(
        set=re.sub(r"~\d+", "", kit.name),
        family=kit.family,
        language=kit.language,
        asked_in=kit.asked_in,
        id=question.id,
        kind=question.kind,
        group=question.group,
        mode=retrieved.mode.value,
        gold_rank=index.gold_rank(hits, question.gold),
        judged_by=model_name(reading, signals),
        signals=signals,
    )
