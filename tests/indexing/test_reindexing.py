"""Changing the embedder of an index that is searched meanwhile."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from gdrive_rag_mcp.app.syncing import change_embedder, plan_change
from gdrive_rag_mcp.domain import EVERYTHING, EmbeddingIdentity, Filters, Forecast, IndexStatus
from gdrive_rag_mcp.errors import (
    EmbedderUnavailableError,
    EmbeddingError,
    IndexLockedError,
    IndexMissingError,
    ReindexRequiredError,
)
from gdrive_rag_mcp.indexing.embedding_run import Terms
from gdrive_rag_mcp.indexing.lock import writer_lock
from gdrive_rag_mcp.protocols import Embedder, EmbedRole, Vectors
from gdrive_rag_mcp.store import Store, VectorMatrix
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder
from tests.indexing.desk import Desk
from tests.indexing.embedders import Refusing, Watching, embedding_threads

TEXTS = 200


class BreaksOff(HashingEmbedder):
    """Cannot be reached any more after some texts."""

    def __init__(self, dimensions: int, after: int) -> None:
        super().__init__(dimensions)
        self._left = after

    def embed(self, texts: Sequence[str], *, role: EmbedRole) -> Vectors:
        self._left -= len(texts)
        if self._left < 0:
            raise EmbedderUnavailableError("the provider is gone", hint="try again later")
        return super().embed(texts, role=role)


@pytest.fixture
def indexed(desk: Desk) -> Path:
    """200 small documents, embedded in 64 dimensions."""
    for number in range(TEXTS):
        desk.source.add_file(f"{number}.txt", f"Item {number} costs {number * 7} crowns.".encode())
    desk.sync()
    return desk.path


def change(path: Path, embedder: Embedder) -> int:
    return change_embedder(path, embedder, Terms()).embedded


def best(store: Store, embedder: Embedder, question: str) -> str:
    """The text that a vector search finds first."""
    vector = embedder.embed([question], role="query")[0]
    with store.reading():
        found = store.index.search_vectors(vector, EVERYTHING, Filters(), 1).matches
        numbers = [match.chunk for match in found]
        return store.index.passages(numbers, EVERYTHING)[numbers[0]].text


def status(path: Path) -> IndexStatus:
    with Store.open_for_reading(path) as store:
        return replace(store.catalog.status(EVERYTHING), building=None)


def begun(path: Path) -> EmbeddingIdentity | None:
    """To what a change has begun."""
    with Store.open_for_reading(path) as store:
        return store.catalog.status(EVERYTHING).building


@pytest.mark.parametrize("matrix", [None, VectorMatrix()], ids=["from disk", "in memory"])
def test_after_a_reindex_an_open_reader_finds_by_the_new_vectors(
    indexed: Path, matrix: VectorMatrix | None
) -> None:
    old, new = HashingEmbedder(64), HashingEmbedder(128)
    with Store.open_for_reading(indexed, matrix=matrix) as reader:
        assert best(reader, old, "Item 42 costs 294 crowns.") == "Item 42 costs 294 crowns."

        assert change(indexed, new) == TEXTS

        assert best(reader, new, "Item 43 costs 301 crowns.") == "Item 43 costs 301 crowns."
        with pytest.raises(ReindexRequiredError):
            reader.catalog.require_same_embedding(old.identity)


def test_every_chunk_keeps_its_id_and_has_a_vector_of_the_new_length(indexed: Path) -> None:
    def ids() -> list[str]:
        with Store.open_for_reading(indexed) as store:
            records = store.ledger.all(EVERYTHING)
            chunks = [chunk for r in records for chunk in store.catalog.chunks(r.id, EVERYTHING)]
            return [chunk.chunk_id for _, chunk in chunks]

    before = ids()
    change(indexed, HashingEmbedder(128))

    assert ids() == before
    after = status(indexed)
    assert (after.vectors, after.generation, after.vector_backend) == (TEXTS, 2, "vec0")
    assert after.embedding == HashingEmbedder(128).identity


def test_search_goes_on_with_the_former_vectors_until_the_flip(indexed: Path) -> None:
    old, new = HashingEmbedder(64), HashingEmbedder(128)
    with Store.open_for_reading(indexed, matrix=VectorMatrix()) as reader:

        def look(stage: str, done: int, total: int | None) -> None:
            if stage != "calibrating":  # which comes after the flip
                seen.append((done, best(reader, old, "Item 7 costs 49 crowns.")))

        seen: list[tuple[int, str]] = []
        change_embedder(indexed, new, Terms(look))

    assert len(seen) > 1
    assert {text for _, text in seen} == {"Item 7 costs 49 crowns."}
    assert seen[-1][0] == TEXTS


def test_a_reindex_that_breaks_off_changes_nothing_and_the_next_goes_on(indexed: Path) -> None:
    before = status(indexed)
    with pytest.raises(EmbedderUnavailableError):
        change(indexed, BreaksOff(128, after=130))

    assert status(indexed) == before
    assert best(Store.open_for_reading(indexed), HashingEmbedder(64), "Item 9 costs 63") != ""

    rest = HashingEmbedder(128)
    assert 0 < change(indexed, rest) < TEXTS
    assert status(indexed).vectors == TEXTS


def test_going_back_embeds_nothing(indexed: Path) -> None:
    change(indexed, HashingEmbedder(128))

    assert change(indexed, HashingEmbedder(64)) == 0
    assert status(indexed).embedding == HashingEmbedder(64).identity


def test_a_sync_after_a_reindex_goes_on_with_the_new_embedder(desk: Desk, indexed: Path) -> None:
    change(indexed, HashingEmbedder(128))
    with pytest.raises(ReindexRequiredError):
        desk.sync()

    desk.embedder = HashingEmbedder(128)
    desk.source.add_file("new.txt", b"A new item costs nothing.")
    report = desk.sync()

    assert (report.added, report.embedded_chunks, report.unchanged) == (1, 1, TEXTS)
    assert status(indexed).vectors == TEXTS + 1


def test_an_index_of_words_alone_gets_vectors(desk: Desk) -> None:
    desk.embedder = None
    desk.source.add_file("a.txt", b"Words alone so far.")
    desk.sync()

    report = change_embedder(desk.path, HashingEmbedder(64), Terms())

    assert (report.former, report.embedded) == (None, 1)


def test_a_plan_says_what_it_would_take_and_changes_nothing(indexed: Path) -> None:
    before, new = status(indexed), HashingEmbedder(128)

    planned = plan_change(indexed, new)

    assert not planned.flipped
    assert planned.forecast
    assert (planned.forecast.chunks, planned.forecast.calls) == (TEXTS, 0)
    assert planned.forecast.tokens > 5 * TEXTS
    assert (status(indexed), new.embedded_texts) == (before, 0)
    with Store.open_for_writing(indexed) as store:
        assert store.begun is None


def test_a_plan_goes_by_the_pace_that_an_earlier_run_noted(indexed: Path) -> None:
    slow = HashingEmbedder(32)
    with Store.open_for_writing(indexed) as store, store.transaction():
        store.catalog.note_embedding_pace(slow.identity.fingerprint, 10.0)

    known, unknown = plan_change(indexed, slow), plan_change(indexed, HashingEmbedder(16))

    assert known.forecast
    assert known.forecast.seconds
    assert known.forecast.seconds > TEXTS
    assert unknown.forecast
    assert unknown.forecast.seconds is None


def test_the_same_embedder_has_nothing_to_do(indexed: Path) -> None:
    same = HashingEmbedder(64)

    for report in (plan_change(indexed, same), change_embedder(indexed, same, Terms())):
        assert (report.flipped, report.embedded, same.embedded_texts) == (True, 0, 0)
    assert status(indexed).generation == 1


def test_there_must_be_an_index_and_no_other_writer(indexed: Path, tmp_path: Path) -> None:
    with pytest.raises(IndexMissingError):
        change(tmp_path / "none.db", HashingEmbedder(64))
    with writer_lock(indexed), pytest.raises(IndexLockedError):
        change(indexed, HashingEmbedder(128))


def flip_and_fail(store: Store, identity: EmbeddingIdentity) -> None:
    with store.transaction():
        store.flip(identity)
        raise InterruptedError


def test_a_flip_that_fails_is_undone_whole(indexed: Path) -> None:
    before = status(indexed)
    with Store.open_for_writing(indexed) as store:
        identity = EmbeddingIdentity("made", "up", 8, "ffff")
        store.building(identity)
        with pytest.raises(InterruptedError):
            flip_and_fail(store, identity)

    assert status(indexed) == before
    assert best(Store.open_for_reading(indexed), HashingEmbedder(64), "Item 3") != ""


def test_equal_texts_are_embedded_once(desk: Desk) -> None:
    for name in ("a.txt", "b.txt", "c.txt"):
        desk.source.add_file(name, b"The same text in three files.")
    desk.sync()
    new = HashingEmbedder(128)
    assert change(desk.path, new) == 1
    assert new.embedded_texts == 1
    assert status(desk.path).vectors == 3


# ── texts that the new embedder does not take ────────────────────────────────


def test_a_few_texts_that_are_refused_do_not_keep_an_index_from_changing(
    desk: Desk, indexed: Path
) -> None:
    refusing = Refusing("Item 42 ", 128)

    report = change_embedder(indexed, refusing, Terms())

    assert (report.embedded, report.waiting, report.flipped) == (TEXTS - 1, 1, True)
    assert any("cannot take it" in one and "refused: 1" in one for one in report.warnings)
    assert (status(indexed).chunks, status(indexed).vectors) == (TEXTS, TEXTS - 1)
    assert len(desk.find("294")) == 1, "by its words it is found as before"
    refusing.word = "no such word"
    desk.embedder = refusing
    later = desk.sync()
    assert (later.embedded_chunks, later.pending_vectors) == (1, 0)


def test_many_texts_that_are_refused_change_nothing_until_somebody_agrees(indexed: Path) -> None:
    before, refusing = status(indexed), Refusing("Item 4", 128)

    with pytest.raises(EmbeddingError, match="refuses the text of 11 of 200 chunks") as refused:
        change_embedder(indexed, refusing, Terms())

    assert "--without-refused" in refused.value.hint
    assert status(indexed) == before
    refusing.batches.clear()
    agreed = change_embedder(indexed, refusing, Terms(), without_refused=True)
    assert (agreed.waiting, agreed.flipped) == (11, True)
    assert agreed.embedded == 0, "what was made is kept"
    assert all("Item 4" in text for text in refusing.times_asked)


def test_an_embedder_that_refuses_everything_is_no_embedder_to_change_to(indexed: Path) -> None:
    before = status(indexed)

    with pytest.raises(EmbedderUnavailableError, match="in a row"):
        change_embedder(indexed, Refusing("", 128), Terms(), without_refused=True)

    assert status(indexed) == before


def test_an_interrupted_reindex_changes_nothing_and_the_next_goes_on(indexed: Path) -> None:
    before, new = status(indexed), Watching(128)

    def interrupt(_stage: str, done: int, _total: int | None) -> None:
        if done >= 100:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        change_embedder(indexed, new, Terms(interrupt))

    assert embedding_threads() == []
    assert status(indexed) == before
    kept = 100 + 100 % 16
    report = change_embedder(indexed, new, Terms())
    assert TEXTS - kept - 16 <= report.embedded <= TEXTS - 100
    assert report.flipped
    assert max(new.times_asked.values()) <= 2, "of the batches on their way, one text or other"


def test_a_reindex_says_what_it_takes_in_all(indexed: Path) -> None:
    told: list[Forecast] = []
    new = HashingEmbedder(128)
    with Store.open_for_writing(indexed) as store, store.transaction():
        store.catalog.note_embedding_pace(new.identity.fingerprint, 10.0)

    report = change_embedder(indexed, new, Terms(foretell=told.append))

    [said] = told
    assert said.seconds
    assert said.seconds > TEXTS
    assert report.forecast
    assert (report.forecast.chunks, report.forecast.calls) == (TEXTS, 0)
    assert report.forecast.seconds
    assert report.forecast.seconds < said.seconds, "by the pace that it had"


def test_a_change_that_has_begun_is_told_until_it_is_finished(indexed: Path) -> None:
    assert begun(indexed) is None
    with pytest.raises(EmbedderUnavailableError):
        change(indexed, BreaksOff(128, after=130))
    assert begun(indexed) == HashingEmbedder(128).identity
    change(indexed, HashingEmbedder(128))
    assert begun(indexed) is None


def test_former_vectors_that_are_forgotten_have_to_be_made_again(indexed: Path) -> None:
    change_embedder(indexed, HashingEmbedder(128), Terms(), forget_former=True)
    assert change(indexed, HashingEmbedder(64)) == TEXTS
    change_embedder(indexed, HashingEmbedder(128), Terms())
    assert change(indexed, HashingEmbedder(64)) == 0


def test_former_vectors_can_be_forgotten_after_the_change_too(indexed: Path) -> None:
    change(indexed, HashingEmbedder(128))

    report = change_embedder(indexed, HashingEmbedder(128), Terms(), forget_former=True)

    assert (report.embedded, status(indexed).vectors) == (0, TEXTS)
    assert change(indexed, HashingEmbedder(64)) == TEXTS, "they have to be made again"
    assert change(indexed, HashingEmbedder(128)) == 0, "and those were kept"


def test_a_change_that_has_begun_is_given_up_by_a_reindex_with_the_index_s_own(
    indexed: Path,
) -> None:
    with pytest.raises(EmbedderUnavailableError):
        change(indexed, BreaksOff(128, after=130))
    assert change(indexed, HashingEmbedder(64)) == 0
    assert begun(indexed) is None
    with Store.open_for_reading(indexed) as store:
        tables = store._connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
        assert not [name for (name,) in tables if str(name).endswith("_g2")]
