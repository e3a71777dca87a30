"""A verdict in the light of what the index's own questions showed: its scale, and its shift."""

import hashlib
import math
from functools import cache
from importlib.resources import files

from gdrive_rag_mcp.domain import Calibration
from gdrive_rag_mcp.evidence.interaction import Rarity

_SURE = 30.0
"""Log-odds beyond which a confidence is as good as 0 or 1."""


def rarity_in(calibration: Calibration | None) -> Rarity | None:
    """How rare each piece of text is in the index; None where nobody counted."""
    if calibration is None or calibration.piece_frequencies is None:
        return None
    return calibration.piece_frequencies.idf_of


def shifted(confidence: float, model: str, calibration: Calibration | None) -> float:
    """A confidence moved by the index's shift of that model's log-odds, as far as it has one."""
    shift = calibration.shifts.get(model) if calibration else None
    if shift is None or not 0.0 < confidence < 1.0:
        return confidence
    return 1 / (1 + math.exp(-min(_SURE, max(-_SURE, log_odds(confidence) + shift.value))))


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
