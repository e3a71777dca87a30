"""Which part of a two-part question the documents leave open, over real indexes in 17 languages."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from gdrive_rag_mcp.chunking.structural import StructuralChunker
from gdrive_rag_mcp.domain import Mode, Query, Retrieved
from gdrive_rag_mcp.evidence.parts import parts_of
from gdrive_rag_mcp.evidence.reading import read
from gdrive_rag_mcp.evidence.reasons import supported_parts
from gdrive_rag_mcp.evidence.verdict import judge
from gdrive_rag_mcp.retrieval import Retriever
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.terms import language_of
from gdrive_rag_mcp.testing.small_index import fill_index, plain_document


@dataclass(frozen=True, slots=True)
class TwoPartQuestion:
    """`first` and `second` are words that only that part of the question has.

    Each passage answers the part of its place, and says nothing of the other one.
    """

    language: str
    question: str
    first: str
    second: str
    passages: tuple[str, str]


def rows_of(name: str) -> list[list[str]]:
    text = (Path(__file__).parent / name).read_text(encoding="utf-8")
    return [row.split("\t") for row in text.splitlines()]


TWO_PART_QUESTIONS = [
    TwoPartQuestion(language, question, first, second, (one, other))
    for language, question, first, second, one, other in rows_of("two_part_questions.tsv")
]
OTHER_PASSAGES = {language: texts for language, *texts in rows_of("other_passages.tsv")}
"""What each corpus has besides, about something else."""
LANGUAGES = sorted(OTHER_PASSAGES)
RIGHT = 0.9
"""Of all questions, at least; and two of three in any language."""
_FIRST, _SECOND, _BOTH = (0,), (1,), (0, 1)


def asked_in(language: str) -> list[TwoPartQuestion]:
    return [asked for asked in TWO_PART_QUESTIONS if asked.language == language]


def is_split(asked: TwoPartQuestion) -> bool:
    parts = [part.text for part in parts_of(asked.question, language_of(asked.question))]
    return (
        len(parts) == 2
        and (asked.first in parts[0], asked.second in parts[0]) == (True, False)
        and (asked.first in parts[1], asked.second in parts[1]) == (False, True)
    )


def found_for(asked: TwoPartQuestion, path: Path) -> Retrieved:
    with Store.open_for_reading(path) as store:
        return Retriever(store.index, None, Mode.KEYWORD).retrieve(Query(asked.question))


def told(asked: TwoPartQuestion, there: tuple[int, ...], path: Path) -> bool:
    """Whether exactly the parts that are there are said to be supported."""
    retrieved = found_for(asked, path)
    supported, unsupported = supported_parts(read(retrieved))
    wanted = [(asked.first, asked.second)[part] for part in there]
    lacking = [word for word in (asked.first, asked.second) if word not in wanted]
    reason = judge(retrieved, threshold=1.0).reason.value
    return (
        _each_in_one(wanted, supported)
        and _each_in_one(lacking, unsupported)
        and (reason == "partly_supported") is bool(lacking)
    )


def _each_in_one(wanted: list[str], parts: tuple[str, ...]) -> bool:
    return len(wanted) == len(parts) and all(
        word in part for word, part in zip(wanted, parts, strict=True)
    )


def indexed(language: str, there: tuple[int, ...], path: Path) -> Path:
    """Passages for those parts of every question in a language, and two about something else."""
    texts = [asked.passages[part] for asked in asked_in(language) for part in there]
    texts += OTHER_PASSAGES[language]
    documents = ((f"d{number}", plain_document(text)) for number, text in enumerate(texts))
    fill_index(path, documents, StructuralChunker(300, 40))
    return path


def test_every_language_has_three_questions() -> None:
    assert {language: len(asked_in(language)) for language in LANGUAGES} == dict.fromkeys(
        LANGUAGES, 3
    )


def test_questions_are_split_where_the_second_part_begins() -> None:
    wrong = [asked.question for asked in TWO_PART_QUESTIONS if not is_split(asked)]

    assert len(wrong) <= (1 - RIGHT) * len(TWO_PART_QUESTIONS), wrong


@pytest.mark.parametrize("there", [_FIRST, _SECOND, _BOTH], ids=["first", "second", "both"])
def test_the_parts_that_the_documents_cover_are_told_from_the_others(
    there: tuple[int, ...], tmp_path: Path
) -> None:
    right = {}
    for language in LANGUAGES:
        path = indexed(language, there, tmp_path / f"{language}.db")
        right[language] = sum(told(asked, there, path) for asked in asked_in(language))

    assert sum(right.values()) >= RIGHT * len(TWO_PART_QUESTIONS), right
    assert min(right.values()) >= 2, right


def test_a_question_of_two_is_answered_where_both_are_and_refused_where_one_is_not(
    tmp_path: Path,
) -> None:
    accepted: dict[tuple[int, ...], list[bool]] = {_FIRST: [], _SECOND: [], _BOTH: []}
    for language in LANGUAGES:
        for there, verdicts in accepted.items():
            path = indexed(language, there, tmp_path / f"{language}{there}.db")
            verdicts += [
                judge(found_for(asked, path)).sufficient
                for asked in asked_in(language)
                if asks_twice(asked)
            ]

    assert sum(accepted[_BOTH]) >= RIGHT * len(accepted[_BOTH])
    assert sum(accepted[_FIRST] + accepted[_SECOND]) == 0


def asks_twice(asked: TwoPartQuestion) -> bool:
    parts = parts_of(asked.question, language_of(asked.question))
    return len(parts) == 2 and all(part.clause for part in parts)
