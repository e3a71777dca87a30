"""The vectors of a model's tokens, read from a file where they are needed.

Most of a multilingual model is this table, of which a text needs some rows. It is not mapped into
memory: the system maps a page's neighbours with it, so that soon all of it counts as the process's.
"""

import os
import weakref
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gdrive_rag_mcp.embedding.model_folder import TOKENS_FILE
from gdrive_rag_mcp.embedding.packed_model import PackedModel, array_file, four_bit_values
from gdrive_rag_mcp.errors import EmbedderUnavailableError


class TokenTable:
    """A file of rows in four-bit blocks; safe to use from several threads."""

    def __init__(self, folder: Path, *, mapped: bool = not hasattr(os, "pread")) -> None:
        """Where a system cannot read at a place for several threads, the file is mapped."""
        file = folder / TOKENS_FILE
        rows = np.load(file, mmap_mode="r")
        self._blocks = rows.dtype
        self._read: Callable[[int], bytes] = (
            partial(_mapped_row, rows) if mapped else _RowsOnDisk(file, rows).row
        )

    def vectors(self, ids: Sequence[int]) -> npt.NDArray[np.float32]:
        """The vector of each token: (tokens, dimensions)."""
        read = {token: self._read(token) for token in set(ids)}
        blocks = np.frombuffer(b"".join(read[token] for token in ids), self._blocks)
        values, scales = four_bit_values(blocks)
        signed = values.astype(np.float32) - np.float32(8)
        return (signed * scales[:, None]).reshape(len(ids), -1)


def _mapped_row(rows: npt.NDArray[np.void], token: int) -> bytes:
    return bytes(rows[token].data)


class _RowsOnDisk:
    """The file that was opened as `rows`, read row by row."""

    def __init__(self, file: Path, rows: "np.memmap[Any, Any]") -> None:
        self._offset, self._length = rows.offset, rows.dtype.itemsize * rows.shape[1]
        self._descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
        weakref.finalize(self, os.close, self._descriptor)

    def row(self, token: int) -> bytes:
        row = os.pread(self._descriptor, self._length, self._offset + token * self._length)
        if len(row) != self._length:
            raise EmbedderUnavailableError(
                "the file of the model's tokens was cut off meanwhile", hint="run the command again"
            )
        return row


def token_table_file(packed: PackedModel) -> bytes:
    """The file that `TokenTable` reads: the source's blocks, as they are."""
    rows = packed.packed_rows("emb.word", packed.shape.hidden)
    return array_file(rows[: len(packed.pieces)])  # no token has the rows at the end
