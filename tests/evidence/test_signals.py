"""Each signal against values worked out by hand."""

import math
import re
import sys
from dataclasses import replace

import pytest

from gdrive_rag_mcp.domain import CosineBackground, Mode, Retrieved
from gdrive_rag_mcp.evidence import signals
from gdrive_rag_mcp.evidence.measuring import SIGNALS, measure
from gdrive_rag_mcp.evidence.reading import READ_HITS, WINDOW, Reading, read
from gdrive_rag_mcp.evidence.token_signals import TOKEN_SIGNALS
from gdrive_rag_mcp.testing.made_evidence import hit, idf, passage, retrieved

QUESTION = "When does the Hanoi lease end?"  # key terms: hanoi, lease, end
KNOWN = {"hanoi": 2, "lease": 5, "end": 20, "the": 90}
W = {name: idf(count, 100) for name, count in KNOWN.items()}
ALL = W["hanoi"] + W["lease"] + W["end"]


def reading(*texts: str, known: dict[str, int] | None = None, question: str = QUESTION) -> Reading:
    hits = tuple(hit(text, rank, bm25=9.0 - rank) for rank, text in enumerate(texts, 1))
    return read(retrieved(question, hits, KNOWN if known is None else known))


def test_corpus_coverage_is_the_idf_share_of_known_key_terms() -> None:
    assert signals.corpus_coverage(reading("x")) == 1.0
    unknown = idf(0, 100)
    expected = (W["lease"] + W["end"]) / (W["lease"] + W["end"] + unknown)
    without = {name: count for name, count in KNOWN.items() if name != "hanoi"}
    assert signals.corpus_coverage(reading("x", known=without)) == pytest.approx(expected)


def test_passages_competing_is_the_logarithm_of_the_chunks_in_scope() -> None:
    many = reading("x")
    assert many.retrieved.statistics.chunks == 100
    assert signals.passages_competing(many) == pytest.approx(4.60517, abs=1e-5)
    none = replace(many.retrieved.statistics, chunks=0)
    nothing = replace(many, retrieved=replace(many.retrieved, statistics=none))
    assert math.isnan(signals.passages_competing(nothing))


def test_a_word_broken_over_two_lines_counts_as_it_is_indexed() -> None:
    wrapped = (
        "The contract over the rooms that the company has taken in the city of Ha-\n"
        "noi runs for three years, and what is paid for them goes to the owner of the\n"
        "house, who pays the taxes."
    )
    asked = "What of hanoi?"
    known = {"hanoi": 2}
    assert signals.best_coverage(reading(wrapped, known=known, question=asked)) == 1.0


def test_function_words_neither_help_nor_hurt_coverage() -> None:
    assert signals.best_coverage(reading("when does the")) == 0.0


def test_best_coverage_is_that_of_the_fullest_hit() -> None:
    both = (W["lease"] + W["end"]) / ALL
    assert signals.best_coverage(reading("hanoi", "lease end")) == pytest.approx(
        max(both, W["hanoi"] / ALL)
    )


def test_chance_coverage_is_what_a_random_chunk_would_hold() -> None:
    expected = (W["hanoi"] * 0.02 + W["lease"] * 0.05 + W["end"] * 0.2) / ALL
    assert signals.chance_coverage(reading("x")) == pytest.approx(expected)


def test_coverage_lead_sets_the_fullest_hit_against_the_mean_of_the_others() -> None:
    assert signals.coverage_lead(reading("hanoi lease end", "x", "hanoi")) == pytest.approx(
        1 - W["hanoi"] / ALL / 2
    )
    assert signals.coverage_lead(reading("hanoi lease end", "x")) == pytest.approx(1.0)
    assert math.isnan(signals.coverage_lead(reading("hanoi lease end")))


def test_phrase_coverage_counts_neighbours_of_the_question_that_are_neighbours_in_a_hit() -> None:
    pairs = [W["hanoi"] + W["lease"], W["lease"] + W["end"]]
    phrase = reading("The Hanoi office lease, and at the end", "end lease hanoi")
    assert signals.phrase_coverage(phrase) == pytest.approx(pairs[0] / sum(pairs))
    assert math.isnan(signals.phrase_coverage(reading("lease", question="The lease?")))


