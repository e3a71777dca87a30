"""The resident matrix: it follows what other processes write, and each reader sees its own state.

The writers here are processes of their own; the readers are threads, as in a server.
"""

import subprocess
import sys
import threading
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from gdrive_rag_mcp import store as stores
from gdrive_rag_mcp.domain import EVERYTHING, Filters, Passage
from gdrive_rag_mcp.store import Store, VectorMatrix, vector_matrix
from gdrive_rag_mcp.terms import query_terms
from gdrive_rag_mcp.testing.hand_written import WRITTEN, HandWritten, found_by_vector
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder

EMBEDDER = HashingEmbedder(32)
QUESTION = EMBEDDER.embed(["sabbatical leave"], role="query")[0]


def alive(matrix: VectorMatrix, store: Store) -> dict[int, tuple[int, bytes]]:
    """What the matrix tells the reader is there: by chunk, its file and its int8 row."""
    found: dict[int, tuple[int, bytes]] = {}
    parts = matrix.parts(store._connection, 1)
    # A state that the matrix cannot tell is asked of the vectors themselves.
    parts = VectorMatrix().parts(store._connection, 1) if parts is None else parts
    assert parts is not None
    for part in parts:
        for place in range(len(part.chunks)):
            if part.alive is None or part.alive[place]:
                assert int(part.chunks[place]) not in found
                row = part.components[place].tobytes()
                found[int(part.chunks[place])] = (int(part.files[place]), row)
    return found


def change_at_random(hand: HandWritten, draw: np.random.Generator) -> None:
    """Add, replace, delete or bring back a document of some chunks, with or without vectors."""
    for _ in range(int(draw.integers(1, 5))):
        file = f"d{draw.integers(12)}"
        if draw.random() < 0.3:
            hand.delete(file)
        else:
            hand.put(file, *(f"text {draw.integers(40)}" for _ in range(draw.integers(1, 6))))
    if draw.random() < 0.8:
        hand.embed(EMBEDDER)


def test_a_matrix_that_follows_is_one_that_was_loaded_anew(store: Store, hand: HandWritten) -> None:
    draw = np.random.default_rng(4)
    following = VectorMatrix()
    with Store.open_for_reading(store.path, matrix=following) as reader:
        for _ in range(120):
            change_at_random(hand, draw)
            with reader.reading():
                fresh = VectorMatrix()
                assert alive(following, reader) == alive(fresh, reader)


def test_a_matrix_sheds_its_dead_and_survives_a_trimmed_log(
    store: Store, hand: HandWritten, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_matrix, "_FEWEST_DEAD", 8)
    monkeypatch.setattr(stores, "_VECTOR_LOG_KEPT", 5)
    draw = np.random.default_rng(5)
    following = VectorMatrix()
    with Store.open_for_reading(store.path, matrix=following) as reader:
        for round_ in range(80):
            change_at_random(hand, draw)
            if round_ % 7 == 0:
                store.tidy(WRITTEN)
            with reader.reading():
                assert alive(following, reader) == alive(VectorMatrix(), reader)
    [(kept,)] = store._connection.execute("SELECT count(*) FROM vector_log")
    assert kept < 100
    assert sum(map(len, following._segments)) < 100


def test_a_reader_of_a_state_before_the_dead_were_shed_is_not_served_from_memory(
    store: Store, hand: HandWritten, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_matrix, "_FEWEST_DEAD", 2)
    for number in range(10):
        hand.put(f"d{number}", f"text {number}", f"more {number}")
    hand.embed(EMBEDDER)
    shared = VectorMatrix()
    with (
        Store.open_for_reading(store.path, matrix=shared) as behind,
        Store.open_for_reading(store.path, matrix=shared) as ahead,
    ):
        with behind.reading():
            before = alive(shared, behind)
            assert len(before) == 20
            hand.delete("d0")
            with ahead.reading():
                assert len(alive(shared, ahead)) == 18
            assert sum(map(len, shared._segments)) == 20, "those two are not worth shedding"
            assert shared.parts(behind._connection, 1) is not None
            assert alive(shared, behind) == before
            for number in range(1, 5):
                hand.delete(f"d{number}")
            with ahead.reading():
                assert len(alive(shared, ahead)) == 10
            assert sum(map(len, shared._segments)) == 10
            assert shared.parts(behind._connection, 1) is None
            found = [chunk for chunk, _ in found_by_vector(behind, QUESTION)]
            assert len(found) == 20, "the vectors on disk know that state"
        with behind.reading():
            assert alive(shared, behind) == alive(VectorMatrix(), behind)


