"""How two rankings become one order."""

import doctest
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdrive_rag_mcp.retrieval import fusion
from gdrive_rag_mcp.retrieval.fusion import fused_scores

NUMBERS = st.floats(0.01, 100)
SCORES = st.dictionaries(st.integers(1, 30), NUMBERS, max_size=12)
COSINES = st.dictionaries(st.integers(1, 30), st.floats(-1, 1), max_size=12)


def test_the_examples_in_the_documentation_hold() -> None:
    assert doctest.testmod(fusion).failed == 0


def test_what_leads_one_ranking_by_far_beats_what_leads_the_other_by_little() -> None:
    by_text, by_vector = {1: 20.0, 2: 4.0}, {2: 0.90, 1: 0.89, 3: 0.6}
    assert fused_scores(by_text, by_vector, 0.5)[0][0] == 1


def test_what_both_find_beats_what_one_alone_finds_a_little_better() -> None:
    assert fused_scores({1: 10.0, 2: 9.0}, {3: 0.9, 2: 0.88}, 0.5)[0][0] == 2


def test_one_ranking_alone_keeps_its_order() -> None:
    assert [item for item, _ in fused_scores({4: 1.0, 2: 3.0, 9: 2.0}, {})] == [2, 9, 4]
    assert [item for item, _ in fused_scores({}, {4: 0.1, 2: 0.3, 9: 0.2}, 0.0)] == [2, 9, 4]


def test_equal_scores_go_by_number() -> None:
    assert [item for item, _ in fused_scores({7: 1.0, 5: 1.0}, {5: 0.4, 7: 0.4})] == [5, 7]


@given(SCORES, COSINES, st.none() | st.floats(-1, 1))
def test_every_item_of_any_ranking_comes_out_once_with_a_falling_score_from_one_to_nothing(
    by_text: dict[int, float], by_vector: dict[int, float], background: float | None
) -> None:
    fused = fused_scores(by_text, by_vector, background)
    assert sorted(item for item, _ in fused) == sorted(by_text.keys() | by_vector.keys())
    scores = [score for _, score in fused]
    assert scores == sorted(scores, reverse=True)
    assert all(math.isfinite(score) and 0 <= score <= 1 + 1e-9 for score in scores)


@given(SCORES, st.floats(0.5, 4))
def test_the_scale_of_bm25_does_not_matter(by_text: dict[int, float], factor: float) -> None:
    by_vector = {3: 0.9, 4: 0.8, 5: 0.7}
    scaled = {item: score * factor for item, score in by_text.items()}
    plain, other = dict(fused_scores(by_text, by_vector)), dict(fused_scores(scaled, by_vector))
    assert plain == {item: pytest.approx(score, abs=1e-9) for item, score in other.items()}
