"""What people do in the fake Drive: every deed is an entry of a table, with numbers for choices.

The numbers are taken modulo what there is to choose from, so that any part of a history is one, too.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from gdrive_rag_mcp.testing.fake_drive import FakeDrive
from gdrive_rag_mcp.testing.fake_drive.items import Item
from gdrive_rag_mcp.testing.fake_drive.kinds import DOCUMENT, EXPORT_FORMATS, FOLDER, SHORTCUT
from tests.drive_model.tree import Tree, Viewer

ROOTS = ("folder of a user", "folder of a drive", "folder shared out of a drive", "whole drive")
OUTSIDER = "stranger@example.com"
IMAGE = "image/png"


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
        self.made = 0
        self.words: dict[str, str] = {self.places.linked[1]: "word0"}
        self._items: list[str] = []

    @property
    def root(self) -> str:
        return self.places.root

    def tree(self) -> Tree:
        with self.files.lock:
            return self.viewer.tree(self.root)

    def do(self, deed: str, one: int, other: int) -> bool:
        """Do something; false where it cannot be done as things are."""
        with self.files.lock:
            before, sights = self.tree(), self._sights()
            touched = DEEDS[deed](self, one, other)
            if touched is None:
                return False
            if deed not in TOLD_BY_ITSELF:
                self._note_silence(touched, before, sights)
            self.constant &= set(self.tree().files)
            return True

    # ── what no log tells of ─────────────────────────────────────────────────

    def _sights(self) -> dict[str, tuple[bool, bytes, str]]:
        return {
            identifier: (self.viewer.sees(identifier), held_of(item), item.name)
            for identifier, item in self.files.world.items.items()
        }

    def _note_silence(
        self, touched: str, before: Tree, sights: dict[str, tuple[bool, bytes, str]]
    ) -> None:
        """A log tells of the item alone, and only those who see it, link or no link.

        What a change does to what lies below can be told from the ancestry, unless an item has
        another way in: then it is still to be found there, for all that the log says.
        """
        after = self.tree()
        known = before.everything | after.everything
        if touched not in known or self._is_only_linked(touched):
            changed = before.content != after.content or before.everything != after.everything
            self.silent |= changed
        now = self._sights()
        for identifier in known - {touched}:
            item = self.files.world.items.get(identifier)
            if sights.get(identifier) != now.get(identifier) and (
                self._has_several_ways_in(identifier, item)
            ):
                self.silent = True

    def note_membership(self, drive: str) -> None:
        """Of the root's drive, a log tells; what lies in another may come or go without a word."""
        self.silent |= drive != self.files.world.items[self.root].drive_id

    def _is_only_linked(self, identifier: str) -> bool:
        return (
            self.viewer.reach(identifier) > self.viewer.reach(identifier, by_link=False) == 0
        )

    def _has_several_ways_in(self, identifier: str, item: Item | None) -> bool:
        """Whether it is in several folders; of what was deleted, nobody knows."""
        return item is not None and len(item.parents) > 1

    # ── choosing ─────────────────────────────────────────────────────────────

    def items(self, *kinds: str, native: bool | None = None) -> list[str]:
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
        return [*[self.root] * 3, *(one for one in self.places.all if one in world), *self.items(FOLDER)]

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


def held_of(item: Item) -> bytes:
    return item.content if item.content is not None else next(iter(item.exports.values()), b"")


def pick(among: Iterable[str], number: int) -> str | None:
    options = list(among)
    return options[number % len(options)] if options else None


def exports(text: str) -> dict[str, bytes]:
    return dict.fromkeys(EXPORT_FORMATS[DOCUMENT], text.encode())


# ── what can be done; each returns the item that was touched, or None ────────


def add_file(people: People, where: int, number: int) -> str | None:
    folder, word = pick(people.folders(), where), people.word()
    return people.new(
        people.files.add_file(
            f"{word}.md", f"{word} file{number}".encode(), folder, mime_type="text/markdown"
        ),
        word,
    )


def add_document(people: People, where: int, number: int) -> str | None:
    folder, word = pick(people.folders(), where), people.word()
    return people.new(
        people.files.add_native(f"{word}", exports(f"{word} document{number}"), folder), word
    )


def add_image(people: People, where: int, _: int) -> str | None:
    folder, word = pick(people.folders(), where), people.word()
    return people.new(people.files.add_file(f"{word}.png", b"", folder, mime_type=IMAGE))


def add_folder(people: People, where: int, _: int) -> str | None:
    return people.new(people.files.add_folder(people.word(), pick(people.folders(), where)))


def add_shortcut(people: People, where: int, what: int) -> str | None:
    folder = pick(people.folders(), where)
    targets = [*people.folders(), *people.items(), *people.places.linked, "1dangling", people.root]
    return people.new(people.files.add_shortcut(people.word(), targets[what % len(targets)], folder))


