"""Switching OCR on and off, and changing its languages: what is read again, and what is not."""

from collections.abc import Callable
from pathlib import Path

import pytest

from gdrive_rag_mcp.app.syncing import sync_index
from gdrive_rag_mcp.chunking.structural import StructuralChunker
from gdrive_rag_mcp.domain import EVERYTHING, FileState, Reason, SyncReport
from gdrive_rag_mcp.extraction.isolation.sandbox import Sandbox
from gdrive_rag_mcp.extraction.options import Ocr, Options
from gdrive_rag_mcp.indexing.sync import SyncOptions
from gdrive_rag_mcp.presentation.objects import locator_object
from gdrive_rag_mcp.presentation.plain import place
from gdrive_rag_mcp.sources.local import LocalFolderSource
from gdrive_rag_mcp.store import Store
from tests.extraction.scans import LETTER, installed, picture, scan

Sync = Callable[[Ocr | None], SyncReport]


@pytest.fixture
def sync(tmp_path: Path) -> Sync:
    """Sync a folder with a note, a typed PDF and a scan."""
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "note.txt").write_text("A note about bicycles.", encoding="ascii")
    (folder / "typed.pdf").write_bytes(scan(["A typed page, not scanned."]))
    (folder / "scan.pdf").write_bytes(scan([picture(LETTER)]))
    (folder / "mixed.pdf").write_bytes(scan(["A typed cover, not scanned.", picture(LETTER)]))

    def run(ocr: Ocr | None) -> SyncReport:
        with Sandbox(options=Options(ocr)) as sandbox:
            return sync_index(
                tmp_path / "index.db",
                source=LocalFolderSource(folder),
                extractor=sandbox,
                chunker=StructuralChunker(size=300, overlap=40),
                embedder=lambda _: None,
                options=SyncOptions(),
                progress=lambda *_: None,
                ocr="+".join(ocr.languages) if ocr else "",
            )

    return run


def ledger(folder: Path) -> dict[str, tuple[FileState, Reason | None]]:
    with Store.open_for_reading(folder / "index.db") as store:
        records = list(store.ledger.all(EVERYTHING))
    return {record.name: (record.state, record.reason) for record in records}


def test_what_needed_ocr_is_read_when_it_is_switched_on_and_nothing_else(
    tmp_path: Path, sync: Sync
) -> None:
    english = installed("eng")

    assert sync(None).downloads == 4
    assert ledger(tmp_path)["scan.pdf"] == (FileState.EMPTY, Reason.NEEDS_OCR)
    assert ledger(tmp_path)["mixed.pdf"] == (FileState.PARTIAL, Reason.PARTS_FAILED)
    assert sync(None).downloads == 0

    assert sync(english).downloads == 2
    assert set(ledger(tmp_path).values()) == {(FileState.INDEXED, None)}
    assert sync(english).downloads == 0


@pytest.mark.acceptance
def test_what_was_recognised_otherwise_is_read_again(tmp_path: Path, sync: Sync) -> None:
    english, both = installed("eng"), installed("eng", "osd")

    sync(english)
    assert sync(both).downloads == 2
    assert sync(both).downloads == 0
    assert sync(None).downloads == 2
    assert ledger(tmp_path)["scan.pdf"] == (FileState.EMPTY, Reason.NEEDS_OCR)


def test_what_was_recognised_is_found_and_cited_as_such(tmp_path: Path, sync: Sync) -> None:
    sync(installed("eng"))

    with Store.open_for_reading(tmp_path / "index.db") as store:
        (scanned,) = [
            record for record in store.ledger.all(EVERYTHING) if record.name == "scan.pdf"
        ]
        document = store.stored_document(scanned.id)
    assert document
    cited = locator_object(document.segments[0].locator)
    assert (cited["kind"], cited["value"], cited["ocr"]) == ("page", "1", True)
    assert 80 <= cited["confidence"] <= 100
    assert "% sure" in place(document.segments[0].locator)
