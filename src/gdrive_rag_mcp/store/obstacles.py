"""Lines of the ledger for what has no content of its own, yet hides some.

A folder that cannot be looked into, and a shortcut whose target cannot be had: what lies behind
them is unknown, and nobody would miss it if the ledger did not say so.
"""

import json
from datetime import datetime

import apsw

from gdrive_rag_mcp.cleaning import clean
from gdrive_rag_mcp.domain import STATE_OF_REASON, LookedUp, Reason, SourceFolder
from gdrive_rag_mcp.store.connection import fetch
from gdrive_rag_mcp.store.hearsay import LIST_ANEW, LOOK_AGAIN
from gdrive_rag_mcp.store.meta import ANCESTRY_CHANGED, Meta
from gdrive_rag_mcp.store.scoping import stored_time
from gdrive_rag_mcp.store.work_queue import folder_delay

FOLDER_TYPE = "inode/directory"
SHORTCUT_TYPE = "application/vnd.google-apps.shortcut"


class Obstacles:
    """What stands between the index and a part of its scope."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def block(self, folder: SourceFolder, reason: Reason, listing: int, now: datetime) -> None:
        """A folder cannot be looked into; it is tried again, later and later."""
        row = self._connection.execute(
            "UPDATE folders SET refusals = refusals + 1 WHERE id = ? RETURNING refusals",
            (folder.id,),
        ).fetchone()
        attempts = int(row[0]) if row else 1
        self._write(
            (folder.id, clean(folder.name), FOLDER_TYPE, json.dumps(folder.parents), folder.url,
             "folder", STATE_OF_REASON[reason], reason, "the folder cannot be looked into",
             attempts, stored_time(now + folder_delay(attempts)), folder.feed, listing)
        )  # fmt: skip
        self._spare_below(folder.id)

    def unblock(self, folder_id: str) -> None:
        """A folder can be looked into."""
        self._connection.execute("DELETE FROM files WHERE id = ? AND kind = 'folder'", (folder_id,))

    def looked_up(self, item: LookedUp, listing: int, now: datetime) -> None:
        """What came of looking at a shortcut's target, or into a folder."""
        doubted = self._connection.execute(
            "SELECT 1 FROM shortcuts WHERE target = ? AND looked = ? AND gone = 0",
            (item.id, LOOK_AGAIN),
        ).fetchone()
        self._connection.execute(
            "UPDATE shortcuts SET looked = ?, obstacle = ? WHERE target = ?",
            (listing, item.reason, item.id),
        )
        if item.reason is None:
            self.clear_shortcuts_to([item.id], listing)
            return
        for table in ("files", "folders", "shortcuts"):  # a listing that left it out was right
            self._connection.execute(
                f"UPDATE {table} SET gone = 3 WHERE id = ? AND gone = 2", (item.id,)
            )
        if doubted:
            self._lose_target(item.id)
        for identifier, name, parents, url, feed, seen in fetch(
            self._connection,
            """SELECT id, name, parents, url, feed, seen FROM shortcuts
            WHERE target = ? AND gone = 0""",
            (item.id,),
        ):
            detail = f"what it points at cannot be had: {item.reason}"
            attempts = self._attempts(identifier) + 1
            self._write(
                (identifier, name, SHORTCUT_TYPE, parents, url, "shortcut",
                 STATE_OF_REASON[Reason.BROKEN_SHORTCUT], Reason.BROKEN_SHORTCUT, detail, attempts,
                 stored_time(now + folder_delay(attempts)), feed, seen)
            )  # fmt: skip
        self._block_known(item.id, item.reason, listing, now)

    def _lose_target(self, target: str) -> None:
        """What only links lead to is gone; a link to a link never led anywhere."""
        for table, itself in (("files", "kind = 'file'"), ("folders", "is_root = 0")):
            self._connection.execute(
                f"UPDATE {table} SET gone = 3 WHERE id = ? AND gone = 0 AND {itself}", (target,)
            )
        Meta(self._connection).set(ANCESTRY_CHANGED, "yes")

    def _attempts(self, line: str) -> int:
        row = self._connection.execute(
            "SELECT attempts FROM files WHERE id = ? AND kind = 'shortcut'", (line,)
        ).fetchone()
        return int(row[0]) if row else 0

    def _block_known(self, folder_id: str, reason: Reason, listing: int, now: datetime) -> None:
        row = self._connection.execute(
            """SELECT name, parents, url, is_root, feed, resource_key,
                seen = ? OR obstacle IS NOT NULL FROM folders WHERE id = ? AND gone = 0""",
            (listing, folder_id),
        ).fetchone()
        if row is None:
            return
        name, parents, url, is_root, feed, resource_key, shown = row
        if not shown:  # nothing but a link still leads there
            self._connection.execute("UPDATE folders SET gone = 3 WHERE id = ?", (folder_id,))
            Meta(self._connection).set(ANCESTRY_CHANGED, "yes")
            return
        self._connection.execute(
            f"UPDATE folders SET obstacle = ?, {LIST_ANEW} WHERE id = ?", (reason, folder_id)
        )
        above = tuple(json.loads(parents))
        folder = SourceFolder(
            folder_id, name, above, url, reason, bool(is_root), feed, resource_key
        )
        self.block(folder, reason, listing, now)

    def _spare_below(self, folder_id: str) -> None:
        """A listing that could not look in here says nothing of what lies below."""
        if not self._anything_missing():
            return
        inside: dict[str, list[str]] = {}
        for identifier, parents in fetch(
            self._connection, "SELECT id, parents FROM folders WHERE gone IN (0, 2)"
        ):
            for parent in json.loads(parents):
                inside.setdefault(parent, []).append(identifier)
        below, waiting = {folder_id}, [folder_id]
        while waiting:
            new = set(inside.get(waiting.pop(), ())) - below
            below |= new
            waiting += new
        for table in ("folders", "shortcuts", "files"):
            self._connection.execute(
                f"""UPDATE {table} SET gone = 0 WHERE gone = 2 AND EXISTS (
                    SELECT 1 FROM json_each({table}.parents) above
                    WHERE above.value IN (SELECT value FROM json_each(?)))""",
                (json.dumps(sorted(below)),),
            )
        Meta(self._connection).set(ANCESTRY_CHANGED, "yes")

    def _anything_missing(self) -> bool:
        row = self._connection.execute(
            """SELECT EXISTS (SELECT 1 FROM folders WHERE gone = 2)
                OR EXISTS (SELECT 1 FROM shortcuts WHERE gone = 2)
                OR EXISTS (SELECT 1 FROM files WHERE (gone > 0 OR adrift = 1) AND gone = 2)"""
        ).fetchone()
        return bool(row and row[0])

    def clear_shortcuts_to(self, targets: list[str], listing: int) -> None:
        """What shortcuts point at is there: they need no line of their own."""
        if not targets:
            return
        among = json.dumps(targets)
        self._connection.execute(
            """DELETE FROM files WHERE kind = 'shortcut' AND id IN (SELECT id FROM shortcuts
                WHERE target IN (SELECT value FROM json_each(?)))""",
            (among,),
        )
        self._connection.execute(
            """UPDATE shortcuts SET obstacle = NULL, looked = ? WHERE obstacle IS NOT NULL
                AND target IN (SELECT value FROM json_each(?))""",
            (listing, among),
        )

    def take_along(self, shortcut_id: str, name: str, parents: str) -> None:
        """A shortcut was renamed or moved; its line, if it has one, goes with it."""
        self._connection.execute(
            """UPDATE files SET name = ?, parents = ?, placed = 0
            WHERE id = ? AND kind = 'shortcut'""",
            (name, parents, shortcut_id),
        )

    def _write(self, line: tuple[object, ...]) -> None:
        self._connection.execute(
            """INSERT INTO files (id, name, mime, parents, url, kind, state, reason, detail,
                attempts, next_attempt, feed, seen, version, change)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '', 'added')
            ON CONFLICT (id) DO UPDATE SET name = excluded.name, mime = excluded.mime,
                parents = excluded.parents, url = excluded.url, kind = excluded.kind,
                state = excluded.state, reason = excluded.reason, detail = excluded.detail,
                attempts = excluded.attempts, next_attempt = excluded.next_attempt,
                feed = excluded.feed, seen = excluded.seen, held_from = NULL, placed = 0,
                gone = 0""",
            line,
        )
