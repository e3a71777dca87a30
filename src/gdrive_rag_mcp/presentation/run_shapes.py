"""The JSON objects that `sync` prints, key by key; times are ISO 8601 in UTC."""

from typing import TypedDict

from gdrive_rag_mcp.presentation.shapes import TotalsObject


class SyncObject(TypedDict):
    """What one sync did."""

    added: int
    updated: int
    unchanged: int
    moved: int
    removed: int
    held: int
    skipped: dict[str, int]
    failed: dict[str, int]
    embedded_chunks: int
    reused_chunks: int
    pending_vectors: int
    api_calls: int
    downloads: int
    seconds: float
    complete: bool
    coverage: TotalsObject
    warnings: list[str]


class ToReadObject(TypedDict):
    """A file that would be read, and why: `added`, `updated` or `retry`."""

    path: str
    why: str


class ToSkipObject(TypedDict):
    """A file that would be in the ledger unread, and the reason."""

    path: str
    reason: str


class PlanObject(TypedDict):
    """What a sync would do."""

    to_read: list[ToReadObject]
    to_skip: list[ToSkipObject]
    to_remove: list[str]
    to_hold: list[str]
    moved: int
    unchanged: int
    in_scope: int
    complete: bool
    warnings: list[str]


class ErrorObject(TypedDict):
    """What went wrong, and what to do about it."""

    code: str
    message: str
    remedy: str


class RoundObject(TypedDict):
    """One round of `sync --watch`; the counts are null where it came to nothing."""

    time: str
    seconds: float
    next_in_seconds: float
    skipped: bool
    error: ErrorObject | None
    added: int | None
    updated: int | None
    moved: int | None
    removed: int | None
    failed: int | None
    held: int | None
    pending: int | None
    in_scope: int | None
    searchable: int | None
    complete: bool
    warnings: list[str]
