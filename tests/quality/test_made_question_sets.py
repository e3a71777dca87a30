"""Question sets made out of published files of questions with answers."""

import argparse
import json
from pathlib import Path

import pytest

from benchmarks.made_question_sets import main, make_set, part_of, read_articles
from gdrive_rag_mcp.evaluation.question_sets import (
    ABSENT_FACT,
    ABSENT_TOPIC,
    ADJACENT_TOPIC,
    ANSWERABLE,
    KINDS,
    read_set,
)

ARTICLES, PARAGRAPHS = 40, 6


def _text(article: int, place: int) -> str:
    return f"Paragraph {place} of article {article} tells what happened there, and when it did."


def _question(article: int, place: int, number: int) -> str:
    return f"What number {number} of {place} in {article}?"


@pytest.fixture
def nested(tmp_path: Path) -> Path:
    """Forty articles as SQuAD 2 has them; the second question of each paragraph has no answer."""
    data = [
        {
            "title": f"Article {article}",
            "paragraphs": [
                {
                    "context": _text(article, place),
                    "qas": [
                        {
                            "id": f"{article}-{place}-{number}",
                            "question": _question(article, place, number),
                            "is_impossible": number == 1,
                        }
                        for number in range(2)
                    ],
                }
                for place in range(PARAGRAPHS)
            ],
        }
        for article in range(ARTICLES)
    ]
    path = tmp_path / "published.json"
    path.write_text(json.dumps({"data": data}), encoding="utf-8")
    return path


@pytest.fixture
def made(nested: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the set that the command makes of them."""
    command = f"made_question_sets {nested} --name published-en --language en --into {tmp_path}"
    monkeypatch.setattr("sys.argv", command.split())
    main()
    return tmp_path / "published-en"


def test_a_made_set_is_one_that_the_benchmarks_read_with_questions_of_every_kind(
    made: Path,
) -> None:
    handed = read_set(made)
    assert {question.kind for question in handed.questions} == set(KINDS)
    assert handed.asked("en").corpus == handed.corpus


def test_what_a_question_is_about_is_in_the_corpus_only_where_its_kind_says_so(made: Path) -> None:
    handed = read_set(made)
    texts = {text.text for text in handed.corpus}
    articles = {text.article for text in handed.corpus}
    for question in handed.questions:
        article, place, _ = map(int, question.id.split(":")[1].split("-"))
        assert (_text(article, place) in texts) is (question.kind in {ANSWERABLE, ABSENT_FACT})
        assert (question.group in articles) is (question.kind != ABSENT_TOPIC)
        assert bool(question.gold) is (question.kind == ANSWERABLE)


def test_a_question_that_its_paragraph_does_not_answer_is_an_absent_fact(made: Path) -> None:
    facts = [one.id for one in read_set(made).questions if one.kind == ABSENT_FACT]
    assert facts
    assert all(name.endswith("-1") for name in facts)


def test_the_same_files_make_the_same_set(nested: Path) -> None:
    first, second = (make_set("s", "en", read_articles([nested]), 300) for _ in range(2))
    assert first == second


def test_a_limit_on_documents_is_kept_but_for_the_last_article(nested: Path) -> None:
    made = make_set("s", "en", read_articles([nested]), 20)
    assert 20 <= len(made.corpus) < 20 + PARAGRAPHS


def test_an_article_of_few_paragraphs_loses_none_of_them(nested: Path) -> None:
    articles = {
        title: dict(list(paragraphs.items())[:2])
        for title, paragraphs in read_articles([nested]).items()
    }
    made = make_set("s", "en", articles, 300)
    assert not any(line["kind"] == ADJACENT_TOPIC for line in made.questions)


def test_lines_of_whole_articles_are_asked_of_the_paragraph_that_holds_the_answer(
    tmp_path: Path,
) -> None:
    paragraphs = [_text(1, place) for place in range(3)]
    whole = "\n\n".join(["Heading", *paragraphs])
    line = {
        "title": "One",
        "question_id": "q",
        "context": whole,
        "question": "What of 2?",
        "answers": {"text": ["article"], "answer_start": [whole.index(paragraphs[2]) + 5]},
    }
    (tmp_path / "flat.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    article = read_articles([tmp_path / "flat.jsonl"])["One"]
    assert [len(asked) for asked in article.values()] == [0, 0, 1]
    assert list(article) == paragraphs


def test_parts_share_no_article_and_together_have_all(nested: Path) -> None:
    articles = read_articles([nested])
    parts = [make_set("s", "en", articles, 300, (number, 3)) for number in (1, 2, 3)]
    groups = [{line["group"] for line in made.questions} for made in parts]
    assert all(groups)
    assert sum(map(len, groups)) == len(set.union(*groups)) == ARTICLES


def test_articles_whose_titles_differ_in_what_an_id_cannot_hold_stay_two(nested: Path) -> None:
    [paragraphs] = list(read_articles([nested]).values())[:1]
    other = {f"{text} Again.": asked for text, asked in paragraphs.items()}
    made = make_set("s", "en", {"Ibn Rushd": paragraphs, "Ibn_Rushd": other}, 300)
    ids = [line["doc_id"] for line in made.corpus]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("text", ["", "2", "0/3", "4/3", "a/b", "1/", "-1/3"])
def test_what_is_no_part_is_refused_with_what_to_write(text: str) -> None:
    assert part_of("2/3") == (2, 3)
    with pytest.raises(argparse.ArgumentTypeError, match="write 2/3"):
        part_of(text)
