"""Where a sync is rehearsed, so that a dry run leaves the index byte for byte as it was."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from gdrive_rag_mcp.errors import StoreError
from gdrive_rag_mcp.indexing.lock import writer_lock
from gdrive_rag_mcp.store.copying import copy_index, stored_schema
from gdrive_rag_mcp.store.migrations import SCHEMA_VERSION


@contextmanager
def index_to_rehearse_on(path: Path) -> Iterator[Path]:
    """The index itself where a rehearsal in it can be undone whole; else another, for a while.

    Where there is none yet, that is an empty one. One that an older version wrote would have to be
    brought up to date first, which that version would not forgive: so that happens in a copy.

    Raises:
        IndexLockedError: another process is writing it.
        StoreError: the file cannot be read as an index, or there is no room for its copy.
    """
    schema = stored_schema(path)
    if schema == SCHEMA_VERSION:
        yield path
        return
    with _temporary_folder() as folder:
        elsewhere = Path(folder) / "index.db"
        if schema:
            with writer_lock(path):
                copy_index(path, elsewhere)
        yield elsewhere


def _temporary_folder() -> TemporaryDirectory[str]:
    try:
        return TemporaryDirectory(prefix="gdrive-rag-plan-")
    except OSError as error:
        raise StoreError(
            f"no folder can be made for a trial of the sync: {error}",
            hint="point TMPDIR to a folder that can be written, on a disk with room for a copy of "
            "the index",
        ) from None
