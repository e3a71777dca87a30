"""The JSON objects that `sync` and `reindex` print, key by key; times are ISO 8601 in UTC."""

from typing import TypedDict

from gdrive_rag_mcp.presentation.shapes import EmbeddingObject, TotalsObject


class ForecastObject(TypedDict):
    """What is still to be embedded, and what it takes.

    `calls` are null without an embedder, `minutes` where its pace is not known; `estimated` says
    that chunks and tokens are guessed from the sizes and types of files that were not read yet;
    `again` counts chunks that have a vector, and are embedded again for those of their tokens.
    """

    chunks: int
    tokens: int
    calls: int | None
    minutes: float | None
    estimated: bool
    again: int


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
    embedded_again: int
    pending_token_vectors: int
    probes_asked: int
    probes_embedded: int
    api_calls: int
    downloads: int
    seconds: float
    complete: bool
    coverage: TotalsObject
    forecast: ForecastObject | None
    warnings: list[str]


class ReindexObject(TypedDict):
    """What a reindex did or, where `flipped` is false, has still to do.

    `waiting` are the chunks that have no vector of the current embedder.
    """

    former: EmbeddingObject | None
    current: EmbeddingObject | None
    flipped: bool
    embedded: int
    reused: int
    waiting: int
    forecast: ForecastObject | None
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
    forecast: ForecastObject | None
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
