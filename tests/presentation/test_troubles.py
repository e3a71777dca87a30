"""Files of which nothing can be searched: said with the reasons and a remedy."""

import pytest

from gdrive_rag_mcp.domain import STATE_OF_REASON, Coverage, FileState, Reason
from gdrive_rag_mcp.presentation import nothing_searchable


def coverage(**reasons: int) -> Coverage:
    by_reason = {Reason(name): number for name, number in reasons.items()}
    by_state: dict[FileState, int] = {}
    for reason, number in by_reason.items():
        state = STATE_OF_REASON[reason]
        by_state[state] = by_state.get(state, 0) + number
    return Coverage(by_state, by_reason)


def test_the_reasons_are_counted_and_the_commonest_has_its_remedy() -> None:
    found = nothing_searchable(coverage(encrypted=2, needs_ocr=7, unsupported_type=2))

    assert found is not None
    problem, remedy = found
    assert "of 11 in scope, 7 needs_ocr, 2 encrypted, 2 unsupported_type" in problem
    assert "text recognition" in remedy


@pytest.mark.parametrize("reason", list(Reason))
def test_every_reason_that_leaves_nothing_has_a_remedy(reason: Reason) -> None:
    found = nothing_searchable(coverage(**{reason.value: 3}))

    if reason is Reason.PARTS_FAILED:
        assert found is None, "what can be had in part can be searched"
    else:
        assert found is not None
        assert f"3 {reason.value}" in found[0]
        assert found[1]


def test_files_that_were_not_read_yet_are_counted_too() -> None:
    found = nothing_searchable(Coverage({FileState.PENDING: 4}, {}))

    assert found is not None
    assert "4 pending" in found[0]
    assert "again" in found[1]


@pytest.mark.parametrize(
    "fine",
    [
        Coverage({}, {}),
        Coverage({FileState.INDEXED: 1, FileState.FAILED: 99}, {Reason.NETWORK: 99}),
    ],
    ids=["nothing in scope", "one is searchable"],
)
def test_where_there_is_nothing_or_something_to_search_no_such_thing_is_said(
    fine: Coverage,
) -> None:
    assert nothing_searchable(fine) is None
