"""Files of which nothing can be searched: said with the reasons and a remedy."""

import pytest

from gdrive_rag_mcp.domain import STATE_OF_REASON, Coverage, FileState, IndexStatus, Reason
from gdrive_rag_mcp.presentation import nothing_searchable
from gdrive_rag_mcp.presentation.troubles import because, explained


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


def warned(warning: str, reached: Coverage) -> str:
    status = IndexStatus(
        schema_version=1,
        generation=1,
        root="folder:/srv/docs",
        documents=0,
        chunks=0,
        vectors=0,
        embedding=None,
        chunking=None,
        vector_backend="memory",
        last_sync=None,
        coverage=reached,
    )
    return explained(warning, status)


def test_that_files_are_unreadable_is_said_with_number_reasons_and_where_to_look() -> None:
    reached = Coverage(
        {FileState.INDEXED: 2, FileState.EMPTY: 2, FileState.PENDING: 1}, {Reason.NEEDS_OCR: 2}
    )

    assert warned("unreadable_files_in_scope", reached) == (
        "unreadable_files_in_scope: 3 of 5 files cannot be searched as they are now "
        "(2 needs_ocr, 1 pending); `gdrive-rag-mcp status --files` names them and says why"
    )


@pytest.mark.parametrize(
    "warning",
    [
        "unreadable_files_in_scope",
        "first_sync_unfinished",
        "index_stale",
        "nothing_in_scope",
        "nothing_searchable",
        "mass_delete_held",
    ],
)
def test_no_warning_of_a_status_is_bare(warning: str) -> None:
    assert warned(warning, coverage(network=2)).startswith(f"{warning}: ")


def test_one_held_file_is_no_files() -> None:
    said = warned("mass_delete_held", coverage(mass_delete=1))

    assert "1 file not seen in the source any more" in said


def test_of_held_files_only_those_without_text_are_unsearchable() -> None:
    reached = Coverage({FileState.HELD: 5}, {Reason.MASS_DELETE: 5}, held_with_text=4)

    assert nothing_searchable(reached) is None
    assert because(reached) == "1 mass_delete"
