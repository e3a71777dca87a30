"""The logs of changes that are followed: where they stand, what they say, and which may be read."""

from collections.abc import Iterator
from dataclasses import replace

from gdrive_rag_mcp.domain import ChangePage, Gone, ItemToLookUp, Reason, SourceFolder
from gdrive_rag_mcp.protocols import Frontier
from gdrive_rag_mcp.sources.drive_api import DriveApi, LogPage
from gdrive_rag_mcp.sources.drive_cursor import USER, Crawl, Cursor
from gdrive_rag_mcp.sources.drive_failures import DriveCallError, damaged
from gdrive_rag_mcp.sources.drive_fields import text, texts
from gdrive_rag_mcp.sources.drive_items import Described, Item, is_binned
from gdrive_rag_mcp.sources.drive_pages import Root, logged_changes, page_of, root_lost


class LogLostError(Exception):
    """A log cannot be read from where it was left: everything has to be listed again."""


class Logs:
    """Reads the logs; `cursor` is where they were left, and how far a crawl has come."""

    def __init__(self, api: DriveApi, root: Root, frontier: Frontier) -> None:
        self._api = api
        self._root = root
        self._frontier = frontier
        self._refused = set[str]()
        self.cursor = Cursor()

    # ── where they stand ─────────────────────────────────────────────────────

    def parked(self) -> Cursor:
        """The log to follow, where it stands now; that of a drive is for its members."""
        drive = self._root.drive
        token = None if drive is None else self._drive_log(drive)
        if drive is None or token is None:
            users = Cursor(
                {USER: self._api.start_token(USER)},
                "folders",
                drive=drive,
                member=self._root.is_members,
            )
            # Whoever became a member before that moment would not hear of it in the user's log.
            token = None if drive is None else self._drive_log(drive)
            if drive is None or token is None:
                return users
        crawl: Crawl = "flat" if self._root.is_drive else "folders"
        return Cursor({drive: token}, crawl, drive=drive, member=True)

    def _drive_log(self, drive: str) -> str | None:
        """Where a shared drive's own log stands; None for those who may not read it."""
        try:
            token = self._api.start_token(drive)
            if drive in self._refused:  # it was said where the log stands, and then nothing more
                self._api.changes(drive, token)
        except DriveCallError as error:
            if is_refusal(error):
                return None
            raise
        return token

    # ── what they say ────────────────────────────────────────────────────────

    def news(self) -> Iterator[ChangePage]:
        """Read every log to its end.

        Raises:
            LogLostError: one cannot be read, or does not tell of everything any more.
            RootUnavailableError: one says that the root is gone, and it is.
            DriveCallError: Drive, or this account's access to it, failed.
        """
        for feed in sorted(self.cursor.feeds):
            yield from self._log(feed)

    def _log(self, feed: str) -> Iterator[ChangePage]:
        seen = set()
        ended = False
        while not ended:
            token = self.cursor.feeds[feed]
            if token in seen:
                raise damaged("Drive's log of changes goes in circles")
            seen.add(token)
            log = self._read(feed, token)
            items, gone = logged_changes(log.changes, feed, self._root, self.cursor)
            outside = self._outside(items, gone)
            if outside and self._lies_above(outside):
                raise LogLostError("a folder above the root has changed")
            stirred = bool(outside) or self._other_memberships(log.changes)
            self.cursor = self.cursor.at(feed, log.token)
            if any(one.id == self._root.id for one in gone):
                self._require_root()  # what a log tells of it may be over
            told = tuple(one for one in gone if one.id != self._root.id)
            page = page_of(items)
            yield replace(page, removed=told, news=True, outside=stirred, cursor=self.cursor.stored)
            ended = log.ended

    def _read(self, feed: str, token: str) -> LogPage:
        try:
            log = self._api.changes(feed, token)
        except DriveCallError as error:
            if is_refusal(error):
                self._refused.add(feed)
            elif not (error.is_bad_request or error.invalid_page_token):
                raise
            raise LogLostError(f"the log {feed} cannot be read: {error.message}") from error
        if feed == USER and self._joined_or_left(log.changes):
            raise LogLostError("this account's membership of the shared drive has changed")
        return log

    def _joined_or_left(self, changes: tuple[Item, ...]) -> bool:
        """Whether the root's drive, of which no log was followed, became or was this account's own.

        A user's log is silent about items in the drives that the user is a member of.
        """
        drive = self._root.drive
        return drive not in (None, *self.cursor.feeds) and any(
            change.get("changeType") == "drive" and text(change, "driveId") == drive
            for change in changes
        )

    def _other_memberships(self, changes: tuple[Item, ...]) -> bool:
        """Whether the account has joined or left a drive that links may lead to."""
        return any(
            change.get("changeType") == "drive" and text(change, "driveId") not in self.cursor.feeds
            for change in changes
        )

    def _outside(self, items: list[Described], gone: list[Gone]) -> frozenset[str]:
        """Folders that the log names and nobody here knows: what they hold may be reached by links.

        No log tells what becomes of that when they are put away, or out of sight.
        """
        parents = {item.id: item.parents for item in items if isinstance(item, SourceFolder)}
        parents |= {one.id: () for one in gone if one.holds}
        parents.pop(self._root.id, None)
        if not parents:
            return frozenset()
        above = (parent for within in parents.values() for parent in within)
        unknown = self._frontier.unknown({*parents, *above})
        return frozenset(
            one for one in unknown if one in parents and unknown.issuperset(parents[one])
        )

    def _lies_above(self, folders: frozenset[str]) -> bool:
        """Whether one of the folders is above the root, which was out of sight with it then."""
        nearest = texts(self._root.item, "parents")
        if self._root.is_drive or not nearest:
            return False
        if self.cursor.above is None or not set(nearest) <= set(self.cursor.above):
            self.cursor = replace(self.cursor, above=self._all_above(nearest))
        return not folders.isdisjoint(self.cursor.above or ())

    def _all_above(self, nearest: tuple[str, ...]) -> tuple[str, ...]:
        """All folders above the root that the account can see."""
        above = dict.fromkeys(nearest)
        waiting = list(nearest)
        while waiting:
            try:
                item = self._api.item(waiting.pop())
            except DriveCallError as error:
                if not is_refusal(error):
                    raise
                continue
            higher = [one for one in texts(item, "parents") if one not in above]
            above |= dict.fromkeys(higher)
            waiting += higher
        return tuple(above)

    # ── single items ─────────────────────────────────────────────────────────

    def root_refused(self, feed: str, error: DriveCallError) -> Exception:
        """What it means that the root cannot be listed: it is lost, or what its drive says is.

        Raises:
            RootUnavailableError: it is lost.
        """
        if not is_refusal(error):
            return error
        if feed in ("", USER, *self._refused):
            return root_lost(self._root)
        self._require_root()
        self._refused.add(feed)
        return LogLostError(f"the drive {feed} cannot be searched: {error.message}")

    def root_seen_anew(self) -> Root:
        """The root as it is now: what was seen of it before may be over.

        Raises:
            RootUnavailableError: it is lost.
        """
        self._require_root()
        return self._root

    def _require_root(self) -> None:
        try:
            item = self._api.item(self._root.id)
        except DriveCallError as error:
            raise (root_lost(self._root) if is_refusal(error) else error) from error
        if is_binned(item) or text(item, "driveId") != self._root.drive:
            raise root_lost(self._root)
        self._root = replace(self._root, item=item)

    def looked_up(self, item: ItemToLookUp) -> Item:
        """An item as it is, with a log followed that tells when that changes.

        Raises:
            DriveCallError: it cannot be had, or what Drive says is not about it.
        """
        try:
            found = self._item(item)
        except DriveCallError as error:
            if item.missing or not is_refusal(error) or USER in self.cursor.feeds:
                raise
            # Should it be shared with this account one day, the user's own log will tell.
            self.cursor = self.cursor.at(USER, self._api.start_token(USER))
            found = self._item(item)
        return found if item.missing else self._followed(item, found)

    def _followed(self, item: ItemToLookUp, found: Item) -> Item:
        """The item, as it was after the log of its changes began to be followed."""
        drive = text(found, "driveId")
        feed = drive or USER
        if feed in self.cursor.feeds:
            return found
        token = None if drive is None else self._drive_log(drive)
        if token is None:
            if USER in self.cursor.feeds:
                return found
            feed, token = USER, self._api.start_token(USER)
        self.cursor = self.cursor.at(feed, token)
        return self._item(item)

    def _item(self, item: ItemToLookUp) -> Item:
        """What Drive says of an item; an answer about nothing does not say that it is gone."""
        found = self._api.item(item.id, item.resource_key)
        if text(found, "id") != item.id or text(found, "mimeType") is None:
            raise damaged("Drive's answer is not about the item that was asked for")
        return found


def is_refusal(error: DriveCallError) -> bool:
    """Whether Drive says that this one thing is not there for this account."""
    return error.stays_here and error.reason in (Reason.ACCESS_DENIED, Reason.NOT_FOUND)
