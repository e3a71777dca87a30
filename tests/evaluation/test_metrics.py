"""The measures: by hand, against the definition, and where there is nothing to measure."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdrive_rag_mcp.evaluation.metrics import (
    auroc,
    bootstrap_interval,
    gains_of,
    hit_at,
    mean,
    ndcg_at,
    reciprocal_rank,
    share,
)

_scores = st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 1.0]), min_size=1, max_size=12)


@given(_scores, _scores)
def test_auroc_is_the_share_of_pairs_in_order_with_ties_as_half(
    positives: list[float], negatives: list[float]
) -> None:
    pairs = list(itertools.product(positives, negatives))
    won = sum(1.0 if up > down else 0.5 if up == down else 0.0 for up, down in pairs)
    assert auroc(positives, negatives) == pytest.approx(won / len(pairs))


@given(_scores, _scores)
def test_auroc_of_the_sides_exchanged_is_the_rest_to_one(
    positives: list[float], negatives: list[float]
) -> None:
    assert auroc(positives, negatives) + auroc(negatives, positives) == pytest.approx(1)


def test_auroc_against_nobody_or_of_an_unknown_score_is_not_a_number() -> None:
    assert math.isnan(auroc([], [0.5]))
    assert math.isnan(auroc([0.5], []))
    assert math.isnan(auroc([0.5, math.nan], [0.1]))
    assert math.isnan(auroc([0.5], [math.nan]))


def test_auroc_takes_many_scores_without_comparing_every_pair() -> None:
    many = [step / 200_000 for step in range(200_000)]  # every pair would be 4e10 comparisons
    assert auroc(many, many) == pytest.approx(0.5)


def test_a_share_and_a_mean_of_nothing_are_not_zero() -> None:
    assert math.isnan(share([]))
    assert math.isnan(mean([]))
    assert share([True, False, True, True]) == 0.75
    assert mean([1.0, 2.0, 6.0]) == 3.0


def test_what_was_not_found_has_no_rank_and_adds_nothing() -> None:
    assert [reciprocal_rank(rank) for rank in (1, 2, 4, None)] == [1, 0.5, 0.25, 0]
    assert [hit_at(rank, 5) for rank in (1, 5, 6, None)] == [True, True, False, False]


def test_ndcg_discounts_by_the_logarithm_of_the_place() -> None:
    gains = [0.0, 1.0, 0.0, 1.0]
    found = 1 / math.log2(3) + 1 / math.log2(5)
    best = 1 + 1 / math.log2(3) + 1 / math.log2(4)
    assert ndcg_at(gains, [1.0, 1.0, 1.0], 10) == pytest.approx(found / best)


def test_ndcg_counts_no_place_below_the_depth() -> None:
    assert ndcg_at([0.0, 0.0, 1.0], [1.0], 2) == 0.0
    assert ndcg_at([1.0, 1.0, 0.0], [1.0] * 9, 2) == pytest.approx(1.0)
    assert ndcg_at([3.0, 2.0], [2.0, 3.0], 10) == pytest.approx(1.0)
    assert math.isnan(ndcg_at([], [], 10))


def test_an_interval_holds_the_share_and_narrows_with_more_groups() -> None:
    few = [[place % 4 > 0] for place in range(40)]
    many = [[place % 4 > 0] for place in range(1600)]
    low, high = bootstrap_interval(few, share)
    lower, higher = bootstrap_interval(many, share)
    assert low < 0.75 < high
    assert lower < 0.75 < higher
    assert (higher - lower) < (high - low) / 4  # the root of 40 is 6.3


def test_an_interval_of_a_share_has_the_width_that_theory_gives() -> None:
    low, high = bootstrap_interval([[place % 2 == 0] for place in range(400)], share)
    expected = 2 * 1.96 * math.sqrt(0.25 / 400)
    assert high - low == pytest.approx(expected, rel=0.15)


def test_groups_of_like_answers_make_the_interval_wider_than_the_answers_alone() -> None:
    answers = [[place % 2 == 0] * 20 for place in range(40)]
    low, high = bootstrap_interval(answers, share)
    alone_low, alone_high = bootstrap_interval([[one] for group in answers for one in group], share)
    assert (high - low) > 3 * (alone_high - alone_low)  # the root of 20 is 4.5


def test_an_interval_is_the_same_every_time_and_another_with_another_seed() -> None:
    groups = [[place % 3 > 0] for place in range(60)]
    assert bootstrap_interval(groups, share) == bootstrap_interval(groups, share)
    seeds = {bootstrap_interval(groups, share, rounds=50, seed=seed) for seed in range(5)}
    assert len(seeds) > 1


def test_a_wider_level_gives_a_wider_interval() -> None:
    groups = [[place % 3 > 0] for place in range(60)]
    low, high = bootstrap_interval(groups, share, level=0.99)
    lower, higher = bootstrap_interval(groups, share, level=0.8)
    assert low < lower < higher < high


def test_a_round_without_one_of_the_sides_counts_for_nothing() -> None:
    scores = [[(True, 0.9)], [(True, 0.8)], [(False, 0.1)]]

    def separation(drawn: object) -> float:
        assert isinstance(drawn, list)
        return auroc([s for up, s in drawn if up], [s for up, s in drawn if not up])

    assert bootstrap_interval(scores, separation) == (1.0, 1.0)


def test_an_interval_of_nothing_is_not_a_number() -> None:
    assert all(math.isnan(end) for end in bootstrap_interval([], share))
    assert all(math.isnan(end) for end in bootstrap_interval([[], []], share))
    nothing = bootstrap_interval([[1.0]], lambda _: math.nan)
    assert all(math.isnan(end) for end in nothing)


def test_a_document_counts_at_its_first_place_and_copies_share_one() -> None:
    worth = {"a": 1.0, "b": 2.0, "c": 3.0}

    assert gains_of([("a",), ("a", "b"), ("b", "a"), ("x", "c"), ("y",)], worth) == [
        1.0,
        2.0,
        3.0,
        0.0,
    ]
