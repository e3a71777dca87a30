"""The benchmark of calibration foretells what can be foretold, and keeps what it saw."""

import math
from pathlib import Path

import numpy as np
import pytest

from benchmarks.calibration import left_over, lines, oracle
from benchmarks.calibration_asking import AskedOf, SetSeen, read, write
from gdrive_rag_mcp.domain import Seen
from gdrive_rag_mcp.evidence.model import model_for

HYBRID = model_for("hybrid")
NAMES = tuple(HYBRID.weights)


def asked(kind: str, share: float, *, found: bool = True) -> AskedOf:
    """All signals as far from their lowest to their highest."""
    signals = {
        name: (1 - share) * weight.low + share * weight.high
        if weight.weight > 0
        else share * weight.low + (1 - share) * weight.high
        for name, weight in HYBRID.weights.items()
    }
    return AskedOf(kind, Seen(signals, "hybrid"), found)


def made(number: int) -> SetSeen:
    answered = [asked("answerable", (40 + number + at) / 100) for at in range(40)]
    unfound = [asked("answerable", 0.0, found=False)]
    probes = [
        (asked("present", (30 + number + at) / 100), asked("absent", (number + at) / 100))
        for at in range(20)
    ]
    return SetSeen(
        f"set{number}", f"family{number % 4}", "en", 100, (*answered, *unfound), tuple(probes)
    )


def test_what_lies_on_a_line_is_foretold_in_families_left_out() -> None:
    column = np.arange(12, dtype=np.float64)
    families = [f"f{number % 4}" for number in range(12)]
    assert np.allclose(left_over(column[:, None], 3 - 2 * column, families), 0)
    assert np.abs(left_over(np.zeros((12, 0)), 3 - 2 * column, families)).max() > 1


def test_an_oracle_refuses_one_in_twenty_of_what_is_answered_and_found() -> None:
    one = made(3)
    best = oracle(one, "hybrid")
    odds = [q.odds("hybrid") for q in one.questions if q.found]
    assert sum(value < best for value in odds) / len(odds) == pytest.approx(0.05, abs=0.01)


def test_what_was_seen_comes_back_as_it_was(tmp_path: Path) -> None:
    unknown = AskedOf("absent", Seen({"cosine_height": math.nan}, None), found=False)
    one = SetSeen("a", "a", "en", 5, (asked("answerable", 0.5), unknown), ())
    write([one, made(1)], tmp_path / "seen.jsonl")
    back, other = read(tmp_path / "seen.jsonl")
    assert other == made(1)
    assert back.questions[0] == one.questions[0]
    assert math.isnan(back.questions[1].seen.signals["cosine_height"])
    assert back.questions[1].odds("hybrid") < -30


def test_a_report_names_the_figures_that_foretell_best() -> None:
    told = "\n".join(lines([made(number) for number in range(8)], "hybrid"))
    assert "set7" in told
    assert "oracle: mean" in told
    assert "odds" in told.split("left over by a constant")[1]
