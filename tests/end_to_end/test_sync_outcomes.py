"""What a sync would do, how it ends when not all is well, and that a status says the same."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from gdrive_rag_mcp.testing.fake_drive import FakeDrive
from tests.end_to_end.program import Run, drive_settings


def test_a_dry_run_prints_what_would_change_and_makes_no_index(
    run: Run, documents: Path, tmp_path: Path
) -> None:
    done = run("sync", "--dry-run", "--source", f"folder:{documents}")

    assert done.code == 0, done.err
    assert done.out.splitlines() == [
        "2 to read (2 added, 0 updated, 0 retry), 0 to skip, 0 to remove, 0 to hold",
        "0 moved, 0 unchanged; 2 in scope after that",
        "to read:",
        "  added  HR/leave.md",
        "  added  invoices.txt",
        "Nothing was written.",
    ]
    assert not (tmp_path / "data").exists()


def test_a_dry_run_leaves_an_index_byte_for_byte_as_it_is(
    run: Run, documents: Path, tmp_path: Path
) -> None:
    words = ("--source", f"folder:{documents}", "--db", "index.db")
    run("sync", *words)
    before = (tmp_path / "index.db").read_bytes()
    (documents / "invoices.txt").unlink()
    (documents / "HR" / "leave.md").write_text("# Leave\n\nForty days.\n", encoding="utf-8")

    planned = run("sync", "--dry-run", "--json", *words)

    assert planned.code == 0, planned.err
    assert planned.json == {
        "to_read": [{"path": "HR/leave.md", "why": "updated"}],
        "to_skip": [],
        "to_remove": ["invoices.txt"],
        "to_hold": [],
        "moved": 0,
        "unchanged": 0,
        "in_scope": 1,
        "complete": True,
        "forecast": None,
        "warnings": [],
    }
    assert (tmp_path / "index.db").read_bytes() == before


def test_a_dry_run_that_would_hold_files_back_says_so_in_its_exit_code(
    run: Run, tmp_path: Path
) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    for number in range(30):
        (folder / f"{number}.md").write_text(f"# {number}\n\nGazelles.\n", encoding="utf-8")
    run("sync", "--source", f"folder:{folder}")
    for path in folder.iterdir():
        path.unlink()
    (folder / "other.md").write_text("# Other\n\nSomething else.\n", encoding="utf-8")

    held = run("sync", "--dry-run", "--json", "--source", f"folder:{folder}")

    assert held.code == 3
    assert len(held.json["to_hold"]) == 30


def test_files_of_which_none_can_be_searched_are_an_error_after_the_report(
    run: Run, tmp_path: Path
) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "a.jpg").write_bytes(b"\xff\xd8\xff\xe0 not read")
    (folder / "b.jpg").write_bytes(b"\xff\xd8\xff\xe0 not read")
    (folder / "c.txt").write_text(" \n", encoding="utf-8")

    done = run("sync", "--source", f"folder:{folder}", "--json")
    status = run("status")

    assert done.code == 1
    assert done.json["coverage"]["in_scope"] == 3
    error, remedy = done.err.splitlines()
    assert error.startswith(
        "error: nothing can be searched as it is now: of 3 in scope, 2 unsupported_type, "
    )
    assert remedy.startswith("  to fix it: ")
    assert "nothing_searchable: nothing can be searched" in status.out
    assert "nothing_searchable" in run("status", "--json").json["warnings"]


def test_a_folder_without_documents_is_named_and_is_no_success(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / ".keep").touch()

    done = run("sync", "--source", f"folder:{folder}")

    assert done.code == 3
    assert f"warning: nothing_in_scope: there is no file in folder:{folder}" in done.out
    assert "nothing_in_scope" in run("status").out


# ── over a network ───────────────────────────────────────────────────────────


@pytest.fixture
def drive() -> Iterator[FakeDrive]:
    with FakeDrive() as drive:
        yield drive


@pytest.fixture
def environ(drive: FakeDrive, tmp_path: Path) -> dict[str, str]:
    return drive_settings(drive, tmp_path)


def test_an_empty_drive_folder_names_whom_it_must_be_shared_with(
    run: Run, drive: FakeDrive, environ: Mapping[str, str]
) -> None:
    done = run("sync", "--json", environ=environ)

    assert done.code == 3, done.err
    [warning] = done.json["warnings"]
    assert warning.startswith("nothing_in_scope: ")
    assert drive.root in warning
    assert drive.email in warning


def test_the_ledger_of_many_files_is_one_list_and_one_object(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    for number in range(501):  # a page of the ledger has 500
        (folder / f"{number}.bin").write_bytes(b"\0\1\2")
    (folder / "a.md").write_text("# A\n\nGazelles.\n", encoding="utf-8")
    run("sync", "--source", f"folder:{folder}")

    listed = run("status", "--files", "--json").json
    text = run("status", "--files").out

    assert len(listed["files"]) == listed["totals"]["in_scope"] == 502
    assert listed["next_cursor"] is None
    assert text.count(".bin") == 501
    assert text.count("502 in scope") == 1
    assert "cursor" not in text


def test_that_no_file_is_in_a_state_is_said(run: Run, documents: Path) -> None:
    run("sync", "--source", f"folder:{documents}")

    assert run("status", "--state", "failed").out.startswith("no file is failed\n")


def test_a_file_that_failed_is_told_with_its_next_attempt_wherever_one_asks(
    run: Run, drive: FakeDrive, environ: Mapping[str, str]
) -> None:
    drive.files.add_file("good.md", b"# Good\n\nThe gazelle is good.", drive.root)
    bad = drive.files.add_file("bad.md", b"# Bad\n\nThe gazelle is bad.", drive.root)
    drive.files.add_file("film.mp4", b"film", drive.root, mime_type="video/mp4")
    drive.fail(rf"{bad}\?.*alt=media", 404, "notFound", times=1000)

    done = run("sync", "--json", environ=environ)
    for _ in range(2):
        run("sync", environ=environ)
    status = run("status", "--json", environ=environ).json
    listed = run("status", "--files", "--state", "failed", "--json", environ=environ).json
    text = run("status", "--state", "failed", environ=environ).out
    found = run("search", "Which gazelle is good?", "--json", environ=environ).json

    assert done.code == 3, done.err
    assert done.json["failed"] == {"not_found": 1}
    assert status["last_crawl"]
    assert status["last_poll"]
    assert set(status["retries"]) == {"not_found"}
    assert status["unsupported"] == {"video/mp4": 1}
    [entry] = listed["files"]
    assert (entry["path"], entry["reason"], entry["attempts"]) == ("bad.md", "not_found", 3)
    assert entry["next_attempt"] == status["retries"]["not_found"]
    assert entry["detail"]
    assert f"3 attempts, next {entry['next_attempt']}" in text
    evidence = found["evidence"]
    assert "unreadable_files_in_scope" in evidence["warnings"]
    assert evidence["coverage"]["unreadable"] == 2
    assert "1 not_found" in evidence["message"]


def test_the_quota_of_a_day_leaves_the_rest_pending_and_the_next_sync_goes_on(
    run: Run, drive: FakeDrive, environ: Mapping[str, str]
) -> None:
    for number in range(60):
        drive.files.add_file(f"{number:02}.md", f"# {number}\n\nGazelle.".encode(), drive.root)
    ids = {item.name: item.id for item in drive.files.all_visible()}
    drive.fail(rf"{ids['30.md']}\?.*alt=media", 403, "dailyLimitExceeded", times=1000)

    done = run("sync", "--json", environ=environ)
    status = run("status", environ=environ).out
    drive.faults.clear()
    after = run("sync", "--json", environ=environ)

    assert done.code == 3, done.err
    states = done.json["coverage"]["by_state"]
    assert states["pending"] + states["indexed"] == 60
    assert states["indexed"] >= 30
    assert any(warning.startswith("reading_incomplete: ") for warning in done.json["warnings"])
    assert f"pending:     {states['pending']}, which the next sync reads" in status
    assert (after.code, after.json["coverage"]["by_state"]) == (0, {"indexed": 60})
    assert after.json["downloads"] == states["pending"]


# ── what is left behind, and what is not said as it should be ────────────────


def test_a_first_sync_of_a_folder_that_is_not_there_leaves_nothing_behind(
    run: Run, tmp_path: Path
) -> None:
    done = run("sync", "--source", "folder:nowhere")

    assert done.code == 1
    assert not (tmp_path / "data").exists()
    assert run("search", "gazelle", "--json").json["evidence"]["reason"] == "no_index"
    assert run("status").code == 1


def test_an_index_that_was_never_synced_says_that_it_is_unfinished(run: Run) -> None:
    run("init-db")

    found = run("search", "gazelle")

    assert found.out.startswith("Not answered: scope_empty")
    assert "The first sync has not finished" in found.out
    assert "warning:     first_sync_unfinished: " in run("status").out


def test_held_files_are_found_as_they_were_and_marked_wherever_they_are_shown(
    run: Run, tmp_path: Path
) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "kept.md").write_text("# Kept\n\nZebras.\n", encoding="utf-8")
    for number in range(30):
        (folder / f"{number}.md").write_text(f"# {number}\n\nGazelles.\n", encoding="utf-8")
    run("sync", "--source", f"folder:{folder}")
    for number in range(30):
        (folder / f"{number}.md").unlink()
    run("sync", "--source", f"folder:{folder}")

    found = run("search", "Gazelles", "--json").json
    text = run("search", "Gazelles").out

    hits = found["results"] + found["candidate_results"]
    assert {hit["state"] for hit in hits} == {"held"}
    assert "mass_delete_held" in found["evidence"]["warnings"]
    for said in (found["evidence"]["message"], text):
        assert "30 files in scope are no longer seen in the source" in said
    assert "(no longer in the source; held)" in text
    assert "could not be read" not in text
    assert found["scope"]["documents"] == run("status", "--json").json["documents"] == 31
    assert found["evidence"]["coverage"]["unreadable"] == 0
    assert "unreadable_files_in_scope" not in found["evidence"]["warnings"]
