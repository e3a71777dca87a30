"""The questions that a sync asks Drive v3: one item, one page of a listing, one page of a log."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gdrive_rag_mcp.domain import FolderToList
from gdrive_rag_mcp.sources.drive_cursor import USER
from gdrive_rag_mcp.sources.drive_failures import damaged
from gdrive_rag_mcp.sources.drive_fields import text
from gdrive_rag_mcp.sources.drive_items import FIELDS, Item
from gdrive_rag_mcp.sources.drive_transport import Transport

PAGE_SIZE = 1000
_EVERYWHERE = {"supportsAllDrives": True, "includeItemsFromAllDrives": True}


@dataclass(frozen=True, slots=True)
class ListingPage:
    """Items, and the token of the page after it; `certain` unless Drive did not search everywhere.

    A page may be short or empty and not be the last: only an absent token ends a listing.
    """

    items: tuple[Item, ...]
    next_token: str | None
    certain: bool


@dataclass(frozen=True, slots=True)
class LogPage:
    """Changes, and where the log goes on: on the next page, or (`ended`) with the next news."""

    changes: tuple[Item, ...]
    token: str
    ended: bool


class DriveApi:
    """Drive v3's metadata for one account.

    Every method raises DriveCallError when the answer cannot be had or makes no sense.
    """

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def item(self, item_id: str, resource_key: str | None = None) -> Item:
        """The metadata of one item."""
        request = self._service.files().get(fileId=item_id, fields=FIELDS, supportsAllDrives=True)
        return self._ask(request, _keys(item_id, resource_key))

    def children(self, folder: FolderToList, token: str | None) -> ListingPage:
        """What lies in a folder, not in its subfolders and not in the bin."""
        quoted = folder.id.replace("\\", "\\\\").replace("'", "\\'")
        query = f"'{quoted}' in parents and trashed = false"
        drive = None if folder.feed in ("", USER) else folder.feed
        return self._list(query, drive, token, _keys(folder.id, folder.resource_key))

    def everything(self, drive: str, token: str | None) -> ListingPage:
        """Whatever is in a shared drive and not in the bin, in no order of folders."""
        return self._list("trashed = false", drive, token, {})

    def start_token(self, feed: str) -> str:
        """Where a log stands now."""
        request = self._service.changes().getStartPageToken(
            supportsAllDrives=True, **_drive_of(feed)
        )
        token = text(self._ask(request, {}), "startPageToken")
        if token is None:
            raise damaged("Drive did not say where its log of changes stands")
        return token

    def changes(self, feed: str, token: str) -> LogPage:
        """A page of a log; an item appears in it as it is now, however often it was changed."""
        request = self._service.changes().list(
            pageToken=token,
            fields="nextPageToken,newStartPageToken,"
            f"changes(changeType,fileId,removed,driveId,file({FIELDS})),kind",
            pageSize=PAGE_SIZE,
            spaces="drive",
            includeRemoved=True,
            **_EVERYWHERE,
            **_drive_of(feed),
        )
        answer = self._ask(request, {})
        following, start = text(answer, "nextPageToken"), text(answer, "newStartPageToken")
        if following == token or (following or start) is None:
            raise damaged("Drive's log of changes leads nowhere")
        return LogPage(_objects(answer, "changes"), following or start or "", following is None)

    def account(self) -> Item:
        """The user on whose behalf Drive is asked."""
        request = self._service.about().get(fields="user(displayName,emailAddress)")
        return self._ask(request, {})

    def _list(
        self, query: str, drive: str | None, token: str | None, keys: Mapping[str, str]
    ) -> ListingPage:
        corpus = {"corpora": "user"} if drive is None else {"corpora": "drive", "driveId": drive}
        request = self._service.files().list(
            q=query,
            fields=f"nextPageToken,incompleteSearch,files({FIELDS}),kind",
            pageSize=PAGE_SIZE,
            pageToken=token,
            spaces="drive",
            **corpus,
            **_EVERYWHERE,
        )
        answer = self._ask(request, keys)
        following = answer.get("nextPageToken")
        if following in (None, ""):
            following = None
        elif text(answer, "nextPageToken") is None:
            raise damaged("Drive's listing goes on behind something that is no page token")
        elif following == token:
            raise damaged("Drive's listing goes in circles")
        return ListingPage(
            _objects(answer, "files"), following, certain=not answer.get("incompleteSearch")
        )

    @property
    def _service(self) -> Any:  # noqa: ANN401 -- the library builds it at run time
        return self._transport.service("drive")

    def _ask(self, request: Any, keys: Mapping[str, str]) -> Item:  # noqa: ANN401 -- as above
        return self._transport.metadata(request, keys=keys)


def _keys(item_id: str, resource_key: str | None) -> dict[str, str]:
    return {} if resource_key is None else {item_id: resource_key}


def _drive_of(feed: str) -> dict[str, str]:
    return {} if feed == USER else {"driveId": feed}


def _objects(answer: Item, name: str) -> tuple[Item, ...]:
    """The list of objects in an answer; empty if it was left out of one that says more.

    An answer that says nothing at all is not an empty one: nothing follows from it.
    """
    found = answer.get(name, [] if answer else None)
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise damaged(f"Drive's answer has no list of {name}")
    return tuple(found)
