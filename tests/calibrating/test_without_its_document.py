"""Without a document is what an index is that never had it; and afterwards all is as before."""

from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from gdrive_rag_mcp.domain import Mode, Query, Retrieved
from gdrive_rag_mcp.evidence.measuring import measure
from gdrive_rag_mcp.evidence.reading import read
from gdrive_rag_mcp.protocols import Embedder
from gdrive_rag_mcp.retrieval import Retriever
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.token_embedder import HashingTokenEmbedder
from tests.calibrating.shelf import fill, made

EMBEDDER = HashingTokenEmbedder(64)
GONE = 5
ASKED = " ".join(made(GONE).text.split()[:9])
QUESTIONS = (ASKED, "The of with?", f'"{" ".join(made(GONE).text.split()[:3])}" and KX-4711?')


def seen(retrieved: Retrieved) -> object:
    """All that a verdict may go by, but for private numbers."""
    return (
        [
            (hit.passage.chunk_id, hit.rank, hit.score, hit.keyword_rank, hit.vector_rank)
            for hit in retrieved.hits
        ],
        [(hit.bm25, hit.cosine) for hit in retrieved.hits],
        [hit.tokens.rows.tobytes() if hit.tokens else None for hit in retrieved.hits],
        retrieved.statistics,
    )


def retrieve(store: Store, question: str, embedder: Embedder | None = EMBEDDER) -> Retrieved:
    mode = Mode.HYBRID if embedder else Mode.KEYWORD
    return Retriever(store.index, embedder, mode).retrieve(Query(question))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "index.db"
    fill(path, range(30), EMBEDDER)
    return path


@pytest.fixture(scope="module")
def lacking(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("lacking") / "index.db"
    fill(path, (number for number in range(30) if number != GONE), EMBEDDER)
    return path


@pytest.mark.parametrize("question", QUESTIONS)
def test_it_is_what_an_index_without_the_document_is(
    whole: Path, lacking: Path, question: str
) -> None:
    with Store.open_for_writing(whole) as store, Store.open_for_reading(lacking) as other:
        before = seen(retrieve(store, question))
        with store.without(f"d{GONE}"):
            absent = retrieve(store, question)
        expected = retrieve(other, question)
        assert seen(absent) == seen(expected)
        assert measure(read(absent)) == pytest.approx(measure(read(expected)), nan_ok=True)
        assert seen(retrieve(store, question)) == before


def test_nothing_of_it_reaches_anybody_else(whole: Path) -> None:
    with Store.open_for_writing(whole) as store, Store.open_for_reading(whole) as reader:
        before = seen(retrieve(reader, ASKED))
        with store.without(f"d{GONE}"):
            assert seen(retrieve(reader, ASKED)) == before
        assert seen(retrieve(reader, ASKED)) == before
    check = apsw.Connection(str(whole)).execute("PRAGMA integrity_check").fetchall()
    assert check == [("ok",)]


def test_whatever_happens_meanwhile_nothing_has_changed(whole: Path) -> None:
    class Killed(BaseException):
        pass

    def killed(store: Store) -> None:
        with store.without(f"d{GONE}"):
            raise Killed

    with Store.open_for_writing(whole) as store:
        before = seen(retrieve(store, ASKED))
        with pytest.raises(Killed):
            killed(store)
        assert seen(retrieve(store, ASKED)) == before


def test_it_is_the_same_where_the_vectors_are_searched_in_memory(
    whole: Path, lacking: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usable: Callable[[object], bool] = lambda _: False  # noqa: E731 - as where sqlite-vec has no build
    monkeypatch.setattr("gdrive_rag_mcp.store.disk_vectors.DiskVectors.usable", property(usable))
    with Store.open_for_writing(whole) as store, Store.open_for_reading(lacking) as other:
        for number in (GONE, 7, GONE):
            question = " ".join(made(number).text.split()[:9])
            before = seen(retrieve(store, question))
            with store.without(f"d{number}"):
                absent = seen(retrieve(store, question))
            assert seen(retrieve(store, question)) == before
            assert absent != before
        assert absent == seen(retrieve(other, ASKED))
