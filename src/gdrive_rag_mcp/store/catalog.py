"""What the index as a whole knows of itself, and the documents it holds."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime

import apsw

from gdrive_rag_mcp.domain import (
    EmbeddingIdentity,
    IndexStatus,
    Passage,
    Scope,
    Span,
    StoredDocument,
    TextYield,
)
from gdrive_rag_mcp.errors import IndexCorruptError, ReindexRequiredError
from gdrive_rag_mcp.store.calibration_rows import CalibrationRows
from gdrive_rag_mcp.store.connection import fetch
from gdrive_rag_mcp.store.documents import Texts
from gdrive_rag_mcp.store.ledger import Ledger
from gdrive_rag_mcp.store.meta import BUILDING, EMBEDDING, Meta
from gdrive_rag_mcp.store.migrations import SCHEMA_VERSION
from gdrive_rag_mcp.store.passages import PASSAGE_COLUMNS, read_passage
from gdrive_rag_mcp.store.scoping import scope_condition
from gdrive_rag_mcp.store.tally import next_attempts, unsupported_types
from gdrive_rag_mcp.store.translation import REBUILD
from gdrive_rag_mcp.store.vector_index import VectorIndex

_NONE = EmbeddingIdentity(provider="none", model="", dimensions=0, fingerprint="")
_LONG_AGO = datetime.min.replace(tzinfo=UTC)
_PACES_KEPT = 4
_FASTEST = 1e12


class Catalog:
    """The index's identities, its status and its documents."""

    def __init__(self, connection: apsw.Connection, ledger: Ledger, vectors: VectorIndex) -> None:
        self._connection = connection
        self._ledger = ledger
        self._vectors = vectors
        self._meta = Meta(connection)

    # ── identities ───────────────────────────────────────────────────────────

    @property
    def embedding_identity(self) -> EmbeddingIdentity | None:
        """Whose vectors the index holds; None while it is keyword-only or new."""
        stored = self.recorded_embedding
        return None if stored in (None, _NONE) else stored

    @property
    def recorded_embedding(self) -> EmbeddingIdentity | None:
        """What the index was made with, which may be `none`; None where it is new."""
        return self._meta.identity(EMBEDDING)

    def accept_embedding(self, identity: EmbeddingIdentity | None) -> None:
        """Stamp a new index with an embedder's identity, or see that it is the one it has.

        An index without vectors takes any embedder. One that has vectors may be written without an
        embedder (its new chunks then wait for vectors), never with another one.

        Raises:
            ReindexRequiredError: the index holds another embedder's vectors.
            IndexCorruptError: the index has chunks, but nothing says what made them.
        """
        stored = self.recorded_embedding
        if stored is None and self._connection.execute("SELECT 1 FROM chunks").fetchone():
            raise IndexCorruptError(
                f"{self._connection.filename} has chunks but no embedding identity, so its vectors "
                "cannot be trusted",
                hint=REBUILD,
            )
        if stored in (None, _NONE):
            self._meta.set(EMBEDDING, json.dumps(asdict(identity or _NONE)))
        else:
            self.require_same_embedding(identity)

    def require_same_embedding(self, identity: EmbeddingIdentity | None) -> None:
        """Refuse to compare vectors of two embedders.

        Raises:
            ReindexRequiredError: names both sides and the command that resolves it.
        """
        mine = self.embedding_identity
        if mine is None or identity is None or mine.fingerprint == identity.fingerprint:
            return
        raise ReindexRequiredError(
            f"the index was made with {_named(mine)}, but {_named(identity)} is set; their vectors "
            "cannot be compared",
            hint="run `gdrive-rag-mcp reindex --yes`, or set back the provider and model",
        )

    @property
    def chunking_identity(self) -> str | None:
        return self._meta.get("chunking")

    @chunking_identity.setter
    def chunking_identity(self, identity: str) -> None:
        self._meta.set("chunking", identity)

    @property
    def root(self) -> str | None:
        """What is synced into this index."""
        root = self._meta.get("root")
        if root == "":
            raise self._meta.damaged("root")
        return root

    @root.setter
    def root(self, root: str) -> None:
        self._meta.set("root", root)

    @property
    def last_sync(self) -> datetime | None:
        """When a sync last ended with a complete listing."""
        return self._meta.moment("last_sync")

    @last_sync.setter
    def last_sync(self, moment: datetime) -> None:
        self._meta.set_moment("last_sync", moment)

    @property
    def last_crawl(self) -> datetime | None:
        """When a listing of everything last came to its end."""
        return self._meta.moment("last_crawl")

    @last_crawl.setter
    def last_crawl(self, moment: datetime) -> None:
        self._meta.set_moment("last_crawl", moment)

    @property
    def crawl_began(self) -> datetime | None:
        """When the latest listing of everything began; long ago where that cannot be read."""
        began = self._meta.moment("crawl_began")
        return _LONG_AGO if began is None and self._meta.has("crawl_began") else began

    @crawl_began.setter
    def crawl_began(self, moment: datetime) -> None:
        self._meta.set_moment("crawl_began", moment)

    @property
    def last_poll(self) -> datetime | None:
        """When the source's logs of changes were last read to their end."""
        return self._meta.moment("last_poll")

    @last_poll.setter
    def last_poll(self, moment: datetime) -> None:
        self._meta.set_moment("last_poll", moment)

    @property
    def cursor(self) -> str | None:
        """Where the source's news were left."""
        return self._meta.get("cursor")

    @cursor.setter
    def cursor(self, cursor: str | None) -> None:
        if cursor is None:
            self._meta.delete("cursor")
        else:
            self._meta.set("cursor", cursor)

    @property
    def root_was_lost(self) -> bool:
        """Whether the root was not to be had when it was last asked for."""
        return self._meta.get("root_was_lost") is not None

    @root_was_lost.setter
    def root_was_lost(self, lost: bool) -> None:
        if lost:
            self._meta.set("root_was_lost", "yes")
        else:
            self._meta.delete("root_was_lost")

    @property
    def embedding_paces(self) -> dict[str, float]:
        """Characters a second of the embedders used last, by fingerprint; only ever a hint."""
        try:
            noted = json.loads(self._meta.get("embedding_paces") or "{}")
            return {
                str(mark): float(pace) for mark, pace in noted.items() if 0 < float(pace) < _FASTEST
            }
        except (ValueError, TypeError, AttributeError, IndexCorruptError):
            return {}

    def note_embedding_pace(self, fingerprint: str, pace: float) -> None:
        """Keep how fast an embedder was, for the next forecast."""
        others = {mark: old for mark, old in self.embedding_paces.items() if mark != fingerprint}
        latest = [*others.items(), (fingerprint, round(pace, 1))][-_PACES_KEPT:]
        self._meta.set("embedding_paces", json.dumps(dict(latest)))

    # ── what there is ────────────────────────────────────────────────────────

    def status(self, scope: Scope) -> IndexStatus:
        """The index in numbers, as far as the scope may see."""
        condition, parameters = scope_condition(scope)
        documents, chunks, vectors = self._connection.execute(
            f"""SELECT count(*), coalesce(sum(f.chunk_count), 0), coalesce(sum(f.vector_count), 0)
            FROM files f WHERE f.chunk_count > 0 AND {condition}""",
            parameters,
        ).fetchone() or (0, 0, 0)
        return IndexStatus(
            schema_version=SCHEMA_VERSION,
            generation=self._meta.generation,
            root=self.root,
            documents=documents,
            chunks=chunks,
            vectors=vectors,
            embedding=self.embedding_identity,
            building=self._meta.identity(BUILDING),
            chunking=self.chunking_identity,
            vector_backend=self._vectors.backend,
            last_sync=self.last_sync,
            coverage=self._ledger.coverage(scope),
            last_crawl=self.last_crawl,
            last_poll=self.last_poll,
            retries=next_attempts(self._connection, scope),
            unsupported=unsupported_types(self._connection, scope),
            calibration=CalibrationRows(self._connection).status(),
        )

    def text_yields(self) -> dict[str, list[TextYield]]:
        """What files became, by media type: those of known size, and those without (0 bytes)."""
        rows = fetch(
            self._connection,
            """SELECT f.mime, count(*), coalesce(sum(f.size), 0), sum(f.chunk_count),
                sum(octet_length(d.text))
            FROM files f JOIN documents d ON d.file = f.num WHERE f.chunk_count > 0
            GROUP BY f.mime, f.size IS NULL""",
        )
        yields: dict[str, list[TextYield]] = {}
        for mime_type, *figures in rows:
            yields.setdefault(mime_type, []).append(TextYield(*figures))
        return yields

    def document(
        self, document_id: str, scope: Scope, start: int = 0, max_chars: int | None = None
    ) -> StoredDocument | None:
        """A document's text from `start` on; None when the scope holds no such text."""
        record = self._ledger.get(document_id, scope)
        if record is None:
            return None
        row = self._connection.execute(
            """SELECT d.title, d.text FROM documents d JOIN files f ON f.num = d.file
            WHERE f.id = ?""",
            (document_id,),
        ).fetchone()
        if row is None:
            return None
        title, text = row
        end = None if max_chars is None else start + max_chars
        return StoredDocument(record, title, text[start:end], start, len(text))

    def chunks(
        self, document_id: str, scope: Scope, within: Span | None = None
    ) -> Iterator[tuple[int, Passage]]:
        """A document's chunks in order, with their ordinals; those that reach into `within`."""
        condition, parameters = scope_condition(scope)
        place = (within.end, within.start) if within else ()
        reaching = ' AND c.start < ? AND c."end" > ?' if within else ""
        rows = self._connection.execute(
            f"{PASSAGE_COLUMNS} WHERE f.id = ? AND {condition}{reaching} ORDER BY c.ordinal",
            (document_id, *parameters, *place),
        )
        texts = Texts(self._connection)
        for row in rows:
            yield row[1], read_passage(row, texts)


def _named(identity: EmbeddingIdentity) -> str:
    return (
        f"{identity.provider} {identity.model} with {identity.dimensions} dimensions "
        f"(fingerprint {identity.fingerprint[:12]})"
    )
