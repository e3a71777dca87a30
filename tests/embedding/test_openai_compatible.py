"""The HTTP provider against a server on loopback that misbehaves in every way it may."""

import logging
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gdrive_rag_mcp.embedding.openai_compatible import OpenAICompatibleEmbedder
from gdrive_rag_mcp.embedding.retrying import Retrying
from gdrive_rag_mcp.errors import EmbedderUnavailableError, EmbeddingError, SettingsError
from gdrive_rag_mcp.protocols import Embedder
from gdrive_rag_mcp.testing import embedding_server as server_faults
from gdrive_rag_mcp.testing.embedding_server import EmbeddingServer, Fault, refusing, saying
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder

Client = Callable[..., OpenAICompatibleEmbedder]
TEXTS = ["the first text", "a second one", "and the third"]
KEY = "sk-very-secret-0123456789"
HERE = "http://127.0.0.1:9/v1"


def test_the_order_of_the_answer_does_not_matter(client: Client) -> None:
    with EmbeddingServer(HashingEmbedder(), after_faults=server_faults.backwards) as server:
        vectors = client(server).embed(TEXTS, role="document")

    assert np.array_equal(vectors, HashingEmbedder().embed(TEXTS, role="document"))


def test_a_request_says_what_the_protocol_asks_for(client: Client) -> None:
    with EmbeddingServer(HashingEmbedder()) as server:
        client(server, api_key=KEY).embed(TEXTS, role="document")
        client(server).embed(TEXTS[:1], role="document")

    first, second = server.requests
    assert first.path == "/v1/embeddings"
    assert first.body == {"model": "test-model", "input": TEXTS, "encoding_format": "float"}
    assert first.headers["authorization"] == f"Bearer {KEY}"
    assert "authorization" not in second.headers


def test_batches_are_no_larger_than_set(client: Client) -> None:
    texts = [f"text {number}" for number in range(7)]
    with EmbeddingServer(HashingEmbedder()) as server:
        client(server, batch_size=3).embed(texts, role="document")

    assert [request.body["input"] for request in server.requests] == [
        texts[:3], texts[3:6], texts[6:],
    ]  # fmt: skip


def test_a_call_never_carries_more_text_than_servers_take(client: Client) -> None:
    texts = ["long " * 12_000 for _ in range(6)]
    with EmbeddingServer(HashingEmbedder()) as server:
        client(server, batch_size=2048, max_tokens=8191).embed(texts, role="document")

    sizes = [sum(map(len, request.body["input"])) for request in server.requests]
    assert max(sizes) <= 150_000
    assert sum(sizes) >= 6 * 59_000


def test_no_texts_cost_no_call(client: Client) -> None:
    with EmbeddingServer(HashingEmbedder(), empty_input_status=422) as server:
        vectors = client(server, dimensions=256).embed([], role="document")

    assert vectors.shape == (0, 256)
    assert server.requests == []


def test_dimensions_are_asked_for_only_when_that_is_set(client: Client) -> None:
    with EmbeddingServer(HashingEmbedder()) as server:
        asked = client(server, dimensions=64, send_dimensions=True)
        assert asked.embed(TEXTS, role="document").shape == (3, 64)
        with pytest.raises(EmbeddingError, match="256 dimensions instead of 64"):
            client(server, dimensions=64).embed(TEXTS, role="document")

    assert [request.body.get("dimensions") for request in server.requests] == [64, None]


def test_a_server_that_ignores_the_dimensions_is_found_out(client: Client) -> None:
    with EmbeddingServer(HashingEmbedder(), knows_dimensions=False) as server:
        embedder = client(server, dimensions=64, send_dimensions=True)
        with pytest.raises(EmbeddingError, match=r"256 .* instead of 64 .*EMBED_DIMENSIONS"):
            embedder.embed(TEXTS, role="document")


