"""The state of the fake Drive: items by id and by parent, drives, a clock, what is trashed."""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from threading import RLock

from gdrive_rag_mcp.testing.fake_drive.items import EPOCH, Item, SharedDrive, token_of
from gdrive_rag_mcp.testing.fake_drive.kinds import FOLDER


class World:
    """Everything there is. Whoever reads or changes it holds `lock`."""

    def __init__(self) -> None:
        self.lock = RLock()
        self.items: dict[str, Item] = {}
        self.drives: dict[str, SharedDrive] = {}
        self.my_drives: dict[str, str] = {}
        self.users: set[str] = set()
        self._children: dict[str, dict[str, None]] = {}
        self._trashed: set[str] | None = None
        self._clock = 0

    # ── time and ids ─────────────────────────────────────────────────────────

    def tick(self) -> int:
        """A number for something that happens, larger than all before."""
        self._clock += 1
        return self._clock

    def now(self) -> datetime:
        """A clock of its own: a second a tick, so that no two changes are at the same time."""
        return EPOCH + timedelta(seconds=self._clock)

    def new_id(self, *, of_a_drive: bool = False) -> str:
        """An id in the form of Google's."""
        digits = token_of(self._clock)
        return f"0A{digits[:13]}9PVA" if of_a_drive else f"1{digits}"

    # ── structure ────────────────────────────────────────────────────────────

    def insert(self, item: Item) -> None:
        """Put a new item in, and among the children of its parents."""
        self.items[item.id] = item
        for parent in item.parents:
            self._children.setdefault(parent, {})[item.id] = None
        if self._trashed is not None and any(parent in self._trashed for parent in item.parents):
            self._trashed.add(item.id)

    def place(self, item: Item, parents: Iterable[str]) -> None:
        """Put an item under other parents."""
        for parent in item.parents:
            self._children.get(parent, {}).pop(item.id, None)
        item.parents = tuple(parents)
        for parent in item.parents:
            self._children.setdefault(parent, {})[item.id] = None
        self.forget_trashed()

    def discard(self, item: Item) -> None:
        """Take an item out; what lies below stays."""
        for parent in item.parents:
            self._children.get(parent, {}).pop(item.id, None)
        self.items.pop(item.id, None)
        if self._trashed is not None:
            self._trashed.discard(item.id)
        self.my_drives = {who: root for who, root in self.my_drives.items() if root != item.id}

    def child_ids(self, folder_id: str) -> Iterable[str]:
        """The ids of what lies directly in a folder, in no order."""
        return self._children.get(folder_id, ())

    def children(self, folder_id: str) -> list[Item]:
        """What lies directly in a folder, oldest first."""
        found = [self.items[child] for child in self.child_ids(folder_id)]
        return sorted(found, key=lambda item: item.sequence)

    def below(self, ids: Iterable[str]) -> Iterator[Item]:
        """The items and everything below them, once, even if folders contain each other."""
        pending, seen = list(ids), set[str]()
        while pending:
            current = pending.pop()
            if current in seen:
                continue
            seen.add(current)
            if current in self.items:
                yield self.items[current]
            pending += self._children.get(current, ())

    def is_root(self, item: Item) -> bool:
        """Whether it is the topmost folder of a shared drive or of somebody's My Drive."""
        return item.id in self.drives or item.id in self.my_drives.values()

    def is_in_my_drive(self, item: Item, email: str) -> bool:
        """Whether it lies below this user's own topmost folder."""
        pending, seen = [item.id], set[str]()
        while pending:
            current = pending.pop()
            if current == self.my_drives.get(email):
                return True
            if current in self.items and current not in seen:
                seen.add(current)
                pending += self.items[current].parents
        return False

    def my_drive(self, email: str) -> str:
        """The topmost folder of a user, made when first asked for."""
        if email not in self.my_drives:
            self.users.add(email)
            sequence = self.tick()
            root = Item(self.new_id(of_a_drive=True), "My Drive", FOLDER, (), sequence, owner=email)
            self.my_drives[email] = root.id
            self.insert(root)
        return self.my_drives[email]

    # ── the bin ──────────────────────────────────────────────────────────────

    def is_trashed(self, item: Item) -> bool:
        """Whether it, or a folder above it, is in the bin."""
        if self._trashed is None:
            binned = [item.id for item in self.items.values() if item.explicitly_trashed]
            self._trashed = {item.id for item in self.below(binned)}
        return item.id in self._trashed

    def forget_trashed(self) -> None:
        """Find out anew, when next asked, what lies in the bin."""
        self._trashed = None
