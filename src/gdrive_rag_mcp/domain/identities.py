"""What made an index, and what it holds."""

from dataclasses import dataclass
from datetime import datetime

from gdrive_rag_mcp.domain.files import Coverage


@dataclass(frozen=True, slots=True)
class EmbeddingIdentity:
    """What must match for two vectors to be comparable; the fingerprint covers all of it."""

    provider: str
    model: str
    dimensions: int
    fingerprint: str


@dataclass(frozen=True, slots=True)
class ReindexReport:
    """A change of embedder: from which (None: words only), to which, and texts embedded for it."""

    former: EmbeddingIdentity | None
    current: EmbeddingIdentity
    embedded: int


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
