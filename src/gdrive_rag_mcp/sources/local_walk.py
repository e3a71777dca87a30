"""Walks a local folder: every file once, whatever links and loops there are.

Real folders come first, then what symbolic links lead to, also outside the root: the owner of the
folder put them there. A link is cut when its target was listed already, or is the root or a folder
above it, so no loop and no `up -> /` can make a walk endless. A folder (by device and inode) is
entered once.
"""

import errno
import os
import stat
from collections import deque
from collections.abc import Collection, Iterator
from datetime import UTC, datetime
from pathlib import Path

from gdrive_rag_mcp.domain import Reason, SourceFile, SourceFolder
from gdrive_rag_mcp.sources.local_names import (
    ROOT_ID,
    display_name,
    file_id,
    folder_id,
    is_passed_over,
)
from gdrive_rag_mcp.sources.media_types import media_type_of

Identity = tuple[int, int]
_VANISHED = (errno.ENOENT, errno.ENOTDIR)
_SPECIAL = {
    stat.S_IFIFO: "inode/fifo",
    stat.S_IFSOCK: "inode/socket",
    stat.S_IFCHR: "inode/chardevice",
    stat.S_IFBLK: "inode/blockdevice",
}


def reason_of(error: OSError) -> Reason:
    """The ledger's reason for what the operating system answered."""
    if error.errno in (errno.EACCES, errno.EPERM):
        return Reason.ACCESS_DENIED
    if error.errno in (*_VANISHED, errno.ELOOP):
        return Reason.NOT_FOUND
    if error.errno in (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENAMETOOLONG):
        return Reason.RESOURCE_LIMIT
    return Reason.NETWORK  # EIO, ESTALE, ETIMEDOUT ...: a mounted drive that does not answer


def identity_of(status: os.stat_result) -> Identity:
    """What a file or folder is, however it was reached."""
    return status.st_dev, status.st_ino


class Walk:
    """One pass over a folder, in a stable order; the root itself is the first item."""

    def __init__(self, root: Path, passed_over: Collection[Path] = ()) -> None:
        self._root = root
        self._passed_over = {
            (identity_of(path.parent.stat()), path.name)
            for path in passed_over
            if path.parent.is_dir()
        }
        self._entered: set[Identity] = set()
        self._listed: set[Identity] = set()
        self._links: deque[str] = deque()

    def items(self) -> Iterator[SourceFile | SourceFolder]:
        """Yield every folder before what is in it.

        Raises:
            OSError: the root itself cannot be listed.
        """
        os.scandir(self._root).close()
        resolved = self._root.resolve()
        self._above = {identity_of(folder.stat()) for folder in resolved.parents}
        yield from self._tree("")
        while self._links:
            yield from self._target(self._links.popleft())

    def _tree(self, top: str) -> Iterator[SourceFile | SourceFolder]:
        pending = [top]
        while pending:
            path = pending.pop()
            try:
                entries = self._entries(path)
                if entries is None:
                    continue
            except OSError as error:
                if not path:
                    raise
                if error.errno not in _VANISHED:
                    yield self._folder(path, reason_of(error))
                continue
            yield self._folder(path)
            below = []
            for name, status in entries:
                inner = f"{path}/{name}" if path else name
                if stat.S_ISLNK(status.st_mode):
                    self._links.append(inner)
                elif stat.S_ISDIR(status.st_mode):
                    below.append(inner)
                else:
                    yield self._file(inner, status)
            pending.extend(reversed(below))

    def _target(self, link: str) -> Iterator[SourceFile | SourceFolder]:
        try:
            status = self._absolute(link).stat()
        except OSError as error:
            yield self._unreadable(link, reason_of(error))
            return
        identity = identity_of(status)
        if stat.S_ISDIR(status.st_mode):
            if identity not in self._above:
                yield from self._tree(link)
        elif identity not in self._listed:
            yield self._file(link, status)

    def _entries(self, path: str) -> list[tuple[str, os.stat_result]] | None:
        """The entries of a folder, by name; None if it was entered before.

        What vanishes meanwhile is left out.
        """
        folder = self._absolute(path)
        identity = identity_of(folder.stat())
        if identity in self._entered:
            return None
        self._entered.add(identity)
        found = []
        with os.scandir(folder) as entries:
            for entry in entries:
                if is_passed_over(entry.name) or (identity, entry.name) in self._passed_over:
                    continue
                try:
                    found.append((entry.name, entry.stat(follow_symlinks=False)))
                except FileNotFoundError:
                    continue
        return sorted(found, key=lambda item: item[0])

    def _absolute(self, path: str) -> Path:
        return self._root / path

    def _folder(self, path: str, obstacle: Reason | None = None) -> SourceFolder:
        name = path.rpartition("/")[2] if path else self._root.name
        return SourceFolder(
            id=folder_id(path),
            name=display_name(name) or "/",
            parents=_parents(path),
            url=self._url(path),
            obstacle=obstacle,
            is_root=not path,
        )

    def _file(self, path: str, status: os.stat_result) -> SourceFile:
        self._listed.add(identity_of(status))
        special = _SPECIAL.get(stat.S_IFMT(status.st_mode))
        name = display_name(path.rpartition("/")[2])
        return SourceFile(
            id=file_id(path),
            name=name,
            mime_type=special or media_type_of(name),
            parents=_parents(path),
            version=version_of(status),
            size=status.st_size,
            modified_time=_time(status.st_mtime_ns),
            url=self._url(path),
            obstacle=Reason.UNSUPPORTED_TYPE if special else None,
        )

    def _unreadable(self, link: str, obstacle: Reason) -> SourceFile:
        name = display_name(link.rpartition("/")[2])
        return SourceFile(
            id=file_id(link),
            name=name,
            mime_type=media_type_of(name),
            parents=_parents(link),
            version=obstacle.value,
            obstacle=obstacle,
        )

    def _url(self, path: str) -> str:
        return self._absolute(path).as_uri()


def version_of(status: os.stat_result) -> str:
    """Changes whenever the content may have: size and time of the last change."""
    return f"{status.st_size}-{status.st_mtime_ns}"


def _parents(path: str) -> tuple[str, ...]:
    if not path:
        return ()
    above = path.rpartition("/")[0]
    return (folder_id(above) if above else ROOT_ID,)


def _time(nanoseconds: int) -> datetime | None:
    """The time to the microsecond, never after it: a float would round it up."""
    seconds, rest = divmod(nanoseconds, 1_000_000_000)
    try:
        return datetime.fromtimestamp(seconds, UTC).replace(microsecond=rest // 1000)
    except (OverflowError, ValueError, OSError):
        return None  # a file may claim any time at all
