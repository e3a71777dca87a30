"""Models in folders laid out as hubs do it: what is taken, and what is refused."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from gdrive_rag_mcp.embedding.model_folder import (
    CONFIG_FILE,
    MODEL_FILE,
    TOKENIZER_FILE,
    is_complete,
)
from gdrive_rag_mcp.embedding.onnx import OnnxEmbedder
from gdrive_rag_mcp.errors import EmbedderUnavailableError
from tests.embedding.small_model import DIMENSIONS, write_small_model


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_small_model(tmp_path / "model")


def test_a_vector_is_the_mean_of_those_of_the_words_and_of_what_stands_around_them(
    folder: Path,
) -> None:
    one, other = OnnxEmbedder(folder).embed(["rent leave", "leave rent"], role="query")

    assert one.shape == (DIMENSIONS,)
    assert np.allclose(one, other)
    assert not np.allclose(one, OnnxEmbedder(folder).embed(["rent leave"], role="document")[0])


def test_a_text_of_many_windows_is_embedded_to_its_end(folder: Path) -> None:
    embedder = OnnxEmbedder(folder)
    rent, both, leave = embedder.embed(
        ["rent " * 60, "rent " * 60 + "leave " * 60, "leave " * 60], role="query"
    )

    assert rent @ leave < min(rent @ both, both @ leave)


def test_the_fingerprint_follows_the_weights_and_not_the_place(
    folder: Path, tmp_path: Path
) -> None:
    there = shutil.copytree(folder, tmp_path / "there")
    before = OnnxEmbedder(folder).identity.fingerprint

    assert OnnxEmbedder(there).identity.fingerprint == before

    with (there / TOKENIZER_FILE).open("a", encoding="utf-8") as file:
        file.write("\n")

    assert OnnxEmbedder(there).identity.fingerprint != before


@pytest.mark.parametrize("name", [MODEL_FILE, TOKENIZER_FILE, CONFIG_FILE])
def test_a_folder_without_one_of_its_files_is_named_with_the_file(folder: Path, name: str) -> None:
    (folder / name).unlink()

    with pytest.raises(EmbedderUnavailableError, match=name):
        OnnxEmbedder(folder).embed(["text"], role="query")


@pytest.mark.parametrize("name", [MODEL_FILE, TOKENIZER_FILE, CONFIG_FILE])
def test_a_file_of_another_kind_is_refused(folder: Path, name: str) -> None:
    (folder / name).write_text("not what it says", encoding="utf-8")

    with pytest.raises(EmbedderUnavailableError, match=name.rsplit("/", maxsplit=1)[-1]):
        OnnxEmbedder(folder).embed(["text"], role="query")


def test_a_config_that_describes_no_encoder_is_refused(folder: Path) -> None:
    (folder / CONFIG_FILE).write_text("{}", encoding="utf-8")

    with pytest.raises(EmbedderUnavailableError, match="max_position_embeddings"):
        OnnxEmbedder(folder).identity  # noqa: B018 - reading it is what fails


@pytest.mark.parametrize("config", ["[" * 200_000, '{"gdrive_rag_mcp": {"files": 1}}'])
def test_a_config_in_any_other_form_is_refused(folder: Path, config: str) -> None:
    sizes = '{"hidden_size": 8, "max_position_embeddings": 16, '
    (folder / CONFIG_FILE).write_text(config.replace("{", sizes, 1), encoding="utf-8")

    assert not is_complete(folder)
    with pytest.raises(EmbedderUnavailableError, match="does not describe an encoder"):
        OnnxEmbedder(folder).identity  # noqa: B018 - reading it is what fails


def test_a_config_that_promises_other_dimensions_than_the_model_makes_is_refused(
    folder: Path,
) -> None:
    config = json.loads((folder / CONFIG_FILE).read_text(encoding="utf-8"))
    (folder / CONFIG_FILE).write_text(json.dumps({**config, "hidden_size": 768}), encoding="utf-8")

    with pytest.raises(EmbedderUnavailableError, match=rf"'length', {DIMENSIONS}\]"):
        OnnxEmbedder(folder).embed(["text"], role="query")
