"""A search hands the judge the token vectors of the question and of its best hits."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from gdrive_rag_mcp.app.asking import embedded_question
from gdrive_rag_mcp.chunking.structural import StructuralChunker
from gdrive_rag_mcp.domain import Mode, Query, Retrieved, TokenVectors
from gdrive_rag_mcp.indexing.sync import Synchroniser, SyncOptions
from gdrive_rag_mcp.protocols import Embedder, Pieces
from gdrive_rag_mcp.retrieval import Retriever
from gdrive_rag_mcp.retrieval.ranking import Ranking
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder
from gdrive_rag_mcp.testing.memory_source import InMemorySource
from gdrive_rag_mcp.testing.token_embedder import HashingTokenEmbedder
from tests.indexing.desk import Paragraphs

QUESTION = "When does the lease of the warehouse end?"


@contextmanager
def indexed(folder: Path, files: Mapping[str, str]) -> Iterator[Store]:
    """An index of these files, made with token vectors."""
    source = InMemorySource()
    for name, text in files.items():
        source.add_file(name, text)
    path = folder / "index.db"
    with Store.open_for_writing(path) as made:
        Synchroniser(
            made,
            source,
            Paragraphs(),
            StructuralChunker(300, 40),
            HashingTokenEmbedder(),
            supported=lambda _: True,
            extraction="1",
        ).run(SyncOptions())
    with Store.open_for_reading(path) as opened:
        yield opened


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An index of ten files on a lease."""
    lease = "The lease of warehouse {0} ends in May {0}."
    with indexed(tmp_path, {f"{at}.md": lease.format(at) for at in range(10)}) as opened:
        yield opened


def retrieve(store: Store, embedder: Embedder | None, mode: Mode = Mode.HYBRID) -> Retrieved:
    return Retriever(store.index, embedder, mode).retrieve(Query(QUESTION))


def late_interaction(question: TokenVectors, passage: TokenVectors) -> float:
    return float((question.rows @ passage.rows.T).max(axis=1).mean())


@pytest.mark.parametrize("mode", [Mode.HYBRID, Mode.VECTOR])
def test_the_best_five_hits_and_the_question_have_them(store: Store, mode: Mode) -> None:
    found = retrieve(store, HashingTokenEmbedder(), mode)

    assert [hit.tokens is not None for hit in found.hits] == [True] * 5 + [False] * 5
    question, first = found.question_tokens, found.hits[0].tokens
    assert question
    assert first
    assert late_interaction(question, first) > 0.4
    assert np.allclose((first.rows**2).sum(axis=1), 1, atol=1e-5)


@pytest.mark.parametrize(
    ("embedder", "mode"),
    [
        (HashingEmbedder(), Mode.HYBRID),
        (HashingTokenEmbedder(projection=None), Mode.HYBRID),
        (None, Mode.HYBRID),
        (HashingTokenEmbedder(), Mode.KEYWORD),
    ],
)
def test_without_the_questions_no_hit_has_any(
    store: Store, embedder: Embedder | None, mode: Mode
) -> None:
    found = retrieve(store, embedder, mode)

    assert found.question_tokens is None
    assert len(found.hits) == 10
    assert all(hit.tokens is None for hit in found.hits)


def test_those_of_another_projection_are_not_compared(store: Store) -> None:
    found = retrieve(store, HashingTokenEmbedder(projection=8))

    assert found.question_tokens
    assert all(hit.tokens is None for hit in found.hits)


def test_a_question_that_was_embedded_before_has_them_from_the_same_run(store: Store) -> None:
    embedder = HashingTokenEmbedder()

    found = retrieve(store, embedded_question(embedder, QUESTION))

    assert embedder.embedded_texts == 1
    assert found.question_tokens
    assert found.hits[0].tokens
    assert embedded_question(embedder, QUESTION).token_projection() == 7
    assert embedded_question(HashingEmbedder(), QUESTION).token_projection() is None
    [pieces] = embedded_question(embedder, QUESTION).pieces([QUESTION])
    assert len(pieces) == len(QUESTION.split())
    assert not embedded_question(HashingEmbedder(), QUESTION).pieces([QUESTION])


def test_the_ranking_is_the_same_with_and_without_where_nobody_counted_pieces(
    store: Store,
) -> None:
    assert retrieve(store, HashingTokenEmbedder()).hits == retrieve(store, HashingEmbedder()).hits


ASKED = "When does the lease of warehouse 7 end?"
SEVENTH = "7.md"


def backwards(by_text: Mapping[int, float], *_: object) -> list[tuple[int, float]]:
    """The worst by words first."""
    return [(chunk, 1.0) for chunk in sorted(by_text, key=by_text.__getitem__)]


def ranked(store: Store, question: str, pull: float) -> list[str]:
    ranking = Ranking(fuse=backwards, tokens_pull=pull)
    retriever = Retriever(
        store.index, HashingTokenEmbedder(), Mode.HYBRID, ranking=ranking, rarity=all_alike
    )
    hits = retriever.retrieve(Query(question)).hits
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
    assert all(hit.tokens for hit in hits[:5])
    return [hit.passage.path for hit in hits]


def all_alike(pieces: Pieces) -> npt.NDArray[np.float32]:
    return np.ones(len(pieces), np.float32)


def test_what_was_not_compared_has_no_higher_score_than_what_was(tmp_path: Path) -> None:
    """Scores fall from rank to rank also past the hits whose tokens were looked at."""
    files = {f"{number}.md": f"The lease of barn {number} ends." for number in range(24)}
    with indexed(tmp_path, files) as store:
        retriever = Retriever(store.index, HashingTokenEmbedder(), Mode.HYBRID, rarity=all_alike)
        scores = [hit.score for hit in retriever.retrieve(Query(ASKED, 20)).hits]

    assert len(scores) == 20
    assert scores == sorted(scores, reverse=True)


def test_what_meets_the_questions_tokens_rises_among_the_first_hits(store: Store) -> None:
    assert ranked(store, ASKED, pull=0)[-1] == SEVENTH
    assert ranked(store, ASKED, pull=100)[0] == SEVENTH


def test_what_holds_a_quotation_of_the_question_stays_first_whatever_its_tokens(
    store: Store,
) -> None:
    quoting = f'{ASKED} "warehouse 3"'
    assert ranked(store, quoting, pull=100)[:2] == ["3.md", SEVENTH]


def test_hits_beyond_those_that_are_looked_at_stay_behind_them(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gdrive_rag_mcp.retrieval.retriever.RERANKED", 4)
    before = ranked(store, ASKED, pull=0)
    after = ranked(store, ASKED, pull=100)
    assert after[4:] == before[4:]
    assert sorted(after[:4]) == sorted(before[:4])
