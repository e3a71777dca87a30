"""Another embedder's vectors: made beside those in service, put in service, cleared away."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from gdrive_rag_mcp.domain import EVERYTHING, EmbeddingIdentity
from gdrive_rag_mcp.errors import StoreError
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.store.generation import Generation
from gdrive_rag_mcp.testing.hand_written import WRITTEN, HandWritten, found_by_vector
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder

OLD, NEW, THIRD = HashingEmbedder(64), HashingEmbedder(96), HashingEmbedder(32)
QUESTION = "sabbatical leave of the staff"


def embed(generation: Generation, embedder: HashingEmbedder, limit: int = 10_000) -> int:
    """Embed what waits in a generation; returns how many texts that took."""
    waiting = generation.without_vector(0, limit)
    known = generation.attach_known([number for number, _ in waiting])
    new = [(number, chunk) for number, chunk in waiting if number not in known]
    rows = embedder.embed([chunk.embedded_text for _, chunk in new], role="document")
    generation.attach_vectors([n for n, _ in new], [chunk.hash for _, chunk in new], rows)
    return len(new)


def found(store: Store, embedder: HashingEmbedder) -> list[str]:
    vector = embedder.embed([QUESTION], role="query")[0]
    return [chunk for chunk, _ in found_by_vector(store, vector)]


def tables(store: Store) -> set[str]:
    rows = store._connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
    return {str(name) for (name,) in rows if str(name).startswith(("chunk_vectors", "vec_"))}


def vectors_of(store: Store, identity: EmbeddingIdentity) -> int:
    [(count,)] = store._connection.execute(
        "SELECT count(*) FROM vectors v JOIN models m ON m.num = v.model WHERE m.fingerprint = ?",
        (identity.fingerprint,),
    )
    return int(str(count))


@pytest.fixture
def filled(store: Store, hand: HandWritten) -> HandWritten:
    """Ten documents of three chunks, embedded by the old embedder."""
    for number in range(10):
        hand.put(f"d{number}", *(f"sabbatical leave {number} part {part}" for part in range(3)))
    hand.embed(OLD)
    return hand


def test_nothing_that_is_being_built_is_searched_or_counted(
    store: Store, filled: HandWritten
) -> None:
    before, hits = store.catalog.status(EVERYTHING), found(store, OLD)
    building = store.building(NEW.identity)
    assert (building.waiting(), building.outlook().texts) == (30, 30)
    assert embed(building, NEW, limit=20) == 20
    assert (building.waiting(), building.outlook().texts) == (10, 10)
    assert replace(store.catalog.status(EVERYTHING), building=None) == before
    assert found(store, OLD) == hits
    assert store.begun == NEW.identity


def test_what_was_begun_is_gone_on_with_by_the_next_who_opens_the_index(
    store: Store, filled: HandWritten
) -> None:
    embed(store.building(NEW.identity), NEW, limit=20)
    with Store.open_for_writing(store.path) as later:
        assert embed(later.building(NEW.identity), NEW) == 10
        later.flip(NEW.identity)
        assert len(found(later, NEW)) == 30


def test_what_was_begun_for_another_embedder_is_given_up_but_its_vectors_are_kept(
    store: Store, filled: HandWritten
) -> None:
    embed(store.building(THIRD.identity), THIRD, limit=20)
    first = tables(store)
    embed(store.building(NEW.identity), NEW, limit=5)
    assert store.begun == NEW.identity
    assert len(tables(store)) == len(first)
    assert store.building(NEW.identity).waiting() == 25
    assert embed(store.building(THIRD.identity), THIRD) == 10, "20 of the 30 were known"


def test_a_change_to_what_nobody_built_is_refused(store: Store, filled: HandWritten) -> None:
    with pytest.raises(StoreError, match="no vectors"):
        store.flip(NEW.identity)
    store.building(NEW.identity)
    with pytest.raises(StoreError, match="no vectors"):
        store.flip(THIRD.identity)
    assert store.catalog.embedding_identity == OLD.identity
    assert len(found(store, OLD)) == 30


def test_a_flip_writes_next_to_nothing_however_many_chunks_there_are(
    store: Store, filled: HandWritten
) -> None:
    embed(store.building(NEW.identity), NEW)
    before = store._connection.total_changes()
    store.flip(NEW.identity)
    assert store._connection.total_changes() - before <= 4
    assert store.catalog.status(EVERYTHING).vectors == 30
    assert len(found(store, NEW)) == 30


def test_chunks_without_a_new_vector_wait_for_one_after_the_flip_and_are_counted(
    store: Store, filled: HandWritten
) -> None:
    embed(store.building(NEW.identity), NEW, limit=20)
    store.flip(NEW.identity)
    assert store.catalog.status(EVERYTHING).vectors == 20
    assert store.index.waiting() == 10
    filled.embed(NEW)
    assert (store.index.waiting(), len(found(store, NEW))) == (0, 30)


def test_documents_that_change_meanwhile_change_in_what_is_being_built_too(
    store: Store, filled: HandWritten
) -> None:
    embed(store.building(NEW.identity), NEW)
    filled.delete("d1")
    filled.put("d2", "sabbatical leave, rewritten")
    filled.embed(OLD)
    building = store.building(NEW.identity)
    assert building.waiting() == 1
    assert embed(building, NEW) == 1
    store.flip(NEW.identity)
    store.tidy(WRITTEN)
    assert not store._connection.execute("PRAGMA foreign_key_check").fetchall()
    assert len(found(store, NEW)) == 8 * 3 + 1
    assert not [chunk for chunk in found(store, NEW) if chunk.startswith("d1:")]


def test_after_the_flip_the_former_generation_is_cleared_away_and_going_back_costs_nothing(
    store: Store, filled: HandWritten
) -> None:
    embed(store.building(NEW.identity), NEW)
    store.flip(NEW.identity)
    store.tidy(WRITTEN)
    assert {name for name in tables(store) if name.startswith("chunk_vectors")} == {
        "chunk_vectors_g2"
    }
    assert not [name for name in tables(store) if name.startswith("vec_g1")]
    assert embed(store.building(OLD.identity), OLD) == 0
    store.flip(OLD.identity)
    store.tidy(WRITTEN)
    assert store.catalog.status(EVERYTHING).generation == 3
    assert len(found(store, OLD)) == 30


def test_what_a_killed_run_left_behind_is_cleared_away_by_the_next(
    store: Store, filled: HandWritten
) -> None:
    embed(store.building(NEW.identity), NEW)
    store.flip(NEW.identity)  # and no tidying after it
    assert "chunk_vectors_g1" in tables(store)
    with Store.open_for_writing(store.path) as later:
        later.tidy(WRITTEN)
        assert "chunk_vectors_g1" not in tables(later)
        assert "chunk_vectors_g2" in tables(later)


def test_the_former_vectors_go_when_their_time_is_over_and_the_file_shrinks(
    tmp_path: Path,
) -> None:
    with Store.open_for_writing(tmp_path / "index.db") as store:
        hand = HandWritten(store)
        large, small = HashingEmbedder(2048), HashingEmbedder(16)
        for number in range(30):
            hand.put(f"d{number}", *(f"leave {number} part {part}" for part in range(40)))
        hand.embed(large)
        store.tidy(WRITTEN)
        before = store.path.stat().st_size
        embed(store.building(small.identity), small)
        store.flip(small.identity)
        store.tidy(WRITTEN)
        assert vectors_of(store, large.identity) == 1200
        store.tidy(WRITTEN + timedelta(days=29))
        assert vectors_of(store, large.identity) == 1200
        kept = store.path.stat().st_size
        store.tidy(WRITTEN + timedelta(days=31))
        assert vectors_of(store, large.identity) == 0
        after = store.path.stat().st_size
    assert kept < before, "what found them on disk is gone at once"
    assert after < before / 3


def test_former_vectors_that_nobody_wants_to_go_back_to_go_at_once(
    store: Store, filled: HandWritten
) -> None:
    embed(store.building(NEW.identity), NEW)
    store.flip(NEW.identity)
    store.tidy(WRITTEN, unused_kept=timedelta(0))
    assert (vectors_of(store, OLD.identity), vectors_of(store, NEW.identity)) == (0, 30)
    assert len(found(store, NEW)) == 30


def test_an_open_reader_sees_one_generation_whole_in_each_of_its_snapshots(
    store: Store, filled: HandWritten
) -> None:
    embed(store.building(NEW.identity), NEW)
    with Store.open_for_reading(store.path) as reader:
        old_vector = OLD.embed([QUESTION], role="query")[0]
        with reader.reading():
            assert reader.catalog.embedding_identity == OLD.identity
            store.flip(NEW.identity)
            store.tidy(WRITTEN)
            assert len(found_by_vector(reader, old_vector)) == 30
            assert reader.catalog.embedding_identity == OLD.identity
        with reader.reading():
            assert reader.catalog.embedding_identity == NEW.identity
            assert len(found(reader, NEW)) == 30
