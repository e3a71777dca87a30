"""Asks question sets of their indexes in every mode, and notes what the verdict would see."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path

from gdrive_rag_mcp.domain import Mode, Retrieved
from gdrive_rag_mcp.evaluation.corpus_indexes import CorpusIndex
from gdrive_rag_mcp.evaluation.question_sets import Question, QuestionSet, asking
from gdrive_rag_mcp.evidence.measuring import measure
from gdrive_rag_mcp.evidence.reading import READ_HITS, read
from gdrive_rag_mcp.evidence.rows import Row
from gdrive_rag_mcp.evidence.verdict import model_name

Retrieve = Callable[[str], Retrieved]
Retrieving = Callable[[Path], AbstractContextManager[Mapping[Mode, Retrieve]]]
"""Opens an index: what finds passages in it, in each mode it can be searched in."""


def signal_rows(kit: QuestionSet, index: CorpusIndex, retrieving: Retrieving) -> Iterator[Row]:
    """One row a question and mode; several small corpora of one size count as one set."""
    with retrieving(index.path) as modes:
        for question in kit.questions:
            for mode, retrieve in modes.items():
                with asking(kit, question):
                    retrieved = retrieve(question.text)
                yield _row(kit, question, mode, retrieved, index)


def _row(
    kit: QuestionSet, question: Question, mode: Mode, retrieved: Retrieved, index: CorpusIndex
) -> Row:
    reading = read(retrieved)
    signals = measure(reading)
    hits = retrieved.hits[:READ_HITS]
    return Row(
        set=re.sub(r"~\d+", "", kit.name),
        family=kit.family,
        language=kit.language,
        asked_in=kit.asked_in,
        id=question.id,
        kind=question.kind,
        group=question.group,
        mode=mode.value,
        gold_rank=index.gold_rank(hits, question.gold),
        judged_by=model_name(reading, signals),
        signals=signals,
    )
