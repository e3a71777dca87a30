"""The nearest rows of a matrix in memory, and a sample of how near the others are."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from gdrive_rag_mcp.protocols import Vector
from gdrive_rag_mcp.store.quantising import products, quantised
from gdrive_rag_mcp.store.vector_segments import SCATTERED, Part

SAMPLE = 512
_SMALL_SHARE = 0.25
_STRIDE = 16

Mask = npt.NDArray[np.bool_]


def nearest_rows(
    parts: Sequence[Part], vector: Vector, allowed: Mask | None, wanted: int
) -> tuple[list[int], Vector]:
    """The chunks of the best rows by int8 cosine, and the cosines of a sample of all rows.

    `allowed` says by file number what may be found; that comes before any ranking.
    """
    masks = [_mask(part, allowed) for part in parts]
    counts = [
        len(part.chunks) if mask is None else int(np.count_nonzero(mask))
        for part, mask in zip(parts, masks, strict=True)
    ]
    asked = quantised(vector[None])[0]
    scale = np.float32(1.0 / max(float(np.linalg.norm(asked.astype(np.float32))), 1e-12))
    bound = sample_share(sum(counts))
    chunks, scores, samples = [np.zeros(0, np.int64)], [_NONE], [_NONE]
    for part, mask, count in zip(parts, masks, counts, strict=True):
        if not count:
            continue
        numbers, cosines, scattered = _scored(part, mask, count, asked, scale)
        samples.append(cosines[scattered < bound])
        best = _best(cosines, wanted)
        chunks.append(numbers[best])
        scores.append(cosines[best])
    found, all_scores = np.concatenate(chunks), np.concatenate(scores)
    return found[_best(all_scores, wanted)].tolist(), np.concatenate(samples)


_NONE = np.zeros(0, np.float32)


def _mask(part: Part, allowed: Mask | None) -> Mask | None:
    if allowed is None:
        return part.alive
    fits: Mask = allowed[part.files]
    return fits if part.alive is None else fits & part.alive


def _scored(
    part: Part, mask: Mask | None, count: int, asked: npt.NDArray[np.int8], scale: np.float32
) -> tuple[npt.NDArray[np.int64], Vector, npt.NDArray[np.uint32]]:
    """Chunk numbers, cosines and scattered numbers of the rows under the mask."""
    if mask is None:
        cosines = products(part.components, asked)
        cosines *= part.inverse_norms
        cosines *= scale
        return part.chunks, cosines, part.scattered
    places = np.flatnonzero(mask)
    if count < _SMALL_SHARE * len(part.chunks):
        cosines = products(part.components[places], asked)
    else:
        cosines = products(part.components, asked)[places]
    cosines *= part.inverse_norms[places]
    cosines *= scale
    return part.chunks[places], cosines, part.scattered[places]


def _best(scores: Vector, wanted: int) -> npt.NDArray[np.intp]:
    """Places of the best scores, in no order.

    The wanted-th best of every 16th is no better than the wanted-th best of all, and leaves few to
    choose among.
    """
    places = np.arange(len(scores))
    sampled = scores[::_STRIDE]
    if len(sampled) > wanted:
        floor = np.partition(sampled, len(sampled) - wanted)[len(sampled) - wanted]
        places = np.flatnonzero(scores >= floor)
    if len(places) <= wanted:
        return places
    chosen = np.argpartition(scores[places], len(places) - wanted)[len(places) - wanted :]
    return places[chosen]


def sample_share(chunks: int) -> int:
    """Below which scattered number a chunk is in the sample: all, or around `SAMPLE` of them.

    Scattered, because what lies apart by a fixed step may have more than that in common; by number,
    because then it is the same sample whichever way is searched.
    """
    return SCATTERED + 1 if chunks <= 2 * SAMPLE else (SCATTERED + 1) * SAMPLE // chunks
