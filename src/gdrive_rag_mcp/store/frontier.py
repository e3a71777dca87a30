"""What the ancestry knows of and has not seen the inside of: the crawl's work list, never lost."""

import json
from datetime import datetime

import apsw

from gdrive_rag_mcp.domain import FolderToList, ItemToLookUp
from gdrive_rag_mcp.store.connection import fetch
from gdrive_rag_mcp.store.meta import Meta
from gdrive_rag_mcp.store.placement import Ancestry
from gdrive_rag_mcp.store.scoping import stored_time
from gdrive_rag_mcp.store.translation import decoding

_MOST = 1000


class StoredFrontier:
    """Implements `protocols.Frontier` over the index; asked anew, it knows what was kept since."""

    def __init__(self, connection: apsw.Connection, now: datetime) -> None:
        self._connection = connection
        self._meta = Meta(connection)
        self._now = now

    @property
    def _listing(self) -> int:
        return int(self._meta.get("listing") or 0)

    def folders(self) -> tuple[FolderToList, ...]:
        """Folders in scope that the present listing has shown, but not listed to the end."""
        rows = fetch(
            self._connection,
            """SELECT id, name, page_token, feed, resource_key FROM folders
            WHERE listed < seen AND seen = ? AND gone = 0 AND obstacle IS NULL ORDER BY num""",
            (self._listing,),
        )
        if not rows:
            return ()
        reached = Ancestry(self._connection).reached
        return tuple(FolderToList(*row) for row in rows if row[0] in reached)[:_MOST]

    @decoding()
    def lookups(self) -> tuple[ItemToLookUp, ...]:
        """Targets of shortcuts that no listing showed, and blocked folders that have rested."""
        rows = fetch(
            self._connection,
            """SELECT s.id, s.parents, s.target, s.resource_key FROM shortcuts s
            WHERE s.gone = 0 AND s.looked < ?1
            AND NOT EXISTS (SELECT 1 FROM folders d WHERE d.id = s.target AND d.seen = ?1
                AND d.gone = 0)
            AND NOT EXISTS (SELECT 1 FROM files f WHERE f.id = s.target AND f.seen = ?1
                AND f.gone = 0 AND f.kind = 'file')
            ORDER BY s.id""",
            (self._listing,),
        )
        ancestry = Ancestry(self._connection) if rows else None
        targets = {
            target: resource_key
            for _, parents, target, resource_key in rows
            if ancestry and ancestry.parents("", json.loads(parents))
        }
        blocked = fetch(
            self._connection,
            """SELECT d.id, d.resource_key FROM files f JOIN folders d ON d.id = f.id
            WHERE f.state = 'failed' AND f.kind = 'folder' AND f.gone = 0 AND f.adrift = 0
            AND f.next_attempt <= ? ORDER BY f.num""",
            (stored_time(self._now),),
        )
        return tuple(ItemToLookUp(*pair) for pair in ({**targets, **dict(blocked)}).items())
