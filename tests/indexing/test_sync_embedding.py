"""Vectors come after the text: without an embedder, with one that is down, or that balks."""

from collections.abc import Sequence
from pathlib import Path

from gdrive_rag_mcp.errors import (
    EmbedderUnavailableError,
    EmbeddingError,
)
from gdrive_rag_mcp.indexing.sync import Synchroniser, SyncOptions
from gdrive_rag_mcp.protocols import EmbedRole, Vectors
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.hand_written import found_by_vector
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder
from tests.indexing.desk import Desk, fill


class Moody(HashingEmbedder):
    """An embedder that is down after some texts, and cannot take texts with a certain word."""

    def __init__(self) -> None:
        super().__init__(64)
        self.down_after: int | None = None
        self.refuses = "\x00"
        self.asked = 0

    def embed(self, texts: Sequence[str], *, role: EmbedRole) -> Vectors:
        self.asked += 1
        if self.down_after is not None and self.embedded_texts + len(texts) > self.down_after:
            raise EmbedderUnavailableError("down", hint="wait")
        if any(self.refuses in text for text in texts):
            raise EmbeddingError("cannot take it")
        return super().embed(texts, role=role)


def test_text_is_searchable_while_the_embedder_is_down_and_vectors_follow(desk: Desk) -> None:
    desk.embedder = moody = Moody()
    moody.down_after = 100
    fill(desk, 300)
    report = desk.sync()
    assert report.added == 300
    assert report.embedding_incomplete
    assert any("embedding_incomplete" in warning for warning in report.warnings)
    assert report.embedded_chunks + report.pending_vectors == 300
    assert report.embedded_chunks >= 64
    assert len(desk.find("number299")) == 1
    asked = moody.asked
    moody.down_after = None
    after = desk.sync()
    assert (after.unchanged, after.pending_vectors) == (300, 0)
    assert after.embedded_chunks == report.pending_vectors
    assert desk.source.usage.downloads == 300
    assert moody.asked - asked < 20, "batch by batch, not one by one"


def test_an_embedder_that_is_down_is_asked_once_a_run(desk: Desk) -> None:
    desk.embedder = moody = Moody()
    moody.down_after = 0
    fill(desk, 600)
    desk.sync()
    assert moody.asked == 1


def test_a_text_that_the_embedder_refuses_costs_only_itself(desk: Desk) -> None:
    desk.embedder = moody = Moody()
    moody.refuses = "number37x"
    for number in range(300):
        desk.source.add_file(f"{number}.md", f"sabbatical number{number}x")
    report = desk.sync()
    assert (report.embedded_chunks, report.pending_vectors) == (299, 1)
    assert report.embedding_incomplete
    assert len(desk.find("number37x")) == 1
    assert moody.asked < 30, "it is found by halves"
    asked = moody.asked
    assert desk.sync().pending_vectors == 1
    assert moody.asked == asked + 1


def test_a_keyword_index_is_said_to_be_one_and_gets_vectors_later(desk: Desk) -> None:
    desk.embedder = None
    fill(desk, 70)
    report = desk.sync()
    assert (report.pending_vectors, report.embedded_chunks) == (70, 0)
    assert not report.embedding_incomplete
    assert any("keyword_only" in warning for warning in report.warnings)
    with desk.reading() as store:
        assert store.catalog.embedding_identity is None
    desk.embedder = embedder = HashingEmbedder(1024)
    later = desk.sync()
    assert (later.pending_vectors, later.embedded_chunks, later.downloads) == (0, 70, 70)
    assert not later.warnings
    with desk.reading() as store:
        found = found_by_vector(
            store, embedder.embed(["sabbatical number7"], role="query")[0], limit=1
        )
        assert store.catalog.embedding_identity == embedder.identity
    assert found[0][0].split(":")[0] in desk.find("number7")
    desk.embedder = None
    assert desk.sync().pending_vectors == 0


def test_progress_is_told_by_stage_and_ends_where_it_should(desk: Desk, tmp_path: Path) -> None:
    fill(desk, 5)
    told: list[tuple[str, int, int | None]] = []
    with Store.open_for_writing(desk.path) as store:
        Synchroniser(
            store,
            desk.source,
            desk.extractor,
            desk.chunker,
            None,
            supported=lambda _: True,
            extraction="1",
            progress=lambda *step: told.append(step),
        ).run(SyncOptions())
    assert told[-1] == ("reading", 5, 5)
    assert ("listing", 5, None) in told
