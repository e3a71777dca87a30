"""Reads the JSON files that credentials come in, and says which kind a wrong one is.

Nothing of a file is ever quoted but its path, and its type where that is a word.
"""

import json
from pathlib import Path
from typing import Any

from gdrive_rag_mcp.errors import SourceAuthError
from gdrive_rag_mcp.sources.drive_fields import text

_TYPES = {
    "service_account": "the key of a service account",
    "authorized_user": "the token of a Google account",
}


def read_object(path: Path, *, role: str, hint: str) -> dict[str, Any]:
    """The JSON object in a file; `role` says what the file is meant to be, such as "key file".

    Raises:
        SourceAuthError: it cannot be read, or holds something else.
    """
    try:
        info = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SourceAuthError(
            f"the {role} {path} cannot be read: {error.strerror}", hint=hint
        ) from None
    except (ValueError, RecursionError):  # no JSON, or no UTF-8; the message would quote it
        raise SourceAuthError(f"the {role} {path} is not JSON", hint=hint) from None
    if not isinstance(info, dict):
        raise SourceAuthError(f"the {role} {path} holds no JSON object", hint=hint)
    return info


def kind_of_file(info: dict[str, Any]) -> str:
    """What a credentials file is, in words that complete "PATH is ..."."""
    if "installed" in info or "web" in info:
        return "the file of an OAuth client"
    kind = info.get("type")
    if isinstance(kind, str):
        return _TYPES.get(kind, f"a file of type {kind[:40]!r}")
    return "a file without a type"


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
