"""Token vectors: what the model knows of each token of a text, in few numbers."""

import io
import unicodedata
from pathlib import Path

import numpy as np
import pytest

from gdrive_rag_mcp.domain import TokenVectors
from gdrive_rag_mcp.embedding.model_folder import MODEL_FILE, TOKENIZER_FILE, ModelFolder
from gdrive_rag_mcp.embedding.onnx import OnnxEmbedder
from gdrive_rag_mcp.embedding.token_projection import (
    STATES,
    TokenProjection,
    projection_file,
    projection_for,
    read_projection,
    shipped_projection,
)
from gdrive_rag_mcp.errors import EmbedderUnavailableError
from gdrive_rag_mcp.protocols import EmbedRole
from tests.embedding.small_model import write_small_model

NAME = "intfloat/multilingual-e5-small"


def arrays(**changed: object) -> dict[str, object]:
    draw = np.random.default_rng(4)
    made: dict[str, object] = {
        "centre": draw.standard_normal(STATES),
        "projection": draw.standard_normal((STATES, 12)),
        "importance": draw.standard_normal(STATES),
        "importance_bias": 0.5,
    }
    return {name: value for name, value in {**made, **changed}.items() if value is not None}


def read(**changed: object) -> TokenProjection:
    file = io.BytesIO()
    np.savez(file, **arrays(**changed))  # type: ignore[arg-type] # of any kind: some are wrong
    file.seek(0)
    return read_projection(file)


@pytest.mark.parametrize("count", [0, 1, 15, 16, 17, 100])
def test_a_row_is_the_projected_state_and_a_weight_is_what_the_formula_says(count: int) -> None:
    draw = np.random.default_rng(count)
    centre, projection, importance = (
        np.asarray(arrays()[name], float) for name in ("centre", "projection", "importance")
    )
    states = draw.standard_normal((count, STATES)).astype(np.float32)
    pieces = np.arange(count, dtype=np.int32)

    made = read().of(states, pieces)

    centred = states - centre
    rows = centred @ projection
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    logits = centred @ importance + 0.5
    assert np.allclose(made.rows, rows, atol=1e-4)
    assert np.allclose(
        made.weights, np.log1p(np.exp(-np.abs(logits))) + np.maximum(logits, 0), atol=1e-3
    )
    assert made.rows.dtype == made.weights.dtype == np.float32
    assert made.pieces is pieces


def test_a_state_at_the_centre_has_no_direction_and_does_no_harm() -> None:
    states = np.array([arrays()["centre"]], np.float32)

    assert not read().of(states, np.zeros(1, np.int32)).rows.any()


@pytest.mark.parametrize(
    "changed",
    [
        {"centre": np.zeros(12)},
        {"projection": np.zeros((12, STATES))},
        {"projection": np.zeros((STATES, 0))},
        {"projection": np.zeros(STATES)},
        {"projection": np.zeros((STATES, 256))},
        {"importance": np.full(STATES, np.nan)},
        {"importance_bias": np.zeros(1)},
        {"importance_bias": None},
        {"importance_bias": np.array("often")},
        {"importance_bias": np.array(None)},
    ],
)
def test_a_file_that_is_not_what_is_needed_is_refused(changed: dict[str, object]) -> None:
    with pytest.raises(EmbedderUnavailableError, match="install"):
        read(**changed)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"text"])
def test_a_file_that_is_no_archive_is_refused(content: bytes) -> None:
    with pytest.raises(EmbedderUnavailableError, match="install"):
        read_projection(io.BytesIO(content))


def test_the_id_is_that_of_the_numbers() -> None:
    assert read().id == read().id
    assert len({read().id, *(read(importance_bias=bias).id for bias in (0.0, 0.75))}) == 3


def test_what_is_shipped_can_be_used() -> None:
    shipped = shipped_projection()

    assert 0 < shipped.id < 2**32
    assert shipped.projection.shape[1] <= 64


@pytest.mark.parametrize(
    ("name", "dimensions", "projected"),
    [
        ("multilingual-e5-small", STATES, True),
        ("multilingual-e5-small", 768, False),
        ("e5-small-v2", STATES, False),
        ("multilingual-e5-base", 768, False),
    ],
)
def test_only_the_model_that_it_was_learned_for_is_projected(
    name: str, dimensions: int, *, projected: bool
) -> None:
    folder = ModelFolder(Path(), name, dimensions, 512, "", unpacked=False)

    assert (projection_for(folder) is not None) == projected


# ── in an embedder ───────────────────────────────────────────────────────────


def tokens_of(embedder: OnnxEmbedder, text: str, role: EmbedRole = "document") -> TokenVectors:
    made = embedder.embed_with_tokens([text], role=role).tokens
    assert made
    return made[0]


@pytest.fixture
def hub(tmp_path: Path) -> OnnxEmbedder:
    return OnnxEmbedder(write_small_model(tmp_path / "model", dimensions=STATES, name=NAME))


def test_a_hubs_folder_of_the_model_has_them_and_another_model_has_none(
    hub: OnnxEmbedder, tmp_path: Path
) -> None:
    other = OnnxEmbedder(write_small_model(tmp_path / "other", dimensions=STATES, name="e5"))

    assert hub.token_projection() == shipped_projection().id
    assert len(tokens_of(hub, "rent leave deposit").rows) == 3
    assert other.token_projection() is None
    assert other.embed_with_tokens(["rent"], role="query").tokens is None


