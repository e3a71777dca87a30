"""What a verdict tells the client to do."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from gdrive_rag_mcp.domain import (
    Coverage,
    Evidence,
    FileState,
    Mode,
    Reason,
    SearchOutcome,
    Shortfall,
    VerdictReason,
)
from gdrive_rag_mcp.presentation import message
from gdrive_rag_mcp.presentation.messages import Audience

WHOLE = Coverage({FileState.INDEXED: 3}, {})
HOLES = Coverage(
    {FileState.INDEXED: 3, FileState.PARTIAL: 1, FileState.SKIPPED: 1, FileState.FAILED: 2},
    {Reason.PARTS_FAILED: 1, Reason.ENCRYPTED: 1, Reason.NETWORK: 2},
)


def outcome(
    reason: VerdictReason, missing: tuple[str, ...] = (), coverage: Coverage = WHOLE
) -> SearchOutcome:
    sufficient = reason is VerdictReason.OK
    return SearchOutcome(
        question="q",
        scope_id="1Xy",
        mode=Mode.HYBRID,
        evidence=Evidence(sufficient, reason, 0.1, 0.5, missing),
        coverage=coverage,
        last_sync=datetime(2026, 3, 2, tzinfo=UTC),
    )


REFUSALS = [reason for reason in VerdictReason if reason is not VerdictReason.OK]


@pytest.mark.parametrize("reason", REFUSALS)
def test_every_refusal_begins_by_telling_to_abstain(reason: VerdictReason) -> None:
    said = message(outcome(reason))

    assert said.startswith("Abstain: ")
    assert "Do not fill the gap from memory" in said
    assert "{" not in said


def test_no_two_reasons_say_the_same() -> None:
    assert len({message(outcome(reason)) for reason in VerdictReason}) == len(VerdictReason)


def test_sufficient_evidence_is_to_be_cited() -> None:
    said = message(outcome(VerdictReason.OK))

    assert "Abstain" not in said
    assert "cite the url and locator" in said


@pytest.mark.parametrize("reason", [VerdictReason.TERMS_ABSENT, VerdictReason.PARTLY_SUPPORTED])
def test_missing_terms_are_named(reason: VerdictReason) -> None:
    said = message(outcome(reason, ("안식년", "sabbatical")))

    assert "“안식년”, “sabbatical”" in said


@pytest.mark.parametrize("audience", list(Audience))
def test_words_that_cannot_be_looked_for_in_another_language_are_not_called_absent(
    audience: Audience,
) -> None:
    known = outcome(VerdictReason.OK, ("無給休暇",))
    translated = replace(
        known, evidence=replace(known.evidence, shortfall=Shortfall(another_language=True))
    )

    assert "No document in scope mentions “無給休暇”" in message(known, audience)
    said = message(translated, audience)
    assert "No document in scope mentions" not in said
    assert "in another language than the question, in which “無給休暇” cannot be looked for" in said


@pytest.mark.parametrize("reason", REFUSALS)
def test_a_weak_match_in_another_language_says_in_which_language_to_ask(
    reason: VerdictReason,
) -> None:
    made = outcome(reason)
    made = replace(
        made, evidence=replace(made.evidence, shortfall=Shortfall(another_language=True))
    )

    assert ("asked in theirs" in message(made)) == (reason is VerdictReason.WEAK_MATCH)
    assert "asked in theirs" not in message(outcome(reason))


def test_many_missing_terms_are_counted_rather_than_listed() -> None:
    said = message(outcome(VerdictReason.TERMS_ABSENT, tuple(f"term{n}" for n in range(20))))

    assert "“term7” and 12 more" in said
    assert "term8" not in said


def test_braces_in_a_term_are_shown_as_they_are() -> None:
    assert "“{scope}”" in message(outcome(VerdictReason.TERMS_ABSENT, ("{scope}",)))


def test_an_unknown_scope_is_named() -> None:
    assert "“1Xy”" in message(outcome(VerdictReason.SCOPE_UNKNOWN))


@pytest.mark.parametrize("reason", list(VerdictReason))
def test_files_that_could_not_be_read_are_counted_by_reason_in_every_verdict(
    reason: VerdictReason,
) -> None:
    said = message(outcome(reason, coverage=HOLES))

    assert "3 of 7 files in scope could not be read (2 network, 1 encrypted)" in said
    assert "list_documents names them" in said


def test_a_single_file_that_could_not_be_read_is_spoken_of_as_one() -> None:
    one = Coverage({FileState.FAILED: 1}, {Reason.NETWORK: 1})

    assert (
        "1 of 1 file in scope could not be read (1 network), so an answer may stand in it; "
        "list_documents names it." in message(outcome(VerdictReason.NO_MATCH, coverage=one))
    )


def test_a_document_read_in_part_is_not_counted_as_unread() -> None:
    assert "parts_failed" not in message(outcome(VerdictReason.OK, coverage=HOLES))


def test_where_everything_was_read_nothing_is_said_of_unread_files() -> None:
    assert "could not be read" not in message(outcome(VerdictReason.OK))


def test_a_scope_emptied_by_filters_is_not_called_unreadable() -> None:
    filtered = message(outcome(VerdictReason.SCOPE_EMPTY, coverage=WHOLE))
    unreadable = message(
        outcome(VerdictReason.SCOPE_EMPTY, coverage=Coverage({FileState.EMPTY: 1}, {}))
    )

    assert "filters" in filtered
    assert "filters" not in unreadable


@pytest.mark.parametrize(
    ("warning", "words"),
    [
        ("embedder_unavailable", "Only words were compared"),
        ("index_stale", "on 2026-03-02"),
        ("first_sync_unfinished", "The first sync has not finished"),
    ],
)
def test_a_warning_becomes_a_sentence(warning: str, words: str) -> None:
    quiet = outcome(VerdictReason.WEAK_MATCH)

    assert words not in message(quiet)
    assert words in message(replace(quiet, warnings=(warning,)))


# ── files that are held ──────────────────────────────────────────────────────

HELD = Coverage(
    {FileState.INDEXED: 1, FileState.HELD: 30}, {Reason.MASS_DELETE: 30}, held_with_text=30
)


def test_held_files_are_said_to_be_gone_and_not_to_be_unreadable() -> None:
    said = message(outcome(VerdictReason.OK, coverage=HELD))

    assert "30 files in scope are no longer seen in the source and are shown as they last" in said
    assert "`gdrive-rag-mcp sync --allow-mass-delete`" in said
    assert "could not be read" not in said


def test_a_held_file_that_never_had_text_is_counted_among_the_unread_ones() -> None:
    said = message(outcome(VerdictReason.OK, coverage=replace(HELD, held_with_text=28)))

    assert "2 of 31 files in scope could not be read (2 mass_delete)" in said


def test_one_held_file_is_spoken_of_as_one() -> None:
    one = Coverage({FileState.HELD: 1}, {Reason.MASS_DELETE: 1}, held_with_text=1)

    assert (
        "1 file in scope is no longer seen in the source and is shown as it last was"
    ) in message(outcome(VerdictReason.OK, coverage=one))


# ── who reads it ─────────────────────────────────────────────────────────────

FOR_MODELS = (
    *("Abstain", "Tell the user", "tell the user", "from memory", "say so"),
    *("list_documents", "scope_id", "candidate_results", "`results`", "modified_after"),
)


@pytest.mark.parametrize("coverage", [WHOLE, HOLES, HELD], ids=["whole", "holes", "held"])
@pytest.mark.parametrize("reason", list(VerdictReason))
def test_a_person_is_not_spoken_to_as_a_model(reason: VerdictReason, coverage: Coverage) -> None:
    warnings = ("first_sync_unfinished", "embedder_unavailable", "index_stale")
    asked = replace(outcome(reason, ("sabbatical",), coverage), warnings=warnings)

    said = message(asked, Audience.PERSON)

    assert [words for words in FOR_MODELS if words in said] == []
    assert said[0].isupper()
    assert "{" not in said


def test_a_person_is_told_what_to_type() -> None:
    unknown = message(outcome(VerdictReason.SCOPE_UNKNOWN), Audience.PERSON)
    unread = message(outcome(VerdictReason.OK, coverage=HOLES), Audience.PERSON)
    filtered = message(outcome(VerdictReason.SCOPE_EMPTY), Audience.PERSON)

    assert "without --scope" in unknown
    assert "`gdrive-rag-mcp status --files` names them" in unread
    assert "--modified-after" in filtered


def test_no_two_reasons_say_the_same_to_a_person() -> None:
    said = {message(outcome(reason), Audience.PERSON) for reason in VerdictReason}

    assert len(said) == len(VerdictReason)
