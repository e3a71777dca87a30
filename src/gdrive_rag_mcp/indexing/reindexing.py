"""Changing the embedder of an index while it is searched: all new vectors first, then one flip.

What has been embedded is kept batch by batch, so a run that ends early changes nothing for those
who search, and the next one goes on where it left off.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from gdrive_rag_mcp.domain import EVERYTHING, Forecast, ReindexReport
from gdrive_rag_mcp.errors import EmbeddingError
from gdrive_rag_mcp.indexing.embedding_run import EmbeddingRun, Terms
from gdrive_rag_mcp.indexing.forecasting import tokens_ahead
from gdrive_rag_mcp.protocols import Embedder
from gdrive_rag_mcp.store import UNUSED_VECTORS_KEPT, Store

REFUSED_SHARE = 0.01
"""Of all chunks, how many an embedder may refuse before a person has to agree to the change."""


@dataclass(frozen=True)
class Reindexing:
    """A change of the embedder; whoever runs it holds the writer's lock.

    A text that the new embedder does not take has no vector after the change, as after a sync: it
    is found by its words, counted as waiting, and tried again by the next sync. Where that would be
    more than a few, nothing is changed unless `without_refused` says to. `unused_kept` is how long
    the former vectors are kept, so that going back costs nothing.
    """

    store: Store
    embedder: Embedder
    terms: Terms
    without_refused: bool = False
    unused_kept: timedelta = UNUSED_VECTORS_KEPT

    def forecast(self) -> Forecast | None:
        """What there is to embed; None where every text has its vector. Nothing is written."""
        pace = self.store.catalog.embedding_paces.get(self.embedder.identity.fingerprint)
        with self.store.rehearsal():
            unembedded = self.store.building(self.embedder.identity)
            outlook = unembedded.outlook()
            if not outlook.texts:
                return None
            return Forecast(
                chunks=outlook.texts,
                tokens=tokens_ahead(unembedded, outlook),
                calls=self.embedder.calls(outlook.texts, outlook.characters),
                seconds=outlook.characters / pace if pace else None,
            )

    def run(self, now: datetime) -> ReindexReport:
        """Make all vectors, as far as the budget goes, and search by them once all are there.

        Raises:
            EmbedderUnavailableError: the embedder cannot be had; the index is as it was.
            EmbeddingError: it refuses too many texts; the index is as it was.
        """
        former, identity = self.store.catalog.embedding_identity, self.embedder.identity
        building = self.store.building(identity)
        with EmbeddingRun(self.store, building, self.embedder, self.terms) as embedding:
            embedding.finish()
        self._require_vectors(embedding)
        if not embedding.budget_reached:
            self.store.flip(identity)
            self.store.tidy(now, unused_kept=self.unused_kept)
        return ReindexReport(
            former,
            identity,
            embedding.embedded,
            flipped=not embedding.budget_reached,
            reused=embedding.reused,
            waiting=embedding.waiting,
            forecast=embedding.forecast,
            warnings=embedding.warnings,
        )

    def _require_vectors(self, embedding: EmbeddingRun) -> None:
        """See that the embedder was there to the end, and took nearly all that it was given."""
        if embedding.problem is None:
            return
        if embedding.out_of_reach:
            raise embedding.problem
        chunks = self.store.catalog.status(EVERYTHING).chunks
        if not self.without_refused and embedding.refused > REFUSED_SHARE * chunks:
            raise EmbeddingError(
                f"{self.embedder.identity.model} refuses the text of {embedding.refused} of "
                f"{chunks} chunks: {embedding.problem.message}; search goes on with the former "
                "vectors",
                hint="run it again with --without-refused to change all the same: those chunks are "
                "then found by their words alone, and tried again by every sync",
            )
