"""What every embedder promises, whatever makes its vectors."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from gdrive_rag_mcp.embedding.gemini import GeminiEmbedder
from gdrive_rag_mcp.embedding.onnx import OnnxEmbedder
from gdrive_rag_mcp.embedding.openai_compatible import OpenAICompatibleEmbedder
from gdrive_rag_mcp.embedding.remote import RemoteEmbedder
from gdrive_rag_mcp.protocols import Embedder, EmbedRole, Vectors
from gdrive_rag_mcp.testing.embedding_server import EmbeddingServer
from gdrive_rag_mcp.testing.gemini_server import GeminiServer
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder

TEXTS = (
    "The deposit is two months' rent.",
    "보증금은 두 달 치 월세이다.",
    "Steam engines were improved by James Watt.",
    "short",
    "A text that is a good deal longer than its neighbours, so that a batch would pad them. " * 6,
)
HERE = {"hashing", "embedded", "sentence-transformers"}


@pytest.fixture(
    params=["hashing", "embedded", "openai-compatible", "gemini", "sentence-transformers"]
)
def provider(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def embedder(provider: str, request: pytest.FixtureRequest) -> Iterator[Embedder]:
    if provider == "hashing":
        yield HashingEmbedder()
    elif provider == "embedded":
        yield request.getfixturevalue("real_embedder")
    elif provider == "sentence-transformers":
        yield request.getfixturevalue("minilm")
    else:
        connect: Callable[..., RemoteEmbedder] = request.getfixturevalue("connect")
        kind = EmbeddingServer if provider == "openai-compatible" else GeminiServer
        with kind(HashingEmbedder()) as server:
            yield connect(server, batch_size=2)


@pytest.fixture
def same(provider: str) -> Callable[[Vectors, Vectors], bool]:
    """Whether two sets of vectors are equal: to the bit, but for padding in torch's batches."""
    if provider == "sentence-transformers":
        return lambda one, other: np.allclose(one, other, atol=1e-5)
    return np.array_equal


def test_vectors_come_in_the_order_of_the_texts(
    embedder: Embedder, same: Callable[[Vectors, Vectors], bool]
) -> None:
    together = embedder.embed(TEXTS, role="document")
    backwards = embedder.embed(TEXTS[::-1], role="document")

    assert same(together, backwards[::-1])
    assert len({row.tobytes() for row in together}) == len(TEXTS)


def test_vectors_are_unit_rows_of_float32_with_the_dimensions_of_the_identity(
    embedder: Embedder,
) -> None:
    vectors = embedder.embed(TEXTS, role="document")

    assert vectors.dtype == np.float32
    assert vectors.shape == (len(TEXTS), embedder.identity.dimensions)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


def test_no_texts_make_no_rows(embedder: Embedder) -> None:
    vectors = embedder.embed([], role="document")

    assert vectors.shape == (0, embedder.identity.dimensions)
    assert vectors.dtype == np.float32


def test_a_text_has_the_same_vector_whatever_it_is_embedded_with(
    embedder: Embedder, same: Callable[[Vectors, Vectors], bool]
) -> None:
    together = embedder.embed(TEXTS, role="document")
    alone = [embedder.embed([text], role="document")[0] for text in TEXTS]

    assert same(together, np.stack(alone))


@pytest.mark.parametrize("text", ["", " \n\t ", "\x00", "\ud800", "\u202e\x07"])
def test_a_text_without_words_has_a_vector_too(embedder: Embedder, text: str) -> None:
    vectors = embedder.embed([text], role="query")

    assert np.isfinite(vectors).all()


@pytest.mark.parametrize(
    ("dirty", "plain"),
    [
        ("the\x00 deposit", "the deposit"),
        ("the\ud800 deposit\udfff", "the deposit"),
        ("nghi\u0309 phe\u0301p", "nghỉ phép"),
        ("\u1107\u1169\u110c\u1173\u11bc\u1100\u1173\u11b7", "보증금"),
    ],
    ids=["NUL", "lone surrogates", "decomposed Vietnamese", "decomposed Korean"],
)
def test_texts_that_read_the_same_have_the_same_vector(
    embedder: Embedder, same: Callable[[Vectors, Vectors], bool], dirty: str, plain: str
) -> None:
    vectors = embedder.embed([dirty, plain], role="document")

    assert same(vectors[:1], vectors[1:])


@pytest.mark.parametrize("role", ["query", "document"])
def test_a_text_is_nearer_to_itself_than_to_others_in_either_role(
    embedder: Embedder, role: EmbedRole
) -> None:
    documents = embedder.embed(TEXTS, role="document")
    cosines = embedder.embed(TEXTS, role=role) @ documents.T

    assert (cosines.argmax(axis=1) == np.arange(len(TEXTS))).all()


def test_the_end_of_a_long_text_is_not_cut_off(embedder: Embedder) -> None:
    words = "The tenant keeps the stairs clean. " * (embedder.max_tokens // 4)
    first, second = embedder.embed(
        [f"{words} Bees make honey.", f"{words} Ships carry freight."], role="document"
    )

    assert not np.allclose(first, second, atol=1e-5)


def test_as_many_threads_as_are_said_to_pay_get_each_its_own_vectors(
    embedder: Embedder, same: Callable[[Vectors, Vectors], bool]
) -> None:
    lots = [TEXTS[at:] + TEXTS[:at] for at in range(len(TEXTS))] * 2
    with ThreadPoolExecutor(embedder.parallel_calls + 3) as pool:
        found = list(pool.map(lambda lot: embedder.embed(lot, role="document"), lots))

    one_by_one = [embedder.embed(lot, role="document") for lot in lots]
    assert all(map(same, found, one_by_one))


def test_only_what_runs_elsewhere_costs_calls_and_pays_in_parallel(
    embedder: Embedder, provider: str
) -> None:
    characters = sum(map(len, TEXTS))

    assert (embedder.calls(len(TEXTS), characters) == 0) == (provider in HERE)
    assert (embedder.parallel_calls == 1) == (provider in HERE)
    assert embedder.calls(0, 0) == 0


def test_the_identity_is_stable_and_shows_neither_path_nor_endpoint(embedder: Embedder) -> None:
    identity = embedder.identity

    assert embedder.identity == identity
    assert len(identity.fingerprint) == 64
    assert not {"/", "\\", "127.0.0.1", "localhost"} & set(identity.model)
    assert "127.0.0.1" not in repr(identity)
    assert str(Path.home()) not in repr(identity)


def test_different_embedders_have_different_fingerprints(model_folder: Path) -> None:
    fingerprints = {
        HashingEmbedder().identity.fingerprint,
        HashingEmbedder(dimensions=128).identity.fingerprint,
        OnnxEmbedder(model_folder).identity.fingerprint,
        *(
            OpenAICompatibleEmbedder(url, model, dimensions=size).identity.fingerprint
            for url, model, size in [
                ("http://127.0.0.1:1/v1", "a", 8),
                ("http://127.0.0.1:2/v1", "a", 8),
                ("http://127.0.0.1:1/v2", "a", 8),
                ("https://127.0.0.1:1/v1", "a", 8),
                ("http://127.0.0.1:1/v1", "b", 8),
                ("http://127.0.0.1:1/v1", "a", 9),
            ]
        ),
        *(
            GeminiEmbedder("a-key", model, base_url=url, dimensions=size).identity.fingerprint
            for url, model, size in [
                (None, "a", 8),
                ("http://127.0.0.1:1/v1/embeddings", "a", 8),
                (None, "b", 8),
                (None, "a", 9),
            ]
        ),
    }

    assert len(fingerprints) == 13
