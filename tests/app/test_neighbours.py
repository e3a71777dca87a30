"""The text beside a passage: on request, exact, and no part of the evidence."""

from pathlib import Path

import pytest

from gdrive_rag_mcp import presentation as present
from gdrive_rag_mcp.app import Reader, StorePool
from gdrive_rag_mcp.chunking.structural import StructuralChunker
from gdrive_rag_mcp.domain import Document, Hit
from gdrive_rag_mcp.errors import QueryError
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder
from gdrive_rag_mcp.testing.small_index import fill_index, plain_document

WORDS = ("anchor", "bridge", "candle", "dragon", "engine", "forest", "garden", "harbor")
TEXT = "\n\n".join(f"{word.title()} part. " + f"The {word} is described. " * 12 for word in WORDS)


@pytest.fixture
def reader(tmp_path: Path) -> Reader:
    path, embedder = tmp_path / "index.db", HashingEmbedder()
    document: Document = plain_document(TEXT)
    fill_index(path, [("book", document)], StructuralChunker(80, 0), embedder)
    return Reader(StorePool(path, resident=False), embedder=lambda: embedder, threshold=0.0)


def first(reader: Reader, question: str, neighbours: int) -> Hit:
    outcome = reader.search(question, limit=1, neighbours=neighbours)
    assert outcome.retrieved is not None
    return outcome.retrieved.hits[0]


@pytest.mark.parametrize("neighbours", [1, 2])
def test_a_passage_with_its_neighbours_is_one_stretch_of_the_document(
    reader: Reader, neighbours: int
) -> None:
    hit = first(reader, "Where is the engine?", neighbours)
    assert hit.before
    assert hit.after
    assert hit.before + hit.passage.text + hit.after in TEXT


def test_more_neighbours_reach_further(reader: Reader) -> None:
    one, two = (first(reader, "Where is the engine?", reach) for reach in (1, 2))
    assert two.before.endswith(one.before)
    assert len(two.before) > len(one.before)


def test_at_the_ends_of_a_document_nothing_is_beside(reader: Reader) -> None:
    assert first(reader, "Anchor part", 2).before == ""
    assert first(reader, "Where is the harbor?", 2).after.strip() == ""


def test_neighbours_change_neither_the_verdict_nor_the_text(reader: Reader) -> None:
    without, with_them = (
        reader.search("Where is the engine?", neighbours=reach) for reach in (0, 2)
    )
    assert without.evidence == with_them.evidence
    shown = present.search_object(with_them)["results"][0]
    plain = present.search_object(without)["results"][0]
    assert shown["text"] == plain["text"]
    assert "before" in shown
    assert "before" not in plain


@pytest.mark.parametrize("neighbours", [-1, 3])
def test_another_number_of_neighbours_is_refused(reader: Reader, neighbours: int) -> None:
    with pytest.raises(QueryError, match=str(neighbours)):
        reader.search("engine", neighbours=neighbours)
