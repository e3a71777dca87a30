"""A fake Drive, an index of it, and what a test does to the one and asks of the other."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from gdrive_rag_mcp import wiring
from gdrive_rag_mcp.app.syncing import sync_index
from gdrive_rag_mcp.domain import EVERYTHING, Document, FileRecord, FileState, SyncReport
from gdrive_rag_mcp.extraction.reading import read_document
from gdrive_rag_mcp.indexing.sync import SyncOptions
from gdrive_rag_mcp.settings import Settings, load_settings
from gdrive_rag_mcp.sources.drive import DriveSource
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.fake_drive import FakeDrive, Request
from gdrive_rag_mcp.testing.hand_written import found_by_words
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder
from tests.end_to_end.program import Ended, Run

SIGNING_IN = ("token", "auth")
CONTENT = ("media", "export", "export_link")


class Killed(BaseException):
    """What a sync that is killed looks like from outside."""


class ReadHere:
    """The real parsers, in this process."""

    def extract(self, content: Path, mime_type: str) -> Document:
        return read_document(content, mime_type)


@dataclass
class Scene:
    """One Drive, one root in it, one index; `at` makes another index of the same Drive."""

    drive: FakeDrive
    home: Path
    command: Run
    folder: str | None = None
    shared_drive: str | None = None
    name: str = "index"
    extra: dict[str, str] = field(default_factory=dict)
    waits: list[float] = field(default_factory=list)
    embedder: HashingEmbedder = field(default_factory=HashingEmbedder)

    # ── what is synced ───────────────────────────────────────────────────────

    def at(
        self, folder: str | None = None, shared_drive: str | None = None, *, name: str = "other"
    ) -> "Scene":
        """The same Drive with another root, in an index of its own."""
        return Scene(
            self.drive, self.home, self.command, folder, shared_drive, name, dict(self.extra)
        )

    @property
    def index(self) -> Path:
        """The index file."""
        return self.home / f"{self.name}.db"

    @property
    def environ(self) -> dict[str, str]:
        """The settings of a process that syncs this root into this index."""
        key_file = self.home / "key.json"
        named = {"GDRIVE_FOLDER_ID": self.folder, "GDRIVE_SHARED_DRIVE_ID": self.shared_drive}
        given = {name: value for name, value in named.items() if value}
        if not given:
            given = {"GDRIVE_FOLDER_ID": self.drive.root}
        return {
            **given,
            "GOOGLE_SERVICE_ACCOUNT_FILE": str(self.drive.write_key_file(key_file)),
            "GDRIVE_RAG_DRIVE_ENDPOINT": self.drive.url,
            "GDRIVE_RAG_DRIVE_QPS": "0",
            "GDRIVE_RAG_DB_PATH": str(self.index),
            "HOME": str(self.home),
            **self.extra,
        }

    @property
    def settings(self) -> Settings:
        """The same, read."""
        return load_settings(environ=self.environ)

    def source(self) -> DriveSource:
        """The source as wiring makes it, but for its sleeps, which are noted and not slept."""
        settings = self.settings
        identity = wiring.make_identity(
            settings, report=lambda _: None, environ={"HOME": str(self.home)}
        )
        return DriveSource(
            settings.gdrive_folder_id,
            identity,
            shared_drive_id=settings.gdrive_shared_drive_id,
            endpoint=settings.drive_endpoint,
            calls_per_second=settings.drive_qps,
            sleep=self.waits.append,
        )

    # ── syncing ──────────────────────────────────────────────────────────────

    def sync(
        self,
        *,
        full: bool = False,
        allow_mass_delete: bool = False,
        readers: int = 1,
        kill_after_pages: int | None = None,
    ) -> SyncReport:
        """Sync once in this process; the requests before are forgotten.

        Raises:
            Killed: `kill_after_pages` pages of the listing were kept.
            GdriveRagError: as a sync does.
        """
        settings = self.settings
        self.drive.requests.clear()
        self.waits.clear()
        source = self.source()
        try:
            return sync_index(
                self.index,
                source=source,
                extractor=ReadHere(),
                chunker=wiring.make_chunker(settings),
                embedder=lambda _: self.embedder,
                options=SyncOptions(full=full, allow_mass_delete=allow_mass_delete),
                progress=_killing(kill_after_pages),
                readers=readers,
            )
        finally:
            source.close()

    def run(self, *words: str) -> Ended:
        """`gdrive-rag-mcp` as a process over this root and index, without an embedder.

        An index is either this one's or `sync`'s: their embedders differ.
        """
        return self.command(*words, environ=self.environ)

    def age(self, by: timedelta) -> None:
        """Let time pass: since the latest crawl, and until whatever rests is due."""
        with Store.open_for_writing(self.index) as store, store.transaction():
            for moment in ("last_crawl", "crawl_began"):
                known = getattr(store.catalog, moment)
                if known is not None:
                    setattr(store.catalog, moment, known - by)
            for table, moment in (("files", "next_attempt"), ("folders", "doubted")):
                store._connection.execute(
                    f"UPDATE {table} SET {moment} = strftime('%Y-%m-%dT%H:%M:%fZ', {moment}, ?)"
                    f" WHERE {moment} IS NOT NULL",
                    (f"-{by.total_seconds():.0f} seconds",),
                )

    # ── the Drive ────────────────────────────────────────────────────────────

    def add(self, name: str, folder: str | None = None, text: str | None = None) -> str:
        """Upload a Markdown file that holds a word of its own: `wordof(name)`. Returns its id."""
        parent = folder or self.folder or self.shared_drive
        content = text or f"# About {wordof(name)}\n\nThe {wordof(name)} is written here.\n"
        return self.drive.files.add_file(name, content.encode(), parent)

    def add_folder(self, name: str, folder: str | None = None) -> str:
        """Make a folder, by default in the root. Returns its id."""
        return self.drive.files.add_folder(name, folder or self.folder or self.shared_drive)

    def calls(self) -> Counter[str]:
        """What the latest sync asked, by kind, without signing in: list, get, changes, media ..."""
        counts = self.drive.counts()
        return Counter({kind: n for kind, n in counts.items() if kind not in SIGNING_IN})

    def contents(self) -> int:
        """How many contents the latest sync fetched."""
        return sum(self.calls()[kind] for kind in CONTENT)

    def requests(self, kind: str) -> list[Request]:
        """The latest sync's requests of a kind."""
        return [request for request in self.drive.requests if request.kind == kind]

    # ── the index ────────────────────────────────────────────────────────────

    def records(self) -> list[FileRecord]:
        """The ledger in order of path."""
        with Store.open_for_reading(self.index) as store:
            return list(store.ledger.all(EVERYTHING))

    def ledger(self) -> dict[str, str]:
        """`state`, or `state:reason`, by path."""
        return {
            record.path: record.state.value + (f":{record.reason.value}" if record.reason else "")
            for record in self.records()
        }

    def record(self, name: str) -> FileRecord:
        """The only line of the ledger of this name."""
        [record] = [record for record in self.records() if record.name == name]
        return record

    def state(self, name: str) -> FileState:
        """The state of the only item of this name."""
        return self.record(name).state

    def searchable(self) -> set[str]:
        """The names of the files of which something can be found, an older version included."""
        return {record.name for record in self.records() if record.chunk_count}

    def find(self, words: str) -> list[str]:
        """The names of the documents in which these words are found, best first."""
        with Store.open_for_reading(self.index) as store:
            found = found_by_words(store, words)
        named = {record.id: record.name for record in self.records()}
        return list(dict.fromkeys(named[passage.document_id] for passage in found))


def wordof(name: str) -> str:
    """A word that only the file of this name holds."""
    return "w" + "".join(f"{ord(letter):x}" for letter in name)


def _killing(after: int | None) -> Callable[[str, int, int | None], None]:
    kept = 0

    def progress(stage: str, done: int, total: int | None) -> None:
        nonlocal kept
        kept += stage == "listing"
        if after is not None and kept == after:
            raise Killed

    return progress
