"""The JSON objects that users and clients see, key by key; a change here is a change for them.

Times are ISO 8601 in UTC. The MCP output schemas are made from these classes, so that what is
promised and what is built cannot drift apart.
"""

from typing import NotRequired, TypedDict


class Fenced(TypedDict):
    """Marks around what was taken from documents; only there when a model is the reader."""

    content_begins: NotRequired[str]
    content_ends: NotRequired[str]


class ScopeObject(TypedDict):
    """What was searched: a folder's or file's id, null for everything."""

    id: str | None
    documents: int


class ReachObject(TypedDict):
    """How much of the scope could be searched."""

    in_scope: int
    searchable: int
    unreadable: int
    last_sync: str | None


class EvidenceObject(TypedDict):
    """The verdict, and in `message` what the client must do with it.

    `weaknesses` say why `candidate_results[0]` is not enough, most telling first; `lacking_terms`
    are words of the question that it, or where a part is covered any candidate, does not hold. The
    parts are those of a question that asks for several things.
    """

    sufficient: bool
    reason: str
    confidence: float
    threshold: float
    missing_terms: list[str]
    lacking_terms: list[str]
    weaknesses: list[str]
    supported_parts: list[str]
    unsupported_parts: list[str]
    mode: str
    warnings: list[str]
    message: str
    coverage: ReachObject


class LocatorObject(TypedDict):
    """Where a text stands in its document."""

    kind: str
    value: str
    first: NotRequired[int]
    last: NotRequired[int]
    label: NotRequired[str]
    ocr: NotRequired[bool]
    confidence: NotRequired[int]


class CitationObject(TypedDict):
    """Where to look, and which revision was read when."""

    url: str | None
    path: str
    locator: LocatorObject
    modified_time: str | None
    indexed_at: str | None
    revision: str | None


class SignalsObject(TypedDict):
    """Each retriever's part in a hit; null where it took none."""

    keyword_rank: int | None
    vector_rank: int | None
    cosine: float | None
    bm25_of_ideal: float | None


class DuplicateObject(TypedDict):
    """Where else the same is said; not `exact` where a word or two are other ones."""

    chunk_id: str
    document_id: str
    path: str
    exact: bool


class HitObject(TypedDict):
    """A passage; `context` is what one must know to read it, such as a table's header row.

    `headings` are those it stands under, outermost first, where the locator does not name them: a
    hidden sheet or slide says so there.
    `state` is there where the document is not shown as it is now: `held` ones are gone.
    `duplicates` are passages that were found, too, and say the same. `before` and `after` are what
    stands beside the text, where that was asked for, and no evidence.
    """

    rank: int
    chunk_id: str
    document_id: str
    state: NotRequired[str]
    title: str
    headings: NotRequired[list[str]]
    context: NotRequired[str]
    text: str
    before: NotRequired[str]
    after: NotRequired[str]
    truncated: NotRequired[bool]
    duplicates: NotRequired[list[DuplicateObject]]
    omitted_duplicates: NotRequired[int]
    score: float
    signals: SignalsObject
    citation: CitationObject


class SearchObject(Fenced):
    """A search's outcome."""

    query: str
    scope: ScopeObject
    evidence: EvidenceObject
    omitted_hits: NotRequired[int]
    results: list[HitObject]
    candidate_results: list[HitObject]


class DocumentObject(Fenced):
    """A page of a document's text; offsets are in characters."""

    document_id: str
    url: str | None
    mime_type: str
    state: str
    modified_time: str | None
    indexed_at: str | None
    revision: str | None
    start: int
    end: int
    length: int
    next_start: int | None
    title: str
    path: str
    text: str


class MetadataObject(Fenced):
    """One line of the ledger in full."""

    document_id: str
    url: str | None
    mime_type: str
    state: str
    reason: str | None
    size: int | None
    md5: str | None
    content_hash: str | None
    version: str
    revision: str | None
    modified_time: str | None
    indexed_at: str | None
    chunk_count: int
    attempts: int
    next_attempt: str | None
    name: str
    path: str
    detail: str


class EntryObject(TypedDict):
    """One line of the ledger in a list."""

    document_id: str
    path: str
    mime_type: str
    state: str
    reason: str | None
    detail: str
    size: int | None
    modified_time: str | None
    chunk_count: int
    attempts: int
    next_attempt: str | None


class TotalsObject(TypedDict):
    """Counts that add up to `in_scope`."""

    in_scope: int
    searchable: int
    unreadable: int
    by_state: dict[str, int]
    by_reason: dict[str, int]


class LedgerObject(Fenced):
    """A page of the ledger."""

    totals: TotalsObject
    next_cursor: str | None
    files: list[EntryObject]


class EmbeddingObject(TypedDict):
    """What made the vectors; no endpoint, no key."""

    provider: str
    model: str
    dimensions: int
    fingerprint: str


class CalibrationObject(TypedDict):
    """What the verdict knows of this index, from questions made of `probes` of its chunks.

    `separation` is how well it tells those with their document and without (AUROC, 0.5 is chance);
    `lacking` is why there is less than there should be: too_few_probes, time, max_embeddings,
    embedder_unavailable, vectors_waiting.
    """

    made_at: str | None
    chunks: int
    probes: int
    separation: float | None
    lacking: str


class StatusObject(TypedDict):
    """What an index holds, how fresh it is, and what made it.

    `retries` are the times of the next attempts by reason, `unsupported` the files of the commonest
    types that cannot be read.
    """

    root: str | None
    last_sync: str | None
    last_crawl: str | None
    last_poll: str | None
    documents: int
    chunks: int
    vectors: int
    vector_backend: str
    embedding: EmbeddingObject | None
    changing_to: EmbeddingObject | None
    chunking: str | None
    schema_version: int
    generation: int
    coverage: TotalsObject
    retries: dict[str, str]
    unsupported: dict[str, int]
    calibration: CalibrationObject
    warnings: list[str]


class ExportChunkObject(TypedDict):
    """A chunk in an export; `text` is the document's text from `start` to `end`."""

    id: str
    ordinal: int
    text: str
    start: int
    end: int
    locator: LocatorObject
    headings: NotRequired[list[str]]


class ExportObject(TypedDict):
    """One line of an export: a file of the ledger."""

    id: str
    path: str
    name: str
    mime: str
    state: str
    reason: str | None
    revision: str | None
    content_hash: str | None
    chunk_count: int
    indexed_at: str | None
    chunks: NotRequired[list[ExportChunkObject]]
