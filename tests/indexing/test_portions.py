"""Small documents are kept together; each of them whole, or not at all."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from gdrive_rag_mcp.domain import EVERYTHING, Fetched, SourceFile
from gdrive_rag_mcp.indexing.fetching import SMALL_BYTES
from gdrive_rag_mcp.indexing.portions import MOST_DOCUMENTS, Portions
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.hand_written import HandWritten, found_by_words
from tests.indexing.desk import Desk, fill


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open_for_writing(tmp_path / "index.db") as opened:
        yield opened


def kept(store: Store) -> int:
    """How many documents another process sees."""
    with Store.open_for_reading(store.path) as reader, reader.reading():
        return reader.catalog.status(EVERYTHING).documents


def found(store: Store) -> int:
    """How many chunks a word of all of them finds."""
    return len(found_by_words(store, "text", limit=2 * MOST_DOCUMENTS))


def test_documents_that_come_fast_are_kept_some_at_a_time_and_the_rest_at_the_end(
    store: Store,
) -> None:
    hand, seen = HandWritten(store), []
    with Portions(store, Clock()) as portions:
        for number in range(MOST_DOCUMENTS + 3):
            with portions.document(1):
                hand.put(f"d{number}", "one text")
            seen.append(kept(store))
    assert set(seen) == {0, MOST_DOCUMENTS}
    assert kept(store) == MOST_DOCUMENTS + 3
    assert found(store) == MOST_DOCUMENTS + 3


@pytest.mark.parametrize(("seconds", "chunks"), [(0.06, 1), (0.0, 2_000)])
def test_a_document_that_took_long_or_is_long_is_kept_at_once(
    store: Store, seconds: float, chunks: int
) -> None:
    hand, clock = HandWritten(store), Clock()
    with Portions(store, clock) as portions:
        for number in range(3):
            clock.now += seconds
            with portions.document(chunks):
                hand.put(f"d{number}", "one text")
            assert kept(store) == number + 1


def test_what_waits_is_kept_when_its_time_is_over(store: Store) -> None:
    hand, clock = HandWritten(store), Clock()
    with Portions(store, clock) as portions:
        for number in range(9):
            clock.now += 0.04
            with portions.document(1):
                hand.put(f"d{number}", "one text")
        assert 0 < kept(store) < 9


def test_what_keeping_takes_does_not_make_the_next_document_a_slow_one(store: Store) -> None:
    hand, clock = HandWritten(store), Clock()

    def keeping(_: object, __: str, pages: int) -> int:
        clock.now += 10
        return 0

    store._connection.set_wal_hook(keeping)
    with Portions(store, clock) as portions:
        for number in range(MOST_DOCUMENTS + 1):
            with portions.document(1):
                hand.put(f"d{number}", "one text")
        assert kept(store) == MOST_DOCUMENTS


@pytest.mark.parametrize("error", [ValueError("odd"), KeyboardInterrupt()])
def test_a_document_that_fails_halfway_leaves_nothing_and_takes_its_portion_with_it(
    store: Store, error: BaseException
) -> None:
    hand = HandWritten(store)

    def write() -> None:
        with Portions(store, Clock()) as portions:
            for number in range(MOST_DOCUMENTS + 2):
                with portions.document(1):
                    hand.put(f"d{number}", "one text")
            with portions.document(1):
                hand.put("half", "one text")
                raise error

    with pytest.raises(type(error)):
        write()
    assert kept(store) == MOST_DOCUMENTS
    assert found(store) == MOST_DOCUMENTS
    hand.put("later", "one text")
    assert found(store) == MOST_DOCUMENTS + 1


def test_what_is_whole_is_kept_where_the_run_ends_between_two_documents(store: Store) -> None:
    hand = HandWritten(store)

    def write() -> None:
        with Portions(store, Clock()) as portions:
            for number in range(5):
                with portions.document(1):
                    hand.put(f"d{number}", "one text")
            raise RuntimeError("the source is gone")

    with pytest.raises(RuntimeError):
        write()
    assert kept(store) == 5


def test_what_is_read_can_be_found_while_a_large_file_is_on_its_way(desk: Desk) -> None:
    fill(desk, 3)
    desk.source.add_file("z.md", b"x " * SMALL_BYTES)
    original, seen = desk.source.read, list[int]()

    def read(file: SourceFile, into: Path) -> Fetched:
        if file.name == "z.md":
            seen.append(len(desk.find("sabbatical")))
        return original(file, into)

    desk.source.read = read  # type: ignore[method-assign]  # to look while it is read
    desk.sync()
    assert seen == [3]
