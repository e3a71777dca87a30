"""The `sentence-transformers` provider (extra): any of its models that is on this machine.

Nothing is ever downloaded, and no code that a model brings along is run.
"""

import hashlib
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from pickle import UnpicklingError
from threading import Lock
from typing import Protocol

import numpy as np
import numpy.typing as npt

from gdrive_rag_mcp.cleaning import clean
from gdrive_rag_mcp.domain import EmbeddingIdentity
from gdrive_rag_mcp.embedding.contract import identify, unit_rows
from gdrive_rag_mcp.embedding.model_folder import sha256_of
from gdrive_rag_mcp.embedding.windows import average, cut_to_fit
from gdrive_rag_mcp.errors import EmbedderUnavailableError, EmbeddingError, SettingsError
from gdrive_rag_mcp.protocols import EmbedRole, Vectors

INSTALL = "run pip install 'gdrive-rag-mcp[sentence-transformers]'"
BATCH_SIZE = 32
MODULES_FILE = "modules.json"
_PACKAGE = "sentence-transformers"
# Older ones run the code in a local folder without being asked to.
_FIRST_SAFE = 6
# Where a model names no limit, or one that no memory has room for.
_LONGEST = 8192
# Weights, and what describes them.
_COUNTED = {".safetensors", ".bin", ".json", ".txt", ".model"}
# Other forms of the same weights, which are not loaded.
_OTHER_FORMS = {"onnx", "openvino"}
# What torch, transformers and the files' readers raise where they or a model do not load; a wrong
# device is an AssertionError or a RuntimeError, damaged weights may be an end of file or a pickle.
_LOADING = (
    AssertionError,
    AttributeError,
    EOFError,
    ImportError,
    LookupError,
    OSError,
    RuntimeError,
    TypeError,
    UnpicklingError,
    ValueError,
)


class _Tokenizer(Protocol):
    def encode(self, text: str, *, add_special_tokens: bool) -> Sequence[int]: ...


class _Model(Protocol):
    """What is used of `SentenceTransformer`."""

    prompts: Mapping[str, str]
    max_seq_length: int | None
    tokenizer: _Tokenizer

    def encode_query(self, texts: list[str], **how: object) -> npt.NDArray[np.float32]: ...
    def encode_document(self, texts: list[str], **how: object) -> npt.NDArray[np.float32]: ...
    def get_embedding_dimension(self) -> int | None: ...


class SentenceTransformersEmbedder:
    """A model from a folder, or from the hub's cache on this disk by its name.

    Questions and documents get the prompts that the model was trained with. A text longer than
    `max_tokens` is embedded in windows and averaged, each weighted by its tokens.
    """

    parallel_calls = 1

    def __init__(
        self,
        model: Path | str,
        *,
        dimensions: int | None = None,
        device: str | None = None,
        batch_size: int = BATCH_SIZE,
    ) -> None:
        _require_library()
        self._source = model
        self._wanted_dimensions = dimensions
        self._device = device
        self._batch_size = batch_size
        self._using = Lock()
        self._loading = Lock()
        self._loaded: _Model | None = None

    @cached_property
    def identity(self) -> EmbeddingIdentity:
        name = self._source.name if isinstance(self._source, Path) else self._source
        weights = _weights_identity(self._folder)
        return identify("sentence-transformers", name, self._dimensions, weights=weights)

    @property
    def max_tokens(self) -> int:
        return min(self._model.max_seq_length or _LONGEST, _LONGEST)

    def calls(self, texts: int, characters: int) -> int:
        return 0

    def embed(self, texts: Sequence[str], *, role: EmbedRole) -> Vectors:
        # A tokenizer may not be used by two threads at once, and torch uses all processors anyway.
        with self._using:
            windows = [cut_to_fit(clean(text), self._room, self._tokens) for text in texts]
            flat = [window for of_text in windows for window in of_text]
            raw = self._encoded(flat, role) if flat else np.empty((0, self._dimensions))
            rows = unit_rows(
                raw, count=len(flat), dimensions=self._dimensions, provider="the model"
            )
            weights = [[max(1, self._tokens(window)) for window in some] for some in windows]
            return average(weights, rows, provider="the model")

    def _encoded(self, texts: list[str], role: EmbedRole) -> npt.NDArray[np.float32]:
        """The vectors in the order of the texts; the library sorts them by length for itself."""
        encode = self._model.encode_query if role == "query" else self._model.encode_document
        try:
            return encode(
                texts,
                batch_size=self._batch_size,
                show_progress_bar=False,
                convert_to_numpy=True,
                normalize_embeddings=True,
            )
        except (RuntimeError, ValueError, LookupError) as error:
            raise EmbeddingError(
                f"the embedding model failed: {error!s:.300}",
                hint="if memory is short, lower GDRIVE_RAG_EMBED_BATCH_SIZE",
            ) from None

    def _tokens(self, text: str) -> int:
        return len(self._model.tokenizer.encode(text, add_special_tokens=False))

    @cached_property
    def _room(self) -> int:
        """Tokens of a text that fit beside those the model puts around every text."""
        around = len(self._model.tokenizer.encode("", add_special_tokens=True))
        prompt = max(map(self._tokens, self._model.prompts.values()), default=0)
        return max(1, self.max_tokens - around - prompt)

    @cached_property
    def _dimensions(self) -> int:
        length = self._model.get_embedding_dimension()
        if length is None:
            length = self._encoded(["length"], "query").shape[1]
        if self._wanted_dimensions not in (None, length):
            raise SettingsError(
                f"GDRIVE_RAG_EMBED_DIMENSIONS is {self._wanted_dimensions}, but the vectors of"
                f" {self._folder.name} have {length}",
                hint="unset it, or set another model",
            )
        return length

    @cached_property
    def _folder(self) -> Path:
        folder = self._source if isinstance(self._source, Path) else _cached(self._source)
        try:
            names = {path.name for path in folder.iterdir()}
        except (OSError, ValueError) as error:
            raise _unreadable(folder, error) from None
        if MODULES_FILE not in names:
            raise EmbedderUnavailableError(
                f"{folder} is no folder of Sentence Transformers: it has no {MODULES_FILE}",
                hint="point GDRIVE_RAG_EMBED_MODEL_PATH to one that `model.save` wrote",
            )
        return folder

    @property
    def _model(self) -> _Model:
        with self._loading:
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded

    def _load(self) -> _Model:
        load = _library()
        try:
            model = load(
                str(self._folder),
                device=self._device,
                local_files_only=True,
                trust_remote_code=False,
            )
            # Models of single words or of pictures have no tokenizer that could be counted with.
            model.tokenizer.encode("", add_special_tokens=True)
        except (*_LOADING, _damaged_weights()) as error:
            raise EmbedderUnavailableError(
                f"the model in {self._folder} cannot be loaded: {_told(error)}",
                hint="see that the folder is complete, and GDRIVE_RAG_EMBED_DEVICE if it is set",
            ) from None
        return model


def _require_library() -> None:
    try:
        found = version(_PACKAGE)
    except PackageNotFoundError:
        raise SettingsError(
            "the provider sentence-transformers needs a library that is not installed", hint=INSTALL
        ) from None
    if int(found.partition(".")[0]) < _FIRST_SAFE:
        raise SettingsError(
            f"sentence-transformers {found} runs code that a model's folder may hold",
            hint=f"{INSTALL} --upgrade",
        )


def _library() -> Callable[..., _Model]:
    """The library's class; it and what it loads say nothing on the terminal."""
    try:
        module = import_module("sentence_transformers")
        transformers = import_module("transformers.utils.logging")
    except _LOADING as error:
        raise SettingsError(
            f"sentence-transformers is installed, but cannot be imported: {error}", hint=INSTALL
        ) from None
    transformers.disable_progress_bar()
    transformers.set_verbosity_error()
    logging.getLogger("sentence_transformers").setLevel(logging.ERROR)
    made: Callable[..., _Model] = module.SentenceTransformer
    return made


def _told(error: BaseException) -> str:
    """What an error says; torch's own words on a pickle advise to run the code in it."""
    if isinstance(error, (EOFError, UnpicklingError)):
        return "its weights are damaged, or hold more than numbers"
    return f"{error!s:.300}"


def _damaged_weights() -> type[Exception]:
    error: type[Exception] = import_module("safetensors").SafetensorError
    return error


def _cached(name: str) -> Path:
    """Where the hub's cache on this disk keeps a model."""
    repository = name if "/" in name else f"sentence-transformers/{name}"
    hub = import_module("huggingface_hub")
    try:
        return Path(hub.snapshot_download(repository, local_files_only=True))
    except (OSError, ValueError):
        raise EmbedderUnavailableError(
            f"the model named {name} is not in the hub's cache on this machine",
            hint="set GDRIVE_RAG_EMBED_MODEL_PATH to its folder, or run `hf download "
            f"{repository}` once; nothing is downloaded here without being asked for",
        ) from None


def _weights_identity(folder: Path) -> str:
    """Equal for folders that make equal vectors: of the weights and all that describes them."""
    try:
        files = sorted(path for path in folder.rglob("*") if _counts(path, folder))
        # Each part of a model has weights of its own, and loads the safe form where there is one.
        safe = {path.parent for path in files if path.suffix == ".safetensors"}
        hashes = {
            path.relative_to(folder).as_posix(): sha256_of(path)
            for path in files
            if path.suffix != ".bin" or path.parent not in safe
        }
    except OSError as error:
        raise _unreadable(folder, error) from None
    return hashlib.sha256(json.dumps(hashes, sort_keys=True).encode()).hexdigest()


def _counts(path: Path, folder: Path) -> bool:
    parts = path.relative_to(folder).parts
    aside = any(part.startswith(".") or part in _OTHER_FORMS for part in parts)
    return path.suffix in _COUNTED and not aside and path.is_file()


def _unreadable(folder: Path, error: OSError | ValueError) -> EmbedderUnavailableError:
    reason = error.strerror if isinstance(error, OSError) else error
    return EmbedderUnavailableError(
        f"the model folder {folder} cannot be read: {reason}",
        hint="check GDRIVE_RAG_EMBED_MODEL_PATH, and the permissions of the folder and its files",
    )
