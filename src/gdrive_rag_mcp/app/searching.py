"""One search over an open index, and the verdict where there is nothing to be searched."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from gdrive_rag_mcp.app.beside import with_neighbours
from gdrive_rag_mcp.app.index_warnings import outdated_documents, scope_warnings
from gdrive_rag_mcp.domain import (
    Coverage,
    Evidence,
    Mode,
    Query,
    Retrieved,
    Scope,
    SearchOutcome,
    VerdictReason,
)
from gdrive_rag_mcp.evidence.calibrated import rarity_in
from gdrive_rag_mcp.evidence.verdict import DEFAULT_THRESHOLD, judge
from gdrive_rag_mcp.protocols import Embedder
from gdrive_rag_mcp.retrieval.retriever import EMBEDDER_UNAVAILABLE, Retriever
from gdrive_rag_mcp.retrieval.thesaurus import Thesaurus
from gdrive_rag_mcp.store import Store


@dataclass(frozen=True, slots=True)
class Searching:
    """How an index is searched, whichever connection to it is lent."""

    mode: Mode
    threshold: float | None
    visible: Scope
    thesaurus: Thesaurus
    clock: Callable[[], datetime]

    def without_searching(
        self, store: Store, query: Query, scope_id: str | None
    ) -> SearchOutcome | None:
        """The verdict where there is nothing to be searched; None where there is."""
        scope, last_sync = self._scope(store, scope_id), store.catalog.last_sync
        if scope is None:
            unknown = VerdictReason.SCOPE_UNKNOWN
            return self.unsearched(query, scope_id, unknown, Coverage({}, {}), last_sync)
        if store.ledger.holds_text(scope):
            return None
        coverage, empty = store.ledger.coverage(scope), VerdictReason.SCOPE_EMPTY
        return self.unsearched(query, scope_id, empty, coverage, last_sync)

    def search(
        self, store: Store, query: Query, scope_id: str | None, asked: Embedder | None
    ) -> SearchOutcome:
        """Find passages and judge them; without `asked`, an embedder, by words alone.

        Raises:
            ReindexRequiredError: the index was made with another embedder.
        """
        unsearched = self.without_searching(store, query, scope_id)
        scope = self._scope(store, scope_id)
        if unsearched is not None or scope is None:  # a sync may have taken it out meanwhile
            return unsearched or self.unsearched(query, scope_id, VerdictReason.SCOPE_UNKNOWN)
        if asked is not None:
            store.catalog.require_same_embedding(asked.identity)
        coverage, last_sync = store.ledger.coverage(scope), store.catalog.last_sync
        calibration = store.calibration.get()
        retriever = Retriever(
            store.index,
            asked,
            self.mode,
            thesaurus=self.thesaurus,
            rarity=rarity_in(calibration),
        )
        retrieved = retriever.retrieve(replace(query, scope=scope))
        # Judging looks at more hits than were asked for.
        shown = with_neighbours(store, retrieved.hits[: query.limit], query.neighbours)
        return SearchOutcome(
            question=query.text,
            scope_id=scope_id,
            mode=retrieved.mode,
            evidence=judge(retrieved, calibration, self.threshold),
            coverage=coverage,
            last_sync=last_sync,
            warnings=self._warnings(retrieved, coverage, last_sync),
            retrieved=replace(retrieved, hits=shown),
            outdated=outdated_documents(store.ledger, scope, shown),
        )

    def unsearched(
        self,
        query: Query,
        scope_id: str | None,
        reason: VerdictReason,
        coverage: Coverage | None = None,
        last_sync: datetime | None = None,
    ) -> SearchOutcome:
        """The verdict before any retriever ran; without an index there is no coverage."""
        beware = () if coverage is None else scope_warnings(coverage, last_sync, self.clock())
        threshold = DEFAULT_THRESHOLD if self.threshold is None else self.threshold
        return SearchOutcome(
            question=query.text,
            scope_id=scope_id,
            mode=self.mode,
            evidence=Evidence(sufficient=False, reason=reason, confidence=0.0, threshold=threshold),
            coverage=coverage or Coverage({}, {}),
            last_sync=last_sync,
            warnings=beware,
        )

    def _scope(self, store: Store, scope_id: str | None) -> Scope | None:
        if scope_id is None:
            return self.visible
        return store.ledger.resolve_scope(scope_id, self.visible)

    def _warnings(
        self, retrieved: Retrieved, coverage: Coverage, last_sync: datetime | None
    ) -> tuple[str, ...]:
        fell_back = retrieved.mode is Mode.KEYWORD and self.mode is not Mode.KEYWORD
        warnings = (
            *retrieved.warnings,
            *((EMBEDDER_UNAVAILABLE,) if fell_back else ()),
            *scope_warnings(coverage, last_sync, self.clock()),
        )
        return tuple(dict.fromkeys(warnings))
