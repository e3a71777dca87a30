"""The bounded file that content is read into."""

import errno
import hashlib
from pathlib import Path
from types import TracebackType
from typing import Self

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.errors import DiskFullError, FileUnreadableError, SourceError

DEFAULT_MAX_BYTES = 200 * 1000 * 1000
BLOCK = 1024 * 1024
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class TemporaryFile:
    """Writes a file's content to `into`, keeps its MD5, and refuses to grow over `limit` bytes."""

    def __init__(self, into: Path, *, limit: int, name: str) -> None:
        self._into = into
        self._limit = limit
        self._name = name
        # A checksum to compare with Drive's, no protection against anybody.
        self._digest = hashlib.md5(usedforsecurity=False)
        self.size = 0

    def __enter__(self) -> Self:
        try:
            self._file = self._into.open("wb")
        except OSError as error:
            raise self._unwritable(error) from error
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self._file.close()
        except OSError as failure:
            raise self._unwritable(failure) from failure

    @property
    def md5(self) -> str:
        """MD5 of what was written, in hex."""
        return self._digest.hexdigest()

    def write(self, block: bytes) -> None:
        """Append.

        Raises:
            FileUnreadableError: the content is longer than the limit.
            DiskFullError: there is no room for it.
        """
        self.size += len(block)
        refuse_above(self._limit, self.size, self._name)
        self._digest.update(block)
        try:
            self._file.write(block)
        except OSError as error:
            raise self._unwritable(error) from error

    def restart(self) -> None:
        """Empty it, to write something else.

        Raises:
            SourceError: it cannot be emptied.
        """
        if not self.size:
            return
        try:
            self._file.seek(0)
            self._file.truncate()
        except OSError as error:
            raise self._unwritable(error) from error
        self._digest = hashlib.md5(usedforsecurity=False)
        self.size = 0

    def _unwritable(self, error: OSError) -> SourceError | DiskFullError:
        folder = self._into.parent
        if error.errno in _FULL:
            return DiskFullError(
                f"no room to read {self._name} into {folder}: {error.strerror}",
                hint=f"free some space on the disk of {folder.parent}, which a sync needs for the "
                "files it is reading, and run it again; what was indexed is kept",
            )
        return SourceError(
            f"the temporary file {self._into} cannot be written: {error.strerror}",
            hint=f"see that {folder.parent} can be written, and run the command again",
        )


def refuse_above(limit: int, size: int | None, name: str) -> None:
    """Refuse a file whose size is known to be over the limit.

    Raises:
        FileUnreadableError: `size` is over `limit`.
    """
    if size is not None and size > limit:
        raise FileUnreadableError(
            Reason.TOO_LARGE,
            f"{name} is larger than {limit / 1e6:g} MB",
            hint="split it, or leave it out",
        )
