"""A folder with an ONNX model: what it must hold, what it says of itself.

It is laid out as hubs do it; or by this project, in files that are read piece by piece, of which
it records the size and hash.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gdrive_rag_mcp.errors import EmbedderUnavailableError

MODEL_FILE = "onnx/model.onnx"
TOKENIZER_FILE = "tokenizer.json"
CONFIG_FILE = "config.json"
TOKENS_FILE = "onnx/tokens.npy"
CELLS_FILE, CODES_FILE = "tokenizer/cells.npy", "tokenizer/codes.npy"
SCORES_FILE = "tokenizer/scores.npy"
UNPACKED_FILES = (MODEL_FILE, TOKENS_FILE, CELLS_FILE, CODES_FILE, SCORES_FILE)
"""What this project unpacks a model into, besides the configuration."""
_RECORD = "gdrive_rag_mcp"
# These count positions from the padding id, so that the first two are never used.
_SHIFTED_POSITIONS = ("roberta", "xlm-roberta", "camembert")


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """What an embedder has to know of the model before it loads it."""

    path: Path
    name: str
    dimensions: int
    max_tokens: int
    weights: str
    """Equal for equal weights: of what they were unpacked from, or else of the files themselves."""
    unpacked: bool
    """Whether its files are those that this project unpacks, and not those of hubs."""

    @property
    def model_file(self) -> Path:
        return self.path / MODEL_FILE

    @property
    def tokenizer_file(self) -> Path:
        return self.path / TOKENIZER_FILE


def missing_files(folder: Path) -> list[str]:
    """The files that a model folder must have and this one has not."""
    needed = UNPACKED_FILES if _is_unpacked(folder) else (MODEL_FILE, TOKENIZER_FILE)
    return [name for name in (*needed, CONFIG_FILE) if not (folder / name).is_file()]


def _is_unpacked(folder: Path) -> bool:
    """Whether it has any of the files that only this project writes."""
    return any((folder / name).is_file() for name in set(UNPACKED_FILES) - {MODEL_FILE})


def is_complete(folder: Path) -> bool:
    """Whether a folder that we unpacked has all its files at the size they were written with."""
    try:
        files = _config(folder)[_RECORD]["files"]
        return all(
            (folder / name).stat().st_size == files[name]["bytes"] for name in UNPACKED_FILES
        )
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return False


def write_config(folder: Path, config: dict[str, Any], *, weights: str) -> None:
    """Write `config.json` last, with the size and hash of the files that are there already."""
    files = {
        name: {"bytes": (folder / name).stat().st_size, "sha256": sha256_of(folder / name)}
        for name in UNPACKED_FILES
    }
    whole = {**config, _RECORD: {"weights": weights, "files": files}}
    (folder / CONFIG_FILE).write_text(json.dumps(whole, indent=2) + "\n", encoding="utf-8")


def read_model_folder(folder: Path) -> ModelFolder:
    """Read a folder's description and hash its files.

    Raises:
        EmbedderUnavailableError: files are missing, unreadable, or not what was written.
    """
    if missing := missing_files(folder):
        raise EmbedderUnavailableError(
            f"the model folder {folder} has no {', no '.join(missing)}",
            hint="point GDRIVE_RAG_EMBED_MODEL_PATH to a complete folder, or unset it",
        )
    try:
        config = _config(folder)
        hashes = {name: sha256_of(folder / name) for name in _hashed_files(folder)}
        positions = int(config["max_position_embeddings"])
        shift = 2 if config.get("model_type") in _SHIFTED_POSITIONS else 0
        return ModelFolder(
            path=folder,
            name=str(config.get("_name_or_path") or "local").rstrip("/").rsplit("/", 1)[-1],
            dimensions=int(config["hidden_size"]),
            max_tokens=positions - shift,
            weights=_weights_identity(folder, config, hashes),
            unpacked=_is_unpacked(folder),
        )
    except OSError as error:
        raise EmbedderUnavailableError(
            f"the model folder {folder} cannot be read: {error.strerror}",
            hint="check the permissions of the folder and its files",
        ) from None
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise EmbedderUnavailableError(
            f"{folder / CONFIG_FILE} does not describe an encoder: {error}",
            hint="it must be JSON with hidden_size and max_position_embeddings",
        ) from None


def sha256_of(file: Path) -> str:
    """SHA-256 of a file's bytes, in hex."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _hashed_files(folder: Path) -> Sequence[str]:
    """The model, what it keeps outside its own file, and the tokenizer."""
    if _is_unpacked(folder):
        return UNPACKED_FILES
    parts = sorted(f"onnx/{part.name}" for part in (folder / "onnx").glob("model.onnx*"))
    return [*parts, TOKENIZER_FILE]


def _config(folder: Path) -> dict[str, Any]:
    config = json.loads((folder / CONFIG_FILE).read_text(encoding="utf-8"))
    return config if isinstance(config, dict) else {}


def _weights_identity(folder: Path, config: dict[str, Any], hashes: dict[str, str]) -> str:
    unpacked = _is_unpacked(folder)
    if _RECORD not in config and not unpacked:
        return hashlib.sha256(json.dumps(hashes, sort_keys=True).encode()).hexdigest()
    record = config[_RECORD]
    for name in UNPACKED_FILES if unpacked else record["files"]:
        if hashes.get(name) != record["files"][name]["sha256"]:
            raise EmbedderUnavailableError(
                f"{folder / name} is not as it was written: it is damaged or was changed",
                hint=f"delete {folder}, and it is unpacked again when next needed; if "
                "GDRIVE_RAG_EMBED_MODEL_PATH names it, it is not: put the model's own files there, "
                "or unset that",
            )
    return str(record["weights"])
