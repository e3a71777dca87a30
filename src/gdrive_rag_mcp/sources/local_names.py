"""Names of local files: which are passed over, and the ids made from paths.

The id of a local file is its path below the root. Not its inode: editors that save by replacing
a file would change the id at every save, inodes are used again after a deletion, and mounted
drives invent them. A rename therefore makes a new id; the embedding cache makes it free of
embeddings.
"""

import os
import string
import unicodedata
from urllib.parse import quote_from_bytes, unquote_to_bytes

ROOT_ID = "./"
_PLAIN_ASCII = (
    string.ascii_letters + string.digits + string.punctuation.replace("%", "").replace("/", "")
)
_SYSTEM_FILES = frozenset({"thumbs.db", "ehthumbs.db", "desktop.ini", "icon\r", "$recycle.bin"})


def is_passed_over(name: str) -> bool:
    """Hidden files, Office's lock files and what desktops leave behind are not documents."""
    return name.startswith((".", "~$")) or name.lower() in _SYSTEM_FILES


def display_name(name: str) -> str:
    """The name as Unicode: bytes that are no UTF-8 become U+FFFD."""
    return os.fsencode(name).decode("utf-8", "replace")


def file_id(path: str) -> str:
    """The id of a file, from its path relative to the root; unique, and `path_of` undoes it.

    A name that is plain stays readable. One that would not survive being logged, trimmed,
    normalised or typed by a client (controls, line ends, NFD, bytes that are no UTF-8, outer
    blanks, `%`) is percent-encoded.
    """
    return "/".join(_encoded(name) for name in path.split("/"))


def folder_id(path: str) -> str:
    """The id of a folder; the slash keeps it apart from a file that later takes its name."""
    return f"{file_id(path)}/" if path else ROOT_ID


def path_of(file_id: str) -> str:
    """The relative path behind a file's id, in the file system's encoding.

    Raises:
        ValueError: no listing made this id; it would lead out of the root.
    """
    names = file_id.split("/")
    if any(name in ("", ".", "..") for name in names) or "\0" in file_id:
        raise ValueError(f"no id of a local file: {file_id!r}")
    return "/".join(_decoded(name) for name in names)


def _encoded(name: str) -> str:
    raw = os.fsencode(name)
    text = raw.decode("utf-8", "surrogateescape")
    if (
        "%" not in text
        and text.isprintable()
        and text == text.strip()
        and unicodedata.is_normalized("NFC", text)
    ):
        return text
    return quote_from_bytes(raw, safe=_PLAIN_ASCII + (" " if text == text.strip() else ""))


def _decoded(name: str) -> str:
    decoded = os.fsdecode(unquote_to_bytes(name) if "%" in name else name.encode("utf-8"))
    if decoded in ("", ".", "..") or "/" in decoded or "\0" in decoded:
        raise ValueError(f"no id of a local file: {name!r}")
    return decoded
