"""Bringing the index up to date: list, strike what has gone, read what is new, embed.

The listing goes into the ledger first, so that the ledger, not the source, owns every file from
then on; each file is then one transaction. A run that is killed loses at most the step it was in.
"""

import hashlib
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from gdrive_rag_mcp.domain import (
    EVERYTHING,
    STATE_OF_REASON,
    FileState,
    Reason,
    SyncReport,
)
from gdrive_rag_mcp.errors import (
    ExtractionError,
    FileUnreadableError,
    SettingsError,
    SourceUnavailableError,
)
from gdrive_rag_mcp.indexing.vectorising import Vectoriser
from gdrive_rag_mcp.protocols import Chunker, Embedder, Extractor, Source
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.store.work_queue import WorkItem

MASS_DELETE_FILES = 20
MASS_DELETE_SHARE = 0.3
_FILL_AT = 256

Progress = Callable[[str, int, int | None], None]
"""Told the stage, how much of it is done, and how much there is (None: not known yet)."""


@dataclass(frozen=True, slots=True)
class SyncOptions:
    """`full` looks again at files that were refused or failed, whatever their back-off says."""

    full: bool = False
    allow_mass_delete: bool = False


@dataclass(frozen=True)
class Synchroniser:
    """The write path over one index; whoever runs it holds the writer's lock."""

    store: Store
    source: Source
    extractor: Extractor
    chunker: Chunker
    embedder: Embedder | None
    supported: Callable[[str], bool]
    extraction: str
    """Names the state of extraction: when it changes, every file is read again."""
    progress: Progress = field(default=lambda *_: None)
    clock: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))

    def run(self, options: SyncOptions) -> SyncReport:
        """Bring the index up to date once.

        Raises:
            SourceAuthError: the credentials are missing or refused; nothing was concluded.
            SourceUnavailableError: the root cannot be read; nothing was changed.
            ReindexRequiredError: the index holds another embedder's vectors.
            SettingsError: the index belongs to another root and `full` was not asked for.
        """
        started = time.monotonic()
        self._accept(options)
        run = _Run(self, options, Vectoriser(self.store, self.embedder))
        run.list_changes()
        run.strike_missing()
        run.read_files()
        run.cut_again()
        run.vectoriser.fill()
        return run.finish(started)

    def _accept(self, options: SyncOptions) -> None:
        catalog = self.store.catalog
        if catalog.root not in (None, self.source.root) and not options.full:
            raise SettingsError(
                f"the index holds {catalog.root}, but {self.source.root} is to be synced",
                hint="name another index with --db or a profile, or run `sync --full` to replace "
                "what it holds",
            )
        with self.store.transaction():
            catalog.accept_embedding(self.embedder.identity if self.embedder else None)
        self.source.check()
        with self.store.transaction():
            catalog.root = self.source.root


