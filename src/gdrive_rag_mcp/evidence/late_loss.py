"""What a projection of token states is learned by: its loss for one question, and the gradient.

A question's tokens are compared with those of passages as `evidence.interaction` does it: the mean,
by weight, of the cosine of each token to the nearest of the passage.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.floating[Any]]
Places = npt.NDArray[np.intp]

_ABSOLUTE = 0.5
"""What the second loss counts beside the first."""
_SHORTEST = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """A question, and the passages that a search finds for it, as token states from the centre.

    Of `passages` the first `gold` ones answer. `rarity` is the idf of the question's tokens.
    """

    question: Floats
    rarity: Floats
    passages: tuple[Floats, ...]
    gold: int


@dataclass(frozen=True, slots=True, eq=False)
class Parameters:
    """What is learned: `projection` is (states, width), `importance` (states,), the others ().

    `sharpness` turns scores into the odds between passages, `slope` and `offset` a score into the
    odds that the passage answers. These three are of use while learning only.
    """

    projection: Floats
    importance: Floats
    importance_bias: Floats
    sharpness: Floats
    slope: Floats
    offset: Floats

    def values(self) -> dict[str, Floats]:
        """The arrays by their names."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True, slots=True, eq=False)
class _Told:
    """The tokens of a text: each of length 1, how long it was before, and from which state."""

    rows: Floats
    lengths: Floats
    states: Floats

    @classmethod
    def of(cls, states: Floats, projection: Floats) -> "_Told":
        raw = states @ projection
        lengths = np.maximum(np.linalg.norm(raw, axis=1, keepdims=True), _SHORTEST)
        return cls(raw / lengths, lengths, states)

    def to_projection(self, gradient: Floats, chosen: Places | slice = slice(None)) -> Floats:
        """The gradient of the projection, from that of the chosen rows."""
        rows = self.rows[chosen]
        along = (gradient * rows).sum(axis=1, keepdims=True)
        across: Floats = (gradient - along * rows) / self.lengths[chosen]
        return np.asarray(self.states[chosen].T @ across)


def loss_of(example: Example, parameters: Parameters) -> tuple[float, dict[str, Floats]]:
    """The loss of one question, and its gradient by every parameter's name."""
    question = _Told.of(example.question, parameters.projection)
    passages = _Told.of(np.concatenate(example.passages), parameters.projection)
    logits = example.question @ parameters.importance + parameters.importance_bias
    weights = np.logaddexp(0, logits).astype(logits.dtype) * example.rarity
    total = weights.sum()
    shares = weights / total
    nearest, places = _nearest(question.rows @ passages.rows.T, example.passages)
    scores = nearest @ shares
    loss, by_score, gradient = _loss_of_scores(scores, example.gold, parameters)

    pulls = by_score[:, None] * shares
    by_question = np.einsum("pt,ptw->tw", pulls, passages.rows[places])
    chosen, which = np.unique(places, return_inverse=True)
    by_passages = np.zeros((len(chosen), question.rows.shape[1]), question.rows.dtype)
    pulled = (pulls[:, :, None] * question.rows).reshape(-1, by_passages.shape[1])
    np.add.at(by_passages, which.reshape(-1), pulled)
    by_weight = by_score @ (nearest - scores[:, None]) / total
    by_logit = by_weight * example.rarity / (1 + np.exp(-logits))
    projection = question.to_projection(by_question) + passages.to_projection(by_passages, chosen)
    return loss, {
        "projection": projection,
        "importance": example.question.T @ by_logit,
        "importance_bias": by_logit.sum(),
        **gradient,
    }


def _nearest(cosines: Floats, passages: Sequence[Floats]) -> tuple[Floats, Places]:
    """For each passage and token of the question the highest cosine, and where among all tokens."""
    ends = np.cumsum([len(passage) for passage in passages])
    places = np.stack(
        [
            end - len(passage) + cosines[:, end - len(passage) : end].argmax(axis=1)
            for end, passage in zip(ends, passages, strict=True)
        ]
    )
    return cosines[np.arange(cosines.shape[0]), places], places


def _loss_of_scores(
    scores: Floats, gold: int, parameters: Parameters
) -> tuple[float, Floats, Mapping[str, Floats]]:
    """The loss, its gradient by score, and by the parameters that only scores depend on.

    Cross-entropy of the passages that answer among all, as in ColBERT; and, as a verdict has no
    other passages to compare with, the logistic loss of those and of the best of the others.
    """
    among = np.exp(parameters.sharpness * (scores - scores.max()))
    among /= among.sum()
    answering = np.zeros_like(among)
    answering[:gold] = among[:gold] / among[:gold].sum()
    relative = among - answering
    judged = np.array([*range(gold), gold + scores[gold:].argmax()])
    odds = parameters.slope * scores[judged] + parameters.offset
    errors = _ABSOLUTE * (1 / (1 + np.exp(-odds)) - (judged < gold))
    losses = np.logaddexp(0, np.where(judged < gold, -odds, odds))
    by_score = parameters.sharpness * relative
    by_score[judged] += errors * parameters.slope
    return (
        float(_ABSOLUTE * losses.sum() - np.log(among[:gold].sum())),
        by_score.astype(scores.dtype),
        {
            "sharpness": relative @ scores,
            "slope": errors @ scores[judged],
            "offset": errors.sum(),
        },
    )
