"""The nouns of the project, frozen; they know nothing of files, databases or networks."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import cached_property


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


# ── what a source lists ──────────────────────────────────────────────────────


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


# ── what extraction makes of a file ──────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Locator:
    """Where a text stands in its document, for a reader.

    kind      value                first and last          label
    page      "4" or "4-5"         page index, from 1      the printed label, if it differs
    heading   "Leave > Unpaid"     lines from 1, or None
    sheet     "Budget!A5:F9"       row numbers, from 1     the sheet's name
    lines     "12-40"              lines, from 1
    """

    kind: str
    value: str
    first: int | None = None
    last: int | None = None
    label: str | None = None


class SegmentKind(StrEnum):
    """What a run of text is to a chunker."""

    HEADING = "heading"
    TEXT = "text"
    ROW = "row"


@dataclass(frozen=True, slots=True)
class Segment:
    """A run of a document's text that one locator holds for: `text[start:end]`.

    `headings` is the path above it (a heading's own text included); `context` is what a reader must
    know to read it, such as a table's header row, and lies outside the offsets.
    """

    start: int
    end: int
    kind: SegmentKind
    locator: Locator
    headings: tuple[str, ...] = ()
    context: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """A file that has been read: its clean text, once, and the segments that cover it.

    `title` comes from the content, never from the file's name. `failures` names the pages or sheets
    that could not be read, each in one line.
    """

    title: str
    text: str
    segments: tuple[Segment, ...]
    failures: tuple[str, ...] = ()


@dataclass(frozen=True)
class Chunk:
    """The unit that is embedded, stored and ranked; `text == document.text[start:end]`."""

    ordinal: int
    start: int
    end: int
    text: str
    locator: Locator
    title: str = ""
    headings: tuple[str, ...] = ()
    context: str = ""

    @cached_property
    def embedded_text(self) -> str:
        """The chunk under the document's own title and headings; no file name, no path."""
        path = " > ".join(self.headings)
        lead = (self.title, path if path != self.title else "", self.context)
        return "\n".join([part for part in lead if part] + [self.text])

    @cached_property
    def hash(self) -> str:
        """SHA-256 of the embedded text, in hex: equal hashes need one embedding."""
        return hashlib.sha256(self.embedded_text.encode()).hexdigest()


# ── identities ───────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class EmbeddingIdentity:
    """What must match for two vectors to be comparable; the fingerprint covers all of it."""

    provider: str
    model: str
    dimensions: int
    fingerprint: str


# ── who may see what, and what is asked ──────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Scope:
    """What a read may see: everything (`ids is None`), or the items below and among `ids`."""

    ids: frozenset[str] | None = None

    @property
    def everything(self) -> bool:
        return self.ids is None


EVERYTHING = Scope()


@dataclass(frozen=True, slots=True)
class Filters:
    """What a search is narrowed to besides its scope; times are aware and inclusive."""

    mime_type: str | None = None
    modified_after: datetime | None = None
    modified_before: datetime | None = None

    @property
    def any(self) -> bool:
        return self != Filters()


@dataclass(frozen=True, slots=True)
class Query:
    """A question as asked; the scope stays what the caller named, resolved or not."""

    text: str
    limit: int = 5
    scope: Scope = EVERYTHING
    filters: Filters = Filters()


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk as a reader sees it, with its origin."""

    chunk_id: str
    document_id: str
    title: str
    name: str
    path: str
    mime_type: str
    text: str
    context: str
    headings: tuple[str, ...]
    start: int
    end: int
    locator: Locator
    url: str | None
    modified_time: datetime | None
    indexed_at: datetime | None
    revision: str | None


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage with its fused rank (from 1) and each retriever's part in it."""

    passage: Passage
    rank: int
    score: float
    keyword_rank: int | None = None
    vector_rank: int | None = None
    bm25: float | None = None
    cosine: float | None = None


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """A word of the question that says what it is about, and its token in the index.

    In scripts without blanks a term is a pair of characters. `key` is false for function words,
    which are searched for only when nothing else is left.
    """

    surface: str
    token: str
    key: bool = True


@dataclass(frozen=True, slots=True)
class TermStatistics:
    """A query term as the corpus in scope knows it.

    `forms` are the index tokens it may appear as; `chunks` is the number of chunks in scope that
    hold any of them (0: the corpus does not know the term).
    """

    surface: str
    forms: tuple[str, ...]
    chunks: int
    idf: float
    key: bool = True


@dataclass(frozen=True, slots=True)
class CosineBackground:
    """How the question's cosine is spread over a sample of all chunks in scope."""

    mean: float
    deviation: float
    sample: int


@dataclass(frozen=True, slots=True)
class TextMatch:
    """A chunk that BM25 found; the score is positive and higher is better."""

    chunk: int
    bm25: float


@dataclass(frozen=True, slots=True)
class VectorMatch:
    """A chunk that the vectors found."""

    chunk: int
    cosine: float


@dataclass(frozen=True, slots=True)
class VectorMatches:
    """The nearest chunks, and how all the others lie to the same question."""

    matches: tuple[VectorMatch, ...]
    background: CosineBackground | None = None


@dataclass(frozen=True, slots=True)
class RetrievalStatistics:
    """What judging needs of the corpus in scope, besides the hits."""

    documents: int
    chunks: int
    terms: tuple[TermStatistics, ...] = ()
    ideal_bm25: float = 0.0
    background: CosineBackground | None = None
    vectorless_chunks: int = 0


class Mode(StrEnum):
    """Which retrievers took part."""

    HYBRID = "hybrid"
    KEYWORD = "keyword"
    VECTOR = "vector"


@dataclass(frozen=True, slots=True)
class Retrieved:
    """The hits, best first, and what the corpus says of the query."""

    query: Query
    mode: Mode
    hits: tuple[Hit, ...]
    statistics: RetrievalStatistics
    warnings: tuple[str, ...] = ()


class VerdictReason(StrEnum):
    """Why the evidence is, or is not, sufficient."""

    OK = "ok"
    NO_INDEX = "no_index"
    SCOPE_UNKNOWN = "scope_unknown"
    SCOPE_EMPTY = "scope_empty"
    NO_MATCH = "no_match"
    TERMS_ABSENT = "terms_absent"
    WEAK_MATCH = "weak_match"
    PARTLY_SUPPORTED = "partly_supported"


@dataclass(frozen=True, slots=True)
class Evidence:
    """The verdict over what was retrieved; `signals` are what it was made from, by name."""

    sufficient: bool
    reason: VerdictReason
    confidence: float
    threshold: float
    missing_terms: tuple[str, ...] = ()
    signals: Mapping[str, float] = field(default_factory=dict)


# ── the ledger ───────────────────────────────────────────────────────────────


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
class SearchOutcome:
    """What a search ends with; the verdict stands even where there was nothing to search.

    `coverage` and `last_sync` are those of the scope that was asked for; `retrieved` is None when
    the verdict was clear before any retriever ran.
    """

    question: str
    scope_id: str | None
    mode: Mode
    evidence: Evidence
    coverage: Coverage
    last_sync: datetime | None
    warnings: tuple[str, ...] = ()
    retrieved: Retrieved | None = None


@dataclass(frozen=True, slots=True)
class LedgerPage:
    """A page of the ledger in order of path; `coverage` counts everything in the scope asked for."""

    records: tuple[FileRecord, ...]
    coverage: Coverage
    next_cursor: str | None = None


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document's text as indexed, or the part of it that was asked for."""

    record: FileRecord
    title: str
    text: str
    start: int
    length: int
    """Characters of the whole text."""


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """What an index holds and what made it; no endpoint, no key."""

    schema_version: int
    generation: int
    root: str | None
    documents: int
    chunks: int
    vectors: int
    embedding: EmbeddingIdentity | None
    chunking: str | None
    vector_backend: str
    last_sync: datetime | None
    coverage: Coverage
    warnings: tuple[str, ...] = ()


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
