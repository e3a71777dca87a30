"""Replacing, removing and refiling documents: nothing of the former self stays, nothing else goes.

What is asserted of tables is what makes a torn index: a row here without its row there.
"""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from gdrive_rag_mcp.domain import (
    EVERYTHING,
    ChangePage,
    Document,
    Locator,
    Scope,
    Segment,
    SegmentKind,
)
from gdrive_rag_mcp.errors import DocumentNotFoundError
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.hand_written import (
    HandWritten,
    cut,
    found_by_vector,
    found_by_words,
    joined,
    text_file,
)
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder

EMBEDDER = HashingEmbedder(64)


def only(item_id: str) -> Scope:
    return Scope(frozenset({item_id}))


def numbers(store: Store, statement: str) -> set[int]:
    return {number for (number,) in store._connection.execute(statement)}


def assert_in_step(store: Store) -> None:
    """Every chunk has one full-text row and, with a vector, one row in vec0; and nothing more."""
    chunks = numbers(store, "SELECT num FROM chunks")
    with_vector = numbers(store, "SELECT chunk FROM chunk_vectors_g1")
    assert numbers(store, "SELECT id FROM text_g1_docsize") == chunks
    if store.catalog.status(EVERYTHING).vectors:
        assert numbers(store, "SELECT rowid FROM vec_g1") == with_vector
    store._connection.execute("INSERT INTO text_g1 (text_g1) VALUES ('integrity-check')")
    assert store._connection.pragma("integrity_check") == "ok"
    assert not store._connection.execute("PRAGMA foreign_key_check").fetchall()
    counted = store._connection.execute(
        """SELECT f.id FROM files f WHERE
            chunk_count != (SELECT count(*) FROM chunks c WHERE c.file = f.num) OR
            vector_count != (SELECT count(*) FROM chunks c
                JOIN chunk_vectors_g1 g ON g.chunk = c.num WHERE c.file = f.num)"""
    ).fetchall()
    assert not counted


def test_replacing_again_and_again_leaves_nothing_of_the_former_self(
    store: Store, hand: HandWritten
) -> None:
    for round_ in range(5):
        hand.put("a", *(f"round{round_} paragraph {number}" for number in range(9 - round_)))
        hand.embed(EMBEDDER)
        assert_in_step(store)
    assert not found_by_words(store, "round3")
    assert len(found_by_words(store, "round4")) == 5
    found = found_by_vector(store, EMBEDDER.embed(["round3 paragraph 1"], role="query")[0])
    assert len(found) == 5
    assert store.catalog.status(EVERYTHING).chunks == 5


def test_a_replacement_that_breaks_off_leaves_the_document_as_it_was(
    store: Store, hand: HandWritten
) -> None:
    hand.put("a", "the old text", "and more of it")
    hand.embed(EMBEDDER)
    before = list(store.catalog.chunks("a", EVERYTHING))
    twice = [*cut(["new text"]), *cut(["another first"])]  # two chunks with one ordinal
    with pytest.raises(Exception, match="UNIQUE"):
        store.index.replace("a", joined(["new text"]), twice, chunking="c")
    assert list(store.catalog.chunks("a", EVERYTHING)) == before
    assert [hit.document_id for hit in found_by_words(store, "old")] == ["a"]
    assert not found_by_words(store, "new")
    assert_in_step(store)


def test_a_removed_document_is_found_by_nothing_and_its_line_stays(
    store: Store, hand: HandWritten
) -> None:
    hand.put("a", "sabbatical leave")
    hand.put("b", "sabbatical pay")
    hand.embed(EMBEDDER)
    store.index.remove("a")
    store.index.remove("no such file")
    assert [hit.document_id for hit in found_by_words(store, "sabbatical")] == ["b"]
    vector = EMBEDDER.embed(["sabbatical leave"], role="query")[0]
    assert [chunk.split(":")[0] for chunk, _ in found_by_vector(store, vector)] == ["b"]
    assert store.catalog.document("a", EVERYTHING) is None
    record = store.ledger.get("a", EVERYTHING)
    assert record
    assert (record.chunk_count, record.indexed_at) == (0, None)
    assert_in_step(store)


