"""From what the probes showed to what a verdict goes by: where the vectors' signals lie."""

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from gdrive_rag_mcp.domain import QUANTILES, Odds, Probe, Seen, SignalScale
from gdrive_rag_mcp.evidence.calibrated import (
    SCALED_SIGNALS,
    log_odds,
    on_reference_scale,
)
from gdrive_rag_mcp.evidence.model import Model, fitted_models, model_for

FEWEST = 8
"""Probes below which nothing is learnt: chance would move more than it corrects."""

Numbers = npt.NDArray[np.float64]


def scales_of(probes: Sequence[Probe]) -> dict[str, SignalScale]:
    """Where each signal of the vectors lies with the document and without it."""
    found = {}
    for name in SCALED_SIGNALS:
        present, absent = (_values(name, probes, side) for side in (_present, _absent))
        if min(len(present), len(absent)) >= FEWEST:
            found[name] = SignalScale(
                float(np.median(present)),
                float(np.median(absent)),
                _deviation(present),
                _deviation(absent),
                separation(present, absent),
                min(len(present), len(absent)),
            )
    return found


def odds_of(
    probes: Sequence[Probe], scales: Mapping[str, SignalScale], embedder: str
) -> dict[str, Odds]:
    """How well each model that the probes ask tells whether their document is there."""
    found = {}
    asked = {probe.present.judged_by or "" for probe in probes}
    for name in sorted(asked & fitted_models()):
        model = model_for(name)
        present, absent = (
            _log_odds(model, name, [side(probe) for probe in probes], scales, embedder)
            for side in (_present, _absent)
        )
        if min(len(present), len(absent)) >= FEWEST:
            found[name] = Odds(
                len(present),
                _quantiles(present),
                _quantiles(absent),
                separation(present, absent),
            )
    return found


def _log_odds(
    model: Model,
    name: str,
    seen: Sequence[Seen],
    scales: Mapping[str, SignalScale],
    embedder: str,
) -> Numbers:
    """What the model makes of signals on the reference scale; least where none would be asked.

    What another model would be asked is left out.
    """
    confidences = (
        model.confidence(on_reference_scale(one.signals, scales, embedder))
        if one.judged_by
        else 0.0
        for one in seen
        if one.judged_by in (name, None)
    )
    return np.array([log_odds(confidence) for confidence in confidences], np.float64)


def separation(present: Numbers, absent: Numbers) -> float:
    """AUROC: the chance that one of `present` is above one of `absent`; ties count half."""
    above = present[:, None] > absent[None, :]
    level = present[:, None] == absent[None, :]
    return float(np.mean(above + level / 2))


def _present(probe: Probe) -> Seen:
    return probe.present


def _absent(probe: Probe) -> Seen:
    return probe.absent


def _values(name: str, probes: Sequence[Probe], side: Callable[[Probe], Seen]) -> Numbers:
    values = (side(probe).signals.get(name, math.nan) for probe in probes)
    return np.array([value for value in values if not math.isnan(value)], np.float64)


def _deviation(values: Numbers) -> float:
    return float(np.median(np.abs(values - np.median(values))))


def _quantiles(values: Numbers) -> tuple[float, ...]:
    return tuple(float(np.quantile(values, share)) for share in QUANTILES) if len(values) else ()
