"""The first hits are put in order by how much of the question's tokens they meet."""

import numpy as np
import numpy.typing as npt
import pytest

from gdrive_rag_mcp.domain import Hit, TokenVectors
from gdrive_rag_mcp.protocols import Pieces
from gdrive_rag_mcp.retrieval.reranking import by_tokens
from gdrive_rag_mcp.testing.made_evidence import passage

AXES = np.eye(4, dtype=np.float32)
PULL = 10.0
QUESTION = (0, 1)


def tokens(*axes: int) -> TokenVectors:
    """A text whose tokens are directions at right angles to each other."""
    rows = AXES[list(axes)]
    return TokenVectors(rows, np.ones(len(rows), np.float32), 7, np.array(axes, np.int32))


def all_alike(pieces: Pieces) -> npt.NDArray[np.float32]:
    return np.ones(len(pieces), np.float32)


def hits(*scores: float) -> list[Hit]:
    return [Hit(passage(f"text {at}", at), at, score) for at, score in enumerate(scores)]


def order(ordered: list[Hit]) -> list[int]:
    return [hit.rank for hit in ordered]


def test_a_passage_that_meets_every_token_goes_before_one_that_lacks_some() -> None:
    found = by_tokens(
        hits(1.0, 0.9), tokens(*QUESTION), [tokens(0, 2, 3), tokens(3, 1, 0)], all_alike, PULL
    )
    assert order(found) == [1, 0]
    assert found[0].score == pytest.approx(0.9)
    assert found[1].score == pytest.approx(np.exp(-PULL / 2))


def test_a_much_better_score_outweighs_a_little_more_that_is_met() -> None:
    [near] = [tokens(0)]
    almost = TokenVectors(near.rows * 0.99, near.weights, 7, near.pieces)
    found = by_tokens(hits(1.0, 0.5), tokens(0), [almost, near], all_alike, PULL)
    assert order(found) == [0, 1]


def test_those_that_meet_as_much_keep_their_order_and_their_scores() -> None:
    given = hits(0.8, 0.8, 0.7)
    assert by_tokens(given, tokens(0), [tokens(0)] * 3, all_alike, PULL) == given


def test_a_hit_whose_tokens_are_not_looked_at_overtakes_none_of_the_others() -> None:
    found = by_tokens(
        hits(1.0, 0.9, 0.8), tokens(*QUESTION), [tokens(0, 1), tokens(2)], all_alike, PULL
    )
    assert order(found) == [0, 1, 2]
    assert [hit.score for hit in found] == pytest.approx(
        [1.0, 0.9 * np.exp(-PULL), 0.8 * np.exp(-PULL)]
    )


def test_a_passage_without_token_vectors_does_not_sink_below_those_that_have_them() -> None:
    given = hits(1.0, 0.9, 0.8)
    assert by_tokens(given, tokens(0), [tokens(1), None, tokens(0)], all_alike, PULL) == given


def test_the_order_stays_where_the_question_has_none_or_nobody_counted_pieces() -> None:
    given, passages = hits(1.0, 0.9), [tokens(1), tokens(0)]
    assert by_tokens(given, None, passages, all_alike, PULL) == given
    assert by_tokens(given, tokens(0), passages, None, PULL) == given
