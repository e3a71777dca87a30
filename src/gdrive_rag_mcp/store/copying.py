"""A private copy of an index, to try out on it what must not be written into the index itself."""

from pathlib import Path

from gdrive_rag_mcp.errors import IndexMissingError
from gdrive_rag_mcp.store.connection import connect_for_reading, copy_to
from gdrive_rag_mcp.store.migrations import schema_version


def stored_schema(path: Path) -> int:
    """The schema that an index has; 0 where there is none yet, or only an empty file.

    Raises:
        IndexCorruptError: the file is no index, or damaged.
        SchemaTooNewError: a newer version wrote it.
    """
    try:
        connection, _ = connect_for_reading(path)
    except IndexMissingError:
        return 0
    try:
        return schema_version(connection, path)
    finally:
        connection.close()


def copy_index(path: Path, into: Path) -> None:
    """Copy what an index holds, its log included, to a file that only its user may read.

    Raises:
        IndexMissingError: there is no index.
        DiskFullError: there is no room for the copy.
    """
    connection, _ = connect_for_reading(path)
    try:
        copy_to(connection, into)
    finally:
        connection.close()
