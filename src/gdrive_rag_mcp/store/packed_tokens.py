"""Token vectors in few bytes: four bits a number, as the index keeps them of every passage.

What tells passages apart is which of their tokens lies nearest to one of the question's: a cosine
off by a hundredth does. How much a token matters is asked of the question's tokens alone, so that
weights are not kept.
"""

import struct
from math import ceil

import numpy as np

from gdrive_rag_mcp.domain import TokenVectors

_HEADER = struct.Struct("<IB")  # tokens, and numbers a token
_TOP = 7
_ZERO = 8
"""The four bits that stand for 0; 1 to 15 stand for -7 to 7 of the row's largest number."""
_LOW = 0x0F


def pack(tokens: TokenVectors, *, keep: float = 1.0) -> bytes:
    """The rows, each by its direction alone; of all tokens, the share `keep` that matters most."""
    rows = tokens.rows
    if keep < 1:
        heaviest = np.argsort(-tokens.weights, kind="stable")[: ceil(keep * len(rows))]
        rows = rows[np.sort(heaviest)]
    largest = np.abs(rows).max(axis=1, keepdims=True, initial=0)
    scaled = rows * (_TOP / np.where(largest > 0, largest, 1))
    levels = (np.rint(scaled) + _ZERO).astype(np.uint8).reshape(-1)
    if len(levels) % 2:
        levels = np.append(levels, np.uint8(_ZERO))
    return _HEADER.pack(*rows.shape) + ((levels[0::2] << 4) | levels[1::2]).tobytes()


def unpack(packed: object, projection: int) -> TokenVectors | None:
    """What `pack` made of that projection's token vectors, all of one weight; None if damaged."""
    if not isinstance(packed, bytes) or len(packed) < _HEADER.size:
        return None
    count, width = _HEADER.unpack_from(packed)
    numbers = count * width
    if not width or len(packed) - _HEADER.size != (numbers + 1) // 2:
        return None
    pairs = np.frombuffer(packed, np.uint8, offset=_HEADER.size)
    levels = np.stack([pairs >> 4, pairs & _LOW], axis=1).reshape(-1)[:numbers]
    rows = levels.reshape(count, width).astype(np.float32) - np.float32(_ZERO)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit = (rows / np.where(lengths > 0, lengths, 1)).astype(np.float32, copy=False)
    return TokenVectors(unit, np.ones(count, np.float32), projection)
