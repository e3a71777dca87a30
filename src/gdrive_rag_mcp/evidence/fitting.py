"""Fits the models of the verdict on rows of many sets, and judges sets that were left out."""

import math
import zlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from gdrive_rag_mcp.errors import QuestionSetError
from gdrive_rag_mcp.evidence.fit import Examples, fit
from gdrive_rag_mcp.evidence.model import Model
from gdrive_rag_mcp.evidence.rows import Row
from gdrive_rag_mcp.evidence.specs import ModelSpec
from gdrive_rag_mcp.evidence.verdict import DEFAULT_THRESHOLD, required

PENALTY = 0.003
_HALVINGS = 60
_HIGHEST = 20.0
_NEVER = -99.0

Specs = Mapping[str, ModelSpec]
Fold = Callable[[Row, ModelSpec], str]


def fit_models(rows: Sequence[Row], specs: Specs) -> dict[str, Model]:
    """Fit every model that there are rows for, its intercept placed.

    Raises:
        QuestionSetError: there are no rows for any, or only answerable ones, or none.
    """
    found = {name: [row for row in rows if spec.learns_from(row)] for name, spec in specs.items()}
    if not any(found.values()):
        raise QuestionSetError(
            "there is nothing to learn from: no answerable question whose answer was found, and"
            " no absent_topic or adjacent_topic",
            hint="docs/evidence.md tells what a question set is made of",
        )
    return {name: fit_model(own, specs[name], name) for name, own in found.items() if own}


def fit_model(rows: Sequence[Row], spec: ModelSpec, name: str) -> Model:
    """Fit one model on the rows it learns from.

    Raises:
        QuestionSetError: all of them answer, or none does.
    """
    answers = np.array([row.answers for row in rows], np.float64)
    if answers.all() or not answers.any():
        kind = "answerable" if answers.all() else "without an answer"
        raise QuestionSetError(
            f"all {len(rows)} questions that the model {name!r} is to learn from are {kind}",
            hint="give both kinds: the difference is what is learnt",
        )
    counts = np.array(_counts(rows))
    counts[answers == 1] *= counts[answers == 0].sum() / counts[answers == 1].sum()
    model = fit(Examples([row.signals for row in rows], answers, counts), spec.signs, PENALTY)
    return _placed(model, rows, spec.false_refusals)


def _counts(rows: Sequence[Row]) -> list[float]:
    """How much a row counts: alike for each kind of a set, and less for each of a family's sets."""
    sizes = Counter((row.set, row.kind) for row in rows)
    sets = Counter(family for _, family in {(row.set, row.family) for row in rows})
    return [1 / sizes[(row.set, row.kind)] / math.sqrt(sets[row.family]) for row in rows]


def _placed(model: Model, rows: Sequence[Row], false_refusals: float) -> Model:
    """Move the intercept so that the threshold refuses the share of answerable questions aimed at.

    The mean over sets is what is aimed at, so that a big set does not speak for all.
    """
    by_set: dict[str, list[float]] = {}
    for row in rows:
        if row.answers:
            by_set.setdefault(row.set, []).append(log_odds(model, row))
    low, high = -_HIGHEST, _HIGHEST
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        refused = np.mean([np.mean(np.array(odds) < middle) for odds in by_set.values()])
        low, high = (middle, high) if refused < false_refusals else (low, middle)
    wanted = _odds(DEFAULT_THRESHOLD)
    return Model(model.intercept - low + wanted, model.weights)


def log_odds(model: Model, row: Row) -> float:
    """What the verdict's confidence is made of; where it asks no model, confidence is 0."""
    if row.judged_by is None:
        return _NEVER
    return model.intercept + sum(w.of(row.signals[name]) for name, w in model.weights.items())


def family_of_sets(row: Row, spec: ModelSpec) -> str:
    """Leave out a whole family; across languages there may be one only: half of its articles."""
    return half_of_articles(row, spec) if spec.crossing else row.family


def half_of_articles(row: Row, _: ModelSpec) -> str:
    """Leave out every question on half of the articles."""
    return str(zlib.crc32(row.group.encode("utf-8", "surrogatepass")) % 2)


class HeldOut:
    """For each row the model that was fitted without its fold; each is fitted once."""

    def __init__(self, rows: Sequence[Row], specs: Specs, fold: Fold = family_of_sets) -> None:
        self._rows = rows
        self._specs = specs
        self._fold = fold
        self._models: dict[tuple[str, str], Model | None] = {}

    def margin(self, row: Row) -> float:
        """Log-odds above those that are enough; NaN where no other fold says anything."""
        name = row.judged_by or row.mode
        model = self._without(self._fold(row, self._specs[name]), name)
        if model is None:
            return math.nan
        enough = required(name, row.signals["corpus_coverage"])
        return log_odds(model, row) - _odds(enough)

    def _without(self, fold: str, name: str) -> Model | None:
        if (name, fold) not in self._models:
            spec = self._specs[name]
            others = [
                row for row in self._rows if spec.learns_from(row) and self._fold(row, spec) != fold
            ]
            both = len({row.answers for row in others}) > 1
            self._models[(name, fold)] = fit_model(others, spec, name) if both else None
        return self._models[(name, fold)]


def _odds(share: float) -> float:
    return math.log(share / (1 - share))
