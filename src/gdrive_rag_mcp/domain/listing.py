"""What a source tells: the items it lists, the pages they come in, and what reading one brings."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from gdrive_rag_mcp.domain.files import Reason


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file as listed, not yet read; `version` changes whenever its content may have.

    `feed` names the log of changes in which this item's own changes appear, where a source has
    several; `resource_key` is what some links need beside the id.
    """

    id: str
    name: str
    mime_type: str
    parents: tuple[str, ...]
    version: str
    size: int | None = None
    md5: str | None = None
    modified_time: datetime | None = None
    url: str | None = None
    revision: str | None = None
    obstacle: Reason | None = None
    """Set when the listing itself says that the content cannot be had."""
    feed: str = ""
    resource_key: str | None = None


@dataclass(frozen=True, slots=True)
class SourceFolder:
    """A folder as listed; one that cannot be looked into says why and is unknown, not empty."""

    id: str
    name: str
    parents: tuple[str, ...]
    url: str | None = None
    obstacle: Reason | None = None
    is_root: bool = False
    feed: str = ""
    resource_key: str | None = None


@dataclass(frozen=True, slots=True)
class SourceShortcut:
    """A link that puts what it points at where it lies; `resource_key` is the target's."""

    id: str
    name: str
    parents: tuple[str, ...]
    target: str
    url: str | None = None
    feed: str = ""
    resource_key: str | None = None


@dataclass(frozen=True, slots=True)
class Gone:
    """An item that the log `feed` says was deleted, binned or put out of sight.

    `holds` is false for what is known to be no folder.
    """

    id: str
    feed: str = ""
    holds: bool = True


@dataclass(frozen=True, slots=True)
class FolderToList:
    """A folder whose content has not been listed, or only up to `page_token`."""

    id: str
    name: str
    page_token: str | None = None
    feed: str = ""
    resource_key: str | None = None


@dataclass(frozen=True, slots=True)
class Listed:
    """How far a folder's listing has come: up to `page_token`, or (None) to its end."""

    folder: str
    page_token: str | None = None


@dataclass(frozen=True, slots=True)
class ItemToLookUp:
    """An item that no listing shows: a shortcut's target, or a folder that could not be listed.

    One that is `missing` was shown before, and is looked at once before it is believed to be gone:
    a listing may be behind.
    """

    id: str
    resource_key: str | None = None
    missing: bool = False


@dataclass(frozen=True, slots=True)
class LookedUp:
    """What came of looking an item up: why it cannot be had, or (None) that the page brings it."""

    id: str
    reason: Reason | None = None


@dataclass(frozen=True, slots=True)
class ChangePage:
    """A part of a source's news that can be committed by itself, together with its `cursor`.

    `begins`     a full listing starts here: whatever no page shows from now on was not listed
    `reader`     with `begins`: the identity that reads; what another one saw is nothing to go by
                 where this one cannot look
    `complete`   that listing has met no error and is at its end
    `news`       from a log of changes, which also tells of what lies outside: only what is known,
                 or lies in a known folder, is any business of the index
    `outside`    something changed, outside of what is known, that may lie above what links lead to
    `caught_up`  every log has been read to its end
    `cursor`     where to go on after this page; None leaves it as it was
    """

    files: tuple[SourceFile, ...] = ()
    folders: tuple[SourceFolder, ...] = ()
    shortcuts: tuple[SourceShortcut, ...] = ()
    removed: tuple[Gone, ...] = ()
    listed: Listed | None = None
    looked_up: tuple[LookedUp, ...] = ()
    cursor: str | None = None
    begins: bool = False
    reader: str | None = None
    complete: bool = False
    news: bool = False
    outside: bool = False
    caught_up: bool = False


@dataclass(frozen=True, slots=True)
class Fetched:
    """What reading a file brought: the type of the bytes, which an export may have changed.

    `file` is set when the content is of a newer version than was listed. `anchors` say how places
    in it are linked to, `<locator kind>:<value or label>` → the fragment of the address, such as
    `heading:Leave > Unpaid` → `tab=t.0&heading=h.x1`, or `sheet:Budget` → `gid=7`. `note` goes to
    the ledger: what could not be had beside the content.
    """

    mime_type: str
    file: SourceFile | None = None
    anchors: Mapping[str, str] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True, slots=True)
class SourceUsage:
    """Calls that asked for metadata, and files whose content was fetched."""

    api_calls: int = 0
    downloads: int = 0
