"""Floors: how they are given, and what they change."""

import pytest

from gdrive_rag_mcp.domain import CaseResult, Evaluation
from gdrive_rag_mcp.errors import SettingsError
from gdrive_rag_mcp.evaluation.floors import reached, read_floors
from tests.evaluation.made_results import case, passage, reply, result

CASES = [case(kind="number"), case("refuse", kind="a=b")]


def results_of(*verdicts: bool, expect: str = "refuse", kind: str = "absent") -> list[CaseResult]:
    asked = case(expect, kind=kind, gold=["gold.md"] if expect == "answer" else [])
    return [result(asked, reply(passage("x.md"), sufficient=one)) for one in verdicts]


def evaluated(results: list[CaseResult], **floors: float) -> Evaluation:
    return Evaluation(tuple(results), (), reached(floors, results), 5)


def test_a_kind_may_have_an_equals_sign_in_its_name() -> None:
    assert read_floors(["a=b=0.5", "number=1"], CASES) == {"a=b": 0.5, "number": 1.0}


@pytest.mark.parametrize("rate", ["0", "1", "0.97", ".5", "1.0", "0.0"])
def test_a_rate_goes_from_nothing_to_one(rate: str) -> None:
    assert read_floors([f"number={rate}"], CASES) == {"number": float(rate)}


@pytest.mark.parametrize("rate", ["", "x", "-0.1", "1.1", "97", "97%", "nan", "inf", "1e-1", "2"])
def test_another_rate_is_refused(rate: str) -> None:
    with pytest.raises(SettingsError, match="no rate") as caught:
        read_floors([f"number={rate}"], CASES)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("floor", ["numbers=0.5", "number", "", "=0.5", "0.5"])
def test_an_unknown_kind_is_refused_with_the_kinds_there_are(floor: str) -> None:
    with pytest.raises(SettingsError) as caught:
        read_floors([floor], CASES)
    assert "number, a=b" in caught.value.hint


def test_a_floor_without_a_kind_and_one_of_no_case_are_told_apart() -> None:
    with pytest.raises(SettingsError, match="it is not kind=rate"):
        read_floors(["0.5"], CASES)
    with pytest.raises(SettingsError, match="there is no kind 'numbers'"):
        read_floors(["numbers=0.5"], CASES)


def test_a_kind_has_one_floor() -> None:
    with pytest.raises(SettingsError, match="two floors"):
        read_floors(["number=0.5", "number=0.6"], CASES)


def test_without_floors_every_case_must_pass() -> None:
    assert evaluated(results_of(False, False)).succeeded
    assert not evaluated(results_of(False, True)).succeeded


def test_a_floor_lets_cases_of_its_kind_fail_as_far_as_it_allows() -> None:
    results = results_of(False, False, False, True)

    assert evaluated(results, absent=0.75).succeeded
    assert not evaluated(results, absent=0.76).succeeded
    assert evaluated(results, absent=0.75).passed == 3


def test_a_floor_says_nothing_of_other_kinds() -> None:
    others = results_of(True, kind="adjacent")

    assert not evaluated([*results_of(False), *others], absent=0.5).succeeded


def test_of_cases_to_answer_the_rate_is_the_share_accepted() -> None:
    results = results_of(True, True, False, expect="answer", kind="number")
    [floor] = reached({"number": 0.5}, results)

    assert floor.reached == pytest.approx(2 / 3)  # accepted, though what is cited is not gold
    assert floor.met
