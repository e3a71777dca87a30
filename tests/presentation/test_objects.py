"""The JSON objects, whole and word for word: clients depend on every key."""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from gdrive_rag_mcp import presentation as present
from gdrive_rag_mcp.domain import (
    Coverage,
    EmbeddingIdentity,
    Evidence,
    FileRecord,
    FileState,
    Hit,
    IndexStatus,
    LedgerPage,
    Locator,
    Mode,
    Passage,
    Query,
    Reason,
    RetrievalStatistics,
    Retrieved,
    SearchOutcome,
    Shortfall,
    StoredDocument,
    SyncReport,
    VerdictReason,
    Weakness,
)

MODIFIED = datetime(2026, 2, 1, 13, 30, tzinfo=timezone(timedelta(hours=1)))
SYNCED = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
COVERAGE = Coverage(
    {
        FileState.INDEXED: 811,
        FileState.PARTIAL: 1,
        FileState.EMPTY: 12,
        FileState.SKIPPED: 4,
        FileState.PENDING: 2,
    },
    {Reason.PARTS_FAILED: 1, Reason.NEEDS_OCR: 12, Reason.ENCRYPTED: 4},
)
PASSAGE = Passage(
    chunk_id="1AbC:4:9f3a01bc",
    document_id="1AbC",
    title="Leave policy",
    name="Leave.docx",
    path="HR/Leave.docx",
    mime_type="application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    text="Unpaid leave\nneeds “consent”.",
    context="",
    headings=("Leave", "Unpaid"),
    start=120,
    end=149,
    locator=Locator("heading", "Leave > Unpaid"),
    url="https://docs.example.com/1AbC",
    modified_time=MODIFIED,
    indexed_at=SYNCED,
    revision="r7",
)
HIT = Hit(PASSAGE, 1, 0.0163934426, keyword_rank=2, vector_rank=1, bm25=3.1, cosine=0.84126)
RETRIEVED = Retrieved(
    Query("sabbatical"), Mode.HYBRID, (HIT,), RetrievalStatistics(812, 4000, (), 10.0)
)
REFUSED = SearchOutcome(
    question="Is there a sabbatical?",
    scope_id=None,
    mode=Mode.HYBRID,
    evidence=Evidence(
        sufficient=False,
        reason=VerdictReason.TERMS_ABSENT,
        confidence=0.07123,
        threshold=0.5,
        missing_terms=("sabbatical",),
        signals={"coverage": 0.0},
        shortfall=Shortfall(
            weaknesses=(Weakness.FAR_IN_MEANING, Weakness.LACKS_TERMS),
            lacking_terms=("sabbatical",),
        ),
    ),
    coverage=COVERAGE,
    last_sync=SYNCED,
    warnings=("unreadable_files_in_scope",),
    retrieved=RETRIEVED,
)
ANSWERED = replace(
    REFUSED, evidence=replace(REFUSED.evidence, sufficient=True, reason=VerdictReason.OK)
)
RECORD = FileRecord(
    id="1AbC",
    name="Leave.docx",
    path="HR/Leave.docx",
    mime_type="application/msword",
    state=FileState.PARTIAL,
    reason=Reason.PARTS_FAILED,
    detail="page 3: damaged",
    version="9",
    revision="r7",
    size=2048,
    md5="d41d8cd9",
    url="https://docs.example.com/1AbC",
    modified_time=MODIFIED,
    attempts=0,
    next_attempt=None,
    content_hash="ab12",
    chunk_count=1,
    indexed_at=SYNCED,
)


