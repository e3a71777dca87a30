"""Plain text for a terminal."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

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
    VerdictReason,
)
from gdrive_rag_mcp.presentation import (
    coverage_text,
    ledger_text,
    search_text,
    status_text,
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
    assert lines[2:] == ["", "1. Lease", "   1.txt, line 1", "   The rent is 4200 euros."]


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
        (Locator("slide", "3", 3, 3), "slide 3"),
        (Locator("slide", "3", 3, 3, "notes"), "slide 3 (notes)"),
        (Locator("chapter", "OPS/two.xhtml", 2, 2, "Two"), "chapter OPS/two.xhtml (Two)"),
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
        "encrypted: save them without a password",
        "more: cursor more",
    ]


def test_a_failed_file_says_how_often_it_was_tried_and_when_it_is_again() -> None:
    failed = replace(
        RECORD,
        state=FileState.FAILED,
        reason=Reason.NETWORK,
        detail="no route",
        attempts=4,
        next_attempt=SYNCED,
    )

    assert ledger_text(LedgerPage((failed,), COVERAGE)).splitlines()[0] == (
        "failed: network  0 chunks  Finance/Sealed.pdf  "
        "(no route; 4 attempts, next 2026-03-02T08:00:00Z)"
    )


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


def test_a_status_tells_when_it_last_heard_of_everything_and_of_changes() -> None:
    fresh = replace(STATUS, last_crawl=SYNCED - timedelta(days=3), last_poll=SYNCED)

    lines = status_text(fresh).splitlines()

    assert "listed:      in full 2026-02-27T08:00:00Z" in lines
    assert "polled:      for changes 2026-03-02T08:00:00Z" in lines
    assert "polled" not in status_text(STATUS), "a folder has no log of changes"


def test_a_status_tells_what_is_not_done_with_and_what_comes_next() -> None:
    coverage = Coverage(
        {
            FileState.INDEXED: 5,
            FileState.PENDING: 4,
            FileState.HELD: 30,
            FileState.FAILED: 3,
            FileState.SKIPPED: 2,
        },
        {
            Reason.MASS_DELETE: 30,
            Reason.NETWORK: 2,
            Reason.ACCESS_DENIED: 1,
            Reason.UNSUPPORTED_TYPE: 2,
        },
    )
    status = replace(
        STATUS,
        coverage=coverage,
        retries={Reason.NETWORK: SYNCED},
        unsupported={"video/mp4": 2},
        warnings=("mass_delete_held",),
    )

    lines = status_text(status).splitlines()

    assert "pending:     4, which the next sync reads" in lines
    assert "held:        30, to be taken out by `gdrive-rag-mcp sync --allow-mass-delete`" in lines
    assert "failed:      1 access_denied, 2 network (next attempt 2026-03-02T08:00:00Z)" in lines
    assert (
        "unsupported: 2 video/mp4; save the documents as PDF, DOCX, XLSX, Markdown or text" in lines
    )
    [warning] = [line for line in lines if line.startswith("warning:")]
    assert "30 files" in warning


def test_a_new_index_says_that_it_was_never_synced() -> None:
    new = replace(STATUS, root=None, last_sync=None, embedding=None, chunking=None)

    assert "never synced" in status_text(new)
    assert "none: words only" in status_text(new)


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (FileState.HELD, "no longer in the source; held"),
        (FileState.FAILED, "as it was last read; failed since"),
        (FileState.PENDING, "as it was last read; changed since"),
    ],
)
def test_a_passage_that_is_not_as_its_source_is_now_says_so(state: FileState, said: str) -> None:
    outdated = search_text(replace(OUTCOME, outdated={"d1": state})).splitlines()

    assert f"   1.txt, line 1  ({said})" in outdated
    assert "(" not in search_text(OUTCOME).splitlines()[4]


def test_a_person_at_a_terminal_is_told_commands_not_tools() -> None:
    text = search_text(OUTCOME)

    assert "list_documents" not in text
    assert "`gdrive-rag-mcp status --files`" in text


def test_one_of_anything_is_said_in_the_singular() -> None:
    one = replace(RECORD, chunk_count=1, attempts=1, next_attempt=SYNCED)
    listed = ledger_text(LedgerPage((one,), COVERAGE))
    status = status_text(replace(STATUS, chunks=1))

    assert "  1 chunk  Finance" in listed
    assert "1 attempt, next" in listed
    assert "in 1 chunk\n" in status


def test_a_detail_that_ends_as_a_sentence_goes_on_without_its_full_stop() -> None:
    sentence = replace(RECORD, detail="Locked. Save a copy.", next_attempt=SYNCED)

    assert "(Locked. Save a copy; 1 attempt" in ledger_text(LedgerPage((sentence,), COVERAGE))


def test_a_ledger_says_what_to_do_about_the_reasons_it_shows_and_no_others() -> None:
    video = replace(RECORD, reason=Reason.UNSUPPORTED_TYPE, detail="no extractor for video/mp4")
    lines = ledger_text(LedgerPage((video, video), COVERAGE)).splitlines()

    said = "unsupported_type: save the documents as PDF, DOCX, XLSX, Markdown or text"
    assert lines.count(said) == 1
    assert not any(line.startswith("encrypted: ") for line in lines)


def test_a_hit_tells_the_headings_that_its_place_does_not() -> None:
    (hit, *_) = FOUND.hits
    hidden = replace(
        hit.passage,
        locator=Locator("sheet", "Pay!A1:B9", 1, 9, "Pay"),
        headings=("Pay (hidden sheet)",),
    )
    shown = replace(OUTCOME, retrieved=replace(FOUND, hits=(replace(hit, passage=hidden),)))

    assert "sheet Pay!A1:B9 (Pay (hidden sheet))" in search_text(shown)