def test_a_file_that_the_ledger_does_not_know_cannot_be_indexed(store: Store) -> None:
    with pytest.raises(DocumentNotFoundError, match="stranger"):
        store.index.replace("stranger", joined(["text"]), cut(["text"]), chunking="c")


def test_row_numbers_are_never_used_again(store: Store, hand: HandWritten) -> None:
    seen: set[int] = set()
    for round_ in range(4):
        hand.put("a", f"text {round_}", "more")
        fresh = numbers(store, "SELECT num FROM chunks")
        assert not fresh & seen
        seen |= fresh
        if round_ == 2:
            hand.delete("a")


def test_a_rename_and_a_move_rewrite_the_text_rows_alone(store: Store, hand: HandWritten) -> None:
    hand.folder("hr")
    hand.put("a", "sabbatical leave", "six weeks")
    hand.embed(EMBEDDER)
    vectors = numbers(store, "SELECT vector FROM chunk_vectors_g1")
    before = list(store.catalog.chunks("a", EVERYTHING))
    log = store._connection.execute("SELECT count(*) FROM vector_log").fetchone()

    renamed = text_file("a", parents=("hr",), name="Absence.txt", version="1")
    hand.record(ChangePage(files=(renamed,)))
    assert hand.settle() == ["a"]

    assert len(found_by_words(store, "sabbatical", only("hr"))) == 1
    assert len(found_by_words(store, "absence")) == 2
    assert numbers(store, "SELECT vector FROM chunk_vectors_g1") == vectors
    assert store._connection.execute("SELECT count(*) FROM vector_log").fetchone() == log
    after = list(store.catalog.chunks("a", EVERYTHING))
    assert [(at, chunk.chunk_id, chunk.text) for at, chunk in after] == [
        (at, chunk.chunk_id, chunk.text) for at, chunk in before
    ]
    assert {chunk.path for _, chunk in after} == {"hr/Absence.txt"}
    assert hand.settle() == []
    assert_in_step(store)


@pytest.mark.parametrize(("old", "new"), [("Q1/Report", "Q2/Report"), ("a/b", "b"), ("b", "a/b")])
def test_a_rename_is_seen_whatever_the_names_are(
    store: Store, hand: HandWritten, old: str, new: str
) -> None:
    hand.put(text_file("x", name=old), "text")
    hand.record(ChangePage(files=(text_file("x", name=new),)))
    assert hand.settle() == ["x"]
    record = store.ledger.get("x", EVERYTHING)
    assert record
    assert record.path == new


def test_a_renamed_folder_costs_no_rewriting_and_shows_in_paths(
    store: Store, hand: HandWritten
) -> None:
    hand.folder("hr")
    hand.folder("leave", parents=("hr",))
    hand.put("a", "text", parents=("leave",))
    hand.folder("hr", name="People")
    assert hand.settle() == []
    record = store.ledger.get("a", EVERYTHING)
    assert record
    assert record.path == "People/leave/a.txt"


def test_a_moved_folder_takes_what_is_below_it_along(store: Store, hand: HandWritten) -> None:
    for folder in ("from", "to"):
        hand.folder(folder)
    hand.folder("box", parents=("from",))
    hand.put("a", "sabbatical", parents=("box",))
    hand.put("b", "sabbatical", parents=("from",))
    hand.folder("box", parents=("to",))
    assert hand.settle() == []
    found = {
        folder: [hit.document_id for hit in found_by_words(store, "sabbatical", only(folder))]
        for folder in ("from", "to", "box")
    }
    assert found == {"from": ["b"], "to": ["a"], "box": ["a"]}


