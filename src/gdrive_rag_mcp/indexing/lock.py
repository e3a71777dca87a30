"""One writer an index: a lock of the operating system, gone with the process that held it."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from gdrive_rag_mcp.errors import IndexLockedError, IndexReadOnlyError
from gdrive_rag_mcp.store.location import refuse_unsafe_location

_held: set[int] = set()


def _let_go_in_child() -> None:
    """A forked child shares its parent's lock, and would keep it if the parent were killed."""
    for descriptor in _held:
        with suppress(OSError):
            os.close(descriptor)
    _held.clear()


os.register_at_fork(after_in_child=_let_go_in_child)


@contextmanager
def writer_lock(index: Path) -> Iterator[None]:
    """Hold the right to write the index.

    Raises:
        IndexLockedError: another process holds it.
        IndexReadOnlyError: the lock file beside the index cannot be made.
        StoreError: the folder is synced or on a network, where an index may not live.
    """
    refuse_unsafe_location(index)
    index = index.resolve()  # one lock, whatever name the index is called by
    path = index.with_name(index.name + ".lock")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise IndexReadOnlyError(
            f"{path} cannot be written: {error.strerror}",
            hint="choose another place with --db or GDRIVE_RAG_DB_PATH, or correct the permissions",
        ) from None
    _held.add(descriptor)
    holder = os.getpid()
    try:
        _take(descriptor, index)
        yield
    finally:
        if os.getpid() == holder:  # a child that unwinds has let go already
            _held.discard(descriptor)
            os.close(descriptor)


def _take(descriptor: int, index: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        # The number is for people: in another container it may be nobody's, or another's.
        holder = os.pread(descriptor, 20, 0).decode("ascii", "replace").strip() or "unknown"
        raise IndexLockedError(
            f"another process (pid {holder}) is writing {index}",
            hint="wait until it has finished, then run the command again",
        ) from None
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, f"{os.getpid()}\n".encode("ascii"), 0)
