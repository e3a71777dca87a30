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
LOOK_INSIDE_AFTER = timedelta(hours=1)
"""A folder that was renamed or moved may have been out of sight besides: it is listed again then.

Not at once: that a rename costs no more than any other change is worth an hour, a week is not.
"""
_CLOCKS_DIFFER = timedelta(hours=1)
"""A listing so far in the future was dated by a clock that was wrong."""


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
        due = anew or self._store.catalog.root_was_lost or self._is_due(now)
        cursor = None if due else self._store.catalog.cursor
        with self._store.transaction():
            self._store.inventory.look_into_doubted(now - LOOK_INSIDE_AFTER)
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
        if latest is None:
            return False
        return now - latest > RECONCILE_AFTER or latest - now > _CLOCKS_DIFFER

    def _keep(self, page: ChangePage) -> None:
        """Keep a page and where to go on after it, together or not at all."""
        if page.complete and self._store.straying.unseen():
            # A folder that lost its root meanwhile lists as empty: that is no news of its files.
            self._source.check()
        now = self._clock()
        with self._store.transaction():
            if page.begins:
                self._store.inventory.begin_listing(page.reader)
                self._store.catalog.root_was_lost = False
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
        """The files to remove, and those to hold because so much at once is odd.

        Those that were held before stay so until they are back, or somebody confirms that they are
        gone: that other files come or go meanwhile makes it no less odd.
        """
        if not (self.settled or self._caught_up):
            return [], []
        straying = self._store.straying
        strays = straying.strays(told_only=not self.settled)
        gone = len(strays) - straying.came_back_elsewhere(strays)
        odd = gone > MASS_DELETE_FILES and gone > MASS_DELETE_SHARE * straying.known_before()
        if self._may_empty:
            return strays, []
        held = set(strays if odd else straying.held(strays))
        return [one for one in strays if one not in held], [one for one in strays if one in held]

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
        for identifier in to_remove:
            with self._store.transaction():
                self._store.index.remove(identifier)
                self.removed += self._store.straying.remove(identifier)
        if self.settled:
            with self._store.transaction():
                self._store.straying.drop_folders()
