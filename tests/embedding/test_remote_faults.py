"""What every provider over HTTP makes of a server that misbehaves in every way it may."""

import logging
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from gdrive_rag_mcp.embedding.remote import RemoteEmbedder
from gdrive_rag_mcp.embedding.retrying import Retrying
from gdrive_rag_mcp.errors import EmbedderUnavailableError, EmbeddingError
from gdrive_rag_mcp.protocols import EmbedRole
from gdrive_rag_mcp.testing import provider_server as server_faults
from gdrive_rag_mcp.testing.gemini_server import GeminiServer
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder
from gdrive_rag_mcp.testing.provider_server import Fault, ProviderServer, refusing, saying

Connect = Callable[..., RemoteEmbedder]
Serve = Callable[..., ProviderServer]
TEXTS = ["the first text", "a second one", "and the third"]
KEY = "sk-very-secret-0123456789"


def answering(status: int, body: str) -> Fault:
    """Answer with this body, whatever it is."""
    return lambda reply: replace(reply, status=status, body=body)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (server_faults.losing_one, "2 vectors for 3 texts"),
        (server_faults.adding_one, "4 vectors for 3 texts"),
        (server_faults.with_values(*[float("nan")] * 256), "not finite"),
        (server_faults.with_values(*[float("inf")] * 256), "not finite"),
        (server_faults.with_values(*[0.0] * 256), "zeros"),
        (server_faults.with_values("x", *[1.0] * 255), "no list of vectors"),
        (refusing(400, "a text is too long"), "400: a text is too long"),
        (refusing(413, "payload"), "413"),
        (refusing(422, "unprocessable"), "unprocessable"),
        (saying("{}"), "0 vectors for 3|no list of vectors"),
    ],
)
def test_what_one_of_the_texts_may_have_caused_is_no_reason_to_give_up_the_provider(
    connect: Connect, serve: Serve, fault: Fault, message: str
) -> None:
    with serve(after_faults=fault) as server:
        with pytest.raises(EmbeddingError, match=message) as refused:
            connect(server, dimensions=256).embed(TEXTS, role="document")

        assert not isinstance(refused.value, EmbedderUnavailableError)
        assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (server_faults.with_values(1.0, 2.0), "2 dimensions instead of 256"),
        (server_faults.with_values(), "0 dimensions instead of 256"),
        (saying("<html>welcome</html>"), "not JSON"),
        (saying("[" * 200_000), "not JSON"),
        (saying('{"data": ' * 200_000), "not JSON"),
        (answering(401, "[" * 200_000), "401.*key"),
        (refusing(301, "moved", location="http://127.0.0.1:9/"), "301"),
        (refusing(401, "bad key"), "bad key.*key"),
        (refusing(402, "pay first"), "pay first"),
        (refusing(403, "not yours"), "not yours.*key"),
        (refusing(404, "no such model"), "no such model.*model|MODEL"),
    ],
)
def test_what_other_texts_would_not_change_makes_the_provider_unavailable_at_once(
    connect: Connect, serve: Serve, fault: Fault, message: str
) -> None:
    with serve(after_faults=fault) as server:
        with pytest.raises(EmbedderUnavailableError, match=message) as refused:
            connect(server, dimensions=256).embed(TEXTS, role="document")

        assert refused.value.hint
        assert len(server.requests) == 1


@pytest.mark.parametrize("status", [400, 422])
def test_the_text_that_costs_a_batch_can_be_found_by_halving(
    connect: Connect, serve: Serve, status: int
) -> None:
    with serve(refuses="second", refusal_status=status) as server:
        embedder = connect(server, dimensions=256)
        for texts in (TEXTS, TEXTS[1:], TEXTS[1:2]):
            with pytest.raises(EmbeddingError, match="cannot be embedded") as refused:
                embedder.embed(texts, role="document")
            assert not isinstance(refused.value, EmbedderUnavailableError)
        assert len(embedder.embed([TEXTS[0], TEXTS[2]], role="document")) == 2


