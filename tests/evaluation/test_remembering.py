"""What was embedded once is not embedded again, whatever ended the run before."""

from pathlib import Path

import numpy as np

from gdrive_rag_mcp.evaluation.remembering import VectorMemory
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder


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
