"""What every embedder promises, whatever makes its vectors."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from gdrive_rag_mcp.embedding.onnx import OnnxEmbedder
from gdrive_rag_mcp.embedding.openai_compatible import OpenAICompatibleEmbedder
from gdrive_rag_mcp.protocols import Embedder
from gdrive_rag_mcp.testing.embedding_server import EmbeddingServer
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder

TEXTS = (
    "The deposit is two months' rent.",
    "보증금은 두 달 치 월세이다.",
    "Steam engines were improved by James Watt.",
    "short",
    "A text that is a good deal longer than its neighbours, so that a batch would pad them. " * 6,
)


@pytest.fixture(params=["hashing", "embedded", "openai-compatible"])
def embedder(request: pytest.FixtureRequest) -> Iterator[Embedder]:
    if request.param == "hashing":
        yield HashingEmbedder()
    elif request.param == "embedded":
        yield request.getfixturevalue("real_embedder")
    else:
        make: Callable[..., OpenAICompatibleEmbedder] = request.getfixturevalue("client")
        with EmbeddingServer(HashingEmbedder()) as server:
            yield make(server, batch_size=2)


def test_vectors_come_in_the_order_of_the_texts(embedder: Embedder) -> None:
    together = embedder.embed(TEXTS, role="document")
    backwards = embedder.embed(TEXTS[::-1], role="document")

    assert np.array_equal(together, backwards[::-1])
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


def test_a_text_has_the_same_vector_to_the_bit_whatever_it_is_embedded_with(
    embedder: Embedder,
) -> None:
    together = embedder.embed(TEXTS, role="document")
    alone = [embedder.embed([text], role="document")[0] for text in TEXTS]

    assert np.array_equal(together, np.stack(alone))


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
    embedder: Embedder, dirty: str, plain: str
) -> None:
    vectors = embedder.embed([dirty, plain], role="document")

    assert np.array_equal(vectors[0], vectors[1])


def test_the_end_of_a_long_text_is_not_cut_off(embedder: Embedder) -> None:
    words = "The tenant keeps the stairs clean. " * (embedder.max_tokens // 4)
    first, second = embedder.embed(
        [f"{words} Bees make honey.", f"{words} Ships carry freight."], role="document"
    )

    assert not np.array_equal(first, second)


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
    }

    assert len(fingerprints) == 9
