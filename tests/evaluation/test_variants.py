"""Small and large corpora and foreign questions keep saying truly what has an answer."""

from pathlib import Path
from typing import Any

from gdrive_rag_mcp.evaluation.question_sets import QuestionSet, Text, read_set
from gdrive_rag_mcp.evaluation.variants import fitting_sets, grown, sampled, small
from tests.evaluation.made_sets import made_set, write_set


def kit(tmp_path: Path, towns: int = 40) -> QuestionSet:
    return read_set(write_set(tmp_path / "towns", *made_set(3, towns))).asked("en")


def beside(count: int, language: str = "en", name: str = "isle") -> list[Text]:
    return [Text(f"{name}-{n}#0", f"{name} {n}", "Of an island.", language) for n in range(count)]


def test_a_small_corpus_knows_which_questions_lost_their_answer(tmp_path: Path) -> None:
    whole = kit(tmp_path)
    gold = {question.id: question.gold for question in whole.questions}

    less = small(whole, documents=12, seed=1)

    present = {text.id for text in less.corpus}
    articles = {text.article for text in less.corpus}
    assert len(present) == 12
    for question in less.questions:
        if question.kind == "answerable":
            assert question.gold
            assert question.gold <= present
        else:
            assert not gold[question.id] & present
            beside = {document.partition("#")[0] for document in gold[question.id]} & articles
            assert question.kind == ("adjacent_topic" if beside else "absent_topic")


def test_a_sample_is_the_same_every_time_and_holds_each_kind(tmp_path: Path) -> None:
    whole = kit(tmp_path)

    few = sampled(whole, 3)

    kinds = [question.kind for question in few.questions]
    assert {kind: kinds.count(kind) for kind in kinds} == {
        "answerable": 3, "absent_topic": 3, "adjacent_topic": 3
    }  # fmt: skip
    assert sampled(whole, 3) == few


def test_a_large_set_is_also_asked_as_small_ones(tmp_path: Path) -> None:
    handed = read_set(write_set(tmp_path / "towns", *made_set(3, towns=70)))

    names = [made.name for made in fitting_sets(handed)]

    assert names == ["towns", "towns/12~1", "towns/12~2", "towns/20~3", "towns/20~4"]


def test_a_set_that_teaches_no_difference_is_left_out(tmp_path: Path) -> None:
    corpus, questions = made_set(3)
    answered = [line for line in questions if line["kind"] == "answerable"]
    handed = read_set(write_set(tmp_path / "towns", corpus, answered))

    assert list(fitting_sets(handed)) == []


def test_parallel_languages_ask_each_other(tmp_path: Path) -> None:
    languages = ("de", "en", "ru")
    corpus: list[dict[str, Any]] = []
    questions: list[dict[str, Any]] = []
    own_corpus, own_questions = made_set(3)
    for language in languages:
        corpus += [
            {**line, "doc_id": f"{line['doc_id']}@{language}", "lang": language}
            for line in own_corpus
        ]
        questions += [
            {
                **line,
                "id": f"{line['id']}@{language}",
                "lang": language,
                "gold_doc_id": None,
                "gold_doc_ids": [
                    f"{g}@{other}" for g in line["gold_doc_ids"] for other in languages
                ],
            }
            for line in own_questions
        ]
    handed = read_set(write_set(tmp_path / "towns", corpus, questions))

    names = [made.name for made in fitting_sets(handed)]

    assert names[:3] == ["towns-de", "towns-en", "towns-ru"]
    assert sorted(names[3:]) == ["towns-de<en", "towns-en<de", "towns-en<ru", "towns-ru<en"]


def test_a_corpus_grows_by_texts_of_its_language_up_to_what_is_asked_for(tmp_path: Path) -> None:
    whole = kit(tmp_path)
    size = len(whole.corpus)

    large = grown(whole, [*beside(50), *beside(50, "de", "insel")], size + 30)

    assert large.corpus[:size] == whole.corpus
    assert len({text.id for text in large.corpus}) == size + 30
    assert {text.language for text in large.corpus} == {"en"}
    assert large.questions == whole.questions
    assert large.name == "towns/grown"
    assert len(grown(whole, beside(50), 5_000).corpus) == size + 50
    assert grown(whole, beside(50), size).corpus == whole.corpus


def test_the_same_texts_come_beside_it_in_whichever_order_they_are_told(tmp_path: Path) -> None:
    whole = kit(tmp_path)
    texts = beside(50)

    large = grown(whole, texts, len(whole.corpus) + 9)

    assert grown(whole, texts[::-1], len(whole.corpus) + 9) == large
    assert grown(whole, texts, len(whole.corpus) + 9, seed=1) != large


def test_nothing_comes_beside_it_that_may_answer_what_is_asked(tmp_path: Path) -> None:
    whole = kit(tmp_path)
    absent = next(one for one in whole.questions if one.kind == "absent_topic").group
    its_own = whole.corpus[0]
    written_otherwise = Text("another-set-7", absent.upper(), "All of it.", "en")
    by_its_id = Text(f"{absent}#4", "A heading", "All of it.", "en")
    same_article = Text(f"{its_own.article}#9", "", "More of it.", "en")

    large = grown(whole, [written_otherwise, by_its_id, same_article, *beside(3)], 5_000)

    assert {text.title for text in large.corpus[len(whole.corpus) :]} == {
        "isle 0", "isle 1", "isle 2"
    }  # fmt: skip
    assert len(large.corpus) == len(whole.corpus) + 3


def test_a_set_is_also_asked_as_a_large_one_where_that_doubles_it(tmp_path: Path) -> None:
    handed = read_set(write_set(tmp_path / "towns", *made_set(3, towns=30)))
    size = len(handed.corpus)

    def names(others: int) -> list[str]:
        return [made.name for made in fitting_sets(handed, beside=beside(others))]

    assert names(size) == ["towns", "towns/grown"]
    assert names(size - 1) == ["towns"]
