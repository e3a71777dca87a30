"""One sync's reading of Drive: the crawl where one is due, the logs, and what came into scope.

The page token of each log is taken before the crawl begins, so that whatever happens meanwhile is
told afterwards. What is to be listed is the index's to know: see `protocols.Frontier`.
"""

from collections.abc import Iterator
from dataclasses import replace

from gdrive_rag_mcp.domain import (
    ChangePage,
    FolderToList,
    ItemToLookUp,
    Listed,
    LookedUp,
    Reason,
    SourceShortcut,
)
from gdrive_rag_mcp.errors import SourceUnavailableError
from gdrive_rag_mcp.protocols import Frontier
from gdrive_rag_mcp.sources.drive_api import DriveApi
from gdrive_rag_mcp.sources.drive_cursor import Cursor
from gdrive_rag_mcp.sources.drive_failures import DriveCallError
from gdrive_rag_mcp.sources.drive_fields import text
from gdrive_rag_mcp.sources.drive_items import Described, Item, described, is_binned
from gdrive_rag_mcp.sources.drive_logs import LogLostError, Logs, is_refusal
from gdrive_rag_mcp.sources.drive_pages import Root, listed_items, page_of, paged

_OUTAGE = 3
"""After so many folders in a row that cannot be listed, Drive is asked for something else."""
_BEGINNINGS = 2
"""A log that cannot be read right after a crawl began will not be cured by another."""


