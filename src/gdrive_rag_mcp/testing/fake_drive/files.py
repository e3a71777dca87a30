"""Everything that people do in the fake Drive, and what the service account sees of it."""

from collections.abc import Iterable, Mapping
from typing import Any

from gdrive_rag_mcp.testing.fake_drive.access import Access, Reach
from gdrive_rag_mcp.testing.fake_drive.answers import not_found
from gdrive_rag_mcp.testing.fake_drive.feeds import Feeds
from gdrive_rag_mcp.testing.fake_drive.items import Item, ShortcutTarget
from gdrive_rag_mcp.testing.fake_drive.journal import Journal
from gdrive_rag_mcp.testing.fake_drive.kinds import (
    DOCUMENT,
    EXPORT_FORMATS,
    FOLDER,
    PRESENTATION,
    SHORTCUT,
    SPREADSHEET,
)
from gdrive_rag_mcp.testing.fake_drive.sharing import Sharing
from gdrive_rag_mcp.testing.fake_drive.workspace import hold_to_schema
from gdrive_rag_mcp.testing.fake_drive.world import World

__all__ = ["DOCUMENT", "FOLDER", "PRESENTATION", "SHORTCUT", "SPREADSHEET", "FakeFiles"]
Json = Any
READER = "index@fake-project.iam.gserviceaccount.com"


