"""Where files lie: paths for people and ancestor numbers for scopes, from the local ancestry."""

import json
from collections.abc import Iterable

import apsw

from gdrive_rag_mcp.store.connection import fetch
from gdrive_rag_mcp.store.translation import decoding


class Ancestry:
    """The folders as they stand, read once; answers for many files."""

    @decoding()
    def __init__(self, connection: apsw.Connection) -> None:
        self._folders: dict[str, tuple[int, str, tuple[str, ...]]] = {
            identifier: (number, name, tuple(json.loads(parents)))
            for number, identifier, name, parents in connection.execute(
                "SELECT num, id, name, parents FROM folders"
            )
        }
        self._above: dict[str, frozenset[str]] = {}
        self._paths: dict[str, str] = {}

    def above(self, parents: Iterable[str]) -> frozenset[str]:
        """The ids of all known folders above, at any depth; cycles end where they close."""
        found: set[str] = set()
        waiting = [parent for parent in parents if parent in self._folders]
        while waiting:
            folder = waiting.pop()
            if folder in found:
                continue
            known = self._above.get(folder)
            if known is not None:
                found |= known | {folder}
                continue
            found.add(folder)
            waiting.extend(up for up in self._folders[folder][2] if up in self._folders)
        return frozenset(found)

    def numbers(self, parents: tuple[str, ...]) -> set[int]:
        """The numbers of all folders above an item with these parents."""
        for parent in parents:
            if parent in self._folders and parent not in self._above:
                self._above[parent] = self.above(self._folders[parent][2]) - {parent}
        return {self._folders[folder][0] for folder in self.above(parents)}

    def path(self, parents: tuple[str, ...], name: str) -> str:
        """A path below the root for display: the first known parent's, then the name."""
        for parent in parents:
            if parent in self._folders:
                folder = self._folder_path(parent)
                return f"{folder}/{name}" if folder else name
        return name

    def _folder_path(self, folder: str) -> str:
        """The names from below the topmost known folder, the root, down to this one."""
        names: list[str] = []
        seen: set[str] = set()
        here: str | None = folder
        while here is not None and here not in self._paths and here not in seen:
            seen.add(here)
            _, name, parents = self._folders[here]
            here = next((up for up in parents if up in self._folders and up not in seen), None)
            if here is not None:
                names.append(name)
        start = self._paths.get(here, "") if here is not None else ""
        path = "/".join([start, *reversed(names)] if start else reversed(names))
        self._paths[folder] = path
        return path


@decoding()
def place_files(connection: apsw.Connection, *, everything: bool) -> list[str]:
    """Bring paths and placements in line with the ancestry; of all files, or of marked ones.

    Returns the ids of the files with chunks whose full-text rows have to be written again.
    """
    waiting = fetch(
        connection,
        "SELECT num, id, name, path, parents, chunk_count, placed FROM files"
        + ("" if everything else " WHERE placed = 0"),
    )
    if not waiting:
        return []
    ancestry = Ancestry(connection)
    moved = []
    for number, identifier, name, path, parents, chunks, placed in waiting:
        above = tuple(json.loads(parents))
        new_path, folders = ancestry.path(above, name), ancestry.numbers(above)
        relocated = _place(connection, number, folders)
        if new_path != path or not placed:
            connection.execute(
                "UPDATE files SET path = ?, placed = 1 WHERE num = ?", (new_path, number)
            )
        if chunks and (relocated or not placed):
            moved.append(identifier)
    return moved


def _place(connection: apsw.Connection, file: int, folders: set[int]) -> bool:
    """Say which folders a file lies below; true if that is news."""
    known = fetch(connection, "SELECT folder FROM placements WHERE file = ?", (file,))
    if {folder for (folder,) in known} == folders:
        return False
    connection.execute("DELETE FROM placements WHERE file = ?", (file,))
    connection.executemany(
        "INSERT INTO placements (folder, file) VALUES (?, ?)",
        ((folder, file) for folder in sorted(folders)),
    )
    return True
