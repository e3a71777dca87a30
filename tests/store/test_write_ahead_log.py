"""The write-ahead log stays small, whoever reads while much is written."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from gdrive_rag_mcp.domain import EVERYTHING
from gdrive_rag_mcp.store import Store, write_ahead
from gdrive_rag_mcp.testing.hand_written import WRITTEN, HandWritten
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder

EMBEDDER = HashingEmbedder(64)
LIMIT = 2**20
ROUNDS = 60


@pytest.fixture(autouse=True)
def small_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_ahead, "MOST_BYTES", LIMIT)
    monkeypatch.setattr(write_ahead, "_WRITTEN_BACK_BYTES", LIMIT // 4)


def write(store: Store, rounds: int) -> Iterator[int]:
    """Replace large documents, about 200 KB a round; yields how large the log is after each."""
    hand = HandWritten(store)
    log = store.path.with_name(store.path.name + "-wal")
    for round_ in range(rounds):
        hand.put(f"d{round_ % 4}", *(f"part {part} of {round_} " * 60 for part in range(40)))
        hand.embed(EMBEDDER)
        yield log.stat().st_size


def test_a_log_that_nobody_holds_is_emptied_on_the_way(tmp_path: Path) -> None:
    with Store.open_for_writing(tmp_path / "index.db") as store:
        assert max(write(store, ROUNDS)) < 2 * LIMIT


def test_steady_readers_do_not_let_the_log_grow(tmp_path: Path) -> None:
    path, stop, errors, looked = tmp_path / "index.db", threading.Event(), [], [0, 0]
    Store.open_for_writing(path).close()

    def look(place: int) -> None:
        try:
            with Store.open_for_reading(path) as reader:
                while not stop.is_set():
                    with reader.reading():
                        reader.catalog.status(EVERYTHING)
                        list(reader.ledger.all(EVERYTHING))
                    looked[place] += 1
        except BaseException as error:  # noqa: BLE001 - handed to the thread that judges
            errors.append(error)

    threads = [threading.Thread(target=look, args=(place,)) for place in range(2)]
    for thread in threads:
        thread.start()
    try:
        with Store.open_for_writing(path) as store:
            sizes = list(write(store, ROUNDS))
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert not errors
    assert min(looked) > ROUNDS
    assert max(sizes) < 2 * LIMIT


def test_a_reader_that_stays_holds_the_log_up_but_not_the_writer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_ahead, "_PATIENCE_MILLISECONDS", 10)
    path = tmp_path / "index.db"
    with Store.open_for_writing(path) as store, Store.open_for_reading(path) as reader:
        with reader.reading():
            before = reader.catalog.status(EVERYTHING)
            held = list(write(store, ROUNDS))
            assert reader.catalog.status(EVERYTHING) == before
        assert max(held) > 2 * LIMIT, "nothing may be taken away from under the reader"
        assert max(write(store, 20)) < max(held) + LIMIT, "its room is used again"
        with reader.reading():
            assert reader.catalog.status(EVERYTHING) == store.catalog.status(EVERYTHING)


def test_the_log_of_an_index_that_was_tidied_is_empty(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    with Store.open_for_writing(path) as store:
        list(write(store, 3))
        store.tidy(WRITTEN)
        assert not path.with_name("index.db-wal").stat().st_size