def test_a_question_of_function_words_weighs_each_alike() -> None:
    made = reading("We are here", question="Who are we?", known={"who": 3, "are": 90, "we": 40})
    assert signals.best_coverage(made) == pytest.approx(2 / 3)


def test_a_term_is_held_when_any_of_its_forms_is_in_title_heading_context_or_text() -> None:
    made = retrieved(QUESTION, (hit("about the end", title="Lease of HÀNOI"),), KNOWN)
    assert signals.best_coverage(read(made)) == pytest.approx(1.0)
    assert passage("x", context="rent").context == "rent"


def test_hits_beyond_the_fifth_are_not_read() -> None:
    texts = ["nothing"] * READ_HITS
    assert signals.best_coverage(reading(*texts, "hanoi lease end")) == 0.0


def test_close_coverage_counts_only_what_stands_together() -> None:
    near = "hanoi lease " + "word " * (WINDOW - 3) + "end"
    far = "hanoi lease " + "word " * (WINDOW - 2) + "end"
    assert signals.close_coverage(reading(near)) == pytest.approx(1.0)
    assert signals.close_coverage(reading(far)) == pytest.approx((W["hanoi"] + W["lease"]) / ALL)


@pytest.mark.parametrize(
    ("question", "share"),
    [
        ("Rent in 2027?", 1.0),
        ("Rent of KX200 in 2031?", 0.5),
        ("Rent of A380 in 2031?", 0.0),
        ("Rent?", math.nan),
        ("Rent in Q3?", 0.0),
        ("Rent of floor 7?", math.nan),
    ],
)
def test_codes_held_is_the_share_of_numbers_and_codes_that_hits_hold(
    question: str, share: float
) -> None:
    known = {"rent": 3, "2027": 1, "kx200": 1, "floor": 2}
    measured = signals.codes_held(
        reading("The rent for KX200 rises in 2027", known=known, question=question)
    )
    assert measured == pytest.approx(share, nan_ok=True)


def test_bm25_of_ideal_divides_the_best_score_by_the_ideal() -> None:
    assert signals.bm25_of_ideal(reading("x", "y")) == pytest.approx(8.0 / ALL)
    assert signals.bm25_of_ideal(reading()) == 0.0


def test_bm25_lead_of_five_sets_the_best_against_the_fifth() -> None:
    assert signals.bm25_lead_of_five(reading(*"abcdef")) == pytest.approx((8.0 - 4.0) / ALL)
    assert signals.bm25_lead_of_five(reading("a", "b")) == pytest.approx(8.0 / ALL)
    assert signals.bm25_lead_of_five(reading()) == 0.0


def ranked(*ranks: tuple[int | None, int | None]) -> Retrieved:
    """Hits by (keyword rank, vector rank)."""
    hits = tuple(
        hit(
            "x",
            place,
            keyword_rank=keyword,
            vector_rank=vector,
            bm25=None if keyword is None else 5.0 - keyword,
            cosine=None if vector is None else 0.9 - vector / 10,
        )
        for place, (keyword, vector) in enumerate(ranks, 1)
    )
    return retrieved(QUESTION, hits, KNOWN, background=CosineBackground(0.5, 60))


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [
        ([(1, 1)], 1.0),
        ([(1, 4), (2, 1)], (1 / 4 + 1 / 2) / 2),
        ([(1, None), (None, 1)], 0.0),
        ([(1, 2), (None, 1)], 1 / 4),
    ],
)
def test_agreement_is_how_each_ranking_sees_the_first_of_the_other(
    ranks: list[tuple[int | None, int | None]], expected: float
) -> None:
    assert signals.agreement(read(ranked(*ranks))) == pytest.approx(expected)


