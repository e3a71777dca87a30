"""`evidence fit` makes the same weights of the same questions, and refuses what teaches nothing."""

import json
from pathlib import Path

import pytest

from tests.end_to_end.program import Run
from tests.evaluation.made_sets import made_set, write_set

pytestmark = pytest.mark.acceptance


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Three sets of towns that nobody else knows."""
    for seed in (1, 2, 3):
        write_set(tmp_path / "data" / f"towns{seed}-en", *made_set(seed, towns=24))
    return tmp_path / "data"


def wrong(table: str, name: str, kind: str) -> float:
    """The share of a set's questions that is judged wrongly by their words alone, in percent."""
    [line] = [line for line in table.splitlines() if line.split()[:2] == [name, kind]]
    return float(line.split("|")[1])


def test_made_up_topics_are_told_apart_by_what_other_sets_taught(
    run: Run, data: Path, tmp_path: Path
) -> None:
    cache, weights = tmp_path / "cache", tmp_path / "weights.json"

    done = run("evidence", "fit", str(data), "--cache", str(cache), "--write", str(weights))

    assert done.code == 0, done.err
    for seed in (1, 2, 3):
        assert wrong(done.out, f"towns{seed}-en", "absent_topic") == 0
        assert wrong(done.out, f"towns{seed}-en", "answerable") <= 15
    fitted = json.loads(weights.read_text(encoding="utf-8"))
    assert fitted["models"]["keyword"]["weights"]["corpus_coverage"]["weight"] > 0
    # Each set, and each again in a corpus that the other two make larger.
    assert fitted["questions"] == 2 * 3 * 48
    rows = [json.loads(line) for line in (cache / "rows.jsonl").read_text("utf-8").splitlines()]
    assert {row["mode"] for row in rows} == {"keyword"}
    assert "hybrid was not fitted" in done.err


def test_the_same_data_makes_the_same_file_whatever_was_kept(
    run: Run, data: Path, tmp_path: Path
) -> None:
    made: list[bytes] = []
    for name in ("kept", "kept", "fresh"):
        weights = tmp_path / f"{len(made)}.json"
        done = run(
            "evidence", "fit", str(data), "--cache", str(tmp_path / name), "--write", str(weights)
        )
        assert done.code == 0, done.err
        made.append(weights.read_bytes())

    assert made[0] == made[1] == made[2]


def test_questions_of_one_kind_and_no_questions_are_refused(run: Run, tmp_path: Path) -> None:
    corpus, questions = made_set(1)
    answered = [line for line in questions if line["kind"] == "answerable"]
    write_set(tmp_path / "data" / "towns-en", corpus, answered)

    one_kind = run("evidence", "fit", str(tmp_path / "data"))
    nothing = run("evidence", "fit", str(tmp_path / "empty"))

    assert (one_kind.code, nothing.code) == (2, 2)
    assert "nothing to learn from" in one_kind.err
    assert "there is no question set in" in nothing.err


def test_a_cache_that_cannot_be_written_is_said(run: Run, data: Path, tmp_path: Path) -> None:
    (tmp_path / "taken").touch()

    done = run("evidence", "fit", str(data), "--cache", str(tmp_path / "taken"))

    assert done.code == 2
    assert "cannot be written" in done.err


def test_weights_that_cannot_be_written_are_said_before_anything_is_asked(
    run: Run, data: Path, tmp_path: Path
) -> None:
    done = run("evidence", "fit", str(data), "--write", str(tmp_path / "absent" / "weights.json"))

    assert (done.code, done.out) == (2, "")
    assert "there is no folder" in done.err
    assert "questions" not in done.err


@pytest.mark.parametrize("command", ["fit", "fit-projection"])
def test_what_is_fitted_takes_the_place_of_no_data(run: Run, data: Path, command: str) -> None:
    corpus = next(data.glob("*/corpus.jsonl"))
    before = corpus.read_bytes()

    done = run("evidence", command, str(data), "--write", str(corpus))

    assert done.code == 2
    assert "would be lost" in done.err
    assert corpus.read_bytes() == before
