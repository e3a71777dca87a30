"""A small logistic regression with signs, weights per row and missing values; numpy only.

Nothing in it is drawn at random: the same rows in the same order give the same weights.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gdrive_rag_mcp.evidence.model import Model, Weight

Array = npt.NDArray[np.float64]

_STEPS = 4_000
_CLIP = (1.0, 99.0)  # percentiles
_MOST_LOG_ODDS = 60.0


@dataclass(frozen=True, slots=True)
class Examples:
    """What to learn from: a row of signals each, whether it answers, and how much it counts."""

    signals: Sequence[Mapping[str, float]]
    answers: Array
    counts: Array


def fit(examples: Examples, signs: Mapping[str, int], penalty: float) -> Model:
    """Fit weights by accelerated projected gradient; a sign of +1 or -1 bounds a weight at 0.

    Signals are clipped to percentiles 1 to 99 and standardised; NaN becomes the mean, as does a
    signal that no example has. `penalty` is that of L2, on the weights of standardised signals.
    Source of the acceleration: Beck & Teboulle, "A fast iterative shrinkage-thresholding
    algorithm", SIAM Journal on Imaging Sciences, 2009.
    """
    raw = np.array([[row[name] for name in signs] for row in examples.signals], np.float64)
    raw[:, np.isnan(raw).all(axis=0)] = 0.0
    low, high = np.nanpercentile(raw, _CLIP, axis=0)
    clipped = np.clip(raw, low, high)
    centre, scale = np.nanmean(clipped, axis=0), np.nanstd(clipped, axis=0)
    scale[scale == 0] = 1.0
    table = np.nan_to_num((clipped - centre) / scale)
    weights, intercept = _minimise(table, examples, np.array(list(signs.values())), penalty)
    return Model(
        intercept,
        {
            name: Weight(*(float(part[place]) for part in (weights, centre, scale, low, high)))
            for place, name in enumerate(signs)
        },
    )


def _minimise(
    table: Array, examples: Examples, signs: Array, penalty: float
) -> tuple[Array, float]:
    counts = examples.counts / examples.counts.sum()
    design = np.hstack([table, np.ones((len(table), 1))])
    lipschitz = float(np.linalg.eigvalsh((design * counts[:, None]).T @ design)[-1]) / 4 + penalty
    point = momentum = np.zeros(design.shape[1])
    age = 1.0
    for _ in range(_STEPS):
        errors = _sigmoid(design @ momentum) - examples.answers
        gradient = design.T @ (errors * counts)
        gradient[:-1] += penalty * momentum[:-1]
        moved = momentum - gradient / lipschitz
        moved[:-1] = np.where(moved[:-1] * signs < 0, 0.0, moved[:-1])
        next_age = (1 + np.sqrt(1 + 4 * age**2)) / 2
        momentum = moved + (age - 1) / next_age * (moved - point)
        point, age = moved, next_age
    return point[:-1], float(point[-1])


def _sigmoid(values: Array) -> Array:
    bounded = np.clip(values, -_MOST_LOG_ODDS, _MOST_LOG_ODDS)
    return np.asarray(1 / (1 + np.exp(-bounded)), np.float64)
