"""What a text's tokens mean, one by one: tells a passage that answers from one that is near."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # numpy costs a tenth of a second that `--help` and `tools/list` need not pay
    import numpy as np
    import numpy.typing as npt


@dataclass(frozen=True, slots=True, eq=False)
class TokenVectors:
    """A direction for each token of a text, and how much that token matters.

    Only those that the same projection made can be compared; `projection` is its id.
    """

    rows: "npt.NDArray[np.float32]"
    """(tokens, width), each of length 1."""
    weights: "npt.NDArray[np.float32]"
    """(tokens,), none of them below 0."""
    projection: int = 0
    pieces: "npt.NDArray[np.int32] | None" = None
    """(tokens,), ids in the model's vocabulary; None where read from an index, which has none."""
