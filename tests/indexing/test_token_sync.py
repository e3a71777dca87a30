"""A sync gives every text its token vectors: with its vector, or later where an index is older."""

from collections.abc import Sequence

import apsw
import pytest

from gdrive_rag_mcp.app.syncing import change_embedder
from gdrive_rag_mcp.domain import Mode, Query, SyncReport
from gdrive_rag_mcp.errors import EmbedderUnavailableError
from gdrive_rag_mcp.indexing.embedding_run import Terms
from gdrive_rag_mcp.indexing.progress import Progress
from gdrive_rag_mcp.indexing.sync import SyncOptions
from gdrive_rag_mcp.protocols import Embedded, EmbedRole
from gdrive_rag_mcp.retrieval import Retriever
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder
from gdrive_rag_mcp.testing.token_embedder import HashingTokenEmbedder
from tests.indexing.desk import Desk, Killed, dumped, fill

FORMER_SCHEMA = (
    "DROP TABLE calibration",
    "DROP TABLE probes",
    "DROP TABLE token_vectors",
    "DELETE FROM meta WHERE key = 'tokens'",
    "PRAGMA user_version = 4",
)


def sync(desk: Desk, progress: Progress = lambda *_: None, most: int | None = None) -> SyncReport:
    with Store.open_for_writing(desk.path) as store:
        return desk.synchroniser(store, progress).run(SyncOptions(max_embeddings=most))


def do(desk: Desk, *statements: str) -> None:
    connection = apsw.Connection(str(desk.path))
    for statement in statements:
        connection.execute(statement)
    connection.close()


def kept(desk: Desk) -> int:
    with desk.reading() as store:
        [(count,)] = store._connection.execute("SELECT count(*) FROM token_vectors").fetchall()
    return int(str(count))


def with_tokens(desk: Desk, embedder: HashingTokenEmbedder) -> int:
    """How many of the hits of a question have token vectors."""
    with desk.reading() as store:
        found = Retriever(store.index, embedder, Mode.HYBRID).retrieve(Query("sabbatical"))
    assert len(found.hits) == 10
    return sum(hit.tokens is not None for hit in found.hits)


@pytest.fixture
def embedder(desk: Desk) -> HashingTokenEmbedder:
    desk.embedder = made = HashingTokenEmbedder(64)
    return made


@pytest.fixture
def former(desk: Desk, embedder: HashingTokenEmbedder) -> HashingTokenEmbedder:
    """An index of forty texts that the version before this one made."""
    fill(desk, 40)
    sync(desk)
    do(desk, *FORMER_SCHEMA)
    return embedder


def test_a_new_text_gets_them_with_its_vector_by_one_run_of_the_model(
    desk: Desk, embedder: HashingTokenEmbedder
) -> None:
    fill(desk, 40)

    report = sync(desk)

    assert (report.embedded_chunks, report.embedded_again) == (40, 0)
    assert (embedder.embedded_texts, kept(desk)) == (40, 40)
    assert with_tokens(desk, embedder) == 5


def test_a_sync_with_nothing_to_do_embeds_and_writes_nothing_for_them(
    desk: Desk, embedder: HashingTokenEmbedder
) -> None:
    fill(desk, 40)
    sync(desk)
    sync(desk)
    with desk.reading() as store:
        before = dumped(store)["token_vectors"]

    report = sync(desk)

    with desk.reading() as store:
        assert dumped(store)["token_vectors"] == before
    assert (embedder.embedded_texts, report.embedded_again) == (40, 0)
    assert report.forecast is None


def test_an_older_index_gets_them_by_the_next_sync_and_its_vectors_stay(
    desk: Desk, former: HashingTokenEmbedder
) -> None:
    stages: list[tuple[str, int, int | None]] = []
    with Store.open_for_writing(desk.path) as store:
        before = dumped(store)["vectors"]
        synchroniser = desk.synchroniser(store, lambda *told: stages.append(told))
        report = synchroniser.run(SyncOptions())
        assert dumped(store)["vectors"] == before
        assert store.index.without_tokens(7).waiting() == 0

    assert (report.embedded_chunks, report.embedded_again, kept(desk)) == (0, 40, 40)
    assert (report.pending_token_vectors, report.warnings) == (0, ())
    assert report.forecast
    assert (report.forecast.chunks, report.forecast.again) == (40, 40)
    assert ("token vectors", 40, 40) in stages
    assert former.embedded_texts == 80
    assert with_tokens(desk, former) == 5
    assert sync(desk).embedded_again == 0


def test_a_dry_run_counts_what_an_older_index_lacks(
    desk: Desk, former: HashingTokenEmbedder
) -> None:
    plan = desk.plan()

    assert plan.forecast
    assert (plan.forecast.chunks, plan.forecast.again) == (40, 40)


