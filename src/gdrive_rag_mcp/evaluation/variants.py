"""Sets made from sets: corpora that shrank or grew, and questions in another language."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from gdrive_rag_mcp.evaluation.question_sets import (
    ABSENT_TOPIC,
    ADJACENT_TOPIC,
    ANSWERABLE,
    HandedSet,
    Question,
    QuestionSet,
    Text,
)

T = TypeVar("T")

EACH_KIND = 300
"""Questions of each kind that a set is asked at most: more of one set teach little."""

_SMALL = ((12, 1), (12, 2), (20, 3), (20, 4))  # documents, seed
_SMALL_CROSSING = (20, 5)
_LARGE_ENOUGH = 60
_SMALL_LANGUAGES = 3
_LARGE = 5_000  # documents
_LARGE_LANGUAGES = 6
_ASKED_IN = 6
_ASKED_OF = 2


def fitting_sets(
    handed: HandedSet, each_kind: int = EACH_KIND, beside: Sequence[Text] = ()
) -> Iterator[QuestionSet]:
    """What the verdict is fitted on from one handed set.

    Each of its languages by itself; small corpora, in which fewer passages compete and little is
    known of any word; corpora that the texts `beside` at least double, in which more compete; and,
    where its languages answer each other's questions, those pairs.
    """
    wholes = [handed.asked(language) for language in handed.languages]
    useful = [whole for whole in wholes if _teaches(whole)]
    for whole in useful:
        yield sampled(whole, each_kind)
    shrinkable = [whole for whole in useful if _has_articles(whole)]
    for whole in _spread(shrinkable, _SMALL_LANGUAGES):
        for documents, seed in _SMALL:
            yield sampled(small(whole, documents, seed), each_kind // 3)
    doubled = (grown(whole, beside, _LARGE) for whole in useful)
    large = [one for one, whole in zip(doubled, useful, strict=True) if _is_doubled(one, whole)]
    for one in _spread(large, _LARGE_LANGUAGES):
        yield sampled(one, each_kind)
    if len(useful) > 1 and _parallel(handed):
        yield from _crossing(handed, each_kind)


def _crossing(handed: HandedSet, each_kind: int) -> Iterator[QuestionSet]:
    languages = list(handed.languages)
    pivot = "en" if "en" in languages else languages[0]
    others = [language for language in languages if language != pivot]
    for asked_in in _spread(others, _ASKED_IN):
        yield sampled(handed.asked(pivot, asked_in), each_kind)
    for language in _spread(others, _ASKED_OF):
        yield sampled(handed.asked(language, pivot), each_kind)
    for asked_in in _spread(others, _ASKED_OF):
        crossing = handed.asked(pivot, asked_in)
        if len(crossing.corpus) >= _LARGE_ENOUGH:
            yield sampled(small(crossing, *_SMALL_CROSSING), each_kind // 3)


def sampled(whole: QuestionSet, each_kind: int, seed: int = 0) -> QuestionSet:
    """The same corpus with at most so many questions of each kind."""
    shuffled = list(whole.questions)
    random.Random(seed).shuffle(shuffled)  # noqa: S311 - the same every time is what is wanted
    kept: dict[str, list[Question]] = {}
    for question in shuffled:
        kind = kept.setdefault(question.kind, [])
        if len(kind) < each_kind:
            kind.append(question)
    return replace(whole, questions=tuple(q for kind in kept.values() for q in kind))


def small(whole: QuestionSet, documents: int, seed: int) -> QuestionSet:
    """A small corpus: some of the documents; questions to what was left out lose their answer.

    They are then about a topic that is adjacent, or absent where nothing of their article is left.
    """
    corpus = tuple(random.Random(seed).sample(whole.corpus, documents))  # noqa: S311 - as above
    present = {text.id for text in corpus}
    articles = {text.article for text in corpus}
    of = {text.id: text.article for text in whole.corpus}
    answerable = (
        _asked_of(question, present, articles, of)
        for question in whole.questions
        if question.kind == ANSWERABLE
    )
    absent = (question for question in whole.questions if question.kind == ABSENT_TOPIC)
    return replace(
        whole,
        corpus_name=f"{whole.corpus_name}/{documents}~{seed}",
        corpus=corpus,
        questions=(*answerable, *absent),
    )


def grown(whole: QuestionSet, beside: Sequence[Text], documents: int, seed: int = 0) -> QuestionSet:
    """A larger corpus, of so many documents at most: with texts of the same language beside it.

    Left out are texts on an article that a question is about: what is absent has to stay so.
    """
    taken = {_subject(question.group) for question in whole.questions}
    taken |= {_subject(text.article) for text in whole.corpus}
    ids = {text.id for text in whole.corpus}
    others = {
        text.id: text
        for text in beside
        if text.language == whole.language
        and text.id not in ids
        and not {_subject(text.article), _subject(text.title)} & taken
    }
    wanted = min(len(others), max(0, documents - len(whole.corpus)))
    more = random.Random(seed).sample(sorted(others), wanted)  # noqa: S311 - as above
    return replace(
        whole,
        corpus_name=f"{whole.corpus_name}/grown",
        corpus=(*whole.corpus, *(others[name] for name in more)),
    )


def _subject(name: str) -> str:
    """What an article is about, as another set may write it."""
    return " ".join(name.casefold().replace("_", " ").split())


def _is_doubled(one: QuestionSet, whole: QuestionSet) -> bool:
    return len(one.corpus) >= 2 * len(whole.corpus)


def _asked_of(
    question: Question, present: set[str], articles: set[str], of: dict[str, str]
) -> Question:
    if question.gold & present:
        return replace(question, gold=question.gold & present)
    left = {of[document] for document in question.gold if document in of} & articles
    return replace(question, kind=ADJACENT_TOPIC if left else ABSENT_TOPIC, gold=frozenset())


def _teaches(whole: QuestionSet) -> bool:
    """Whether it has questions of both sorts that the verdict can learn from."""
    kinds = {question.kind for question in whole.questions}
    return ANSWERABLE in kinds and bool(kinds & {ABSENT_TOPIC, ADJACENT_TOPIC})


def _has_articles(whole: QuestionSet) -> bool:
    """Whether what is left of an article tells that a question is adjacent to it."""
    kinds = {question.kind for question in whole.questions}
    return len(whole.corpus) >= _LARGE_ENOUGH and {ABSENT_TOPIC, ADJACENT_TOPIC} <= kinds


def _parallel(handed: HandedSet) -> bool:
    """Whether every language's documents answer the questions of every other."""
    of = {text.id: text.language for text in handed.corpus}
    languages = set(handed.languages)
    return all(
        {of[document] for document in question.gold} == languages
        for question in handed.questions
        if question.kind == ANSWERABLE
    )


def _spread(items: Sequence[T], count: int) -> list[T]:
    """At most so many of them, evenly from the first to the last."""
    if len(items) <= count:
        return list(items)
    return [items[round(place * (len(items) - 1) / (count - 1))] for place in range(count)]
