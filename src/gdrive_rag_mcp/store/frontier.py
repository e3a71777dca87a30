"""What the ancestry knows of and has not seen the inside of: the crawl's work list, never lost."""

import json
from collections.abc import Iterable
from datetime import datetime
from typing import Any

import apsw

from gdrive_rag_mcp.domain import FolderToList, ItemToLookUp
from gdrive_rag_mcp.store.connection import fetch
from gdrive_rag_mcp.store.hearsay import LOOK_AGAIN, unknown
from gdrive_rag_mcp.store.meta import ANCESTRY_CHANGED, Meta
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
        return self._meta.listing

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
        """What links point at, what could not be had and has rested, what a listing left out."""
        missing, targets = self._missing(), self._targets()
        ancestry = Ancestry(self._connection) if missing or targets else None
        found: dict[str, ItemToLookUp] = {}
        for identifier, resource_key, parents in missing:
            if ancestry and ancestry.parents(identifier, json.loads(parents)):
                found[identifier] = ItemToLookUp(identifier, resource_key, missing=True)
        for target, resource_key, parents in targets:
            if ancestry and ancestry.parents("", json.loads(parents)):
                found[target] = ItemToLookUp(target, resource_key)
        for identifier, resource_key in self._rested():
            found[identifier] = ItemToLookUp(identifier, resource_key)
        for folder in self._unlisted_parents():
            found.setdefault(folder, ItemToLookUp(folder, missing=True))
        return tuple(found.values())

    def _unlisted_parents(self) -> list[str]:
        """Of a whole drive, the folders in which something lies, and which no listing has shown.

        All that is in a drive is in scope, so that a listing was behind which left them out.
        """
        if not fetch(self._connection, "SELECT 1 FROM folders WHERE is_root = 1 AND feed = id"):
            return []
        unplaced = "gone = 0 AND is_root = 0"
        if self._meta.get(ANCESTRY_CHANGED) is None:  # then folders out of reach are not listed
            unplaced += " AND listed < seen"
        rows = fetch(
            self._connection,
            f"""SELECT DISTINCT above.value FROM (
                SELECT parents FROM files WHERE placed = 0 AND gone = 0
                UNION ALL SELECT parents FROM files WHERE (gone > 0 OR adrift = 1) AND gone = 0
                UNION ALL SELECT parents FROM folders WHERE {unplaced}
            ) item, json_each(item.parents) above
            WHERE NOT EXISTS (SELECT 1 FROM folders WHERE id = above.value) ORDER BY 1""",
        )
        return [str(folder) for (folder,) in rows]

    @decoding()
    def unknown(self, ids: Iterable[str]) -> frozenset[str]:
        """Of ids, those that nothing is known of."""
        return unknown(self._connection, ids)

    def _missing(self) -> list[tuple[Any, ...]]:
        """What the latest complete listing did not show, and nobody has looked for since."""
        return fetch(
            self._connection,
            """SELECT id, NULL, parents FROM shortcuts WHERE gone = 2
            UNION ALL SELECT id, resource_key, parents FROM folders WHERE gone = 2
            UNION ALL SELECT id, resource_key, parents FROM files
                WHERE (gone > 0 OR adrift = 1) AND gone = 2 AND kind = 'file'""",
        )

    def _targets(self) -> list[tuple[Any, ...]]:
        """What shortcuts point at and the present listing did not show, or is in doubt."""
        return fetch(
            self._connection,
            """SELECT s.target, s.resource_key, s.parents FROM shortcuts s
            WHERE s.gone = 0 AND (s.looked = ?2 OR s.looked < ?1
                AND NOT EXISTS (SELECT 1 FROM folders d WHERE d.id = s.target AND d.seen = ?1
                    AND d.gone = 0)
                AND NOT EXISTS (SELECT 1 FROM files f WHERE f.id = s.target AND f.seen = ?1
                    AND f.gone = 0 AND f.kind = 'file'))
            ORDER BY s.id""",
            (self._listing, LOOK_AGAIN),
        )

    def _rested(self) -> list[tuple[Any, ...]]:
        """Folders and links that could not be looked into, and are due for another try."""
        return fetch(
            self._connection,
            """SELECT d.id, d.resource_key FROM files f JOIN folders d ON d.id = f.id
            WHERE f.state = 'failed' AND f.kind = 'folder' AND f.gone = 0 AND f.adrift = 0
            AND f.next_attempt <= ?1
            UNION SELECT s.target, s.resource_key FROM files f JOIN shortcuts s ON s.id = f.id
            WHERE f.state = 'skipped' AND f.kind = 'shortcut' AND f.gone = 0 AND f.adrift = 0
            AND f.next_attempt <= ?1 ORDER BY 1""",
            (stored_time(self._now),),
        )
