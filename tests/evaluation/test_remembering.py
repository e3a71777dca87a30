"""What was embedded once is not embedded again, whatever ended the run before."""

from pathlib import Path

import numpy as np
import pytest

from gdrive_rag_mcp.evaluation.remembering import VectorMemory
from gdrive_rag_mcp.protocols import EmbedRole, embed_with_tokens, pieces_of, token_projection_of
from gdrive_rag_mcp.store.packed_tokens import pack, unpack
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder
from gdrive_rag_mcp.testing.token_embedder import HashingTokenEmbedder


def test_each_text_is_embedded_once_and_gets_the_vector_it_would_have(tmp_path: Path) -> None:
    inner = HashingEmbedder()
    texts = ["one", "two", "one"]

    vectors = VectorMemory(tmp_path).wrap(inner).embed(texts, role="document")

    assert inner.embedded_texts == 2
    np.testing.assert_array_equal(vectors, HashingEmbedder().embed(texts, role="document"))


def test_another_run_embeds_only_what_is_new(tmp_path: Path) -> None:
    first = VectorMemory(tmp_path).wrap(HashingEmbedder())
    known = first.embed(["one", "two"], role="document")
    inner = HashingEmbedder()

    vectors = VectorMemory(tmp_path).wrap(inner).embed(["two", "three"], role="document")

    assert inner.embedded_texts == 1
    np.testing.assert_array_equal(vectors[0], known[1])


def test_a_question_is_not_taken_for_a_document(tmp_path: Path) -> None:
    inner = HashingEmbedder()
    wrapped = VectorMemory(tmp_path).wrap(inner)

    wrapped.embed(["one"], role="document")
    wrapped.embed(["one"], role="query")

    assert inner.embedded_texts == 2


def test_a_record_cut_short_costs_only_itself(tmp_path: Path) -> None:
    VectorMemory(tmp_path).wrap(HashingEmbedder()).embed(["one", "two"], role="document")
    [file] = tmp_path.rglob("*.bin")
    file.write_bytes(file.read_bytes()[:-3])
    inner = HashingEmbedder()

    VectorMemory(tmp_path).wrap(inner).embed(["one", "two"], role="document")

    assert inner.embedded_texts == 1


def test_two_runs_side_by_side_spoil_nothing(tmp_path: Path) -> None:
    left, right = VectorMemory(tmp_path), VectorMemory(tmp_path)
    wrapped = [memory.wrap(HashingEmbedder()) for memory in (left, right)]
    for number in range(3):
        for name, embedder in zip(("left", "right"), wrapped, strict=True):
            embedder.embed([f"{name} {number}"], role="document")
    inner = HashingEmbedder()

    texts = [f"{name} {number}" for number in range(3) for name in ("left", "right")]
    VectorMemory(tmp_path).wrap(inner).embed(texts, role="document")

    assert inner.embedded_texts == 0


def test_token_vectors_of_questions_are_kept_as_they_are(tmp_path: Path) -> None:
    questions = ["When is it?", "How much is it?", ""]
    made = HashingTokenEmbedder().embed_with_tokens(questions, role="query").tokens
    embed_with_tokens(VectorMemory(tmp_path).wrap(HashingTokenEmbedder()), questions, role="query")
    inner = HashingTokenEmbedder()

    kept = embed_with_tokens(VectorMemory(tmp_path).wrap(inner), questions, role="query").tokens

    assert inner.embedded_texts == 0
    assert made
    assert kept
    for one, other in zip(made, kept, strict=True):
        np.testing.assert_array_equal(one.rows, other.rows)
        np.testing.assert_array_equal(one.weights, other.weights)
        assert one.pieces is not None
        assert other.pieces is not None
        assert one.pieces.tolist() == other.pieces.tolist()
        assert one.projection == other.projection


def test_an_index_keeps_the_same_of_remembered_documents(tmp_path: Path) -> None:
    texts = ["The lease ends in May.", "The rent is due."]
    made = HashingTokenEmbedder().embed_with_tokens(texts, role="document").tokens
    wrapped = VectorMemory(tmp_path).wrap(HashingTokenEmbedder())

    kept = embed_with_tokens(wrapped, texts, role="document").tokens

    assert made
    assert kept
    for one, other in zip(made, kept, strict=True):
        in_index, again = unpack(pack(one), 7), unpack(pack(other), 7)
        assert in_index
        assert again
        np.testing.assert_array_equal(in_index.rows, again.rows)
        assert one.pieces is not None
        assert other.pieces is not None
        assert one.pieces.tolist() == other.pieces.tolist()


def test_vectors_of_before_are_the_same_with_tokens(tmp_path: Path) -> None:
    before = VectorMemory(tmp_path).wrap(HashingEmbedder()).embed(["one"], role="query")

    made = embed_with_tokens(
        VectorMemory(tmp_path).wrap(HashingTokenEmbedder()), ["one", "two"], role="query"
    )

    np.testing.assert_array_equal(made.vectors[0], before[0])
    assert made.tokens
    assert [len(one.rows) for one in made.tokens] == [1, 1]


def test_another_projection_is_not_mixed_in(tmp_path: Path) -> None:
    memory = VectorMemory(tmp_path)
    for projection in (7, 8):
        wrapped = memory.wrap(HashingTokenEmbedder(projection=projection))
        made = embed_with_tokens(wrapped, ["one"], role="query").tokens
        assert made
        assert made[0].projection == projection == token_projection_of(wrapped)


@pytest.mark.parametrize("role", ["query", "document"])
def test_token_vectors_cut_short_cost_only_themselves(tmp_path: Path, role: EmbedRole) -> None:
    texts = ["one two", "two"]
    embed_with_tokens(VectorMemory(tmp_path).wrap(HashingTokenEmbedder()), texts, role=role)
    [file] = tmp_path.glob("tokens-*/*.bin")
    file.write_bytes(file.read_bytes()[:-3])
    inner = HashingTokenEmbedder()

    made = embed_with_tokens(VectorMemory(tmp_path).wrap(inner), texts, role=role).tokens

    assert inner.embedded_texts == 1
    assert made
    assert [len(one.rows) for one in made] == [2, 1]


def test_an_embedder_without_tokens_has_none_with_a_memory_either(tmp_path: Path) -> None:
    wrapped = VectorMemory(tmp_path).wrap(HashingEmbedder())

    assert token_projection_of(wrapped) is None
    assert pieces_of(wrapped, ["one"]) is None
    assert embed_with_tokens(wrapped, ["one"], role="query").tokens is None


def test_pieces_are_passed_on(tmp_path: Path) -> None:
    inner = HashingTokenEmbedder()

    pieces = pieces_of(VectorMemory(tmp_path).wrap(inner), ["one two one", ""])

    assert pieces is not None
    assert [len(own) for own in pieces] == [3, 0]
    assert pieces[0][0] == pieces[0][2] != pieces[0][1]
