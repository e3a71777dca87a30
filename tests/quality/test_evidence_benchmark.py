"""What is said of the verdict is what the questions show, and its check fails when it should."""

import math
from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmarks.evidence import main, question_sets
from benchmarks.evidence_asking import Asked
from benchmarks.evidence_figures import all_figures
from benchmarks.evidence_floors import floors
from benchmarks.evidence_singles import Answered, carried_over
from gdrive_rag_mcp.domain import Evidence, VerdictReason
from gdrive_rag_mcp.evaluation.question_sets import Question, QuestionSet
from tests.evaluation.made_sets import made_set, write_set


def asked(
    name: str, kind: str, *, confidence: float, rank: int | None = None, number: int = 0
) -> Asked:
    kit = QuestionSet(name.split("-", maxsplit=1)[0], name, "en", "en", (), ())
    question = Question(str(number), "?", kind, "en", frozenset(), str(number))
    reason = VerdictReason.OK if confidence >= 0.5 else VerdictReason.WEAK_MATCH
    evidence = Evidence(confidence >= 0.5, reason, confidence, 0.5)
    return Asked(kit, question, evidence, rank, {"predecessor": confidence, "cosine": confidence})


def judged(accepted: int, refused: int, kind: str, name: str = "xquad-en") -> list[Asked]:
    confidences = [0.9] * accepted + [0.1] * refused
    rank = 1 if kind == "answerable" else None
    return [
        asked(name, kind, confidence=confidence, rank=rank, number=number)
        for number, confidence in enumerate(confidences)
    ]


def missed(own: Sequence[Asked]) -> set[str]:
    by_set = {"xquad-en": list(own)}
    reached = floors(by_set, all_figures(by_set))
    return {f"{floor.what}: {floor.of}" for floor in reached if floor.missed}


def test_a_verdict_that_is_always_right_meets_every_floor() -> None:
    own = [
        *judged(100, 0, "answerable"), *judged(0, 50, "absent_topic"),
        *judged(0, 50, "adjacent_topic"),
    ]  # fmt: skip

    assert missed(own) == set()


def test_what_is_refused_or_accepted_wrongly_misses_its_floor_alone() -> None:
    right = judged(100, 0, "answerable")

    assert missed([*judged(94, 6, "answerable"), *judged(0, 50, "absent_topic")]) == {
        "answered in the top 5, refused: main sets"
    }
    assert missed([*right, *judged(2, 48, "absent_topic")]) == {"absent_topic refused: xquad (all)"}
    assert missed([*right, *judged(10, 40, "adjacent_topic")]) == {
        "adjacent_topic refused: xquad (all)",
        "adjacent_topic refused: xquad-en",
    }


def test_an_answer_that_was_not_found_is_no_false_refusal_but_a_missed_hit() -> None:
    lost = [asked("xquad-en", "answerable", confidence=0.1, number=n + 1000) for n in range(10)]
    own = [*judged(90, 0, "answerable"), *lost, *judged(0, 50, "absent_topic")]

    assert missed(own) == {"hit@5 of answerable: xquad-en"}


def test_a_cut_off_is_that_of_the_other_families() -> None:
    others = [Answered("a", f"a-{lang}", score / 100) for lang in "xy" for score in range(100)]
    own = [Answered("b", "b", 0.001) for _ in range(1000)]

    assert carried_over([*others, *own], "b") == pytest.approx(0.05)
    assert carried_over([*others, *own], "a") == 0.001
    assert math.isnan(carried_over(others, "a"))


def test_a_family_in_many_languages_counts_as_one() -> None:
    many = [Answered("a", f"a-{n}", score / 100) for n in range(9) for score in range(100)]
    one = [Answered("c", "c", 1 + score / 100) for score in range(100)]

    assert carried_over([*many, *one], "b") == pytest.approx(0.10)


def test_the_sets_of_a_run_are_those_named_one_a_language(tmp_path: Path) -> None:
    write_set(tmp_path / "towns-en", *made_set(1))
    both = [made_set(seed, language=language) for seed, language in ((2, "de"), (3, "fr"))]
    together = ([*both[0][0], *both[1][0]], [*both[0][1], *both[1][1]])
    write_set(tmp_path / "rivers", *together)

    assert [kit.name for kit in question_sets(tmp_path, [])] == [
        "rivers-de", "rivers-fr", "towns-en"
    ]  # fmt: skip
    assert [kit.name for kit in question_sets(tmp_path, ["rivers-fr"])] == ["rivers-fr"]


def test_a_set_that_is_not_there_ends_the_run(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="no question set at all in"):
        list(question_sets(tmp_path, []))
    write_set(tmp_path / "towns-en", *made_set(1))
    with pytest.raises(SystemExit, match="no question set rivers in"):
        list(question_sets(tmp_path, ["towns-en", "rivers"]))


def test_a_run_prints_what_the_product_said_of_files_it_synced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for seed in (1, 2):
        write_set(tmp_path / "data" / f"towns{seed}-en", *made_set(seed, towns=9))
    words = ["evidence", "--data", tmp_path / "data", "--cache", tmp_path / "cache"]
    monkeypatch.setattr("sys.argv", [*map(str, words), "--embedder", "none", "--layout", "bare"])

    main()

    printed = capsys.readouterr().out
    [line] = [line for line in printed.splitlines() if "| towns1-en | absent_topic" in line][:1]
    cells = [cell.strip() for cell in line.split("|")]
    assert cells[3:5] == ["6", "100.0 (100.0-100.0)"]
    assert "answered in the top 5, refused" in printed