def test_the_tokens_are_those_of_the_text_alone_in_order(hub: OnnxEmbedder) -> None:
    both = tokens_of(hub, "rent leave")

    assert np.allclose(both.rows[0], tokens_of(hub, "rent").rows[0], atol=1e-5)
    assert np.allclose(both.rows[1], tokens_of(hub, "leave", "query").rows[0], atol=1e-5)


def test_a_text_of_many_windows_has_all_its_tokens(hub: OnnxEmbedder) -> None:
    made = tokens_of(hub, "rent " * 60 + "leave " * 60)

    assert len(made.rows) == len(made.weights) == 120
    assert np.allclose(made.rows[:60], tokens_of(hub, "rent").rows[0], atol=1e-5)
    assert np.allclose(made.rows[60:], tokens_of(hub, "leave").rows[0], atol=1e-5)


@pytest.mark.parametrize("role", ["query", "document"])
def test_the_pieces_are_those_of_the_tokens_in_all_windows(
    hub: OnnxEmbedder, role: EmbedRole
) -> None:
    texts = ["rent leave", " rent " * 60 + "leave\n" * 60, ""]

    made = hub.embed_with_tokens(texts, role=role).tokens

    assert made
    for tokens, pieces in zip(made, hub.pieces(texts), strict=True):
        assert tokens.pieces is not None
        assert tokens.pieces.tolist() == pieces.tolist()
        assert tokens.pieces.dtype == pieces.dtype == np.int32
    assert len(set(hub.pieces(texts)[1].tolist())) == 2


def test_pieces_are_told_without_a_run_of_the_model(tmp_path: Path) -> None:
    folder = write_small_model(tmp_path / "model", dimensions=STATES, name=NAME)
    embedder = OnnxEmbedder(folder)
    embedder.identity  # noqa: B018 - reads the folder
    (folder / MODEL_FILE).unlink()

    assert [len(one) for one in embedder.pieces(["rent leave", "rent"])] == [2, 1]


def test_a_tokenizer_that_was_taken_away_is_named(tmp_path: Path) -> None:
    folder = write_small_model(tmp_path / "model", dimensions=STATES, name=NAME)
    embedder = OnnxEmbedder(folder)
    embedder.identity  # noqa: B018 - as above
    (folder / TOKENIZER_FILE).unlink()

    with pytest.raises(EmbedderUnavailableError, match="taken away"):
        embedder.pieces(["rent"])


def test_a_text_of_nothing_has_no_tokens_and_still_a_vector(hub: OnnxEmbedder) -> None:
    made = hub.embed_with_tokens(["", " \t\n"], role="document")

    assert made.tokens
    assert [one.rows.shape for one in made.tokens] == [
        (0, tokens_of(hub, "rent").rows.shape[1])
    ] * 2
    assert len(made.vectors) == 2


@pytest.mark.parametrize("role", ["query", "document"])
def test_the_vectors_are_those_of_embedding_without_tokens(
    real_embedder: OnnxEmbedder, in_many_languages: dict[str, str], role: EmbedRole
) -> None:
    texts = [*in_many_languages.values(), "", "long " * 700]

    made = real_embedder.embed_with_tokens(texts, role=role)

    assert (made.vectors == real_embedder.embed(texts, role=role)).all()
    assert made.tokens
    assert len(made.tokens[-1].rows) == 700
    for one in made.tokens:
        assert one.pieces is not None
        assert len(one.rows) == len(one.weights) == len(one.pieces)
        assert np.allclose(np.linalg.norm(one.rows, axis=1), 1, atol=1e-5)
        assert (one.weights >= 0).all()


@pytest.mark.parametrize("language", ["de", "fr", "vi", "ko", "ja"])
def test_a_decomposed_text_has_the_tokens_of_the_composed_one(
    real_embedder: OnnxEmbedder, in_many_languages: dict[str, str], language: str
) -> None:
    composed, decomposed = (
        tokens_of(real_embedder, unicodedata.normalize(form, in_many_languages[language]))
        for form in ("NFC", "NFD")
    )

    assert composed.rows.shape == decomposed.rows.shape
    assert (composed.rows == decomposed.rows).all()


def test_the_states_are_those_that_are_projected(hub: OnnxEmbedder) -> None:
    texts = ["rent leave", "rent " * 60, ""]

    vectors, told = hub.embed_with_states(texts, role="query")

    made = hub.embed_with_tokens(texts, role="query")
    assert (vectors == made.vectors).all()
    assert made.tokens
    for states, tokens in zip(told, made.tokens, strict=True):
        again = shipped_projection().of(np.asarray(states.states, np.float32), states.pieces)
        assert np.allclose(again.rows, tokens.rows, atol=1e-5)
        assert len(again.weights) == len(tokens.weights)


def test_a_file_is_read_as_it_was_written_and_is_the_same_each_time() -> None:
    made = read()

    files = {
        projection_file(made.centre, made.projection, made.importance, made.importance_bias)
        for _ in range(2)
    }

    [content] = files
    again = read_projection(io.BytesIO(content))
    assert again.id == made.id
    assert (again.projection == made.projection).all()
