"""What a sync did, would do, or does again and again, in words and as JSON."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from gdrive_rag_mcp import presentation as present
from gdrive_rag_mcp.domain import (
    Coverage,
    FileState,
    Reason,
    SyncPlan,
    SyncReport,
    SyncRound,
)
from gdrive_rag_mcp.presentation import plan_text, round_text, sync_text
from gdrive_rag_mcp.presentation.run_texts import PATHS_SHOWN

ENDED = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
COVERAGE = Coverage({FileState.INDEXED: 2, FileState.SKIPPED: 1}, {Reason.ENCRYPTED: 1})
REPORT = SyncReport(
    added=2,
    updated=0,
    unchanged=0,
    moved=0,
    removed=0,
    held=0,
    embedded_chunks=9,
    reused_chunks=0,
    pending_vectors=0,
    api_calls=3,
    downloads=2,
    seconds=1.26,
    complete=True,
    coverage=COVERAGE,
)


def test_a_sync_is_told_in_four_lines() -> None:
    assert sync_text(REPORT).splitlines() == [
        "2 added, 0 updated, 0 unchanged, 0 moved, 0 removed, 0 held",
        "3 in scope: 2 indexed, 1 skipped; because: 1 encrypted",
        "9 chunks embedded, 0 reused",
        "3 API calls, 2 downloads, 1.3 seconds",
    ]


def test_what_a_sync_could_not_do_is_told_too() -> None:
    text = sync_text(replace(REPORT, complete=False, pending_vectors=4, warnings=("beware",)))

    assert "4 waiting for vectors" in text
    assert "was not taken for gone" in text
    assert "warning: beware" in text


PLAN = SyncPlan(
    to_read=(("a.md", "added"), ("b.md", "retry")),
    to_skip=(("z.png", Reason.UNSUPPORTED_TYPE),),
    to_remove=("old/c.md",),
    to_hold=(),
    moved=1,
    unchanged=7,
    in_scope=10,
    complete=True,
)


def test_a_plan_is_the_counts_the_paths_and_that_nothing_was_written() -> None:
    assert plan_text(PLAN).splitlines() == [
        "2 to read (1 added, 0 updated, 1 retry), 1 to skip, 1 to remove, 0 to hold",
        "1 moved, 7 unchanged; 10 in scope after that",
        "to read:",
        "  added  a.md",
        "  retry  b.md",
        "to skip:",
        "  unsupported_type  z.png",
        "to remove:",
        "    old/c.md",
        "Nothing was written.",
    ]


def test_of_a_long_plan_the_first_paths_are_shown_and_the_others_counted() -> None:
    paths = tuple(f"{number:04}.md" for number in range(PATHS_SHOWN + 20))
    long = replace(
        PLAN, to_read=(), to_skip=(), to_remove=(), to_hold=paths, complete=False, warnings=("odd",)
    )

    lines = plan_text(long).splitlines()

    assert len([line for line in lines if line.strip().endswith(".md")]) == PATHS_SHOWN
    assert "  … and 20 more" in lines
    assert any("--allow-mass-delete" in line for line in lines)
    assert "warning: odd" in lines
    assert present.plan_object(long)["to_hold"] == list(paths), "as JSON, all of them"


def test_a_path_cannot_break_a_line_of_a_plan() -> None:
    nasty = replace(PLAN, to_read=(("a\x1b[2J\nb.md", "added"),), to_skip=(), to_remove=())

    assert len(plan_text(nasty).splitlines()) == 5
    assert "\x1b" not in plan_text(nasty)


def test_a_plan_is_an_object_that_says_why_each_file_would_be_read() -> None:
    assert present.plan_object(PLAN) == {
        "to_read": [{"path": "a.md", "why": "added"}, {"path": "b.md", "why": "retry"}],
        "to_skip": [{"path": "z.png", "reason": "unsupported_type"}],
        "to_remove": ["old/c.md"],
        "to_hold": [],
        "moved": 1,
        "unchanged": 7,
        "in_scope": 10,
        "complete": True,
        "forecast": None,
        "warnings": [],
    }


DONE = SyncRound(ENDED, 1.26, 60, report=replace(REPORT, warnings=("keyword_only: so it is",)))
FAILED = SyncRound(
    ENDED, 0.5, 120, code="source_auth", problem="revoked,\nit says", remedy="ask anew"
)


def test_a_round_is_one_line_with_what_it_did_and_when_the_next_is() -> None:
    assert round_text(DONE) == (
        "2026-03-02T08:00:00Z 2 added, 0 updated, 0 moved, 0 removed, 0 failed, 0 held, 0 pending, "
        "1.3 s; warning: keyword_only: so it is; again in 60 s"
    )


def test_a_round_that_came_to_nothing_is_one_line_with_the_remedy() -> None:
    assert round_text(FAILED) == (
        "2026-03-02T08:00:00Z error: revoked, it says (to fix it: ask anew); again in 120 s"
    )


def test_a_skipped_round_says_so() -> None:
    skipped = replace(FAILED, problem="another process is writing", skipped=True)

    assert round_text(skipped) == (
        "2026-03-02T08:00:00Z skipped: another process is writing; again in 120 s"
    )


@pytest.mark.parametrize("done", [DONE, FAILED], ids=["done", "failed"])
def test_a_round_is_one_line_of_json_with_the_same_keys_whatever_came_of_it(
    done: SyncRound,
) -> None:
    line = present.as_json(present.round_object(done))

    assert "\n" not in line
    assert set(json.loads(line)) == set(present.round_object(DONE))


def test_a_round_as_json_has_counts_or_an_error() -> None:
    done, failed = present.round_object(DONE), present.round_object(FAILED)

    assert (done["added"], done["searchable"], done["error"]) == (2, 2, None)
    assert (failed["added"], failed["complete"]) == (None, False)
    assert failed["error"] == {
        "code": "source_auth",
        "message": "revoked,\nit says",
        "remedy": "ask anew",
    }


def test_one_of_anything_is_one_in_a_report_too() -> None:
    single = replace(REPORT, embedded_chunks=1, api_calls=1, downloads=1)

    assert "1 chunk embedded" in sync_text(single)
    assert "1 API call, 1 download, " in sync_text(single)


@pytest.mark.parametrize(("files", "said"), [(18, "18 files read, "), (1, "1 file read, ")])
def test_of_a_folder_of_this_machine_files_are_read_not_downloaded(files: int, said: str) -> None:
    text = sync_text(replace(REPORT, api_calls=0, downloads=files))

    assert said in text
    assert "API" not in text
    assert "download" not in text
