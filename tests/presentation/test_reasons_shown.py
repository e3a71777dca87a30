"""What a refusal says is lacking, and what to do about it; never in a document's words."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from gdrive_rag_mcp.domain import (
    Coverage,
    Evidence,
    FileState,
    Mode,
    Query,
    Reason,
    RetrievalStatistics,
    Retrieved,
    SearchOutcome,
    Shortfall,
    VerdictReason,
    Weakness,
)
from gdrive_rag_mcp.presentation import message, search_object, search_text
from gdrive_rag_mcp.presentation.messages import Audience, refusal_to_pass_on
from gdrive_rag_mcp.presentation.shortfalls import WEAKNESSES
from gdrive_rag_mcp.testing.made_evidence import hit

SECRET = "zanzibar"
TITLE = "Quixotic"
REMEDIES = {
    VerdictReason.NO_INDEX: "gdrive-rag-mcp sync",
    VerdictReason.SCOPE_UNKNOWN: "without",
    VerdictReason.SCOPE_EMPTY: "why it could not be read",
    VerdictReason.NO_MATCH: "looks at all documents",
    VerdictReason.TERMS_ABSENT: "ask again without that",
    VerdictReason.WEAK_MATCH: "other words",
    VerdictReason.PARTLY_SUPPORTED: "alone",
}
WHOLE = Coverage({FileState.INDEXED: 3}, {})
HOLES = Coverage({FileState.INDEXED: 3, FileState.SKIPPED: 2}, {Reason.ENCRYPTED: 2})
OPEN_PART = Shortfall(
    weaknesses=(Weakness.LACKS_TERMS,),
    lacking_terms=("signs",),
    supported_parts=("What is the notice period",),
    unsupported_parts=("who signs it",),
)


def refused(
    reason: VerdictReason,
    shortfall: Shortfall = OPEN_PART,
    coverage: Coverage = HOLES,
) -> SearchOutcome:
    searched = reason not in (VerdictReason.NO_INDEX, VerdictReason.SCOPE_UNKNOWN)
    question = "What is the notice period and who signs it?"
    if reason is VerdictReason.SCOPE_EMPTY:
        coverage = Coverage({FileState.SKIPPED: 2}, {Reason.ENCRYPTED: 2})
    hits = (hit(f"The {SECRET} rule.", 1, cosine=0.8, title=TITLE),)
    return SearchOutcome(
        question=question,
        scope_id="1Xy",
        mode=Mode.KEYWORD,
        evidence=Evidence(False, reason, 0.1, 0.5, (), {}, shortfall),
        coverage=coverage,
        last_sync=datetime(2026, 3, 2, tzinfo=UTC),
        retrieved=Retrieved(Query(question), Mode.KEYWORD, hits, RetrievalStatistics(3, 9))
        if searched
        else None,
    )


@pytest.mark.parametrize("audience", list(Audience))
@pytest.mark.parametrize("reason", list(REMEDIES))
def test_every_refusal_says_what_to_do(reason: VerdictReason, audience: Audience) -> None:
    assert REMEDIES[reason] in message(refused(reason), audience)


@pytest.mark.parametrize("audience", list(Audience))
@pytest.mark.parametrize("reason", list(VerdictReason))
def test_no_message_has_a_word_of_a_document(reason: VerdictReason, audience: Audience) -> None:
    everything = Shortfall(tuple(Weakness), ("signs",), ("notice",), ("who signs",), ("a b",))
    outcome = refused(reason, everything)
    outcome = replace(
        outcome,
        evidence=replace(outcome.evidence, sufficient=reason is VerdictReason.OK),
    )
    said = [message(outcome, audience)]
    if reason is not VerdictReason.OK:
        said.append(refusal_to_pass_on(outcome))

    assert [text for text in said if SECRET in text or TITLE in text or "{" in text] == []


def test_the_open_part_is_named_and_the_other_one_is_what_to_ask_for() -> None:
    said = message(refused(VerdictReason.PARTLY_SUPPORTED))

    assert "none answers “who signs it”" in said
    assert "ask for “What is the notice period” alone" in said


def test_a_question_of_one_part_has_the_words_named_that_no_passage_holds() -> None:
    one_part = Shortfall(lacking_terms=("parental", "notice"))

    said = message(refused(VerdictReason.PARTLY_SUPPORTED, one_part))

    assert "none holds “parental”, “notice”" in said
    assert "ask again without it" in said


@pytest.mark.parametrize("weakness", list(Weakness))
def test_every_weakness_has_a_sentence_of_its_own(weakness: Weakness) -> None:
    lacking = Shortfall((weakness,), ("signs",), quotations=("no dogs",))

    said = message(refused(VerdictReason.WEAK_MATCH, lacking))

    assert WEAKNESSES[weakness].split("{", maxsplit=1)[0] in said
    assert len(set(WEAKNESSES.values())) == len(Weakness)


def test_weaknesses_are_told_in_their_order() -> None:
    lacking = Shortfall((Weakness.FAR_IN_MEANING, Weakness.LACKS_TERMS), ("signs",))

    said = message(refused(VerdictReason.WEAK_MATCH, lacking), Audience.PERSON)

    assert (
        "The nearest passages do not support an answer: the best of them is no nearer in meaning"
        " than passages are by chance and does not hold “signs”."
    ) in said


@pytest.mark.parametrize("reason", [VerdictReason.TERMS_ABSENT, VerdictReason.OK])
def test_a_quotation_that_stands_nowhere_is_named_whatever_the_verdict(
    reason: VerdictReason,
) -> None:
    outcome = refused(reason, Shortfall(quotations=("no dogs",)))
    sufficient = reason is VerdictReason.OK

    said = message(replace(outcome, evidence=replace(outcome.evidence, sufficient=sufficient)))

    assert "No document in scope has “no dogs” word for word" in said


def test_unreadable_files_come_with_what_helps_them() -> None:
    said = message(refused(VerdictReason.WEAK_MATCH))

    assert "2 of 5 files in scope could not be read (2 encrypted)" in said
    assert "What helps 2 encrypted: save them without a password." in said
    assert "What helps" not in message(refused(VerdictReason.WEAK_MATCH, coverage=WHOLE))


def test_a_refusal_by_words_alone_says_so_and_an_answer_does_not() -> None:
    outcome = refused(VerdictReason.WEAK_MATCH)
    answered = replace(
        outcome, evidence=replace(outcome.evidence, sufficient=True, reason=VerdictReason.OK)
    )

    assert "Only words were compared" in message(outcome)
    assert "Only words were compared" not in message(replace(outcome, mode=Mode.HYBRID))
    assert "Only words were compared" not in message(answered)


def test_a_search_of_everything_is_not_told_to_search_wider() -> None:
    outcome = refused(VerdictReason.NO_MATCH)

    assert "without scope_id" in message(outcome)
    assert "without --scope" in message(outcome, Audience.PERSON)
    assert "looks at all" not in message(replace(outcome, scope_id=None))


def test_clients_get_the_same_as_fields() -> None:
    shown = search_object(refused(VerdictReason.PARTLY_SUPPORTED))["evidence"]

    assert shown["weaknesses"] == ["lacks_terms"]
    assert shown["lacking_terms"] == ["signs"]
    assert shown["supported_parts"] == ["What is the notice period"]
    assert shown["unsupported_parts"] == ["who signs it"]


def test_a_terminal_shows_the_open_part_before_the_passages() -> None:
    shown = search_text(refused(VerdictReason.PARTLY_SUPPORTED)).splitlines()

    assert shown[0].startswith("Not answered: partly_supported")
    assert "none answers “who signs it”" in shown[1]
    assert [line for line in shown[:2] if TITLE in line] == []
    assert any(TITLE in line for line in shown[2:])