def edit(people: People, which: int, number: int) -> str | None:
    chosen = pick([*people.items("text/markdown", DOCUMENT), people.places.linked[1]], which)
    if chosen is None:
        return None
    text = f"{people.words[chosen]} edition{number} of {people.word()}"
    if people.files.world.items[chosen].mime_type == DOCUMENT:
        people.files.edit_native(chosen, exports(text))
    else:
        people.files.edit(chosen, text.encode())
    return chosen


def rename(people: People, which: int, number: int) -> str | None:
    chosen = pick(people.items(), which)
    if chosen is not None:
        people.files.rename(chosen, f"renamed {number}")
    return chosen


def move(people: People, which: int, where: int) -> str | None:
    chosen, folder = pick(people.items(), which), pick(people.folders(), where)
    if chosen is None or folder is None or not people.may_hold(folder, chosen):
        return None
    people.files.move(chosen, folder)
    return chosen


def add_parent(people: People, which: int, where: int) -> str | None:
    world = people.files.world.items
    chosen = pick((one for one in people.items() if world[one].drive_id is None), which)
    folder = pick((one for one in people.folders() if world[one].drive_id is None), where)
    if chosen is None or folder is None or not people.may_hold(folder, chosen):
        return None
    if folder in world[chosen].parents:
        return None
    people.files.add_parent(chosen, folder)
    return chosen


def trash(people: People, which: int, _: int) -> str | None:
    chosen = pick(people.items(), which)
    if chosen is not None:
        people.files.trash(chosen)
    return chosen


def untrash(people: People, which: int, _: int) -> str | None:
    world = people.files.world.items
    chosen = pick(
        (one for one in [people.root, *people.items()] if one in world and world[one].explicitly_trashed), which
    )
    if chosen is not None:
        people.files.untrash(chosen)
    return chosen


def remove(people: People, which: int, _: int) -> str | None:
    chosen = pick(people.items(), which)
    if chosen is not None:
        people.files.remove(chosen)
    return chosen


def share(people: People, which: int, _: int) -> str | None:
    chosen = pick([*people.items(), people.root, *people.places.all[:2]], which)
    if chosen is None or chosen in people.places.drives:
        return None
    people.files.share(chosen, people.drive.email)
    return chosen


def unshare(people: People, which: int, _: int) -> str | None:
    world, reader = people.files.world.items, people.drive.email
    chosen = pick((one for one, item in world.items() if reader in item.readers), which)
    if chosen is not None:
        people.files.unshare(chosen, reader)
    return chosen


def hide(people: People, which: int, _: int) -> str | None:
    chosen = pick(people.items(), which)
    if chosen is not None:
        people.files.hide(chosen)
    return chosen


def unhide(people: People, which: int, _: int) -> str | None:
    chosen = pick((one for one, item in people.files.world.items.items() if item.hidden), which)
    if chosen is not None:
        people.files.hide(chosen, hidden=False)
    return chosen


def lose_root(people: People, how: int, _: int) -> str | None:
    if people.root in people.places.drives:
        return None
    if how % 2:
        people.files.hide(people.root)
    else:
        people.files.trash(people.root)
    return people.root


def limit(people: People, which: int, _: int) -> str | None:
    chosen = pick(people.items(FOLDER), which)
    if chosen is not None:
        people.files.limit_access(chosen)
    return chosen


def unlimit(people: People, which: int, _: int) -> str | None:
    chosen = pick((one for one, item in people.files.world.items.items() if item.limited), which)
    if chosen is not None:
        people.files.limit_access(chosen, limited=False)
    return chosen


def leave_drive(people: People, which: int, _: int) -> str | None:
    drive = people.places.drives[which % 2]
    people.files.remove_member(drive, people.drive.email)
    people.note_membership(drive)
    return drive


def join_drive(people: People, which: int, _: int) -> str | None:
    drive = people.places.drives[which % 2]
    people.files.add_member(drive, people.drive.email)
    people.note_membership(drive)
    return drive


Deed = Callable[[People, int, int], "str | None"]
DEEDS: dict[str, Deed] = {
    deed.__name__: deed
    for deed in (
        add_file, add_document, add_image, add_folder, add_shortcut, edit, rename, move,
        add_parent, trash, untrash, remove, share, unshare, hide, unhide, lose_root, limit,
        unlimit, leave_drive, join_drive,
    )
}  # fmt: skip
TOLD_BY_ITSELF = frozenset({"leave_drive", "join_drive"})
OFTEN = ("add_file", "add_file", "add_folder", "add_document", "move", "move", "edit", "add_shortcut")
