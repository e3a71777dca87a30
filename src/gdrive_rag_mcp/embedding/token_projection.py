"""From a model's token states to few numbers a token, and how much each token matters.

The projection was learned for multilingual-e5-small, so that tokens that say the same thing in a
question and in its answer come to lie close together (late interaction, as in ColBERT, Khattab and
Zaharia 2020); it is read from a file of the package.
"""

import hashlib
import io
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from gdrive_rag_mcp.domain import TokenVectors
from gdrive_rag_mcp.embedding.model_folder import ModelFolder
from gdrive_rag_mcp.errors import EmbedderUnavailableError
from gdrive_rag_mcp.protocols import Pieces

STATES = 384
"""Numbers a token has in the model that the projection was learned for."""
_MODEL = "multilingual-e5-small"
_FILE = "token_projection.npz"
_ID_BYTES = 4
_WIDEST = 255
# So small a product numpy's library makes by itself: with threads, which stand in each other's way
# where several texts are embedded at once, it takes ten times the processor's time.
_BLOCK = 16
_ARRAYS = ("centre", "projection", "importance", "importance_bias")
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class TokenProjection:
    """`projection` is (states, width); `id` tells it from any other."""

    centre: Floats
    projection: Floats
    importance: Floats
    importance_bias: float
    id: int

    def of(self, states: Floats, pieces: Pieces) -> TokenVectors:
        """The token vectors of states (tokens, 384), which are those of `pieces`."""
        told = np.concatenate([block @ self._columns for block in self._blocks(states)])
        projected, logits = told[:, :-1], told[:, -1] + np.float32(self.importance_bias)
        lengths = np.linalg.norm(projected, axis=1, keepdims=True)
        rows = projected / np.where(lengths > 0, lengths, 1)
        weights = np.logaddexp(np.float32(0), logits)
        return TokenVectors(rows.astype(np.float32, copy=False), weights, self.id, pieces)

    def _blocks(self, states: Floats) -> Iterator[Floats]:
        """The states from their centre, a few tokens at a time, and at least once."""
        for start in range(0, max(len(states), 1), _BLOCK):
            yield states[start : start + _BLOCK] - self.centre

    @cached_property
    def _columns(self) -> Floats:
        """What is multiplied by: the projection, and the importance as its last column."""
        return np.column_stack([self.projection, self.importance])


@dataclass(frozen=True, eq=False)
class TokenStates:
    """What a model makes of each token of a text: (tokens, states), and the tokens' pieces."""

    states: npt.NDArray[np.floating[Any]]
    pieces: Pieces


def joined_states(parts: Sequence[TokenStates]) -> TokenStates:
    """The token states of a text from those of its windows, in order."""
    return TokenStates(
        np.concatenate([part.states for part in parts]),
        np.concatenate([part.pieces for part in parts]),
    )


def joined(parts: Sequence[TokenVectors]) -> TokenVectors:
    """The token vectors of a text from those of its windows, in order."""
    if len(parts) == 1:
        return parts[0]
    return TokenVectors(
        np.concatenate([part.rows for part in parts]),
        np.concatenate([part.weights for part in parts]),
        parts[0].projection,
        np.concatenate([part.pieces for part in parts if part.pieces is not None]),
    )


def projection_for(folder: ModelFolder) -> TokenProjection | None:
    """The projection of a model's token states; None for any model that it was not made for."""
    if folder.name != _MODEL or folder.dimensions != STATES:
        return None
    return shipped_projection()


@cache
def shipped_projection() -> TokenProjection:
    """The projection in the package.

    Raises:
        EmbedderUnavailableError: its file is missing or damaged.
    """
    try:
        with files(__package__).joinpath(_FILE).open("rb") as stream:
            return read_projection(stream)
    except OSError as error:
        raise _damaged(str(error.strerror)) from None


def read_projection(stream: IO[bytes]) -> TokenProjection:
    """Read a projection from an `.npz` file of the arrays that the class names.

    Raises:
        EmbedderUnavailableError: it has not these arrays, in these shapes, with finite values.
    """
    try:
        with np.load(stream, allow_pickle=False) as archive:
            arrays = {name: np.asarray(archive[name], np.float32) for name in _ARRAYS}
    except (ValueError, LookupError, EOFError, TypeError, zipfile.BadZipFile) as error:
        raise _damaged(str(error)) from None
    _check(arrays)
    content = b"".join(arrays[name].astype("<f4").tobytes() for name in _ARRAYS)
    return TokenProjection(
        arrays["centre"],
        arrays["projection"],
        arrays["importance"],
        float(arrays["importance_bias"]),
        int.from_bytes(hashlib.sha256(content).digest()[:_ID_BYTES], "big"),
    )


def projection_file(
    centre: Floats, projection: Floats, importance: Floats, importance_bias: float
) -> bytes:
    """The file of a projection, for `read_projection`; the same arrays make the same bytes."""
    arrays = (centre, projection, importance, np.float32(importance_bias))
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:  # not np.savez, which notes the time
        for name, array in zip(_ARRAYS, arrays, strict=True):
            member = io.BytesIO()
            np.save(member, np.asarray(array, "<f4"), allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), member.getvalue())
    return content.getvalue()


def _check(arrays: Mapping[str, Floats]) -> None:
    width = arrays["projection"].shape[-1] if arrays["projection"].ndim else 0
    if width > _WIDEST:
        raise _damaged(f"it makes {width} numbers a token, which are more than {_WIDEST}")
    shapes = ((STATES,), (STATES, width), (STATES,), ())
    for name, shape in zip(_ARRAYS, shapes, strict=True):
        if arrays[name].shape != shape or not arrays[name].size:
            raise _damaged(f"{name} has the shape {arrays[name].shape} instead of {shape}")
        if not np.isfinite(arrays[name]).all():
            raise _damaged(f"{name} has values that are not finite")


def _damaged(what: str) -> EmbedderUnavailableError:
    return EmbedderUnavailableError(
        f"the package's file {_FILE} cannot be used: {what}", hint="install gdrive-rag-mcp again"
    )
