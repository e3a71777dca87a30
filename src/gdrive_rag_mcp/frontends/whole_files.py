"""Files that are written as a whole or not at all."""

import os
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from gdrive_rag_mcp.errors import OutputError, SettingsError

_DATABASE = b"SQLite format 3\0"


def check_writable(path: Path, option: str, *, read: Iterable[Path] = ()) -> None:
    """See early that a result can go where it should, before time is spent on making it.

    `read` are files that it must not take the place of, as the command reads them. An index of
    whatever name is never replaced either.

    Raises:
        SettingsError: it cannot.
    """
    folder = path.resolve().parent
    problem = ""
    if path.is_dir():
        problem = "is a folder"
    elif not folder.is_dir():
        problem = f"cannot be made: there is no folder {folder}"
    elif not os.access(folder if _replaced(path) else path, os.W_OK):
        problem = "cannot be written: permission denied"
    elif any(_same(path, one) for one in read):
        problem = "is what the command reads, and would be lost"
    elif _is_database(path):
        problem = "is a database, and would be lost"
    if problem:
        raise SettingsError(f"{option} {path} {problem}", hint="name a file that can be written")


def write_whole(path: Path, content: str | bytes) -> None:
    """Replace a file's content in one step; a pipe or device is written to as it is.

    Raises:
        OutputError: it cannot be written; what was there before stays.
    """
    written = content.encode("utf-8", "replace") if isinstance(content, str) else content
    try:
        if _replaced(path):
            _replace(path.resolve(), written)  # a link stays a link
        else:
            path.write_bytes(written)
    except OSError as error:
        raise OutputError(
            f"the result cannot be written to {path}: {error.strerror}",
            hint="name a file on a disk with room, in a folder that can be written",
        ) from error


def _same(path: Path, other: Path) -> bool:
    return path.exists() and other.exists() and path.samefile(other)


def _is_database(path: Path) -> bool:
    if not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            return file.read(len(_DATABASE)) == _DATABASE
    except OSError:  # what cannot be read may still be replaced
        return False


def _replaced(path: Path) -> bool:
    return path.is_file() or not path.exists()


def _replace(path: Path, content: bytes) -> None:
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name[:50]}-", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(mode)
        temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def _umask() -> int:
    """What new files are denied; it can only be asked for by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
