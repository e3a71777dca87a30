"""Where files lie: paths for people and ancestor numbers for scopes, from the local ancestry."""

import json
from collections import deque
from collections.abc import Iterable
from functools import cached_property

import apsw

from gdrive_rag_mcp.store.connection import fetch
from gdrive_rag_mcp.store.hearsay import LIST_ANEW
from gdrive_rag_mcp.store.translation import decoding


class Ancestry:
    """The folders and links as they stand, read once; answers for many items.

    A folder is in scope when a way leads to it from the root. Ways through as few links as possible
    are taken first, so that a path shows where an item really lies whenever that is in scope.
    """

    @decoding()
    def __init__(self, connection: apsw.Connection) -> None:
        self._folders: dict[str, tuple[int, str, tuple[str, ...], bool]] = {
            identifier: (number, name, tuple(json.loads(parents)), bool(is_root))
            for number, identifier, name, parents, is_root in connection.execute(
                "SELECT num, id, name, parents, is_root FROM folders WHERE gone = 0"
            )
        }
        self._linked: dict[str, list[str]] = {}
        for target, parents in connection.execute(
            "SELECT target, parents FROM shortcuts WHERE gone = 0 ORDER BY id"
        ):
            self._linked.setdefault(target, []).extend(json.loads(parents))
        self._numbers: dict[str, frozenset[int]] = {}

    @cached_property
    def _inside(self) -> dict[str, list[str]]:
        """Folders by the folder that they lie in."""
        inside: dict[str, list[str]] = {}
        for identifier, (_, _, parents, _) in self._folders.items():
            for parent in parents:
                inside.setdefault(parent, []).append(identifier)
        return inside

    @cached_property
    def reached(self) -> dict[str, str | None]:
        """The folders in scope, each with the folder through which it was reached first."""
        reached: dict[str, str | None] = {
            identifier: None for identifier, (*_, is_root) in self._folders.items() if is_root
        }
        wave = deque(reached)
        while wave:
            while wave:
                here = wave.popleft()
                for child in self._inside.get(here, ()):
                    if child not in reached:
                        reached[child] = here
                        wave.append(child)
            linked = {
                target: next((folder for folder in linking if folder in reached), None)
                for target, linking in self._linked.items()
                if target in self._folders and target not in reached
            }
            wave.extend(target for target, through in linked.items() if through is not None)
            reached.update((target, linked[target]) for target in wave)
        return reached

    def below(self, folders: Iterable[str]) -> set[str]:
        """The folders themselves and all known ones below them by their own parents.

        The root is where everything begins, also if a link leads to what is above it.
        """
        found = set(folders)
        waiting = list(found)
        while waiting:
            for child in self._inside.get(waiting.pop(), ()):
                if child not in found and not self._folders[child][-1]:
                    found.add(child)
                    waiting.append(child)
        return found

    def parents(self, identifier: str, own: Iterable[str]) -> tuple[str, ...]:
        """The folders in scope that an item lies in, its own before those that link to it."""
        known = dict.fromkeys((*own, *self._linked.get(identifier, ())))
        return tuple(parent for parent in known if parent in self.reached)

    def numbers(self, parents: Iterable[str]) -> set[int]:
        """The numbers of all folders in scope above an item, at any depth."""
        found: set[int] = set()
        for parent in parents:
            found |= self._upwards(parent)
        return found

    def _upwards(self, folder: str) -> frozenset[int]:
        """A folder's number and those of all above; links may make circles."""
        if folder in self._numbers:
            return self._numbers[folder]
        seen = {folder}
        waiting = [folder]
        while waiting:
            here = waiting.pop()
            for up in self.parents(here, self._folders[here][2]):
                if up not in seen:
                    seen.add(up)
                    waiting.append(up)
        self._numbers[folder] = frozenset(self._folders[identifier][0] for identifier in seen)
        return self._numbers[folder]

    def path(self, parent: str, name: str) -> str:
        """A path below the root for display."""
        names = [name]
        here: str | None = parent
        while here is not None and (above := self.reached[here]) is not None:
            names.append(self._folders[here][1])
            here = above
        return "/".join(reversed(names))


@decoding()
def place_files(connection: apsw.Connection, *, everything: bool) -> list[str]:
    """Bring paths and placements in line with the ancestry; of all files, or of marked ones.

    A file that no way leads to any more is marked as adrift, and stays where it was found last: it
    may be held there. Folders out of scope are marked to be listed should they come back.
    Returns the ids of the files with chunks that may bear another name than their full-text rows.
    """
    waiting = fetch(
        connection,
        # a link to a link leads nowhere, so it does not lead to the line of a broken one
        "SELECT num, id, iif(kind = 'shortcut', '', id), name, path, parents, chunk_count, placed,"
        " adrift FROM files" + ("" if everything else " WHERE placed = 0"),
    )
    if not waiting and not everything:
        return []
    ancestry = Ancestry(connection)
    renamed = []
    for number, identifier, linked_as, name, path, parents, chunks, placed, adrift in waiting:
        within = ancestry.parents(linked_as, json.loads(parents))
        new_path = ancestry.path(within[0], name) if within else path or name
        if within:
            _place(connection, number, ancestry.numbers(within))
        if (new_path, 1, not within) != (path, placed, bool(adrift)):
            connection.execute(
                "UPDATE files SET path = ?, placed = 1, adrift = ? WHERE num = ?",
                (new_path, not within, number),
            )
        if chunks and within and not placed:
            renamed.append(identifier)
    if everything:
        connection.execute(
            f"""UPDATE folders SET {LIST_ANEW}
            WHERE (listed > 0 OR page_token IS NOT NULL)
            AND id NOT IN (SELECT value FROM json_each(?))""",
            (json.dumps(list(ancestry.reached)),),
        )
    return renamed


def _place(connection: apsw.Connection, file: int, folders: set[int]) -> None:
    """Say which folders a file lies below."""
    known = fetch(connection, "SELECT folder FROM placements WHERE file = ?", (file,))
    if {folder for (folder,) in known} == folders:
        return
    connection.execute("DELETE FROM placements WHERE file = ?", (file,))
    connection.executemany(
        "INSERT INTO placements (folder, file) VALUES (?, ?)",
        ((folder, file) for folder in sorted(folders)),
    )
