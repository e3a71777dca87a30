"""The rows of the table: by kind and language, by kind, and of all."""

import math

import pytest

from gdrive_rag_mcp.domain import CaseResult, EvaluationRow, Expect
from gdrive_rag_mcp.evaluation.summary import summarise
from tests.evaluation.made_results import case, passage, reply, result

GOLD = passage("gold.md")
OTHER = passage("other.md")


def answered(*found: str, lang: str = "en", confidence: float = 0.9, ok: bool = True,
             name: str = "1", group: str | None = None) -> CaseResult:  # fmt: skip
    passages = [GOLD if one == "gold" else OTHER for one in found]
    asked = case(gold=["gold.md"], kind="number", lang=lang, name=name, group=group)
    return result(asked, reply(*passages, sufficient=ok, confidence=confidence))


def refused(*, lang: str = "en", confidence: float = 0.1, kind: str = "absent") -> CaseResult:
    asked = case("refuse", kind=kind, lang=lang)
    return result(asked, reply(OTHER, sufficient=confidence > 0.5, confidence=confidence))


def rows_of(*results: CaseResult, limit: int = 5) -> dict[tuple[str, str, str], EvaluationRow]:
    return {
        (row.expect.value, row.kind or "all", row.lang or "all"): row
        for row in summarise(results, limit)
    }


def test_there_is_a_row_for_each_kind_and_language_and_for_each_kind_and_for_all() -> None:
    rows = rows_of(
        refused(), answered("gold"), answered("gold", lang="de"), refused(kind="adjacent")
    )

    assert list(rows) == [
        ("answer", "number", "en"),
        ("answer", "number", "de"),
        ("answer", "number", "all"),
        ("answer", "all", "all"),
        ("refuse", "absent", "en"),
        ("refuse", "adjacent", "en"),
        ("refuse", "all", "all"),
    ]


def test_what_is_accepted_refused_and_found_is_counted() -> None:
    results = [
        answered("gold"),
        answered("other", "gold"),
        answered("other"),
        answered("other", "other", "gold", ok=False),
    ]
    row = rows_of(*results)["answer", "number", "en"]

    assert (row.n, row.accepted, row.refused) == (4, 3, 1)
    assert row.right.value == 0.75
    assert row.right_citation.value == pytest.approx(2 / 3)
    assert row.right_first == pytest.approx(1 / 3)
    assert (row.hit_at_1, row.hit_at_5) == (0.25, 0.75)
    assert row.mrr == pytest.approx((1 + 1 / 2 + 0 + 1 / 3) / 4)
    assert math.isnan(row.auroc.value)


def test_of_cases_to_refuse_nothing_is_looked_for() -> None:
    row = rows_of(answered("gold"), refused(), refused(confidence=0.8))["refuse", "absent", "en"]

    assert (row.accepted, row.refused, row.right.value) == (1, 1, 0.5)
    unknown = (row.right_citation.value, row.right_first, row.hit_at_1, row.hit_at_5, row.mrr)
    assert all(map(math.isnan, unknown))


def test_a_hit_among_five_is_not_known_where_fewer_were_asked_for() -> None:
    row = rows_of(answered("gold"), limit=3)["answer", "number", "en"]

    assert math.isnan(row.hit_at_5)
    assert row.hit_at_1 == 1


def test_auroc_is_against_the_answerable_of_the_language_and_of_all() -> None:
    rows = rows_of(
        answered("gold", confidence=0.9),
        answered("gold", confidence=0.3, lang="de"),
        refused(confidence=0.4),
        refused(confidence=0.4, lang="de"),
        refused(confidence=0.4, lang="ko"),
    )

    assert rows["refuse", "absent", "en"].auroc.value == 1
    assert rows["refuse", "absent", "de"].auroc.value == 0
    assert math.isnan(rows["refuse", "absent", "ko"].auroc.value)
    assert rows["refuse", "absent", "all"].auroc.value == 0.5


def test_every_rate_lies_within_its_interval() -> None:
    results = [answered("gold", ok=number % 4 > 0, name=str(number)) for number in range(60)]
    row = rows_of(*results)["answer", "number", "en"]

    assert row.right.value == 0.75
    assert row.right.low < 0.75 < row.right.high


def test_cases_of_one_group_are_drawn_together() -> None:
    def row(*, group: bool) -> EvaluationRow:
        results = [
            answered(
                "gold",
                ok=number // 10 % 2 > 0,
                name=str(number),
                group=str(number // 10) if group else None,
            )
            for number in range(100)
        ]
        return rows_of(*results)["answer", "number", "en"]

    alone, together = row(group=False).right, row(group=True).right
    assert alone.value == together.value
    assert together.high - together.low > 2 * (alone.high - alone.low)


def test_without_cases_of_a_sort_there_is_no_row_for_them() -> None:
    assert {row.expect for row in summarise([refused()], 5)} == {Expect.REFUSE}
