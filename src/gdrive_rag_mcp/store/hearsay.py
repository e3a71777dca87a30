"""What a log of changes says between its lines: whom its news concern, and what they cast doubt on.

A log also tells of what lies outside, and keeps silent about what is below a folder it names.
"""

import json
from collections.abc import Collection
from typing import TypeVar

import apsw

from gdrive_rag_mcp.domain import SourceFile, SourceFolder, SourceShortcut
from gdrive_rag_mcp.store.placement import Ancestry

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


def doubt_below(connection: apsw.Connection, folders: Collection[str]) -> None:
    """A log tells of folders that may have been out of sight meanwhile.

    No log tells what then happened inside, so all of it has to be seen again.
    """
    below = json.dumps(sorted(Ancestry(connection).below(folders)))
    connection.execute(
        """UPDATE folders SET listed = 0, page_token = NULL
        WHERE id IN (SELECT value FROM json_each(?))""",
        (below,),
    )
    for table in ("folders", "shortcuts", "files"):
        connection.execute(
            f"""UPDATE {table} SET gone = 2 WHERE gone = 0 AND EXISTS (
                SELECT 1 FROM json_each({table}.parents) above
                WHERE above.value IN (SELECT value FROM json_each(?)))""",
            (below,),
        )
