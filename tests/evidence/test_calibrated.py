"""Another model's cosines count by where they lie in the index, and not where they tell nothing."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime

import numpy as np
import pytest

from gdrive_rag_mcp.domain import (
    Calibration,
    CalibrationBasis,
    PieceFrequencies,
    SignalScale,
)
from gdrive_rag_mcp.evidence.calibrated import (
    REFERENCE_ABSENT,
    REFERENCE_MODEL,
    REFERENCE_PRESENT,
    TELLS_FROM,
    calibrated,
    log_odds,
    rarity_in,
)

SIGNALS = {
    "cosine_height": 0.3,
    "cosine_lead": 0.02,
    "cosine_lead_of_five": math.nan,
    "keyword_winner_lag": 0.1,
    "best_coverage": 0.8,
}


def known(
    present: float, absent: float, separation: float = 0.9, model: str = "another"
) -> Calibration:
    basis = CalibrationBasis(
        embedding="f",
        model=model,
        chunking="",
        projection=None,
        weights="",
        chunks=100,
        mark="",
        made_at=datetime(2026, 6, 1, tzinfo=UTC),
    )
    scale = SignalScale(present, absent, 0.1, 0.1, separation, 60)
    return Calibration(basis, 60, scales={"cosine_height": scale})


def height(signals: Mapping[str, float], calibration: Calibration) -> float:
    return calibrated(signals, calibration)["cosine_height"]


def test_where_an_answer_lies_here_becomes_where_it_lies_for_the_reference() -> None:
    here = known(present=0.9, absent=0.7)
    assert height({"cosine_height": 0.9}, here) == pytest.approx(REFERENCE_PRESENT)
    assert height({"cosine_height": 0.7}, here) == pytest.approx(REFERENCE_ABSENT)


def test_differences_are_stretched_by_as_much_and_words_stay() -> None:
    found = calibrated(SIGNALS, known(present=0.9, absent=0.7))
    stretch = (REFERENCE_PRESENT - REFERENCE_ABSENT) / 0.2
    assert found["cosine_lead"] == pytest.approx(0.02 * stretch)
    assert found["keyword_winner_lag"] == pytest.approx(0.1 * stretch)
    assert math.isnan(found["cosine_lead_of_five"])
    assert found["best_coverage"] == 0.8


@pytest.mark.parametrize(
    "calibration",
    [
        known(present=0.7, absent=0.7 - 1e-6, separation=TELLS_FROM - 0.01),
        known(present=0.5, absent=0.7, separation=0.9),
    ],
)
def test_cosines_that_tell_nothing_are_unknown(calibration: Calibration) -> None:
    found = calibrated(SIGNALS, calibration)
    told = {name for name, value in found.items() if not math.isnan(value)}
    assert told == {"best_coverage"}
    assert found.keys() == SIGNALS.keys()


@pytest.mark.parametrize("calibration", [None, known(0.9, 0.7, model=REFERENCE_MODEL)])
def test_the_reference_model_and_an_index_that_knows_nothing_are_taken_as_they_are(
    calibration: Calibration | None,
) -> None:
    assert calibrated(SIGNALS, calibration) == pytest.approx(SIGNALS, nan_ok=True)


def test_the_rarity_of_pieces_is_that_of_the_index() -> None:
    pieces = PieceFrequencies(np.array([4]), np.array([9]), 10)
    basis = known(0.9, 0.7).basis
    rarity = rarity_in(Calibration(basis, piece_frequencies=pieces))
    assert rarity is not None
    assert rarity(np.array([4, 5], np.int32)).tolist() == pytest.approx([math.log(2), math.log(11)])
    assert rarity_in(None) is None
    assert rarity_in(Calibration(basis)) is None


@pytest.mark.parametrize(("confidence", "odds"), [(0.5, 0.0), (1.0, 30.0), (0.0, -30.0)])
def test_log_odds_have_ends(confidence: float, odds: float) -> None:
    assert log_odds(confidence) == odds
