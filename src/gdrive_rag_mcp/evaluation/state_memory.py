"""Keeps what a model makes of each token of a text: what projections are learned from.

Float16 in files that are mapped, not read: of some ten thousand texts they have a gigabyte.
"""

import struct
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from gdrive_rag_mcp.domain import EmbeddingIdentity
from gdrive_rag_mcp.embedding.onnx import OnnxEmbedder
from gdrive_rag_mcp.embedding.token_projection import TokenStates
from gdrive_rag_mcp.evaluation.own_file import OwnFile, key_of
from gdrive_rag_mcp.protocols import EmbedRole, Vectors

_HEADER = struct.Struct("<16sI")  # key and tokens; then the vector, the pieces and the states
_BATCH = 32


class StateMemory:
    """The model with a memory for vectors and token states; its token vectors it does not tell."""

    parallel_calls = 1

    def __init__(self, inner: OnnxEmbedder, folder: Path) -> None:
        self._inner = inner
        self._dimensions = inner.identity.dimensions
        folder = folder / f"states-{inner.identity.fingerprint[:12]}"
        self._own = OwnFile(folder)
        self._places: dict[bytes, tuple[Path, int, int]] = {}
        self._mapped: dict[Path, npt.NDArray[np.uint8]] = {}
        for file in sorted(folder.glob("*.bin")):
            self._places.update(self._records(file))

    @property
    def identity(self) -> EmbeddingIdentity:
        return self._inner.identity

    @property
    def max_tokens(self) -> int:
        return self._inner.max_tokens

    def calls(self, texts: int, characters: int) -> int:
        return 0

    def embed(self, texts: Sequence[str], *, role: EmbedRole) -> Vectors:
        found = [self._part(key, 0) for key in self._known(texts, role)]
        if not found:
            return self._inner.embed((), role=role)
        return np.stack([part.view("<f4") for part in found])

    def states(self, texts: Sequence[str], role: EmbedRole) -> list[TokenStates]:
        """What the model makes of the tokens of each text, as float16."""
        return [
            TokenStates(
                self._part(key, 2).view("<f2").reshape(-1, self._dimensions),
                self._part(key, 1).view("<i4"),
            )
            for key in self._known(texts, role)
        ]

    def _known(self, texts: Sequence[str], role: EmbedRole) -> list[bytes]:
        """The keys of texts, each of which is kept by now."""
        keys = [key_of(text, role) for text in texts]
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._places}
        waiting = list(new.items())
        for start in range(0, len(waiting), _BATCH):
            self._embed(waiting[start : start + _BATCH], role)
        return keys

    def _embed(self, batch: Sequence[tuple[bytes, str]], role: EmbedRole) -> None:
        vectors, states = self._inner.embed_with_states([text for _, text in batch], role=role)
        for (key, _), vector, told in zip(batch, vectors, states, strict=True):
            count = len(told.pieces)
            parts = (vector.astype("<f4"), told.pieces.astype("<i4"), told.states.astype("<f2"))
            content = b"".join(part.tobytes() for part in parts)
            path, place = self._own.append(_HEADER.pack(key, count) + content)
            self._places[key] = path, place, count

    def _part(self, key: bytes, number: int) -> npt.NDArray[np.uint8]:
        """The bytes of a record's vector, pieces or states."""
        path, place, count = self._places[key]
        sizes = self._sizes(count)
        start = place + _HEADER.size + sum(sizes[:number])
        end = start + sizes[number]
        mapped = self._mapped.get(path)
        if mapped is None or len(mapped) < end:
            mapped = self._mapped[path] = np.memmap(path, np.uint8, "r")
        return mapped[start:end]

    def _sizes(self, count: int) -> tuple[int, int, int]:
        return 4 * self._dimensions, 4 * count, 2 * count * self._dimensions

    def _records(self, path: Path) -> Iterator[tuple[bytes, tuple[Path, int, int]]]:
        """What a file holds; the last record may be cut short."""
        end = path.stat().st_size
        place = 0
        with path.open("rb") as file:
            while len(header := file.read(_HEADER.size)) == _HEADER.size:
                key, count = _HEADER.unpack(header)
                following = place + _HEADER.size + sum(self._sizes(count))
                if following > end:
                    return
                yield key, (path, place, count)
                place = file.seek(following)
