"""What a sync refuses to begin with, and that nothing has changed then."""

from collections.abc import Iterator

import pytest

from gdrive_rag_mcp.domain import ChangePage, SourceUsage
from gdrive_rag_mcp.errors import (
    ReindexRequiredError,
    SettingsError,
    SourceAuthError,
    SourceUnavailableError,
)
from gdrive_rag_mcp.protocols import Frontier
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder
from gdrive_rag_mcp.testing.memory_source import InMemorySource
from tests.indexing.desk import Desk, fill


def test_another_root_is_refused_until_it_is_asked_for_in_full(desk: Desk) -> None:
    fill(desk, 30)
    desk.sync()
    desk.source = InMemorySource("elsewhere")
    new = desk.source.add_file("new.md", "brand new")
    with pytest.raises(SettingsError, match="memory:elsewhere"):
        desk.sync()
    assert len(desk.find("sabbatical")) == 30
    with desk.reading() as store:
        assert store.catalog.root == "memory:memory"
    report = desk.sync(full=True)
    assert (report.updated, report.removed, report.held) == (1, 29, 0), "the ids of both agree"
    assert desk.find("sabbatical new") == {new}
    desk.sync()


def test_a_root_that_cannot_be_read_changes_nothing(desk: Desk) -> None:
    desk.source.failure = SourceUnavailableError("gone", hint="mount it")
    with pytest.raises(SourceUnavailableError):
        desk.sync()
    with desk.reading() as store:
        assert store.catalog.root is None
        assert store.catalog.embedding_identity is None
        assert store.catalog.recorded_embedding is None


def test_refused_credentials_end_the_run_and_nothing_is_concluded(desk: Desk) -> None:
    fill(desk, 3)
    desk.sync()
    desk.source.failure = SourceAuthError("revoked")
    with pytest.raises(SourceAuthError):
        desk.sync()
    desk.source.failure = None
    assert desk.sync().unchanged == 3


def test_another_embedder_is_refused_before_anything_is_listed(desk: Desk) -> None:
    fill(desk, 3)
    desk.sync()
    calls = desk.source.usage
    desk.embedder = HashingEmbedder(32)
    with pytest.raises(ReindexRequiredError, match=r"64 dimensions.*32 dimensions"):
        desk.sync()
    assert desk.source.usage == calls == SourceUsage(calls.api_calls, 3)
    assert len(desk.find("sabbatical")) == 3


def test_full_forgets_where_the_news_were_left(desk: Desk) -> None:
    fill(desk, 1)
    desk.sync()
    asked: list[str | None] = []

    class Noting(InMemorySource):
        def changes(self, cursor: str | None, frontier: Frontier) -> Iterator[ChangePage]:
            asked.append(cursor)
            return super().changes(cursor, frontier)

    desk.source = Noting()
    fill(desk, 1)
    for full in (False, True):
        with Store.open_for_writing(desk.path) as store:
            store.catalog.cursor = "page 7"
        desk.sync(full=full)
    assert asked == ["page 7", None]
