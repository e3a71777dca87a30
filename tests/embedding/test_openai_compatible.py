"""The OpenAI-compatible provider: what only it sends, reads and promises."""

from collections.abc import Callable
from threading import Event

import numpy as np
import pytest

from gdrive_rag_mcp.embedding import remote
from gdrive_rag_mcp.embedding.openai_compatible import OpenAICompatibleEmbedder
from gdrive_rag_mcp.errors import EmbedderUnavailableError, EmbeddingError, SettingsError
from gdrive_rag_mcp.protocols import Embedder
from gdrive_rag_mcp.testing import provider_server as server_faults
from gdrive_rag_mcp.testing.embedding_server import EmbeddingServer
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder
from gdrive_rag_mcp.testing.provider_server import Fault, Reply, refusing, saying

Connect = Callable[..., OpenAICompatibleEmbedder]
TEXTS = ["the first text", "a second one", "and the third"]
KEY = "sk-very-secret-0123456789"
HERE = "http://127.0.0.1:9/v1"


def test_the_order_of_the_answer_does_not_matter(connect: Connect) -> None:
    with EmbeddingServer(HashingEmbedder(), after_faults=server_faults.backwards) as server:
        vectors = connect(server).embed(TEXTS, role="document")

    assert np.array_equal(vectors, HashingEmbedder().embed(TEXTS, role="document"))


def test_a_request_says_what_the_protocol_asks_for(connect: Connect) -> None:
    with EmbeddingServer(HashingEmbedder()) as server:
        connect(server, api_key=KEY).embed(TEXTS, role="document")
        connect(server).embed(TEXTS[:1], role="document")

    first, second = server.requests
    assert first.path == "/v1/embeddings"
    assert first.body == {"model": "test-model", "input": TEXTS, "encoding_format": "float"}
    assert first.headers["authorization"] == f"Bearer {KEY}"
    assert "authorization" not in second.headers


def test_a_call_never_carries_more_text_than_servers_take(connect: Connect) -> None:
    texts = ["long " * 12_000 for _ in range(6)]
    with EmbeddingServer(HashingEmbedder()) as server:
        connect(server, batch_size=2048, max_tokens=8191).embed(texts, role="document")

    sizes = [sum(map(len, request.body["input"])) for request in server.requests]
    assert max(sizes) <= 150_000
    assert sum(sizes) >= 6 * 59_000


def test_dimensions_are_asked_for_only_when_that_is_set(connect: Connect) -> None:
    with EmbeddingServer(HashingEmbedder()) as server:
        asked = connect(server, dimensions=64, send_dimensions=True)
        assert asked.embed(TEXTS, role="document").shape == (3, 64)
        with pytest.raises(EmbeddingError, match="256 dimensions instead of 64"):
            connect(server, dimensions=64).embed(TEXTS, role="document")

    assert [request.body.get("dimensions") for request in server.requests] == [64, None]


def test_the_dimensions_are_learnt_from_one_call_and_then_fixed(connect: Connect) -> None:
    faults = [server_faults.honest, server_faults.with_values(1.0, 2.0)]
    with EmbeddingServer(HashingEmbedder(), faults=faults) as server:
        embedder = connect(server)
        assert embedder.identity.dimensions == 256
        assert embedder.identity.dimensions == 256
        assert len(server.requests) == 1
        with pytest.raises(EmbeddingError, match="2 dimensions instead of 256"):
            embedder.embed(TEXTS, role="document")


