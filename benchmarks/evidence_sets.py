"""The handed questions with and without an answer, and smaller or foreign corpora from them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parents[1] / "../shared/data/evidence"

ANSWERABLE = "answerable"
ABSENT_TOPIC = "absent_topic"
ADJACENT_TOPIC = "adjacent_topic"
ABSENT_FACT = "absent_fact"


@dataclass(frozen=True, slots=True)
class Text:
    """A document of a corpus."""

    id: str
    title: str
    text: str

    @property
    def article(self) -> str:
        """The article it is a paragraph of."""
        return self.id.split("#", maxsplit=1)[0]


@dataclass(frozen=True, slots=True)
class Question:
    """A question, what kind it is of, and the documents that answer it."""

    id: str
    text: str
    kind: str
    gold: frozenset[str]
    group: str


@dataclass(frozen=True, slots=True)
class EvidenceSet:
    """A corpus and the questions asked of it."""

    name: str
    corpus: tuple[Text, ...]
    questions: tuple[Question, ...]


def load(folder: str, language: str | None = None, asked_in: str | None = None) -> EvidenceSet:
    """Read a set: its corpus in one language, its questions in the same or in another."""
    asked_in = asked_in or language
    corpus = tuple(
        Text(row["doc_id"], row["title"], row["text"])
        for row in _rows(DATA / folder / "corpus.jsonl")
        if language in (None, row["lang"])
    )
    questions = tuple(
        Question(row["id"], row["question"], row["kind"], _gold(row), row["group"])
        for row in _rows(DATA / folder / "questions.jsonl")
        if asked_in in (None, row["lang"])
    )
    name = folder if language is None else f"{folder}-{language}"
    return EvidenceSet(name if asked_in == language else f"{name}<{asked_in}", corpus, questions)


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def _gold(row: dict[str, Any]) -> frozenset[str]:
    return frozenset(row["gold_doc_ids"]) | ({row["gold_doc_id"]} if row["gold_doc_id"] else set())


def sampled(whole: EvidenceSet, each_kind: int, seed: int = 0) -> EvidenceSet:
    """The same corpus with at most so many questions of each kind."""
    shuffled = list(whole.questions)
    random.Random(seed).shuffle(shuffled)
    kept: dict[str, list[Question]] = {}
    for question in shuffled:
        kind = kept.setdefault(question.kind, [])
        if len(kind) < each_kind:
            kind.append(question)
    return replace(whole, questions=tuple(q for kind in kept.values() for q in kind))


def small(whole: EvidenceSet, documents: int, seed: int) -> EvidenceSet:
    """A small corpus: some of the documents; questions to what was left out lose their answer."""
    corpus = tuple(random.Random(seed).sample(whole.corpus, documents))
    present = {text.id for text in corpus}
    articles = {text.article for text in corpus}
    of = {text.id: text.article for text in whole.corpus}
    questions = []
    for question in whole.questions:
        if question.kind in (ABSENT_TOPIC, ABSENT_FACT):
            kept = question.kind == ABSENT_TOPIC
            questions += [question] if kept else []
        elif question.kind == ANSWERABLE:
            questions.append(_asked_of(question, present, articles, of))
    return EvidenceSet(f"{whole.name}/{documents}~{seed}", corpus, tuple(questions))


def _asked_of(
    question: Question, present: set[str], articles: set[str], of: dict[str, str]
) -> Question:
    if question.gold & present:
        return replace(question, gold=question.gold & present)
    its_articles = {of[document] for document in question.gold if document in of}
    kind = ADJACENT_TOPIC if its_articles & articles else ABSENT_TOPIC
    return replace(question, kind=kind, gold=frozenset())
