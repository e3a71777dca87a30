"""When a case passes, what counts as gold, and what ends a run."""

from collections.abc import Iterator

import pytest

from gdrive_rag_mcp.domain import Case, Fault, Reply, VerdictReason
from gdrive_rag_mcp.errors import IndexMissingError, SettingsError
from gdrive_rag_mcp.evaluation.runner import judge_reply, run_cases
from tests.evaluation.made_results import case, passage, reply

LEAVE = passage("HR/Leave.md", "There are 27 days of  paid\nleave; Fälligkeit: 31 März.")
RENT = passage("Legal/Lease.pdf", "The rent is 4,200.50 euros.")


def judged(asked: Case, came: Reply) -> tuple[bool, Fault | None]:
    result = judge_reply(asked, came, 1.0)
    return result.passed, result.fault


@pytest.mark.parametrize(
    ("asked", "came", "fault"),
    [
        (case(gold=["HR/Leave.md"]), reply(LEAVE), None),
        (case(gold=["HR/Leave.md"]), reply(RENT, LEAVE), None),
        (case(), reply(RENT), None),
        (case(gold=["HR/Leave.md"]), reply(LEAVE, sufficient=False), Fault.REFUSED),
        (case(gold=["HR/Leave.md"]), reply(RENT), Fault.WRONG_CITATION),
        (case(gold=["HR/Leave.md"]), reply(), Fault.WRONG_CITATION),
        (case(gold=["HR/Leave.md"], keywords=["28 days"]), reply(LEAVE), Fault.KEYWORDS_MISSING),
        (case("refuse"), reply(LEAVE, sufficient=False), None),
        (case("refuse"), reply(sufficient=False), None),
        (case("refuse"), reply(LEAVE), Fault.ACCEPTED),
        (case("refuse", gold=["gone.md"], keywords=["x"]), reply(sufficient=False), None),
    ],
)
def test_a_case_fails_for_the_first_reason_there_is(
    asked: Case, came: Reply, fault: Fault | None
) -> None:
    assert judged(asked, came) == (fault is None, fault)


@pytest.mark.parametrize(
    "gold",
    [
        "HR/Leave.md",
        "./HR/Leave.md",
        "/HR/Leave.md",
        "id-of-HR/Leave.md",
        "/srv/docs/HR/Leave.md",
    ],
)
def test_gold_is_named_by_id_or_by_path_however_it_begins(gold: str) -> None:
    result = judge_reply(case(gold=[gold]), reply(LEAVE), 1.0, "folder:/srv/docs")

    assert result.gold_rank == 1


@pytest.mark.parametrize("gold", ["Leave.md", "HR", "HR/", "HR/Leave", "R/Leave.md", "hr/leave.md"])
def test_part_of_a_path_is_not_gold(gold: str) -> None:
    assert judge_reply(case(gold=[gold]), reply(LEAVE), 1.0, "folder:/srv/docs").gold_rank is None


def test_a_path_in_decomposed_letters_is_the_one_in_composed_ones() -> None:
    found = passage("Verträge/Büro.pdf")

    asked = case(gold=["Vertra\u0308ge/Bu\u0308ro.pdf"])
    assert judge_reply(asked, reply(found), 1.0).gold_rank == 1


def test_the_rank_of_gold_is_known_whether_or_not_it_was_cited() -> None:
    accepted = judge_reply(case(gold=["HR/Leave.md"]), reply(RENT, LEAVE), 1.0)
    turned_down = judge_reply(case(gold=["HR/Leave.md"]), reply(RENT, LEAVE, sufficient=False), 1.0)

    assert accepted.gold_rank == turned_down.gold_rank == 2
    assert accepted.cited == ("id-of-Legal/Lease.pdf", "id-of-HR/Leave.md")
    assert turned_down.cited == ()


@pytest.mark.parametrize("gold", ["Copies/Leave.md", "id-of-Copies/Leave.md", "./Copies/Leave.md"])
def test_gold_that_is_listed_as_a_copy_is_found_and_cited_at_that_rank(gold: str) -> None:
    copied = passage("HR/Leave.md", copies=["HR/Old.md", "Copies/Leave.md"])

    result = judge_reply(case(gold=[gold]), reply(RENT, copied), 1.0)

    assert (result.passed, result.gold_rank) == (True, 2)
    assert result.cited == (
        "id-of-Legal/Lease.pdf",
        "id-of-HR/Leave.md",
        "id-of-HR/Old.md",
        "id-of-Copies/Leave.md",
    )


def test_copies_of_what_was_not_asked_for_are_no_gold() -> None:
    copied = passage("HR/Leave.md", copies=["HR/Old.md"])

    result = judge_reply(case(gold=["Legal/Lease.pdf"]), reply(copied), 1.0)

    assert (result.fault, result.gold_rank) == (Fault.WRONG_CITATION, None)


def test_a_document_with_two_passages_is_cited_once() -> None:
    assert judge_reply(case(), reply(LEAVE, RENT, LEAVE), 1.0).cited == (
        "id-of-HR/Leave.md",
        "id-of-Legal/Lease.pdf",
    )


@pytest.mark.parametrize(
    "keyword", ["27 days", "PAID leave", "27 days of paid leave", "falligkeit", "31 März", "euro"]
)
def test_a_keyword_is_found_folded_and_across_line_ends_in_any_passage(keyword: str) -> None:
    assert judged(case(keywords=[keyword]), reply(LEAVE, RENT)) == (True, None)


@pytest.mark.parametrize("keyword", ["7 days", "200.50", "4,200", "200", "1 März", "4,20"])
def test_a_number_is_not_found_within_a_longer_one(keyword: str) -> None:
    assert judge_reply(case(keywords=[keyword]), reply(LEAVE, RENT), 1.0).missing_keywords == (
        keyword,
    )


def test_every_keyword_is_looked_for() -> None:
    result = judge_reply(case(keywords=["27 days", "rent", "sun", "moon"]), reply(LEAVE, RENT), 1.0)

    assert result.missing_keywords == ("sun", "moon")


def test_cases_are_asked_once_in_order_and_timed() -> None:
    asked: list[str] = []
    told: list[tuple[str, int, int | None]] = []
    ticks = iter([0.0, 0.25, 10.0, 10.5])

    def ask(question: str) -> Reply:
        asked.append(question)
        return reply(LEAVE)

    results = run_cases(
        [case(name="a"), case(name="b")],
        ask,
        progress=lambda *heard: told.append(heard),
        clock=lambda: next(ticks),
    )

    assert [result.case.id for result in results] == ["a", "b"]
    assert asked == ["How many days of leave?"] * 2
    assert [result.latency_ms for result in results] == [250.0, 500.0]
    assert told == [("asking", 0, 2), ("asking", 1, 2), ("asking", 2, 2)]


@pytest.mark.parametrize(
    ("reason", "error"),
    [
        (VerdictReason.NO_INDEX, IndexMissingError),
        (VerdictReason.SCOPE_UNKNOWN, SettingsError),
        (VerdictReason.SCOPE_EMPTY, SettingsError),
    ],
)
def test_nothing_to_search_is_no_refusal_that_could_pass(
    reason: VerdictReason, error: type[Exception]
) -> None:
    def replies() -> Iterator[Reply]:
        yield Reply(
            sufficient=False, reason=reason.value, confidence=0.0, threshold=0.5, mode="hybrid"
        )

    came = replies()
    with pytest.raises(error, match="nothing can be evaluated"):
        run_cases([case("refuse")], lambda _: next(came))
