"""What has gone: told by the source, not listed any more, or out of the root's reach."""

import json
from collections.abc import Iterable

import apsw

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.store.connection import transaction
from gdrive_rag_mcp.store.meta import ANCESTRY_CHANGED, LISTING_OPEN, STRANGER, Meta
from gdrive_rag_mcp.store.placement import Ancestry

_UNSEEN = "seen < :listing AND gone = 0"
_BELOW_BLOCKED = """EXISTS (SELECT 1 FROM placements p JOIN folders d ON d.num = p.folder
    WHERE p.file = files.num AND d.obstacle IS NOT NULL AND d.seen = :listing)"""

_BELOW_UNLISTED = """EXISTS (SELECT 1 FROM placements p JOIN folders d ON d.num = p.folder
    WHERE p.file = files.num AND d.listed = 0 AND d.obstacle IS NULL AND d.gone = 0)"""

_STILL_LINKED = """EXISTS (SELECT 1 FROM shortcuts s
    WHERE s.target = files.id AND s.gone = 0 AND s.looked < :listing)"""


class Straying:
    """Files that do not belong to the index any more, until they are removed or held."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._meta = Meta(connection)

    def unseen(self) -> int:
        """How many files the present listing has not shown; below a blocked folder is unknown."""
        row = self._connection.execute(
            f"SELECT count(*) FROM files WHERE {_UNSEEN} AND NOT {_BELOW_BLOCKED}",
            {"listing": self._listing},
        ).fetchone()
        return int(row[0]) if row else 0

    def close_listing(self) -> None:
        """The present listing is complete: what it did not show is gone."""
        blocked = self._below_blocked()
        values = {"listing": self._listing, "blocked": json.dumps(blocked)}
        spared = _BELOW_BLOCKED if blocked else "0"
        with transaction(self._connection):
            self._meta.delete(LISTING_OPEN)
            self._meta.delete(STRANGER)
            self._connection.execute(
                f"UPDATE files SET gone = 2 WHERE {_UNSEEN} AND NOT {spared}", values
            )
            for table in ("folders", "shortcuts"):
                self._connection.execute(
                    f"""UPDATE {table} SET gone = 2 WHERE {_UNSEEN} AND NOT EXISTS (
                        SELECT 1 FROM json_each(:blocked) blocked, json_each({table}.parents) above
                        WHERE blocked.value = above.value)""",
                    values,
                )
                if self._connection.changes():
                    self._meta.set(ANCESTRY_CHANGED, "yes")
            self._connection.execute(
                """UPDATE folders SET listed = :listing, page_token = NULL, refusals = 0
                WHERE seen = :listing AND listed < :listing AND obstacle IS NULL AND gone = 0""",
                values,
            )

    def _below_blocked(self) -> list[str]:
        """Folders that cannot be looked into, and the known ones below them.

        None for a stranger, to whom what others saw there is nothing to be kept.
        """
        if self._meta.get(STRANGER) is not None:
            return []
        blocked = [
            identifier
            for (identifier,) in self._connection.execute(
                "SELECT id FROM folders WHERE obstacle IS NOT NULL AND gone = 0 AND seen = ?",
                (self._listing,),
            )
        ]
        return sorted(Ancestry(self._connection).below(blocked)) if blocked else []

    @property
    def _listing(self) -> int:
        return self._meta.listing

    # ── judging ──────────────────────────────────────────────────────────────

    def strays(self, *, told_only: bool) -> list[str]:
        """Files that are gone or, unless only what was told counts, out of reach.

        A folder that waits to be listed may have come from another log, which told of what is in it
        as gone: that is not believed before the folder was looked into. Nor is it of what a link
        still points at before that was looked up.
        """
        told = f" AND gone = 1 AND NOT {_BELOW_UNLISTED} AND NOT {_STILL_LINKED}"
        rows = self._connection.execute(
            "SELECT id FROM files WHERE (gone > 0 OR adrift = 1)"
            f"{told if told_only else ''} ORDER BY num",
            {"listing": self._listing} if told_only else {},
        )
        return [identifier for (identifier,) in rows]

    def paths(self, file_ids: Iterable[str]) -> list[str]:
        """Where files lie, or lay."""
        rows = self._connection.execute(
            "SELECT path FROM files WHERE id IN (SELECT value FROM json_each(?)) ORDER BY path",
            (json.dumps(list(file_ids)),),
        )
        return [path for (path,) in rows]

    def came_back_elsewhere(self, strays: Iterable[str]) -> int:
        """How many of the strays were only renamed or moved, as far as their version tells.

        A local file's id is its path, but its size and time go with it to another folder.
        """
        row = self._connection.execute(
            """SELECT count(*) FROM files f WHERE f.id IN (SELECT value FROM json_each(?))
            AND EXISTS (
                SELECT 1 FROM files n WHERE n.change = 'added' AND n.gone = 0 AND n.adrift = 0
                AND n.version = f.version AND n.mime = f.mime AND n.size > 0)""",
            (json.dumps(list(strays)),),
        ).fetchone()
        return int(row[0]) if row else 0

    def known_before(self) -> int:
        """Items in the ledger that this run did not bring."""
        row = self._connection.execute(
            """SELECT (SELECT count(*) FROM files)
                - (SELECT count(*) FROM files WHERE change = 'added')"""
        ).fetchone()
        return int(row[0]) if row else 0

    def held(self, strays: Iterable[str]) -> list[str]:
        """Those of the strays that are held already."""
        rows = self._connection.execute(
            """SELECT id FROM files WHERE state = 'held'
            AND id IN (SELECT value FROM json_each(?))""",
            (json.dumps(list(strays)),),
        )
        return [str(identifier) for (identifier,) in rows]

    def hold(self, file_ids: Iterable[str]) -> None:
        """Keep files that seem gone until somebody confirms it."""
        self._connection.executemany(
            """UPDATE files SET held_from = json_array(state, reason, detail), state = 'held',
                reason = ?, detail = 'not to be seen any more, with many others at once'
            WHERE id = ? AND state != 'held'""",
            ((Reason.MASS_DELETE, identifier) for identifier in file_ids),
        )

    def release(self) -> None:
        """Held files that are there again are what they were before."""
        self._connection.execute(
            """UPDATE files SET state = coalesce(held_from ->> 0, 'pending'),
                reason = held_from ->> 1, detail = coalesce(held_from ->> 2, ''), held_from = NULL
            WHERE state = 'held' AND gone = 0 AND adrift = 0"""
        )

    def remove(self, file_id: str) -> int:
        """Strike a file from the ledger; its chunks must have been taken out before.

        Returns how many lines that was: 1, or 0 for an unknown id.
        """
        self._connection.execute("DELETE FROM files WHERE id = ?", (file_id,))
        return self._connection.changes()

    def drop_folders(self) -> None:
        """Strike folders and links that are out of scope and that hold nothing any more."""
        ancestry = Ancestry(self._connection)
        reached = json.dumps(list(ancestry.reached))
        self._connection.execute(
            """DELETE FROM folders WHERE id NOT IN (SELECT value FROM json_each(?))
            AND NOT EXISTS (SELECT 1 FROM placements p WHERE p.folder = folders.num)""",
            (reached,),
        )
        self._connection.execute(
            """DELETE FROM shortcuts WHERE gone > 0 OR NOT EXISTS (
                SELECT 1 FROM json_each(shortcuts.parents) above
                WHERE above.value IN (SELECT value FROM json_each(?)))""",
            (reached,),
        )
