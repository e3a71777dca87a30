"""The Gemini provider: what only it sends, reads and promises."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from gdrive_rag_mcp.embedding.gemini import GeminiEmbedder
from gdrive_rag_mcp.embedding.retrying import Retrying
from gdrive_rag_mcp.errors import EmbedderUnavailableError, EmbeddingError, SettingsError
from gdrive_rag_mcp.testing.gemini_server import GeminiServer, over_quota, refusing_the_key
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder
from gdrive_rag_mcp.testing.provider_server import Fault, refusing, saying

Connect = Callable[..., GeminiEmbedder]
TEXTS = ["the first text", "a second one", "and the third"]
NOT_HERE = (
    '{"error": {"code": 400, "status": "FAILED_PRECONDITION", '
    '"message": "User location is not supported for the API use."}}'
)


def test_every_text_of_a_request_has_its_role_model_and_dimensions(connect: Connect) -> None:
    with GeminiServer(HashingEmbedder()) as server:
        embedder = connect(server, dimensions=64, api_key=" the-key\n")
        assert embedder.embed(TEXTS, role="document").shape == (3, 64)
        embedder.embed(TEXTS[:1], role="query")

    documents, query = server.requests
    assert documents.path == "/v1beta/models/gemini-embedding-001:batchEmbedContents"
    assert documents.headers["x-goog-api-key"] == "the-key"
    assert documents.body["requests"] == [
        {
            "model": "models/gemini-embedding-001",
            "content": {"parts": [{"text": text}]},
            "taskType": "RETRIEVAL_DOCUMENT",
            "outputDimensionality": 64,
        }
        for text in TEXTS
    ]
    assert query.body["requests"][0]["taskType"] == "RETRIEVAL_QUERY"


def test_later_models_are_told_the_role_in_words_and_get_one_vector_a_text(
    connect: Connect,
) -> None:
    with GeminiServer(HashingEmbedder()) as server:
        embedder = connect(server, model="gemini-embedding-2")
        assert len(embedder.embed(TEXTS, role="document")) == 3
        embedder.embed(TEXTS[:1], role="query")

    documents, query = (request.body["requests"] for request in server.requests)
    assert [one["content"]["parts"] for one in documents] == [
        [{"text": f"title: none | text: {text}"}] for text in TEXTS
    ]
    assert query[0]["content"]["parts"][0]["text"] == f"task: search result | query: {TEXTS[0]}"
    assert not any("taskType" in one for one in [*documents, *query])


def test_a_model_under_its_full_name_is_the_same_model(connect: Connect) -> None:
    with GeminiServer(HashingEmbedder()) as server:
        full, short = (
            connect(server, model=model)
            for model in ("models/gemini-embedding-001", "gemini-embedding-001")
        )
        full.embed(TEXTS, role="query")

    assert full.identity == short.identity
    assert server.requests[0].body["requests"][0]["taskType"] == "RETRIEVAL_QUERY"


def test_a_vector_that_was_shortened_is_brought_back_to_length_1(connect: Connect) -> None:
    with GeminiServer(HashingEmbedder()) as server:
        vectors = connect(server, dimensions=100).embed(TEXTS, role="document")

    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


@pytest.mark.parametrize("batch_size", [100, 2048])
def test_a_request_carries_at_most_a_hundred_texts(connect: Connect, batch_size: int) -> None:
    texts = [f"number {number}" for number in range(250)]
    with GeminiServer(HashingEmbedder()) as server:
        connect(server, batch_size=batch_size).embed(texts, role="document")

    assert [len(request.body["requests"]) for request in server.requests] == [100, 100, 50]


def test_a_request_carries_no_more_tokens_than_google_takes(connect: Connect) -> None:
    with GeminiServer(HashingEmbedder()) as server:
        connect(server).embed(["word " * 600] * 60, role="document")

    sizes = [
        sum(len(one["content"]["parts"][0]["text"]) for one in request.body["requests"])
        for request in server.requests
    ]
    assert max(sizes) <= 60_000
    assert len(sizes) == 3


def test_what_google_would_cut_is_sent_in_parts_in_every_script(connect: Connect) -> None:
    """Two characters a token is less than any script needs; the model takes 2,048."""
    with GeminiServer(HashingEmbedder()) as server:
        for word in ("contract ", "สัญญา", "계약서 ", "合同"):
            connect(server).embed([word * 3000], role="document")
        sent = [
            one["content"]["parts"][0]["text"]
            for request in server.requests
            for one in request.body["requests"]
        ]

    assert max(map(len, sent)) <= 2 * 2048
    assert "".join("".join(sent).split()) == "contract" * 3000 + "สัญญา" * 3000 + (
        "계약서" * 3000 + "合同" * 3000
    )


@pytest.mark.parametrize(
    ("fault", "wait"),
    [
        (over_quota("34.07s"), 34.07),
        (over_quota("5s"), 5.0),
        (refusing(503, "later", {"retryDelay": "3s"}, retry_after="11"), 11.0),
        (refusing(503, "later", {"retryDelay": "13s"}, retry_after="11"), 13.0),
    ],
)
def test_the_longer_of_the_waits_that_google_asks_for_is_waited(
    connect: Connect, fault: Fault, wait: float
) -> None:
    waits: list[float] = []
    with GeminiServer(HashingEmbedder(), faults=[fault]) as server:
        connect(server, retrying=Retrying(sleep=waits.append)).embed(TEXTS, role="document")

        assert len(server.requests) == 2
    assert waits == [wait]


@pytest.mark.parametrize("delay", ["", "soon", "-3s", "s", "1e3s", "9" * 400 + "s"])
def test_a_wait_that_cannot_be_read_is_no_wait_asked_for(connect: Connect, delay: str) -> None:
    waits: list[float] = []
    with GeminiServer(HashingEmbedder(), faults=[over_quota(delay)]) as server:
        connect(server, retrying=Retrying(sleep=waits.append)).embed(TEXTS, role="document")

    assert len(waits) == 1
    assert waits[0] < 2


def test_a_days_quota_ends_the_run_at_once_whatever_wait_it_names(connect: Connect) -> None:
    """Google asks to come back in seconds, and counts every further attempt."""
    fault = over_quota("12s", "PerDayPerUserPerProjectPerModel-FreeTier")
    with GeminiServer(HashingEmbedder(), after_faults=fault) as server:
        with pytest.raises(EmbedderUnavailableError, match="429") as refused:
            connect(server).embed(TEXTS, role="document")

        assert len(server.requests) == 1
    assert "each text counts" in refused.value.hint


def test_a_minutes_quota_is_waited_for_though_two_calls_may_miss_it(connect: Connect) -> None:
    waits: list[float] = []
    with GeminiServer(HashingEmbedder(), faults=[over_quota("55s")] * 3) as server:
        embedder = GeminiEmbedder("a-key", dimensions=256, base_url=server.base_url)
        patience = replace(embedder._retrying, sleep=waits.append, clock=lambda: sum(waits))
        embedder.close()
        connect(server, retrying=patience).embed(TEXTS, role="document")

    assert waits == [55.0] * 3


def answering(status: int, body: str) -> Fault:
    """Answer with this body, whatever it is."""
    return lambda reply: replace(reply, status=status, body=body)


@pytest.mark.parametrize(
    ("fault", "of_texts", "hint"),
    [
        (refusing_the_key(), False, "GEMINI_API_KEY"),
        (answering(400, NOT_HERE), False, "GDRIVE_RAG_EMBED_MODEL"),
        (refusing(400, "the text is too long"), True, "GDRIVE_RAG_EMBED_MODEL"),
    ],
    ids=["key", "place", "text"],
)
def test_a_400_of_the_key_or_place_is_told_from_a_400_of_a_text(
    connect: Connect, fault: Fault, *, of_texts: bool, hint: str
) -> None:
    with GeminiServer(HashingEmbedder(), after_faults=fault) as server:
        with pytest.raises(EmbeddingError, match="400") as refused:
            connect(server).embed(TEXTS, role="document")

        assert isinstance(refused.value, EmbedderUnavailableError) != of_texts
        assert hint in refused.value.hint
        assert len(server.requests) == 1


@pytest.mark.parametrize(
    "body",
    [
        "[]", "{}", "7", '"x"', "null", '{"embeddings": null}', '{"embeddings": 1}',
        '{"embeddings": [{}]}', '{"embeddings": [{"values": "AAAA"}]}', '{"embeddings": ["x"]}',
        '{"embeddings": [{"values": [[1]]}]}', '{"embeddings": [{"values": null}]}',
        '{"embeddings": [{"values": [1' + "0" * 400 + "]}]}",
        '{"embeddings": [{"values": [1, 2]}, {"values": [1]}, {"values": [1]}]}',
    ],
)  # fmt: skip
def test_json_that_is_no_list_of_vectors_is_an_error_of_ours(connect: Connect, body: str) -> None:
    with (
        GeminiServer(HashingEmbedder(), after_faults=saying(body)) as server,
        pytest.raises(EmbeddingError, match=r"no list of vectors|vectors for 3 texts"),
    ):
        connect(server).embed(TEXTS, role="document")


@pytest.mark.parametrize("body", ["[]", "7", '"x"', '{"error": "x"}', '{"error": {"details": 1}}'])
def test_a_refusal_in_another_form_is_a_refusal_all_the_same(connect: Connect, body: str) -> None:
    with (
        GeminiServer(HashingEmbedder(), after_faults=answering(403, body)) as server,
        pytest.raises(EmbedderUnavailableError, match="403"),
    ):
        connect(server).embed(TEXTS, role="document")


def test_the_environment_of_googles_library_changes_nothing(
    connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {
        "GOOGLE_API_KEY": "another-key",
        "GEMINI_API_KEY": "another-key",
        "GOOGLE_GENAI_USE_VERTEXAI": "true",
        "GOOGLE_GENAI_API_VERSION": "v9",
        "GOOGLE_GEMINI_BASE_URL": "http://127.0.0.1:9",
        "GOOGLE_CLOUD_PROJECT": "a-project",
        "GOOGLE_CLOUD_LOCATION": "europe-west1",
    }.items():
        monkeypatch.setenv(name, value)
    with GeminiServer(HashingEmbedder()) as server:
        connect(server, api_key="the-key").embed(TEXTS, role="document")

    assert server.requests[0].headers["x-goog-api-key"] == "the-key"
    assert server.requests[0].path.startswith("/v1beta/")


@pytest.mark.parametrize("host", ["example.com", "192.168.1.5"])
def test_the_key_never_goes_over_a_network_in_the_clear(host: str) -> None:
    with pytest.raises(SettingsError, match=f"http://{host}") as refused:
        GeminiEmbedder("the-key", base_url=f"http://{host}:8080")

    assert "https" in refused.value.hint
    assert "the-key" not in str(refused.value)
    GeminiEmbedder("the-key", base_url=f"https://{host}").close()
    GeminiEmbedder("the-key", base_url="http://localhost:8080").close()


def test_more_dimensions_than_gemini_has_are_refused_before_anything_is_sent() -> None:
    with pytest.raises(SettingsError, match=r"4096.*3072"):
        GeminiEmbedder("the-key", dimensions=4096)


def test_an_empty_key_makes_the_embedder_unavailable_with_the_remedy() -> None:
    with pytest.raises(EmbedderUnavailableError, match="GEMINI_API_KEY"):
        GeminiEmbedder(" \n")


def test_a_text_counts_as_a_call_and_a_long_one_as_several() -> None:
    embedder = GeminiEmbedder("a-key")

    assert embedder.calls(250, 250 * 500) == 250
    assert embedder.calls(1, 31_000) == 11
    embedder.close()


def test_googles_library_is_only_imported_for_the_first_text() -> None:
    program = (
        "import sys\n"
        "from gdrive_rag_mcp.embedding.gemini import GeminiEmbedder\n"
        "embedder = GeminiEmbedder('a-key')\n"
        "embedder.identity, embedder.max_tokens, embedder.calls(3, 300)\n"
        "print([name for name in sys.modules if name.startswith('google')])\n"
    )
    command = [sys.executable, "-W", "error", "-c", program]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ)

    assert done.stdout.strip() == "[]"


def test_nothing_stays_open_and_nothing_is_said_when_an_embedder_goes_away(
    connect: Connect,
) -> None:
    """In a process of its own, with every warning an error, as the interpreter ends."""
    with GeminiServer(HashingEmbedder()) as server:
        program = (
            "from gdrive_rag_mcp.embedding.gemini import GeminiEmbedder\n"
            f"embedder = GeminiEmbedder('a-key', dimensions=256, base_url={server.base_url!r})\n"
            "embedder.embed(['a text'], role='document')\n"
            "client = embedder._client\n"
            "del embedder\n"
            "import gc; gc.collect()\n"
            "assert client.is_closed\n"
        )
        command = [sys.executable, "-X", "dev", "-W", "error", "-c", program]
        done = subprocess.run(command, check=False, capture_output=True, text=True, env=os.environ)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