def test_the_dimensions_are_learnt_from_one_call_and_then_fixed(client: Client) -> None:
    faults = [server_faults.honest, server_faults.with_values(1.0, 2.0)]
    with EmbeddingServer(HashingEmbedder(), faults=faults) as server:
        embedder = client(server)
        assert embedder.identity.dimensions == 256
        assert embedder.identity.dimensions == 256
        assert len(server.requests) == 1
        with pytest.raises(EmbeddingError, match="2 dimensions instead of 256"):
            embedder.embed(TEXTS, role="document")


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (server_faults.losing_one, "2 vectors for 3 texts"),
        (server_faults.repeating_an_index, "each once"),
        (server_faults.with_values(float("nan"), 1.0), "not finite"),
        (server_faults.with_values(float("inf"), 1.0), "not finite"),
        (server_faults.with_values(None, 1.0), "not finite"),
        (server_faults.with_values("x", 1.0), "no list of vectors"),
        (server_faults.with_values(0.0, 0.0), "zeros"),
        (server_faults.with_values(), "zeros"),
        (saying("<html>welcome</html>"), "not JSON"),
        (saying("[]"), "no list of vectors"),
        (saying('{"data": null}'), "no list of vectors"),
        (saying('{"data": [{"index": 0}]}'), "embedding"),
        (saying('{"data": [{"embedding": [1]}]}'), "index"),
        (saying('{"data": [{"index": 0, "embedding": "AACAPw=="}]}'), "1 vectors for 3"),
        (refusing(400, "input is too long"), "input is too long"),
        (refusing(404, "no such model"), r"no such model .*BASE_URL"),
        (refusing(413, "payload"), r"413.*BATCH_SIZE"),
        (refusing(422, "unprocessable"), "unprocessable"),
        (refusing(301, "moved", location="http://127.0.0.1:9/"), "301"),
    ],
)
def test_an_unusable_answer_is_an_error_that_names_it_and_is_not_tried_again(
    client: Client, fault: Fault, message: str
) -> None:
    with EmbeddingServer(HashingEmbedder(), after_faults=fault) as server:
        with pytest.raises(EmbeddingError, match=message) as refused:
            client(server).embed(TEXTS, role="document")

        assert not isinstance(refused.value, EmbedderUnavailableError)
        assert len(server.requests) == 1


@pytest.mark.parametrize("value", ["[1" + "0" * 400 + "]", '"AACAPw=="', "true", "{}", "[[1]]"])
def test_a_value_that_is_no_vector_is_an_error_of_ours(client: Client, value: str) -> None:
    body = '{"data": [{"index": 0, "embedding": ' + value + "}]}"
    with (
        EmbeddingServer(HashingEmbedder(), after_faults=saying(body)) as server,
        pytest.raises(EmbeddingError, match="no list of vectors"),
    ):
        client(server).embed(TEXTS[:1], role="document")


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_makes_the_embedder_unavailable_at_once(client: Client, status: int) -> None:
    with EmbeddingServer(HashingEmbedder(), after_faults=refusing(status, "bad key")) as server:
        with pytest.raises(EmbedderUnavailableError, match="bad key"):
            client(server, api_key=KEY).embed(TEXTS, role="document")

        assert len(server.requests) == 1


@pytest.mark.parametrize(
    "fault",
    [
        refusing(408), refusing(429), refusing(500), refusing(502), refusing(503), refusing(529),
        server_faults.breaking_off,
    ],
)  # fmt: skip
def test_what_may_pass_is_tried_again(client: Client, fault: Fault) -> None:
    with EmbeddingServer(HashingEmbedder(), faults=[fault, fault]) as server:
        vectors = client(server).embed(TEXTS, role="document")

        assert len(server.requests) == 3
    assert np.array_equal(vectors, HashingEmbedder().embed(TEXTS, role="document"))


def test_the_wait_a_server_asks_for_is_waited(client: Client) -> None:
    waits: list[float] = []
    fault = refusing(429, "slow down", retry_after="7")
    with EmbeddingServer(HashingEmbedder(), faults=[fault]) as server:
        client(server, retrying=Retrying(sleep=waits.append)).embed(TEXTS, role="document")

    assert waits == [7.0]