@pytest.mark.parametrize("status", [400, 422])
def test_no_texts_and_a_text_of_nothing_reach_no_server_that_refuses_them(
    connect: Connect, serve: Serve, status: int
) -> None:
    with serve(refusal_status=status) as server:
        embedder = connect(server, dimensions=256)
        assert embedder.embed([], role="document").shape == (0, 256)
        assert server.requests == []
        assert embedder.embed(["", " \n"], role="document").shape == (2, 256)


def test_a_server_that_ignores_the_dimensions_is_found_out(connect: Connect, serve: Serve) -> None:
    with serve(knows_dimensions=False) as server:
        settings = {} if isinstance(server, GeminiServer) else {"send_dimensions": True}
        embedder = connect(server, dimensions=64, **settings)
        with pytest.raises(
            EmbedderUnavailableError, match=r"256 .* instead of 64 .*EMBED_DIMENSIONS"
        ):
            embedder.embed(TEXTS, role="document")


@pytest.mark.parametrize(
    "fault",
    [
        refusing(408), refusing(429), refusing(500), refusing(502), refusing(503), refusing(529),
        server_faults.breaking_off, answering(503, "[" * 200_000),
        refusing(429, retry_after="Mon, 01 Jan 99999999999999999999 00:00:00 GMT"),
        refusing(503, retry_after="9" * 400),
    ],
)  # fmt: skip
def test_what_may_pass_is_tried_again(connect: Connect, serve: Serve, fault: Fault) -> None:
    with serve(faults=[fault, fault]) as server:
        vectors = connect(server).embed(TEXTS, role="document")

        assert len(server.requests) == 3
    assert np.array_equal(vectors, HashingEmbedder().embed(TEXTS, role="document"))


@pytest.mark.parametrize("status", [200, 403])
@pytest.mark.parametrize("depth", [90, 300, 900, 940, 970, 990])
@pytest.mark.parametrize("around", ["{}", '{{"error": {}}}', '{{"error": {{"message": {}}}}}'])
def test_json_of_any_depth_is_an_error_of_ours(
    connect: Connect, serve: Serve, status: int, depth: int, around: str
) -> None:
    body = around.format("[" * depth + "]" * depth)
    with (
        serve(after_faults=answering(status, body)) as server,
        pytest.raises(EmbeddingError, match=r"403|not JSON|no list of vectors|0 vectors"),
    ):
        connect(server, dimensions=256).embed(TEXTS, role="document")


def test_the_wait_a_server_asks_for_is_waited_once(connect: Connect, serve: Serve) -> None:
    waits: list[float] = []
    fault = refusing(429, "slow down", retry_after="7")
    with serve(faults=[fault]) as server:
        connect(server, retrying=Retrying(sleep=waits.append)).embed(TEXTS, role="document")

    assert waits == [7.0]


def test_a_server_that_stays_overloaded_is_given_up_when_the_budget_is_spent(
    connect: Connect, serve: Serve
) -> None:
    waits: list[float] = []
    patience = Retrying(
        budget=25, first_wait=4, longest_wait=8, sleep=waits.append, clock=lambda: sum(waits),
        jitter=lambda: 1.0,
    )  # fmt: skip
    with serve(after_faults=refusing(503)) as server:
        with pytest.raises(EmbedderUnavailableError, match="after 4 attempts"):
            connect(server, retrying=patience).embed(TEXTS, role="document")

        assert len(server.requests) == 4
    assert waits == [8.0, 8.0, 8.0]


@pytest.mark.parametrize("role", ["query", "document"])
def test_a_server_that_does_not_answer_is_given_up_after_the_timeout(
    connect: Connect, serve: Serve, role: EmbedRole
) -> None:
    with serve(after_faults=server_faults.hanging) as server:
        embedder = connect(server, timeout_seconds=0.2, retrying=Retrying(budget=0))
        with pytest.raises(EmbedderUnavailableError, match=r"no answer in 0\.2 s"):
            embedder.embed(TEXTS, role=role)


