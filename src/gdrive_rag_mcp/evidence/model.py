"""The fitted weights that turn signals into confidence, and how they are read."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, slots=True)
class Weight:
    """How a signal counts: clipped to what was seen when fitting, centred, scaled, weighed."""

    weight: float
    centre: float
    scale: float
    low: float
    high: float

    def of(self, value: float) -> float:
        """What a signal adds to the log-odds; one that could not be had adds nothing."""
        if math.isnan(value):
            return 0.0
        return self.weight * (min(max(value, self.low), self.high) - self.centre) / self.scale


@dataclass(frozen=True, slots=True)
class Model:
    """A logistic regression over named signals."""

    intercept: float
    weights: Mapping[str, Weight]

    def confidence(self, signals: Mapping[str, float]) -> float:
        """How sure it is that the hits answer, 0 to 1."""
        parts = (weight.of(signals[name]) for name, weight in self.weights.items())
        return 1 / (1 + math.exp(-(self.intercept + sum(parts))))


@cache
def _shipped() -> Mapping[str, Any]:
    text = files("gdrive_rag_mcp.evidence").joinpath("weights.json").read_text(encoding="utf-8")
    models: Mapping[str, Any] = json.loads(text)["models"]
    return models


def fitted_models() -> frozenset[str]:
    """The names of the shipped models."""
    return frozenset(_shipped())


@cache
def model_for(kind: str) -> Model:
    """The shipped model of that name; `weights.json` says how each was fitted."""
    fitted = _shipped()[kind]
    weights = {name: Weight(**values) for name, values in fitted["weights"].items()}
    return Model(fitted["intercept"], weights)