def test_a_refused_search_shows_its_hits_as_candidates_only() -> None:
    assert present.search_object(REFUSED) == {
        "query": "Is there a sabbatical?",
        "scope": {"id": None, "documents": 812},
        "evidence": {
            "sufficient": False,
            "reason": "terms_absent",
            "confidence": 0.0712,
            "threshold": 0.5,
            "missing_terms": ["sabbatical"],
            "lacking_terms": ["sabbatical"],
            "weaknesses": ["far_in_meaning", "lacks_terms"],
            "supported_parts": [],
            "unsupported_parts": [],
            "mode": "hybrid",
            "warnings": ["unreadable_files_in_scope"],
            "message": (
                "Abstain: no document in scope mentions “sabbatical”. Tell the user so, or ask "
                "again without that if the question does not turn on it; `candidate_results` "
                "are about something else and support no answer. Do not fill the gap from memory "
                "or general knowledge. "
                "18 of 830 files in scope could not be read (12 needs_ocr, "
                "4 encrypted, 2 pending), so an answer may stand in one of them; "
                "list_documents names them. What helps 12 needs_ocr: their pages are "
                "pictures: set GDRIVE_RAG_OCR_LANGUAGES, or run a text recognition over them."
            ),
            "coverage": {
                "in_scope": 830,
                "searchable": 812,
                "unreadable": 18,
                "last_sync": "2026-03-02T08:00:00Z",
            },
        },
        "results": [],
        "candidate_results": [
            {
                "rank": 1,
                "chunk_id": "1AbC:4:9f3a01bc",
                "document_id": "1AbC",
                "title": "Leave policy",
                "text": "Unpaid leave\nneeds “consent”.",
                "score": 0.016393,
                "signals": {
                    "keyword_rank": 2,
                    "vector_rank": 1,
                    "cosine": 0.8413,
                    "bm25_of_ideal": 0.31,
                },
                "citation": {
                    "url": "https://docs.example.com/1AbC",
                    "path": "HR/Leave.docx",
                    "locator": {"kind": "heading", "value": "Leave > Unpaid"},
                    "modified_time": "2026-02-01T12:30:00Z",
                    "indexed_at": "2026-03-02T08:00:00Z",
                    "revision": "r7",
                },
            }
        ],
    }


def test_an_answered_search_shows_the_same_hits_as_results() -> None:
    answered, refused = present.search_object(ANSWERED), present.search_object(REFUSED)

    assert answered["results"] == refused["candidate_results"]
    assert answered["candidate_results"] == []


def test_a_search_that_never_ran_shows_no_hits_and_the_scope_it_was_given() -> None:
    unknown = replace(
        REFUSED, scope_id="1Xy", coverage=Coverage({}, {}), last_sync=None, retrieved=None
    )
    shown = present.search_object(unknown)

    assert shown["scope"] == {"id": "1Xy", "documents": 0}
    assert shown["evidence"]["coverage"]["last_sync"] is None
    assert shown["results"] == shown["candidate_results"] == []


def test_a_hit_of_one_retriever_has_no_signals_of_the_other() -> None:
    by_meaning = replace(HIT, keyword_rank=None, bm25=None)
    outcome = replace(REFUSED, retrieved=replace(RETRIEVED, hits=(by_meaning,)))

    [shown] = present.search_object(outcome)["candidate_results"]
    assert shown["signals"] == {
        "keyword_rank": None,
        "vector_rank": 1,
        "cosine": 0.8413,
        "bm25_of_ideal": None,
    }


def test_what_one_must_know_to_read_a_row_stands_beside_its_text() -> None:
    row = replace(PASSAGE, text="Travel; 12000", context="Item; Planned")
    outcome = replace(REFUSED, retrieved=replace(RETRIEVED, hits=(replace(HIT, passage=row),)))

    [shown] = present.search_object(outcome)["candidate_results"]
    assert (shown["context"], shown["text"]) == ("Item; Planned", "Travel; 12000")


@pytest.mark.parametrize(
    ("start", "text", "end", "next_start"),
    [(0, "abc", 3, 3), (7, "hij", 10, None), (20, "", 20, None)],
    ids=["first page", "last page", "beyond the end"],
)
def test_a_page_of_a_document_says_where_the_next_one_starts(
    start: int, text: str, end: int, next_start: int | None
) -> None:
    shown = present.document_object(StoredDocument(RECORD, "Leave", text, start, 10))

    assert (shown["start"], shown["end"], shown["next_start"]) == (start, end, next_start)
    assert shown["length"] == 10
    assert shown["text"] == text


def test_metadata_tell_everything_the_ledger_knows() -> None:
    assert present.metadata_object(RECORD) == {
        "document_id": "1AbC",
        "url": "https://docs.example.com/1AbC",
        "mime_type": "application/msword",
        "state": "partial",
        "reason": "parts_failed",
        "size": 2048,
        "md5": "d41d8cd9",
        "content_hash": "ab12",
        "version": "9",
        "revision": "r7",
        "modified_time": "2026-02-01T12:30:00Z",
        "indexed_at": "2026-03-02T08:00:00Z",
        "chunk_count": 1,
        "attempts": 0,
        "next_attempt": None,
        "name": "Leave.docx",
        "path": "HR/Leave.docx",
        "detail": "page 3: damaged",
    }


def test_the_totals_of_the_ledger_add_up_to_what_is_in_scope() -> None:
    shown = present.ledger_object(LedgerPage((RECORD,), COVERAGE, "next"))

    totals = shown["totals"]
    assert sum(totals["by_state"].values()) == totals["in_scope"] == 830
    assert totals["searchable"] + totals["unreadable"] == totals["in_scope"]
    assert shown["next_cursor"] == "next"
    assert [entry["document_id"] for entry in shown["files"]] == ["1AbC"]