def test_readers_of_different_states_share_a_matrix(store: Store, hand: HandWritten) -> None:
    draw = np.random.default_rng(6)
    shared = VectorMatrix()
    readers = [Store.open_for_reading(store.path, matrix=shared) for _ in range(6)]
    expected: list[dict[int, tuple[int, bytes]]] = []
    for turn in range(60):
        change_at_random(hand, draw)
        reader = readers[turn % 6]
        with reader.reading():
            alive(shared, reader)
        if turn % 10 == 9:
            opened = []
            expected = []
            for number, other in enumerate(readers):
                change_at_random(hand, draw)
                reading = other.reading()
                reading.__enter__()
                opened.append(reading)
                expected.append(alive(VectorMatrix(), other))
                if number % 2:
                    assert alive(shared, other) == expected[-1]
            for other, before in zip(readers, expected, strict=True):
                assert alive(shared, other) == before
            for reading in opened:
                reading.__exit__(None, None, None)
    assert len({len(state) for state in expected}) > 1
    for reader in readers:
        reader.close()


WRITER = """
import sys
from pathlib import Path
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.hand_written import WRITTEN, HandWritten
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder
with Store.open_for_writing(Path(sys.argv[1])) as store:
    hand = HandWritten(store)
    for round_ in range(int(sys.argv[2])):
        with store.transaction():
            hand.put(f"d{round_ % 8}", *(
                f"sabbatical leave, round {round_}, part {part} of {3 + round_ % 4}"
                for part in range(3 + round_ % 4)
            ))
            hand.embed(HashingEmbedder(32))
"""


def assert_whole(found: list[Passage], count: int) -> None:
    """Every document is there in one of its states, with all of its parts."""
    by_document: dict[str, set[str]] = {}
    for passage in found:
        embedded = sha256(passage.text.encode()).hexdigest()
        assert passage.chunk_id.endswith(embedded[:8])
        by_document.setdefault(passage.document_id, set()).add(passage.text)
    assert len(by_document) == count
    for texts in by_document.values():
        states = {text.split(", ")[1] for text in texts}
        assert len(states) == 1, "two states of one document at once"
        assert len(texts) == int(next(iter(texts)).rsplit(" ", 1)[1])


def search_until(
    path: Path, matrix: VectorMatrix, stop: threading.Event, errors: list[BaseException]
) -> None:
    try:
        with Store.open_for_reading(path, matrix=matrix) as store:
            while not stop.is_set():
                with store.reading():
                    nearest = store.index.search_vectors(QUESTION, EVERYTHING, Filters(), 100)
                    numbers = [match.chunk for match in nearest.matches]
                    passages = store.index.passages(numbers, EVERYTHING)
                    assert len(passages) == len(numbers)
                    statistics = store.index.statistics(
                        query_terms("sabbatical"), EVERYTHING, Filters()
                    )
                    matches = store.index.search_text(statistics.terms, EVERYTHING, Filters(), 100)
                assert_whole(list(passages.values()), 8)
                assert {match.chunk for match in matches} == set(numbers)
                assert statistics.chunks == len(numbers)
    except BaseException as error:  # noqa: BLE001 - handed to the thread that judges
        errors.append(error)


def test_readers_see_whole_documents_while_another_process_writes(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    write(path, 8)
    matrix, stop, errors = VectorMatrix(), threading.Event(), list[BaseException]()
    threads = [
        threading.Thread(target=search_until, args=(path, matrix, stop, errors)) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    try:
        write(path, 250)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    if errors:
        raise errors[0]
    with Store.open_for_reading(path, matrix=matrix) as store, store.reading():
        assert alive(matrix, store) == alive(VectorMatrix(), store)


def write(path: Path, rounds: int) -> None:
    """Let another process replace documents, one after the other."""
    subprocess.run([sys.executable, "-c", WRITER, str(path), str(rounds)], check=True)


def test_a_generation_that_is_flipped_is_loaded_anew(store: Store, hand: HandWritten) -> None:
    hand.put("a", "sabbatical")
    hand.embed(EMBEDDER)
    matrix = VectorMatrix()
    before = matrix.parts(store._connection, 1)
    assert before is not None
    store.building(EMBEDDER.identity)  # generation 2, without any vector yet
    assert matrix.parts(store._connection, 2) == []
    assert matrix.parts(store._connection, 1) is None, "a reader of the former generation"
    assert [len(part.chunks) for part in before] == [1]
