"""Questions become examples: what answers them first, and what a search finds besides."""

import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from gdrive_rag_mcp.chunking.structural import StructuralChunker
from gdrive_rag_mcp.domain import EVERYTHING, Mode, Query
from gdrive_rag_mcp.embedding.token_projection import TokenProjection, TokenStates
from gdrive_rag_mcp.evaluation.corpus_indexes import CorpusIndex
from gdrive_rag_mcp.evaluation.projection_data import (
    OpenIndex,
    Rarity,
    SetData,
    ask,
    examples,
    sets_to_ask,
)
from gdrive_rag_mcp.evaluation.projection_report import fold_of, table, told_apart
from gdrive_rag_mcp.evaluation.question_sets import HandedSet, Question, Text
from gdrive_rag_mcp.protocols import EmbedRole
from gdrive_rag_mcp.retrieval import Retriever
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.small_index import fill_index, plain_document
from gdrive_rag_mcp.testing.token_embedder import HashingTokenEmbedder

WIDTH = 32
EMBEDDER = HashingTokenEmbedder()
TOWNS = ("Aldea", "Brakel", "Corvo", "Dundee", "Ennis", "Foca", "Gouda", "Horsens")
ABOUT = ("harbour", "bridge", "market")


class WordStates:
    """A state for each word, by its hash."""

    def states(self, texts: Sequence[str], role: EmbedRole) -> Sequence[TokenStates]:
        made = EMBEDDER.embed_with_tokens(texts, role=role).tokens or ()
        return [TokenStates(one.rows, one.pieces) for one in made if one.pieces is not None]


def plain_projection(scale: float = 1.0) -> TokenProjection:
    """Tokens as their states are."""
    zeros = np.zeros(WIDTH, np.float32)
    return TokenProjection(zeros, scale * np.eye(WIDTH, dtype=np.float32), zeros, 1.0, 1)


def towns(language: str = "en") -> tuple[list[Text], list[Question]]:
    """Three paragraphs a town; its bridge, market and harbour are asked for, and its church."""
    corpus = [
        Text(f"{town}#{about}", town, f"The {about} of {town} was built by {town}s.", language)
        for town in TOWNS
        for about in ABOUT
    ]
    questions = [
        Question(
            f"{language}-{town}-{about}",
            f"Who built the {about} of {town}?",
            "answerable" if about in ABOUT else "adjacent_topic",
            language,
            frozenset({f"{town}#{about}"} if about in ABOUT else ()),
            town,
        )
        for town in TOWNS
        for about in (*ABOUT, "church")
    ]
    return corpus, questions


@pytest.fixture
def handed() -> HandedSet:
    corpus, questions = towns()
    return HandedSet("towns", tuple(corpus), tuple(questions))


@pytest.fixture
def index(handed: HandedSet, tmp_path: Path) -> CorpusIndex:
    path = tmp_path / "index.db"
    for text in handed.corpus:
        document = plain_document(text.text, text.title)
        fill_index(path, [(text.id, document)], StructuralChunker(300, 40), EMBEDDER, name=text.id)
    return CorpusIndex(path, {text.id: text.id for text in handed.corpus})


@contextmanager
def opening(path: Path) -> Iterator[OpenIndex]:
    with Store.open_for_reading(path) as store:
        retriever = Retriever(store.index, EMBEDDER, Mode.HYBRID)
        passages = [
            passage
            for record in store.ledger.all(EVERYTHING)
            for _, passage in store.catalog.chunks(record.id, EVERYTHING)
        ]
        yield OpenIndex(lambda text: retriever.retrieve(Query(text)), passages)


@pytest.fixture
def data(handed: HandedSet, index: CorpusIndex) -> SetData:
    return ask(handed.asked("en"), index, opening, WordStates(), parallel=False)


def test_an_example_is_the_question_with_its_answer_before_other_hits(data: SetData) -> None:
    [first, *_] = examples([data])

    assert len(data.asked) == len(TOWNS) * 4
    assert first.gold == 1
    assert 1 < len(first.passages) <= 1 + 5
    [question] = WordStates().states(["Who built the harbour of Aldea?"], "query")
    [answer] = WordStates().states(["Aldea\nThe harbour of Aldea was built by Aldeas."], "document")
    np.testing.assert_array_equal(first.question, question.states)
    np.testing.assert_array_equal(first.passages[0], answer.states)
    assert len(first.rarity) == len(question.pieces)


def test_only_answerable_questions_on_other_articles_are_learned_from(data: SetData) -> None:
    without = set(TOWNS[:3])

    found = examples([data], without)

    assert len(examples([data])) == len(TOWNS) * len(ABOUT)
    assert len(found) == (len(TOWNS) - 3) * len(ABOUT)


def test_of_parallel_languages_a_third_teaches(handed: HandedSet, index: CorpusIndex) -> None:
    asked = ask(handed.asked("en"), index, opening, WordStates(), parallel=True).asked

    taught = {one.question.pieces.tobytes() for one in asked if one.teaches}
    wanted = [
        question.text
        for question in handed.questions
        if question.kind == "answerable" and zlib.crc32(question.id.encode()) % 3 == 0
    ]
    assert len(taught) == len(wanted) > 0


def test_each_language_is_asked_by_itself() -> None:
    both = [towns(language) for language in ("en", "de")]
    corpus = tuple(
        Text(f"{text.id}@{text.language}", text.title, text.text, text.language)
        for texts, _ in both
        for text in texts
    )
    questions = tuple(
        Question(
            one.id, one.text, one.kind, one.language,
            frozenset(f"{gold}@{one.language}" for gold in one.gold), one.group,
        )
        for _, asked in both
        for one in asked
    )  # fmt: skip

    found = [
        (kit.name, parallel) for kit, parallel in sets_to_ask(HandedSet("t", corpus, questions))
    ]

    assert found == [("t-de", True), ("t-en", True)]


def test_a_piece_is_rarer_the_fewer_passages_have_it() -> None:
    rarity = Rarity([np.array([1, 1, 2], np.int32), np.array([1], np.int32)])

    found = rarity(np.array([1, 2, 0, 99], np.int32))

    assert found.tolist() == pytest.approx(np.log1p(2 / np.array([3, 2, 1, 1])).tolist())


def test_a_set_is_judged_by_what_was_learned_from_other_articles(data: SetData) -> None:
    asked_for: list[int] = []

    def learned(fold: int) -> TokenProjection:
        asked_for.append(fold)
        return plain_projection()

    told = told_apart(data, learned, plain_projection(0))

    assert sorted(asked_for) == sorted(fold_of(one.group) for one in data.asked)
    assert (told.answerable, told.adjacent) == (len(TOWNS) * len(ABOUT), len(TOWNS))
    assert told.learned > 0.9
    assert told.untrained == 0.5
    assert table([told]).splitlines()[-1].split() == ["mean", "|", f"{told.learned:.3f}", "0.500"]
