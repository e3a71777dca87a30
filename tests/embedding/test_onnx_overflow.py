"""A model whose numbers go astray is refused by us, without a warning of numpy's."""

from pathlib import Path

import pytest

from gdrive_rag_mcp.embedding.onnx import OnnxEmbedder
from gdrive_rag_mcp.errors import EmbedderUnavailableError, EmbeddingError
from tests.embedding.small_model import write_small_model


def test_values_that_no_longer_add_up_are_refused_as_not_finite(tmp_path: Path) -> None:
    astray = write_small_model(tmp_path / "astray", scale=3.4e38)

    with pytest.raises(EmbeddingError, match="not finite") as refused:
        OnnxEmbedder(astray, threads=1).embed(["text"], role="document")

    assert not isinstance(refused.value, EmbedderUnavailableError)
