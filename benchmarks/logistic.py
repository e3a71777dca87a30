"""A small logistic regression with signs, weights per row and missing values; numpy only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gdrive_rag_mcp.evidence.model import Model, Weight

Array = npt.NDArray[np.float64]

_STEPS = 4_000
_CLIP = (1.0, 99.0)  # percentiles


@dataclass(frozen=True)
class Rows:
    """What to learn from: a row of signals each, whether it answers, and how much it counts."""

    signals: Sequence[Mapping[str, float]]
    answers: Array
    counts: Array


def fit(rows: Rows, signs: Mapping[str, int], penalty: float) -> Model:
    """Fit by accelerated projected gradient; a sign of +1 or -1 bounds a weight at 0.

    Signals are clipped to percentiles 1 to 99 and standardised; NaN becomes the mean.
    """
    raw = np.array([[row[name] for name in signs] for row in rows.signals])
    low, high = np.nanpercentile(raw, _CLIP, axis=0)
    clipped = np.clip(raw, low, high)
    centre, scale = np.nanmean(clipped, axis=0), np.nanstd(clipped, axis=0)
    scale[scale == 0] = 1.0
    table = np.nan_to_num((clipped - centre) / scale)
    weights, intercept = _minimise(table, rows, np.array(list(signs.values())), penalty)
    return Model(
        intercept,
        {
            name: Weight(*(float(part[place]) for part in (weights, centre, scale, low, high)))
            for place, name in enumerate(signs)
        },
    )


def _minimise(table: Array, rows: Rows, signs: Array, penalty: float) -> tuple[Array, float]:
    counts = rows.counts / rows.counts.sum()
    design = np.hstack([table, np.ones((len(table), 1))])
    lipschitz = float(np.linalg.eigvalsh((design * counts[:, None]).T @ design)[-1]) / 4 + penalty
    point = momentum = np.zeros(design.shape[1])
    age = 1.0
    for _ in range(_STEPS):
        errors = _sigmoid(design @ momentum) - rows.answers
        gradient = design.T @ (errors * counts)
        gradient[:-1] += penalty * momentum[:-1]
        moved = momentum - gradient / lipschitz
        moved[:-1] = np.where(moved[:-1] * signs < 0, 0.0, moved[:-1])
        next_age = (1 + np.sqrt(1 + 4 * age**2)) / 2
        momentum = moved + (age - 1) / next_age * (moved - point)
        point, age = moved, next_age
    return point[:-1], float(point[-1])


def _sigmoid(values: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-np.clip(values, -60, 60))), np.float64)


def auroc(positive: Sequence[float], negative: Sequence[float]) -> float:
    """The chance that a positive scores above a negative; ties count half."""
    if not positive or not negative:
        return float("nan")
    ups, downs = np.array(positive)[:, None], np.array(negative)[None, :]
    return float((ups > downs).mean() + (ups == downs).mean() / 2)
