"""Writing the ledger: what a source lists, and what has gone.

A run is one sync. Every listed item is stamped with it; after a complete listing, what bears an
older stamp was not there any more.
"""

import json
from collections.abc import Iterable

import apsw

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

    def _record_folder(self, folder: SourceFolder, run: int) -> None:
        self._connection.execute(
            """INSERT INTO folders (id, name, parents, url, obstacle, run)
            VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET name = excluded.name,
                parents = excluded.parents, url = excluded.url, obstacle = excluded.obstacle,
                run = excluded.run""",
            (folder.id, folder.name, json.dumps(folder.parents), folder.url, folder.obstacle, run),
        )
        if folder.obstacle is None:
            self._connection.execute(
                "DELETE FROM files WHERE id = ? AND is_folder = 1", (folder.id,)
            )
            return
        self._connection.execute(
            """INSERT INTO files (id, name, mime, parents, version, url, is_folder, state, reason,
                detail, attempts, change, run)
            VALUES (?, ?, ?, ?, '', ?, 1, ?, ?, 'the folder cannot be looked into', 1, 'added', ?)
            ON CONFLICT (id) DO UPDATE SET name = excluded.name, parents = excluded.parents,
                state = excluded.state, reason = excluded.reason, run = excluded.run,
                attempts = attempts + 1""",
            (
                folder.id,
                folder.name,
                FOLDER_TYPE,
                json.dumps(folder.parents),
                folder.url,
                STATE_OF_REASON[folder.obstacle],
                folder.obstacle,
                run,
            ),
        )

    def _record_file(self, file: SourceFile, run: int) -> None:
        known = self._connection.execute(
            """SELECT version, name, parents, obstacle, mime, state, held_from
            FROM files WHERE id = ?""",
            (file.id,),
        ).fetchone()
        parents = json.dumps(file.parents)
        described = (
            file.name,
            file.mime_type,
            parents,
            file.version,
            file.revision,
            file.md5,
            file.size,
            stored_time(file.modified_time),
            file.url,
            file.obstacle,
            run,
        )
        if known is None:
            self._connection.execute(
                """INSERT INTO files (name, mime, parents, version, revision, md5, size,
                    modified_time, url, obstacle, run, id, state, change)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', 'added')""",
                (*described, file.id),
            )
            return
        self._connection.execute(
            """UPDATE files SET name = ?, mime = ?, parents = ?, version = ?, revision = ?, md5 = ?,
                size = ?, modified_time = ?, url = ?, obstacle = ?, run = ? WHERE id = ?""",
            (*described, file.id),
        )
        version, name, old_parents, obstacle, mime, state, held_from = known
        if (version, obstacle, mime) != (file.version, file.obstacle, file.mime_type):
            self._connection.execute(
                """UPDATE files SET state = 'pending', reason = NULL, detail = '', attempts = 0,
                    next_attempt = NULL, held_from = NULL, change = coalesce(change, 'updated')
                WHERE id = ?""",
                (file.id,),
            )
        elif state == FileState.HELD:
            self._release(file.id, held_from)
        if (name, old_parents) != (file.name, parents):
            self._connection.execute(
                "UPDATE files SET change = coalesce(change, 'moved') WHERE id = ?", (file.id,)
            )

    def _release(self, file_id: str, held_from: str | None) -> None:
        """A held file was listed again: it is what it was before."""
        before, _, reason = (held_from or "pending").partition(":")
        self._connection.execute(
            "UPDATE files SET state = ?, reason = ?, detail = '', held_from = NULL WHERE id = ?",
            (before, reason or None, file_id),
        )

    def place(self) -> list[str]:
        """Bring paths and placements up to date; returns the files that lie elsewhere now."""
        with transaction(self._connection):
            return place_files(self._connection)

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

    def hold(self, file_ids: Iterable[str]) -> None:
        """Keep files that seem gone until somebody confirms it."""
        self._connection.executemany(
            """UPDATE files SET held_from = state || ':' || coalesce(reason, ''), state = 'held',
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
            AND num NOT IN (SELECT folder FROM placements)""",
            (run,),
        )

    def count(self) -> int:
        """Items in the ledger."""
        row = self._connection.execute("SELECT count(*) FROM files").fetchone()
        return int(row[0]) if row else 0
