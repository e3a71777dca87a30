"""The retriever over a real index, with an embedder that needs no model."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest

from gdrive_rag_mcp.chunking.structural import StructuralChunker
from gdrive_rag_mcp.domain import (
    Filters,
    Mode,
    Query,
    RetrievalStatistics,
    Retrieved,
    Scope,
    TermStatistics,
)
from gdrive_rag_mcp.errors import EmbedderUnavailableError, EmbeddingError, QueryError
from gdrive_rag_mcp.protocols import Embedder, EmbedRole, Vectors
from gdrive_rag_mcp.retrieval import Retriever
from gdrive_rag_mcp.retrieval.retriever import EMBEDDER_UNAVAILABLE, terms_to_search
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder
from gdrive_rag_mcp.testing.small_index import fill_index, plain_document

CORPUS = {
    "leave": "Employees earn 24 days of annual leave. Unused leave lapses in March.",
    "lease": "The lease of the Da Nang warehouse ends on 31 October 2027.",
    "travel": "Travel costs are refunded within ten days, with receipts.",
    "korean": "연차휴가는 입사 후 1년이 지나면 15일이 주어집니다.",
    "chinese": "差旅费用应在十天之内报销。",
}

Searching = Callable[..., Retrieved]


@pytest.fixture
def searching(tmp_path: Path) -> Iterator[Callable[..., Searching]]:
    """Index texts, and get a function that asks questions of them."""
    opened = ExitStack()
    number = iter(range(100))

    def over(
        texts: Mapping[str, str],
        mode: Mode = Mode.HYBRID,
        asking: Embedder | None = None,
        *,
        vectors: bool = True,
    ) -> Searching:
        path = tmp_path / f"{next(number)}.db"
        documents = ((key, plain_document(text)) for key, text in texts.items())
        fill_index(
            path, documents, StructuralChunker(300, 40), HashingEmbedder() if vectors else None
        )
        store = opened.enter_context(Store.open_for_reading(path))
        retriever = Retriever(store.index, asking or HashingEmbedder(), mode)
        return lambda text, **asked: retriever.retrieve(Query(text, **asked))

    with opened:
        yield over


class FailingEmbedder(HashingEmbedder):
    """A provider that fails as it is told."""

    def __init__(self, error: EmbeddingError) -> None:
        super().__init__()
        self._error = error
        self.asked = 0

    def embed(self, texts: Sequence[str], *, role: EmbedRole) -> Vectors:
        self.asked += 1
        raise self._error


def found(retrieved: Retrieved) -> list[str]:
    return [hit.passage.document_id for hit in retrieved.hits]


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize(
    ("question", "document"),
    [
        ("When does the warehouse lease end?", "lease"),
        ("How many days of annual leave?", "leave"),
        ("연차휴가는 며칠인가요?", "korean"),
        ("差旅费用何时报销？", "chinese"),
    ],
)
def test_the_document_that_shares_the_words_comes_first(
    searching: Callable[..., Searching], mode: Mode, question: str, document: str
) -> None:
    assert found(searching(CORPUS, mode)(question))[0] == document


def test_the_document_with_all_the_rare_words_always_comes_first(
    searching: Callable[..., Searching],
) -> None:
    shuffled = random.Random(7)  # noqa: S311 - reproducible texts, no secret
    common = [f"common{number}" for number in range(60)]
    rare = [f"rare{chr(97 + number)}" for number in range(20)]
    texts = {
        f"d{number}": " ".join([*shuffled.choices(common, k=80), word])
        for number, word in enumerate(rare)
    }
    for number in range(0, 18, 3):
        asked = rare[number : number + 3]
        texts[f"all{number}"] = " ".join([*shuffled.choices(common, k=80), *asked])
    search = searching(texts, Mode.KEYWORD)
    for number in range(0, 18, 3):
        assert found(search(" ".join(rare[number : number + 3])))[0] == f"all{number}"


def test_shared_function_words_find_nothing_by_keyword(
    searching: Callable[..., Searching],
) -> None:
    texts = {str(number): f"This is the part of the text {number}" for number in range(30)}
    retrieved = searching(texts, Mode.KEYWORD)("What is the capital of France?")
    assert retrieved.hits == ()
    assert retrieved.statistics.chunks == 30


def test_function_words_are_searched_when_the_question_has_nothing_else(
    searching: Callable[..., Searching],
) -> None:
    search = searching({"us": "Who we are and what we do", "other": "Prices"}, Mode.KEYWORD)
    assert found(search("Who are we?")) == ["us"]


def test_ten_hits_come_out_however_few_are_asked_for(searching: Callable[..., Searching]) -> None:
    texts = {str(number): f"The lease, version {number}, is signed." for number in range(30)}
    search = searching(texts)
    assert len(search("lease", limit=1).hits) == 10
    assert len(search("lease", limit=17).hits) == 17


def test_hits_are_ranked_from_one_without_a_gap_and_come_out_the_same_twice(
    searching: Callable[..., Searching],
) -> None:
    texts = {str(number): f"The very same sentence on lease {number}." for number in range(20)}
    search = searching(texts)
    once, again = search("lease"), search("lease")
    assert once == again
    assert [hit.rank for hit in once.hits] == list(range(1, 11))


def test_each_mode_shows_only_its_own_signals(searching: Callable[..., Searching]) -> None:
    keyword = searching(CORPUS, Mode.KEYWORD)("annual leave")
    assert all(hit.cosine is None and hit.bm25 for hit in keyword.hits)
    assert keyword.statistics.background is None
    vector = searching(CORPUS, Mode.VECTOR)("annual leave")
    assert all(hit.cosine is not None and hit.bm25 is None for hit in vector.hits)
    assert vector.statistics.background


@pytest.mark.parametrize("mode", [Mode.HYBRID, Mode.VECTOR])
@pytest.mark.parametrize("error", [EmbedderUnavailableError("down"), EmbeddingError("NaN")])
def test_an_embedder_that_fails_leaves_keyword_search_and_a_warning(
    searching: Callable[..., Searching],
    mode: Mode,
    error: EmbeddingError,
    caplog: pytest.LogCaptureFixture,
) -> None:
    retrieved = searching(CORPUS, mode, FailingEmbedder(error))("annual leave")
    assert retrieved.mode is Mode.KEYWORD
    assert retrieved.warnings == (EMBEDDER_UNAVAILABLE,)
    assert found(retrieved)[0] == "leave"
    assert error.message in caplog.text


def test_an_index_without_vectors_is_searched_by_keyword_and_nothing_is_embedded(
    searching: Callable[..., Searching],
) -> None:
    embedder = FailingEmbedder(EmbedderUnavailableError("must not be asked"))
    retrieved = searching(CORPUS, Mode.HYBRID, embedder, vectors=False)("annual leave")
    assert (retrieved.mode, retrieved.warnings, embedder.asked) == (Mode.KEYWORD, (), 0)
    assert found(retrieved)[0] == "leave"


def test_an_empty_scope_costs_no_embedding(searching: Callable[..., Searching]) -> None:
    embedder = FailingEmbedder(EmbedderUnavailableError("must not be asked"))
    search = searching(CORPUS, Mode.HYBRID, embedder)
    retrieved = search("annual leave", scope=Scope(frozenset({"nowhere"})))
    assert (retrieved.hits, retrieved.statistics.chunks, embedder.asked) == ((), 0, 0)
    filtered = search("annual leave", filters=Filters(mime_type="application/pdf"))
    assert (filtered.hits, embedder.asked) == ((), 0)


def test_nothing_outside_the_scope_is_found_or_counted(
    searching: Callable[..., Searching],
) -> None:
    search = searching(CORPUS)
    retrieved = search("annual leave days", scope=Scope(frozenset({"travel", "lease"})))
    assert set(found(retrieved)) == {"travel", "lease"}
    assert retrieved.statistics.documents == 2
    counted = {term.surface: term.chunks for term in retrieved.statistics.terms}
    assert counted == {"annual": 0, "leave": 0, "days": 1}


def test_the_order_in_which_documents_came_does_not_change_what_is_found(
    searching: Callable[..., Searching],
) -> None:
    backwards = dict(reversed(CORPUS.items()))
    question = "Until when is annual leave kept?"
    forth, back = searching(CORPUS)(question), searching(backwards)(question)
    assert found(forth)[0] == found(back)[0] == "leave"
    seen = [
        {hit.passage.document_id: (hit.bm25, hit.cosine) for hit in retrieved.hits}
        for retrieved in (forth, back)
    ]
    assert seen[0] == seen[1]


def test_unrelated_documents_do_not_displace_the_answer(
    searching: Callable[..., Searching],
) -> None:
    unrelated = {f"x{number}": f"Recipe {number}: stir flour and milk." for number in range(60)}
    question = "When does the warehouse lease end?"
    assert found(searching({**CORPUS, **unrelated})(question))[0] == "lease"


def test_the_question_is_checked_and_cleaned(searching: Callable[..., Searching]) -> None:
    search = searching(CORPUS)
    with pytest.raises(QueryError):
        search("?!")
    assert search("annual\x00 leave ").query.text == "annual leave"


@pytest.mark.parametrize(
    "text", ['"leave', "leave)", "NEAR(leave", "leave* OR", "col:leave", "a-b^"]
)
def test_search_syntax_in_a_question_never_breaks_the_search(
    searching: Callable[..., Searching], text: str
) -> None:
    assert searching(CORPUS, Mode.KEYWORD)(text).statistics.chunks == len(CORPUS)


# ── which terms are searched for ─────────────────────────────────────────────


def counted(chunks: int, **known: int) -> RetrievalStatistics:
    terms = (
        TermStatistics(name.strip("_"), (name,), count, 1.0, key=not name.endswith("_"))
        for name, count in known.items()
    )
    return RetrievalStatistics(chunks, chunks, tuple(terms))


@pytest.mark.parametrize(
    ("statistics", "searched"),
    [
        (counted(100, lease=4, common=90, absent=0, the_=99), ["lease", "common"]),
        (counted(2_000, lease=4, common=1_900), ["lease", "common"]),
        (counted(2_001, lease=4, common=1_900), ["lease"]),
        (counted(4_000, lease=200, common=201), ["lease"]),
        (counted(4_000, shared=300, common=3_000), ["shared", "common"]),
        (counted(4_000, absent=0, common=3_000), ["common"]),
        (counted(100, absent=0, the_=99), []),
        (counted(100, who_=40, the_=99), ["who", "the"]),
        (counted(100), []),
    ],
)
def test_which_terms_are_searched_for(statistics: RetrievalStatistics, searched: list[str]) -> None:
    assert [term.surface for term in terms_to_search(statistics)] == searched
