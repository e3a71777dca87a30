"""A sync ends with the index learning of itself, and so does a change of its embedder."""

from pathlib import Path

import pytest

from gdrive_rag_mcp.app.syncing import change_embedder, sync_index
from gdrive_rag_mcp.calibrating.run import HANDFUL
from gdrive_rag_mcp.domain import EVERYTHING, CalibrationStatus, SyncReport
from gdrive_rag_mcp.indexing.embedding_run import Terms
from gdrive_rag_mcp.indexing.sync import SyncOptions
from gdrive_rag_mcp.protocols import Embedder
from gdrive_rag_mcp.sources.local import LocalFolderSource
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder
from tests.calibrating.shelf import made
from tests.indexing.desk import AParagraphAChunk, Paragraphs

TEXTS = HANDFUL
"""As many are asked however long it takes."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    kept = tmp_path / "docs"
    kept.mkdir()
    for number in range(TEXTS):
        (kept / f"{number}.txt").write_text(made(number).text, encoding="utf-8")
    return kept


def sync(folder: Path, embedder: Embedder | None, most: int | None = None) -> SyncReport:
    return sync_index(
        folder.parent / "index.db",
        source=LocalFolderSource(folder),
        extractor=Paragraphs(),
        chunker=AParagraphAChunk(),
        embedder=lambda _: embedder,
        options=SyncOptions(max_embeddings=most),
        progress=lambda *_: None,
    )


def status(folder: Path) -> CalibrationStatus:
    with Store.open_for_reading(folder.parent / "index.db") as store:
        return store.catalog.status(EVERYTHING).calibration


def test_a_sync_tells_what_it_asked_and_the_next_one_asks_nothing(folder: Path) -> None:
    embedder = HashingEmbedder(64)
    report = sync(folder, embedder)
    assert (report.probes_asked, report.probes_embedded) == (TEXTS, TEXTS)
    assert embedder.embedded_texts == 2 * TEXTS
    said = status(folder)
    assert (said.chunks, said.probes, said.lacking) == (TEXTS, TEXTS, "")
    assert said.made_at is not None
    assert said.separation is not None
    assert said.separation > 0.9

    again = sync(folder, embedder)

    assert (again.probes_asked, again.probes_embedded) == (0, 0)
    assert embedder.embedded_texts == 2 * TEXTS
    assert status(folder) == said


def test_questions_count_among_the_embeddings_that_a_run_may_make(folder: Path) -> None:
    embedder = HashingEmbedder(64)
    report = sync(folder, embedder, most=TEXTS + 5)
    assert (report.embedded_chunks, report.probes_embedded) == (TEXTS, 5)
    assert embedder.embedded_texts == TEXTS + 5
    assert status(folder).lacking == "max_embeddings"
    assert sync(folder, embedder).probes_embedded == TEXTS - 5
    assert status(folder).lacking == ""


def test_a_changed_embedder_is_asked_anew(folder: Path) -> None:
    sync(folder, HashingEmbedder(64))
    before, other = status(folder), HashingEmbedder(32)
    change_embedder(folder.parent / "index.db", other, Terms())
    after = status(folder)
    assert after.probes == TEXTS
    assert after.vectors_separation != before.vectors_separation
    assert other.embedded_texts == 2 * TEXTS


def test_an_index_of_words_learns_of_itself_too(folder: Path) -> None:
    report = sync(folder, None)
    assert report.probes_asked > 0
    assert report.probes_embedded == 0
    assert status(folder).vectors_separation is None
