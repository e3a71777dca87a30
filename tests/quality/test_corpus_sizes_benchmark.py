"""The benchmark of corpus sizes asks what it says, of as many documents as it says."""

import argparse
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.corpus_sizes import (
    EMBEDDERS,
    Measured,
    _models,
    _sizes,
    corpora,
    lines,
    main,
    measure,
)
from gdrive_rag_mcp.evaluation.question_sets import QuestionSet
from tests.evaluation.made_sets import made_set, write_set

HASHING = EMBEDDERS["hashing"]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A set of 40 towns, 40 documents; and one of others beside it."""
    write_set(tmp_path / "towns", *made_set(3, towns=40))
    write_set(tmp_path / "cities", *made_set(4, towns=60))
    return tmp_path


def kits(data: Path, documents: int) -> list[QuestionSet]:
    return list(corpora(data, "towns", "en", documents))


def test_a_corpus_has_as_many_documents_as_were_asked_for(data: Path) -> None:
    assert [len(kit.corpus) for kit in kits(data, 20)] == [20, 20, 20]
    assert [len(kit.corpus) for kit in kits(data, 80)] == [80]
    with pytest.raises(SystemExit, match="documents in 'en'"):
        kits(data, 500)


def test_words_alone_tell_what_is_there_and_what_never_was(data: Path, tmp_path: Path) -> None:
    (tmp_path / "index").mkdir()

    measured = measure(tmp_path / "index", kits(data, 80), HASHING())

    assert measured.documents == 80
    assert measured.absent_refused.value == 1.0
    assert measured.found_refused.value <= 0.2
    assert measured.found_refused.n > 20
    assert measured.absent_auroc.value > 0.95


def test_a_question_whose_answer_is_there_and_accepted_counts_against_absence(
    data: Path, tmp_path: Path
) -> None:
    (tmp_path / "index").mkdir()
    [kit] = kits(data, 80)
    mislabelled = replace(
        kit,
        questions=tuple(
            replace(one, kind="absent_topic", gold=frozenset())
            if one.kind == "answerable"
            else replace(one, kind="adjacent_topic")
            for one in kit.questions
        ),
    )

    measured = measure(tmp_path / "index", [mislabelled], HASHING())

    assert measured.absent_refused.value <= 0.2
    assert measured.found_refused.n == 0


def test_each_measure_is_a_line_of_the_table(data: Path, tmp_path: Path) -> None:
    (tmp_path / "index").mkdir()
    measured: Measured = measure(tmp_path / "index", kits(data, 80), HASHING())

    head, _, first, *others = lines([("hashing", measured)]).splitlines()

    assert first.startswith("| hashing | 80 ")
    assert not others
    assert head.count("|") == first.count("|")


def test_what_is_asked_for_wrongly_is_told() -> None:
    assert _models("hashing,minilm") == ["hashing", "minilm"]
    assert _sizes("50,5000") == [50, 5000]
    with pytest.raises(argparse.ArgumentTypeError, match="nomic"):
        _models("hashing,nomic")
    for wrong in ("", "x", "50,", "3"):
        with pytest.raises(argparse.ArgumentTypeError):
            _sizes(wrong)


def test_a_set_that_is_not_there_is_told_in_one_line(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = ["corpus_sizes", "--data", str(data), "--cache", str(tmp_path / "cache")]
    monkeypatch.setattr("sys.argv", [*told, "--models", "hashing", "--set", "villages"])

    with pytest.raises(SystemExit, match="villages"):
        main()
