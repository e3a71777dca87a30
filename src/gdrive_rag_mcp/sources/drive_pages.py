"""What Drive answers, as pages that the index can keep: listings, and the entries of a log."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from gdrive_rag_mcp.domain import ChangePage, Gone, SourceFile, SourceFolder, SourceShortcut
from gdrive_rag_mcp.errors import RootUnavailableError
from gdrive_rag_mcp.sources.drive_api import ListingPage
from gdrive_rag_mcp.sources.drive_cursor import Cursor
from gdrive_rag_mcp.sources.drive_failures import DriveCallError, damaged
from gdrive_rag_mcp.sources.drive_fields import flag, part, text, texts
from gdrive_rag_mcp.sources.drive_items import Described, Item, described, folder_of, is_binned
from gdrive_rag_mcp.sources.media_types import DRIVE_FOLDER


@dataclass(frozen=True, slots=True)
class Root:
    """The folder that is synced, as Drive describes it; `drive` is the shared drive it is in."""

    id: str
    item: Item
    drive: str | None

    @property
    def is_drive(self) -> bool:
        """Whether it is a shared drive as a whole."""
        return self.id == self.drive

    def otherwise(self, item: Item) -> str | None:
        """Where an item lies if Drive shows no parents of it: all of a whole drive is in it."""
        return self.id if self.is_drive and text(item, "driveId") == self.drive else None

    @property
    def is_members(self) -> bool:
        """Whether Drive says that the account may read the whole drive the root is in."""
        return flag(part(self.item, "capabilities"), "canReadDrive") is True

    def folder(self, cursor: Cursor) -> SourceFolder:
        """The root in our nouns."""
        above = texts(self.item, "parents")
        return folder_of(self.item, self.id, above, cursor.feed_of(self.drive), is_root=True)


def listed_items(
    items: Iterable[Item], root: Root, cursor: Cursor, *, otherwise_in: str | None
) -> tuple[ChangePage, bool]:
    """A page of what was listed; false if something in it has no usable id or type."""
    found: list[Described] = []
    usable = True
    for item in items:
        if is_binned(item):
            continue
        feed = cursor.feed_of(text(item, "driveId"))
        one: Described | None
        if text(item, "id") == root.id:  # where a link leads above it
            one = replace(root, item=item).folder(cursor)
        else:
            one = described(item, feed=feed, otherwise_in=otherwise_in)
        if one is None:
            usable = False
        else:
            found.append(one)
    return page_of(found), usable


def page_of(items: Iterable[Described]) -> ChangePage:
    """Items by their kind."""
    known = list(items)
    return ChangePage(
        files=tuple(item for item in known if isinstance(item, SourceFile)),
        folders=tuple(item for item in known if isinstance(item, SourceFolder)),
        shortcuts=tuple(item for item in known if isinstance(item, SourceShortcut)),
    )


def logged_changes(
    changes: Iterable[Item], feed: str, root: Root, cursor: Cursor
) -> tuple[list[Described], list[Gone]]:
    """What a page of a log says: items as they are now, and items that are gone.

    A tombstone carries no more than an id, and does not tell deletion from lost access. Of several
    entries about one item the last is what counts.
    """
    items: list[Described] = []
    gone: list[Gone] = []
    for change in _latest(changes):
        if change.get("changeType") not in (None, "file"):
            continue  # of the drive itself: what that means for the root, the next check tells
        item = dict(part(change, "file"))
        item_id = text(change, "fileId") or text(item, "id")
        if item_id is None:
            raise damaged("Drive's log has an entry about nothing")
        drive = text(item, "driveId")
        lost = flag(change, "removed") is True or not item
        if lost or is_binned(item):
            kind = text(item, "mimeType")
            holds = lost or kind in (None, DRIVE_FOLDER)
            gone.append(Gone(item_id, feed if lost else cursor.feed_of(drive), holds=holds))
        elif item_id == root.id:
            items.append(replace(root, item=item).folder(cursor))
        else:
            one = described(
                {**item, "id": item_id},
                feed=cursor.feed_of(drive),
                otherwise_in=root.otherwise(item),
            )
            if one is None:
                raise damaged("Drive's log has an entry that does not say what it is about")
            items.append(one)
    return items, gone


def _latest(changes: Iterable[Item]) -> Iterable[Item]:
    """The entries without those that a later one about the same item makes void."""
    entries = list(changes)
    last = {text(change, "fileId"): number for number, change in enumerate(entries)}
    return (
        change
        for number, change in enumerate(entries)
        if text(change, "fileId") is None or last[text(change, "fileId")] == number
    )


def root_lost(root: Root) -> RootUnavailableError:
    """What to say when the root goes away while it is being read."""
    return RootUnavailableError(
        f"the Drive folder {root.id} is gone, or was taken out of this account's sight",
        hint="nothing was removed; restore the folder or share the folder again, or name another",
    )


def paged(ask: Callable[[str | None], ListingPage], token: str | None) -> Iterator[ListingPage]:
    """A listing's pages from a token on; once more from the start, where one is refused.

    Raises:
        DriveCallError: the listing broke off.
    """
    seen = {token}
    begun_again = False
    while True:
        try:
            page = ask(token)
        except DriveCallError as error:
            refused = error.is_bad_request or error.invalid_page_token
            if token is None or begun_again or not refused:
                raise
            token, seen, begun_again = None, {None}, True
            continue
        yield page
        token = page.next_token
        if token is None:
            return
        if token in seen:
            raise damaged("Drive's listing goes in circles")
        seen.add(token)
