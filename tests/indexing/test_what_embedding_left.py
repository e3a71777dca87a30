"""What a run says of its embedding when it is over: nothing where every chunk has its vector."""

from collections.abc import Sequence

from gdrive_rag_mcp.app.syncing import change_embedder, plan_change
from gdrive_rag_mcp.errors import EmbedderUnavailableError, EmbeddingError
from gdrive_rag_mcp.indexing.embedding_run import Terms
from gdrive_rag_mcp.indexing.sync import SyncOptions
from gdrive_rag_mcp.protocols import EmbedRole, Vectors
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder
from tests.indexing.desk import Desk, fill
from tests.indexing.embedders import Watching
from tests.store.test_migrating import FOURTH_UNDONE, old


class FewAtATime(HashingEmbedder):
    """Takes a few texts a call, and refuses more as servers do."""

    def embed(self, texts: Sequence[str], *, role: EmbedRole) -> Vectors:
        if len(texts) > 3:
            raise EmbeddingError("413: too many", hint="lower the batch size")
        return super().embed(texts, role=role)


class Failing(Watching):
    """Is out of reach from its second call on."""

    def embed(self, texts: Sequence[str], *, role: EmbedRole) -> Vectors:
        if self.batches:
            raise EmbedderUnavailableError("gone")
        return super().embed(texts, role=role)


def test_batches_that_only_had_to_be_smaller_leave_nothing_to_say(desk: Desk) -> None:
    desk.embedder = FewAtATime(64)
    fill(desk, 40)

    report = desk.sync()

    assert (report.embedded_chunks, report.pending_vectors) == (40, 0)
    assert not report.embedding_incomplete
    assert report.warnings == ()


def test_a_budget_is_not_blamed_for_what_the_provider_did_not_do(desk: Desk) -> None:
    desk.embedder = Failing()
    fill(desk, 40)

    with Store.open_for_writing(desk.path) as store:
        report = desk.synchroniser(store).run(SyncOptions(max_embeddings=30))

    assert report.embedded_chunks < 30
    assert [one.split(":")[0] for one in report.warnings] == ["embedding_incomplete"]


def test_a_forecast_counts_the_tokens_of_the_texts_that_it_counts(desk: Desk) -> None:
    fill(desk, 200)
    desk.sync()
    change_embedder(desk.path, HashingEmbedder(96), Terms())
    change_embedder(desk.path, HashingEmbedder(64), Terms())
    desk.source.add_file("new.md", b"one short line")
    desk.sync()

    forecast = plan_change(desk.path, HashingEmbedder(96)).forecast

    assert forecast is not None
    assert forecast.chunks == 1
    assert forecast.tokens < 12


def test_a_plan_of_a_change_leaves_an_older_index_as_it_was(desk: Desk) -> None:
    fill(desk, 3)
    desk.sync()
    old(desk.path, undone=FOURTH_UNDONE)
    before = desk.path.read_bytes()

    report = plan_change(desk.path, HashingEmbedder(96))

    assert report.forecast is not None
    assert report.forecast.chunks == 3
    assert desk.path.read_bytes() == before


def test_a_plan_does_not_begin_the_change(desk: Desk) -> None:
    fill(desk, 3)
    desk.sync()

    plan_change(desk.path, HashingEmbedder(96))

    with desk.reading() as store:
        assert store.begun is None
