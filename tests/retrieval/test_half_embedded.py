"""Searching an index of which only a part has vectors, as while a first sync is embedding."""

from pathlib import Path

from gdrive_rag_mcp.chunking.structural import StructuralChunker
from gdrive_rag_mcp.domain import Mode, Query
from gdrive_rag_mcp.retrieval import Retriever
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder
from gdrive_rag_mcp.testing.small_index import fill_index, plain_document

QUESTION = "What notice period has the workshop in Ulm?"


def test_a_passage_that_waits_for_its_vector_is_not_outranked_by_all_that_have_one(
    tmp_path: Path,
) -> None:
    path, chunker = tmp_path / "index.db", StructuralChunker(300, 40)
    texts = (f"The notice of the workshop in town {number} is on the door." for number in range(40))
    embedded = ((f"other-{number}", plain_document(text)) for number, text in enumerate(texts))
    fill_index(path, embedded, chunker, HashingEmbedder())
    late = plain_document("The notice period of the workshop in Ulm is four months.")
    fill_index(path, [("late", late)], chunker, None)

    with Store.open_for_reading(path) as store:
        found = Retriever(store.index, HashingEmbedder(), Mode.HYBRID).retrieve(Query(QUESTION))

    assert found.statistics.vectorless_chunks == 1
    assert found.mode is Mode.HYBRID
    assert found.hits[0].passage.document_id == "late"
    assert found.hits[0].cosine is None
