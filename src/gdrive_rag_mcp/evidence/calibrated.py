"""Signals in the light of what the index's own questions showed: on one scale everywhere."""

import hashlib
import math
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from gdrive_rag_mcp.domain import Calibration, SignalScale
from gdrive_rag_mcp.evidence.interaction import Rarity
from gdrive_rag_mcp.evidence.signals import (
    cosine_height,
    cosine_lead,
    cosine_lead_of_five,
    keyword_winner_lag,
)

REFERENCE_MODEL = "multilingual-e5-small"
"""Whose cosines the weights were fitted on."""
REFERENCE_PRESENT, REFERENCE_ABSENT = 0.385, 0.245
"""Where the height of that model's nearest cosine lies for probes with their document and without;
means of the medians over the sets of `benchmarks/calibration.py`."""
TELLS_FROM = 0.6
"""The AUROC from which the height of the nearest cosine tells anything; chance is 0.5."""

_HEIGHT = cosine_height.__name__
_DISTANCES = tuple(
    signal.__name__ for signal in (cosine_lead, cosine_lead_of_five, keyword_winner_lag)
)
SCALED_SIGNALS = (_HEIGHT, *_DISTANCES)
"""Signals of the vectors; all are parts of the way from a question's background to 1."""

_SURE = 30.0
"""Log-odds beyond which a confidence is as good as 0 or 1."""


def rarity_in(calibration: Calibration | None) -> Rarity | None:
    """How rare each piece of text is in the index; None where nobody counted."""
    if calibration is None or calibration.piece_frequencies is None:
        return None
    return calibration.piece_frequencies.idf_of


def calibrated(signals: Mapping[str, float], calibration: Calibration | None) -> dict[str, float]:
    """Signals on the scale that the weights were fitted on, as far as the index knows its own."""
    if calibration is None:
        return dict(signals)
    return on_reference_scale(signals, calibration.scales, calibration.basis.model)


def on_reference_scale(
    signals: Mapping[str, float], scales: Mapping[str, SignalScale], model: str
) -> dict[str, float]:
    """Bring the signals of another model's vectors to where the reference model's would lie.

    The height goes linearly from where it lies with and without an answer to where the reference's
    does; differences of cosines are stretched by as much. Where the height does not tell the two
    apart, all of them are unknown.
    """
    scale = scales.get(_HEIGHT)
    brought = dict(signals)
    if scale is None or model == REFERENCE_MODEL:
        return brought
    way = scale.present - scale.absent
    if scale.separation < TELLS_FROM or way <= 0:
        return brought | {name: math.nan for name in SCALED_SIGNALS if name in signals}
    stretch = (REFERENCE_PRESENT - REFERENCE_ABSENT) / way
    for name in SCALED_SIGNALS:
        if name in brought:
            start, end = (scale.absent, REFERENCE_ABSENT) if name == _HEIGHT else (0.0, 0.0)
            brought[name] = (brought[name] - start) * stretch + end
    return brought


def log_odds(confidence: float) -> float:
    """The log-odds of a confidence, at most 30 either way."""
    if not 0.0 < confidence < 1.0:
        return math.copysign(_SURE, confidence - 0.5)
    return min(_SURE, max(-_SURE, math.log(confidence / (1 - confidence))))


@cache
def weights_digest() -> str:
    """Which weights the verdict has: what was learnt of others says nothing of these."""
    text = files("gdrive_rag_mcp.evidence").joinpath("weights.json").read_bytes()
    return hashlib.sha256(text).hexdigest()[:16]
