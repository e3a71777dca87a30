"""A model whose numbers go astray is refused by us, without a warning of numpy's."""

import json
from pathlib import Path

import pytest

from gdrive_rag_mcp.embedding.model_folder import CONFIG_FILE, MODEL_FILE, TOKENIZER_FILE
from gdrive_rag_mcp.embedding.onnx import OnnxEmbedder
from gdrive_rag_mcp.errors import EmbedderUnavailableError, EmbeddingError


@pytest.fixture
def astray(tmp_path: Path) -> Path:
    """A folder with a model that makes values of 3e38, which no two add up, for every token."""
    onnx = pytest.importorskip("onnx")
    tokenizers = pytest.importorskip("tokenizers")
    helper, kinds = onnx.helper, onnx.TensorProto
    ids = ["batch", "length"]
    value = helper.make_tensor("value", kinds.FLOAT, [1], [3e38])
    size = helper.make_tensor("size", kinds.INT64, [1], [2])
    graph = helper.make_graph(
        [
            helper.make_node("Shape", ["input_ids"], ["shape"]),
            helper.make_node("Concat", ["shape", "size"], ["whole"], axis=0),
            helper.make_node("Expand", ["value", "whole"], ["out"]),
        ],
        "astray",
        [helper.make_tensor_value_info("input_ids", kinds.INT64, ids)],
        [helper.make_tensor_value_info("out", kinds.FLOAT, [*ids, 2])],
        [value, size],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    words = tokenizers.models.WordLevel({"<s>": 0, "</s>": 1, "<unk>": 2}, unk_token="<unk>")
    tokenizer = tokenizers.Tokenizer(words)
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 1)]
    )
    (tmp_path / MODEL_FILE).parent.mkdir()
    (tmp_path / MODEL_FILE).write_bytes(model.SerializeToString())
    tokenizer.save(str(tmp_path / TOKENIZER_FILE))
    config = {"hidden_size": 2, "max_position_embeddings": 16}
    (tmp_path / CONFIG_FILE).write_text(json.dumps(config), encoding="utf-8")
    return tmp_path


def test_values_that_no_longer_add_up_are_refused_as_not_finite(astray: Path) -> None:
    with pytest.raises(EmbeddingError, match="not finite") as refused:
        OnnxEmbedder(astray, threads=1).embed(["text"], role="document")

    assert not isinstance(refused.value, EmbedderUnavailableError)
