"""A local folder as a source, which may also be a mounted drive."""

import os
import stat
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from threading import Lock

from gdrive_rag_mcp.domain import (
    ChangePage,
    Fetched,
    Reason,
    SourceFile,
    SourceFolder,
    SourceUsage,
)
from gdrive_rag_mcp.errors import (
    FileUnreadableError,
    RootUnavailableError,
    SourceUnavailableError,
)
from gdrive_rag_mcp.protocols import Frontier
from gdrive_rag_mcp.sources.local_names import path_of
from gdrive_rag_mcp.sources.local_walk import Walk, identity_of, reason_of, version_of
from gdrive_rag_mcp.sources.temporary_file import (
    BLOCK,
    DEFAULT_MAX_BYTES,
    TemporaryFile,
    refuse_above,
)

PAGE_ITEMS = 500
_ATTEMPTS = 2
_UNMOUNTED_HINT = "check the path, and mount the drive if the folder lies on one"


class LocalFolderSource:
    """All files below a folder; hidden ones and what desktops leave behind are passed over."""

    def __init__(
        self,
        folder: Path,
        *,
        passed_over: Collection[Path] = (),
        max_bytes: int = DEFAULT_MAX_BYTES,
    ) -> None:
        """Look at nothing yet; `passed_over` are files that are no documents, there or not."""
        self._folder = Path(os.path.abspath(folder.expanduser()))  # noqa: PTH100 - without links resolved, but without `..`
        self._passed_over = passed_over
        self._max_bytes = max_bytes
        self._lock = Lock()
        self._downloads = 0

    @property
    def root(self) -> str:
        """`folder:` and the absolute path."""
        return f"folder:{os.fsencode(self._folder).decode('utf-8', 'replace')}"

    @property
    def usage(self) -> SourceUsage:
        """Files read; listing a folder calls nobody."""
        with self._lock:
            return SourceUsage(api_calls=0, downloads=self._downloads)

    def check(self) -> None:
        """See that the folder is there, can be listed, and is not the hull of an absent mount.

        Raises:
            RootUnavailableError: it is missing, no folder, unreadable or wholly empty.
        """
        with _root_errors(self._folder), os.scandir(self._folder) as entries:
            if next(entries, None) is None:
                raise RootUnavailableError(
                    f"the folder {self._folder} is empty",
                    hint="mount the drive if it lies on one, or put documents into it; a folder "
                    "that is meant to be empty needs one file, which may be hidden",
                )

    def changes(self, cursor: str | None, frontier: Frontier) -> Iterator[ChangePage]:
        """List everything, in pages; there is no cheaper news of a folder, so no cursor.

        Raises:
            SourceUnavailableError: the folder went away meanwhile; what came before stays valid.
        """
        with _root_errors(self._folder):
            before = identity_of(self._folder.stat())
            yield ChangePage(begins=True)
            for batch in _batches(Walk(self._folder, self._passed_over).items(), PAGE_ITEMS):
                yield ChangePage(
                    files=tuple(item for item in batch if isinstance(item, SourceFile)),
                    folders=tuple(item for item in batch if isinstance(item, SourceFolder)),
                )
            os.scandir(self._folder).close()
            if identity_of(self._folder.stat()) != before:
                raise SourceUnavailableError(
                    f"the folder {self._folder} was exchanged while it was listed",
                    hint=_UNMOUNTED_HINT,
                )
        yield ChangePage(complete=True)

    def read(self, file: SourceFile, into: Path) -> Fetched:
        """Copy a file as it is now; one that is written to meanwhile is copied once more.

        Raises:
            FileUnreadableError: it is gone, forbidden, too large, no regular file, or in motion.
            DiskFullError: there is no room for the copy.
        """
        with self._lock:
            self._downloads += 1
        for _ in range(_ATTEMPTS):
            if self._copy(file, into):
                return Fetched(file.mime_type)
        raise FileUnreadableError(
            Reason.CHANGING,
            f"{file.name} was changed while it was read",
            hint="the next sync reads it again",
        )

    def _copy(self, file: SourceFile, into: Path) -> bool:
        """Copy; false when the file did not hold still."""
        try:
            descriptor = self._open(file)
            with os.fdopen(descriptor, "rb", buffering=0) as content:
                before = os.fstat(descriptor)
                self._refuse_special(file, before)
                refuse_above(self._max_bytes, before.st_size, file.name)
                with TemporaryFile(into, limit=self._max_bytes, name=file.name) as copy:
                    # One that grows as fast as it is read would be chased up to the limit.
                    while copy.size <= before.st_size and (block := content.read(BLOCK)):
                        copy.write(block)
                after = os.fstat(descriptor)
        except OSError as error:
            raise FileUnreadableError(
                reason_of(error), f"{file.name} cannot be read: {error.strerror}"
            ) from error
        return version_of(before) == version_of(after) and copy.size == after.st_size

    def _open(self, file: SourceFile) -> int:
        try:
            path = self._folder / path_of(file.id)
        except ValueError:
            raise FileUnreadableError(
                Reason.NOT_FOUND, f"{file.id!r} is no file of {self._folder}"
            ) from None
        # Without O_NONBLOCK, a pipe that took the file's place would block until someone writes.
        return os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)

    def _refuse_special(self, file: SourceFile, status: os.stat_result) -> None:
        if not stat.S_ISREG(status.st_mode):
            raise FileUnreadableError(
                Reason.UNSUPPORTED_TYPE, f"{file.name} is no regular file any more"
            )


@contextmanager
def _root_errors(folder: Path) -> Iterator[None]:
    """Translate what the operating system says of the root."""
    try:
        yield
    except OSError as error:
        if isinstance(error, FileNotFoundError):
            problem, hint = "does not exist", _UNMOUNTED_HINT
        elif isinstance(error, NotADirectoryError):
            problem, hint = "is no folder", "name the folder that holds the documents"
        elif isinstance(error, PermissionError):
            problem, hint = "may not be read", "give this user the right to list it"
        else:
            problem, hint = f"cannot be read: {error.strerror}", _UNMOUNTED_HINT
        raise RootUnavailableError(f"the folder {folder} {problem}", hint=hint) from error


def _batches(
    items: Iterable[SourceFile | SourceFolder], size: int
) -> Iterator[list[SourceFile | SourceFolder]]:
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch
