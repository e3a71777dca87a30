"""What lies in the fake Drive: items and shared drives, with their ids, times and checksums."""

import hashlib
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple

from gdrive_rag_mcp.testing.fake_drive.kinds import FOLDER

EPOCH = datetime(2026, 1, 5, 9, tzinfo=UTC)


class Checksums(NamedTuple):
    """Of stored bytes, in hexadecimal."""

    md5: str
    sha1: str
    sha256: str


class ShortcutTarget(NamedTuple):
    """What a shortcut points to; the type is a snapshot from when it was made."""

    id: str
    mime_type: str
    resource_key: str | None


@dataclass(slots=True)
class Item:
    """A file, folder or shortcut; `extra` holds fields of the File resource as they are sent.

    `readers` are the people it is shared with directly, and since when; `owner` is None within a
    shared drive. `linked` items open to anyone who knows their address.
    """

    id: str
    name: str
    mime_type: str
    parents: tuple[str, ...]
    sequence: int
    owner: str | None
    drive_id: str | None = None
    content: bytes | None = None
    exports: dict[str, bytes] = field(default_factory=dict)
    target: ShortcutTarget | None = None
    body: dict[str, Any] | None = None
    version: int = 1
    revision: int = 1
    created: datetime = EPOCH
    modified: datetime = EPOCH
    explicitly_trashed: bool = False
    hidden: bool = False
    limited: bool = False
    abusive: bool = False
    linked: bool = False
    resource_key: str | None = None
    readers: dict[str, datetime] = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)
    _summed: tuple[bytes, Checksums] | None = None

    @property
    def is_folder(self) -> bool:
        return self.mime_type == FOLDER

    def checksums(self) -> Checksums:
        """Of the content, which must be there; computed once a content."""
        content = self.content or b""
        if self._summed is None or self._summed[0] is not content:
            self._summed = (content, _checksums(content))
        return self._summed[1]


@dataclass(slots=True)
class SharedDrive:
    """A shared drive, whose id is also the id of its topmost folder."""

    id: str
    name: str
    members: set[str]
    created: datetime


def token_of(number: int) -> str:
    """Sixteen hexadecimal digits that look like anything but a counter."""
    return hashlib.sha256(str(number).encode()).hexdigest()[:16]


def timestamp(moment: datetime) -> str:
    """RFC 3339 with milliseconds, as Drive writes it."""
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def _checksums(content: bytes) -> Checksums:
    return Checksums(
        hashlib.md5(content, usedforsecurity=False).hexdigest(),
        hashlib.sha1(content, usedforsecurity=False).hexdigest(),
        hashlib.sha256(content).hexdigest(),
    )
