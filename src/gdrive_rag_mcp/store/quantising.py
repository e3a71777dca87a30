"""Vectors as whole numbers of a byte each, and products of them that are exact.

Each row has a scale of its own (its largest component becomes 127), so that the cosine over int8
is `(q · row) / (|q| · |row|)`. A product of two such rows of up to 1,040 components is a whole
number below 2^24, so float32 holds it exactly whatever the order it was added up in: all engines
agree to the bit, and beyond that to the last places.
"""

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Callable

    Products = Callable[[npt.NDArray[np.int8], npt.NDArray[np.int8]], npt.NDArray[np.float32]]

_BLOCK = 2048


def quantised(rows: npt.NDArray[np.floating]) -> npt.NDArray[np.int8]:
    """Unit rows as int8, shape kept: each row scaled so that its largest component is 127."""
    wide = rows.astype(np.float32, copy=False)
    peaks = np.maximum(wide.max(axis=1, keepdims=True), -wide.min(axis=1, keepdims=True))
    scaled = wide * (np.float32(127.0) / np.maximum(peaks, np.float32(1e-12)))
    np.rint(scaled, out=scaled)
    whole: npt.NDArray[np.int8] = scaled.astype(np.int8)
    return whole


def inverse_norms(components: npt.NDArray[np.int8]) -> npt.NDArray[np.float32]:
    """One over the length of each int8 row, shape (len(components),)."""
    wide = components.astype(np.float32)
    squares = np.einsum("ij,ij->i", wide, wide)
    inverse: npt.NDArray[np.float32] = (1.0 / np.maximum(np.sqrt(squares), 1e-12)).astype(
        np.float32
    )
    return inverse


def products(
    components: npt.NDArray[np.int8], question: npt.NDArray[np.int8]
) -> npt.NDArray[np.float32]:
    """The dot product of each row with the question, shape (len(components),)."""
    if not len(components):
        return np.zeros(0, np.float32)
    return _engine()(components, question)


def _engine() -> "Products":
    try:
        import numkong  # noqa: F401 - only whether it is there
    except ImportError:  # there is no build for this platform
        return by_blocks
    return by_instructions


def by_instructions(
    components: npt.NDArray[np.int8], question: npt.NDArray[np.int8]
) -> npt.NDArray[np.float32]:
    """With the processor's own instructions for bytes."""
    import numkong

    sums = np.empty((1, len(components)), np.float32)
    numkong.cdist(question[None], components, metric="dot", out=sums)
    found: npt.NDArray[np.float32] = sums[0]
    return found


def by_blocks(
    components: npt.NDArray[np.int8], question: npt.NDArray[np.int8]
) -> npt.NDArray[np.float32]:
    """With numpy alone: widened block by block, so that each stays in the processor's cache."""
    asked = question.astype(np.float32)
    sums = np.empty(len(components), np.float32)
    block = np.empty((min(_BLOCK, len(components)), components.shape[1]), np.float32)
    for start in range(0, len(sums), _BLOCK):
        end = min(start + _BLOCK, len(sums))
        part = block[: end - start]
        np.copyto(part, components[start:end])
        np.dot(part, asked, out=sums[start:end])
    return sums
