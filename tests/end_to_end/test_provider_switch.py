"""The embedder of an index is changed, and changed back, while somebody searches all the time.

The embedded model and its vectors are real, and so are the commands; the other provider is a server
on loopback.
"""

import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from gdrive_rag_mcp import wiring
from gdrive_rag_mcp.app import Reader
from gdrive_rag_mcp.domain import Mode
from gdrive_rag_mcp.protocols import Embedder
from gdrive_rag_mcp.settings import load_settings
from gdrive_rag_mcp.testing.embedding_server import EmbeddingServer
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder
from tests.end_to_end.program import Run

FILES = 40


@dataclass
class Searching:
    """One who asks without a pause, and notes what came of it."""

    reader: Reader
    asked: int = 0
    worse: list[str] = field(default_factory=list)
    errors: list[BaseException] = field(default_factory=list)
    stopped: threading.Event = field(default_factory=threading.Event)

    def go_on(self) -> None:
        try:
            while not self.stopped.is_set():
                number = self.asked % FILES
                outcome = self.reader.search(f"How much does item {number} cost?", limit=FILES)
                self.asked += 1
                found = outcome.retrieved.hits if outcome.retrieved else ()
                names = [hit.passage.document_id for hit in found]
                if outcome.mode is not Mode.HYBRID or f"item{number}.md" not in names:
                    self.worse.append(f"{number}: {outcome.mode} {outcome.warnings} {names}")
        except BaseException as error:  # noqa: BLE001 - handed to the thread that judges
            self.errors.append(error)

    def until(self, asked: int) -> None:
        """Wait until it has asked that many more times, or failed."""
        goal = self.asked + asked
        while self.asked < goal and not self.errors:
            self.stopped.wait(0.01)


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with EmbeddingServer(HashingEmbedder(96)) as running:
        yield running


def test_the_provider_is_changed_and_changed_back_under_somebody_who_searches(
    run: Run, tmp_path: Path, server: EmbeddingServer, real_embedder: Embedder
) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    for number in range(FILES):
        text = f"# Prices\n\nItem {number} costs {number * 7 + 3} crowns a piece.\n"
        (folder / f"item{number}.md").write_text(text, encoding="utf-8")
    environ = {
        "GDRIVE_RAG_SOURCE": f"folder:{folder}",
        "GDRIVE_RAG_DB_PATH": str(tmp_path / "index.db"),
    }
    elsewhere = {
        "GDRIVE_RAG_EMBED_BASE_URL": server.base_url,
        "GDRIVE_RAG_EMBED_MODEL": "words",
    }
    embedded = {**environ, "GDRIVE_RAG_EMBED_PROVIDER": "embedded"}
    other = {**environ, **elsewhere, "GDRIVE_RAG_EMBED_PROVIDER": "openai-compatible"}
    assert run("sync", environ=embedded).code == 0
    # Whoever reads names no provider: it is the one that the index was made with.
    home = {name: os.environ[name] for name in ("HOME", "XDG_CACHE_HOME")}
    settings = load_settings(environ={**home, **environ, **elsewhere})
    searching = Searching(wiring.make_reader(settings, resident=True))
    thread = threading.Thread(target=searching.go_on)
    thread.start()
    try:
        searching.until(5)
        there = run("reindex", "--yes", "--json", environ=other)
        assert there.code == 0, there.err
        searching.until(20)
        assert len(server.requests) > FILES / 32
        back = run("reindex", "--yes", "--json", environ=embedded)
        assert back.code == 0, back.err
        searching.until(20)
    finally:
        searching.stopped.set()
        thread.join()

    if searching.errors:
        raise searching.errors[0]
    assert not searching.worse
    assert there.json["embedded"] == FILES
    assert back.json["embedded"] == 0, "the former vectors are still known"
    assert run("status", "--json", environ=environ).json["generation"] == 3
