"""From settings to an index and back through Gemini's wire format, over real HTTP."""

from collections.abc import Callable
from pathlib import Path

import pytest

from gdrive_rag_mcp import wiring
from gdrive_rag_mcp.domain import Mode, SyncReport
from gdrive_rag_mcp.indexing.sync import SyncOptions
from gdrive_rag_mcp.settings import Settings, load_settings
from gdrive_rag_mcp.testing.gemini_server import GeminiServer, over_quota
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder

KEY = "AIza-hunter2"
Choose = Callable[[GeminiServer], Settings]


@pytest.fixture
def choose(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Choose:
    """Settings for two documents that name no provider, where a Gemini key is set."""
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "leave.md").write_text("# Leave\n\nUnpaid leave lasts 12 weeks.", encoding="utf-8")
    (folder / "rent.md").write_text("# Rent\n\nThe deposit is two rents.", encoding="utf-8")
    monkeypatch.setenv("GEMINI_API_KEY", KEY)

    def settings(server: GeminiServer) -> Settings:
        return load_settings(
            environ={
                "HOME": str(tmp_path),
                "GDRIVE_RAG_SOURCE": f"folder:{folder}",
                "GDRIVE_RAG_DB_PATH": str(tmp_path / "index.db"),
                "GDRIVE_RAG_EMBED_BASE_URL": server.base_url,
                "GDRIVE_RAG_EMBED_DIMENSIONS": "64",
            }
        )

    return settings


def _tasks(server: GeminiServer) -> set[str]:
    return {one["taskType"] for request in server.requests for one in request.body["requests"]}


def _sync(settings: Settings, said: list[str]) -> SyncReport:
    return wiring.sync(settings, SyncOptions(), progress=lambda *_: None, report=said.append)


def test_a_new_index_is_made_and_asked_through_gemini_where_its_key_is_set(
    choose: Choose,
) -> None:
    said: list[str] = []
    with GeminiServer(HashingEmbedder(64)) as server:
        report = _sync(choose(server), said)
        assert _tasks(server) == {"RETRIEVAL_DOCUMENT"}
        server.requests.clear()

        outcome = wiring.make_reader(choose(server), resident=False).search("how long is leave")
        assert _tasks(server) == {"RETRIEVAL_QUERY"}
        assert {request.headers["x-goog-api-key"] for request in server.requests} == {KEY}

    assert (report.embedded_chunks, report.pending_vectors) == (2, 0)
    assert outcome.mode is Mode.HYBRID
    assert any("Gemini" in line and "bills every chunk" in line for line in said)
    assert not any(KEY in line for line in said)


def test_a_days_quota_leaves_an_index_of_words_that_the_next_sync_completes(
    choose: Choose,
) -> None:
    fault = over_quota("9s", "PerDayPerProject")
    with GeminiServer(HashingEmbedder(64), faults=[fault]) as server:
        report = _sync(choose(server), [])
        asked = len(server.requests)
        again = _sync(choose(server), [])

    assert asked == 1
    assert (report.coverage.searchable, report.pending_vectors) == (2, 2)
    assert (again.embedded_chunks, again.pending_vectors) == (2, 0)


def test_an_index_of_words_alone_is_not_given_to_gemini_for_the_sake_of_a_key(
    choose: Choose, tmp_path: Path
) -> None:
    with GeminiServer(HashingEmbedder(64)) as server:
        unset = choose(server)
        words = unset.model_copy(update={"embed_provider": "none"})
        assert _sync(words, []).pending_vectors == 2
        nowhere = {"embed_model_path": tmp_path / "nowhere", "embed_dimensions": None}

        _sync(unset.model_copy(update=nowhere), [])
        wiring.plan(
            unset.model_copy(update=nowhere),
            SyncOptions(),
            progress=lambda *_: None,
            report=lambda _: None,
        )

        assert server.requests == []
        named = unset.model_copy(update={"embed_provider": "gemini"})
        assert _sync(named, []).pending_vectors == 0
        assert server.requests
