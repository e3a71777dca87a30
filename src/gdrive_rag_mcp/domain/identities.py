"""What made an index, and what it holds."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from gdrive_rag_mcp.domain.calibration import CalibrationStatus
from gdrive_rag_mcp.domain.files import Coverage, Reason
from gdrive_rag_mcp.domain.forecasts import Forecast


@dataclass(frozen=True, slots=True)
class EmbeddingIdentity:
    """What must match for two vectors to be comparable; the fingerprint covers all of it."""

    provider: str
    model: str
    dimensions: int
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Extraction:
    """What files are read by: each is read again when what it was read by is not in force any more.

    `ocr` says how text is recognised (empty: not at all), which matters to some files only.
    """

    version: str
    ocr: str = ""

    def name(self, *, with_ocr: bool) -> str:
        """What a file was read by, to which OCR matters or not."""
        return f"{self.version} ocr:{self.ocr}" if with_ocr else self.version

    @property
    def names(self) -> tuple[str, str]:
        """What files may have been read by that need not be read again."""
        return self.name(with_ocr=False), self.name(with_ocr=True)


@dataclass(frozen=True, slots=True)
class EmbeddingOutlook:
    """What is still to be embedded: distinct texts, and the characters in them."""

    texts: int
    characters: int

    def __add__(self, other: "EmbeddingOutlook") -> "EmbeddingOutlook":
        return EmbeddingOutlook(self.texts + other.texts, self.characters + other.characters)


@dataclass(frozen=True, slots=True)
class ReindexReport:
    """A change of embedder: from which (None: words only), to which, and texts embedded for it."""

    former: EmbeddingIdentity | None
    current: EmbeddingIdentity
    embedded: int
    flipped: bool = True
    """Whether search goes by the new vectors; if not, what was made is kept for the next run."""
    reused: int = 0
    waiting: int = 0
    """Chunks without a vector of the current embedder; they are found by their words alone."""
    forecast: Forecast | None = None
    """What it takes in all; None where there was nothing to embed."""
    warnings: tuple[str, ...] = ()


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
    building: EmbeddingIdentity | None = None
    """To whose vectors a change has begun that is not finished."""
    last_crawl: datetime | None = None
    """When everything was last listed to the end."""
    last_poll: datetime | None = None
    """When the source's logs of changes were last read to the end."""
    retries: Mapping[Reason, datetime] = field(default_factory=dict)
    """When the first of the files that failed for a reason is tried again."""
    unsupported: Mapping[str, int] = field(default_factory=dict)
    """How many files there are of the types that cannot be read, the commonest first."""
    warnings: tuple[str, ...] = ()
    calibration: CalibrationStatus = field(default_factory=CalibrationStatus)
