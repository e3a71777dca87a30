"""One run's embedding from beginning to end: tells what is ahead, and explains what was left."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Self

from gdrive_rag_mcp.domain import EmbeddingOutlook, Forecast
from gdrive_rag_mcp.errors import EmbedderUnavailableError, EmbeddingError
from gdrive_rag_mcp.indexing.courtesy import Courtesy
from gdrive_rag_mcp.indexing.forecasting import tokens_ahead
from gdrive_rag_mcp.indexing.progress import Progress
from gdrive_rag_mcp.indexing.vectorising import Unembedded, Vectoriser
from gdrive_rag_mcp.protocols import Embedder
from gdrive_rag_mcp.store import Store

Foretell = Callable[[Forecast], None]


@dataclass(frozen=True)
class Terms:
    """On what terms a run embeds: how many texts at most, and whom it tells what."""

    progress: Progress = lambda *_: None
    budget: int | None = None
    courtesy: Courtesy | None = None
    foretell: Foretell = lambda _: None


class EmbeddingRun:
    """Embeds what waits, beside whatever else the run does; nothing where there is no embedder."""

    def __init__(
        self, store: Store, unembedded: Unembedded, embedder: Embedder | None, terms: Terms
    ) -> None:
        self._store = store
        self._unembedded = unembedded
        self._embedder = embedder
        self._terms = terms
        self._vectoriser = None if embedder is None else self._made(embedder)
        self._characters = 0
        self._forecast: Forecast | None = None

    def _made(self, embedder: Embedder) -> Vectoriser:
        return Vectoriser(
            self._unembedded,
            embedder,
            self._terms.progress,
            budget=self._terms.budget,
            courtesy=self._terms.courtesy,
            noted_pace=self._store.catalog.embedding_paces.get(embedder.identity.fingerprint),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._vectoriser is not None:
            self._vectoriser.__exit__(kind, error, traceback)

    def expect(self, chunks: int) -> None:
        """Know that so many more chunks wait for a vector."""
        if self._vectoriser is not None:
            self._vectoriser.expect(chunks)

    @property
    def has_work(self) -> bool:
        """Whether `advance` would write or hand out anything."""
        return self._vectoriser is not None and self._vectoriser.has_work

    def advance(self) -> None:
        """Keep what has been made and hand out more, without waiting."""
        if self._vectoriser is not None:
            self._vectoriser.advance()

    def finish(self) -> None:
        """Embed what is left; what the run embeds is told once it is known how long it takes."""
        if self._vectoriser is None or self._embedder is None:
            return
        self._foresee(self._vectoriser, self._embedder)
        told = self._foretell()
        while self._vectoriser.turn():
            told = told or self._foretell()
        if not told and self.waiting:
            self._foretell(at_last=True)
        if pace := self._vectoriser.pace.measured:
            with self._store.transaction():
                mark = self._embedder.identity.fingerprint
                self._store.catalog.note_embedding_pace(mark, pace)

    def _foresee(self, vectoriser: Vectoriser, embedder: Embedder) -> None:
        """Know what the run embeds in all: what it has embedded by now, and what waits."""
        done, ahead = vectoriser.done, EmbeddingOutlook(0, 0)
        if self.waiting:
            ahead = self._unembedded.outlook()
        texts, self._characters = done.texts + ahead.texts, done.characters + ahead.characters
        if texts:
            self._forecast = Forecast(
                chunks=texts,
                tokens=vectoriser.tokens + tokens_ahead(self._unembedded, ahead),
                calls=embedder.calls(texts, self._characters),
                seconds=None,
            )

    @property
    def forecast(self) -> Forecast | None:
        """What the run embeds in all; None before that is known, or where it is nothing."""
        if self._forecast is None or self._vectoriser is None:
            return None
        pace = self._vectoriser.pace.characters_per_second
        return replace(self._forecast, seconds=self._characters / pace if pace else None)

    def _foretell(self, *, at_last: bool = False) -> bool:
        """Tell what there is to embed; false as long as it is not known how long that takes."""
        forecast = self.forecast
        if forecast is None or (forecast.seconds is None and not at_last):
            return False
        self._terms.foretell(forecast)
        return True

    # ── what came of it ──────────────────────────────────────────────────────

    @property
    def embedded(self) -> int:
        """Distinct texts that were embedded."""
        return self._vectoriser.embedded if self._vectoriser else 0

    @property
    def reused(self) -> int:
        """Chunks that got the vector of a text that was embedded before, or for another chunk."""
        return self._vectoriser.reused if self._vectoriser else 0

    @property
    def refused(self) -> int:
        """Chunks whose text the embedder does not take."""
        return self._vectoriser.refused if self._vectoriser else 0

    @property
    def waiting(self) -> int:
        """Chunks that have no vector yet."""
        return self._unembedded.waiting()

    @property
    def problem(self) -> EmbeddingError | None:
        """Why not all was embedded, where that is the embedder's doing."""
        return self._vectoriser.problem if self._vectoriser else None

    @property
    def out_of_reach(self) -> bool:
        """Whether the embedder cannot be had any more."""
        return isinstance(self.problem, EmbedderUnavailableError)

    @property
    def budget_reached(self) -> bool:
        return self._vectoriser is not None and self._vectoriser.budget_reached

    @property
    def incomplete(self) -> bool:
        """Whether an embedder was there, but did not do all of it."""
        return self.problem is not None or self.budget_reached

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was left, and why."""
        waiting, said = self.waiting, []
        if self._embedder is None and waiting:
            said.append(
                f"keyword_only: no embedder, so {waiting} chunks are found by their words alone"
            )
        if self.problem is not None:
            refused = f"; texts refused: {self.refused}" if self.refused else ""
            said.append(f"embedding_incomplete: {self.problem}{refused}")
        if self.budget_reached:
            said.append(
                f"embedding_budget_reached: texts embedded: {self.embedded}, as many as "
                f"--max-embeddings allows; {waiting} chunks wait for a vector, and are found by "
                "their words alone until then; the next run goes on"
            )
        return tuple(said)
