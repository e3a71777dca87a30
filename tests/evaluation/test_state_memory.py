"""Token states are made once, and are those that the model's own token vectors come from."""

from pathlib import Path

import numpy as np
import pytest

from gdrive_rag_mcp.embedding.onnx import OnnxEmbedder
from gdrive_rag_mcp.embedding.token_projection import STATES, shipped_projection
from gdrive_rag_mcp.evaluation.state_memory import StateMemory
from gdrive_rag_mcp.protocols import token_projection_of
from tests.embedding.small_model import write_small_model

TEXTS = ["rent leave deposit", "leave", "", "rent " * 40]


@pytest.fixture
def model(tmp_path: Path) -> OnnxEmbedder:
    folder = tmp_path / "model"
    return OnnxEmbedder(
        write_small_model(folder, dimensions=STATES, name="intfloat/multilingual-e5-small")
    )


class Gone(OnnxEmbedder):
    """A model whose weights were taken away after its folder was read."""

    def __init__(self, model: OnnxEmbedder) -> None:
        super().__init__(Path())
        self.identity = model.identity


def test_the_states_are_what_token_vectors_are_made_of(model: OnnxEmbedder, tmp_path: Path) -> None:
    told = StateMemory(model, tmp_path).states(TEXTS, "document")

    tokens = model.embed_with_tokens(TEXTS, role="document").tokens
    assert tokens
    for states, own in zip(told, tokens, strict=True):
        made = shipped_projection().of(states.states.astype(np.float32), states.pieces)
        assert np.allclose(made.rows, own.rows, atol=2e-2)
        assert own.pieces is not None
        assert states.pieces.tolist() == own.pieces.tolist()


def test_the_vectors_are_the_models_own(model: OnnxEmbedder, tmp_path: Path) -> None:
    memory = StateMemory(model, tmp_path)

    for _ in range(2):
        made = memory.embed(TEXTS, role="query")
        np.testing.assert_array_equal(made, model.embed(TEXTS, role="query"))
    assert memory.embed((), role="query").shape == (0, STATES)
    assert token_projection_of(memory) is None


def test_another_run_asks_the_model_nothing(model: OnnxEmbedder, tmp_path: Path) -> None:
    first = StateMemory(model, tmp_path).states(TEXTS, "document")

    again = StateMemory(Gone(model), tmp_path)

    for one, other in zip(first, again.states(TEXTS, "document"), strict=True):
        np.testing.assert_array_equal(one.states, other.states)
        np.testing.assert_array_equal(one.pieces, other.pieces)
    assert len(again.embed(TEXTS, role="document")) == len(TEXTS)


def test_what_was_cut_short_is_made_again(model: OnnxEmbedder, tmp_path: Path) -> None:
    made = StateMemory(model, tmp_path).states(["rent", "leave deposit"], "query")
    first = [one.states.copy() for one in made]
    [file] = tmp_path.glob("states-*/*.bin")
    file.write_bytes(file.read_bytes()[:-3])

    again = StateMemory(model, tmp_path).states(["leave deposit", "rent"], "query")

    np.testing.assert_array_equal(again[0].states, first[1])
    np.testing.assert_array_equal(again[1].states, first[0])


def test_a_question_has_states_of_its_own(model: OnnxEmbedder, tmp_path: Path) -> None:
    memory = StateMemory(model, tmp_path)
    memory.states(["rent"], "document")

    memory.states(["rent"], "query")

    [file] = tmp_path.glob("states-*/*.bin")
    assert file.stat().st_size == 2 * (20 + 4 * STATES + 4 + 2 * STATES)
