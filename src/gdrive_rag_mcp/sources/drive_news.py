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
from gdrive_rag_mcp.sources.drive_cursor import USER, Crawl, Cursor
from gdrive_rag_mcp.sources.drive_failures import DriveCallError, damaged
from gdrive_rag_mcp.sources.drive_fields import text
from gdrive_rag_mcp.sources.drive_items import Described, Item, described, is_binned
from gdrive_rag_mcp.sources.drive_pages import (
    Root,
    listed_items,
    logged_changes,
    page_of,
    paged,
    root_lost,
)

_OUTAGE = 3
"""So many folders in a row that cannot be listed are no matter of these folders."""
_BEGINNINGS = 2
"""A log that cannot be read right after a crawl began will not be cured by another."""


class _LogLostError(Exception):
    """A log cannot be read from where it was left: everything has to be listed again."""


class News:
    """Reads everything there is to know since a cursor."""

    def __init__(self, api: DriveApi, root: Root, frontier: Frontier) -> None:
        self._api = api
        self._root = root
        self._frontier = frontier
        self._cursor = Cursor()
        self._problems: list[str] = []
        self._tried, self._refused = set[str](), set[str]()
        self._failed_in_a_row = 0

    def pages(self, stored: str | None) -> Iterator[ChangePage]:
        """Yield the news in pages; that they end without an error means that nothing is missing.

        Raises:
            DriveCallError: Drive, or this account's access to it, failed.
            RootUnavailableError: a log says that the root is gone.
            SourceUnavailableError: something could not be listed; the rest was.
        """
        cursor = Cursor.read(stored)
        if cursor is not None and cursor.drive != self._root.drive:
            cursor = None  # the root was moved to where another log tells of it
        for beginning in range(_BEGINNINGS):
            if cursor is None:
                cursor = self._parked()
                root = self._root.folder(cursor)
                yield ChangePage(begins=True, folders=(root,), cursor=cursor.stored)
            self._cursor = cursor
            try:
                yield from self._crawled()
                yield from self._logs()
                break
            except _LogLostError as lost:
                if beginning + 1 == _BEGINNINGS:
                    raise SourceUnavailableError(str(lost), hint="try again later") from lost
                cursor = None
        yield ChangePage(caught_up=True)
        yield from self._caught_up_with(targets=True)
        if self._problems:
            raise SourceUnavailableError(
                "; ".join(self._problems[:_OUTAGE]), hint="the next sync goes on from here"
            )

    def _parked(self) -> Cursor:
        """The log to follow, where it stands now; that of a drive is for its members."""
        drive = self._root.drive
        if drive is not None and (token := self._drive_log(drive)) is not None:
            crawl: Crawl = "flat" if self._root.is_drive else "folders"
            return Cursor({drive: token}, crawl, drive=drive)
        return Cursor({USER: self._api.start_token(USER)}, "folders", drive=drive)

    def _drive_log(self, drive: str) -> str | None:
        """Where a shared drive's own log stands; None for those who are no members of it."""
        if drive in self._refused:
            return None
        try:
            return self._api.start_token(drive)
        except DriveCallError as error:
            if _is_refusal(error):
                return None
            raise

    # ── the crawl ────────────────────────────────────────────────────────────

    def _crawled(self) -> Iterator[ChangePage]:
        if self._cursor.crawl == "flat":
            yield from self._flat()
        if self._cursor.crawl == "folders":
            yield from self._caught_up_with(targets=False)
            if not self._problems:
                self._cursor = self._cursor.crawling("listed")
        if self._cursor.crawl == "listed":
            self._cursor = self._cursor.crawling("")
            yield ChangePage(complete=True, cursor=self._cursor.stored)

    def _flat(self) -> Iterator[ChangePage]:
        """The whole drive at once; where Drive did not search everywhere, folder by folder."""
        for listing in paged(
            lambda token: self._api.everything(self._root.id, token), self._cursor.page
        ):
            page, usable = listed_items(
                listing.items, self._root, self._cursor, otherwise_in=self._root.id
            )
            if not (listing.certain and usable):
                self._cursor = self._cursor.crawling("folders")
                yield replace(page, cursor=self._cursor.stored)
                return
            more = listing.next_token
            self._cursor = self._cursor.crawling("flat" if more else "listed", more)
            yield replace(page, cursor=self._cursor.stored)

    # ── the logs ─────────────────────────────────────────────────────────────

    def _logs(self) -> Iterator[ChangePage]:
        for feed in sorted(self._cursor.feeds):
            yield from self._log(feed)

    def _log(self, feed: str) -> Iterator[ChangePage]:
        seen = set()
        ended = False
        while not ended:
            token = self._cursor.feeds[feed]
            if token in seen:
                raise damaged("Drive's log of changes goes in circles")
            seen.add(token)
            try:
                log = self._api.changes(feed, token)
            except DriveCallError as error:
                if not (error.is_bad_request or error.invalid_page_token or _is_refusal(error)):
                    raise
                self._refused.add(feed)
                raise _LogLostError(f"the log {feed} cannot be read: {error.message}") from error
            if feed == USER and self._joined_or_left(log.changes):
                raise _LogLostError("this account's membership of the shared drive has changed")
            items, gone = logged_changes(log.changes, feed, self._root, self._cursor)
            self._cursor = self._cursor.at(feed, log.token)
            if any(one.id == self._root.id for one in gone):
                self._require_root()  # what a log tells of it may be over
            told = tuple(one for one in gone if one.id != self._root.id)
            page = page_of(items)
            yield replace(page, removed=told, news=True, cursor=self._cursor.stored)
            ended = log.ended

    def _require_root(self) -> None:
        try:
            item = self._api.item(self._root.id)
        except DriveCallError as error:
            raise (root_lost(self._root) if _is_refusal(error) else error) from error
        if is_binned(item) or text(item, "driveId") != self._root.drive:
            raise root_lost(self._root)

    def _joined_or_left(self, changes: tuple[Item, ...]) -> bool:
        """Whether the root's drive, of which no log was followed, became or was this account's own.

        A user's log is silent about items in the drives that the user is a member of.
        """
        drive = self._root.drive
        return drive not in (None, *self._cursor.feeds) and any(
            change.get("changeType") == "drive" and text(change, "driveId") == drive
            for change in changes
        )

    # ── what the index knows of, but not yet from inside ─────────────────────

    def _caught_up_with(self, *, targets: bool) -> Iterator[ChangePage]:
        """List the folders that are not listed and, if wanted, look up what links point at."""
        while True:
            folders = [one for one in self._frontier.folders() if one.id not in self._tried]
            items = self._frontier.lookups() if targets and not folders else ()
            items = [one for one in items if f"?{one.id}" not in self._tried]
            if not folders and not items:
                return
            for folder in folders:
                yield from self._inside(folder)
            for item in items:
                self._tried.add(f"?{item.id}")
                yield from self._looked_up(item)

    def _inside(self, folder: FolderToList) -> Iterator[ChangePage]:
        sound = True
        try:
            for listing in paged(
                lambda token: self._api.children(folder, token), folder.page_token
            ):
                page, usable = listed_items(
                    listing.items, self._root, self._cursor, otherwise_in=folder.id
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
            if _is_refusal(error) and folder.feed not in ("", USER, *self._refused):
                self._require_root()
                self._refused.add(folder.feed)
                raise _LogLostError(f"{folder.name!r} cannot be searched for") from error
            raise root_lost(self._root) if _is_refusal(error) else error
        self._tried.add(folder.id)
        if _is_refusal(error):
            yield ChangePage(looked_up=(LookedUp(folder.id, error.reason),))
            return
        self._failed_in_a_row += 1
        if self._failed_in_a_row == _OUTAGE:
            raise error
        self._problems.append(f"the folder {folder.name!r} cannot be listed: {error.message}")

    def _looked_up(self, item: ItemToLookUp) -> Iterator[ChangePage]:
        try:
            found = self._found(item)
        except DriveCallError as error:
            if not error.stays_here:
                raise
            if not _is_refusal(error):
                self._problems.append(f"{item.id} cannot be looked up: {error.message}")
                return
            yield ChangePage(
                looked_up=(LookedUp(item.id, error.reason),), cursor=self._cursor.stored
            )
            return
        target = self._target(item, found)
        if target is None:
            yield ChangePage(looked_up=(LookedUp(item.id, Reason.NOT_FOUND),))
            return
        yield replace(page_of([target]), looked_up=(LookedUp(item.id),), cursor=self._cursor.stored)

    def _found(self, item: ItemToLookUp) -> Item:
        """The item as it is, with a log followed that tells when that changes."""
        try:
            found = self._api.item(item.id, item.resource_key)
        except DriveCallError as error:
            if item.missing or not _is_refusal(error) or USER in self._cursor.feeds:
                raise
            # Should it be shared with this account one day, the user's own log will tell.
            self._cursor = self._cursor.at(USER, self._api.start_token(USER))
            found = self._api.item(item.id, item.resource_key)
        return found if item.missing else self._followed(item, found)

    def _target(self, item: ItemToLookUp, found: Item) -> Described | None:
        """What was looked up; None for what is of no use, such as a link that a link points at."""
        feed = self._cursor.feed_of(text(found, "driveId"))
        target = None if is_binned(found) else described(found, feed=feed)
        if target is None or target.id != item.id:
            return None
        if isinstance(target, SourceShortcut):
            return target if item.missing else None
        return replace(target, resource_key=target.resource_key or item.resource_key)

    def _followed(self, item: ItemToLookUp, found: Item) -> Item:
        """The item, as it was after the log of its changes began to be followed."""
        drive = text(found, "driveId")
        feed = drive or USER
        if feed in self._cursor.feeds:
            return found
        token = None if drive is None else self._drive_log(drive)
        if token is None:
            if USER in self._cursor.feeds:
                return found
            feed, token = USER, self._api.start_token(USER)
        self._cursor = self._cursor.at(feed, token)
        return self._api.item(item.id, item.resource_key)


def _is_refusal(error: DriveCallError) -> bool:
    """Whether Drive says that this one thing is not there for this account."""
    return error.stays_here and error.reason in (Reason.ACCESS_DENIED, Reason.NOT_FOUND)
