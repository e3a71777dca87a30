"""The items of the fake Drive, and everything that people do to them."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from threading import RLock
from typing import Any

from gdrive_rag_mcp.testing.fake_drive.answers import not_found

FOLDER = "application/vnd.google-apps.folder"
DOCUMENT = "application/vnd.google-apps.document"
SPREADSHEET = "application/vnd.google-apps.spreadsheet"
SHORTCUT = "application/vnd.google-apps.shortcut"
NATIVE_PREFIX = "application/vnd.google-apps."
Json = Any
_EPOCH = datetime(2026, 1, 5, 9, tzinfo=UTC)


@dataclass(slots=True)
class Item:
    """A file or folder; `extra` holds fields of the File resource as they are sent."""

    id: str
    name: str
    mime_type: str
    parents: list[str]
    sequence: int
    content: bytes | None = None
    exports: dict[str, bytes] = field(default_factory=dict)
    version: int = 1
    revision: int = 1
    modified: datetime = _EPOCH
    explicitly_trashed: bool = False
    hidden: bool = False
    extra: dict[str, Any] = field(default_factory=dict)


class FakeFiles:
    """A tree of items below one folder that is shared with the service account."""

    def __init__(self, owner: str) -> None:
        self.lock = RLock()
        self._owner = owner
        self._items: dict[str, Item] = {}
        self._clock = 0
        self.root = self.add_folder("Shared with the index", parent="above")

    # ── what people do ───────────────────────────────────────────────────────

    def add_folder(self, name: str, parent: str | None = None, **extra: Json) -> str:
        """Make a folder; `extra` are fields of the File resource. Returns its id."""
        return self._add(name, FOLDER, parent, extra)

    def add_file(
        self,
        name: str,
        content: bytes,
        parent: str | None = None,
        *,
        mime_type: str = "text/markdown",
        **extra: Json,
    ) -> str:
        """Upload a file. Returns its id."""
        return self._add(name, mime_type, parent, extra, content=content)

    def add_native(
        self,
        name: str,
        exports: Mapping[str, bytes],
        parent: str | None = None,
        *,
        mime_type: str = DOCUMENT,
        **extra: Json,
    ) -> str:
        """Make an item in Google's own format; `exports` is its content by exported type."""
        return self._add(name, mime_type, parent, extra, exports=dict(exports))

    def edit(self, file_id: str, content: bytes) -> None:
        """Upload new bytes."""
        with self.lock:
            revision = self._items[file_id].revision + 1
            self._touch(file_id, content=content, revision=revision, modified=True)

    def edit_native(self, file_id: str, exports: Mapping[str, bytes]) -> None:
        """Edit a document in Google's own format."""
        self._touch(file_id, exports=dict(exports), modified=True)

    def rename(self, file_id: str, name: str) -> None:
        """Give another name; what lies in a folder notices nothing."""
        self._touch(file_id, name=name, modified=True)

    def move(self, file_id: str, parent: str) -> None:
        """Move to another folder: `modifiedTime` stays as it was."""
        self._touch(file_id, parents=[parent])

    def trash(self, file_id: str) -> None:
        """Put into the bin, with everything below."""
        self._touch(file_id, explicitly_trashed=True)

    def untrash(self, file_id: str) -> None:
        """Take out of the bin."""
        self._touch(file_id, explicitly_trashed=False)

    def remove(self, file_id: str) -> None:
        """Delete for good, with everything below."""
        with self.lock:
            for child in [item.id for item in self._items.values() if file_id in item.parents]:
                self.remove(child)
            self._items.pop(file_id, None)

    def hide(self, file_id: str, *, hidden: bool = True) -> None:
        """Take the caller's access away, or give it back; nobody changes the item itself."""
        with self.lock:
            self._items[file_id].hidden = hidden

    def set(self, file_id: str, **extra: Json) -> None:
        """Set fields of the File resource as they are."""
        with self.lock:
            item = self._items[file_id]
            self._touch(file_id, extra=item.extra | extra)

    # ── what the API sees ────────────────────────────────────────────────────

    def visible(self, file_id: str) -> Item:
        """An item that the caller may know of.

        Raises:
            ApiError: 404.
        """
        item = self._items.get(self.root if file_id == "root" else file_id)
        if item is None or self._is_hidden(item):
            raise not_found(file_id)
        return item

    def all_visible(self) -> list[Item]:
        """Every item the caller may know of, oldest first."""
        return [item for item in self._items.values() if not self._is_hidden(item)]

    def is_trashed(self, item: Item) -> bool:
        """Whether it, or a folder above it, is in the bin."""
        return any(above.explicitly_trashed for above in self._lineage(item))

    def resource(self, item: Item) -> dict[str, Any]:
        """The File resource, in full."""
        parents = [parent for parent in item.parents if parent in self._items]
        resource: dict[str, Any] = {
            "kind": "drive#file",
            "id": item.id,
            "name": item.name,
            "mimeType": item.mime_type,
            "trashed": self.is_trashed(item),
            "explicitlyTrashed": item.explicitly_trashed,
            "version": str(item.version),
            "createdTime": _timestamp(_EPOCH),
            "modifiedTime": _timestamp(item.modified),
            "webViewLink": f"https://drive.google.com/file/d/{item.id}/view",
            "owners": [{"kind": "drive#user", "emailAddress": self._owner}],
            "capabilities": {"canDownload": item.mime_type != FOLDER, "canListChildren": True},
        }
        if parents:
            resource["parents"] = parents
        if item.content is not None:
            resource |= _blob_fields(item.content, item.revision)
        return resource | {
            key: resource.get(key, {}) | value if isinstance(value, dict) else value
            for key, value in item.extra.items()
        }

    def _is_hidden(self, item: Item) -> bool:
        return any(above.hidden for above in self._lineage(item))

    def _lineage(self, item: Item) -> Iterator[Item]:
        """The item and everything above it, once, even if folders contain each other."""
        pending = [item.id]
        seen: set[str] = set()
        while pending:
            current = pending.pop()
            if current not in seen and current in self._items:
                seen.add(current)
                yield self._items[current]
                pending += self._items[current].parents

    def _add(
        self,
        name: str,
        mime_type: str,
        parent: str | None,
        extra: dict[str, Any],
        **fields: Json,
    ) -> str:
        with self.lock:
            self._clock += 1
            file_id = extra.pop("id", None) or f"1{_token(self._clock)}"
            self._items[file_id] = Item(
                id=file_id,
                name=name,
                mime_type=mime_type,
                parents=[self.root if parent is None else parent],
                sequence=self._clock,
                modified=self._now(),
                extra=extra,
                **fields,
            )
            return file_id

    def _touch(self, file_id: str, *, modified: bool = False, **fields: Json) -> None:
        with self.lock:
            self._clock += 1
            item = self._items[file_id]
            for name, value in fields.items():
                setattr(item, name, value)
            item.version += 1
            if modified:
                item.modified = self._now()

    def _now(self) -> datetime:
        """A clock of its own: a second per change, so that no two are at the same time."""
        return _EPOCH + timedelta(seconds=self._clock)


def _blob_fields(content: bytes, revision: int) -> dict[str, str]:
    return {
        "size": str(len(content)),
        "md5Checksum": hashlib.md5(content, usedforsecurity=False).hexdigest(),
        "sha256Checksum": hashlib.sha256(content).hexdigest(),
        "headRevisionId": f"0B{_token(revision)}",
    }


def _token(number: int) -> str:
    return hashlib.sha256(str(number).encode()).hexdigest()[:16]


def _timestamp(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.000Z")
