"""The verdict on retrieved evidence made by hand."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdrive_rag_mcp.domain import (
    CosineBackground,
    Evidence,
    Hit,
    Mode,
    Query,
    RetrievalStatistics,
    Retrieved,
    VerdictReason,
)
from gdrive_rag_mcp.evidence import DEFAULT_THRESHOLD, judge
from gdrive_rag_mcp.evidence.measuring import SIGNALS
from gdrive_rag_mcp.evidence.model import model_for
from gdrive_rag_mcp.evidence.specs import SPECS
from gdrive_rag_mcp.evidence.verdict import (
    CAUTIOUS_THRESHOLD,
    WARY_THRESHOLD,
    required,
)
from gdrive_rag_mcp.testing.made_evidence import hit, retrieved

QUESTION = "How many days of annual leave does a new employee get?"
KNOWN = {
    "how": 40, "many": 30, "of": 95, "a": 90, "does": 20,
    "days": 12, "annual": 4, "leave": 6, "new": 15, "employee": 10, "get": 5,
}  # fmt: skip
ANSWER = "A new employee gets 24 days of annual leave; other employees get more."
BACKGROUND = CosineBackground(0.78, 64)


def answered(*, cosine: float = 0.90, bm25: float = 14.0, text: str = ANSWER) -> tuple[Hit, ...]:
    others = [
        hit(f"Something about {word}.", rank, cosine=0.82 - rank / 100, bm25=4.0 - rank / 10)
        for rank, word in enumerate(("pay", "the office", "travel", "training"), start=2)
    ]
    return (hit(text, 1, cosine=cosine, bm25=bm25), *others)


def strong(
    mode: Mode = Mode.HYBRID, *, cosine: float = 0.90, bm25: float = 14.0, text: str = ANSWER
) -> Retrieved:
    hits = answered(cosine=cosine, bm25=bm25, text=text)
    if mode is Mode.KEYWORD:
        hits = tuple(replace(found, cosine=None, vector_rank=None) for found in hits)
    if mode is Mode.VECTOR:
        hits = tuple(replace(found, bm25=None, keyword_rank=None) for found in hits)
    background = None if mode is Mode.KEYWORD else BACKGROUND
    return retrieved(QUESTION, hits, KNOWN, mode=mode, background=background)


@pytest.mark.parametrize("mode", list(Mode))
def test_a_passage_that_says_it_all_is_sufficient(mode: Mode) -> None:
    evidence = judge(strong(mode))
    assert (evidence.sufficient, evidence.reason) == (True, VerdictReason.OK)
    assert evidence.confidence > evidence.threshold == DEFAULT_THRESHOLD
    assert evidence.missing_terms == ()
    assert set(evidence.signals) <= set(SIGNALS)
    assert all(math.isfinite(value) for value in evidence.signals.values())


def test_an_empty_scope_is_its_own_reason() -> None:
    nothing = Retrieved(Query(QUESTION), Mode.HYBRID, (), RetrievalStatistics(0, 0))
    assert judge(nothing) == Evidence(False, VerdictReason.SCOPE_EMPTY, 0.0, DEFAULT_THRESHOLD)


def test_no_hit_at_all_is_no_match() -> None:
    evidence = judge(retrieved(QUESTION, (), KNOWN))
    assert (evidence.sufficient, evidence.reason) == (False, VerdictReason.NO_MATCH)


def test_no_hit_because_the_words_are_unknown_names_them() -> None:
    evidence = judge(retrieved("Sabbatical rules?", (), {"rules": 3}, mode=Mode.KEYWORD))
    assert evidence.reason is VerdictReason.TERMS_ABSENT
    assert evidence.missing_terms == ("Sabbatical",)


def test_a_word_that_nothing_mentions_raises_the_bar_unless_it_was_set() -> None:
    known = {word: count for word, count in KNOWN.items() if word != "annual"}
    found = retrieved(QUESTION, answered(), known, background=BACKGROUND)

    assert judge(found).missing_terms == ("annual",)
    assert judge(found).threshold == CAUTIOUS_THRESHOLD > DEFAULT_THRESHOLD
    assert judge(found, threshold=0.3).threshold == 0.3
    assert judge(strong()).threshold == DEFAULT_THRESHOLD


@pytest.mark.parametrize("mode", list(Mode))
def test_a_question_of_function_words_alone_is_never_answered(mode: Mode) -> None:
    question = "What is it of the and?"
    known = dict.fromkeys(("what", "is", "it", "of", "the", "and"), 90)
    hits = answered(text="What is it of the and?")
    evidence = judge(retrieved(question, hits, known, mode=mode, background=BACKGROUND))
    assert (evidence.sufficient, evidence.confidence) == (False, 0.0)


@pytest.mark.parametrize("background", [None, CosineBackground(0.8, 4)])
def test_across_languages_a_handful_of_passages_answers_nothing(
    background: CosineBackground | None,
) -> None:
    asked = "Wie viele Urlaubstage bekommt eine neue Mitarbeiterin?"
    evidence = judge(retrieved(asked, answered(), KNOWN, chunks=4, background=background))
    assert (evidence.sufficient, evidence.reason) == (False, VerdictReason.WEAK_MATCH)


def test_hits_that_share_little_are_a_weak_match() -> None:
    hits = tuple(
        hit("The office moves.", rank, cosine=0.80 - rank / 500, bm25=1.0) for rank in range(1, 6)
    )
    evidence = judge(retrieved(QUESTION, hits, KNOWN, background=BACKGROUND))
    assert (evidence.sufficient, evidence.reason) == (False, VerdictReason.WEAK_MATCH)


def test_a_word_that_stands_nowhere_in_scope_is_named() -> None:
    question = "How many days of sabbatical does a new employee get?"
    hits = tuple(
        hit("A new employee is trained.", rank, cosine=0.80 - rank / 500, bm25=2.0)
        for rank in range(1, 6)
    )
    evidence = judge(retrieved(question, hits, KNOWN, background=BACKGROUND))
    assert (evidence.sufficient, evidence.reason) == (False, VerdictReason.TERMS_ABSENT)
    assert evidence.missing_terms == ("sabbatical",)


def test_a_covered_half_without_the_other_is_partly_supported() -> None:
    question = "How many days of annual leave for a new employee, and which parental notice?"
    known = KNOWN | {"notice": 5, "parental": 4, "which": 10, "and": 90, "for": 80}
    hits = tuple(
        hit("A new employee has annual leave.", rank, cosine=0.81 - rank / 900, bm25=4.0)
        for rank in range(1, 6)
    )
    made = retrieved(question, hits, known, background=BACKGROUND)
    evidence = judge(made, threshold=1.0)
    assert (evidence.sufficient, evidence.reason) == (False, VerdictReason.PARTLY_SUPPORTED)


@pytest.mark.parametrize("code", ["2031", "KX-4711", "A380"])
def test_a_number_or_code_that_stands_nowhere_is_refused_however_good_the_rest(code: str) -> None:
    question = f"How many days of annual leave does a new employee get in {code}?"
    evidence = judge(
        retrieved(question, answered(), KNOWN | {"in": 90, "kx": 1}, background=BACKGROUND)
    )
    assert (evidence.sufficient, evidence.reason) == (False, VerdictReason.TERMS_ABSENT)
    assert evidence.missing_terms[0] in code


def test_the_operators_threshold_decides() -> None:
    assert not judge(strong(cosine=0.84, bm25=5.0), threshold=0.9999).sufficient
    assert judge(strong(), threshold=0.0).sufficient
    assert judge(strong(), threshold=0.3).threshold == 0.3


def test_judging_twice_gives_the_same() -> None:
    assert judge(strong()) == judge(strong())


# ── across languages ─────────────────────────────────────────────────────────

GERMAN = "Wie viele Urlaubstage hat ein neuer Mitarbeiter im Jahr?"


def test_unknown_words_of_another_language_do_not_refuse_what_the_vectors_find() -> None:
    made = retrieved(GERMAN, answered(cosine=0.93), {}, background=BACKGROUND)
    evidence = judge(made)
    assert (evidence.sufficient, evidence.reason) == (True, VerdictReason.OK)
    assert "Urlaubstage" in evidence.missing_terms
    assert evidence.shortfall.another_language
    assert not judge(strong()).shortfall.another_language


def test_weak_vectors_across_languages_are_a_weak_match_not_absent_terms() -> None:
    made = retrieved(GERMAN, answered(cosine=0.80), {}, background=BACKGROUND)
    evidence = judge(made)
    assert (evidence.sufficient, evidence.reason) == (False, VerdictReason.WEAK_MATCH)
    assert evidence.shortfall.another_language


def test_the_same_unknown_words_are_damning_where_the_language_is_the_passages() -> None:
    text = "Die neue Kantine ist im Erdgeschoss und hat von elf bis zwei Uhr für alle geöffnet."
    made = retrieved(GERMAN, answered(text=text, bm25=1.0), {}, background=BACKGROUND)
    evidence = judge(made)
    assert (evidence.sufficient, evidence.reason) == (False, VerdictReason.TERMS_ABSENT)


@pytest.mark.parametrize("mode", [Mode.HYBRID, Mode.VECTOR])
def test_vectors_alone_are_no_evidence_where_no_word_of_the_question_is_known(mode: Mode) -> None:
    function_words = {word: KNOWN[word] for word in ("how", "many", "of", "a", "does")}
    made = strong(mode, cosine=0.99, text="Everybody works from Monday to Friday.")
    unknown = retrieved(QUESTION, made.hits, function_words, mode=mode, background=BACKGROUND)
    assert judge(made).confidence > 0.0
    assert judge(unknown).confidence == 0.0
    assert judge(unknown).reason is VerdictReason.TERMS_ABSENT


def test_a_code_that_stands_nowhere_is_refused_in_any_language() -> None:
    question = "Wie viele Urlaubstage gab es für neue Mitarbeiter im Jahr 2031?"
    made = retrieved(question, answered(cosine=0.93), {}, background=BACKGROUND)
    evidence = judge(made)
    assert (evidence.reason, evidence.missing_terms) == (VerdictReason.TERMS_ABSENT, ("2031",))


# ── what must hold for any input ─────────────────────────────────────────────


@given(
    kind=st.sampled_from(["hybrid", "keyword", "vector", "across"]),
    values=st.lists(
        st.floats(-5, 10) | st.just(float("nan")), min_size=len(SIGNALS), max_size=len(SIGNALS)
    ),
    place=st.integers(0, len(SIGNALS) - 1),
    more=st.floats(0.01, 5),
)
def test_confidence_moves_with_every_signal_in_the_direction_of_its_weight(
    kind: str, values: list[float], place: int, more: float
) -> None:
    model = model_for(kind)
    signals = dict(zip(SIGNALS, values, strict=True))
    name = list(SIGNALS)[place]
    raised = {**signals, name: signals[name] + more}
    before, after = model.confidence(signals), model.confidence(raised)
    assert 0.0 <= before <= 1.0
    weight = model.weights[name].weight if name in model.weights else 0.0
    assert (after - before) * weight >= 0.0


AGAINST = ("keyword_winner_lag", "chance_coverage", "passages_competing", "tokens_spread")


@pytest.mark.parametrize("kind", SPECS)
def test_no_model_holds_coverage_or_nearness_against_a_passage(kind: str) -> None:
    for name, weight in model_for(kind).weights.items():
        if name in AGAINST:
            assert weight.weight <= 0.0
        else:
            assert weight.weight >= 0.0


@pytest.mark.parametrize("kind", ["tokens", "keyword", "vector"])
def test_what_is_seen_is_worth_less_among_more_passages(kind: str) -> None:
    model = model_for(kind)
    seen = dict.fromkeys(SIGNALS, 0.5)
    few, many = (
        model.confidence({**seen, "passages_competing": math.log(chunks)}) for chunks in (50, 5_000)
    )
    assert many < few


@given(words=st.lists(st.sampled_from(sorted(KNOWN)), max_size=8), bm25=st.floats(0.5, 20))
def test_a_passage_that_holds_more_of_the_question_never_loses_confidence(
    words: list[str], bm25: float
) -> None:
    plain, fuller = "The rules.", "The rules. " + " ".join(words)
    confidence = [judge(strong(text=text, bm25=bm25)).confidence for text in (plain, fuller)]
    assert confidence[0] <= confidence[1] + 1e-12


@given(cosine=st.floats(0.81, 0.9), nearer=st.floats(0.0, 0.09))
def test_a_nearer_passage_never_loses_confidence(cosine: float, nearer: float) -> None:
    far, near = judge(strong(cosine=cosine)), judge(strong(cosine=cosine + nearer))
    assert far.confidence <= near.confidence + 1e-12
    assert near.sufficient or not far.sufficient


@pytest.mark.parametrize(
    ("model", "known", "enough"),
    [
        ("hybrid", 0.69, CAUTIOUS_THRESHOLD),
        ("keyword", 0.69, CAUTIOUS_THRESHOLD),
        ("hybrid", 0.7, DEFAULT_THRESHOLD),
        ("tokens", 0.69, DEFAULT_THRESHOLD),
        ("tokens", 0.49, WARY_THRESHOLD),
        ("tokens_across", 0.0, DEFAULT_THRESHOLD),
        ("across", 0.0, DEFAULT_THRESHOLD),
    ],
)
def test_more_is_asked_for_the_more_of_a_question_nothing_in_scope_mentions(
    model: str, known: float, enough: float
) -> None:
    assert required(model, known) == enough
    assert DEFAULT_THRESHOLD < WARY_THRESHOLD < CAUTIOUS_THRESHOLD
