"""What else leads to things in a folder that is gone: no log says whether they are gone with it."""

import json
from collections.abc import Collection

import apsw

from gdrive_rag_mcp.store.placement import Ancestry

_DOUBTFUL = {"folders": "gone = 0 AND is_root = 0", "shortcuts": "gone = 0", "files": "gone = 0"}
"""The root is where everything begins, whatever leads to it from above."""


def lose_below(connection: apsw.Connection, folders: Collection[str]) -> None:
    """Folders are gone: all that lies in them counts as missing, until it is seen again.

    A link, or another folder, may still lead there, now or later on; no log tells of it by itself.
    """
    below = _below(connection, folders)
    for table, doubtful in _DOUBTFUL.items():
        connection.execute(
            f"""UPDATE {table} SET gone = 2 WHERE {doubtful} AND EXISTS (
                SELECT 1 FROM json_each({table}.parents) above
                WHERE above.value IN (SELECT value FROM json_each(?)))""",
            (below,),
        )
    _look_again(connection)


def doubt_other_ways(connection: apsw.Connection, folders: Collection[str]) -> None:
    """Folders are closed: what lies in them is unknown, but for what is reached otherwise.

    That is to be looked up: it may be out of sight, though a link or another folder leads there.
    """
    below = _below(connection, folders)
    for table in ("folders", "files"):
        connection.execute(
            f"""UPDATE {table} SET gone = 2 WHERE {_DOUBTFUL[table]}
            AND (id IN (SELECT target FROM shortcuts WHERE gone = 0) OR instr(parents, ',') > 0)
            AND EXISTS (SELECT 1 FROM json_each({table}.parents) above
                WHERE above.value IN (SELECT value FROM json_each(?)))""",
            (below,),
        )
    _look_again(connection)


def _below(connection: apsw.Connection, folders: Collection[str]) -> str:
    return json.dumps(sorted(Ancestry(connection).below(folders)))


def _look_again(connection: apsw.Connection) -> None:
    connection.execute(
        """UPDATE shortcuts SET looked = 0 WHERE gone = 0
        AND (target IN (SELECT id FROM folders WHERE gone = 2)
            OR target IN (SELECT id FROM files WHERE (gone > 0 OR adrift = 1) AND gone = 2))"""
    )
