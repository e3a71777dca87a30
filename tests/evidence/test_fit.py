"""The weights learn what can be learnt from rows of signals, and nothing from what cannot."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gdrive_rag_mcp.errors import QuestionSetError
from gdrive_rag_mcp.evidence.fit import Examples, fit
from gdrive_rag_mcp.evidence.fitting import HeldOut, fit_models, half_of_articles, log_odds
from gdrive_rag_mcp.evidence.rows import Row, read_rows, write_rows
from gdrive_rag_mcp.evidence.specs import SPECS, ModelSpec
from gdrive_rag_mcp.evidence.weights_file import weights_text

SPEC = {"words": ModelSpec({"helpful": 1, "noise": 1}, "words", crossing=False, false_refusals=0.1)}


def rows(families: Sequence[str] = ("a", "b", "c"), each: int = 40) -> Iterator[Row]:
    """Answerable questions score 1 higher by a signal that helps; another is noise."""
    draw = np.random.default_rng(5)
    for family in families:
        for number in range(each):
            answers = number % 2 == 0
            yield Row(
                set=family,
                family=family,
                language="en",
                asked_in="en",
                id=str(number),
                kind="answerable" if answers else "absent_topic",
                group=f"{family}{number // 4}",
                mode="words",
                gold_rank=1 if answers else None,
                judged_by="words",
                signals={
                    "helpful": draw.normal(1.0 if answers else 0.0, 0.3),
                    "noise": draw.normal(0, 1),
                    "corpus_coverage": 1.0,
                },
            )


def learnt(counts: float = 1.0, sign: int = 1) -> tuple[float, float]:
    """Weights of the signal that helps and of noise."""
    own = list(rows())
    examples = Examples(
        [row.signals for row in own],
        np.array([row.answers for row in own], np.float64),
        np.full(len(own), counts),
    )
    model = fit(examples, {"helpful": sign, "noise": 1}, penalty=0.003)
    return model.weights["helpful"].weight, model.weights["noise"].weight


def test_a_signal_that_helps_outweighs_one_that_does_not() -> None:
    helpful, noise = learnt()

    assert helpful > 10 * abs(noise)


def test_a_weight_never_takes_the_sign_it_must_not_have() -> None:
    helpful, _ = learnt(sign=-1)

    assert helpful == 0


def test_how_much_all_rows_count_does_not_matter() -> None:
    assert learnt(counts=1) == pytest.approx(learnt(counts=1000), abs=1e-6)


def test_a_signal_that_is_nowhere_or_never_changes_adds_nothing() -> None:
    own = list(rows())
    signals = [{**row.signals, "absent": math.nan, "constant": 3.0} for row in own]
    answers = np.array([row.answers for row in own], np.float64)

    model = fit(
        Examples(signals, answers, np.ones(len(own))),
        {"helpful": 1, "absent": 1, "constant": 1},
        penalty=0.003,
    )

    for name, seen in (("absent", math.nan), ("constant", 3.0)):
        assert model.weights[name].of(seen) == 0
    assert model.weights["helpful"].weight > 1


def test_the_threshold_refuses_the_share_of_answerable_questions_aimed_at() -> None:
    own = list(rows(each=200))

    model = fit_models(own, SPEC)["words"]

    refused = [log_odds(model, row) < 0 for row in own if row.answers]
    assert sum(refused) / len(refused) == pytest.approx(0.1, abs=0.02)


def test_a_set_is_judged_by_what_others_taught() -> None:
    """A family with its signs turned round is judged wrongly, though it would fit itself."""
    turned = [
        replace(row, signals={**row.signals, "helpful": 1 - row.signals["helpful"]})
        for row in rows(["turned"])
    ]
    own = [*rows(), *turned]
    held_out = HeldOut(own, SPEC)

    def lead(family: str) -> float:
        of = [row for row in own if row.family == family]
        margins = {
            answers: [held_out.margin(row) for row in of if row.answers is answers]
            for answers in (True, False)
        }
        return float(np.mean(margins[True]) - np.mean(margins[False]))

    assert lead("a") > 1
    assert lead("turned") < -1


def test_a_single_family_is_not_judged_by_itself() -> None:
    own = list(rows(["only"]))

    assert math.isnan(HeldOut(own, SPEC).margin(own[0]))


def test_a_question_that_no_model_is_asked_about_stays_refused() -> None:
    own = [replace(row, judged_by=None) if row.id == "0" else row for row in rows()]
    held_out = HeldOut(own, SPEC)

    assert [row.id for row in own if held_out.margin(row) < -50] == ["0", "0", "0"]


def test_answers_that_were_not_found_teach_nothing() -> None:
    own = list(rows())
    lost = [replace(row, id="lost", kind="answerable", gold_rank=None) for row in own[1::2]]

    assert fit_models([*own, *lost], SPEC) == fit_models(own, SPEC)


def test_nothing_and_one_class_are_refused() -> None:
    own = list(rows())
    with pytest.raises(QuestionSetError, match="nothing to learn from"):
        fit_models([], SPEC)
    with pytest.raises(QuestionSetError, match=r"all 60 questions .* are answerable"):
        fit_models([row for row in own if row.answers], SPEC)
    with pytest.raises(QuestionSetError, match=r"all 60 questions .* are without an answer"):
        fit_models([row for row in own if not row.answers], SPEC)


def test_rows_come_back_as_they_were_written(tmp_path: Path) -> None:
    [first, *others] = rows()
    odd = replace(
        first, id="«ß»\ud801", set="t\udce9", gold_rank=None, judged_by=None, signals={"s": 0.1}
    )
    unknown = replace(first, signals={"s": math.nan})

    write_rows([odd, unknown, *others], tmp_path / "rows.jsonl")

    read = read_rows(tmp_path / "rows.jsonl")
    assert [read[0], *read[2:]] == [odd, *others]
    assert math.isnan(read[1].signals["s"])
    (tmp_path / "rows.jsonl").read_bytes().decode("utf-8")


def test_an_article_whose_name_has_a_lone_surrogate_is_in_one_half_too() -> None:
    [first, *_] = rows()

    assert half_of_articles(replace(first, group="\ud800"), SPEC["words"]) in {"0", "1"}


def test_the_file_of_weights_is_the_same_for_the_same_rows() -> None:
    own = list(rows())
    once, again = (
        weights_text(fit_models(own, SPEC), SPEC, own, embedder="model") for _ in range(2)
    )

    assert once == again
    assert '"questions": 120' in once


def test_every_signal_that_a_model_uses_is_one_that_is_measured() -> None:
    from gdrive_rag_mcp.evidence.measuring import SIGNALS

    assert {name for spec in SPECS.values() for name in spec.signs} <= set(SIGNALS)
