"""Learns which directions of a model's token states tell an answer from what is only near it.

Nothing depends on anything but the examples and their order; numpy only.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gdrive_rag_mcp.errors import QuestionSetError
from gdrive_rag_mcp.evidence.late_loss import Example, Floats, Parameters, loss_of

WIDTH = 32
FEWEST = 100
"""Questions that have to be there: fewer say next to nothing of some ten thousand numbers."""

_EPOCHS = 2
_BATCH = 16
_RATE = 2e-3
_LAST_RATE = 0.1
"""Of the first: what the rate has become at the end, step by step."""
_FASTER = 10.0
"""So much faster the parameters of the loss itself are learned, which are few and large."""
_OF_LOSS = ("sharpness", "slope", "offset")
_PULL = 1e-3
"""Towards the start, by the square of the distance, which is much that the model knows already."""
_IMPORTANCE_PULL = 5e-5
_MOMENTUM, _SQUARES, _TINY = 0.9, 0.999, 1e-8
_SEED = 0


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """What a projection file holds: see `embedding.token_projection`."""

    centre: Floats
    projection: Floats
    importance: Floats
    importance_bias: float


def untrained(states: Floats, width: int = WIDTH) -> Learned:
    """The directions in which token states (tokens, states) differ most, all weights alike.

    Raises:
        QuestionSetError: there are fewer states than they have numbers.
    """
    if len(states) < states.shape[1]:
        raise QuestionSetError(
            f"{len(states)} tokens are too few to learn a projection from",
            hint="give larger question sets",
        )
    centre = states.mean(axis=0, dtype=np.float64)
    centred = states - centre
    _, directions = np.linalg.eigh(centred.T @ centred)
    main = directions[:, ::-1][:, :width]
    return Learned(
        centre.astype(np.float32),
        np.ascontiguousarray(main, np.float32),
        np.zeros(states.shape[1], np.float32),
        1.0,
    )


def fit_projection(examples: Sequence[Example], start: Learned) -> Learned:
    """Learn from questions beside the passages found for them, their states still uncentred.

    Adam (Kingma & Ba, "Adam: a method for stochastic optimization", ICLR 2015), its rate falling
    evenly.

    Raises:
        QuestionSetError: there are too few questions.
    """
    if len(examples) < FEWEST:
        raise QuestionSetError(
            f"{len(examples)} questions are too few to learn a projection from: they are answerable"
            f" ones whose answer a search finds beside other passages, and {FEWEST} are needed",
            hint="docs/evidence.md tells what a question set is made of",
        )
    first = {
        "projection": start.projection,
        "importance": start.importance,
        "importance_bias": np.float32(start.importance_bias),
        "sharpness": np.float32(10),
        "slope": np.float32(10),
        "offset": np.float32(-7),
    }
    learned = Parameters(**{name: np.asarray(value) for name, value in first.items()})
    adam = _Adam(learned, _EPOCHS * math.ceil(len(examples) / _BATCH))
    for batch in _batches(examples):
        near = [_centred(example, start.centre) for example in batch]
        learned = adam.step(learned, _mean_gradient(near, learned, start))
    return Learned(
        start.centre, learned.projection, learned.importance, float(learned.importance_bias)
    )


def _batches(examples: Sequence[Example]) -> Iterator[list[Example]]:
    draw = np.random.default_rng(_SEED)
    for _ in range(_EPOCHS):
        order = draw.permutation(len(examples))
        for begin in range(0, len(order), _BATCH):
            yield [examples[place] for place in order[begin : begin + _BATCH]]


def _centred(example: Example, centre: Floats) -> Example:
    return replace(
        example,
        question=np.asarray(example.question, np.float32) - centre,
        passages=tuple(np.asarray(passage, np.float32) - centre for passage in example.passages),
    )


def _mean_gradient(
    batch: Sequence[Example], learned: Parameters, start: Learned
) -> dict[str, Floats]:
    found = [loss_of(example, learned)[1] for example in batch]
    mean: dict[str, Floats] = {
        name: np.mean([one[name] for one in found], axis=0) for name in found[0]
    }
    mean["projection"] += 2 * _PULL * (learned.projection - start.projection)
    mean["importance"] += 2 * _IMPORTANCE_PULL * learned.importance
    return mean


class _Adam:
    """The state of the method: running means of the gradient and of its square."""

    def __init__(self, parameters: Parameters, steps: int) -> None:
        self._means = {name: np.zeros_like(value) for name, value in parameters.values().items()}
        self._squares = {name: np.zeros_like(value) for name, value in parameters.values().items()}
        self._steps = steps
        self._taken = 0

    def step(self, parameters: Parameters, gradient: dict[str, Floats]) -> Parameters:
        self._taken += 1
        rate = _RATE * (1 - (1 - _LAST_RATE) * self._taken / self._steps)
        moved: dict[str, Floats] = {}
        for name, value in parameters.values().items():
            own = gradient[name]
            self._means[name] = _MOMENTUM * self._means[name] + (1 - _MOMENTUM) * own
            self._squares[name] = _SQUARES * self._squares[name] + (1 - _SQUARES) * own**2
            mean = self._means[name] / (1 - _MOMENTUM**self._taken)
            square = self._squares[name] / (1 - _SQUARES**self._taken)
            pace = rate * (_FASTER if name in _OF_LOSS else 1)
            moved[name] = np.asarray(value - pace * mean / (np.sqrt(square) + _TINY), np.float32)
        return Parameters(**moved)
