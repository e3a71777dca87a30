"""The ledger: what became of every item in scope, and why."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from gdrive_rag_mcp.domain.forecasts import Forecast


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
    BROKEN_SHORTCUT = "broken_shortcut"
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
    Reason.BROKEN_SHORTCUT: FileState.SKIPPED,
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
    held_with_text: int = 0
    """How many of the held items are still found, as they last were."""

    @property
    def in_scope(self) -> int:
        return sum(self.by_state.values())

    @property
    def searchable(self) -> int:
        read = sum(self.by_state.get(state, 0) for state in SEARCHABLE_STATES)
        return read + self.held_with_text

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
    forecast: Forecast | None = None
    """What the run embeds in all, known when all files were read; None where that is nothing."""
    embedded_again: int = 0
    """Texts that had a vector, but not those of their tokens, and have them now."""
    pending_token_vectors: int = 0
    """Texts that still have none: a judgement of them is left to other signals."""
    probes_asked: int = 0
    """Questions made from the index's own chunks that were asked to calibrate the verdict."""
    probes_embedded: int = 0
    """How many of them were embedded."""


@dataclass(frozen=True, slots=True)
class SyncPlan:
    """What a sync would do now, by path; `complete` as in a report.

    `to_read` says why: `added`, `updated`, or `retry` where an earlier attempt came to nothing.
    `to_skip` has the reason why a file would be in the ledger without having been read.
    """

    to_read: tuple[tuple[str, str], ...]
    to_skip: tuple[tuple[str, Reason], ...]
    to_remove: tuple[str, ...]
    to_hold: tuple[str, ...]
    moved: int
    unchanged: int
    in_scope: int
    complete: bool
    warnings: tuple[str, ...] = ()
    forecast: Forecast | None = None
    """What a sync would have to embed, as far as sizes can tell; None where that is nothing."""


@dataclass(frozen=True, slots=True)
class SyncRound:
    """One of the rounds of a sync that goes on and on: what it did, or why it came to nothing.

    `code` is an error's, and empty after a report; `skipped`: another process was at work.
    """

    ended: datetime
    seconds: float
    next_in: float = 0.0
    report: SyncReport | None = None
    code: str = ""
    problem: str = ""
    remedy: str = ""
    skipped: bool = False
