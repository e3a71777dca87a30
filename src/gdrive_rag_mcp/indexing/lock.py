"""One writer an index: a lock of the operating system, gone with the process that held it."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gdrive_rag_mcp.errors import IndexLockedError, IndexReadOnlyError

if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def writer_lock(index: Path) -> Iterator[None]:
    """Hold the right to write the index.

    Raises:
        IndexLockedError: another process holds it.
        IndexReadOnlyError: the lock file beside the index cannot be made.
    """
    path = index.with_name(index.name + ".lock")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise IndexReadOnlyError(
            f"{path} cannot be written: {error.strerror}",
            hint="choose another place with --db or GDRIVE_RAG_DB_PATH, or correct the permissions",
        ) from None
    try:
        try:
            _lock(descriptor)
        except OSError:
            # The number is for people: in another container it may be nobody's, or another's.
            holder = os.pread(descriptor, 20, 0).decode("ascii", "replace").strip() or "unknown"
            raise IndexLockedError(
                f"another process (pid {holder}) is writing {index}",
                hint="wait until it has finished, then run the command again",
            ) from None
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode("ascii"), 0)
        yield
    finally:
        os.close(descriptor)
