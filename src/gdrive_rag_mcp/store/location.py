"""Where an index must not live: a folder that another program copies, or another machine serves."""

import re
import sys
from pathlib import Path

from gdrive_rag_mcp.errors import StoreError

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


def refuse_unsafe_location(path: Path) -> None:
    """Refuse a path on which SQLite's write-ahead log is not safe.

    Raises:
        StoreError: names the folder and why.
    """
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
