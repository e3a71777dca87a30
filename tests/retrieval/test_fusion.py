"""Reciprocal rank fusion."""

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdrive_rag_mcp.retrieval import fusion
from gdrive_rag_mcp.retrieval.fusion import reciprocal_rank_fusion

RANKINGS = st.lists(st.lists(st.integers(1, 30), unique=True, max_size=12), max_size=3)


def test_the_examples_in_the_documentation_hold() -> None:
    assert doctest.testmod(fusion).failed == 0


def test_the_score_is_the_sum_of_the_reciprocals_of_sixty_and_the_rank() -> None:
    assert dict(reciprocal_rank_fusion([[5, 9], [9]]))[9] == pytest.approx(1 / 62 + 1 / 61)


def test_an_item_that_both_rank_second_beats_one_that_a_single_ranking_has_first() -> None:
    assert reciprocal_rank_fusion([[1, 2], [3, 2]])[0][0] == 2


@given(RANKINGS)
def test_every_item_of_any_ranking_comes_out_once_and_scores_never_rise(
    rankings: list[list[int]],
) -> None:
    fused = reciprocal_rank_fusion(rankings)
    assert sorted(item for item, _ in fused) == sorted({item for r in rankings for item in r})
    scores = [score for _, score in fused]
    assert scores == sorted(scores, reverse=True)


@given(RANKINGS)
def test_which_of_two_rankings_comes_first_does_not_matter(rankings: list[list[int]]) -> None:
    two = rankings[:2]
    assert reciprocal_rank_fusion(two) == reciprocal_rank_fusion(two[::-1])
