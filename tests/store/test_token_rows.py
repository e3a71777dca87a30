"""Token vectors beside the vectors of texts: who has them, who lacks them, and when they go."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from gdrive_rag_mcp.domain import EVERYTHING
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.hand_written import HandWritten
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder
from gdrive_rag_mcp.testing.token_embedder import HashingTokenEmbedder

EMBEDDER = HashingTokenEmbedder(64)
PROJECTION = 7
NOW = datetime(2026, 6, 1, tzinfo=UTC)


def attach(store: Store, embedder: HashingTokenEmbedder, *, tokens: bool = True) -> None:
    """Embed all that waits for a vector, with or without token vectors."""
    with store.transaction():
        store.catalog.accept_embedding(embedder.identity)
    waiting = store.index.without_vector(0, 1000)
    made = embedder.embed_with_tokens([c.embedded_text for _, c in waiting], role="document")
    store.index.attach_vectors(
        [number for number, _ in waiting],
        [chunk.hash for _, chunk in waiting],
        made.vectors,
        made.tokens if tokens else None,
    )


def chunks(store: Store) -> list[int]:
    rows = store._connection.execute("SELECT num FROM chunks ORDER BY num").fetchall()
    return [int(str(number)) for (number,) in rows]


def kept(store: Store) -> int:
    [(count,)] = store._connection.execute("SELECT count(*) FROM token_vectors").fetchall()
    return int(str(count))


def fill(store: Store, embedder: HashingTokenEmbedder) -> None:
    gaps = store.index.without_tokens(PROJECTION)
    lacking = gaps.without_vector(0, 1000)
    made = embedder.embed_with_tokens([c.embedded_text for _, c in lacking], role="document")
    gaps.attach_vectors(
        [n for n, _ in lacking], [c.hash for _, c in lacking], made.vectors, made.tokens
    )
    gaps.settle()


@pytest.fixture
def filled(store: Store, hand: HandWritten) -> Store:
    """Three chunks, of which two read alike."""
    hand.put("a", "leave of the staff", "rent and deposit")
    hand.put("b", "leave of the staff")
    return store


def test_chunks_that_read_alike_share_the_token_vectors_of_their_text(filled: Store) -> None:
    attach(filled, EMBEDDER)

    found = filled.index.token_vectors(chunks(filled), PROJECTION)

    assert (sorted(found), kept(filled)) == (chunks(filled), 2)
    first, _, alike = (found[number] for number in chunks(filled))
    assert (first.rows == alike.rows).all()
    wanted = EMBEDDER.embed_with_tokens(["leave of the staff"], role="document").tokens
    assert wanted
    assert any(np.einsum("w,tw->t", row, first.rows).max() > 0.98 for row in wanted[0].rows)


def test_those_of_another_projection_are_no_hits_and_count_as_missing(filled: Store) -> None:
    attach(filled, HashingTokenEmbedder(64, projection=8))

    assert filled.index.token_vectors(chunks(filled), PROJECTION) == {}
    assert filled.index.without_tokens(PROJECTION).waiting() == 2
    fill(filled, EMBEDDER)
    assert len(filled.index.token_vectors(chunks(filled), PROJECTION)) == 3
    assert kept(filled) == 2, "the former ones have been replaced"


def test_a_text_that_lacks_them_is_listed_once_and_no_more_when_it_has_them(
    filled: Store,
) -> None:
    attach(filled, EMBEDDER, tokens=False)
    gaps = filled.index.without_tokens(PROJECTION)

    listed = gaps.without_vector(0, 10)

    assert [number for number, _ in listed] == chunks(filled)[:2]
    assert gaps.outlook().texts == gaps.waiting() == 2
    assert gaps.outlook().characters == sum(len(c.embedded_text) for _, c in listed)
    assert gaps.without_vector(listed[0][0], 10) == listed[1:]
    fill(filled, EMBEDDER)
    assert (gaps.waiting(), gaps.outlook().texts, gaps.without_vector(0, 10)) == (0, 0, [])


def test_that_none_is_missing_is_known_until_a_text_comes_back_without(
    filled: Store, hand: HandWritten
) -> None:
    attach(filled, EMBEDDER, tokens=False)
    hand.put("a", "rent and deposit")
    filled.index.remove("b")
    fill(filled, EMBEDDER)
    assert filled.index.without_tokens(PROJECTION).waiting() == 0
    assert kept(filled) == 1

    hand.put("b", "leave of the staff")

    assert filled.index.waiting() == 0, "its vector is known"
    assert filled.index.without_tokens(PROJECTION).waiting() == 1


def test_a_text_that_comes_back_with_them_leaves_nothing_to_be_done(
    filled: Store, hand: HandWritten
) -> None:
    attach(filled, EMBEDDER)
    fill(filled, EMBEDDER)
    filled.index.remove("b")
    hand.put("b", "leave of the staff", "rent and deposit")

    assert filled.index.without_tokens(PROJECTION).waiting() == 0
    assert len(filled.index.token_vectors(chunks(filled), PROJECTION)) == 4


def test_they_go_with_the_vector_that_no_chunk_uses_any_more(filled: Store) -> None:
    attach(filled, EMBEDDER)
    filled.index.remove("a")
    filled.tidy(NOW)
    filled.tidy(NOW + timedelta(days=31))

    assert kept(filled) == 1
    assert len(filled.index.token_vectors(chunks(filled), PROJECTION)) == 1


def test_damaged_ones_are_missing_from_the_hits_and_nothing_else(filled: Store) -> None:
    attach(filled, EMBEDDER)
    first, *others = chunks(filled)[:2]
    filled._connection.execute(
        f"""UPDATE token_vectors SET packed = x'00' WHERE vector = (
            SELECT vector FROM chunk_vectors_g1 WHERE chunk = {first})"""
    )

    assert sorted(filled.index.token_vectors(chunks(filled), PROJECTION)) == others


def test_another_embedder_has_none_until_it_makes_them_and_the_way_back_costs_nothing(
    filled: Store,
) -> None:
    attach(filled, EMBEDDER)
    other = HashingEmbedder(32)
    for embedder in (other, EMBEDDER):
        building = filled.building(embedder.identity)
        waiting = building.without_vector(0, 10)
        new = [
            (number, chunk)
            for number, chunk in waiting
            if number not in building.attach_known([number for number, _ in waiting])
        ]
        if new:
            rows = embedder.embed([chunk.embedded_text for _, chunk in new], role="document")
            building.attach_vectors([n for n, _ in new], [c.hash for _, c in new], rows)
        filled.flip(embedder.identity)
        filled.tidy(NOW)
        found = filled.index.token_vectors(chunks(filled), PROJECTION)
        assert len(found) == (0 if embedder is other else 3)
    assert filled.index.without_tokens(PROJECTION).waiting() == 0


def test_a_reader_sees_those_of_its_own_moment_beside_a_writer(
    filled: Store, tmp_path: Path
) -> None:
    attach(filled, EMBEDDER, tokens=False)
    with Store.open_for_reading(filled.path) as reader:
        with reader.reading():
            assert reader.index.token_vectors(chunks(reader), PROJECTION) == {}
            fill(filled, EMBEDDER)
            assert reader.index.token_vectors(chunks(reader), PROJECTION) == {}
        with reader.reading():
            assert len(reader.index.token_vectors(chunks(reader), PROJECTION)) == 3
            assert reader.catalog.status(EVERYTHING).vectors == 3


def test_windows_of_texts_are_found_by_index_however_many_there_are(filled: Store) -> None:
    attach(filled, EMBEDDER, tokens=False)
    lacking = filled.index.without_tokens(PROJECTION)._lacking
    plan = [
        str(row[-1])
        for row in filled._connection.execute(
            f"""EXPLAIN QUERY PLAN SELECT c.num FROM {lacking} l CROSS JOIN chunks c
            ON c.num = l.chunk WHERE l.chunk > 5 ORDER BY l.chunk LIMIT 512"""
        )
    ]

    assert not [step for step in plan if "TEMP B-TREE" in step or "AUTOMATIC" in step], plan
    assert any("COVERING INDEX token_vectors_by_projection" in step for step in plan), plan
    assert any(step.startswith("SEARCH g ") for step in plan), plan
