"""What a transaction leaves in the full text: all that it wrote once it is kept, otherwise nothing.

Full-text rows are written at the end of a transaction, and what becomes of the log comes after it.
"""

import logging
from pathlib import Path

import pytest

from gdrive_rag_mcp.domain import EVERYTHING, Filters
from gdrive_rag_mcp.errors import DiskFullError
from gdrive_rag_mcp.store import Store, write_ahead
from gdrive_rag_mcp.terms import query_terms
from gdrive_rag_mcp.testing.hand_written import HandWritten, found_by_words


def rows_that_know(store: Store, word: str) -> int:
    """How many full-text rows hold a word, whether or not they are a chunk's."""
    with store.reading():
        [term] = store.index.statistics(query_terms(word), EVERYTHING, Filters()).terms
        matches = store.index.search_text((term,), EVERYTHING, Filters(), 99)
    assert len(matches) == term.chunks
    return term.chunks


def documents_of(store: Store, word: str) -> set[str]:
    return {hit.document_id for hit in found_by_words(store, word)}


def assert_a_row_a_chunk(store: Store) -> None:
    connection = store._connection
    rows = connection.execute("SELECT id FROM text_g1_docsize ORDER BY id").fetchall()
    assert rows == connection.execute("SELECT num FROM chunks ORDER BY num").fetchall()


def put_delete_and_fail(store: Store, hand: HandWritten) -> None:
    with store.transaction():
        hand.put("b", "sabbatical", "sabbatical", "sabbatical")
        hand.delete("a")
        raise InterruptedError


def test_a_transaction_that_is_rolled_back_leaves_the_full_text_as_it_was(
    store: Store, hand: HandWritten
) -> None:
    hand.put("a", "leave")
    with pytest.raises(InterruptedError):
        put_delete_and_fail(store, hand)

    hand.put("c", "okapi")  # takes the first number that b had

    with Store.open_for_reading(store.path) as reader:
        assert rows_that_know(reader, "sabbatical") == 0
        assert documents_of(reader, "okapi") == {"c"}
        assert documents_of(reader, "leave") == {"a"}
    assert_a_row_a_chunk(store)


@pytest.mark.parametrize("searched", [False, True], ids=["unseen", "searched meanwhile"])
def test_a_rehearsal_leaves_the_full_text_as_it_was(
    store: Store, hand: HandWritten, *, searched: bool
) -> None:
    hand.put("a", "leave")
    with store.rehearsal():
        hand.put("b", "sabbatical", "sabbatical", "sabbatical")
        hand.delete("a")
        if searched:
            assert rows_that_know(store, "sabbatical") == 3
            assert rows_that_know(store, "leave") == 0

    hand.put("c", "okapi")

    assert rows_that_know(store, "sabbatical") == 0
    assert documents_of(store, "okapi") == {"c"}
    assert documents_of(store, "leave") == {"a"}
    assert_a_row_a_chunk(store)


def test_a_transaction_within_another_leaves_its_text_to_the_outer_one(
    store: Store, hand: HandWritten
) -> None:
    hand.put("before", "cedar")
    with Store.open_for_reading(store.path) as reader:
        with store.transaction():
            hand.put("a", "leave")
            hand.put("b", "leave")
            assert rows_that_know(reader, "leave") == 0
            assert rows_that_know(store, "leave") == 2, "its own writer sees it"
            hand.put("b", "okapi")
        assert (rows_that_know(reader, "leave"), rows_that_know(reader, "okapi")) == (1, 1)
    assert_a_row_a_chunk(store)


@pytest.mark.parametrize("how", ["TRUNCATE", "PASSIVE"])
def test_a_log_that_cannot_be_written_back_neither_undoes_nor_fails_the_commit(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    how: str,
) -> None:
    tried: list[str] = []

    def no_room(_connection: object, how: str, _busy_milliseconds: int) -> None:
        tried.append(how)
        raise DiskFullError("no room left on the disk")

    monkeypatch.setattr(write_ahead, "MOST_BYTES", 1 if how == "TRUNCATE" else 2**40)
    monkeypatch.setattr(write_ahead, "_WRITTEN_BACK_BYTES", 1)
    # A full disk cannot be had here without a file system of its own.
    monkeypatch.setattr(write_ahead, "checkpoint", no_room)
    with Store.open_for_writing(tmp_path / "index.db") as store:
        hand = HandWritten(store)
        for name in "ab":
            tried.clear()
            caplog.clear()
            with caplog.at_level(logging.WARNING):
                hand.put(name, "leave")
            assert tried == [how]
            assert "could not be written back: no room left on the disk" in caplog.text
            with Store.open_for_reading(store.path) as reader:
                assert name in documents_of(reader, "leave")
    with Store.open_for_reading(tmp_path / "index.db") as reader:
        assert documents_of(reader, "leave") == {"a", "b"}
