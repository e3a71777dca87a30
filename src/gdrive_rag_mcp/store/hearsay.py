"""What a log of changes does not say: whom its news concern, and what is doubtful without them.

A log also tells of what lies outside, and keeps silent about what is below a folder it names.
"""

import json
from collections.abc import Iterable
from datetime import datetime
from typing import TypeVar

import apsw

from gdrive_rag_mcp.domain import SourceFile, SourceFolder, SourceShortcut
from gdrive_rag_mcp.store.scoping import stored_time

LIST_ANEW = "listed = 0, page_token = NULL, doubted = NULL"
"""What is set for folders that are to be listed from the beginning, once they may be."""

LOOK_AGAIN = -1
"""In `shortcuts.looked`: whatever was shown of the target, and whoever showed it."""

Item = TypeVar("Item", bound=SourceFile | SourceFolder | SourceShortcut)


def of_concern(connection: apsw.Connection, items: tuple[Item, ...]) -> tuple[Item, ...]:
    """Of news, what is known, lies in a known folder, or is what a known link points at.

    And whatever is told of the drive that is the root, as a whole.
    """
    if not items:
        return ()
    ids = json.dumps([item.id for item in items])
    parents = json.dumps(sorted({parent for item in items for parent in item.parents}))
    listed = "IN (SELECT value FROM json_each(?))"
    known = {
        str(row[0])
        for row in connection.execute(
            f"""SELECT id FROM files WHERE id {listed}
            UNION SELECT id FROM folders WHERE id {listed}
            UNION SELECT id FROM shortcuts WHERE id {listed}
            UNION SELECT target FROM shortcuts WHERE gone = 0 AND target {listed}
            UNION SELECT id FROM folders WHERE gone = 0 AND id {listed}
            UNION SELECT id FROM folders WHERE is_root = 1 AND feed = id""",
            (ids, ids, ids, ids, parents),
        )
    }
    return tuple(one for one in items if known.intersection((one.id, one.feed, *one.parents)))


def doubt(connection: apsw.Connection, folder_id: str, now: datetime) -> None:
    """A log names a folder that was renamed or moved, and may have been out of sight besides."""
    connection.execute(
        "UPDATE folders SET doubted = coalesce(doubted, ?) WHERE id = ?",
        (stored_time(now), folder_id),
    )


def look_into_doubted(connection: apsw.Connection, since: datetime) -> None:
    """Have the folders listed anew that are in doubt for so long."""
    connection.execute(
        f"""UPDATE folders SET {LIST_ANEW}
        WHERE doubted IS NOT NULL AND doubted <= ?""",
        (stored_time(since),),
    )


def unknown(connection: apsw.Connection, ids: Iterable[str]) -> frozenset[str]:
    """Of ids, those that nothing is known of."""
    asked = json.dumps(sorted(ids))
    rows = connection.execute(
        """SELECT value FROM json_each(?) WHERE NOT EXISTS (SELECT 1 FROM folders WHERE id = value)
        AND NOT EXISTS (SELECT 1 FROM files WHERE id = value)
        AND NOT EXISTS (SELECT 1 FROM shortcuts WHERE id = value)""",
        (asked,),
    )
    return frozenset(str(identifier) for (identifier,) in rows)


def doubt_links(connection: apsw.Connection) -> None:
    """Something outside has changed, above what links lead to for all that is known.

    So what is reached by links alone is to be looked up again, and what could not be had. A known
    folder above it says nothing, unless the root is above that: a link may lead to it as well.
    """
    connection.execute(
        f"""UPDATE shortcuts SET looked = {LOOK_AGAIN} WHERE gone = 0 AND (obstacle IS NOT NULL
            OR NOT EXISTS (
                WITH RECURSIVE up (id) AS (
                    SELECT above.value FROM (SELECT id, parents FROM folders UNION ALL
                        SELECT id, parents FROM files WHERE kind = 'file') item,
                        json_each(item.parents) above WHERE item.id = shortcuts.target
                    UNION SELECT above.value FROM up JOIN folders d ON d.id = up.id
                        AND d.gone = 0 AND d.is_root = 0, json_each(d.parents) above)
                SELECT 1 FROM up JOIN folders d ON d.id = up.id WHERE d.is_root = 1))
            AND target NOT IN (SELECT id FROM folders WHERE is_root = 1)"""
    )


def doubt_inside(connection: apsw.Connection, folder_id: str) -> bool:
    """Before the first page of a folder's content: what was known in it is missing until shown.

    A folder that was out of sight is listed anew, but no log tells what it has lost meanwhile.
    Returns whether that concerns the ancestry.
    """
    begins = connection.execute(
        "SELECT 1 FROM folders WHERE id = ? AND page_token IS NULL", (folder_id,)
    ).fetchone()
    if not begins:
        return False
    connection.execute(
        """UPDATE files SET gone = 2 WHERE gone = 0 AND num IN (
            SELECT p.file FROM placements p JOIN folders d ON d.num = p.folder WHERE d.id = ?)
        AND EXISTS (SELECT 1 FROM json_each(files.parents) above WHERE above.value = ?)""",
        (folder_id, folder_id),
    )
    changed = 0
    for table, doubtful in (("folders", "gone = 0 AND is_root = 0"), ("shortcuts", "gone = 0")):
        connection.execute(
            f"UPDATE {table} SET gone = 2 WHERE {doubtful} AND parents = ?",
            (json.dumps([folder_id]),),
        )
        changed += connection.changes()
        connection.execute(
            f"""UPDATE {table} SET gone = 2 WHERE {doubtful} AND instr(parents, ',') > 0
            AND EXISTS (SELECT 1 FROM json_each({table}.parents) above WHERE above.value = ?)""",
            (folder_id,),
        )
        changed += connection.changes()
    return changed > 0
