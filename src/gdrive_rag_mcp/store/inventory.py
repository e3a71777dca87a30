"""Writing the ledger: what a source lists, and what has gone.

A run is one sync. Every listed item is stamped with it; after a complete listing, what bears an
older stamp was not there any more.
"""

import json
from collections.abc import Iterable
from typing import Any

import apsw

from gdrive_rag_mcp.cleaning import clean
from gdrive_rag_mcp.domain import (
    STATE_OF_REASON,
    ChangePage,
    FileState,
    Reason,
    SourceFile,
    SourceFolder,
)
from gdrive_rag_mcp.store.connection import transaction
from gdrive_rag_mcp.store.meta import Meta
from gdrive_rag_mcp.store.placement import place_files
from gdrive_rag_mcp.store.scoping import stored_time

FOLDER_TYPE = "inode/directory"
_ANCESTRY_CHANGED = "ancestry_changed"


class Inventory:
    """The ledger as a listing writes it."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._meta = Meta(connection)

    # ── listing ──────────────────────────────────────────────────────────────

    def begin_run(self) -> int:
        """Start a run and return its number."""
        with transaction(self._connection):
            run = int(self._meta.get("run") or 0) + 1
            self._meta.set("run", str(run))
            self._connection.execute("UPDATE files SET change = NULL WHERE change IS NOT NULL")
        return run

    def record(self, page: ChangePage, run: int) -> None:
        """Take a page of news into the ledger and the ancestry."""
        with transaction(self._connection):
            for folder in page.folders:
                self._record_folder(folder, run)
            for file in page.files:
                self._record_file(file, run)
            for table, items in (("folders", page.folders), ("files", page.files)):
                self._connection.execute(
                    f"UPDATE {table} SET run = ? WHERE id IN (SELECT value FROM json_each(?))",
                    (run, json.dumps([item.id for item in items])),
                )

    def _record_folder(self, folder: SourceFolder, run: int) -> None:
        described = (clean(folder.name), json.dumps(folder.parents), folder.url, folder.obstacle)
        known = self._connection.execute(
            "SELECT name, parents, url, obstacle FROM folders WHERE id = ?", (folder.id,)
        ).fetchone()
        if known != described:
            self._connection.execute(
                """INSERT INTO folders (id, name, parents, url, obstacle, run)
                VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET name = excluded.name,
                    parents = excluded.parents, url = excluded.url, obstacle = excluded.obstacle""",
                (folder.id, *described, run),
            )
            self._meta.set(_ANCESTRY_CHANGED, "yes")
        if folder.obstacle is not None:
            self._record_obstacle(folder, folder.obstacle, run)
        elif known is None or known[3]:
            self._connection.execute(
                "DELETE FROM files WHERE id = ? AND is_folder = 1", (folder.id,)
            )

    def _record_obstacle(self, folder: SourceFolder, obstacle: Reason, run: int) -> None:
        """Give a folder that cannot be looked into a line of the ledger."""
        self._connection.execute(
            """INSERT INTO files (id, name, mime, parents, version, url, is_folder, state, reason,
                detail, attempts, change, run)
            VALUES (?, ?, ?, ?, '', ?, 1, ?, ?, 'the folder cannot be looked into', 1, 'added', ?)
            ON CONFLICT (id) DO UPDATE SET name = excluded.name, parents = excluded.parents,
                state = excluded.state, reason = excluded.reason, detail = excluded.detail,
                run = excluded.run, attempts = attempts + 1, held_from = NULL, placed = 0""",
            (
                folder.id,
                clean(folder.name),
                FOLDER_TYPE,
                json.dumps(folder.parents),
                folder.url,
                STATE_OF_REASON[obstacle],
                obstacle,
                run,
            ),
        )

    def _record_file(self, file: SourceFile, run: int) -> None:
        known = self._connection.execute(
            """SELECT name, mime, parents, version, revision, md5, size, modified_time, url,
                obstacle, state, held_from, is_folder FROM files WHERE id = ?""",
            (file.id,),
        ).fetchone()
        described = _described(file)
        if known is None:
            self._connection.execute(
                """INSERT INTO files (name, mime, parents, version, revision, md5, size,
                    modified_time, url, obstacle, id, run, state, change)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', 'added')""",
                (*described, file.id, run),
            )
            return
        *before, state, held_from, was_folder = known
        if tuple(before) != described or was_folder:
            self._describe_anew(file.id, described, tuple(before), was_folder=bool(was_folder))
        elif state == FileState.HELD:
            self._release(file.id, held_from)

    def _describe_anew(
        self, file_id: str, now: tuple[Any, ...], before: tuple[Any, ...], *, was_folder: bool
    ) -> None:
        self._connection.execute(
            """UPDATE files SET name = ?, mime = ?, parents = ?, version = ?, revision = ?, md5 = ?,
                size = ?, modified_time = ?, url = ?, obstacle = ?, is_folder = 0 WHERE id = ?""",
            (*now, file_id),
        )
        (name, mime, parents, version, *_, obstacle) = now
        (old_name, old_mime, old_parents, old_version, *_, old_obstacle) = before
        if (name, parents) != (old_name, old_parents):
            self._connection.execute(
                "UPDATE files SET placed = 0, change = coalesce(change, 'moved') WHERE id = ?",
                (file_id,),
            )
        if mime != old_mime:  # the same bytes may be read otherwise now
            self._connection.execute(
                "UPDATE files SET content_hash = NULL WHERE id = ?", (file_id,)
            )
        if was_folder or (mime, version, obstacle) != (old_mime, old_version, old_obstacle):
            self._connection.execute(
                """UPDATE files SET state = 'pending', reason = NULL, detail = '', attempts = 0,
                    next_attempt = NULL, held_from = NULL WHERE id = ?""",
                (file_id,),
            )
        else:
            self._release_if_held(file_id)

    def _release_if_held(self, file_id: str) -> None:
        row = self._connection.execute(
            "SELECT held_from FROM files WHERE id = ? AND state = 'held'", (file_id,)
        ).fetchone()
        if row:
            self._release(file_id, row[0])

    def _release(self, file_id: str, held_from: str | None) -> None:
        """A held file was listed again: it is what it was before."""
        before, reason, detail = json.loads(held_from) if held_from else ("pending", None, "")
        self._connection.execute(
            "UPDATE files SET state = ?, reason = ?, detail = ?, held_from = NULL WHERE id = ?",
            (before, reason, detail, file_id),
        )

    def forget_versions(self) -> None:
        """Take every file for changed when it is next listed: another root may use equal ids."""
        self._connection.execute("UPDATE files SET version = ''")

    def place(self) -> list[str]:
        """Bring paths and placements up to date; returns the files that lie elsewhere now."""
        with transaction(self._connection):
            everything = self._meta.get(_ANCESTRY_CHANGED) is not None
            moved = place_files(self._connection, everything=everything)
            self._meta.delete(_ANCESTRY_CHANGED)
        return moved

    # ── what has gone ────────────────────────────────────────────────────────

    def missing(self, run: int) -> list[str]:
        """Files that a complete listing did not show; below a folder it could not see, unknown."""
        rows = self._connection.execute(
            """SELECT f.id FROM files f WHERE f.run < ? AND NOT EXISTS (
                SELECT 1 FROM placements p JOIN folders d ON d.num = p.folder
                WHERE p.file = f.num AND d.obstacle IS NOT NULL AND d.run = ?)
            ORDER BY f.num""",
            (run, run),
        )
        return [identifier for (identifier,) in rows]

    def came_back_elsewhere(self, run: int) -> int:
        """How many of the missing were only renamed or moved, as far as their version tells.

        A local file's id is its path, but its size and time go with it to another folder.
        """
        row = self._connection.execute(
            """SELECT count(*) FROM files f WHERE f.run < ? AND EXISTS (
                SELECT 1 FROM files n WHERE n.change = 'added' AND n.run = ?
                AND n.version = f.version AND n.mime = f.mime AND n.size > 0)""",
            (run, run),
        ).fetchone()
        return int(row[0]) if row else 0

    def hold(self, file_ids: Iterable[str]) -> None:
        """Keep files that seem gone until somebody confirms it."""
        self._connection.executemany(
            """UPDATE files SET held_from = json_array(state, reason, detail), state = 'held',
                reason = ?, detail = 'not listed any more, with many others at once'
            WHERE id = ? AND state != 'held'""",
            ((Reason.MASS_DELETE, identifier) for identifier in file_ids),
        )

    def remove(self, file_id: str) -> int:
        """Strike a file from the ledger; its chunks must have been taken out before.

        Returns how many lines that was: 1, or 0 for an unknown id.
        """
        self._connection.execute("DELETE FROM files WHERE id = ?", (file_id,))
        return self._connection.changes()

    def drop_folders(self, run: int) -> None:
        """Strike folders that a complete listing did not show and that hold nothing any more."""
        self._connection.execute(
            """DELETE FROM folders WHERE run < ?
            AND NOT EXISTS (SELECT 1 FROM placements p WHERE p.folder = folders.num)""",
            (run,),
        )

    def known_before(self) -> int:
        """Items in the ledger that this run did not bring."""
        row = self._connection.execute(
            """SELECT (SELECT count(*) FROM files)
                - (SELECT count(*) FROM files WHERE change = 'added')"""
        ).fetchone()
        return int(row[0]) if row else 0


def _described(file: SourceFile) -> tuple[Any, ...]:
    """A file as the ledger describes it, in the order of its columns."""
    return (
        clean(file.name),
        file.mime_type,
        json.dumps(file.parents),
        file.version,
        file.revision,
        file.md5,
        file.size,
        stored_time(file.modified_time),
        file.url,
        file.obstacle,
    )
