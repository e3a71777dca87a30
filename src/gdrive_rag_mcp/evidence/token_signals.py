"""How well the passages meet what each token of the question means, whatever words they use.

A cosine between tokens compares meanings in their context, in any language. All are NaN where the
index has no token vectors, or does not know yet how rare their pieces are. Each rests on the late
interaction of Khattab & Zaharia, "ColBERT", SIGIR 2020: a token of the question is compared with
the nearest one of the passage. `interaction` has the formula of a token's weight.
"""

import math
from collections.abc import Callable, Mapping

from gdrive_rag_mcp.evidence.interaction import Meeting, Meetings
from gdrive_rag_mcp.evidence.reading import Reading
from gdrive_rag_mcp.evidence.signal import UNKNOWN, Signal

_NEARLY, _WELL, _FULLY = 0.55, 0.70, 0.85
_SLOPE = 20.0
"""How soon a cosine above a mark counts: nine tenths of a token at 0.11 above."""


def tokens_met(reading: Reading) -> float:
    """Max over hits of sum(weight x cosine to the nearest token of the hit)."""
    return _highest(reading, lambda meeting: meeting.whole)


def tokens_met_together(reading: Reading) -> float:
    """Max over hits of the same within one window of 48 tokens."""
    return _highest(reading, lambda meeting: meeting.together)


def tokens_met_lead(reading: Reading) -> float:
    """By how much the hit that meets most leads the second, within their best windows."""
    return _lead(reading, 1)


def tokens_met_lead_of_five(reading: Reading) -> float:
    """By how much the hit that meets most leads the last of the five read."""
    return _lead(reading, -1)


def tokens_nearly_met(reading: Reading) -> float:
    """Share, by weight, of the question's tokens with a cosine above about 0.55 in the best window.

    Sum of weight x 1 / (1 + exp(-20 (cosine - 0.55))): a mean forgives one token that is not met,
    and that may be what is asked.
    """
    return _share_above(reading, _NEARLY)


def tokens_well_met(reading: Reading) -> float:
    """Share, by weight, of the tokens with a cosine above about 0.7 in the best window."""
    return _share_above(reading, _WELL)


def tokens_fully_met(reading: Reading) -> float:
    """Share, by weight, of the tokens with a cosine above about 0.85 in the best window."""
    return _share_above(reading, _FULLY)


def tokens_spread(reading: Reading) -> float:
    """How far apart the nearest tokens stand in the best window: their deviation, in tokens.

    Square root of sum(weight x (place - mean place)^2). After the proximity of query terms: Tao &
    Zhai, "An exploration of proximity measures in information retrieval", SIGIR 2007.
    """
    if reading.meetings is None:
        return UNKNOWN
    best, weights = _best(reading.meetings), reading.meetings.weights
    mean = float(weights @ best.places)
    return math.sqrt(float(weights @ (best.places - mean) ** 2))


def _best(meetings: Meetings) -> Meeting:
    return max(meetings.of_hits, key=lambda meeting: meeting.together)


def _highest(reading: Reading, of: Callable[[Meeting], float]) -> float:
    return max(map(of, reading.meetings.of_hits)) if reading.meetings else UNKNOWN


def _lead(reading: Reading, place: int) -> float:
    if reading.meetings is None or len(reading.meetings.of_hits) == 1:
        return UNKNOWN
    scores = sorted((meeting.together for meeting in reading.meetings.of_hits), reverse=True)
    return scores[0] - scores[place]


def _share_above(reading: Reading, mark: float) -> float:
    if reading.meetings is None:
        return UNKNOWN
    best, weights = _best(reading.meetings), reading.meetings.weights
    counted = (
        float(weight) / (1 + math.exp(-_SLOPE * (float(cosine) - mark)))
        for weight, cosine in zip(weights, best.nearest, strict=True)
    )
    return sum(counted)


TOKEN_SIGNALS: Mapping[str, Signal] = {
    signal.__name__: signal
    for signal in (
        tokens_met,
        tokens_met_together,
        tokens_met_lead,
        tokens_met_lead_of_five,
        tokens_nearly_met,
        tokens_well_met,
        tokens_fully_met,
        tokens_spread,
    )
}
