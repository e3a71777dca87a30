"""The use cases of reading: what can be asked of an index, whoever asks."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

from gdrive_rag_mcp.answering import Grounds, ground
from gdrive_rag_mcp.app.asking import QuestionEmbedding
from gdrive_rag_mcp.app.checks import check_span, checked_limit, checked_neighbours
from gdrive_rag_mcp.app.index_warnings import status_warnings
from gdrive_rag_mcp.app.lookup import known_record, stored_document
from gdrive_rag_mcp.app.pool import StorePool
from gdrive_rag_mcp.app.quoting import check_quote
from gdrive_rag_mcp.app.searching import Searching
from gdrive_rag_mcp.domain import (
    EVERYTHING,
    FileRecord,
    FileState,
    Filters,
    IndexStatus,
    LedgerPage,
    Mode,
    Passage,
    Query,
    QuoteCheck,
    Scope,
    SearchOutcome,
    StoredDocument,
    VerdictReason,
)
from gdrive_rag_mcp.errors import (
    DocumentNotFoundError,
    IndexMissingError,
    QueryError,
)
from gdrive_rag_mcp.evidence.quotes import checked_quote
from gdrive_rag_mcp.protocols import Embedder
from gdrive_rag_mcp.retrieval.query import checked_question
from gdrive_rag_mcp.retrieval.thesaurus import NO_SYNONYMS, Thesaurus

MAX_HITS = 50
MAX_PAGE = 500
_MOST_SOURCES = 8
_UNFILTERED = Filters()
_CHANGES_BORNE = 3
"""How often the embedder may change under a search before it makes do with the words."""


class Reader:
    """Search, documents, ledger and status of one index; safe to share between threads.

    `embedder` is called when a search first needs one, and may return None or raise
    EmbedderUnavailableError; words alone are searched then, and the outcome says so.
    """

    def __init__(
        self,
        pool: StorePool,
        *,
        embedder: Callable[[], Embedder | None],
        mode: Mode = Mode.HYBRID,
        threshold: float | None = None,
        visible: Scope = EVERYTHING,
        thesaurus: Thesaurus = NO_SYNONYMS,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._pool = pool
        self._embedding = QuestionEmbedding(embedder)
        self._visible = visible
        self._clock = clock
        self._searching = Searching(mode, threshold, visible, thesaurus, clock)

    # ── search ───────────────────────────────────────────────────────────────

    def search(
        self,
        text: str,
        *,
        limit: int = 5,
        scope_id: str | None = None,
        filters: Filters = _UNFILTERED,
        neighbours: int = 0,
    ) -> SearchOutcome:
        """Find passages and judge them; whatever is lacking becomes a verdict.

        With `neighbours`, each hit has the text of so many chunks around it, too; none is judged.

        Raises:
            QueryError: the question, the limit or the filters make no sense.
            ReindexRequiredError: the index was made with another embedder than the one set.
            StoreError: there is an index, but it cannot be read.
        """
        limit, neighbours = checked_limit(limit, MAX_HITS), checked_neighbours(neighbours)
        query = Query(checked_question(text), limit, self._visible, filters, neighbours)
        check_span(filters)
        self._pool.activity.note()
        try:
            for _ in range(_CHANGES_BORNE):
                with self._pool.lend() as store:
                    unsearched = self._searching.without_searching(store, query, scope_id)
                    recorded = store.catalog.embedding_identity
                if unsearched is not None:
                    return unsearched
                by_meaning = self._searching.mode is not Mode.KEYWORD
                asked = self._embedding.of(query.text, recorded) if by_meaning else None
                with self._pool.lend() as store:
                    if asked is None or store.catalog.embedding_identity == recorded:
                        return self._searching.search(store, query, scope_id, asked)
            with self._pool.lend() as store:
                return self._searching.search(store, query, scope_id, None)
        except IndexMissingError:
            return self._searching.unsearched(query, scope_id, VerdictReason.NO_INDEX)

    def ground(self, question: str, *, scope_id: str | None = None) -> Grounds:
        """What a question may be answered from, or why it may not be; no model is called.

        Raises:
            as `search`.
        """
        return ground(question, partial(self.search, limit=_MOST_SOURCES, scope_id=scope_id))

    # ── documents and the ledger ─────────────────────────────────────────────

    def document(
        self, document_id: str, *, start: int = 0, max_chars: int | None = None
    ) -> StoredDocument:
        """A document's indexed text from `start` on, at most `max_chars` of it.

        Raises:
            DocumentNotFoundError: no such document is visible, or no text of it was indexed.
            QueryError: a negative start, or nothing asked for.
            IndexMissingError: there is no index.
        """
        if start < 0 or (max_chars is not None and max_chars < 1):
            raise QueryError(
                f"start is {start} and max_chars {max_chars}",
                hint="start counts from 0, and max_chars from 1",
            )
        with self._pool.lend() as store:
            return stored_document(store, document_id, self._visible, start, max_chars)

    def verify_quote(self, document_id: str, quote: str) -> QuoteCheck:
        """Whether a document holds a quote, and where.

        Raises:
            QueryError: the quote is empty or too long.
            DocumentNotFoundError: no such document is visible, or no text of it was indexed.
            IndexMissingError: there is no index.
        """
        checked = checked_quote(quote)
        with self._pool.lend() as store:
            return check_quote(store, document_id, checked, self._visible)

    def document_metadata(self, document_id: str) -> FileRecord:
        """What the ledger knows of a file.

        Raises:
            DocumentNotFoundError: no such file is visible.
            IndexMissingError: there is no index.
        """
        with self._pool.lend() as store:
            return known_record(store, document_id, self._visible)

    def list_documents(
        self,
        *,
        folder_id: str | None = None,
        state: FileState | None = None,
        query: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> LedgerPage:
        """A page of the ledger; `query` is part of a path, `cursor` is the page before's.

        Raises:
            DocumentNotFoundError: no such folder is visible.
            QueryError: the cursor or the limit is not one.
            IndexMissingError: there is no index.
        """
        checked_limit(limit, MAX_PAGE)
        with self._pool.lend() as store:
            if folder_id and store.ledger.resolve_scope(folder_id, self._visible) is None:
                raise DocumentNotFoundError(
                    f"no folder with the id {folder_id[:200]!r} is in the index",
                    hint="leave out folder_id to list everything",
                )
            return store.ledger.page(
                self._visible,
                folder_id=folder_id or None,
                state=state,
                query=query,
                cursor=cursor,
                limit=limit,
            )

    def status(self) -> IndexStatus:
        """What the index holds, what made it, and what to beware of.

        Raises:
            IndexMissingError: there is no index.
        """
        with self._pool.lend() as store:
            status = store.catalog.status(self._visible)
        return replace(status, warnings=status_warnings(status, self._clock()))

    def export(
        self, *, chunks: bool = False
    ) -> Iterator[tuple[FileRecord, list[tuple[int, Passage]] | None]]:
        """Every file of the ledger, from one snapshot; with its chunks where they are asked for.

        Raises:
            IndexMissingError: there is no index.
        """
        with self._pool.lend() as store:
            for record in store.ledger.all(self._visible):
                found = list(store.catalog.chunks(record.id, self._visible)) if chunks else None
                yield record, found