class FakeFiles(Sharing):
    """The items of one owner's My Drive and of any shared drives; every method holds the lock.

    One folder (`root`) is shared with the reader, who is the service account.
    """

    def __init__(self, owner: str, reader: str = READER) -> None:
        world, journal = World(), Journal()
        access = Access(world)
        super().__init__(world, access, Feeds(world, access, journal))
        self.journal = journal
        self.reader = reader
        world.users |= {owner, reader}
        home = world.my_drive(owner)
        self.root = home
        self.root = self.add_folder("Shared with the index", home)
        self.share(self.root, reader)

    # ── new items ────────────────────────────────────────────────────────────

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
        """Make an item in Google's own format; `exports` is its content by exported type.

        Raises:
            ValueError: for a type that Google exports, but not to this format.
        """
        _check_exports(mime_type, exports)
        return self._add(name, mime_type, parent, extra, exports=dict(exports))

    def add_shortcut(
        self, name: str, target_id: str, parent: str | None = None, **extra: Json
    ) -> str:
        """Make a shortcut, whose target may be missing. Returns its id.

        It keeps the type and the resource key that the target has now.
        """
        with self.lock:
            target = self.world.items.get(target_id)
            kind = extra.pop("target_mime_type", target.mime_type if target else DOCUMENT)
            key = target.resource_key if target else None
            return self._add(
                name, SHORTCUT, parent, extra, target=ShortcutTarget(target_id, kind, key)
            )

    # ── changes ──────────────────────────────────────────────────────────────

    def edit(self, file_id: str, content: bytes, *, mime_type: str | None = None) -> None:
        """Upload new bytes, maybe of another type."""
        with self.lock:
            item = self.world.items[file_id]
            self._touch(
                file_id,
                content=content,
                revision=item.revision + 1,
                mime_type=mime_type or item.mime_type,
                modified=True,
            )

    def edit_native(self, file_id: str, exports: Mapping[str, bytes]) -> None:
        """Edit a document in Google's own format."""
        _check_exports(self.world.items[file_id].mime_type, exports)
        self._touch(file_id, exports=dict(exports), modified=True)

    def rename(self, file_id: str, name: str) -> None:
        """Give another name; what lies in a folder notices nothing."""
        if file_id in self.world.drives:
            self.rename_drive(file_id, name)
        else:
            self._touch(file_id, name=name, modified=True)

    def move(self, file_id: str, parent: str) -> None:
        """Move to another folder or drive: `modifiedTime` stays as it was."""
        self._place(file_id, (parent,))

    def add_parent(self, file_id: str, parent: str) -> None:
        """Put into a second folder as well, as was possible until 2020."""
        with self.lock:
            self._place(file_id, (*self.world.items[file_id].parents, parent))

    def trash(self, file_id: str) -> None:
        """Put into the bin, with everything below."""
        self._touch(file_id, explicitly_trashed=True)

    def untrash(self, file_id: str) -> None:
        """Take out of the bin."""
        self._touch(file_id, explicitly_trashed=False)

    def remove(self, file_id: str, *, announce_below: bool = False) -> None:
        """Delete for good, with everything below, or a whole shared drive.

        The logs tell of the item alone, unless `announce_below`.
        """
        with self.lock:
            if file_id not in self.world.items:
                return
            self.world.tick()
            doomed = list(self.world.below([file_id]))
            told = doomed if announce_below else doomed[:1]
            feeds = {item.id: self.feeds.of(item) for item in told}
            for item in doomed:
                self.world.discard(item)
            self.access.forget(item.id for item in doomed)
            for item_id, of_item in feeds.items():
                self.journal.record(of_item, item_id, self.world.now())
            if file_id in self.world.drives:
                members = self.world.drives.pop(file_id).members
                self.feeds.note_drive(file_id, members)

    def set(self, file_id: str, **extra: Json) -> None:
        """Set fields of the File resource as they are."""
        with self.lock:
            self._touch(file_id, extra=self.world.items[file_id].extra | extra)

    def flag_abusive(self, file_id: str, *, abusive: bool = True) -> None:
        """Have Google take it for malware."""
        self._touch(file_id, abusive=abusive)

    def describe(self, file_id: str, body: Mapping[str, Json]) -> None:
        """Say what the Docs, Sheets or Slides API answers for a file, besides its id and title.

        Raises:
            ValueError: Google's resource has no such field.
        """
        with self.lock:
            item = self.world.items[file_id]
            hold_to_schema(item.mime_type, body)
            item.body = dict(body)

    # ── what the service account sees ────────────────────────────────────────

    def visible(self, file_id: str) -> Item:
        """An item that the service account may know of.

        Raises:
            ApiError: 404.
        """
        with self.lock:
            if self.access.reach(self.reader, file_id) is Reach.NONE:
                raise not_found(file_id)
            return self.world.items[file_id]

    def all_visible(self) -> list[Item]:
        """Every item that the service account may know of, oldest first."""
        with self.lock:
            return [
                item
                for item in self.world.items.values()
                if self.access.reach(self.reader, item.id) > Reach.NONE
                and not self.world.is_root(item)
            ]

    def is_trashed(self, item: Item) -> bool:
        """Whether it, or a folder above it, is in the bin."""
        with self.lock:
            return self.world.is_trashed(item)

    # ── how it is done ───────────────────────────────────────────────────────

    def _add(
        self,
        name: str,
        mime_type: str,
        parent: str | None,
        extra: dict[str, Any],
        **fields: Json,
    ) -> str:
        with self.lock:
            sequence = self.world.tick()
            above = self.world.items.get(self.root if parent is None else parent)
            item = Item(
                id=extra.pop("id", None) or self.world.new_id(),
                name=name,
                mime_type=mime_type,
                parents=(self.root if parent is None else parent,),
                sequence=sequence,
                owner=above.owner if above else None,
                drive_id=above.drive_id if above else None,
                created=self.world.now(),
                modified=self.world.now(),
                extra=extra,
                **fields,
            )
            self.world.insert(item)
            self.access.spread(item)
            with self.feeds.changing(item):
                pass
            return item.id

    def _touch(self, file_id: str, *, modified: bool = False, **fields: Json) -> None:
        with self.lock:
            self.world.tick()
            item = self.world.items[file_id]
            with self.feeds.changing(item):
                for name, value in fields.items():
                    setattr(item, name, value)
                item.version += 1
                if modified:
                    item.modified = self.world.now()
                if "explicitly_trashed" in fields:
                    self.world.forget_trashed()

    def _place(self, file_id: str, parents: Iterable[str]) -> None:
        with self.lock:
            self.world.tick()
            item = self.world.items[file_id]
            with self.feeds.changing(item):
                self.world.place(item, parents)
                item.version += 1
                self._follow_home(item)
                self.access.reconsider(item)

    def _follow_home(self, item: Item) -> None:
        """An item that comes to another drive or owner takes everything below it along."""
        above = self.world.items.get(item.parents[0])
        home = (above.drive_id, above.owner) if above else (None, None)
        if home == (item.drive_id, item.owner) or item.drive_id is home[0] is None:
            return
        for moved in self.world.below([item.id]):
            moved.drive_id, moved.owner = home


def _check_exports(mime_type: str, exports: Mapping[str, bytes]) -> None:
    wrong = set(exports) - set(EXPORT_FORMATS.get(mime_type, exports))
    if wrong:
        raise ValueError(f"Google does not export {mime_type} to {sorted(wrong)}.")
