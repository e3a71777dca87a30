"""Gives the room of what was dropped back to the disk, step by step."""

import apsw

from gdrive_rag_mcp.store.connection import fetch

_STEP_PAGES = 2_000
_WORTH_PAGES = 500
_KEPT_SHARE = 0.1


def give_back(connection: apsw.Connection) -> None:
    """Shrink the file while more than a tenth of it is free; each step is a transaction.

    What is left free is used again by what comes. An index that was made before this was possible
    keeps its size, and uses its free pages likewise.
    """
    if fetch(connection, "PRAGMA auto_vacuum") != [(2,)]:
        return
    while (surplus := _free_pages(connection) - _kept_free(connection)) > _WORTH_PAGES:
        # Every page that is moved is a row of this statement's.
        fetch(connection, f"PRAGMA incremental_vacuum({min(surplus, _STEP_PAGES)})")


def _free_pages(connection: apsw.Connection) -> int:
    [(count,)] = fetch(connection, "PRAGMA freelist_count")
    return int(count)


def _kept_free(connection: apsw.Connection) -> int:
    [(count,)] = fetch(connection, "PRAGMA page_count")
    return int(_KEPT_SHARE * count)
