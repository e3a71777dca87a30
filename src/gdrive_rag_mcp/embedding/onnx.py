"""The embedded provider: multilingual-e5-small, or a larger E5 encoder, in this process.

Every text runs by itself, on one thread. Padding would change the int8 scales, so that a vector
would depend on its neighbours in a batch; and for one thread a batch is not faster. Several texts
run on several threads.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from gdrive_rag_mcp.cleaning import clean
from gdrive_rag_mcp.domain import EmbeddingIdentity
from gdrive_rag_mcp.embedding.contract import identify, unit_rows
from gdrive_rag_mcp.embedding.model_folder import ModelFolder, read_model_folder
from gdrive_rag_mcp.embedding.token_projection import (
    TokenStates,
    joined,
    joined_states,
    projection_for,
)
from gdrive_rag_mcp.embedding.token_table import TokenTable
from gdrive_rag_mcp.errors import EmbedderUnavailableError, EmbeddingError, SettingsError
from gdrive_rag_mcp.protocols import Embedded, EmbedRole, Pieces, Vector, Vectors

if TYPE_CHECKING:  # half a second of imports that only the first text pays for
    from onnxruntime import InferenceSession

# From the E5 paper: the model was trained with these before every text.
_PREFIXES: Mapping[EmbedRole, str] = {"query": "query:", "document": "passage:"}
# By the names that exported models give them: of models with a token table of their own, and of
# ours, for which the table is read from a file.
_INPUTS = {"input_ids", "attention_mask", "token_type_ids"}
_INPUTS_WITHOUT_TABLE = {"inputs_embeds", "attention_mask"}
_MOST_THREADS = 4


class Tokenizer(Protocol):
    """Cuts texts into the tokens of a model."""

    ends: tuple[int, int]
    """The ids that stand before and after those of every text."""

    def ids(self, text: str) -> list[int]: ...


def available_threads() -> int:
    """As many as this process may use, but not so many that a laptop is taken over."""
    usable = getattr(os, "sched_getaffinity", None)
    count = len(usable(0)) if usable else os.cpu_count() or 1
    return min(count, _MOST_THREADS)


class OnnxEmbedder:
    """An E5 encoder from a folder as hubs lay it out, or as this project unpacks it.

    Nothing is read before it is needed. A text longer than `max_tokens` is not cut: its windows are
    embedded one by one and averaged, each weighted by its tokens.
    """

    parallel_calls = 1

    def __init__(
        self, folder: Path, *, dimensions: int | None = None, threads: int | None = None
    ) -> None:
        self._path = folder
        self._wanted_dimensions = dimensions
        self._threads = threads or available_threads()
        self._loading = Lock()
        self._loaded: _Encoder | None = None
        self._loaded_tokenizer: Tokenizer | None = None

    @cached_property
    def _folder(self) -> ModelFolder:
        folder = read_model_folder(self._path)
        if self._wanted_dimensions not in (None, folder.dimensions):
            raise SettingsError(
                f"GDRIVE_RAG_EMBED_DIMENSIONS is {self._wanted_dimensions}, but the vectors of"
                f" {folder.name} have {folder.dimensions}",
                hint="unset it, or set another model",
            )
        return folder

    @cached_property
    def identity(self) -> EmbeddingIdentity:
        folder = self._folder
        return identify("embedded", folder.name, folder.dimensions, weights=folder.weights)

    @property
    def max_tokens(self) -> int:
        return self._folder.max_tokens

    def calls(self, texts: int, characters: int) -> int:
        return 0

    def embed(self, texts: Sequence[str], *, role: EmbedRole) -> Vectors:
        return self._embedded(texts, role, _nothing)[0]

    def token_projection(self) -> int | None:
        projection = projection_for(self._folder)
        return projection.id if projection else None

    def embed_with_tokens(self, texts: Sequence[str], *, role: EmbedRole) -> Embedded:
        projection = projection_for(self._folder)
        if projection is None:
            return Embedded(self.embed(texts, role=role))
        vectors, parts = self._embedded(texts, role, projection.of)
        return Embedded(vectors, tuple(map(joined, parts)))

    def embed_with_states(
        self, texts: Sequence[str], *, role: EmbedRole
    ) -> tuple[Vectors, list[TokenStates]]:
        """As `embed`, with what projections are learned from."""
        vectors, parts = self._embedded(texts, role, TokenStates)
        return vectors, list(map(joined_states, parts))

    def pieces(self, texts: Sequence[str]) -> Sequence[Pieces]:
        with self._loading:
            tokenizer = self._tokenizer()
        return [np.array(tokenizer.ids(_cleaned(text)), np.int32) for text in texts]

    def _embedded(
        self, texts: Sequence[str], role: EmbedRole, keep: "_Keep[Kept]"
    ) -> "tuple[Vectors, list[list[Kept]]]":
        """The vectors, and what is kept of the tokens of each window of each text."""
        dimensions = self._folder.dimensions
        encode = partial(self._encoder().encode, prefix=_PREFIXES[role], keep=keep)
        if len(texts) > 1 and self._threads > 1:
            encoded = self._in_parallel(encode, texts)
        else:
            encoded = [encode(text) for text in texts]
        means = [mean for mean, _ in encoded]
        raw = np.array(means, np.float32).reshape(len(means), -1 if means else dimensions)
        rows = unit_rows(raw, count=len(texts), dimensions=dimensions, provider="the model")
        return rows, [parts for _, parts in encoded]

    def _in_parallel(
        self, encode: "Callable[[str], _Encoded[Kept]]", texts: Sequence[str]
    ) -> "list[_Encoded[Kept]]":
        # Threads do not outlive the call: a process that forks must not have any.
        pool = ThreadPoolExecutor(min(self._threads, len(texts)))
        try:
            return list(pool.map(encode, texts))
        finally:
            pool.shutdown(cancel_futures=True)

    def _encoder(self) -> "_Encoder":
        with self._loading:
            if self._loaded is None:
                self._loaded = _load(self._folder, self._tokenizer())
            return self._loaded

    def _tokenizer(self) -> Tokenizer:
        if self._loaded_tokenizer is None:
            self._loaded_tokenizer = _load_tokenizer(self._folder)
        return self._loaded_tokenizer


Kept = TypeVar("Kept")
# What is made of a window's states (tokens, dimensions), of the text alone, and their pieces.
_Keep: TypeAlias = Callable[[npt.NDArray[np.float32], Pieces], Kept]
# The mean of all token states, and what is kept of those of each window.
_Encoded: TypeAlias = tuple[Vector, list[Kept]]


def _nothing(states: npt.NDArray[np.float32], pieces: Pieces) -> None:
    """Keep nothing."""


@dataclass(frozen=True, slots=True)
class _Encoder:
    """A loaded model and its tokenizer; safe to use from several threads."""

    session: "InferenceSession"
    tokenizer: Tokenizer
    inputs: tuple[str, ...]
    max_tokens: int
    table: TokenTable | None

    def encode(self, text: str, *, prefix: str, keep: _Keep[Kept]) -> _Encoded[Kept]:
        """The mean of the model's output over all tokens, not yet of length 1."""
        lead = self.tokenizer.ids(prefix)
        windows = self._windows(_cleaned(text), lead)
        means, parts = [], []
        # What is not finite is refused where lengths are checked, and needs no warning besides.
        with np.errstate(over="ignore", invalid="ignore"):
            for window in windows:
                states = self._run(window)
                means.append(states.mean(axis=0))
                content = slice(len(lead) + 1, -1)
                parts.append(keep(states[content], np.array(window[content], np.int32)))
            mean: Vector = np.average(means, axis=0, weights=[len(window) for window in windows])
        return mean, parts

    def _windows(self, text: str, lead: list[int]) -> list[list[int]]:
        """The text's tokens in as many windows as it takes, each one as the model was trained."""
        first, last = self.tokenizer.ends
        content = self.tokenizer.ids(text)
        room = self.max_tokens - len(lead) - 2
        starts = range(0, max(len(content), 1), room)
        return [[first, *lead, *content[start : start + room], last] for start in starts]

    def _run(self, window: list[int]) -> npt.NDArray[np.float32]:
        """The model's output: (tokens, dimensions)."""
        from onnxruntime.capi import onnxruntime_pybind11_state as foreign

        ids = np.array([window], np.int64)
        filled: dict[str, npt.NDArray[Any]] = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
        }
        if self.table is not None:
            filled["inputs_embeds"] = self.table.vectors(window)[None]
        feed = {name: filled.get(name, np.zeros_like(ids)) for name in self.inputs}
        try:
            output = self.session.run(None, feed)[0]
        except (foreign.Fail, foreign.InvalidArgument, foreign.RuntimeException) as error:
            raise EmbeddingError(f"the embedding model failed: {error}") from None
        states: npt.NDArray[np.float32] = output[0]
        return states


