"""A made-up encoder in a folder laid out as hubs do it, for what needs no real weights."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gdrive_rag_mcp.embedding.model_folder import CONFIG_FILE, MODEL_FILE, TOKENIZER_FILE

DIMENSIONS = 8
_WORDS = ("<s>", "</s>", "<unk>", "query", "passage", ":", "rent", "leave", "deposit", "weeks")


def write_small_model(
    folder: Path, *, scale: float = 1.0, dimensions: int = DIMENSIONS, name: str | None = None
) -> Path:
    """A vector for each of some words, `scale` large, and no layers; a text fits 16 tokens."""
    onnx = pytest.importorskip("onnx")
    tokenizers = pytest.importorskip("tokenizers")
    kinds, helper = onnx.TensorProto, onnx.helper
    table = np.random.default_rng(8).uniform(0.5, 1, (len(_WORDS), dimensions)) * scale
    places: list[Any] = ["batch", "length"]
    graph = helper.make_graph(
        [helper.make_node("Gather", ["table", "input_ids"], ["out"])],
        "small",
        [
            helper.make_tensor_value_info(name, kinds.INT64, places)
            for name in ("input_ids", "attention_mask")
        ],
        [helper.make_tensor_value_info("out", kinds.FLOAT, [*places, dimensions])],
        [onnx.numpy_helper.from_array(table.astype(np.float32), "table")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    (folder / MODEL_FILE).parent.mkdir(parents=True)
    (folder / MODEL_FILE).write_bytes(model.SerializeToString())
    ids = {word: place for place, word in enumerate(_WORDS)}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(ids, unk_token="<unk>"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 1)]
    )
    tokenizer.save(str(folder / TOKENIZER_FILE))
    config = {"hidden_size": dimensions, "max_position_embeddings": 16, "_name_or_path": name}
    (folder / CONFIG_FILE).write_text(json.dumps(config), encoding="utf-8")
    return folder
