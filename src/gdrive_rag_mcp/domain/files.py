"""What a source lists, and what the ledger says became of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class FileState(StrEnum):
    """What became of an item in scope; every item has exactly one."""

    INDEXED = "indexed"
    PARTIAL = "partial"
    EMPTY = "empty"
    SKIPPED = "skipped"
    FAILED = "failed"
    PENDING = "pending"
    HELD = "held"


SEARCHABLE_STATES = (FileState.INDEXED, FileState.PARTIAL)


class Reason(StrEnum):
    """Why an item is in its state; the state a reason belongs to is `STATE_OF_REASON`."""

    NEEDS_OCR = "needs_ocr"
    NO_TEXT = "no_text"
    PARTS_FAILED = "parts_failed"
    UNSUPPORTED_TYPE = "unsupported_type"
    ENCRYPTED = "encrypted"
    CORRUPT = "corrupt"
    TYPE_MISMATCH = "type_mismatch"
    TOO_LARGE = "too_large"
    EXPORT_TOO_LARGE = "export_too_large"
    DOWNLOAD_FORBIDDEN = "download_forbidden"
    ABUSE_FLAGGED = "abuse_flagged"
    RATE_LIMITED = "rate_limited"
    RESOURCE_LIMIT = "resource_limit"
    NOT_FOUND = "not_found"
    ACCESS_DENIED = "access_denied"
    NETWORK = "network"
    CHANGING = "changing"
    INTERNAL = "internal"
    MASS_DELETE = "mass_delete"


STATE_OF_REASON: Mapping[Reason, FileState] = {
    Reason.NEEDS_OCR: FileState.EMPTY,
    Reason.NO_TEXT: FileState.EMPTY,
    Reason.PARTS_FAILED: FileState.PARTIAL,
    Reason.UNSUPPORTED_TYPE: FileState.SKIPPED,
    Reason.ENCRYPTED: FileState.SKIPPED,
    Reason.CORRUPT: FileState.SKIPPED,
    Reason.TYPE_MISMATCH: FileState.SKIPPED,
    Reason.TOO_LARGE: FileState.SKIPPED,
    Reason.EXPORT_TOO_LARGE: FileState.SKIPPED,
    Reason.DOWNLOAD_FORBIDDEN: FileState.SKIPPED,
    Reason.ABUSE_FLAGGED: FileState.SKIPPED,
    Reason.RATE_LIMITED: FileState.FAILED,
    Reason.RESOURCE_LIMIT: FileState.FAILED,
    Reason.NOT_FOUND: FileState.FAILED,
    Reason.ACCESS_DENIED: FileState.FAILED,
    Reason.NETWORK: FileState.FAILED,
    Reason.CHANGING: FileState.FAILED,
    Reason.INTERNAL: FileState.FAILED,
    Reason.MASS_DELETE: FileState.HELD,
}


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file as listed, not yet read; `version` changes whenever its content may have."""

    id: str
    name: str
    mime_type: str
    parents: tuple[str, ...]
    version: str
    size: int | None = None
    md5: str | None = None
    modified_time: datetime | None = None
    url: str | None = None
    revision: str | None = None
    obstacle: Reason | None = None
    """Set when the listing itself says that the content cannot be had."""


@dataclass(frozen=True, slots=True)
class SourceFolder:
    """A folder as listed; one that cannot be looked into says why and is unknown, not empty."""

    id: str
    name: str
    parents: tuple[str, ...]
    url: str | None = None
    obstacle: Reason | None = None


@dataclass(frozen=True, slots=True)
class ChangePage:
    """A part of a source's news that can be committed by itself.

    `complete` is set on the last page of a full listing that met no error: only then may an item
    that was not listed be taken for gone.
    """

    files: tuple[SourceFile, ...] = ()
    folders: tuple[SourceFolder, ...] = ()
    removed: tuple[str, ...] = ()
    cursor: str | None = None
    complete: bool = False


@dataclass(frozen=True, slots=True)
class Fetched:
    """What reading a file brought: the type of the bytes, which an export may have changed."""

    mime_type: str


@dataclass(frozen=True, slots=True)
class SourceUsage:
    """Calls that asked for metadata, and files whose content was fetched."""

    api_calls: int = 0
    downloads: int = 0


@dataclass(frozen=True, slots=True)
class FileRecord:
    """One line of the ledger."""

    id: str
    name: str
    path: str
    mime_type: str
    state: FileState
    reason: Reason | None
    detail: str
    version: str
    revision: str | None
    size: int | None
    md5: str | None
    url: str | None
    modified_time: datetime | None
    attempts: int
    next_attempt: datetime | None
    content_hash: str | None
    chunk_count: int
    indexed_at: datetime | None
    is_folder: bool = False


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of what is in scope can be searched; the parts add up to `in_scope`."""

    by_state: Mapping[FileState, int]
    by_reason: Mapping[Reason, int]

    @property
    def in_scope(self) -> int:
        return sum(self.by_state.values())

    @property
    def searchable(self) -> int:
        return sum(self.by_state.get(state, 0) for state in SEARCHABLE_STATES)

    @property
    def unreadable(self) -> int:
        return self.in_scope - self.searchable


@dataclass(frozen=True, slots=True)
class LedgerPage:
    """A page of the ledger in order of path; `coverage` counts all in the scope asked for."""

    records: tuple[FileRecord, ...]
    coverage: Coverage
    next_cursor: str | None = None


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What one sync did; `coverage` is what the ledger says after it."""

    added: int
    updated: int
    unchanged: int
    moved: int
    removed: int
    held: int
    embedded_chunks: int
    reused_chunks: int
    pending_vectors: int
    api_calls: int
    downloads: int
    seconds: float
    complete: bool
    coverage: Coverage
    warnings: tuple[str, ...] = ()
    embedding_incomplete: bool = False
    """Set when an embedder was there but did not do all of it."""
