"""A matrix that is loaded beside the searches: none waits for it, and all find the same."""

import logging
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import apsw
import numpy as np
import pytest

from gdrive_rag_mcp.domain import EVERYTHING
from gdrive_rag_mcp.errors import StoreError
from gdrive_rag_mcp.store import MatrixLoader, Store, resident_vectors, vector_matrix
from gdrive_rag_mcp.store.connection import connect_for_reading
from gdrive_rag_mcp.store.vector_matrix import VectorMatrix
from gdrive_rag_mcp.testing.hand_written import WRITTEN, HandWritten, found_by_vector
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder

EMBEDDER, OTHER = HashingEmbedder(32), HashingEmbedder(48)
QUESTION = EMBEDDER.embed(["sabbatical leave"], role="query")[0]


class HeldUp:
    """Opens connections for a loader, but only when it is let go."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.let_go = threading.Event()
        self.opened = 0

    def __call__(self) -> apsw.Connection:
        assert self.let_go.wait(60)
        self.opened += 1
        return connect_for_reading(self._path)[0]


@pytest.fixture
def filled(store: Store, hand: HandWritten) -> HandWritten:
    for number in range(20):
        hand.put(f"d{number}", *(f"sabbatical {number} leave {part}" for part in range(5)))
    hand.embed(EMBEDDER)
    return hand


@pytest.fixture
def held_up(store: Store, filled: HandWritten) -> Iterator[HeldUp]:
    opening = HeldUp(store.path)
    yield opening
    opening.let_go.set()


def loaded(loader: MatrixLoader) -> None:
    """Wait for a loader to have done what it was asked for."""
    thread = loader._thread
    assert thread is not None
    thread.join(60)
    assert not thread.is_alive()


def held(matrix: VectorMatrix, store: Store) -> set[int] | None:
    """The chunks that memory tells a reader of; None where it cannot tell."""
    generation = store.catalog.status(EVERYTHING).generation
    with store.reading():
        parts = matrix.parts(store._connection, generation, wait=False)
    if parts is None:
        return None
    chunks = [p.chunks if p.alive is None else p.chunks[p.alive] for p in parts]
    return set(np.concatenate([np.zeros(0, np.int64), *chunks]).tolist())


def numbers(store: Store) -> set[int]:
    return {n for (n,) in store._connection.execute("SELECT num FROM chunks")}


def test_a_search_does_not_wait_for_the_matrix_and_finds_what_it_finds_afterwards(
    store: Store, held_up: HeldUp
) -> None:
    loader = MatrixLoader(held_up)
    with Store.open_for_reading(store.path, matrix=loader.matrix) as reader:
        before = found_by_vector(reader, QUESTION)  # would never return if it waited
        assert len(before) == 50
        assert not held_up.opened
        held_up.let_go.set()
        loaded(loader)
        assert held(loader.matrix, reader) == numbers(store)
        after = found_by_vector(reader, QUESTION)
    assert [chunk for chunk, _ in after] == [chunk for chunk, _ in before]
    assert np.allclose([c for _, c in after], [c for _, c in before], atol=1e-6)


def test_many_searches_at_once_load_it_once(store: Store, held_up: HeldUp) -> None:
    loader = MatrixLoader(held_up)

    def search() -> None:
        with Store.open_for_reading(store.path, matrix=loader.matrix) as reader:
            assert len(found_by_vector(reader, QUESTION)) == 50

    threads = [threading.Thread(target=search) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    held_up.let_go.set()
    loaded(loader)
    assert held_up.opened == 1


def test_what_is_written_while_it_loads_is_in_it_when_it_is_loaded(
    store: Store, filled: HandWritten, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_matrix, "_PIECE", 10)
    rounds = iter(range(1000))
    piece = vector_matrix.piece

    def and_write(
        connection: apsw.Connection, generation: int, after: int
    ) -> list[vector_matrix.FoundRow]:
        found = piece(connection, generation, after)
        number = next(rounds)
        if number < 30:
            filled.put(f"d{number % 20}", *(f"sabbatical, round {number} {p}" for p in range(4)))
            filled.delete(f"d{(number + 7) % 20}")
            filled.embed(EMBEDDER)
        return found

    monkeypatch.setattr("gdrive_rag_mcp.store.matrix_loading.piece", and_write)
    loader = resident_vectors(store.path)
    with Store.open_for_reading(store.path, matrix=loader.matrix) as reader:
        found_by_vector(reader, QUESTION)
        loaded(loader)
        assert next(rounds) > 5
        assert held(loader.matrix, reader) == numbers(store)
        in_memory = found_by_vector(reader, QUESTION)
    assert [chunk for chunk, _ in in_memory] == [c for c, _ in found_by_vector(store, QUESTION)]


def test_a_reader_of_a_state_amid_the_loading_is_not_served_from_memory(
    store: Store, filled: HandWritten, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_matrix, "_PIECE", 10)
    piece = vector_matrix.piece
    pieces: list[int] = []
    with ExitStack() as opened:
        amid = opened.enter_context(Store.open_for_reading(store.path))

        def and_write(
            connection: apsw.Connection, generation: int, after: int
        ) -> list[vector_matrix.FoundRow]:
            found = piece(connection, generation, after)
            pieces.append(len(found))
            if len(pieces) == 2:
                filled.delete("d1")
            elif len(pieces) == 3:
                opened.enter_context(amid.reading())
                filled.delete("d19")  # which no piece has come to by now
                filled.put("new", "sabbatical leave, new")
                filled.embed(EMBEDDER)
            return found

        monkeypatch.setattr("gdrive_rag_mcp.store.matrix_loading.piece", and_write)
        loader = resident_vectors(store.path)
        with Store.open_for_reading(store.path, matrix=loader.matrix) as reader:
            found_by_vector(reader, QUESTION)
            loaded(loader)
            assert len(pieces) > 5
            assert held(loader.matrix, reader) == numbers(store)
        assert len(numbers(amid)) == 95
        assert len(numbers(amid) - numbers(store)) == 5
        assert held(loader.matrix, amid) is None


def test_a_flip_while_it_loads_has_the_new_generation_loaded(
    store: Store, filled: HandWritten, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_matrix, "_PIECE", 10)
    building = store.building(OTHER.identity)
    waiting = building.without_vector(0, 1000)
    rows = OTHER.embed([chunk.embedded_text for _, chunk in waiting], role="document")
    building.attach_vectors([n for n, _ in waiting], [c.hash for _, c in waiting], rows)
    piece = vector_matrix.piece
    asked: list[int] = []

    def and_flip(
        connection: apsw.Connection, generation: int, after: int
    ) -> list[vector_matrix.FoundRow]:
        asked.append(generation)
        if len(asked) == 3:
            store.flip(OTHER.identity)
            store.tidy(WRITTEN)
        return piece(connection, generation, after)

    monkeypatch.setattr("gdrive_rag_mcp.store.matrix_loading.piece", and_flip)
    loader = resident_vectors(store.path)
    with Store.open_for_reading(store.path, matrix=loader.matrix) as reader:
        found_by_vector(reader, QUESTION)
        loaded(loader)
        assert set(asked) == {1, 2}
        assert held(loader.matrix, reader) == numbers(store)
        question = OTHER.embed(["sabbatical leave"], role="query")[0]
        assert len(found_by_vector(reader, question)) == 50


def test_a_reader_far_behind_is_not_made_to_catch_up(
    store: Store, filled: HandWritten, monkeypatch: pytest.MonkeyPatch
) -> None:
    loader = resident_vectors(store.path)
    with Store.open_for_reading(store.path, matrix=loader.matrix) as reader:
        found_by_vector(reader, QUESTION)
        loaded(loader)
        monkeypatch.setattr(vector_matrix, "_REPLAYED_AT_ONCE", 8)
        filled.put("new", "sabbatical leave, new")
        filled.embed(EMBEDDER)
        assert held(loader.matrix, reader) == numbers(store), "a little is worked off at once"
        for number in range(20):
            filled.put(f"d{number}", *(f"sabbatical again {number} {part}" for part in range(4)))
        filled.embed(EMBEDDER)
        assert held(loader.matrix, reader) is None
        loaded(loader)
        assert held(loader.matrix, reader) == numbers(store)


def test_vectors_that_cannot_be_loaded_are_searched_on_disk_and_tried_again(
    store: Store, filled: HandWritten, caplog: pytest.LogCaptureFixture
) -> None:
    attempts: list[str] = []

    def fails_once() -> apsw.Connection:
        attempts.append("")
        if len(attempts) == 1:
            raise StoreError("the disk is away")
        return connect_for_reading(store.path)[0]

    loader = MatrixLoader(fails_once)
    with (
        Store.open_for_reading(store.path, matrix=loader.matrix) as reader,
        caplog.at_level(logging.WARNING),
    ):
        assert len(found_by_vector(reader, QUESTION)) == 50
        loaded(loader)
        assert "the disk is away" in caplog.text
        assert len(found_by_vector(reader, QUESTION)) == 50
        loaded(loader)
        assert held(loader.matrix, reader) == numbers(store)


def test_a_loader_that_is_closed_loads_nothing_more(store: Store, held_up: HeldUp) -> None:
    loader = MatrixLoader(held_up)
    held_up.let_go.set()
    loader.close()
    with Store.open_for_reading(store.path, matrix=loader.matrix) as reader:
        assert len(found_by_vector(reader, QUESTION)) == 50
    assert not held_up.opened
