"""Question sets are read whole, or refused with the place of what is wrong."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gdrive_rag_mcp.errors import QueryError, QuestionSetError
from gdrive_rag_mcp.evaluation.question_sets import asking, read_set, read_sets
from tests.evaluation.made_sets import made_set, write_set

Change = Callable[[dict[str, Any]], object]


def test_a_set_is_read_with_its_kinds_and_the_documents_that_answer(tmp_path: Path) -> None:
    corpus, questions = made_set(1)

    kit = read_set(write_set(tmp_path / "towns-en", corpus, questions)).asked("en")

    assert kit.name == "towns-en"
    assert [text.id for text in kit.corpus] == [line["doc_id"] for line in corpus]
    assert {q.id: (q.kind, q.gold) for q in kit.questions} == {
        line["id"]: (line["kind"], frozenset(line["gold_doc_ids"])) for line in questions
    }


def test_a_set_in_two_languages_is_two_corpora_that_answer_each_other(tmp_path: Path) -> None:
    corpus: list[dict[str, Any]] = []
    questions: list[dict[str, Any]] = []
    golds = ["d#0@de", "d#0@en"]
    for language in ("de", "en"):
        corpus.append({"doc_id": f"d#0@{language}", "title": "", "text": "t", "lang": language})
        questions.append(
            {"id": language, "lang": language, "question": "q", "kind": "answerable", "group": "d",
             "gold_doc_ids": golds, "gold_doc_id": golds[0]}
        )  # fmt: skip

    handed = read_set(write_set(tmp_path / "pair", corpus, questions))

    assert handed.asked("de").name == "pair-de"
    assert handed.asked("en", "de").name == "pair-en<de"
    [question] = handed.asked("en", "de").questions
    assert (question.id, question.gold) == ("de", frozenset({"d#0@en"}))


@pytest.mark.parametrize(
    ("file", "change", "said"),
    [
        ("questions", lambda line: line.update(kind="unsure"), "kind is 'unsure'"),
        ("questions", lambda line: line.pop("question"), "question is None"),
        ("questions", lambda line: line.update(gold_doc_ids=["x#1"]), "'x#1' is not in the corpus"),
        ("questions", lambda line: line.update(gold_doc_ids="x"), "gold_doc_ids is 'x'"),
        ("corpus", lambda line: line.update(text=None), "text is None"),
        ("corpus", lambda line: line.pop("doc_id"), "doc_id is None"),
        ("corpus", lambda line: line.update(lang="x/../.."), "lang is 'x/../..'"),
        ("corpus", lambda line: line.update(lang="\0"), r"lang is '\x00'"),
        ("questions", lambda line: line.update(lang="\ud800"), r"lang is '\ud800'"),
        ("questions", lambda line: line.update(lang="x" * 300), "lang is 'xxx"),
    ],
)
def test_what_is_malformed_is_named_with_its_file_and_line(
    tmp_path: Path, file: str, change: Change, said: str
) -> None:
    folder = write_set(tmp_path / "towns", *made_set(1))
    path = folder / f"{file}.jsonl"
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    change(lines[2])
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")

    with pytest.raises(QuestionSetError) as raised:
        read_set(folder)

    assert f"{file}.jsonl:3: " in raised.value.message
    assert said in raised.value.message


@pytest.mark.parametrize(
    "content", ["{", "[]", "7", "[" * 100_000, '{"a":' * 100_000], ids=lambda text: text[:6]
)
def test_a_line_that_is_no_object_is_refused(tmp_path: Path, content: str) -> None:
    folder = write_set(tmp_path / "towns", *made_set(1))
    (folder / "corpus.jsonl").write_text(content, encoding="utf-8")

    with pytest.raises(QuestionSetError, match=r"corpus\.jsonl:1: no "):
        read_set(folder)


def test_a_byte_order_mark_and_other_line_ends_change_nothing(tmp_path: Path) -> None:
    folder = write_set(tmp_path / "towns", *made_set(1))
    usual = read_set(folder)
    for file in folder.iterdir():
        file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes().replace(b"\n", b"\r\n"))

    assert read_set(folder) == usual


@pytest.mark.parametrize("rel", ["1" + "0" * 400, "1e999", "NaN", '"1"'])
def test_a_worth_that_is_no_number_is_refused(tmp_path: Path, rel: str) -> None:
    folder = write_set(tmp_path / "towns", *made_set(1))
    line = f'{{"id": "1-1-0", "doc_id": "x", "rel": {rel}}}'
    (folder / "qrels.jsonl").write_text(line, encoding="utf-8")

    with pytest.raises(QuestionSetError, match=r"qrels\.jsonl:1: rel is"):
        read_set(folder)


def test_an_answerable_question_without_a_document_is_refused(tmp_path: Path) -> None:
    corpus, questions = made_set(1)
    changed = [{**line, "gold_doc_ids": [], "gold_doc_id": None} for line in questions]
    handed = read_set(write_set(tmp_path / "towns", corpus, changed))

    with pytest.raises(QuestionSetError, match="is answerable, but no document"):
        handed.asked("en")


def test_ids_that_stand_twice_are_refused(tmp_path: Path) -> None:
    corpus, questions = made_set(1)

    with pytest.raises(QuestionSetError, match="twice"):
        read_set(write_set(tmp_path / "towns", [*corpus, corpus[0]], questions))


def test_a_question_that_cannot_be_asked_is_named(tmp_path: Path) -> None:
    kit = read_set(write_set(tmp_path / "towns", *made_set(1))).asked("en")

    said = "towns: question '1-0-0' cannot be asked: empty"
    with pytest.raises(QuestionSetError, match=said), asking(kit, kit.questions[0]):
        raise QueryError("empty")


def test_a_folder_without_sets_and_a_set_that_is_not_there_are_said(tmp_path: Path) -> None:
    with pytest.raises(QuestionSetError, match="there is no question set in"):
        read_sets(tmp_path)
    write_set(tmp_path / "towns", *made_set(1))
    with pytest.raises(QuestionSetError, match="there is no question set rivers"):
        read_sets(tmp_path, ["rivers"])


def test_questions_without_a_corpus_file_are_refused(tmp_path: Path) -> None:
    folder = write_set(tmp_path / "towns", *made_set(1))
    (folder / "questions.jsonl").unlink()

    with pytest.raises(QuestionSetError, match=r"questions\.jsonl cannot be read"):
        read_set(folder)
