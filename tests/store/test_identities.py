"""Two embedders' vectors are never mixed, and an index says whose it holds."""

import pytest

from gdrive_rag_mcp.domain import EVERYTHING
from gdrive_rag_mcp.errors import IndexCorruptError, ReindexRequiredError
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.hand_written import HandWritten, found_by_vector, identity
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder

ONE, OTHER = identity(8, "one"), identity(16, "other")


def test_a_new_index_takes_the_first_embedder_and_keeps_it(store: Store) -> None:
    assert store.catalog.embedding_identity is None
    store.catalog.accept_embedding(ONE)
    store.catalog.accept_embedding(ONE)
    with Store.open_for_reading(store.path) as reader:
        assert reader.catalog.embedding_identity == ONE
        assert reader.catalog.status(EVERYTHING).embedding == ONE


@pytest.mark.parametrize("method", ["accept_embedding", "require_same_embedding"])
def test_another_embedder_is_refused_by_both_names(store: Store, method: str) -> None:
    store.catalog.accept_embedding(ONE)
    with pytest.raises(ReindexRequiredError) as caught:
        getattr(store.catalog, method)(OTHER)
    for named in ("made one", "made other", "8 dimensions", "16 dimensions", "one-8", "other-16"):
        assert named in caught.value.message
    assert "reindex --yes" in caught.value.hint
    assert store.catalog.embedding_identity == ONE


def test_an_index_with_vectors_may_be_written_without_an_embedder(store: Store) -> None:
    store.catalog.accept_embedding(ONE)
    store.catalog.accept_embedding(None)
    assert store.catalog.embedding_identity == ONE
    with pytest.raises(ReindexRequiredError):
        store.catalog.accept_embedding(OTHER)


def test_a_keyword_index_takes_an_embedder_when_there_is_one(
    store: Store, hand: HandWritten
) -> None:
    hand.put("a", "sabbatical", "leave")
    assert store.catalog.embedding_identity is None
    assert store.index.waiting() == 2
    embedder = HashingEmbedder(16)
    hand.embed(embedder)
    assert store.catalog.embedding_identity == embedder.identity
    assert store.index.waiting() == 0
    vector = embedder.embed(["sabbatical"], role="query")[0]
    assert found_by_vector(store, vector)[0][0].startswith("a:0:")


def test_chunks_that_nobody_signed_for_are_not_trusted(store: Store, hand: HandWritten) -> None:
    hand.put("a", "sabbatical")
    store._connection.execute("DELETE FROM meta WHERE key = 'embedding'")
    for embedder in (ONE, None):
        with pytest.raises(IndexCorruptError, match="no embedding identity"):
            store.catalog.accept_embedding(embedder)


def test_the_small_facts_are_kept(store: Store) -> None:
    catalog = store.catalog
    assert (catalog.root, catalog.cursor, catalog.chunking_identity, catalog.last_sync) == (
        None,
        None,
        None,
        None,
    )
    catalog.root, catalog.cursor, catalog.chunking_identity = "folder:/x", "page 7", "c/1"
    with Store.open_for_reading(store.path) as reader:
        seen = reader.catalog
        assert (seen.root, seen.cursor, seen.chunking_identity) == ("folder:/x", "page 7", "c/1")
    catalog.cursor = None
    assert catalog.cursor is None
