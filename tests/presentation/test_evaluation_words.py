"""An evaluation as text and as JSON: what is not known, odd names, and where nothing was found."""

import json
import math
from typing import Any

from gdrive_rag_mcp.domain import (
    Case,
    CaseResult,
    Evaluation,
    EvaluationRow,
    Expect,
    Fault,
    Floor,
    FoundPassage,
    Measured,
    Reply,
)
from gdrive_rag_mcp.presentation import as_json, evaluation_object, evaluation_text, verdict_text

UNKNOWN = Measured(math.nan, math.nan, math.nan)
ROW = EvaluationRow(
    expect=Expect.REFUSE,
    kind="absent\x1b[31m topic",
    lang="en",
    n=4,
    accepted=1,
    right=Measured(0.75, 0.25, 1.0),
    right_citation=UNKNOWN,
    right_first=math.nan,
    hit_at_1=math.nan,
    hit_at_5=math.nan,
    mrr=math.nan,
    auroc=Measured(0.98765, 0.9, 1.0),
)


def case_result(
    fault: Fault | None = None, *, question: str = "Who pays?", passages: int = 1
) -> CaseResult:
    found = tuple(
        FoundPassage("one", "A.md", "First line\nand \x1b[2Jsecond.") for _ in range(passages)
    )
    reply = Reply(
        sufficient=fault is Fault.ACCEPTED,
        reason="terms_absent",
        confidence=0.123456,
        threshold=0.5,
        mode="keyword",
        passages=found,
        missing_terms=tuple(f"term{number}" for number in range(9)),
        warnings=("embedder_unavailable",),
    )
    case = Case("c", question, Expect.REFUSE, "topic", "en", line=1)
    return CaseResult(case, reply, 12.345, None, (), fault)


def evaluation(*results: CaseResult, floors: tuple[Floor, ...] = ()) -> Evaluation:
    return Evaluation(results, (ROW,), floors, 5)


def parsed(of: Evaluation) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(as_json(evaluation_object(of)))
    return loaded


def test_what_could_not_be_measured_is_null_in_json_and_a_dash_in_text() -> None:
    done = evaluation(case_result())
    [row] = parsed(done)["summary"]["rows"]

    assert [row[name] for name in ("right_citation", "hit_at_1", "hit_at_5", "mrr")] == [None] * 4
    assert row["right"] == {"value": 0.75, "interval": [0.25, 1.0]}
    assert row["refused"] == 3
    line = evaluation_text(done).splitlines()[1]
    assert line.split()[-9:] == ["75.0", "(25.0-100.0)", *"-----", "0.988", "(0.900-1.000)"]


def test_columns_stand_below_their_names() -> None:
    header, row = evaluation_text(evaluation(case_result())).splitlines()[:2]

    assert len(header) == len(row)
    for name, value in (("n", "4"), ("accepted", "1"), ("refused", "3"), ("MRR", "-")):
        end = header.index(f" {name}") + len(name) + 1
        assert row[:end].endswith(f" {value}")


def test_no_name_or_text_reaches_a_terminal_with_its_controls() -> None:
    shown = evaluation_text(evaluation(case_result(Fault.ACCEPTED, question="Who\x1b[0m\npays?")))

    assert "\x1b" not in shown
    assert "failed: c (topic, en): Who[0m pays?" in shown
    assert "top hit: A.md: First line and [2Jsecond." in shown


def test_a_failure_where_nothing_was_found_has_no_top_hit() -> None:
    done = evaluation(case_result(Fault.REFUSED, passages=0))

    assert "top hit" not in evaluation_text(done)
    assert parsed(done)["cases"][0]["top_hit"] is None


def test_how_it_was_searched_and_what_to_beware_of_is_said() -> None:
    assert verdict_text(evaluation(case_result(), case_result(Fault.ACCEPTED))) == (
        "asked: 2 by keyword search; embedder_unavailable\n1/2 passed"
    )


def test_a_floor_is_told_with_what_was_reached() -> None:
    floors = (Floor("topic", 0.97, 0.9695), Floor("code", 0.5, 0.5))
    done = evaluation(case_result(), floors=floors)

    assert "floor topic: 0.9695 of at least 0.97, missed" in evaluation_text(done)
    assert "floor code: 0.5000 of at least 0.5, met" in evaluation_text(done)
    assert [floor["met"] for floor in parsed(done)["summary"]["floors"]] == [False, True]
    assert parsed(done)["summary"]["succeeded"] is False


def test_numbers_of_a_case_are_rounded() -> None:
    [case] = parsed(evaluation(case_result()))["cases"]

    assert (case["confidence"], case["latency_ms"]) == (0.1235, 12.3)
