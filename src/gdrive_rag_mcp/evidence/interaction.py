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
    # Rows of another width are no vectors of this model: what was kept of them is damaged.
    width = question.rows.shape[1]
    known = [
        passage
        for passage in passages
        if passage is not None and len(passage.rows) and passage.rows.shape[1] == width
    ]
    weights = question.weights * rarity(question.pieces)
    if len(known) < len(passages) or not known or not weights.sum() > 0:
        return None
    weights = weights / weights.sum()
    return Meetings(weights, tuple(_meeting(question, passage, weights) for passage in known))


def _meeting(question: TokenVectors, passage: TokenVectors, weights: "Floats") -> Meeting:
    cosines = question.rows @ passage.rows.T
    start = _best_window(cosines, weights) * _STEP
    window = cosines[:, start : start + WINDOW_TOKENS]
    nearest = window.max(axis=1)
    return Meeting(
        float(weights @ cosines.max(axis=1)),
        float(weights @ nearest),
        nearest,
        window.argmax(axis=1) + start,
    )


def _best_window(cosines: "Floats", weights: "Floats") -> int:
    """Where the window starts that meets most, in steps; the first of several."""
    import numpy as np

    steps = -(-cosines.shape[1] // _STEP)
    each = WINDOW_TOKENS // _STEP
    if steps <= each:
        return 0
    filled = np.full((len(cosines), steps * _STEP), -np.inf, cosines.dtype)
    filled[:, : cosines.shape[1]] = cosines
    highest = filled.reshape(len(cosines), steps, _STEP).max(axis=2)
    windows = highest[:, : steps - each + 1]
    for later in range(1, each):
        windows = np.maximum(windows, highest[:, later : later + windows.shape[1]])
    return int((weights @ windows).argmax())
