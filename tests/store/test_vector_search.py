"""Search by vectors: vec0 on disk and the matrix in memory rank alike, and as exact cosines do."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gdrive_rag_mcp.domain import EVERYTHING, Filters, Scope, VectorMatches
from gdrive_rag_mcp.store import Store, VectorMatrix
from gdrive_rag_mcp.testing.hand_written import HandWritten, identity, text_file

Rows = npt.NDArray[np.float32]
PDF = Filters("application/pdf")


def unit(rows: npt.NDArray[np.floating]) -> Rows:
    scaled: Rows = (rows / np.linalg.norm(rows, axis=-1, keepdims=True)).astype(np.float32)
    return scaled


def clustered(draw: np.random.Generator, count: int, dimensions: int) -> Rows:
    """Vectors as embeddings lie: clusters of unequal size around a common mean."""
    centres = draw.normal(size=(max(count // 25, 1), dimensions)) + 0.7 * draw.normal(
        size=dimensions
    )
    which = np.minimum(draw.zipf(1.4, size=count) - 1, len(centres) - 1)
    return unit(centres[which] + 0.45 * draw.normal(size=(count, dimensions)))


def fill(store: Store, rows: Rows, *, texts: list[str] | None = None, a_file: int = 7) -> None:
    """Files of `a_file` chunks in two folders, every third a PDF; chunk n has vector n."""
    hand = HandWritten(store)
    hand.folder("odd")
    hand.folder("even")
    names = texts or [f"text {number}" for number in range(len(rows))]
    with store.transaction():
        for file, start in enumerate(range(0, len(rows), a_file)):
            kind = "application/pdf" if file % 3 == 0 else "text/plain"
            parents = ("odd" if file % 2 else "even",)
            listed = text_file(f"file{file}", parents=parents, mime_type=kind)
            hand.put(listed, *names[start : start + a_file])
        store.catalog.accept_embedding(identity(rows.shape[1]))
        hand.attach(dict(zip(names, rows, strict=True)))


def both(path: Path, vector: Rows, scope: Scope, filters: Filters, limit: int) -> VectorMatches:
    """What vec0 finds, having seen that the matrix finds the same."""
    with (
        Store.open_for_reading(path) as disk,
        Store.open_for_reading(path, matrix=VectorMatrix()) as memory,
    ):
        assert disk.catalog.status(EVERYTHING).vector_backend == "vec0"
        assert memory.catalog.status(EVERYTHING).vector_backend == "memory"
        with disk.reading(), memory.reading():
            one = disk.index.search_vectors(vector, scope, filters, limit)
            other = memory.index.search_vectors(vector, scope, filters, limit)
    assert other.matches == one.matches
    if one.background is None:
        assert other.background is None
    else:
        assert other.background
        assert other.background.sample == one.background.sample
        assert other.background.mean == pytest.approx(one.background.mean, abs=0.01)
    return one


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    seed=st.integers(0, 10_000),
    count=st.sampled_from([1, 3, 50, 199, 200, 201, 450, 900]),
    distinct=st.sampled_from([1, 5, 60, 10_000]),
)
def test_disk_and_memory_rank_alike_ties_included(
    tmp_path_factory: pytest.TempPathFactory, seed: int, count: int, distinct: int
) -> None:
    """`distinct` texts in `count` chunks: equal texts share a vector, so that they tie."""
    draw = np.random.default_rng(seed)
    path = tmp_path_factory.mktemp("ranked") / "index.db"
    texts = [f"text {number % distinct}" for number in range(count)]
    rows = clustered(draw, count, 24)[[number % distinct for number in range(count)]]
    with Store.open_for_writing(path) as store:
        fill(store, rows, texts=texts)
    for question in unit(draw.normal(size=(3, 24))):
        for scope in (EVERYTHING, Scope(frozenset({"odd"})), Scope(frozenset({"file0", "x"}))):
            for filters in (Filters(), PDF):
                found = both(path, question, scope, filters, 50)
                cosines = [match.cosine for match in found.matches]
                assert cosines == sorted(cosines, reverse=True)
    best = both(path, rows[0], EVERYTHING, Filters(), 10).matches[0]
    assert best.cosine == pytest.approx(1, abs=2e-3)


def test_among_equal_chunks_the_first_come_first(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    rows = np.repeat(unit(np.eye(8)[:2]), 500, axis=0)
    with Store.open_for_writing(path) as store:
        fill(store, rows, texts=["same"] * 500 + ["other"] * 500)
        [(first,)] = store._connection.execute("SELECT min(num) FROM chunks")
    found = both(path, unit(np.eye(8)[0] * 3 + np.eye(8)[1]), EVERYTHING, Filters(), 300)
    assert [match.chunk for match in found.matches] == list(range(first, first + 300))


def test_what_is_rescored_is_as_good_as_exact_at_5000_by_384(tmp_path: Path) -> None:
    draw = np.random.default_rng(1)
    rows = clustered(draw, 5000, 384)
    path = tmp_path / "index.db"
    with Store.open_for_writing(path) as store:
        fill(store, rows, a_file=50)
    asked = unit(rows[draw.integers(5000, size=60)] + 0.05 * draw.normal(size=(60, 384)))
    matrix, recalled = VectorMatrix(), 0
    with Store.open_for_reading(path, matrix=matrix) as store, store.reading():
        [(first,)] = store._connection.execute("SELECT min(num) FROM chunks")
        for question in asked:
            exact = set((np.argsort(-(rows @ question))[:10] + first).tolist())
            found = store.index.search_vectors(question, EVERYTHING, Filters(), 10).matches
            recalled += len(exact & {match.chunk for match in found})
    assert recalled / 600 >= 0.99


def test_the_background_is_drawn_from_all_parts_of_the_corpus(tmp_path: Path) -> None:
    """Documents of two chunks: were every other number drawn, one kind would be all there is."""
    path = tmp_path / "index.db"
    rows = np.tile(unit(np.eye(4)[:2]), (800, 1))
    with Store.open_for_writing(path) as store:
        fill(store, rows, texts=["heads", "tails"] * 800, a_file=2)
    background = both(path, unit(np.eye(4)[0]), EVERYTHING, Filters(), 5).background
    assert background
    assert 400 < background.sample < 650
    assert background.mean == pytest.approx(0.5, abs=0.08)


def test_an_index_without_vectors_finds_nothing_by_them(tmp_path: Path) -> None:
    with Store.open_for_writing(tmp_path / "index.db") as store:
        HandWritten(store).put("a", "text")
        for opened in (store, Store.open_for_reading(store.path, matrix=VectorMatrix())):
            with opened.reading():
                found = opened.index.search_vectors(unit(np.ones(4)), EVERYTHING, Filters(), 5)
            assert found == VectorMatches(())


def test_more_candidates_than_vec0_can_give_are_not_asked_of_it(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    rows = clustered(np.random.default_rng(2), 600, 16)
    with Store.open_for_writing(path) as store:
        fill(store, rows)
    assert len(both(path, rows[5], EVERYTHING, Filters(), 500).matches) == 500
    with Store.open_for_reading(path) as store, store.reading():
        assert len(store.index.search_vectors(rows[5], EVERYTHING, Filters(), 9000).matches) == 600
