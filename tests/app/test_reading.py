"""The read use cases over a real index."""

import shutil
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw
import pytest

from gdrive_rag_mcp.app import Reader, StorePool
from gdrive_rag_mcp.domain import (
    EVERYTHING,
    FileState,
    Filters,
    Mode,
    Scope,
    SearchOutcome,
    VerdictReason,
)
from gdrive_rag_mcp.errors import (
    DocumentNotFoundError,
    EmbedderUnavailableError,
    IndexCorruptError,
    IndexMissingError,
    IndexOutdatedError,
    QueryError,
    ReindexRequiredError,
)
from gdrive_rag_mcp.protocols import Embedder, EmbedRole, Vectors
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder
from gdrive_rag_mcp.testing.sample_index import FILES, SYNCED, SampleFile, page, sample_index
from tests.app.servers import SilentServer

MakeReader = Callable[..., Reader]
EMBEDDER = HashingEmbedder()
PDF = "application/pdf"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("index") / "index.db"
    sample_index(path, EMBEDDER)
    return path


def reader_of(
    path: Path,
    *,
    embedder: Callable[[], Embedder | None] = lambda: EMBEDDER,
    mode: Mode = Mode.HYBRID,
    threshold: float | None = 0.0,
    visible: Scope = EVERYTHING,
    now: datetime = SYNCED,
    resident: bool = False,
) -> Reader:
    return Reader(
        StorePool(path, resident=resident),
        embedder=embedder,
        mode=mode,
        threshold=threshold,
        visible=visible,
        clock=lambda: now,
    )


def found(outcome: SearchOutcome) -> list[str]:
    assert outcome.retrieved is not None
    return [hit.passage.document_id for hit in outcome.retrieved.hits]


# ── the verdict where there is nothing to search ─────────────────────────────


def test_without_an_index_a_search_ends_with_a_verdict(tmp_path: Path) -> None:
    outcome = reader_of(tmp_path / "none.db").search("How long is the leave?")

    assert outcome.evidence.reason is VerdictReason.NO_INDEX
    assert not outcome.evidence.sufficient
    assert outcome.retrieved is None
    assert outcome.coverage.in_scope == 0


def test_without_an_index_everything_but_a_search_says_to_sync(tmp_path: Path) -> None:
    reader = reader_of(tmp_path / "none.db")
    calls: list[Callable[[], object]] = [
        reader.status,
        reader.list_documents,
        lambda: reader.document("leave"),
        lambda: reader.document_metadata("leave"),
        lambda: list(reader.export()),
    ]
    for call in calls:
        with pytest.raises(IndexMissingError, match="gdrive-rag-mcp sync"):
            call()


def test_an_index_of_an_older_version_is_an_error_and_not_no_index(
    index: Path, tmp_path: Path
) -> None:
    path = tmp_path / "index.db"
    shutil.copy(index, path)
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA user_version = 3")
    connection.close()

    with pytest.raises(IndexOutdatedError, match="gdrive-rag-mcp sync"):
        reader_of(path).search("How long is the leave?")


