"""Plain text for a terminal."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from gdrive_rag_mcp.domain import (
    Coverage,
    EmbeddingIdentity,
    Evidence,
    FileRecord,
    FileState,
    IndexStatus,
    LedgerPage,
    Locator,
    Mode,
    Reason,
    SearchOutcome,
    SyncReport,
    VerdictReason,
)
from gdrive_rag_mcp.presentation import (
    coverage_text,
    ledger_text,
    search_text,
    status_text,
    sync_text,
)
from gdrive_rag_mcp.presentation.plain import place
from gdrive_rag_mcp.testing.made_evidence import hit, retrieved

SYNCED = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
COVERAGE = Coverage({FileState.INDEXED: 2, FileState.SKIPPED: 1}, {Reason.ENCRYPTED: 1})
FOUND = retrieved("rent", (hit("The rent is 4200 euros.", bm25=1.0, title="Lease"),), {"rent": 1})
OUTCOME = SearchOutcome(
    question="rent",
    scope_id=None,
    mode=Mode.KEYWORD,
    evidence=Evidence(sufficient=True, reason=VerdictReason.OK, confidence=0.91, threshold=0.5),
    coverage=COVERAGE,
    last_sync=SYNCED,
    retrieved=FOUND,
)
RECORD = FileRecord(
    id="1",
    name="Sealed.pdf",
    path="Finance/Sealed.pdf",
    mime_type="application/pdf",
    state=FileState.SKIPPED,
    reason=Reason.ENCRYPTED,
    detail="needs a password",
    version="1",
    revision=None,
    size=None,
    md5=None,
    url=None,
    modified_time=None,
    attempts=1,
    next_attempt=None,
    content_hash=None,
    chunk_count=0,
    indexed_at=None,
)


def test_an_answer_is_the_verdict_then_the_cited_passages() -> None:
    lines = search_text(OUTCOME).splitlines()

    assert lines[0] == "Answered: ok (confidence 0.91, threshold 0.50, keyword search)"
    assert lines[2:] == ["", "1. Lease", "   1.txt, lines 1", "   The rent is 4200 euros."]


def test_a_refusal_says_so_before_it_shows_what_is_near() -> None:
    refused = replace(OUTCOME, evidence=Evidence(False, VerdictReason.WEAK_MATCH, 0.2, 0.5))
    text = search_text(refused)

    assert text.startswith("Not answered: weak_match")
    assert text.index("no evidence") < text.index("The rent is")


def test_a_search_that_never_ran_is_the_verdict_alone() -> None:
    none = replace(
        OUTCOME,
        evidence=Evidence(False, VerdictReason.NO_INDEX, 0.0, 0.5),
        coverage=Coverage({}, {}),
        retrieved=None,
    )

    assert len(search_text(none).splitlines()) == 2


def test_terminal_controls_from_documents_are_not_printed() -> None:
    nasty = hit("\x1b[2Jgone \x07", title="a\x1b]0;title\nb", bm25=1.0)
    text = search_text(replace(OUTCOME, retrieved=replace(FOUND, hits=(nasty,))))
    listed = ledger_text(
        LedgerPage((replace(RECORD, path="a\x1b[31m\nb.pdf", detail="\x9b1m"),), COVERAGE)
    )

    for shown in (text, listed):
        assert not any(ord(character) < 32 and character != "\n" for character in shown)
        assert "\x9b" not in shown


def test_a_long_passage_is_cut_and_says_so() -> None:
    long = hit("word " * 500, bm25=1.0)
    last = search_text(replace(OUTCOME, retrieved=replace(FOUND, hits=(long,)))).splitlines()[-1]

    assert last.endswith("…")
    assert len(last) < 400


@pytest.mark.parametrize(
    ("locator", "said"),
    [
        (Locator("page", "4", 4, 4), "page 4"),
        (Locator("page", "4", 4, 4, "iv"), "page 4 (printed iv)"),
        (Locator("heading", "Leave > Unpaid"), "heading Leave > Unpaid"),
        (Locator("sheet", "Budget!A2:C2", 2, 2, "Budget"), "sheet Budget!A2:C2"),
        (Locator("lines", "12-40", 12, 40), "lines 12-40"),
    ],
)
def test_a_place_is_said_as_a_reader_says_it(locator: Locator, said: str) -> None:
    assert place(locator) == said


def test_a_ledger_is_a_line_a_file_and_the_totals() -> None:
    fine = replace(
        RECORD, path="A.md", state=FileState.INDEXED, reason=None, detail="", chunk_count=12
    )
    text = ledger_text(LedgerPage((fine, RECORD), COVERAGE, "more"))

    assert text.splitlines() == [
        "indexed             12 chunks  A.md",
        "skipped: encrypted   0 chunks  Finance/Sealed.pdf  (needs a password)",
        "",
        "3 in scope: 2 indexed, 1 skipped; because: 1 encrypted",
        "more: cursor more",
    ]


def test_an_empty_ledger_says_that_nothing_is_in_scope() -> None:
    assert ledger_text(LedgerPage((), Coverage({}, {}))) == "0 in scope: nothing"


def test_coverage_leaves_out_what_does_not_occur() -> None:
    assert coverage_text(Coverage({FileState.INDEXED: 1, FileState.HELD: 0}, {})) == (
        "1 in scope: 1 indexed"
    )


STATUS = IndexStatus(
    schema_version=1,
    generation=2,
    root="folder:/srv/docs",
    documents=2,
    chunks=9,
    vectors=9,
    embedding=EmbeddingIdentity("embedded", "e5", 384, "f00dfeedf00dfeed"),
    chunking="structural 1",
    vector_backend="vec0",
    last_sync=SYNCED,
    coverage=COVERAGE,
    warnings=("index_stale",),
)


def test_a_status_tells_root_freshness_and_embedding() -> None:
    text = status_text(STATUS)

    assert "folder:/srv/docs" in text
    assert "2026-03-02T08:00:00Z" in text
    assert "embedded e5, 384 dimensions, f00dfeedf00d" in text
    assert "index_stale" in text


def test_a_new_index_says_that_it_was_never_synced() -> None:
    new = replace(STATUS, root=None, last_sync=None, embedding=None, chunking=None)

    assert "never synced" in status_text(new)
    assert "none: words only" in status_text(new)


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
    assert "nothing was taken for gone" in text
    assert "warning: beware" in text
