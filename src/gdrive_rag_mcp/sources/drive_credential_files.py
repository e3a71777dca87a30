"""Reads the JSON files that credentials come in, and says which kind a wrong one is.

Nothing of a file is ever quoted but its path, and its type where that is a word.
"""

import json
import os
import re
import stat
from pathlib import Path
from shlex import quote
from typing import Any

from gdrive_rag_mcp.errors import SourceAuthError
from gdrive_rag_mcp.sources.drive_auth import Report
from gdrive_rag_mcp.sources.drive_fields import text

_TYPES = {
    "service_account": "the key of a service account",
    "authorized_user": "the token of a Google account",
}
_TYPE = re.compile("[a-z_]{1,40}")
OTHERS = stat.S_IRWXG | stat.S_IRWXO
"""The rights that nobody but the owner of a secret may have."""

_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_LARGEST = 1024 * 1024


def read_object(path: Path, *, role: str, hint: str) -> dict[str, Any]:
    """The JSON object in a file; `role` says what the file is meant to be, such as "key file".

    Raises:
        SourceAuthError: it cannot be read, or holds something else.
    """
    try:
        # Editors on Windows put a byte order mark first, which JSON does not know.
        info = json.loads(_content(path).decode("utf-8-sig"))
    except OSError as error:
        raise SourceAuthError(
            f"the {role} {path} cannot be read: {error.strerror or error}", hint=hint
        ) from None
    except (ValueError, RecursionError):  # no JSON, or no UTF-8; the message would quote it
        raise SourceAuthError(f"the {role} {path} is not JSON", hint=hint) from None
    if not isinstance(info, dict):
        raise SourceAuthError(f"the {role} {path} holds no JSON object", hint=hint)
    return info


def _content(path: Path) -> bytes:
    """What is in a regular file; others may be without an end, or never begin.

    Raises:
        OSError: it is none, is too large, or cannot be read.
    """
    # A pipe that nobody writes to must not hold the opening up either.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError("it is no regular file")
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            content = file.read(_LARGEST + 1)
    finally:
        os.close(descriptor)
    if len(content) > _LARGEST:
        raise OSError(f"it is larger than {_LARGEST // 1024} KB")
    return content


def is_absent(path: Path) -> bool:
    """Whether there is nothing of that name; what cannot be looked at may be there."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def warn_of_others(path: Path, role: str, report: Report) -> None:
    """Report a file of secrets that is not for its owner alone; its mode is left as it is."""
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
    except OSError:
        return
    if mode & OTHERS:
        may = "read or changed" if mode & _OTHERS_WRITE else "read"
        report(
            f"warning: the {role} {path} can be {may} by others (mode {mode:04o}); "
            f"close it to them with `chmod 600 {quote(str(path))}`"
        )


def kind_of_file(info: dict[str, Any]) -> str:
    """What a credentials file is, in words that complete "PATH is ..."."""
    if "installed" in info or "web" in info:
        return "the file of an OAuth client"
    kind = info.get("type")
    return _TYPES.get(str(kind), f"a file {type_of_file(info)}")


def type_of_file(info: dict[str, Any]) -> str:
    """The type that a credentials file says it is of, unless that is no word."""
    kind = info.get("type")
    if not kind:
        return "without a type"
    known = isinstance(kind, str) and _TYPE.fullmatch(kind)
    return f"of type {kind!r}" if known else "of a type that is no word"


def refuse_kind(info: dict[str, Any], path: Path, *, wanted: str, hint: str) -> SourceAuthError:
    """The error for a file of another kind than is `wanted`."""
    return SourceAuthError(f"{path} is {kind_of_file(info)}, not {wanted}", hint=hint)


def require_texts(info: dict[str, Any], names: tuple[str, ...], what: str, hint: str) -> None:
    """See that members are there.

    Raises:
        SourceAuthError: names those that are not, or are no text.
    """
    missing = [name for name in names if text(info, name) is None]
    if missing:
        raise SourceAuthError(f"{what} lacks {', '.join(missing)}", hint=hint)
