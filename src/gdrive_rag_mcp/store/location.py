"""Where an index must not live: a folder that another program copies, or another machine serves."""

import re
import stat
import sys
from pathlib import Path

from gdrive_rag_mcp.errors import IndexCorruptError, IndexReadOnlyError, StoreError

_SYNCED = re.compile(
    r"^(google drive|googledrive(-.*)?|my drive|onedrive( - .*)?|dropbox( \(.*\))?"
    r"|icloud drive|com~apple~clouddocs|cloudstorage|nextcloud|box sync)$",
    re.IGNORECASE,
)
_NETWORK = frozenset(
    (
        *("nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "ncpfs", "9p", "ceph", "glusterfs"),
        *("davfs", "fuse.sshfs", "fuse.rclone", "fuse.s3fs", "fuse.gcsfuse"),
        "fuse.google-drive-ocamlfuse",
    )
)


def is_there(path: Path) -> bool:
    """Whether there is a file at the path of an index.

    Raises:
        IndexCorruptError: there is something else, such as a folder.
        IndexReadOnlyError: that cannot be told.
    """
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise IndexReadOnlyError(
            f"the index {path} cannot be opened: {error.strerror}",
            hint="check the path, and the permissions of the folders above it",
        ) from None
    if stat.S_ISREG(mode):
        return True
    folder = stat.S_ISDIR(mode)
    example = f", such as {path / 'index.db'}" if folder else ""
    raise IndexCorruptError(
        f"{path} is {'a folder' if folder else 'no file'}, and an index is a file",
        hint=f"name a file with --db or GDRIVE_RAG_DB_PATH{example}",
    )


def refuse_unsafe_location(path: Path) -> None:
    """Refuse a path on which SQLite's write-ahead log is not safe, or at which no file can be.

    Raises:
        StoreError: names the path and why.
    """
    is_there(path)
    resolved = path.expanduser().absolute().parent.resolve()
    hint = "choose a folder on a local disk with --db or GDRIVE_RAG_DB_PATH"
    for part in resolved.parts:
        if _SYNCED.match(part):
            raise StoreError(
                f"the index may not live in {resolved}: {part!r} looks like a synced folder, whose "
                "client would copy half-written files",
                hint=hint,
            )
    kind = _file_system(resolved)
    if kind in _NETWORK:
        raise StoreError(
            f"the index may not live in {resolved}: it is on a network file system ({kind}), where "
            "locks and shared memory do not hold",
            hint=hint,
        )


def _file_system(folder: Path) -> str:
    """The type of the file system a folder is on; empty where that cannot be told."""
    if sys.platform != "linux":
        return ""
    try:
        mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    best = ("", "")
    for line in mounts.splitlines():
        left, _, right = line.partition(" - ")
        fields, kind = left.split(), right.split(maxsplit=1)
        if len(fields) < 5 or not kind:  # noqa: PLR2004 - proc(5): the mount point is the fifth
            continue
        point = re.sub(r"\\(\d{3})", lambda code: chr(int(code.group(1), 8)), fields[4])
        if folder.is_relative_to(point) and len(point) >= len(best[0]):
            best = (point, kind[0])
    return best[1]