class News:
    """Reads everything there is to know since a cursor."""

    def __init__(self, api: DriveApi, root: Root, frontier: Frontier, reader: str) -> None:
        self._api = api
        self._root = root
        self._frontier = frontier
        self._reader = reader
        self._logs = Logs(api, root, frontier)
        self._problems: list[str] = []
        self._tried = set[str]()
        self._answers: dict[str, ChangePage] = {}
        self._failed_in_a_row = 0

    def pages(self, stored: str | None) -> Iterator[ChangePage]:
        """Yield the news in pages; that they end without an error means that nothing is missing.

        Raises:
            DriveCallError: Drive, or this account's access to it, failed.
            RootUnavailableError: a log says that the root is gone.
            SourceUnavailableError: something could not be listed; the rest was.
        """
        cursor = Cursor.read(stored)
        if cursor is not None and not self._continues(cursor):
            cursor = None
        for beginning in range(_BEGINNINGS):
            if cursor is None:
                cursor = replace(self._logs.parked(), reader=self._reader)
                root = self._root.folder(cursor)
                yield ChangePage(
                    begins=True, reader=self._reader, folders=(root,), cursor=cursor.stored
                )
            self._logs.cursor = cursor
            try:
                yield from self._crawled()
                yield from self._logs.news()
                yield ChangePage(caught_up=True)
                yield from self._caught_up_with(targets=True)
                break
            except LogLostError as lost:
                if beginning + 1 == _BEGINNINGS:
                    raise SourceUnavailableError(str(lost), hint="try again later") from lost
                cursor, self._root = None, self._logs.root_seen_anew()
        if self._problems:
            raise SourceUnavailableError(
                "; ".join(self._problems[:_OUTAGE]), hint="the next sync goes on from here"
            )

    def _continues(self, cursor: Cursor) -> bool:
        """Whether the logs that were followed tell this identity all that is new about this root.

        Not if it was moved to another drive, if another identity followed them, or if this one has
        become a member of the drive: then the drive's own log alone tells what happens in it.
        """
        joined = self._root.is_members and not cursor.member
        follows_drive = self._root.drive is None or self._root.drive in cursor.feeds
        return (
            cursor.drive == self._root.drive
            and cursor.reader == self._reader
            and (cursor.crawl != "flat" or self._root.is_drive)
            and (follows_drive or not joined)
        )

    # ── the crawl ────────────────────────────────────────────────────────────

    def _crawled(self) -> Iterator[ChangePage]:
        if self._logs.cursor.crawl == "flat":
            yield from self._flat()
        if self._logs.cursor.crawl == "folders":
            yield from self._caught_up_with(targets=False)
            if not self._problems:
                self._logs.cursor = self._logs.cursor.crawling("listed")
        if self._logs.cursor.crawl == "listed":
            self._logs.cursor = self._logs.cursor.crawling("")
            yield ChangePage(complete=True, cursor=self._logs.cursor.stored)

    def _flat(self) -> Iterator[ChangePage]:
        """The whole drive at once; where Drive did not search everywhere, folder by folder."""
        for listing in paged(
            lambda token: self._api.everything(self._root.id, token), self._logs.cursor.page
        ):
            page, usable = listed_items(
                listing.items, self._root, self._logs.cursor, otherwise_in=self._root.id
            )
            if not (listing.certain and usable):
                self._logs.cursor = self._logs.cursor.crawling("folders")
                yield replace(page, cursor=self._logs.cursor.stored)
                return
            more = listing.next_token
            self._logs.cursor = self._logs.cursor.crawling("flat" if more else "listed", more)
            yield replace(page, cursor=self._logs.cursor.stored)

    # ── what the index knows of, but not yet from inside ─────────────────────

    def _caught_up_with(self, *, targets: bool) -> Iterator[ChangePage]:
        """List the folders that are not listed and, if wanted, look up what links point at."""
        before: list[ItemToLookUp] = []
        while True:
            folders = [one for one in self._frontier.folders() if one.id not in self._tried]
            items = list(self._frontier.lookups()) if targets and not folders else []
            if not folders and items == before:
                return
            before = items
            for folder in folders:
                yield from self._inside(folder)
            for item in items:
                yield from self._looked_up(item)

    def _inside(self, folder: FolderToList) -> Iterator[ChangePage]:
        sound = True
        try:
            for listing in paged(
                lambda token: self._api.children(folder, token), folder.page_token
            ):
                page, usable = listed_items(
                    listing.items, self._root, self._logs.cursor, otherwise_in=folder.id
                )
                sound = sound and listing.certain and usable
                listed = Listed(folder.id, listing.next_token) if sound else None
                yield replace(page, listed=listed)
            if not sound:
                self._tried.add(folder.id)
                self._problems.append(f"Drive did not list {folder.name!r} to the end")
            self._failed_in_a_row = 0
        except DriveCallError as error:
            yield from self._not_inside(folder, error)

    def _not_inside(self, folder: FolderToList, error: DriveCallError) -> Iterator[ChangePage]:
        """A folder that cannot be listed is unknown; whether it is gone, its log tells."""
        if not error.stays_here:
            raise error
        if folder.id == self._root.id:
            raise self._logs.root_refused(folder.feed, error) from error
        self._tried.add(folder.id)
        if is_refusal(error):
            yield ChangePage(looked_up=(LookedUp(folder.id, error.reason),))
            return
        self._failed_in_a_row += 1
        if self._failed_in_a_row == _OUTAGE:
            self._api.item(self._root.id)  # if Drive answers that, it is these folders after all
            self._failed_in_a_row = 0
        self._problems.append(f"the folder {folder.name!r} cannot be listed: {error.message}")

    def _looked_up(self, item: ItemToLookUp) -> Iterator[ChangePage]:
        """Look an item up, once a run; another link to it may have turned up since."""
        if item.id in self._answers:
            yield self._answers[item.id]
            return
        self._answers[item.id] = ChangePage()
        target: Described | None = None
        reason = Reason.NOT_FOUND
        try:
            target = self._target(item, self._logs.looked_up(item))
        except DriveCallError as error:
            if not error.stays_here:
                raise
            if not is_refusal(error):
                self._problems.append(f"{item.id} cannot be looked up: {error.message}")
                return
            reason = error.reason
        answer = LookedUp(item.id, reason if target is None else None)
        page = replace(page_of([] if target is None else [target]), looked_up=(answer,))
        self._answers[item.id] = page
        yield replace(page, cursor=self._logs.cursor.stored)

    def _target(self, item: ItemToLookUp, found: Item) -> Described | None:
        """What was looked up; None for what is of no use, such as a link that a link points at."""
        feed = self._logs.cursor.feed_of(text(found, "driveId"))
        within = self._root.otherwise(found)
        target = None if is_binned(found) else described(found, feed=feed, otherwise_in=within)
        if target is None:
            return None
        if isinstance(target, SourceShortcut):
            return target if item.missing else None
        return replace(target, resource_key=target.resource_key or item.resource_key)
