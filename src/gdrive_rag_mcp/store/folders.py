"""The folders of the ancestry: what pages show of them, and what that puts in doubt."""

import json
from datetime import datetime

import apsw

from gdrive_rag_mcp.cleaning import clean
from gdrive_rag_mcp.domain import Listed, SourceFolder
from gdrive_rag_mcp.store.hearsay import LIST_ANEW, doubt, doubt_inside
from gdrive_rag_mcp.store.meta import ANCESTRY_CHANGED, LISTING_OPEN, Meta
from gdrive_rag_mcp.store.obstacles import Obstacles
from gdrive_rag_mcp.store.other_ways import doubt_other_ways


class Folders:
    """Writes folders; whoever calls holds a transaction."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._meta = Meta(connection)
        self._obstacles = Obstacles(connection)

    def record(self, folder: SourceFolder, listing: int, now: datetime, *, news: bool) -> None:
        """Take a folder into the ancestry.

        One that a log names though it is as it was may have been out of sight meanwhile, so it is
        looked into again; if there is another reason to name it, that is in doubt.
        """
        known = self._connection.execute(
            """SELECT name, parents, url, obstacle, is_root, feed, resource_key, gone
            FROM folders WHERE id = ?""",
            (folder.id,),
        ).fetchone()
        is_root = folder.is_root or bool(known and known[4])  # whoever shows it, and how
        described = (clean(folder.name), json.dumps(folder.parents), folder.url, folder.obstacle,
                     int(is_root), folder.feed, folder.resource_key, 0)  # fmt: skip
        if known != described:
            self._write(folder, described, listing)
        if known:
            elsewhere = (known[3], *known[5:]) != (described[3], *described[5:])
            if elsewhere or (news and known == described):
                self._unlist(folder.id)  # what happened inside was told elsewhere, or not at all
            elif news:
                doubt(self._connection, folder.id, now)
        if folder.obstacle is not None:
            self._obstacles.block(folder, folder.obstacle, listing, now)
            if known and known[3] is None:
                doubt_other_ways(self._connection, [folder.id])
        elif known is None or known[3]:
            self._obstacles.unblock(folder.id)

    def _write(self, folder: SourceFolder, described: tuple[object, ...], listing: int) -> None:
        if folder.is_root:
            self._connection.execute(
                "UPDATE folders SET is_root = 0 WHERE is_root = 1 AND id != ?", (folder.id,)
            )
        self._connection.execute(
            """INSERT INTO folders
            (name, parents, url, obstacle, is_root, feed, resource_key, gone, id, seen)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET
                name = excluded.name, parents = excluded.parents, url = excluded.url,
                obstacle = excluded.obstacle, is_root = excluded.is_root, feed = excluded.feed,
                resource_key = excluded.resource_key, gone = 0""",
            (*described, folder.id, listing),
        )
        self._meta.set(ANCESTRY_CHANGED, "yes")

    def _unlist(self, folder_id: str) -> None:
        self._connection.execute(f"UPDATE folders SET {LIST_ANEW} WHERE id = ?", (folder_id,))

    def doubt_links_behind_doors(self) -> None:
        """Links are new: what they lead to may lie in a folder that was closed before they came."""
        closed = self._connection.execute(
            "SELECT id FROM folders WHERE obstacle IS NOT NULL AND gone = 0"
        ).fetchall()
        if closed:
            doubt_other_ways(self._connection, [str(folder_id) for (folder_id,) in closed])

    def look_inside(self, folder_id: str) -> None:
        """Outside of a crawl, which finds out in the end, see what a folder does not hold now."""
        if self._meta.get(LISTING_OPEN) is None and doubt_inside(self._connection, folder_id):
            self._meta.set(ANCESTRY_CHANGED, "yes")

    def note_listed(self, listed: Listed, listing: int) -> None:
        """A folder's content was shown, up to a page or to its end."""
        ended = listed.page_token is None
        self._connection.execute(
            """UPDATE folders SET listed = iif(?, ?, listed), page_token = ?, refusals = 0
            WHERE id = ?""",
            (ended, listing, listed.page_token, listed.folder),
        )