def test_cosines_are_measured_in_parts_of_the_way_from_the_background_to_the_same_text() -> None:
    made = read(ranked((1, 1), (2, 2), (None, 3), (None, 4), (3, 5)))
    assert signals.cosine_height(made) == pytest.approx((0.8 - 0.5) / 0.5)
    assert signals.cosine_lead(made) == pytest.approx(0.1 / 0.5)
    assert signals.cosine_lead_of_five(made) == pytest.approx(0.4 / 0.5)
    assert signals.keyword_winner_lag(made) == pytest.approx(0.0)
    assert signals.keyword_winner_lag(read(ranked((1, 3), (2, 1)))) == pytest.approx(0.2 / 0.5)
    unseen = read(ranked((1, None), (2, 1), (3, 4)))
    assert signals.keyword_winner_lag(unseen) == pytest.approx(0.3 / 0.5)


@pytest.mark.parametrize("squeezed", [1.0, 0.5, 0.2])
def test_a_model_whose_cosines_all_lie_closer_to_1_is_measured_alike(squeezed: float) -> None:
    cosines = [1 - (1 - cosine) * squeezed for cosine in (0.7, 0.5, 0.4, 0.3, 0.2)]
    background = CosineBackground(1 - 0.9 * squeezed, 60)
    hits = tuple(hit("x", rank, cosine=cosine) for rank, cosine in enumerate(cosines, 1))
    made = read(retrieved(QUESTION, hits, {}, background=background))
    assert signals.cosine_height(made) == pytest.approx(0.6 / 0.9)
    assert signals.cosine_lead(made) == pytest.approx(0.2 / 0.9)


def test_a_background_of_the_whole_scope_is_freed_of_the_best_hits() -> None:
    cosines = [0.9, 0.8, 0.2, 0.2, 0.3, 0.3, 0.2, 0.3]
    hits = tuple(hit("x", rank, cosine=cosine) for rank, cosine in enumerate(cosines, 1))
    whole = CosineBackground(sum(cosines) / 8, 8)
    made = read(retrieved(QUESTION, hits, {}, chunks=8, background=whole))
    # 0.9 and 0.8 left out: mean 0.25
    assert signals.cosine_height(made) == pytest.approx((0.9 - 0.25) / 0.75)
    smallest = CosineBackground(0.4, 4)
    assert signals.cosine_height(
        read(retrieved(QUESTION, hits, {}, background=smallest))
    ) == pytest.approx((0.9 - 0.4) / 0.6)
    sampled = read(retrieved(QUESTION, hits, {}, chunks=9, background=whole))
    assert signals.cosine_height(sampled) == pytest.approx((0.9 - 0.4) / 0.6)


@pytest.mark.parametrize(
    "background",
    [None, CosineBackground(1.0, 60), CosineBackground(0.5, 3)],
)
def test_without_a_usable_background_the_vectors_say_nothing(
    background: CosineBackground | None,
) -> None:
    hits = (hit("x", 1, cosine=0.9, bm25=2.0), hit("x", 2, cosine=0.8))
    made = read(retrieved(QUESTION, hits, KNOWN, background=background))
    assert math.isnan(signals.cosine_height(made))
    assert math.isnan(signals.cosine_lead(made))
    assert math.isnan(signals.keyword_winner_lag(made))


def test_keyword_hits_alone_leave_the_vector_signals_unknown() -> None:
    made = retrieved(QUESTION, (hit("hanoi", bm25=3.0),), KNOWN, mode=Mode.KEYWORD)
    assert math.isnan(signals.cosine_height(read(made)))


SOURCE = re.compile(r"\b(19|20)\d\d\b|Our own|source (as of|is the same)|same source")


@pytest.mark.parametrize("name", SIGNALS)
def test_a_signal_says_where_its_idea_is_from(name: str) -> None:
    signal = SIGNALS[name]
    module = sys.modules[signal.__module__].__doc__ if name in TOKEN_SIGNALS else ""
    assert SOURCE.search(f"{signal.__doc__} {module}")


def test_every_signal_is_measured_even_with_nothing_found() -> None:
    assert measure(read(retrieved(QUESTION, (), {}))).keys() == SIGNALS.keys()
