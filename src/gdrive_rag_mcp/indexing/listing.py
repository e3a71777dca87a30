"""What is new: a source's pages into the ledger, and what has gone out of the index.

A file is only ever taken out when the source told so and everything else it had to tell was heard,
or when a listing that met no error did not show it, or no way leads to it any more.
"""

from collections.abc import Callable
from datetime import datetime, timedelta

from gdrive_rag_mcp.domain import ChangePage
from gdrive_rag_mcp.errors import RootUnavailableError, SourceUnavailableError
from gdrive_rag_mcp.indexing.progress import Progress
from gdrive_rag_mcp.protocols import Source
from gdrive_rag_mcp.store import Store

MASS_DELETE_FILES = 20
MASS_DELETE_SHARE = 0.3
RECONCILE_AFTER = timedelta(days=7)
"""Access can be lost without a word in any log: everything is listed again this often."""


class News:
    """One run's listing; `settled` says that nothing remained to be heard."""

    def __init__(
        self,
        store: Store,
        source: Source,
        progress: Progress,
        clock: Callable[[], datetime],
        *,
        may_empty: bool,
    ) -> None:
        self._store = store
        self._source = source
        self._progress = progress
        self._clock = clock
        self._may_empty = may_empty
        self._caught_up = False
        self._heard = 0
        self.settled = False
        self.removed = 0
        self.warnings: list[str] = []

    def take(self, *, anew: bool) -> None:
        """Take the source's news into the ledger, page by page; or list everything anew.

        Raises:
            SourceAuthError: the credentials were refused on the way.
            RootUnavailableError: the root was lost on the way.
        """
        with self._store.transaction():
            self._store.inventory.begin_run()
        self._place()  # what a killed run has left
        now = self._clock()
        cursor = None if anew or self._is_due(now) else self._store.catalog.cursor
        try:
            for page in self._source.changes(cursor, self._store.frontier(now)):
                self._keep(page)
        except RootUnavailableError:
            raise
        except SourceUnavailableError as error:
            self.warnings.append(f"listing_incomplete: {error}")
        else:
            self.settled = True
        self._place()

    def _is_due(self, now: datetime) -> bool:
        catalog = self._store.catalog
        latest = catalog.crawl_began or catalog.last_crawl
        return latest is not None and now - latest > RECONCILE_AFTER

    def _keep(self, page: ChangePage) -> None:
        """Keep a page and where to go on after it, together or not at all."""
        if page.complete and self._store.straying.unseen():
            # A folder that lost its root meanwhile lists as empty: that is no news of its files.
            self._source.check()
        now = self._clock()
        with self._store.transaction():
            if page.begins:
                self._store.inventory.begin_listing()
                self._store.catalog.crawl_began = now
            self._store.inventory.record(page, now)
            if page.complete:
                self._store.straying.close_listing()
                self._store.catalog.last_crawl = now
            if page.caught_up:
                self._store.catalog.last_poll = now
                self._caught_up = True
            if page.cursor is not None:
                self._store.catalog.cursor = page.cursor
        self._heard += len(page.files)
        self._progress("listing", self._heard, None)

    def _place(self) -> None:
        with self._store.transaction():
            for moved in self._store.inventory.place():
                self._store.index.refile(moved)

    # ── what has gone ────────────────────────────────────────────────────────

    def verdict(self) -> tuple[list[str], list[str]]:
        """The files to remove, and those to hold because so much at once is odd."""
        if not (self.settled or self._caught_up):
            return [], []
        straying = self._store.straying
        strays = straying.strays(told_only=not self.settled)
        gone = len(strays) - straying.came_back_elsewhere(strays)
        odd = gone > MASS_DELETE_FILES and gone > MASS_DELETE_SHARE * straying.known_before()
        return ([], strays) if odd and not self._may_empty else (strays, [])

    def strike(self) -> None:
        """Take out what has gone, or hold it until somebody confirms that it has."""
        to_remove, to_hold = self.verdict()
        with self._store.transaction():
            self._store.straying.release()
            self._store.straying.hold(to_hold)
        if to_hold:
            known = self._store.straying.known_before()
            self.warnings.append(
                f"mass_delete_held: {len(to_hold)} of {known} files are not there any more; "
                "if that is right, run `gdrive-rag-mcp sync --allow-mass-delete`"
            )
            return
        for identifier in to_remove:
            with self._store.transaction():
                self._store.index.remove(identifier)
                self.removed += self._store.straying.remove(identifier)
        if self.settled:
            with self._store.transaction():
                self._store.straying.drop_folders()
