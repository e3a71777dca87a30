"""What one account can see of the fake's world: worked out afresh, the slow and plain way.

It knows nothing of the index, and uses nothing of how the fake itself decides who may see what.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from gdrive_rag_mcp.testing.fake_drive.items import Item
from gdrive_rag_mcp.testing.fake_drive.kinds import FOLDER, SHORTCUT
from gdrive_rag_mcp.testing.fake_drive.world import World

UNSEEN, SEEN, OPEN = 0, 1, 2


@dataclass
class Tree:
    """What is in scope, by id.

    `blocked` folders can be seen, not opened, and `broken` shortcuts lead nowhere: each of them has
    a line in the ledger. `unknown` is what only lies in places that cannot be listed: whether it is
    there is not for the index to say, so it may keep it and need not have it. Without a root,
    nothing is known at all. What blocked folders hold or link to is `behind` them, also if it is
    reached in another way.
    """

    has_root: bool = False
    files: dict[str, Item] = field(default_factory=dict)
    folders: dict[str, Item] = field(default_factory=dict)
    shortcuts: dict[str, Item] = field(default_factory=dict)
    blocked: dict[str, Item] = field(default_factory=dict)
    broken: dict[str, Item] = field(default_factory=dict)
    unknown: set[str] = field(default_factory=set)
    behind: set[str] = field(default_factory=set)
    content: dict[str, tuple[bytes, str]] = field(default_factory=dict)
    """The files with what they held and were called then: items change."""

    @property
    def lines(self) -> set[str]:
        """The ids that the ledger must have a line for."""
        return {*self.files, *self.blocked, *self.broken}

    @property
    def everything(self) -> set[str]:
        return {*self.lines, *self.folders, *self.shortcuts}


def held(item: Item) -> bytes:
    """What a file holds, in Google's own formats too."""
    return item.content if item.content is not None else next(iter(item.exports.values()), b"")


class Viewer:
    """One account, and what it may see in a world."""

    def __init__(self, world: World, email: str) -> None:
        self._world = world
        self._email = email

    def reach(self, identifier: str, *, by_link: bool = True) -> int:
        """How far the account gets with an item."""
        item = self._world.items.get(identifier)
        if item is None or (item.hidden and item.owner != self._email):
            return UNSEEN
        drive = self._world.drives.get(identifier)
        if (
            item.owner == self._email
            or self._email in item.readers
            or (drive is not None and self._email in drive.members)
            or (by_link and item.linked)
        ):
            return OPEN
        if any(self.reach(parent, by_link=by_link) == OPEN for parent in item.parents):
            return SEEN if item.limited else OPEN
        return UNSEEN

    def binned(self, identifier: str) -> bool:
        """Whether an item, or something above it, is in the bin."""
        item = self._world.items.get(identifier)
        return item is not None and (
            item.explicitly_trashed or any(self.binned(parent) for parent in item.parents)
        )

    def sees(self, identifier: str, *, by_link: bool = True) -> bool:
        return self.reach(identifier, by_link=by_link) > UNSEEN and not self.binned(identifier)

    def inside(self, folder: str) -> Iterator[str]:
        """What the account can see in a folder, by id."""
        for identifier, item in self._world.items.items():
            if folder in item.parents and self.sees(identifier):
                yield identifier

    def tree(self, root: str) -> Tree:
        """Everything below a root that can be reached from it."""
        tree = Tree(has_root=self.reach(root) == OPEN and not self.binned(root))
        if tree.has_root:
            self._walk(root, tree)
            self._find_unknown(root, tree)
        return tree

    def _walk(self, root: str, tree: Tree) -> None:
        waiting, met = [root], set[str]()
        while waiting:
            identifier = waiting.pop()
            if identifier in met:
                continue
            met.add(identifier)
            item = self._world.items[identifier]
            if item.mime_type == FOLDER:
                if self.reach(identifier) == OPEN:
                    tree.folders[identifier] = item
                    waiting.extend(self.inside(identifier))
                else:
                    tree.blocked[identifier] = item
            elif item.mime_type == SHORTCUT:
                tree.shortcuts[identifier] = item
                target = self._target(item)
                if target is None:
                    tree.broken[identifier] = item
                else:
                    waiting.append(target)
            else:
                tree.files[identifier] = item
                tree.content[identifier] = held(item), item.name

    def _target(self, shortcut: Item) -> str | None:
        """What a shortcut leads to, if it leads anywhere; never to another shortcut."""
        target = self._world.items.get(shortcut.target.id) if shortcut.target else None
        if target is None or target.mime_type == SHORTCUT or not self.sees(target.id):
            return None
        return target.id

    def _find_unknown(self, root: str, tree: Tree) -> None:
        """What lies below a blocked folder; of a whole drive, also what does not show where."""
        tree.behind = self._all_from(tree.blocked)
        tree.unknown = tree.behind - tree.lines
        if root in self._world.drives:
            shown = (
                identifier
                for identifier, item in self._world.items.items()
                if item.drive_id == root and self.sees(identifier) and identifier != root
            )
            tree.unknown |= self._all_from(shown) - tree.lines

    def _all_from(self, starts: Iterable[str]) -> set[str]:
        """The items themselves, what lies below them and what links there lead to, seen or not."""
        found, new = set[str](), set(starts)
        while new:
            found |= new
            linked = {
                item.target.id
                for identifier in new
                if (item := self._world.items.get(identifier)) and item.target
            }
            below = {
                identifier
                for identifier, item in self._world.items.items()
                if not new.isdisjoint(item.parents)
            }
            new = (linked | below) - found
        return found
