"""Files that are written as a whole or not at all."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from gdrive_rag_mcp.errors import OutputError, SettingsError


def check_writable(path: Path, option: str) -> None:
    """See early that a result can go where it should, before time is spent on making it.

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
    if problem:
        raise SettingsError(f"{option} {path} {problem}", hint="name a file that can be written")


def write_whole(path: Path, text: str) -> None:
    """Replace a file's content in one step; a pipe or device is written to as it is.

    Raises:
        OutputError: it cannot be written; what was there before stays.
    """
    try:
        if _replaced(path):
            _replace(path.resolve(), text)  # a link stays a link
        else:
            path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise OutputError(
            f"the result cannot be written to {path}: {error.strerror}",
            hint="name a file on a disk with room, in a folder that can be written",
        ) from error


def _replaced(path: Path) -> bool:
    return path.is_file() or not path.exists()


def _replace(path: Path, text: str) -> None:
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name[:50]}-", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace") as file:
            file.write(text)
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