class _Run:
    """One run's counts and the steps that make them."""

    def __init__(
        self, synchroniser: Synchroniser, options: SyncOptions, vectoriser: Vectoriser
    ) -> None:
        self._s = synchroniser
        self._store = synchroniser.store
        self._options = options
        self.vectoriser = vectoriser
        self._number = self._store.inventory.begin_run()
        self._complete = False
        self._removed = 0
        self._reused = 0
        self._warnings: list[str] = []

    # ── listing ──────────────────────────────────────────────────────────────

    def list_changes(self) -> None:
        """Take the source's news into the ledger, page by page."""
        listed = 0
        try:
            for page in self._s.source.changes(self._store.catalog.cursor):
                with self._store.transaction():
                    self._store.inventory.record(page, self._number)
                    self._store.catalog.cursor = page.cursor
                    for removed in page.removed:
                        self._remove(removed)
                listed += len(page.files)
                self._complete = page.complete
                self._s.progress("listing", listed, None)
        except SourceUnavailableError as error:
            self._complete = False
            self._warnings.append(f"listing_incomplete: {error}")
        with self._store.transaction():
            for moved in self._store.inventory.place():
                self._store.index.refile(moved)

    def strike_missing(self) -> None:
        """Take out what a complete listing did not show, unless so much is gone that it is odd."""
        if not self._complete:
            return
        missing = self._store.inventory.missing(self._number)
        known = self._store.inventory.count()
        odd = len(missing) > MASS_DELETE_FILES and len(missing) > MASS_DELETE_SHARE * known
        if odd and not self._options.allow_mass_delete:
            with self._store.transaction():
                self._store.inventory.hold(missing)
            self._warnings.append(
                f"mass_delete_held: {len(missing)} of {known} files are not listed any more; "
                "if that is right, run `gdrive-rag-mcp sync --allow-mass-delete`"
            )
            return
        for identifier in missing:
            with self._store.transaction():
                self._remove(identifier)
        with self._store.transaction():
            self._store.inventory.drop_folders(self._number)

    def _remove(self, identifier: str) -> None:
        self._store.index.remove(identifier)
        self._removed += self._store.inventory.remove(identifier)

    # ── content ──────────────────────────────────────────────────────────────

    def read_files(self) -> None:
        """Read what is new, changed, or due for another try."""
        with self._store.transaction():
            self._store.queue.look_again(
                extraction=self._s.extraction, everything=self._options.full
            )
        work = self._store.queue.work(self._s.clock())
        with tempfile.TemporaryDirectory(prefix="gdrive-rag-") as folder:
            for done, item in enumerate(work):
                self._s.progress("reading", done, len(work))
                self._read(item, Path(folder) / "content")
                if self.vectoriser.problem is None and self.vectoriser.waiting >= _FILL_AT:
                    self.vectoriser.fill()
        self._s.progress("reading", len(work), len(work))

    def _read(self, item: WorkItem, into: Path) -> None:
        try:
            self._index(item, into, self._fetch(item, into))
        except (FileUnreadableError, ExtractionError) as error:
            self._refuse(item, error.reason, str(error))
        finally:
            into.unlink(missing_ok=True)

    def _fetch(self, item: WorkItem, into: Path) -> str:
        """Bring a file's content here, unless it is known to be of no use; returns its type."""
        if item.file.obstacle is not None:
            raise FileUnreadableError(item.file.obstacle, "the source does not give it out")
        if not self._s.supported(item.file.mime_type):
            raise ExtractionError(
                Reason.UNSUPPORTED_TYPE, f"no extractor for {item.file.mime_type}"
            )
        return self._s.source.read(item.file, into).mime_type

    def _index(self, item: WorkItem, content: Path, mime_type: str) -> None:
        digest = _sha256(content)
        same = item.content_hash == digest and item.extraction == self._s.extraction
        if same and item.searchable:
            stored = self._store.stored_document(item.file.id)
            with self._store.transaction():
                self._store.queue.same_content(item.file.id, stored.failures if stored else ())
            return
        document = self._s.extractor.extract(content, mime_type)
        chunks = self._s.chunker.chunk(document)
        if not chunks:
            raise ExtractionError(Reason.NO_TEXT, "there is no text in it")
        with self._store.transaction():
            self._reused += self._store.index.replace(
                item.file.id, document, chunks, chunking=self._s.chunker.identity
            )
            self._store.queue.indexed(
                item.file.id,
                content_hash=digest,
                extraction=self._s.extraction,
                failures=document.failures,
                now=self._s.clock(),
            )

    def _refuse(self, item: WorkItem, reason: Reason, detail: str) -> None:
        """Note why a file was not indexed.

        A failure may pass, so the old text stays; a refusal is about what the file holds now, so
        text that it does not hold any more goes.
        """
        with self._store.transaction():
            if STATE_OF_REASON[reason] is not FileState.FAILED:
                self._store.index.remove(item.file.id)
            self._store.queue.refused(
                item.file.id,
                reason,
                detail,
                extraction=self._s.extraction,
                now=self._s.clock(),
            )

    def cut_again(self) -> None:
        """Cut documents of another chunking identity anew, from the text that is kept."""
        for identifier in self._store.cut_otherwise(self._s.chunker.identity):
            document = self._store.stored_document(identifier)
            if document is None:
                continue
            with self._store.transaction():
                self._reused += self._store.index.replace(
                    identifier,
                    document,
                    self._s.chunker.chunk(document),
                    chunking=self._s.chunker.identity,
                )

    # ── the end ──────────────────────────────────────────────────────────────

    def finish(self, started: float) -> SyncReport:
        """Note the time of a complete run, tidy up, and report."""
        now = self._s.clock()
        with self._store.transaction():
            self._store.catalog.chunking_identity = self._s.chunker.identity
            if self._complete:
                self._store.catalog.last_sync = now
        self._store.tidy(now)
        coverage = self._store.ledger.coverage(EVERYTHING)
        changes = self._store.queue.changes()
        waiting = self.vectoriser.waiting
        if self.vectoriser.problem is not None:
            self._warnings.append(f"embedding_incomplete: {self.vectoriser.problem}")
        elif waiting:
            self._warnings.append(
                f"keyword_only: no embedder, so {waiting} chunks are found by their words alone"
            )
        usage = self._s.source.usage
        return SyncReport(
            added=changes.get("added", 0),
            updated=changes.get("updated", 0),
            unchanged=changes.get("", 0),
            moved=changes.get("moved", 0),
            removed=self._removed,
            held=coverage.by_state.get(FileState.HELD, 0),
            embedded_chunks=self.vectoriser.embedded,
            reused_chunks=self._reused,
            pending_vectors=waiting,
            api_calls=usage.api_calls,
            downloads=usage.downloads,
            seconds=time.monotonic() - started,
            complete=self._complete,
            coverage=coverage,
            warnings=tuple(self._warnings),
            embedding_incomplete=self.vectoriser.problem is not None,
        )


def _sha256(path: Path) -> str:
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