def _cleaned(text: str) -> str:
    return clean(text).strip()


def _load(folder: ModelFolder, tokenizer: Tokenizer) -> _Encoder:
    session = _session(folder.model_file)
    inputs = tuple(node.name for node in session.get_inputs())
    shape = session.get_outputs()[0].shape
    known = _INPUTS_WITHOUT_TABLE if folder.unpacked else _INPUTS
    if set(inputs) - known or shape[2:] != [folder.dimensions]:
        raise EmbedderUnavailableError(
            f"{folder.model_file} takes {', '.join(inputs)} and returns {shape}: that is no encoder"
            f" with one vector of {folder.dimensions} a token",
            hint="export the model for feature extraction, with its config.json",
        )
    with _reading(folder):
        table = TokenTable(folder.path) if folder.unpacked else None
    return _Encoder(session, tokenizer, inputs, folder.max_tokens, table)


def _load_tokenizer(folder: ModelFolder) -> Tokenizer:
    with _reading(folder):
        if folder.unpacked:
            from gdrive_rag_mcp.embedding.e5_tokenizer import E5Tokenizer

            return E5Tokenizer(folder.path)
        from gdrive_rag_mcp.embedding.hub_tokenizer import HubTokenizer

        return HubTokenizer(folder.tokenizer_file)


@contextmanager
def _reading(folder: ModelFolder) -> Iterator[None]:
    """The folder was whole when its hash was taken."""
    try:
        yield
    except (OSError, ValueError) as error:
        raise EmbedderUnavailableError(
            f"the model folder {folder.path} was changed or taken away meanwhile: {error}",
            hint="run the command again",
        ) from None


def _session(file: Path) -> "InferenceSession":
    import onnxruntime
    from onnxruntime.capi import onnxruntime_pybind11_state as foreign

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
    except (
        foreign.Fail, foreign.InvalidGraph, foreign.InvalidProtobuf, foreign.InvalidArgument,
        foreign.NoSuchFile, foreign.NotImplemented, foreign.RuntimeException,
    ) as error:  # fmt: skip
        raise EmbedderUnavailableError(
            f"{file} cannot be loaded: {error}", hint="update onnxruntime, or export it again"
        ) from None
