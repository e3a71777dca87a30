"""What the commands print, and how they end."""

import json
from pathlib import Path

from tests.end_to_end.program import Run


def test_a_sync_reports_numbers_that_add_up_to_what_is_in_scope(run: Run, documents: Path) -> None:
    (documents / "photo.jpg").write_bytes(b"\xff\xd8\xff\xe0 not read")
    (documents / "empty.txt").write_text(" \n", encoding="utf-8")

    done = run("sync", "--source", f"folder:{documents}", "--json")

    assert done.code == 0, done.err
    report = done.json
    searchable = sum(report[kind] for kind in ("added", "updated", "unchanged", "moved"))
    refused = {"skipped": 1, "empty": 1}
    assert searchable == report["coverage"]["searchable"] == 2
    assert report["coverage"]["by_state"] == {"indexed": 2} | refused
    assert report["coverage"]["in_scope"] == searchable + sum(refused.values())
    assert report["skipped"] == {"unsupported_type": 1}


def test_a_second_sync_of_an_unchanged_folder_reads_nothing(run: Run, documents: Path) -> None:
    run("sync", "--source", f"folder:{documents}")

    again = run("sync", "--source", f"folder:{documents}", "--json").json

    assert (again["unchanged"], again["added"], again["downloads"]) == (2, 0, 0)


def test_progress_and_notes_stay_off_stdout(run: Run, documents: Path) -> None:
    done = run("sync", "--source", f"folder:{documents}", "--json")

    assert len(done.out.splitlines()) == 1
    assert json.loads(done.out)["complete"] is True


def test_a_search_cites_where_an_answer_stands(run: Run, documents: Path) -> None:
    run("sync", "--source", f"folder:{documents}")

    found = run("search", "How many days of unpaid leave may employees take?", "--json").json

    best = (found["results"] or found["candidate_results"])[0]
    assert best["citation"]["path"] == "HR/leave.md"
    assert best["citation"]["locator"]["value"] == "Leave policy > Unpaid leave"
    assert best["citation"]["url"] == (documents / "HR" / "leave.md").as_uri()
    assert found["evidence"]["mode"] == "keyword"


def test_a_question_about_what_no_document_mentions_is_refused(run: Run, documents: Path) -> None:
    run("sync", "--source", f"folder:{documents}")

    found = run("search", "What is the sabbatical allowance in Reykjavik?", "--json").json

    assert found["evidence"]["sufficient"] is False
    assert found["results"] == []
    assert "sabbatical" in found["evidence"]["missing_terms"]


def test_a_search_without_an_index_says_so_in_its_verdict(run: Run) -> None:
    done = run("search", "anything at all", "--json")

    assert done.code == 0
    assert done.json["evidence"]["reason"] == "no_index"


def test_a_scope_narrows_a_search_and_an_unknown_one_is_named(run: Run, documents: Path) -> None:
    run("sync", "--source", f"folder:{documents}")
    folder = json.loads(run("export").out.splitlines()[0])

    inside = run("search", "invoices paid", "--scope", "HR", "--json").json
    file = run("search", "unpaid leave", "--scope", folder["id"], "--json").json
    unknown = run("search", "unpaid leave", "--scope", "nowhere", "--json").json

    hits = inside["results"] + inside["candidate_results"]
    assert {hit["citation"]["path"] for hit in hits} <= {"HR/leave.md"}
    assert file["scope"]["documents"] == 1
    assert unknown["evidence"]["reason"] == "scope_unknown"


def test_the_export_has_a_line_for_every_file_and_its_chunks(run: Run, documents: Path) -> None:
    (documents / "photo.jpg").write_bytes(b"\xff\xd8\xff\xe0 not read")
    run("sync", "--source", f"folder:{documents}")

    lines = [json.loads(line) for line in run("export", "--chunks").out.splitlines()]

    assert {line["path"]: line["state"] for line in lines} == {
        "HR/leave.md": "indexed",
        "invoices.txt": "indexed",
        "photo.jpg": "skipped",
    }
    for line in lines:
        assert line["chunk_count"] == len(line["chunks"])
        for chunk in line["chunks"]:
            assert set(chunk) == {"id", "ordinal", "text", "start", "end", "locator"}
            assert chunk["end"] - chunk["start"] == len(chunk["text"])


def test_status_lists_the_files_of_one_state(run: Run, documents: Path) -> None:
    (documents / "photo.jpg").write_bytes(b"\xff\xd8\xff\xe0 not read")
    run("sync", "--source", f"folder:{documents}")

    listed = run("status", "--state", "skipped", "--json").json

    assert [entry["path"] for entry in listed["files"]] == ["photo.jpg"]
    assert listed["totals"]["in_scope"] == 3


def test_init_db_makes_an_index_that_only_its_owner_can_read(run: Run, tmp_path: Path) -> None:
    done = run("init-db")

    index = tmp_path / "data" / "index.db"
    assert done.code == 0
    assert index.stat().st_mode & 0o777 == 0o600


def test_a_profile_is_an_index_of_its_own(run: Run, tmp_path: Path) -> None:
    run("init-db", "--profile", "legal")

    assert (tmp_path / "data" / "index-legal.db").exists()
    assert not (tmp_path / "data" / "index.db").exists()


def test_an_index_inside_the_folder_it_indexes_is_not_taken_for_a_document(
    run: Run, documents: Path
) -> None:
    index = documents / "index.db"
    run("sync", "--source", f"folder:{documents}", "--db", index)

    report = run("sync", "--source", f"folder:{documents}", "--db", index, "--json").json

    assert report["coverage"]["by_state"] == {"indexed": 2}


def test_a_document_that_is_not_in_utf_8_does_not_end_a_search(run: Run, documents: Path) -> None:
    (documents / "umlaut.txt").write_bytes(
        "Die Kündigungsfrist beträgt vier Wochen.".encode("cp1252")
    )
    run("sync", "--source", f"folder:{documents}")

    done = run("search", "Kündigungsfrist Wochen", environ={"PYTHONIOENCODING": "ascii"})

    assert done.code == 0, done.err
    assert "Kündigungsfrist beträgt" in done.out


def test_what_one_file_does_to_its_parser_costs_only_that_file(run: Run, documents: Path) -> None:
    (documents / "broken.pdf").write_bytes(b"%PDF-1.7\n" + b"\x00\xff" * 4000)
    (documents / "broken.docx").write_bytes(b"PK\x03\x04 not really a zip archive")

    report = run("sync", "--source", f"folder:{documents}", "--json").json

    assert report["coverage"]["by_state"] == {"indexed": 2, "skipped": 2}
    assert report["skipped"] == {"corrupt": 2}