def test_the_budget_covers_them_too_and_run_by_run_all_are_made(
    desk: Desk, former: HashingTokenEmbedder
) -> None:
    report = sync(desk, most=15)

    assert (report.embedded_again, report.pending_token_vectors) == (15, 25)
    assert report.embedding_incomplete
    [said] = report.warnings
    assert said.startswith("token_vectors_incomplete: texts embedded again: 15")
    assert "25 have no token vectors" in said
    assert [sync(desk, most=most).embedded_again for most in (0, 15, 15)] == [0, 15, 10]
    assert (kept(desk), former.embedded_texts) == (40, 80)


def test_new_texts_come_first_and_older_ones_get_what_is_left_of_the_budget(
    desk: Desk, former: HashingTokenEmbedder
) -> None:
    desk.source.add_file("new.md", "another text")

    report = sync(desk, most=11)

    assert (report.embedded_chunks, report.embedded_again) == (1, 10)
    assert report.pending_token_vectors == 30


def test_a_sync_that_is_killed_on_the_way_keeps_what_it_made_and_is_searched_meanwhile(
    desk: Desk, former: HashingTokenEmbedder
) -> None:
    seen: list[int] = []

    def kill(stage: str, done: int, total: int | None) -> None:
        if stage == "token vectors" and done >= 16:
            seen.append(with_tokens(desk, former))
            raise Killed

    with pytest.raises(Killed):
        sync(desk, kill)
    made = kept(desk)
    assert 16 <= made < 40
    assert len(seen) == 1

    assert sync(desk).embedded_again == 40 - made
    assert former.embedded_texts <= 80 + 2 * 16, "what was under way is made again, no more"


def test_another_projection_replaces_them_all(desk: Desk, embedder: HashingTokenEmbedder) -> None:
    fill(desk, 40)
    sync(desk)
    embedder.projection = 8
    assert with_tokens(desk, embedder) == 0

    assert sync(desk).embedded_again == 40

    assert (with_tokens(desk, embedder), kept(desk)) == (5, 40)


def test_an_embedder_that_makes_none_leaves_an_index_without(desk: Desk) -> None:
    desk.embedder = plain = HashingEmbedder(64)
    fill(desk, 40)

    report = sync(desk)

    assert (report.embedded_chunks, report.embedded_again, kept(desk)) == (40, 0, 0)
    assert (plain.embedded_texts, report.pending_token_vectors) == (40, 0)


def test_a_reindex_to_an_embedder_that_makes_them_brings_them(desk: Desk) -> None:
    desk.embedder = HashingEmbedder(32)
    fill(desk, 40)
    sync(desk)
    desk.embedder = maker = HashingTokenEmbedder(64)

    change_embedder(desk.path, maker, Terms())

    assert (kept(desk), with_tokens(desk, maker)) == (40, 5)
    assert (sync(desk).embedded_again, maker.embedded_texts) == (0, 41)


def test_a_reindex_away_hides_them_and_the_way_back_finds_them(
    desk: Desk, embedder: HashingTokenEmbedder
) -> None:
    fill(desk, 40)
    sync(desk)
    change_embedder(desk.path, other := HashingTokenEmbedder(32, projection=None), Terms())
    assert with_tokens(desk, other) == 0

    change_embedder(desk.path, embedder, Terms())
    desk.embedder = embedder

    assert with_tokens(desk, embedder) == 5
    assert sync(desk).embedded_again == 0


class Failing(HashingTokenEmbedder):
    """Makes so many texts, and then is gone."""

    def __init__(self, most: int) -> None:
        super().__init__(64)
        self.most = most

    def embed_with_tokens(self, texts: Sequence[str], *, role: EmbedRole) -> Embedded:
        if self.embedded_texts + len(texts) > self.most:
            raise EmbedderUnavailableError("it is gone")
        return super().embed_with_tokens(texts, role=role)


def test_an_embedder_that_fails_on_the_way_is_said_to_have(
    desk: Desk, former: HashingTokenEmbedder
) -> None:
    desk.embedder = Failing(20)

    report = sync(desk)

    assert (report.embedded_again, report.pending_token_vectors) == (16, 24)
    [said] = report.warnings
    assert said.startswith("token_vectors_incomplete: it is gone")
    assert report.embedding_incomplete


@pytest.mark.parametrize("damage", ["packed = x'00'", "packed = 'text'", "projection = 'text'"])
def test_damaged_ones_are_as_if_they_were_not_there(
    desk: Desk, embedder: HashingTokenEmbedder, damage: str
) -> None:
    fill(desk, 40)
    sync(desk)

    do(desk, f"UPDATE token_vectors SET {damage}")

    assert with_tokens(desk, embedder) == 0


@pytest.mark.parametrize("mark", ["'1:7'", "'1:x'", "''", "x'00'", "7", "'1:99999999999999999999'"])
def test_whatever_is_noted_of_them_hides_no_text(
    desk: Desk, embedder: HashingTokenEmbedder, mark: str
) -> None:
    fill(desk, 20)
    sync(desk)
    do(desk, f"UPDATE meta SET value = {mark} WHERE key = 'tokens'")
    desk.source.add_file("new.md", "sabbatical anew")

    assert sync(desk).embedded_chunks == 1
    assert with_tokens(desk, embedder) == 5
