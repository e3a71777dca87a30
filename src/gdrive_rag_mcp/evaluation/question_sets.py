"""Public questions with and without an answer, read from a folder of sets and checked.

A set is a folder with `corpus.jsonl`, lines of {doc_id, title, text, lang}, and `questions.jsonl`,
lines of {id, lang, question, kind, group, gold_doc_id, gold_doc_ids}. Where documents were judged
for their relevance, `qrels.jsonl` has lines of {id, doc_id, rel}.
"""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gdrive_rag_mcp.errors import QueryError, QuestionSetError

ANSWERABLE = "answerable"
ABSENT_TOPIC = "absent_topic"
ADJACENT_TOPIC = "adjacent_topic"
ABSENT_FACT = "absent_fact"
KINDS = (ANSWERABLE, ABSENT_TOPIC, ADJACENT_TOPIC, ABSENT_FACT)

_CORPUS = "corpus.jsonl"
_QUESTIONS = "questions.jsonl"
_QRELS = "qrels.jsonl"
_TAG = re.compile(r"[A-Za-z0-9_-]{1,35}")
_MOST_WORTH = 1_000_000
"""Of a document that was judged; NaN is no number either."""


@dataclass(frozen=True, slots=True)
class Text:
    """A document of a corpus; texts of one article have ids that agree up to a `#`."""

    id: str
    title: str
    text: str
    language: str

    @property
    def article(self) -> str:
        """The article it is a paragraph of."""
        return self.id.split("#", maxsplit=1)[0]


@dataclass(frozen=True, slots=True)
class Question:
    """A question, what kind it is of, and the documents that answer it.

    `relevant` is the worth of documents that were judged, where a set has such judgements.
    """

    id: str
    text: str
    kind: str
    language: str
    gold: frozenset[str]
    group: str
    relevant: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """A corpus in one language, and questions in the same or in another that are asked of it.

    `family` is the set it was made from: what is learnt of one member is not new to another.
    `corpus_name` tells corpora apart.
    """

    family: str
    corpus_name: str
    language: str
    asked_in: str
    corpus: tuple[Text, ...]
    questions: tuple[Question, ...]

    @property
    def name(self) -> str:
        """The corpus, and the language of the questions if that is another."""
        crossing = self.asked_in != self.language
        return f"{self.corpus_name}<{self.asked_in}" if crossing else self.corpus_name


@dataclass(frozen=True, slots=True)
class HandedSet:
    """A set as it was handed over, in all its languages."""

    family: str
    corpus: tuple[Text, ...]
    questions: tuple[Question, ...]

    @property
    def languages(self) -> tuple[str, ...]:
        """Those of its documents, in order."""
        return tuple(sorted({text.language for text in self.corpus}))

    def asked(self, language: str, asked_in: str | None = None) -> QuestionSet:
        """The documents of one language, with the questions of the same or of another.

        Raises:
            QuestionSetError: a question is answerable, but not from these documents.
        """
        asked_in = asked_in or language
        corpus = tuple(text for text in self.corpus if text.language == language)
        present = frozenset(text.id for text in corpus)
        questions = tuple(
            _within(question, present, self.family)
            for question in self.questions
            if question.language == asked_in
        )
        name = f"{self.family}-{language}" if len(self.languages) > 1 else self.family
        return QuestionSet(self.family, name, language, asked_in, corpus, questions)


def _within(question: Question, present: Collection[str], family: str) -> Question:
    gold = question.gold.intersection(present)
    if question.kind == ANSWERABLE and not gold:
        raise QuestionSetError(
            f"{family}: question {question.id!r} is answerable, but no document in its language"
            " answers it",
            hint="name such a document in gold_doc_ids, or give it another kind",
        )
    return Question(
        question.id,
        question.text,
        question.kind,
        question.language,
        gold,
        question.group,
        question.relevant,
    )


@contextmanager
def asking(kit: QuestionSet, question: Question) -> Iterator[None]:
    """Name a question that no search takes.

    Raises:
        QuestionSetError: it is empty, or longer than a question may be.
    """
    try:
        yield
    except QueryError as error:
        raise QuestionSetError(
            f"{kit.name}: question {question.id!r} cannot be asked: {error.message}",
            hint="correct it, or leave it out",
        ) from None


def read_sets(folder: Path, only: Collection[str] = ()) -> tuple[HandedSet, ...]:
    """Read all sets in a folder, or those whose names are given, in the order of their names.

    Raises:
        QuestionSetError: there is none, one of `only` is missing, or one is malformed.
    """
    found = sorted(place.parent for place in folder.glob(f"*/{_CORPUS}"))
    names = [place.name for place in found]
    if not found:
        raise QuestionSetError(
            f"there is no question set in {folder.absolute()}",
            hint=f"name a folder of folders, each with {_CORPUS} and {_QUESTIONS}",
        )
    if unknown := sorted(set(only).difference(names)):
        raise QuestionSetError(
            f"there is no question set {', '.join(unknown)} in {folder.absolute()}",
            hint=f"there are {', '.join(names)}",
        )
    return tuple(read_set(place) for place in found if not only or place.name in only)