def test_chunks_have_public_ids_of_document_ordinal_and_content(
    store: Store, hand: HandWritten
) -> None:
    hand.put("a", "one", "two")
    chunks = [chunk for _, chunk in store.catalog.chunks("a", EVERYTHING)]
    assert [chunk.chunk_id for chunk in chunks] == [
        f"a:{chunk.ordinal}:{chunk.hash[:8]}" for chunk in cut(["one", "two"])
    ]


def test_texts_are_cut_where_readers_count_characters(store: Store, hand: HandWritten) -> None:
    texts = ("𠮷野家 with 🙂 and 👩‍👩‍👧", "e\u0301 is é? Ω𝄞 end", "plain")
    hand.put("a", *texts)
    whole = "\n\n".join(texts)
    assert [chunk.text for _, chunk in store.catalog.chunks("a", EVERYTHING)] == list(texts)
    for start, length in ((0, 4), (3, 9), (len(whole) - 2, 50), (len(whole) + 9, 3)):
        part = store.catalog.document("a", EVERYTHING, start, length)
        assert part
        assert (part.text, part.start) == (whole[start : start + length], start)
        assert part.length == len(whole)
    rest = store.catalog.document("a", EVERYTHING, 7)
    assert rest
    assert rest.text == whole[7:]


def test_a_document_comes_back_as_it_was_extracted(store: Store, hand: HandWritten) -> None:
    page = Locator("page", "2", 2, 2, "ii")
    document = Document(
        "Title",
        "Head\nbody 🙂",
        (
            Segment(0, 4, SegmentKind.HEADING, page, ("Head",)),
            Segment(5, 11, SegmentKind.ROW, page, ("Head",), "A; B"),
        ),
        ("page 1: damaged",),
    )
    hand.put("a", "x")
    store.index.replace("a", document, cut(["Head"]), chunking="c")
    assert store.stored_document("a") == document
    assert store.stored_document("b") is None


def test_a_text_that_comes_back_within_a_month_needs_no_new_vector(
    store: Store, hand: HandWritten
) -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    hand.put("a", "sabbatical leave")
    hand.embed(EMBEDDER)
    hand.delete("a")
    store.tidy(now)
    store.tidy(now + timedelta(days=29))
    hand.put("b", "sabbatical leave")
    assert store.index.waiting() == 0
    hand.delete("b")
    store.tidy(now + timedelta(days=31))
    assert numbers(store, "SELECT num FROM vectors"), "its month begins with the last use"
    store.tidy(now + timedelta(days=62))
    assert not numbers(store, "SELECT num FROM vectors")


def test_a_vector_in_use_is_never_dropped(store: Store, hand: HandWritten) -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    hand.put("a", "sabbatical leave")
    hand.put("b", "sabbatical leave")
    hand.embed(EMBEDDER)
    assert len(numbers(store, "SELECT num FROM vectors")) == 1
    hand.delete("a")
    store.tidy(now)
    store.tidy(now + timedelta(days=90))
    vector = EMBEDDER.embed(["sabbatical leave"], role="query")[0]
    assert [chunk.split(":")[0] for chunk, _ in found_by_vector(store, vector)] == ["b"]
    assert_in_step(store)


def test_a_vector_that_comes_too_late_is_not_given_to_another_text(
    store: Store, hand: HandWritten
) -> None:
    hand.store.catalog.accept_embedding(EMBEDDER.identity)
    hand.put("a", "before", "same")
    waiting = store.index.without_vector(0, 10)
    hand.put("a", "after", "same")
    rows = EMBEDDER.embed([chunk.embedded_text for _, chunk in waiting], role="document")
    store.index.attach_vectors(
        [number for number, _ in waiting], [chunk.hash for _, chunk in waiting], rows
    )
    left = [chunk.text for _, chunk in store.index.without_vector(0, 10)]
    assert left[0] == "after"
    assert np.isfinite(rows).all()
    assert_in_step(store)