def test_a_question_does_not_wait_as_long_as_an_index_may(connect: Connect, serve: Serve) -> None:
    fault = refusing(429, "slow down", retry_after="30")
    waits: list[float] = []
    with serve(faults=[fault, fault]) as server:
        embedder = connect(server, retrying=Retrying(budget=120, sleep=waits.append))
        with pytest.raises(EmbedderUnavailableError, match="30 s"):
            embedder.embed(TEXTS, role="query")
        assert waits == []
        embedder.embed(TEXTS, role="document")

    assert waits == [30.0]


def test_a_server_that_is_not_there_is_named_with_the_remedy(
    connect: Connect, serve: Serve
) -> None:
    with serve() as server:
        embedder = connect(server, retrying=Retrying(budget=0))
    with pytest.raises(EmbedderUnavailableError, match=r"cannot be reached.*BASE_URL"):
        embedder.embed(TEXTS, role="document")


def test_batches_are_no_larger_than_set_and_keep_the_order(connect: Connect, serve: Serve) -> None:
    texts = [f"text number {number}" for number in range(7)]
    with serve() as server:
        vectors = connect(server, batch_size=3).embed(texts, role="document")

        sizes = [len(r.body.get("input") or r.body["requests"]) for r in server.requests]
    assert sizes == [3, 3, 1]
    assert np.array_equal(vectors, HashingEmbedder().embed(texts, role="document"))


def test_the_key_is_in_no_error_log_or_identity(
    connect: Connect, serve: Serve, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    fault = refusing(401, f"the key {KEY} is wrong" + " and more" * 1000)
    with serve(after_faults=fault) as server:
        embedder = connect(server, api_key=KEY, dimensions=256)
        with pytest.raises(EmbedderUnavailableError) as refused:
            embedder.embed(TEXTS, role="document")

        assert KEY in " ".join(server.requests[0].headers.values())
        assert "the key [key] is wrong" in str(refused.value)
        assert len(str(refused.value)) < 500
        assert refused.value.__cause__ is None
        assert KEY not in caplog.text
        assert KEY not in repr(embedder) + repr(embedder.identity)
        assert embedder.identity == connect(server, api_key="other", dimensions=256).identity


def test_the_proxy_of_the_user_is_passed_by_for_a_server_on_this_machine(
    connect: Connect, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    with serve() as server:
        assert len(connect(server).embed(TEXTS, role="document")) == 3


def test_a_long_text_is_embedded_in_parts_and_averaged(connect: Connect, serve: Serve) -> None:
    rent, bees = "tenant rent landlord " * 400, "bees honey flowers " * 400
    with serve() as server:
        embedder = connect(server)
        vectors = embedder.embed(["short", rent + bees, rent, bees], role="document")
        longest = max(map(len, _sent(server)))

    short, whole, first, second = vectors
    assert longest <= 3 * embedder.max_tokens
    assert first @ second < min(whole @ first, whole @ second)
    assert np.array_equal(short, HashingEmbedder().embed(["short"], role="document")[0])


def test_a_short_part_of_a_long_text_counts_for_no_more_than_its_length(
    connect: Connect, serve: Serve
) -> None:
    with serve() as server:
        embedder = connect(server)
        [whole] = embedder.embed(["rent " * 900 + "honey"], role="document")
        sent = _sent(server)
        parts = embedder.embed(sent, role="document")

    mean = np.average(parts, axis=0, weights=[len(part) for part in sent])
    assert len({len(part) for part in sent}) > 1
    assert np.allclose(whole, mean / np.linalg.norm(mean), atol=1e-6)


def test_what_a_set_of_texts_costs_is_known_before_it_is_sent(
    connect: Connect, serve: Serve
) -> None:
    texts = ["word " * 40] * 25 + ["long " * 3000]
    with serve() as server:
        embedder = connect(server, batch_size=10)
        forecast = embedder.calls(len(texts), sum(map(len, texts)))
        assert server.requests == []
        embedder.embed(texts, role="document")
        counted = len(_sent(server)) if isinstance(server, GeminiServer) else len(server.requests)

    assert 0.7 * counted <= forecast <= counted


def _sent(server: ProviderServer) -> list[str]:
    """Every text that reached a server."""
    return [
        text
        for request in server.requests
        for text in request.body.get("input")
        or [one["content"]["parts"][0]["text"] for one in request.body["requests"]]
    ]
