"""Bringing the index up to date: list, strike what has gone, read what is new, embed.

The listing goes into the ledger first, so that the ledger, not the source, owns every file from
then on; each file is then one transaction. A run that is killed loses at most the step it was in.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from gdrive_rag_mcp.domain import EVERYTHING, FileState, SyncReport
from gdrive_rag_mcp.errors import SettingsError, SourceUnavailableError
from gdrive_rag_mcp.indexing.content import ContentReader, Tools
from gdrive_rag_mcp.indexing.progress import Progress
from gdrive_rag_mcp.indexing.vectorising import Vectoriser
from gdrive_rag_mcp.protocols import Chunker, Embedder, Extractor, Source
from gdrive_rag_mcp.store import Store

__all__ = ["SyncOptions", "Synchroniser"]

MASS_DELETE_FILES = 20
MASS_DELETE_SHARE = 0.3


@dataclass(frozen=True, slots=True)
class SyncOptions:
    """`full` lists everything, and looks again at what was refused or failed, rested or not."""

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
        replaces = self._accept(options)
        vectoriser = Vectoriser(self.store, self.embedder, self.progress)
        content = ContentReader(self.store, self._tools(), vectoriser)
        run = _Run(self, options, vectoriser, content, replaces=replaces)
        run.list_changes()
        run.strike_missing()
        run.content.read_files(everything=options.full)
        run.content.cut_again()
        run.vectoriser.fill()
        return run.finish(started)

    def _tools(self) -> Tools:
        return Tools(
            self.source,
            self.extractor,
            self.chunker,
            self.supported,
            self.extraction,
            self.progress,
            self.clock,
        )

    def _accept(self, options: SyncOptions) -> bool:
        """See that this source and embedder may write the index; true if the root is another."""
        catalog = self.store.catalog
        other_root = catalog.root not in (None, self.source.root)
        if other_root and not options.full:
            raise SettingsError(
                f"the index holds {catalog.root}, but {self.source.root} is to be synced",
                hint="name another index with --db or a profile, or run `sync --full` to replace "
                "what it holds",
            )
        identity = self.embedder.identity if self.embedder else None
        catalog.require_same_embedding(identity)
        self.source.check()
        with self.store.transaction():
            catalog.accept_embedding(identity)
            catalog.root = self.source.root
            if options.full:
                catalog.cursor = None
            if other_root:
                self.store.inventory.forget_versions()
        return other_root


class _Run:
    """One run's counts and the steps that make them."""

    def __init__(
        self,
        synchroniser: Synchroniser,
        options: SyncOptions,
        vectoriser: Vectoriser,
        content: ContentReader,
        *,
        replaces: bool,
    ) -> None:
        self._s = synchroniser
        self._store = synchroniser.store
        self._may_empty = replaces or options.allow_mass_delete
        self.vectoriser = vectoriser
        self.content = content
        self._number = self._store.inventory.begin_run()
        self._complete = False
        self._removed = 0
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
        known = self._store.inventory.known_before()
        gone = len(missing) - self._store.inventory.came_back_elsewhere(self._number)
        odd = gone > MASS_DELETE_FILES and gone > MASS_DELETE_SHARE * known
        if odd and not self._may_empty:
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
            reused_chunks=self.content.reused + self.vectoriser.reused,
            pending_vectors=waiting,
            api_calls=usage.api_calls,
            downloads=usage.downloads,
            seconds=time.monotonic() - started,
            complete=self._complete,
            coverage=coverage,
            warnings=tuple(self._warnings),
            embedding_incomplete=self.vectoriser.problem is not None,
        )
