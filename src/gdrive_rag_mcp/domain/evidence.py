"""What was found, and the verdict over it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from gdrive_rag_mcp.domain.documents import Locator, embedded_text_of, reading_of
from gdrive_rag_mcp.domain.files import Coverage, FileState
from gdrive_rag_mcp.domain.queries import PhraseStatistics, Query, TermStatistics
from gdrive_rag_mcp.domain.token_vectors import TokenVectors


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
    anchor: str | None = None
    """How the source links to this place, such as `gid=7`; see `Fetched.anchors`."""

    @property
    def reading(self) -> str:
        """The text as it was indexed."""
        return reading_of(self.text, self.locator)

    @property
    def embedded_text(self) -> str:
        """What its vector was made of."""
        return embedded_text_of(self.title, self.headings, self.context, self.reading)


@dataclass(frozen=True, slots=True)
class Duplicate:
    """Where else the same is said; `exact` where every word of it is the same."""

    chunk_id: str
    document_id: str
    path: str
    exact: bool = True


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage with its fused rank (from 1) and each retriever's part in it.

    `duplicates` are passages that were found, too, and say the same. `before` and `after` are what
    stands beside the passage in its document, where that was asked for; they are no evidence.
    """

    passage: Passage
    rank: int
    score: float
    keyword_rank: int | None = None
    vector_rank: int | None = None
    bm25: float | None = None
    cosine: float | None = None
    duplicates: tuple[Duplicate, ...] = ()
    before: str = ""
    after: str = ""
    tokens: TokenVectors | None = field(default=None, compare=False, repr=False)
    """Of the best hits alone, where the index has them."""


@dataclass(frozen=True, slots=True)
class CosineBackground:
    """The question's mean cosine over a sample of all chunks in scope."""

    mean: float
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
    phrases: tuple[PhraseStatistics, ...] = ()


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
    question_tokens: TokenVectors | None = field(default=None, compare=False, repr=False)
    """Comparable with those of the hits; None where the embedder makes none."""


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


class Weakness(StrEnum):
    """What speaks against the best candidate, and what its four followers do not mend."""

    SAYS_OPPOSITE = "says_opposite"
    NEGATION_DIFFERS = "negation_differs"
    QUOTATION_ABSENT = "quotation_absent"
    LACKS_DATES = "lacks_dates"
    LACKS_NUMBERS = "lacks_numbers"
    LACKS_NAMES = "lacks_names"
    NO_SUCH_ANSWER = "no_such_answer"
    """Nothing of the kind asked for, such as a time or a measure, stands near."""
    LACKS_TERMS = "lacks_terms"
    FAR_IN_MEANING = "far_in_meaning"
    """Its vector is no nearer to the question than those of passages about something else."""


@dataclass(frozen=True, slots=True)
class Shortfall:
    """What evidence lacks, in the words of the question.

    `weaknesses` come most telling first. `lacking_terms` are the key terms that the best candidate
    does not hold or, where a question is covered in part, that no candidate does. The parts are
    those of a question that asks for several things; `quotations` stand nowhere in scope. In
    `another_language` than the question is the nearest passage, where absent words prove nothing.
    """

    weaknesses: tuple[Weakness, ...] = ()
    lacking_terms: tuple[str, ...] = ()
    supported_parts: tuple[str, ...] = ()
    unsupported_parts: tuple[str, ...] = ()
    quotations: tuple[str, ...] = ()
    another_language: bool = False


NO_SHORTFALL = Shortfall()


@dataclass(frozen=True, slots=True)
class Evidence:
    """The verdict over what was retrieved; `signals` are what it was made from, by name."""

    sufficient: bool
    reason: VerdictReason
    confidence: float
    threshold: float
    missing_terms: tuple[str, ...] = ()
    signals: Mapping[str, float] = field(default_factory=dict)
    shortfall: Shortfall = NO_SHORTFALL


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """What a search ends with; the verdict stands even where there was nothing to search.

    `coverage` and `last_sync` are those of the scope that was asked for; `retrieved` is None when
    the verdict was clear before any retriever ran. `outdated` has the states of those documents
    among the hits that are not shown as they are in the source now.
    """

    question: str
    scope_id: str | None
    mode: Mode
    evidence: Evidence
    coverage: Coverage
    last_sync: datetime | None
    warnings: tuple[str, ...] = ()
    retrieved: Retrieved | None = None
    outdated: Mapping[str, FileState] = field(default_factory=dict)
