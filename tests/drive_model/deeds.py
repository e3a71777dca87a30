"""What people do in the fake Drive: every deed is an entry of a table, with numbers for choices.

The numbers are taken modulo what there is to choose from, so that any part of a history is one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeAlias

from gdrive_rag_mcp.testing.fake_drive.kinds import DOCUMENT, EXPORT_FORMATS, FOLDER

if TYPE_CHECKING:
    from tests.drive_model.people import People

IMAGE = "image/png"


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
    return people.new(
        people.files.add_shortcut(people.word(), targets[what % len(targets)], folder)
    )


def link_within(people: People, where: int, what: int) -> str | None:
    """A second way to something that was made in this history."""
    folder = pick([people.root, *people.items(FOLDER)], where)
    target = pick(people.items(), what)
    if folder is None or target is None:
        return None
    return people.new(people.files.add_shortcut(people.word(), target, folder))


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


def trash_folder(people: People, which: int, _: int) -> str | None:
    chosen = pick(people.items(FOLDER), which)
    if chosen is not None:
        people.files.trash(chosen)
    return chosen


def untrash(people: People, which: int, _: int) -> str | None:
    world = people.files.world.items
    chosen = pick(
        (
            one
            for one in [people.root, *people.items()]
            if one in world and world[one].explicitly_trashed
        ),
        which,
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


Deed: TypeAlias = "Callable[[People, int, int], str | None]"
DEEDS: dict[str, Deed] = {
    deed.__name__: deed
    for deed in (
        add_file, add_document, add_image, add_folder, add_shortcut, link_within, edit, rename,
        move, add_parent, trash, trash_folder, untrash, remove, share, unshare, hide, unhide,
        lose_root, limit, unlimit, leave_drive, join_drive,
    )
}  # fmt: skip
TOLD_BY_ITSELF = frozenset({"leave_drive", "join_drive"})
OFTEN = (
    "add_file",
    "add_file",
    "add_folder",
    "add_document",
    "move",
    "move",
    "edit",
    "add_shortcut",
    "link_within",
)