def _status(embedding: EmbeddingIdentity | None) -> IndexStatus:
    return IndexStatus(
        schema_version=1,
        generation=2,
        root="drive:1Root",
        documents=812,
        chunks=4000,
        vectors=4000,
        embedding=embedding,
        chunking="structural 1",
        vector_backend="memory",
        last_sync=SYNCED,
        coverage=COVERAGE,
        warnings=("index_stale",),
    )


def test_a_status_names_what_made_the_vectors() -> None:
    shown = present.status_object(_status(EmbeddingIdentity("embedded", "e5", 384, "f00d")))

    assert shown["embedding"] == {
        "provider": "embedded",
        "model": "e5",
        "dimensions": 384,
        "fingerprint": "f00d",
    }
    assert shown["warnings"] == ["index_stale"]
    assert shown["coverage"]["in_scope"] == 830


def test_a_status_without_vectors_names_none() -> None:
    assert present.status_object(_status(None))["embedding"] is None


def test_a_line_of_an_export_has_the_keys_an_audit_reads() -> None:
    shown = present.export_object(RECORD, [(4, PASSAGE)])

    assert shown == {
        "id": "1AbC",
        "path": "HR/Leave.docx",
        "name": "Leave.docx",
        "mime": "application/msword",
        "state": "partial",
        "reason": "parts_failed",
        "revision": "r7",
        "content_hash": "ab12",
        "chunk_count": 1,
        "indexed_at": "2026-03-02T08:00:00Z",
        "chunks": [
            {
                "id": "1AbC:4:9f3a01bc",
                "ordinal": 4,
                "text": "Unpaid leave\nneeds “consent”.",
                "start": 120,
                "end": 149,
                "locator": {"kind": "heading", "value": "Leave > Unpaid"},
            }
        ],
    }
    assert "chunks" not in present.export_object(RECORD)


REPORT = SyncReport(
    added=800,
    updated=8,
    unchanged=2,
    moved=2,
    removed=3,
    held=0,
    embedded_chunks=120,
    reused_chunks=40,
    pending_vectors=0,
    api_calls=17,
    downloads=9,
    seconds=12.3456,
    complete=True,
    coverage=COVERAGE,
    warnings=("a warning",),
)


def test_a_sync_is_summed_up_by_what_it_did_and_by_what_there_is() -> None:
    shown = present.sync_object(REPORT)

    assert shown["skipped"] == {"encrypted": 4}
    assert shown["failed"] == {}
    assert (shown["api_calls"], shown["downloads"], shown["seconds"]) == (17, 9, 12.35)
    assert shown["added"] + shown["updated"] + shown["unchanged"] + shown["moved"] == 812
    assert shown["coverage"]["searchable"] == 812
    assert sum(shown["coverage"]["by_state"].values()) == shown["coverage"]["in_scope"]


@pytest.mark.parametrize(
    "shown",
    [
        present.search_object(REFUSED),
        present.document_object(StoredDocument(RECORD, "Leave", "text", 0, 4)),
        present.metadata_object(RECORD),
        present.ledger_object(LedgerPage((RECORD,), COVERAGE)),
        present.status_object(_status(None)),
        present.export_object(RECORD, [(4, PASSAGE)]),
        present.sync_object(REPORT),
    ],
    ids=["search", "document", "metadata", "ledger", "status", "export", "sync"],
)
def test_every_object_is_one_line_of_json_in_its_own_characters(
    shown: Mapping[str, object],
) -> None:
    line = present.as_json(shown)

    assert "\n" not in line
    assert "\\u" not in line
    assert json.loads(line) == shown


def test_a_hit_from_a_file_that_is_not_as_it_was_has_its_state() -> None:
    [marked] = present.search_object(replace(ANSWERED, outdated={"1AbC": FileState.HELD}))[
        "results"
    ]
    [plain] = present.search_object(ANSWERED)["results"]

    assert marked["state"] == "held"
    assert "state" not in plain


def test_a_passage_tells_the_headings_that_its_locator_does_not() -> None:
    hidden = replace(
        PASSAGE,
        locator=Locator("sheet", "Pay!A1:B9", 1, 9, "Pay"),
        headings=("Pay (hidden sheet)",),
    )

    shown = present.export_object(RECORD, [(0, hidden)])

    assert shown["chunks"][0]["headings"] == ["Pay (hidden sheet)"]
    assert "headings" not in present.export_object(RECORD, [(0, PASSAGE)])["chunks"][0]
