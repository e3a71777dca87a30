"""The Sentence Transformers provider, with the library and a real model that others packed."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from gdrive_rag_mcp.embedding.sentence_transformers import SentenceTransformersEmbedder
from gdrive_rag_mcp.errors import EmbedderUnavailableError, SettingsError
from gdrive_rag_mcp.protocols import Embedder, EmbedRole, Vectors

pytestmark = pytest.mark.acceptance
PROMPTS = {"query": "find: ", "document": "text of a document: "}


Encode = Callable[[str | list[str]], Vectors]


@pytest.fixture(scope="module")
def library(minilm_folder: Path) -> Encode:
    """What the library by itself makes of texts, with the same model."""
    module = import_module("sentence_transformers")
    encode: Encode = module.SentenceTransformer(str(minilm_folder), local_files_only=True).encode
    return encode


@pytest.fixture
def copy(minilm_folder: Path, tmp_path: Path) -> Path:
    """A folder with the same model, to change."""
    return Path(shutil.copytree(minilm_folder, tmp_path / "copied"))


def _change(file: Path, **values: object) -> None:
    config = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps({**config, **values}), encoding="utf-8")


def _add_layer(folder: Path, seed: int) -> None:
    """One more layer, whose weights are in the older form and differ with the seed."""
    import_module("torch").manual_seed(seed)
    layers = import_module("sentence_transformers.sentence_transformer.modules")
    (folder / "2_Dense").mkdir()
    layers.Dense(384, 8).save(str(folder / "2_Dense"), safe_serialization=False)
    modules = json.loads((folder / "modules.json").read_text(encoding="utf-8"))
    dense = {"path": "2_Dense", "type": "sentence_transformers.models.Dense"}
    modules = [modules[0], modules[1], dense, *modules[2:]]
    numbered = [{**module, "idx": at, "name": str(at)} for at, module in enumerate(modules)]
    (folder / "modules.json").write_text(json.dumps(numbered), encoding="utf-8")


def _is_near(one: Vectors, other: Vectors) -> bool:
    return np.allclose(one, other, atol=1e-5)


@pytest.mark.parametrize("role", ["query", "document"])
def test_vectors_are_those_of_the_library(
    minilm: Embedder, library: Encode, in_many_languages: dict[str, str], role: EmbedRole
) -> None:
    texts = list(in_many_languages.values())

    assert _is_near(minilm.embed(texts, role=role), library(texts))


@pytest.mark.parametrize("role", ["query", "document"])
def test_the_prompt_of_each_role_is_put_before_the_text(
    copy: Path, library: Encode, role: EmbedRole
) -> None:
    _change(copy / "config_sentence_transformers.json", prompts=PROMPTS)
    vectors = SentenceTransformersEmbedder(copy).embed(["the deposit"], role=role)

    assert _is_near(vectors, library([f"{PROMPTS[role]}the deposit"]))


def test_a_text_of_as_many_tokens_as_fit_is_whole_and_with_one_more_it_is_not_cut(
    minilm: Embedder, library: Encode
) -> None:
    fits = "rent " * 254
    longer = "rent " * 254 + "honey"
    whole, averaged = minilm.embed([fits, longer], role="document")

    assert minilm.max_tokens == 256
    assert _is_near(whole, library(fits))
    assert _is_near(whole, library(longer))  # the library drops what we keep
    assert not _is_near(averaged, whole)


def test_prompts_take_their_room_from_the_windows(copy: Path, library: Encode) -> None:
    _change(copy / "config_sentence_transformers.json", prompts={"document": "word " * 100})
    embedder = SentenceTransformersEmbedder(copy)
    fits, longer = embedder.embed(["rent " * 154, "rent " * 154 + "honey"], role="document")

    assert _is_near(fits, library("word " * 100 + "rent " * 154))
    assert not _is_near(fits, longer)


def test_a_long_text_lies_between_its_parts(minilm: Embedder) -> None:
    rent = "The tenant pays the rent on the third working day of each month. " * 45
    bees = "Bees collect nectar from flowers and turn it into honey in the hive. " * 45
    whole, first, second = minilm.embed([rent + bees, rent, bees], role="document")

    assert first @ second < min(whole @ first, whole @ second)


def test_the_fingerprint_follows_what_makes_the_vectors_and_not_the_place(
    copy: Path, tmp_path: Path
) -> None:
    def fingerprint(folder: Path) -> str:
        return SentenceTransformersEmbedder(folder).identity.fingerprint

    (tmp_path / "elsewhere").mkdir()
    there = Path(shutil.copytree(copy, tmp_path / "elsewhere" / "copied"))
    (there / "README.md").write_text("other words", encoding="utf-8")
    for beside in (".hidden", "onnx"):
        (there / beside).mkdir()
        (there / beside / "config.json").write_text("{}", encoding="utf-8")
    before = fingerprint(copy)

    assert fingerprint(there) == before

    changes: dict[str, dict[str, object]] = {
        "1_Pooling/config.json": {
            "pooling_mode_mean_tokens": False,
            "pooling_mode_cls_token": True,
        },
        "config.json": {"layer_norm_eps": 1e-6},
        "config_sentence_transformers.json": {"prompts": PROMPTS},
    }
    for name, values in changes.items():
        shutil.copy(copy / name, tmp_path / "kept")
        _change(copy / name, **values)
        assert fingerprint(copy) != before, name
        shutil.copy(tmp_path / "kept", copy / name)
    assert fingerprint(copy) == before


def test_the_fingerprint_follows_the_weights_of_every_part_in_the_form_it_has_them(
    copy: Path, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    there = Path(shutil.copytree(copy, tmp_path / "elsewhere" / "copied"))
    _add_layer(copy, seed=1)
    _add_layer(there, seed=2)
    here, other = SentenceTransformersEmbedder(copy), SentenceTransformersEmbedder(there)
    rows = [each.embed(["the deposit"], role="query") for each in (here, other)]

    assert rows[0].shape == (1, 8)
    assert not _is_near(*rows)
    assert here.identity.fingerprint != other.identity.fingerprint


def test_weights_in_a_form_that_is_not_loaded_leave_the_fingerprint_as_it_is(copy: Path) -> None:
    before = SentenceTransformersEmbedder(copy).identity.fingerprint
    (copy / "pytorch_model.bin").write_bytes(b"the same in the older form")

    assert SentenceTransformersEmbedder(copy).identity.fingerprint == before


def test_code_that_comes_with_a_model_is_never_run(copy: Path, tmp_path: Path) -> None:
    marker = tmp_path / "was_run"
    code = f"open({str(marker)!r}, 'w')\nclass Layer: pass\n"
    (copy / "foreign.py").write_text(code, encoding="utf-8")
    modules = json.loads((copy / "modules.json").read_text(encoding="utf-8"))
    modules[0]["type"] = "foreign.Layer"
    (copy / "modules.json").write_text(json.dumps(modules), encoding="utf-8")

    with pytest.raises(EmbedderUnavailableError, match="cannot be loaded"):
        SentenceTransformersEmbedder(copy).embed(["text"], role="query")
    assert not marker.exists()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("model.safetensors", None),
        ("model.safetensors", "not weights"),
        ("config.json", None),
        ("config.json", "{}"),
        ("modules.json", None),
        ("modules.json", "{"),
        ("1_Pooling/config.json", "[]"),
    ],
)
def test_a_folder_that_is_damaged_is_an_error_of_ours_that_names_it(
    copy: Path, name: str, content: str | None
) -> None:
    if content is None:
        (copy / name).unlink()
    else:
        (copy / name).write_text(content, encoding="utf-8")

    with pytest.raises(EmbedderUnavailableError) as refused:
        SentenceTransformersEmbedder(copy).embed(["text"], role="query")
    assert str(copy) in refused.value.message
    assert refused.value.hint


@pytest.mark.parametrize("content", [b"", b"not weights", b"PK\x03\x04 and no more"])
def test_damaged_weights_in_the_older_form_are_an_error_that_advises_to_run_no_code(
    copy: Path, content: bytes
) -> None:
    (copy / "model.safetensors").unlink()
    (copy / "pytorch_model.bin").write_bytes(content)

    with pytest.raises(EmbedderUnavailableError) as refused:
        SentenceTransformersEmbedder(copy).embed(["text"], role="query")
    assert str(copy) in refused.value.message
    assert "weights_only" not in refused.value.message


def test_a_model_whose_tokens_cannot_be_counted_is_refused_before_anything_is_embedded(
    minilm_folder: Path, tmp_path: Path
) -> None:
    modules = import_module("sentence_transformers.sentence_transformer.modules")
    tokenizers = import_module("sentence_transformers.sentence_transformer.modules.tokenizer")
    words = modules.WordEmbeddings(tokenizers.WhitespaceTokenizer(["rent"]), np.ones((1, 4)))
    library = import_module("sentence_transformers")
    library.SentenceTransformer(modules=[words, modules.Pooling(4)]).save(str(tmp_path / "words"))

    with pytest.raises(EmbedderUnavailableError, match="words cannot be loaded"):
        SentenceTransformersEmbedder(tmp_path / "words").identity  # noqa: B018 - it is what fails


@pytest.mark.parametrize(
    ("name", "why"),
    [("nowhere", "No such file"), ("a_file", "Not a directory"), ("x" * 300, "name too long")],
)
def test_a_path_that_is_no_folder_is_told_with_the_systems_reason(
    minilm_folder: Path, tmp_path: Path, name: str, why: str
) -> None:
    (tmp_path / "a_file").write_text("text", encoding="utf-8")

    with pytest.raises(EmbedderUnavailableError, match=why) as refused:
        SentenceTransformersEmbedder(tmp_path / name).identity  # noqa: B018 - it is what fails
    assert "GDRIVE_RAG_EMBED_MODEL_PATH" in refused.value.hint


@pytest.mark.parametrize("device", ["nonsense", "cuda:99"])
def test_a_device_that_is_not_there_is_an_error_that_names_the_setting(
    minilm_folder: Path, device: str
) -> None:
    with pytest.raises(EmbedderUnavailableError, match="GDRIVE_RAG_EMBED_DEVICE"):
        SentenceTransformersEmbedder(minilm_folder, device=device).embed(["text"], role="query")


def test_dimensions_that_the_model_does_not_have_are_refused(minilm_folder: Path) -> None:
    with pytest.raises(SettingsError, match=r"is 768, but .* have 384"):
        SentenceTransformersEmbedder(minilm_folder, dimensions=768).embed(["text"], role="query")


def test_a_name_that_is_not_in_the_cache_says_how_to_get_it_and_asks_no_network(
    minilm_folder: Path,
) -> None:
    with pytest.raises(EmbedderUnavailableError, match="not in the hub's cache") as refused:
        SentenceTransformersEmbedder("nobody/knows-this").identity  # noqa: B018 - it is what fails

    assert "hf download nobody/knows-this" in refused.value.hint


def test_a_model_is_found_by_name_in_the_hubs_cache_and_nothing_is_said_on_the_way(
    minilm_folder: Path, tmp_path: Path
) -> None:
    model = tmp_path / "hub" / "models--sentence-transformers--all-MiniLM-L6-v2"
    (model / "snapshots").mkdir(parents=True)
    (model / "snapshots" / ("a" * 40)).symlink_to(minilm_folder)
    (model / "refs").mkdir()
    (model / "refs" / "main").write_text("a" * 40, encoding="utf-8")
    program = (
        "import sys\n"
        "from gdrive_rag_mcp.embedding.sentence_transformers import SentenceTransformersEmbedder\n"
        "embedder = SentenceTransformersEmbedder('all-MiniLM-L6-v2', device='cpu')\n"
        "assert embedder.embed(['text ' * 600], role='document').shape == (1, 384)\n"
        "assert embedder.identity.model == 'all-MiniLM-L6-v2'\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "HF_HOME": str(tmp_path), "HTTPS_PROXY": "http://127.0.0.1:9"},
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