def test_a_server_that_does_not_answer_is_given_up_after_the_timeout(client: Client) -> None:
    with EmbeddingServer(HashingEmbedder(), after_faults=server_faults.hanging) as server:
        embedder = client(server, timeout_seconds=0.1, retrying=Retrying(budget=0))
        with pytest.raises(EmbedderUnavailableError, match=r"no answer in 0\.1 s"):
            embedder.embed(TEXTS, role="document")


def test_a_question_does_not_wait_as_long_as_an_index_may(client: Client) -> None:
    fault = refusing(429, "slow down", retry_after="30")
    waits: list[float] = []
    with EmbeddingServer(HashingEmbedder(), faults=[fault, fault]) as server:
        embedder = client(server, retrying=Retrying(budget=120, sleep=waits.append))
        with pytest.raises(EmbedderUnavailableError, match="30 s"):
            embedder.embed(TEXTS, role="query")
        assert waits == []
        embedder.embed(TEXTS, role="document")

    assert waits == [30.0]


def test_a_server_that_is_not_there_is_named_with_the_remedy() -> None:
    embedder = OpenAICompatibleEmbedder(HERE, "m", dimensions=8, retrying=Retrying(budget=0))
    with pytest.raises(EmbedderUnavailableError, match=r"cannot be reached.*BASE_URL"):
        embedder.embed(TEXTS, role="document")
    embedder.close()


def test_the_key_is_in_no_error_log_or_identity(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    fault = refusing(401, f"the key {KEY} is wrong" + " and more" * 1000)
    with EmbeddingServer(HashingEmbedder(), after_faults=fault) as server:
        embedder = client(server, api_key=KEY, dimensions=256)
        with pytest.raises(EmbedderUnavailableError) as refused:
            embedder.embed(TEXTS, role="document")

        assert "the key [key] is wrong" in str(refused.value)
        assert len(str(refused.value)) < 500
        assert KEY not in caplog.text
        assert KEY not in repr(embedder) + repr(embedder.identity)
        assert embedder.identity == client(server, api_key=None, dimensions=256).identity


@pytest.mark.parametrize("key", ["line\nbreak", "schlüssel", "\x00"])
def test_a_key_that_no_header_can_carry_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(SettingsError, match="characters") as refused:
        OpenAICompatibleEmbedder(HERE, "m", api_key=key)

    assert key not in str(refused.value)


def test_the_blanks_around_a_key_are_not_part_of_it(client: Client) -> None:
    with EmbeddingServer(HashingEmbedder()) as server:
        client(server, api_key=f" {KEY}\n").embed(TEXTS, role="document")

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


def test_the_proxy_of_the_user_is_passed_by_for_a_server_on_this_machine(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    with EmbeddingServer(HashingEmbedder()) as server:
        assert len(client(server).embed(TEXTS, role="document")) == 3


def test_a_long_text_is_embedded_in_parts_and_averaged(client: Client) -> None:
    rent, bees = "tenant rent landlord " * 200, "bees honey flowers " * 200
    with EmbeddingServer(HashingEmbedder()) as server:
        vectors = client(server).embed(["short", rent + bees, rent, bees], role="document")
        longest = max(len(text) for request in server.requests for text in request.body["input"])

    short, whole, first, second = vectors
    assert longest <= 3 * 512
    assert first @ second < min(whole @ first, whole @ second)
    assert np.array_equal(short, HashingEmbedder().embed(["short"], role="document")[0])


def test_an_embedder_is_what_the_protocol_says(client: Client) -> None:
    with EmbeddingServer(HashingEmbedder()) as server:
        embedder: Embedder = client(server, max_tokens=100)

    assert embedder.max_tokens == 100


def test_other_texts_are_not_mixed_up_by_callers_in_several_threads(client: Client) -> None:
    from concurrent.futures import ThreadPoolExecutor

    texts = [f"text number {number}" for number in range(40)]
    with EmbeddingServer(HashingEmbedder()) as server, ThreadPoolExecutor(4) as pool:
        embedder = client(server)
        found: list[Any] = list(
            pool.map(lambda text: embedder.embed([text], role="query")[0], texts)
        )

    assert np.array_equal(np.stack(found), HashingEmbedder().embed(texts, role="query"))
