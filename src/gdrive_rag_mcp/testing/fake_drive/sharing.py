"""Who is let in and shut out: shares, links, limited folders, and members of shared drives."""

from collections.abc import Iterable

from gdrive_rag_mcp.testing.fake_drive.access import Access
from gdrive_rag_mcp.testing.fake_drive.feeds import Feeds
from gdrive_rag_mcp.testing.fake_drive.items import Item, SharedDrive, token_of
from gdrive_rag_mcp.testing.fake_drive.kinds import FOLDER
from gdrive_rag_mcp.testing.fake_drive.world import World


class Sharing:
    """The part of `FakeFiles` that changes access. Every method holds the lock."""

    def __init__(self, world: World, access: Access, feeds: Feeds) -> None:
        self.world = world
        self.lock = world.lock
        self.access = access
        self.feeds = feeds

    # ── items ────────────────────────────────────────────────────────────────

    def share(self, file_id: str, email: str) -> None:
        """Let somebody in, here and below: one entry in that user's log, for this item alone."""
        with self.lock:
            self.world.tick()
            self.world.users.add(email)
            item = self.world.items[file_id]
            item.readers.setdefault(email, self.world.now())
            item.version += 1
            self.access.spread(item)
            self.feeds.note(item, {email})

    def unshare(self, file_id: str, email: str) -> None:
        """Take a share back: one entry in that user's log, for this item alone."""
        with self.lock:
            self.world.tick()
            item = self.world.items[file_id]
            del item.readers[email]
            item.version += 1
            self.access.reconsider(item)
            self.feeds.note(item, {email})

    def hide(self, file_id: str, *, hidden: bool = True) -> None:
        """Take away everybody's access but the owner's, whatever is granted; or give it back.

        Nobody changes the item itself; the logs tell of it as of any access lost or gained, and
        in a shared drive as of a change.
        """
        with self.lock:
            self.world.tick()
            item = self.world.items[file_id]
            with self.feeds.changing(item) if item.drive_id else self.feeds.changing_access(item):
                item.hidden = hidden
                self.access.reconsider(item)

    def lose_silently(self, file_id: str, email: str | None = None) -> None:
        """Take access away with no entry in any log.

        Of one user whom the item is shared with or the drive is open to, or of everybody but the
        owner.
        """
        with self.lock:
            self.world.tick()
            item = self.world.items[file_id]
            if email is None:
                item.hidden = True
            elif file_id in self.world.drives:
                self.world.drives[file_id].members.discard(email)
            else:
                del item.readers[email]
            self.access.reconsider(item)

    def limit_access(self, folder_id: str, *, limited: bool = True) -> None:
        """Let a folder be opened only by those whom it is shared with directly.

        Those who get in from above still see that it is there.
        """
        with self.lock:
            self.world.tick()
            item = self.world.items[folder_id]
            with self.feeds.changing(item):
                item.limited = limited
                item.version += 1
                self.access.reconsider(item)

    def link(self, file_id: str) -> None:
        """Open to anyone who knows the address; found by nobody."""
        with self.lock:
            self.world.tick()
            item = self.world.items[file_id]
            item.linked = True
            self.access.reconsider(item)

    def require_resource_key(self, file_id: str) -> str:
        """Open by address to anyone who sends this key. Returns the key.

        All must send it but those whom the item itself is shared with.
        """
        with self.lock:
            self.link(file_id)
            item = self.world.items[file_id]
            item.resource_key = f"0-{token_of(item.sequence)}"
            return item.resource_key

    # ── shared drives ────────────────────────────────────────────────────────

    def add_drive(self, name: str, members: Iterable[str] = ()) -> str:
        """Make a shared drive. Returns its id, which is that of its topmost folder too."""
        with self.lock:
            sequence = self.world.tick()
            drive_id = self.world.new_id(of_a_drive=True)
            people = set(members)
            self.world.users |= people
            self.world.drives[drive_id] = SharedDrive(drive_id, name, people, self.world.now())
            root = Item(drive_id, "Drive", FOLDER, (), sequence, owner=None, drive_id=drive_id)
            self.world.insert(root)
            self.access.spread(root)
            self.feeds.note_drive(drive_id, people)
            return drive_id

    def add_member(self, drive_id: str, email: str) -> None:
        """Let somebody into a shared drive: one entry, for the drive."""
        with self.lock:
            self.world.tick()
            self.world.users.add(email)
            self.world.drives[drive_id].members.add(email)
            self.access.spread(self.world.items[drive_id])
            self.feeds.note_drive(drive_id, {email})

    def remove_member(self, drive_id: str, email: str) -> None:
        """Shut somebody out of a shared drive: one entry, for the drive."""
        with self.lock:
            self.world.tick()
            self.world.drives[drive_id].members.discard(email)
            self.access.reconsider(self.world.items[drive_id])
            self.feeds.note_drive(drive_id, {email})

    def rename_drive(self, drive_id: str, name: str) -> None:
        """Rename a shared drive; its topmost folder is called `Drive` whatever happens."""
        with self.lock:
            self.world.tick()
            drive = self.world.drives[drive_id]
            drive.name = name
            self.feeds.note_drive(drive_id, drive.members)

    def my_drive(self, email: str) -> str:
        """The topmost folder of a user's own."""
        with self.lock:
            return self.world.my_drive(email)