def read_set(folder: Path) -> HandedSet:
    """Read one set.

    Raises:
        QuestionSetError: names the file, the line and what is wrong with it.
    """
    corpus = tuple(_text(line) for line in _lines(folder / _CORPUS))
    _refuse_twins((text.id for text in corpus), folder / _CORPUS)
    qrels = _qrels(folder / _QRELS)
    known = frozenset(text.id for text in corpus)
    questions = tuple(_question(line, known, qrels) for line in _lines(folder / _QUESTIONS))
    _refuse_twins((question.id for question in questions), folder / _QUESTIONS)
    if not questions:
        raise QuestionSetError(
            f"{folder / _QUESTIONS} holds no question", hint="leave the folder out, or fill it"
        )
    return HandedSet(folder.name, corpus, questions)


@dataclass(frozen=True, slots=True)
class _Line:
    """An object of a file of JSON lines, and where it stands."""

    place: str
    values: Mapping[str, Any]

    def text(self, name: str) -> str:
        value = self.values.get(name)
        if not isinstance(value, str):
            raise self.wrong(f"{name} is {value!r:.80}", "text is needed there")
        return value

    def language(self) -> str:
        """A tag such as `zh-Hant`; folders and tables are named by it."""
        tag = self.text("lang")
        if not _TAG.fullmatch(tag):
            raise self.wrong(f"lang is {tag!r:.80}", "a tag such as en or zh-Hant is needed there")
        return tag

    def wrong(self, what: str, remedy: str) -> QuestionSetError:
        return QuestionSetError(f"{self.place}: {what}", hint=remedy)


def _lines(path: Path) -> Iterator[_Line]:
    try:
        with path.open(encoding="utf-8-sig") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield _Line(f"{path}:{number}", _object(line, f"{path}:{number}"))
    except UnicodeDecodeError as error:
        raise QuestionSetError(f"{path} is not UTF-8: {error}", hint="save it as UTF-8") from None
    except OSError as error:
        raise QuestionSetError(
            f"{path} cannot be read: {error.strerror}",
            hint=f"each set has {_CORPUS} and {_QUESTIONS}",
        ) from None


def _object(line: str, place: str) -> Mapping[str, Any]:
    try:
        values = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise QuestionSetError(f"{place}: no JSON: {error}", hint="one object a line") from None
    if not isinstance(values, dict):
        raise QuestionSetError(f"{place}: no object: {line[:80]!r}", hint="one object a line")
    return values


def _text(line: _Line) -> Text:
    return Text(line.text("doc_id"), line.text("title"), line.text("text"), line.language())


def _question(
    line: _Line, known: Collection[str], qrels: Mapping[str, Mapping[str, float]]
) -> Question:
    kind = line.text("kind")
    if kind not in KINDS:
        raise line.wrong(f"kind is {kind!r:.80}", f"it is one of {', '.join(KINDS)}")
    gold = _gold(line)
    if unknown := sorted(gold.difference(known)):
        raise line.wrong(
            f"gold document {unknown[0]!r:.80} is not in the corpus", "name one of its doc_ids"
        )
    name = line.text("id")
    return Question(
        name,
        line.text("question"),
        kind,
        line.language(),
        gold,
        line.text("group"),
        qrels.get(name, {}),
    )


def _gold(line: _Line) -> frozenset[str]:
    several, single = line.values.get("gold_doc_ids") or [], line.values.get("gold_doc_id")
    if not isinstance(several, list) or not all(isinstance(one, str) for one in several):
        raise line.wrong(f"gold_doc_ids is {several!r:.80}", "a list of doc_ids is needed there")
    if single is not None and not isinstance(single, str):
        raise line.wrong(f"gold_doc_id is {single!r:.80}", "a doc_id or null is needed there")
    return frozenset(several) | ({single} if single else set())


def _qrels(path: Path) -> dict[str, dict[str, float]]:
    worth: dict[str, dict[str, float]] = {}
    for line in _lines(path) if path.exists() else ():
        rel = line.values.get("rel")
        if not isinstance(rel, int | float) or not abs(rel) <= _MOST_WORTH:
            raise line.wrong(f"rel is {rel!r:.80}", "a number is needed there")
        worth.setdefault(line.text("id"), {})[line.text("doc_id")] = float(rel)
    return worth


def _refuse_twins(ids: Iterable[str], path: Path) -> None:
    seen: set[str] = set()
    for one in ids:
        if one in seen:
            raise QuestionSetError(f"{path} holds {one!r} twice", hint="each id stands once")
        seen.add(one)
