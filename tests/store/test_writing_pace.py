"""FTS5 is told how to write, in new indexes and in those that were made before it was."""

import pytest

from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.hand_written import HandWritten, found_by_words

_TOLD = "SELECT k, v FROM text_g1_config WHERE k IN ('hashsize', 'automerge') ORDER BY k"


def told(store: Store) -> list[tuple[object, ...]]:
    return store._connection.execute(_TOLD).fetchall()


def test_an_index_is_told_once_and_keeps_it(store: Store, hand: HandWritten) -> None:
    hand.put("a", "leave")
    first = told(store)
    with Store.open_for_writing(store.path) as other:
        changes = other._connection.total_changes()
        HandWritten(other).delete("a")
        kept = told(other)
        assert other._connection.total_changes() > changes
    assert first == kept
    assert [name for name, _ in first] == ["automerge", "hashsize"]


def test_an_index_that_was_written_otherwise_is_told_with_its_next_document(
    store: Store, hand: HandWritten
) -> None:
    hand.put("a", "leave")
    expected = told(store)
    store._connection.execute("INSERT INTO text_g1 (text_g1, rank) VALUES ('automerge', 2)")
    store._connection.execute("DELETE FROM text_g1_config WHERE k = 'hashsize'")
    with Store.open_for_writing(store.path) as other:
        assert told(other) != expected
        HandWritten(other).put("b", "leave")
        assert told(other) == expected
        assert {hit.document_id for hit in found_by_words(other, "leave")} == {"a", "b"}


def test_what_a_transaction_that_is_rolled_back_told_is_told_again(
    store: Store, hand: HandWritten
) -> None:
    def write_and_fail() -> None:
        with store.transaction():
            hand.put("a", "leave")
            found_by_words(store, "leave")  # which writes what was taken in so far
            assert told(store)
            raise InterruptedError

    with pytest.raises(InterruptedError):
        write_and_fail()
    assert not told(store)

    hand.put("b", "leave")

    assert told(store)


def test_nothing_is_told_where_nothing_is_written(store: Store) -> None:
    assert not found_by_words(store, "leave")
    assert not told(store)
