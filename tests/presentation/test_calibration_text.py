"""What `status` says of the calibration: on what it rests, or why there is none."""

from datetime import UTC, datetime

import pytest

from gdrive_rag_mcp.calibrating import run
from gdrive_rag_mcp.domain import CalibrationStatus
from gdrive_rag_mcp.presentation.plain import calibration_text

MADE = datetime(2026, 6, 1, 9, tzinfo=UTC)
LACKING = (
    run.STOPPED_BY_TIME,
    run.STOPPED_BY_BUDGET,
    run.EMBEDDER_UNAVAILABLE,
    run.VECTORS_WAITING,
    run.TOO_FEW_PROBES,
)


def test_it_says_when_on_how_many_questions_and_how_well_they_are_told_apart() -> None:
    said = calibration_text(CalibrationStatus(MADE, 812, 64, 0.987, 0.871))
    assert said == (
        "2026-06-01T09:00:00Z, by 64 questions of its own, told apart at AUROC 0.99"
        " (by vectors alone 0.87)"
    )


def test_an_index_that_has_none_says_who_makes_it() -> None:
    assert calibration_text(CalibrationStatus()) == "not yet; the next sync does it"


@pytest.mark.parametrize("lacking", LACKING)
def test_whatever_is_lacking_is_said_in_words(lacking: str) -> None:
    said = calibration_text(CalibrationStatus(MADE, 3, 1, lacking=lacking))
    assert said.startswith("2026-06-01T09:00:00Z, by 1 question of its own; ")
    assert "_" not in said
