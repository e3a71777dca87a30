"""Late interaction and its signals against values worked out by hand."""

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from gdrive_rag_mcp.domain import TokenVectors
from gdrive_rag_mcp.evidence import token_signals as signals
from gdrive_rag_mcp.evidence.interaction import WINDOW_TOKENS, Meetings, meet
from gdrive_rag_mcp.evidence.reading import Reading, read
from gdrive_rag_mcp.evidence.token_signals import TOKEN_SIGNALS
from gdrive_rag_mcp.testing.made_evidence import hit, retrieved

WIDTH = 8


def alike(pieces: "npt.NDArray[np.int32]") -> "npt.NDArray[np.float32]":
    """Every piece is as rare as any other."""
    return np.ones(len(pieces), np.float32)


def vectors(*axes: int, weights: tuple[float, ...] | None = None) -> TokenVectors:
    """Tokens that lie on axes; the piece of a token is its axis."""
    rows = np.eye(WIDTH, dtype=np.float32)[list(axes)]
    given = np.array(weights or [1.0] * len(axes), np.float32)
    return TokenVectors(rows, given, pieces=np.array(axes, np.int32))


OF_ANOTHER_WIDTH = TokenVectors(
    np.eye(WIDTH // 2, dtype=np.float32), np.ones(WIDTH // 2, np.float32)
)


def filled(axis: int, count: int) -> list[int]:
    return [axis] * count


def met(question: TokenVectors, *passages: TokenVectors) -> Meetings:
    found = meet(question, passages, alike)
    assert found is not None
    return found


def reading(question: TokenVectors | None, *passages: TokenVectors | None) -> Reading:
    hits = tuple(
        replace(hit("text", rank, cosine=0.9), tokens=tokens)
        for rank, tokens in enumerate(passages, 1)
    )
    asked = replace(retrieved("What of Hanoi?", hits, {"hanoi": 1}), question_tokens=question)
    return read(asked, alike)


def test_a_passage_meets_the_tokens_it_has_wherever_they_stand() -> None:
    asked = vectors(0, 1, 2, 3)
    assert signals.tokens_met(reading(asked, vectors(3, 7, 1))) == pytest.approx(0.5)
    assert signals.tokens_met(reading(asked, vectors(7), vectors(0, 1, 2))) == pytest.approx(0.75)


def test_weights_and_rarity_decide_how_much_a_token_counts() -> None:
    asked = vectors(0, 1, weights=(3.0, 1.0))
    assert met(asked, vectors(0)).of_hits[0].whole == pytest.approx(0.75)
    rare = meet(asked, [vectors(0)], lambda pieces: np.where(pieces == 1, 3.0, 1.0))
    assert rare is not None
    assert rare.of_hits[0].whole == pytest.approx(0.5)
    assert rare.weights == pytest.approx([0.5, 0.5])


def test_together_counts_what_stands_within_one_window() -> None:
    apart = vectors(0, *filled(7, 2 * WINDOW_TOKENS), 1)
    near = vectors(*filled(7, 2 * WINDOW_TOKENS), 0, 7, 1)
    asked = vectors(0, 1)
    assert met(asked, apart).of_hits[0].whole == pytest.approx(1.0)
    assert met(asked, apart).of_hits[0].together == pytest.approx(0.5)
    assert met(asked, near).of_hits[0].together == pytest.approx(1.0)
    assert signals.tokens_met_together(reading(asked, apart)) == pytest.approx(0.5)
    assert signals.tokens_met_together(reading(asked, apart, near)) == pytest.approx(1.0)


def test_places_are_those_of_the_passage_not_of_the_window() -> None:
    lead = 2 * WINDOW_TOKENS
    [meeting] = met(vectors(0, 1), vectors(*filled(7, lead), 0, 7, 1)).of_hits
    assert list(meeting.places) == [lead, lead + 2]
    assert signals.tokens_spread(
        reading(vectors(0, 1), vectors(*filled(7, lead), 0, 7, 1))
    ) == pytest.approx(1.0)


def test_the_lead_is_over_the_second_and_over_the_last_hit_read() -> None:
    asked = vectors(0, 1, 2, 3)
    read_three = reading(asked, vectors(0, 1), vectors(0, 1, 2, 3), vectors(7))
    assert signals.tokens_met_lead(read_three) == pytest.approx(0.5)
    assert signals.tokens_met_lead_of_five(read_three) == pytest.approx(1.0)
    assert math.isnan(signals.tokens_met_lead(reading(asked, vectors(0))))


def test_a_token_that_is_not_met_shows_in_the_share_though_the_mean_forgives_it() -> None:
    rows = np.eye(WIDTH, dtype=np.float32)
    near = TokenVectors(
        np.stack([0.75 * rows[axis] + math.sqrt(1 - 0.75**2) * rows[7] for axis in range(4)]),
        np.ones(4, np.float32),
    )
    one_lacking = vectors(0, 1, 2)
    asked = vectors(0, 1, 2, 3)
    assert signals.tokens_met(reading(asked, near)) == pytest.approx(0.75)
    assert signals.tokens_met(reading(asked, one_lacking)) == pytest.approx(0.75)
    assert signals.tokens_fully_met(reading(asked, one_lacking)) > 0.7
    assert signals.tokens_fully_met(reading(asked, near)) < 0.2
    assert signals.tokens_nearly_met(reading(asked, near)) > 0.95
    assert signals.tokens_nearly_met(reading(asked, one_lacking)) < 0.8
    assert signals.tokens_well_met(reading(asked, near)) == pytest.approx(
        1 / (1 + math.exp(-20 * 0.05)), abs=1e-3
    )


@pytest.mark.parametrize(
    ("question", "passages"),
    [
        (None, (vectors(0),)),
        (vectors(0), (None,)),
        (vectors(0), (vectors(0), None)),
        (vectors(), (vectors(0),)),
        (vectors(0, weights=(0.0,)), (vectors(0),)),
        (vectors(0), ()),
        (TokenVectors(np.eye(2, dtype=np.float32), np.ones(2, np.float32)), (vectors(0),)),
        (vectors(0), (vectors(0), OF_ANOTHER_WIDTH)),
    ],
    ids=[
        *("question", "passage", "one passage", "no token", "no weight", "no hit", "no pieces"),
        "another width, as damage makes it",
    ],
)
def test_what_cannot_be_compared_is_unknown_and_no_error(
    question: TokenVectors | None, passages: tuple[TokenVectors | None, ...]
) -> None:
    found = reading(question, *passages)
    assert found.meetings is None
    assert all(math.isnan(signal(found)) for signal in TOKEN_SIGNALS.values())


def test_without_knowing_how_rare_pieces_are_nothing_is_compared() -> None:
    assert meet(vectors(0), [vectors(0)], None) is None


def test_every_token_signal_says_what_it_computes() -> None:
    assert all(signal.__doc__ for signal in TOKEN_SIGNALS.values())
