"""The people in the fake Drive, and what they know of what no log tells."""

from dataclasses import dataclass

from gdrive_rag_mcp.testing.fake_drive import FakeDrive
from gdrive_rag_mcp.testing.fake_drive.kinds import FOLDER
from tests.drive_model.deeds import DEEDS, TOLD_BY_ITSELF
from tests.drive_model.tree import Tree, Viewer

ROOTS = ("folder of a user", "folder of a drive", "folder shared out of a drive", "whole drive")
OUTSIDER = "stranger@example.com"


@dataclass
class Places:
    """Where things can be put that nobody made in the history."""

    root: str
    all: list[str]
    drives: list[str]
    linked: list[str]


def furnished(drive: FakeDrive, kind: str) -> Places:
    """Two people's folders, two shared drives, and among all that a root of some kind."""
    files, reader = drive.files, drive.email
    home = files.my_drive("owner@example.com")
    outside = files.add_folder("Outside", home)
    lent = files.add_folder("Lent", home)
    files.share(lent, reader)
    ours = files.add_drive("Ours", [reader, OUTSIDER])
    theirs = files.add_drive("Theirs", [OUTSIDER])
    linked = files.add_folder("Linked", outside)
    files.link(linked)
    link = files.add_file("linked.md", b"word0 linked", linked)
    if kind == "folder of a user":
        root = files.root
    elif kind == "whole drive":
        root = ours
    else:
        root = files.add_folder("Root", ours if kind == "folder of a drive" else theirs)
        if kind == "folder shared out of a drive":
            files.share(root, reader)
    return Places(
        root,
        [place for place in (outside, lent, ours, theirs) if place != root],
        [ours, theirs],
        [linked, link],
    )


class People:
    """The people, who know what they have made."""

    def __init__(self, drive: FakeDrive, kind: str) -> None:
        self.drive = drive
        self.files = drive.files
        self.places = furnished(drive, kind)
        self.viewer = Viewer(self.files.world, drive.email)
        self.silent = False
        """Whether something changed that no log tells of; a full listing makes it known."""
        self.constant: set[str] = set()
        """The files that were in scope all the time since the index was known to be right."""
        self._gone_behind_doors: set[str] = set()
        """What left a closed folder: nobody hears of that while it is closed."""
        self.once_behind_doors: set[str] = set()
        """The same of what is, or was, reached in another way: its own log tells of it alone."""
        self.made = 0
        self.words: dict[str, str] = {self.places.linked[1]: "word0"}
        self._items: list[str] = []

    @property
    def root(self) -> str:
        return self.places.root

    def tree(self) -> Tree:
        with self.files.lock:
            tree = self.viewer.tree(self.root)
            tree.behind |= self.once_behind_doors
            tree.unknown |= self._gone_behind_doors - tree.everything
            seen = {one for one in self.once_behind_doors if self.viewer.sees(one)}
            tree.unknown |= seen - tree.everything
            return tree

    def do(self, deed: str, one: int, other: int) -> bool:
        """Do something; false where it cannot be done as things are."""
        with self.files.lock:
            before = self.tree()
            touched = DEEDS[deed](self, one, other)
            if touched is None:
                return False
            closed = bool(self.tree().blocked)
            self._gone_behind_doors = before.unknown if closed else set()
            self.once_behind_doors = before.behind if closed else set()
            if deed not in TOLD_BY_ITSELF:
                self._note_silence(touched, before)
            self.constant &= set(self.tree().files)
            return True

    # ── what no log tells of ─────────────────────────────────────────────────

    def _note_silence(self, touched: str, before: Tree) -> None:
        """A log tells of the item alone, and only those who see it, link or no link.

        What a change does to what lies below can be told from the ancestry.
        """
        after = self.tree()
        if self._is_only_linked(touched):
            changed = before.content != after.content or before.everything != after.everything
            self.silent |= changed
        if touched in after.everything and touched not in before.everything:
            self.silent |= self._may_come_unheard(touched)

    def _may_come_unheard(self, touched: str) -> bool:
        """What a link waits for may turn up in a drive of which nobody had reason to hear yet."""
        world = self.files.world
        drive = world.items[touched].drive_id
        followed = (None, world.items[self.root].drive_id)
        return drive not in followed and self.drive.email in world.drives[str(drive)].members

    def note_membership(self, drive: str) -> None:
        """Of the root's drive, a log tells; what lies in another may come or go without a word."""
        self.silent |= drive != self.files.world.items[self.root].drive_id

    def _is_only_linked(self, identifier: str) -> bool:
        return self.viewer.reach(identifier) > self.viewer.reach(identifier, by_link=False) == 0

    # ── choosing ─────────────────────────────────────────────────────────────

    def items(self, *kinds: str) -> list[str]:
        """What was made in this history and is still there, files alone unless kinds are named."""
        world = self.files.world.items
        self._items = [identifier for identifier in self._items if identifier in world]
        return [
            identifier
            for identifier in self._items
            if (not kinds or world[identifier].mime_type in kinds)
        ]

    def folders(self) -> list[str]:
        world = self.files.world.items
        # The root comes up more often, or most would happen where nobody looks.
        return [
            *[self.root] * 3,
            *(one for one in self.places.all if one in world),
            *self.items(FOLDER),
        ]

    def new(self, identifier: str, word: str | None = None) -> str:
        self._items.append(identifier)
        if word is not None:
            self.words[identifier] = word
        return identifier

    def word(self) -> str:
        self.made += 1
        return f"word{self.made}"

    def may_hold(self, folder: str, item: str) -> bool:
        """Whether an item can be put into a folder without containing itself."""
        above, waiting = set[str](), [folder]
        while waiting:
            here = waiting.pop()
            if here not in above and here in self.files.world.items:
                above.add(here)
                waiting.extend(self.files.world.items[here].parents)
        return item not in above
