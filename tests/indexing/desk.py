"""What a sync is made of when only the sync itself is in question: for tests."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from gdrive_rag_mcp.domain import (
    EVERYTHING,
    SEARCHABLE_STATES,
    Chunk,
    Document,
    FileRecord,
    Reason,
    SyncPlan,
    SyncReport,
)
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.indexing.progress import Progress
from gdrive_rag_mcp.indexing.sync import Synchroniser, SyncOptions
from gdrive_rag_mcp.protocols import Embedder
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.hand_written import cut, found_by_words, joined
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder
from gdrive_rag_mcp.testing.memory_source import InMemorySource


class Paragraphs:
    """Extracts plain text; a paragraph that reads `!reason` is that refusal, `?x` a failed part."""

    def __init__(self) -> None:
        self.extracted = 0

    def extract(self, content: Path, mime_type: str) -> Document:
        self.extracted += 1
        paragraphs = [text for text in content.read_text("utf-8").split("\n\n") if text.strip()]
        for text in paragraphs:
            if text.startswith("!"):
                raise ExtractionError(Reason(text[1:]), f"said {text}")
        failures = tuple(text for text in paragraphs if text.startswith("?"))
        document = joined([text for text in paragraphs if text not in failures])
        return Document("", document.text, document.segments, failures)


@dataclass
class AParagraphAChunk:
    """Cuts a chunk a paragraph; `identity` can be changed."""

    identity: str = "a paragraph a chunk"

    def chunk(self, document: Document) -> tuple[Chunk, ...]:
        if self.identity == "nothing":
            return ()
        return tuple(cut([document.text[s.start : s.end] for s in document.segments]))


class Killed(BaseException):
    """What a sync that is killed right after a page was kept looks like from outside."""


@dataclass
class Desk:
    """An index, a source, and everything between; time stands still unless it is moved."""

    path: Path
    source: InMemorySource = field(default_factory=InMemorySource)
    extractor: Paragraphs = field(default_factory=Paragraphs)
    chunker: AParagraphAChunk = field(default_factory=AParagraphAChunk)
    embedder: Embedder | None = field(default_factory=lambda: HashingEmbedder(64))
    extraction: str = "1"
    now: datetime = datetime(2026, 6, 1, tzinfo=UTC)
    rows_written: int = 0

    def sync(self, *, full: bool = False, allow_mass_delete: bool = False) -> SyncReport:
        """Sync once; whatever came of it, the report's numbers must add up."""
        options = SyncOptions(full=full, allow_mass_delete=allow_mass_delete)
        with Store.open_for_writing(self.path) as store:
            report = self.synchroniser(store).run(options)
            self.rows_written = store._connection.total_changes()
        assert_adds_up(report)
        self.assert_sound()
        return report

    def plan(self, *, full: bool = False, allow_mass_delete: bool = False) -> SyncPlan:
        """What a sync would do; that this changes nothing is seen to on every occasion."""
        options = SyncOptions(full=full, allow_mass_delete=allow_mass_delete)
        with Store.open_for_writing(self.path) as store:
            before = dumped(store)
            plan = self.synchroniser(store).plan(options)
            assert dumped(store) == before
        return plan

    def sync_killed_after(self, pages: int) -> bool:
        """Sync, but be killed when so many pages were kept; false if there are fewer."""
        kept = 0

        def kill(stage: str, done: int, total: int | None) -> None:
            nonlocal kept
            kept += stage == "listing"
            if kept == pages:
                raise Killed

        with Store.open_for_writing(self.path) as store:
            try:
                self.synchroniser(store, kill).run(SyncOptions(allow_mass_delete=True))
            except Killed:
                return True
        return False

    def synchroniser(self, store: Store, progress: Progress = lambda *_: None) -> Synchroniser:
        return Synchroniser(
            store,
            self.source,
            self.extractor,
            self.chunker,
            self.embedder,
            supported=lambda mime_type: mime_type.startswith("text/"),
            extraction=self.extraction,
            progress=progress,
            clock=lambda: self.now,
        )

    def assert_sound(self) -> None:
        """No line of the ledger says more than there is, and no chunk belongs to nobody."""
        with self.reading() as store:
            status = store.catalog.status(EVERYTHING)
            chunks = 0
            for record in store.ledger.all(EVERYTHING):
                texts = [chunk.text for _, chunk in store.catalog.chunks(record.id, EVERYTHING)]
                assert len(texts) == record.chunk_count
                if record.state in SEARCHABLE_STATES:
                    assert texts, f"{record.path} is {record.state} without a chunk"
                    assert record.indexed_at
                chunks += len(texts)
            assert status.chunks == chunks

    def content(self) -> list[tuple[object, ...]]:
        """All that a reader can see, but for times and private numbers."""
        with self.reading() as store:
            return [
                (
                    *(record.id, record.path, record.state, record.reason, record.version),
                    *(chunk.text for _, chunk in store.catalog.chunks(record.id, EVERYTHING)),
                )
                for record in store.ledger.all(EVERYTHING)
            ]

    def searchable(self) -> dict[str, str]:
        """The files of which something can be found, with their paths."""
        with self.reading() as store:
            records = list(store.ledger.all(EVERYTHING))
        return {record.id: record.path for record in records if record.chunk_count}

    def has_line(self, item_id: str) -> bool:
        with self.reading() as store:
            return store.ledger.get(item_id, EVERYTHING) is not None

    def reading(self) -> Store:
        return Store.open_for_reading(self.path)

    def find(self, question: str) -> set[str]:
        with self.reading() as store:
            return {hit.document_id for hit in found_by_words(store, question)}

    def record(self, file_id: str) -> FileRecord:
        with self.reading() as store:
            found = store.ledger.get(file_id, EVERYTHING)
        assert found, f"{file_id} has no line in the ledger"
        return found

    def later(self, **time: float) -> None:
        self.now += timedelta(**time)


def cost(desk: Desk) -> tuple[int, int]:
    """How many files were fetched, and how many read."""
    return desk.source.usage.downloads, desk.extractor.extracted


def dumped(store: Store) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table."""
    connection = store._connection
    tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
    return {str(name): connection.execute(f"SELECT * FROM {name}").fetchall() for (name,) in tables}


def fill(desk: Desk, count: int) -> list[str]:
    """Add files that each say `sabbatical` and a number of their own; returns their ids."""
    return [desk.source.add_file(f"{n}.md", f"sabbatical number{n}") for n in range(count)]


def assert_adds_up(report: SyncReport) -> None:
    coverage = report.coverage
    changed = report.added + report.updated + report.moved + report.unchanged
    assert changed + coverage.held_with_text == coverage.searchable
    assert coverage.searchable + coverage.unreadable == coverage.in_scope
    assert sum(coverage.by_reason.values()) <= coverage.in_scope