def test_a_server_may_load_its_model_before_it_says_how_long_its_vectors_are(
    connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A question would not wait for it, which is not tried at its full length of 8 s."""
    monkeypatch.setattr(remote, "QUESTION_SECONDS", 0.05)
    never = Event()

    def loading(reply: Reply) -> Reply:
        never.wait(0.5)
        return reply

    with EmbeddingServer(HashingEmbedder(), faults=[loading]) as server:
        assert connect(server).identity.dimensions == 256
        assert len(server.requests) == 1


def test_a_length_that_is_known_is_not_asked_for(connect: Connect) -> None:
    with EmbeddingServer(HashingEmbedder()) as server:
        assert connect(server, dimensions=256).identity.dimensions == 256

    assert server.requests == []


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (server_faults.repeating_an_index, "each once"),
        (server_faults.with_values(None, 1.0), "not finite"),
        (server_faults.with_values(), "zeros"),
        (saying("[]"), "no list of vectors"),
        (saying('{"data": null}'), "no list of vectors"),
        (saying('{"data": [{"index": 0}]}'), "embedding"),
        (saying('{"data": [{"embedding": [1]}]}'), "index"),
        (saying('{"data": [{"index": 0, "embedding": "AACAPw=="}]}'), "1 vectors for 3"),
        (refusing(413, "payload"), r"413.*BATCH_SIZE"),
    ],
)
def test_an_unusable_answer_is_an_error_that_names_it_and_is_not_tried_again(
    connect: Connect, fault: Fault, message: str
) -> None:
    with EmbeddingServer(HashingEmbedder(), after_faults=fault) as server:
        with pytest.raises(EmbeddingError, match=message) as refused:
            connect(server).embed(TEXTS, role="document")

        assert not isinstance(refused.value, EmbedderUnavailableError)
        assert len(server.requests) == 1


@pytest.mark.parametrize("value", ["[1" + "0" * 400 + "]", '"AACAPw=="', "true", "{}", "[[1]]"])
def test_a_value_that_is_no_vector_is_an_error_of_ours(connect: Connect, value: str) -> None:
    body = '{"data": [{"index": 0, "embedding": ' + value + "}]}"
    with (
        EmbeddingServer(HashingEmbedder(), after_faults=saying(body)) as server,
        pytest.raises(EmbeddingError, match="no list of vectors"),
    ):
        connect(server).embed(TEXTS[:1], role="document")


@pytest.mark.parametrize("key", ["line\nbreak", "schlüssel", "\x00"])
def test_a_key_that_no_header_can_carry_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(SettingsError, match="characters") as refused:
        OpenAICompatibleEmbedder(HERE, "m", api_key=key)

    assert key not in str(refused.value)


def test_the_blanks_around_a_key_are_not_part_of_it(connect: Connect) -> None:
    with EmbeddingServer(HashingEmbedder()) as server:
        connect(server, api_key=f" {KEY}\n").embed(TEXTS, role="document")

    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://LOCALHOST/v1", "http://localhost:80/v1/"),
        ("https://api.example.com/v1", "https://API.example.com.:443/v1"),
    ],
)
def test_two_spellings_of_one_endpoint_are_one_identity(one: str, other: str) -> None:
    first, second = (OpenAICompatibleEmbedder(url, "m", dimensions=8) for url in (one, other))

    assert first.identity == second.identity


@pytest.mark.parametrize("url", ["http://", "http://[::1", "ftp://host/v1", "http://host:port/v1"])
def test_an_address_that_is_no_url_is_refused(url: str) -> None:
    with pytest.raises(SettingsError, match="GDRIVE_RAG_EMBED_BASE_URL"):
        OpenAICompatibleEmbedder(url, "m")


def test_an_embedder_is_what_the_protocol_says(connect: Connect) -> None:
    with EmbeddingServer(HashingEmbedder()) as server:
        embedder: Embedder = connect(server, max_tokens=100)

    assert embedder.max_tokens == 100


def test_an_account_out_of_money_is_not_asked_again(connect: Connect) -> None:
    fault = refusing(429, "you exceeded your current quota", {"code": "insufficient_quota"})
    with EmbeddingServer(HashingEmbedder(), after_faults=fault) as server:
        with pytest.raises(EmbedderUnavailableError, match=r"exceeded your current .*billing"):
            connect(server).embed(TEXTS, role="document")

        assert len(server.requests) == 1


def test_requests_are_forecast_by_their_texts_and_by_their_tokens() -> None:
    embedder = OpenAICompatibleEmbedder(HERE, "m", batch_size=16, max_tokens=8191)

    assert embedder.calls(33, 33 * 100) == 3
    assert embedder.calls(16, 16 * 24_000) == 3
