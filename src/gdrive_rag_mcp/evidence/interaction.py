"""Late interaction: how well each token of a question is met by the tokens of a passage.

After ColBERT (Khattab & Zaharia, "ColBERT: efficient and effective passage search via
contextualized late interaction over BERT", SIGIR 2020), with tokens weighed by how much they matter
and how rare they are in the index, and looked for close together.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gdrive_rag_mcp.domain import TokenVectors

if TYPE_CHECKING:  # a search without token vectors needs none of it
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]

Rarity = Callable[["npt.NDArray[np.int32]"], "Floats"]
"""The idf of token pieces in the index."""

WINDOW_TOKENS = 48
"""Pieces of words, about as many as two sentences have."""
_STEP = 16


@dataclass(frozen=True, slots=True, eq=False)
class Meeting:
    """A question's tokens before one passage.

    `whole` is the mean, by weight, of the cosine of each token to the nearest of the passage;
    `together` the same within the window of `WINDOW_TOKENS` where it is highest, in which
    `nearest` (tokens,) are those cosines and `places` (tokens,) where in the passage they are.
    """

    whole: float
    together: float
    nearest: "Floats"
    places: "npt.NDArray[np.intp]"


@dataclass(frozen=True, slots=True, eq=False)
class Meetings:
    """A question's tokens before each passage read; `weights` (tokens,) add up to 1."""

    weights: "Floats"
    of_hits: tuple[Meeting, ...]


def meet(
    question: TokenVectors | None, passages: Sequence[TokenVectors | None], rarity: Rarity | None
) -> Meetings | None:
    """Compare a question with passages; None where that cannot be done for all of them alike."""
    if question is None or question.pieces is None or rarity is None:
        return None
    known = [passage for passage in passages if passage is not None and len(passage.rows)]
    weights = question.weights * rarity(question.pieces)
    if len(known) < len(passages) or not known or not weights.sum() > 0:
        return None
    weights = weights / weights.sum()
    return Meetings(weights, tuple(_meeting(question, passage, weights) for passage in known))


def _meeting(question: TokenVectors, passage: TokenVectors, weights: "Floats") -> Meeting:
    cosines = question.rows @ passage.rows.T
    best: tuple[float, Floats, npt.NDArray[np.intp]] | None = None
    for start in range(0, max(1, cosines.shape[1] - WINDOW_TOKENS + _STEP), _STEP):
        window = cosines[:, start : start + WINDOW_TOKENS]
        places = window.argmax(axis=1)
        nearest = window.max(axis=1)
        score = float(weights @ nearest)
        if best is None or score > best[0]:
            best = score, nearest, places + start
    assert best is not None  # noqa: S101 - there is one window at least
    return Meeting(float(weights @ cosines.max(axis=1)), *best)
