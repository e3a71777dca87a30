"""What a log of changes does not say: whom its news concern, and what is doubtful without them.

A log also tells of what lies outside, and keeps silent about what is below a folder it names.
"""

import json
from typing import TypeVar

import apsw

from gdrive_rag_mcp.domain import SourceFile, SourceFolder, SourceShortcut

Item = TypeVar("Item", bound=SourceFile | SourceFolder | SourceShortcut)


def of_concern(connection: apsw.Connection, items: tuple[Item, ...]) -> tuple[Item, ...]:
    """Of news, what is known, lies in a known folder, or is what a known link points at."""
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
            UNION SELECT id FROM folders WHERE gone = 0 AND id {listed}""",
            (ids, ids, ids, ids, parents),
        )
    }
    return tuple(one for one in items if known.intersection((one.id, *one.parents)))


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
