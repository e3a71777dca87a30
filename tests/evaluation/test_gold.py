"""Gold that is not in the index is told before anything is asked."""

from dataclasses import replace

import pytest

from gdrive_rag_mcp.domain import FileRecord, FileState, Reason
from gdrive_rag_mcp.errors import CasesError
from gdrive_rag_mcp.evaluation.gold import check_gold
from tests.evaluation.made_results import case

ROOT = "folder:/srv/docs"


def record(path: str, *, chunks: int = 3, folder: bool = False) -> FileRecord:
    return FileRecord(
        id=f"id-of-{path}",
        name=path.rpartition("/")[2],
        path=path,
        mime_type="text/plain",
        state=FileState.INDEXED if chunks else FileState.SKIPPED,
        reason=None if chunks else Reason.ENCRYPTED,
        detail="",
        version="1",
        revision=None,
        size=1,
        md5=None,
        url=None,
        modified_time=None,
        attempts=1,
        next_attempt=None,
        content_hash=None,
        chunk_count=chunks,
        indexed_at=None,
        is_folder=folder,
    )


LEDGER = [record("HR/Leave.md"), record("Sealed.pdf", chunks=0)]


@pytest.mark.parametrize("gold", ["HR/Leave.md", "./HR/Leave.md", "id-of-HR/Leave.md",
                                  "/srv/docs/HR/Leave.md"])  # fmt: skip
def test_gold_that_is_in_the_index_is_let_through(gold: str) -> None:
    check_gold([case(gold=[gold])], LEDGER, ROOT)


@pytest.mark.parametrize(
    ("gold", "said"),
    [
        ("HR/leave.md", "is not in the index"),
        ("Leave.md", "is not in the index"),
        ("/elsewhere/HR/Leave.md", "is not in the index"),
        ("HR", "is a folder"),
        ("HR/", "is a folder"),
        ("Sealed.pdf", r"no text of Sealed.pdf is in the index: it is skipped \(encrypted\)"),
    ],
)
def test_gold_that_cannot_be_found_is_named_with_its_case(gold: str, said: str) -> None:
    with pytest.raises(CasesError, match=f"line 1, case leave: .*{said}") as caught:
        check_gold([case(gold=["HR/Leave.md", gold], name="leave")], LEDGER, ROOT)
    assert caught.value.hint


def test_all_gold_that_is_missing_is_named_at_once() -> None:
    cases = [case(gold=["a.md"]), case(gold=["HR/Leave.md"]), case(gold=["b.md", "c.md"])]

    with pytest.raises(CasesError) as caught:
        check_gold(cases, LEDGER, ROOT)

    assert [name for name in ("a.md", "b.md", "c.md") if name in caught.value.message]
    assert "Leave" not in caught.value.message


def test_gold_of_a_case_to_refuse_may_have_been_taken_away() -> None:
    check_gold([case("refuse", gold=["gone.md"])], LEDGER, ROOT)


def test_of_two_files_with_one_path_it_is_enough_that_one_has_text() -> None:
    unread = replace(record("Twice.md", chunks=0), id="first")

    for ledger in ([unread, record("Twice.md")], [record("Twice.md"), unread]):
        check_gold([case(gold=["Twice.md"])], ledger, ROOT)


def test_a_root_in_a_drive_is_no_part_of_a_path() -> None:
    check_gold([case(gold=["HR/Leave.md"])], LEDGER, "drive:1AbC")
