"""Keeps the token vectors of texts in files, so that no text is embedded twice for them.

Those of questions are kept as they are, those of documents as an index keeps them: four bits a
number (`store.packed_tokens`), which is all that becomes of them.
"""

import struct
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from gdrive_rag_mcp.domain import TokenVectors
from gdrive_rag_mcp.errors import EmbeddingError
from gdrive_rag_mcp.evaluation.own_file import KEY_BYTES, OwnFile
from gdrive_rag_mcp.protocols import EmbedRole
from gdrive_rag_mcp.store.packed_tokens import pack, unpack

_HEADER = struct.Struct(f"<{KEY_BYTES}sIII")  # key, tokens, their width, bytes of their rows
_NUMBER = 4
_NUMBERS = 2  # a token, besides its row: its piece and its weight


class TokenMemory:
    """The token vectors of one projection, by key, in files that are read as they are asked for."""

    def __init__(self, folder: Path, projection: int) -> None:
        self._projection = projection
        self._own = OwnFile(folder)
        self._places: dict[bytes, tuple[Path, int]] = {}
        for file in sorted(folder.glob("*.bin")):
            self._places.update((key, (file, place)) for key, place in _records(file))

    def __contains__(self, key: bytes) -> bool:
        return key in self._places

    def add(self, key: bytes, tokens: TokenVectors, role: EmbedRole) -> None:
        """Keep a text's token vectors, which were just made.

        Raises:
            SettingsError: the folder cannot be written.
        """
        rows = pack(tokens) if role == "document" else tokens.rows.astype("<f4").tobytes()
        pieces = np.zeros(0) if tokens.pieces is None else tokens.pieces
        numbers = pieces.astype("<i4").tobytes() + tokens.weights.astype("<f4").tobytes()
        header = _HEADER.pack(key, *tokens.rows.shape, len(rows))
        self._places[key] = self._own.append(header + numbers + rows)

    def read(self, key: bytes, role: EmbedRole) -> TokenVectors:
        """What was kept under a key.

        Raises:
            EmbeddingError: its file was changed meanwhile.
        """
        path, place = self._places[key]
        with path.open("rb") as file:
            file.seek(place)
            found, count, width, size = _HEADER.unpack(file.read(_HEADER.size))
            numbers = np.frombuffer(file.read(count * _NUMBERS * _NUMBER), "<i4")
            packed = file.read(size)
        rows = _rows(packed, (count, width), role)
        if found != key or rows is None:
            raise EmbeddingError(f"{path} is damaged", hint="delete it")
        pieces, weights = numbers[:count], numbers[count:].view("<f4")
        return TokenVectors(rows, weights, self._projection, pieces)


def _rows(packed: bytes, shape: tuple[int, int], role: EmbedRole) -> npt.NDArray[np.float32] | None:
    if role == "document":
        tokens = unpack(packed, 0)
        return None if tokens is None else tokens.rows
    return np.frombuffer(packed, "<f4").reshape(shape)


def _records(path: Path) -> Iterator[tuple[bytes, int]]:
    """The keys of a file and where their records begin; the last may be cut short."""
    end = path.stat().st_size
    place = 0
    with path.open("rb") as file:
        while len(header := file.read(_HEADER.size)) == _HEADER.size:
            key, count, _, size = _HEADER.unpack(header)
            following = place + _HEADER.size + count * _NUMBERS * _NUMBER + size
            if following > end:
                return
            yield key, place
            place = file.seek(following)