def test_a_file_that_is_no_index_is_an_error_and_no_verdict(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    path.write_bytes(b"this is a letter, not a database. " * 200)

    with pytest.raises(IndexCorruptError):
        reader_of(path).search("How long is the leave?")


def test_a_scope_that_is_not_in_the_index_is_named_as_unknown(index: Path) -> None:
    outcome = reader_of(index).search("How long is the leave?", scope_id="elsewhere")

    assert outcome.evidence.reason is VerdictReason.SCOPE_UNKNOWN
    assert outcome.scope_id == "elsewhere"
    assert outcome.retrieved is None


@pytest.mark.parametrize("scope_id", ["scan", "sealed"])
def test_a_scope_without_readable_text_is_empty_whatever_is_asked(
    index: Path, scope_id: str
) -> None:
    outcome = reader_of(index).search("How long is the leave?", scope_id=scope_id)

    assert outcome.evidence.reason is VerdictReason.SCOPE_EMPTY
    assert outcome.coverage.unreadable == 1


def test_an_empty_scope_costs_no_embedding(index: Path) -> None:
    def never() -> Embedder:
        pytest.fail("the embedder was asked for")

    reader_of(index, embedder=never).search("How long is the leave?", scope_id="scan")


# ── what a search finds ──────────────────────────────────────────────────────


def test_a_search_finds_the_passage_and_says_what_it_covered(index: Path) -> None:
    outcome = reader_of(index).search("How much is the rent for the office in Hamburg?")

    assert found(outcome)[0] == "lease"
    assert outcome.mode is Mode.HYBRID
    assert outcome.last_sync == SYNCED
    assert (outcome.coverage.in_scope, outcome.coverage.searchable) == (5, 3)
    assert outcome.warnings == ("unreadable_files_in_scope",)


@pytest.mark.parametrize(
    ("threshold", "sufficient"), [(0.0, True), (1.0, False)], ids=["low bar", "high bar"]
)
def test_the_threshold_that_is_set_decides(
    index: Path, threshold: float, *, sufficient: bool
) -> None:
    outcome = reader_of(index, threshold=threshold).search("How much is the rent in Hamburg?")

    assert outcome.evidence.sufficient is sufficient
    assert outcome.evidence.threshold == threshold
    assert found(outcome)[0] == "lease"


@pytest.mark.parametrize("limit", [1, 3])
def test_no_more_hits_come_back_than_were_asked_for(index: Path, limit: int) -> None:
    assert len(found(reader_of(index).search("leave lease budget", limit=limit))) == limit


@pytest.mark.parametrize(
    ("scope_id", "expected"), [("hr", {"leave"}), ("budget", {"budget"}), ("finance", {"budget"})]
)
def test_a_scoped_search_finds_nothing_outside(
    index: Path, scope_id: str, expected: set[str]
) -> None:
    outcome = reader_of(index).search("leave lease budget travel", scope_id=scope_id, limit=50)

    assert set(found(outcome)) == expected
    assert outcome.coverage.searchable == 1


def test_filters_narrow_by_type_and_time(index: Path) -> None:
    reader, question = reader_of(index), "leave lease budget travel"
    new_year = datetime(2026, 1, 1, tzinfo=UTC)

    only_pdf = reader.search(question, filters=Filters(mime_type=PDF), limit=50)
    recent = reader.search(question, filters=Filters(modified_after=new_year), limit=50)
    older = reader.search(question, filters=Filters(modified_before=new_year), limit=50)

    assert set(found(only_pdf)) == {"lease"}
    assert set(found(recent)) == {"leave", "lease"}
    assert set(found(older)) == {"budget"}


def test_filters_that_nothing_passes_leave_an_empty_scope(index: Path) -> None:
    outcome = reader_of(index).search("rent", filters=Filters(mime_type="image/png"))

    assert outcome.evidence.reason is VerdictReason.SCOPE_EMPTY
    assert outcome.coverage.searchable == 3


@pytest.mark.parametrize(
    "question",
    ['"rent" OR NEAR(office', "rent* AND NOT title:office", "-rent ^office {body}: (", "rent'; --"],
)
def test_search_syntax_in_a_question_is_just_words(index: Path, question: str) -> None:
    assert "lease" in found(reader_of(index).search(question))


def test_controls_and_lone_surrogates_in_a_question_do_no_harm(index: Path) -> None:
    outcome = reader_of(index).search("re\x00nt\ud800 \u202eHamburg")

    assert outcome.question == "rent Hamburg"
    assert found(outcome)[0] == "lease"


@pytest.mark.parametrize("question", ["", "   ", "?!", "x" * 100_000])
def test_a_question_that_cannot_be_searched_for_is_refused(index: Path, question: str) -> None:
    with pytest.raises(QueryError):
        reader_of(index).search(question)


@pytest.mark.parametrize("limit", [0, -1, 51])
def test_a_limit_out_of_bounds_is_refused_with_the_bounds(index: Path, limit: int) -> None:
    with pytest.raises(QueryError, match="1 to 50"):
        reader_of(index).search("rent", limit=limit)


def test_a_span_that_ends_before_it_starts_is_refused(index: Path) -> None:
    span = Filters(modified_after=SYNCED, modified_before=SYNCED - timedelta(days=1))

    with pytest.raises(QueryError, match="modified_after"):
        reader_of(index).search("rent", filters=span)


# ── embedders ────────────────────────────────────────────────────────────────


def test_another_embedder_than_the_index_has_is_refused_by_name(index: Path) -> None:
    reader = reader_of(index, embedder=lambda: HashingEmbedder(64))

    with pytest.raises(ReindexRequiredError, match="reindex --yes") as refusal:
        reader.search("rent")
    assert "256 dimensions" in str(refusal.value)
    assert "64 dimensions" in str(refusal.value)


def _unavailable() -> Embedder:
    raise EmbedderUnavailableError("no weights")


@pytest.mark.parametrize(
    "embedder",
    [lambda: None, _unavailable, SilentServer],
    ids=["none", "unavailable", "does not answer"],
)
def test_without_the_embedder_words_alone_are_searched_and_it_is_said(
    index: Path, embedder: Callable[[], Embedder | None]
) -> None:
    outcome = reader_of(index, embedder=embedder).search("How much is the rent in Hamburg?")

    assert outcome.mode is Mode.KEYWORD
    assert "embedder_unavailable" in outcome.warnings
    assert found(outcome)[0] == "lease"


def test_an_embedder_that_appears_later_is_taken_up(index: Path) -> None:
    offers: list[Embedder | None] = [None, EMBEDDER]
    reader = reader_of(index, embedder=lambda: offers.pop(0))

    modes = [reader.search("rent").mode for _ in range(3)]

    assert modes == [Mode.KEYWORD, Mode.HYBRID, Mode.HYBRID]


def test_keyword_search_by_choice_needs_no_embedder_and_no_warning(index: Path) -> None:
    outcome = reader_of(index, embedder=_unavailable, mode=Mode.KEYWORD).search("rent")

    assert outcome.mode is Mode.KEYWORD
    assert "embedder_unavailable" not in outcome.warnings


def test_an_index_without_vectors_is_searched_by_words_and_it_is_said(tmp_path: Path) -> None:
    sample_index(tmp_path / "index.db")

    outcome = reader_of(tmp_path / "index.db").search("How much is the rent in Hamburg?")

    assert outcome.mode is Mode.KEYWORD
    assert "embedder_unavailable" in outcome.warnings


@pytest.mark.parametrize(("days", "stale"), [(7, False), (8, True)])
def test_an_index_is_stale_after_a_week(index: Path, days: int, *, stale: bool) -> None:
    reader = reader_of(index, now=SYNCED + timedelta(days=days))

    assert ("index_stale" in reader.search("rent").warnings) is stale
    assert ("index_stale" in reader.status().warnings) is stale


# ── documents ────────────────────────────────────────────────────────────────


def test_pages_of_a_document_join_to_its_whole_text(index: Path) -> None:
    reader = reader_of(index)
    whole = reader.document("leave")
    pages = [reader.document("leave", start=at, max_chars=50) for at in range(0, whole.length, 50)]

    assert "".join(page.text for page in pages) == whole.text
    assert {page.length for page in pages} == {len(whole.text)}


def test_beyond_the_end_of_a_document_there_is_no_text(index: Path) -> None:
    assert reader_of(index).document("leave", start=10_000).text == ""


@pytest.mark.parametrize(("start", "max_chars"), [(-1, None), (0, 0)])
def test_a_page_that_makes_no_sense_is_refused(
    index: Path, start: int, max_chars: int | None
) -> None:
    with pytest.raises(QueryError):
        reader_of(index).document("leave", start=start, max_chars=max_chars)


def test_an_unknown_document_is_not_found_and_the_remedy_is_told(index: Path) -> None:
    for read in (reader_of(index).document, reader_of(index).document_metadata):
        with pytest.raises(DocumentNotFoundError, match="list_documents"):
            read("elsewhere")


def test_a_file_that_could_not_be_read_says_why_it_has_no_text(index: Path) -> None:
    with pytest.raises(DocumentNotFoundError, match=r"no text of this document.*needs_ocr"):
        reader_of(index).document("scan")

    assert reader_of(index).document_metadata("scan").state is FileState.EMPTY


# ── the ledger ───────────────────────────────────────────────────────────────


def test_the_pages_of_the_ledger_hold_every_file_once(index: Path) -> None:
    reader, ids, cursor = reader_of(index), [], None
    while True:
        page = reader.list_documents(cursor=cursor, limit=2)
        ids += [record.id for record in page.records]
        assert page.coverage.in_scope == len(FILES)
        cursor = page.next_cursor
        if cursor is None:
            break

    assert sorted(ids) == sorted(file.id for file in FILES)


def test_the_ledger_is_narrowed_by_folder_state_and_path(index: Path) -> None:
    reader = reader_of(index)

    def ids(**asked: str | FileState) -> set[str]:
        return {record.id for record in reader.list_documents(**asked).records}  # type: ignore[arg-type] # one helper for three arguments

    assert ids(folder_id="hr") == {"leave", "scan"}
    assert ids(state=FileState.SKIPPED) == {"sealed"}
    assert ids(query="budget") == {"budget"}


def test_an_unknown_folder_is_not_an_empty_one(index: Path) -> None:
    with pytest.raises(DocumentNotFoundError, match="elsewhere"):
        reader_of(index).list_documents(folder_id="elsewhere")


def test_a_cursor_that_no_page_gave_is_refused(index: Path) -> None:
    with pytest.raises(QueryError, match="next_cursor"):
        reader_of(index).list_documents(cursor="made up")


def test_the_status_counts_what_the_ledger_lists(index: Path) -> None:
    status = reader_of(index).status()

    assert status.coverage.in_scope == len(FILES)
    assert status.documents == status.coverage.searchable == 3
    assert status.chunks == status.vectors == 7
    assert status.embedding == EMBEDDER.identity


def test_an_export_has_every_file_and_chunks_that_are_their_documents_text(index: Path) -> None:
    reader = reader_of(index)
    lines = list(reader.export(chunks=True))

    assert {record.id for record, _ in lines} == {file.id for file in FILES}
    for record, chunks in lines:
        assert chunks is not None
        assert len(chunks) == record.chunk_count
        assert [ordinal for ordinal, _ in chunks] == list(range(len(chunks)))
        for _, chunk in chunks:
            text = reader.document(record.id).text
            assert text[chunk.start : chunk.end] == chunk.text


def test_an_export_without_chunks_has_none(index: Path) -> None:
    assert {chunks for _, chunks in reader_of(index).export()} == {None}


# ── who may see what ─────────────────────────────────────────────────────────


def test_nothing_outside_what_is_visible_can_be_reached(index: Path) -> None:
    reader = reader_of(index, visible=Scope(frozenset({"hr"})))
    foreign: list[Callable[[], object]] = [
        lambda: reader.document("budget"),
        lambda: reader.document_metadata("budget"),
        lambda: reader.list_documents(folder_id="finance"),
    ]
    for reach in foreign:
        with pytest.raises(DocumentNotFoundError):
            reach()

    assert set(found(reader.search("leave lease budget travel", limit=50))) == {"leave"}
    unknown = reader.search("travel", scope_id="finance")
    assert unknown.evidence.reason is VerdictReason.SCOPE_UNKNOWN
    assert {record.id for record in reader.list_documents().records} == {"leave", "scan"}
    assert {record.id for record, _ in reader.export()} == {"leave", "scan"}
    assert reader.status().coverage.in_scope == 2


# ── threads, and an index that changes ───────────────────────────────────────


@pytest.mark.parametrize("resident", [False, True], ids=["on disk", "in memory"])
def test_threads_that_search_at_once_find_what_one_alone_finds(
    index: Path, *, resident: bool
) -> None:
    questions = ["rent in Hamburg", "unpaid leave", "travel budget", "parental leave"] * 10
    alone = [found(reader_of(index).search(question)) for question in questions]
    reader = reader_of(index, resident=resident)

    with ThreadPoolExecutor(8) as pool:
        together = [found(outcome) for outcome in pool.map(reader.search, questions)]

    assert together == alone


def test_threads_that_search_at_once_load_the_embedder_once(index: Path) -> None:
    loaded = []
    everyone_is_here = threading.Barrier(4)

    def load() -> Embedder:
        loaded.append(1)
        return EMBEDDER

    reader = reader_of(index, embedder=load)

    def search(question: str) -> SearchOutcome:
        everyone_is_here.wait()
        return reader.search(question)

    with ThreadPoolExecutor(4) as pool:
        modes = {outcome.mode for outcome in pool.map(search, ["rent"] * 4)}

    assert modes == {Mode.HYBRID}
    assert loaded == [1]


@pytest.mark.parametrize("resident", [False, True], ids=["on disk", "in memory"])
def test_an_index_replaced_under_its_name_is_the_one_that_is_searched(
    tmp_path: Path, *, resident: bool
) -> None:
    path = tmp_path / "index.db"
    sample_index(path, EMBEDDER)
    reader = reader_of(path, resident=resident)
    assert "zebra" not in found(reader.search("zebra crossing"))

    zebra = SampleFile("zebra", "Z.pdf", PDF, "root", "Zebra", (("A zebra crossing.", page(1)),))
    sample_index(tmp_path / "new.db", EMBEDDER, files=(zebra,))
    (tmp_path / "new.db").replace(path)

    assert found(reader.search("zebra crossing")) == ["zebra"]


def test_what_another_writer_commits_is_found_by_the_next_search(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    sample_index(path, EMBEDDER, files=FILES[:1])
    reader = reader_of(path, resident=True)
    assert set(found(reader.search("rent in Hamburg", limit=50))) == {"leave"}

    sample_index(path, EMBEDDER, files=FILES[:2])

    assert found(reader.search("rent in Hamburg", limit=50))[0] == "lease"


def test_an_index_that_is_gone_becomes_a_verdict(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    sample_index(path, EMBEDDER)
    reader = reader_of(path)
    assert reader.search("rent").evidence.reason is not VerdictReason.NO_INDEX

    for file in tmp_path.iterdir():
        file.unlink()

    assert reader.search("rent").evidence.reason is VerdictReason.NO_INDEX


def test_a_closed_pool_can_be_used_again(index: Path) -> None:
    pool = StorePool(index)
    reader = Reader(pool, embedder=lambda: EMBEDDER)
    reader.status()
    pool.close()

    assert reader.status().documents == 3


def test_a_question_is_not_sent_to_an_embedder_that_is_not_the_index_s(index: Path) -> None:
    other = HashingEmbedder(16)
    with pytest.raises(ReindexRequiredError):
        reader_of(index, embedder=lambda: other).search("How long is the leave?")
    assert other.embedded_texts == 0


def test_no_snapshot_waits_for_the_embedder(index: Path, tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    shutil.copy(index, path)
    held: list[bool] = []

    class Looking(HashingEmbedder):
        def embed(self, texts: Sequence[str], *, role: EmbedRole) -> Vectors:
            with Store.open_for_writing(path) as store:
                store._connection.execute("UPDATE meta SET value = value || '' WHERE key = 'root'")
                [(busy, _, _)] = store._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                held.append(bool(busy))
            return super().embed(texts, role=role)

    embedder = Looking()
    outcome = reader_of(path, embedder=lambda: embedder).search("How long is the leave?")
    assert outcome.mode is Mode.HYBRID
    assert held == [False], "the log can be emptied while the question is embedded"


def test_an_embedder_that_changes_under_a_search_has_the_question_embedded_anew(
    index: Path, tmp_path: Path
) -> None:
    path, other = tmp_path / "index.db", HashingEmbedder(48)
    shutil.copy(index, path)

    class Changing(HashingEmbedder):
        def embed(self, texts: Sequence[str], *, role: EmbedRole) -> Vectors:
            if role == "query":
                change(path, other)
            return super().embed(texts, role=role)

    embedders = iter([Changing(), other])
    outcome = reader_of(path, embedder=lambda: next(embedders)).search("How long is the leave?")
    assert outcome.mode is Mode.HYBRID
    assert "embedder_unavailable" not in outcome.warnings
    assert outcome.retrieved
    assert outcome.retrieved.hits[0].cosine is not None
    assert other.embedded_texts


def change(path: Path, embedder: HashingEmbedder) -> None:
    """Put an index's vectors by another embedder in service."""
    with Store.open_for_writing(path) as store:
        building = store.building(embedder.identity)
        waiting = building.without_vector(0, 10_000)
        rows = embedder.embed([chunk.embedded_text for _, chunk in waiting], role="document")
        building.attach_vectors([n for n, _ in waiting], [c.hash for _, c in waiting], rows)
        store.flip(embedder.identity)
        store.tidy(SYNCED)
