"""Bringing the index up to date: list, strike what has gone, read what is new, embed.

The listing goes into the ledger first, so that the ledger, not the source, owns every file from
then on; each file is then one transaction. A run that is killed loses at most the step it was in.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from gdrive_rag_mcp.domain import (
    EVERYTHING,
    Extraction,
    FileState,
    Forecast,
    SyncPlan,
    SyncReport,
)
from gdrive_rag_mcp.errors import RootUnavailableError, SettingsError
from gdrive_rag_mcp.indexing.content import ContentReader, Tools
from gdrive_rag_mcp.indexing.courtesy import Courtesy
from gdrive_rag_mcp.indexing.embedding_run import EmbeddingRun, Foretell, Terms
from gdrive_rag_mcp.indexing.forecasting import both, estimated
from gdrive_rag_mcp.indexing.listing import News
from gdrive_rag_mcp.indexing.progress import Progress
from gdrive_rag_mcp.indexing.token_run import Completed, complete_tokens, texts_without_tokens
from gdrive_rag_mcp.protocols import Chunker, Embedder, Extractor, Source
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.store.activity import Activity

__all__ = ["SyncOptions", "Synchroniser"]

_A_MINUTE = 60.0


@dataclass(frozen=True, slots=True)
class SyncOptions:
    """`full` lists everything, and looks again at what was refused or failed, rested or not.

    `max_embeddings` is how many texts are embedded at most; the rest waits for the next run.
    """

    full: bool = False
    allow_mass_delete: bool = False
    max_embeddings: int | None = None


@dataclass(frozen=True)
class Synchroniser:
    """The write path over one index; whoever runs it holds the writer's lock."""

    store: Store
    source: Source
    extractor: Extractor
    chunker: Chunker
    embedder: Embedder | None
    supported: Callable[[str], bool]
    extraction: str
    """Names the state of extraction: when it changes, every file is read again."""
    ocr: str = field(default="", kw_only=True)
    """Names how text is recognised: for another, the files are read again that it matters to."""
    progress: Progress = field(default=lambda *_: None)
    clock: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))
    readers: int = 1
    """How many files are fetched at the same time."""
    foretell: Foretell = field(default=lambda _: None)
    """Told what there is to embed, where it is the first time, or takes more than a minute."""

    @property
    def _extraction(self) -> Extraction:
        return Extraction(self.extraction, self.ocr)

    def run(self, options: SyncOptions) -> SyncReport:
        """Bring the index up to date once.

        Raises:
            SourceAuthError: the credentials are missing or refused; nothing was concluded.
            RootUnavailableError: the root cannot be read; all stays as it was, and is listed anew
                when the root is back, as no log tells what happened meanwhile.
            SourceUnavailableError: the source cannot be reached; nothing was changed.
            ReindexRequiredError: the index holds another embedder's vectors.
            SettingsError: the index belongs to another root and `full` was not asked for.
        """
        try:
            return self._brought_up_to_date(options)
        except RootUnavailableError:
            with self.store.transaction():
                self.store.catalog.root_was_lost = True
            raise

    def _brought_up_to_date(self, options: SyncOptions) -> SyncReport:
        started = time.monotonic()
        news = self._listed(options)
        news.strike()
        if self.store.catalog.last_sync is None and self.embedder is not None:
            estimate = self._estimated()
            if estimate is not None:
                self.foretell(estimate)
        courtesy = Courtesy(Activity(self.store.path).recent)
        terms = Terms(self.progress, options.max_embeddings, courtesy, self._foretelling())
        with EmbeddingRun(self.store, self.store.index, self.embedder, terms) as embedding:
            content = ContentReader(self.store, self._tools(courtesy), embedding)
            content.read_files(everything=options.full)
            content.cut_again()
            embedding.finish()
        tokens = complete_tokens(self.store, self.embedder, terms, embedding)
        return self._finish(news, content, embedding, tokens, started)

    def _foretelling(self) -> Foretell:
        first = self.store.catalog.last_sync is None

        def foretell(forecast: Forecast) -> None:
            if first or (forecast.seconds or 0.0) > _A_MINUTE:
                self.foretell(forecast)

        return foretell

    def plan(self, options: SyncOptions) -> SyncPlan:
        """Find out what `run` would do, and leave everything as it was.

        Raises:
            GdriveRagError: as `run`.
        """
        with self.store.rehearsal():
            news = self._listed(options)
            to_remove, to_hold = map(self.store.straying.paths, news.verdict())
            news.strike()
            plain, with_ocr = self._extraction.names
            self.store.queue.look_again(
                extraction=plain, with_ocr=with_ocr, everything=options.full
            )
            to_read, to_skip = self.store.queue.outlook(self.clock(), self.supported)
            changes = self.store.queue.changes()
            return SyncPlan(
                to_read=tuple(to_read),
                to_skip=tuple(to_skip),
                to_remove=tuple(to_remove),
                to_hold=tuple(to_hold),
                moved=changes.get("moved", 0),
                unchanged=changes.get("", 0),
                in_scope=self.store.ledger.coverage(EVERYTHING).in_scope,
                complete=news.settled,
                warnings=tuple(news.warnings),
                forecast=self._estimated(),
            )

    def _estimated(self) -> Forecast | None:
        """What the files to read would bring to embed, with what waits for a vector anyhow."""
        catalog, embedder = self.store.catalog, self.embedder
        wanted = [
            item.file
            for item in self.store.queue.work(self.clock())
            if item.file.obstacle is None and self.supported(item.file.mime_type)
        ]
        paces = catalog.embedding_paces
        pace = paces.get(embedder.identity.fingerprint) if embedder else None
        again = texts_without_tokens(self.store, embedder)
        waiting = self.store.index.outlook() + again
        forecast = estimated(wanted, catalog.text_yields(), waiting, embedder, pace)
        return forecast and replace(forecast, again=again.texts)

    def _listed(self, options: SyncOptions) -> News:
        replaces = self._accept(options)
        may_empty = replaces or options.allow_mass_delete
        news = News(self.store, self.source, self.progress, self.clock, may_empty=may_empty)
        news.take(anew=options.full)
        return news

    def _tools(self, courtesy: Courtesy) -> Tools:
        return Tools(
            self.source,
            self.extractor,
            self.chunker,
            self.supported,
            self._extraction,
            self.progress,
            self.clock,
            self.readers,
            courtesy,
        )

    def _accept(self, options: SyncOptions) -> bool:
        """See that this source and embedder may write the index; true if the root is another."""
        catalog = self.store.catalog
        other_root = catalog.root not in (None, self.source.root)
        if other_root and not options.full:
            raise SettingsError(
                f"the index holds {catalog.root}, but {self.source.root} is to be synced",
                hint="name another index with --db or a profile, or run `sync --full` to replace "
                "what it holds",
            )
        identity = self.embedder.identity if self.embedder else None
        catalog.require_same_embedding(identity)
        self.source.check()
        with self.store.transaction():
            catalog.accept_embedding(identity)
            catalog.root = self.source.root
            if other_root:
                self.store.inventory.forget_versions()
                catalog.cursor = None  # it says how far the former root's news were heard
        return other_root

    def _finish(
        self,
        news: News,
        content: ContentReader,
        embedding: EmbeddingRun,
        tokens: Completed,
        started: float,
    ) -> SyncReport:
        """Note the time of a complete run, tidy up, and report."""
        now = self.clock()
        with self.store.transaction():
            self.store.catalog.chunking_identity = self.chunker.identity
            if news.settled:
                self.store.catalog.last_sync = now
        self.store.tidy(now)
        coverage = self.store.ledger.coverage(EVERYTHING)
        changes = self.store.queue.changes()
        usage = self.source.usage
        return SyncReport(
            added=changes.get("added", 0),
            updated=changes.get("updated", 0),
            unchanged=changes.get("", 0),
            moved=changes.get("moved", 0),
            removed=news.removed,
            held=coverage.by_state.get(FileState.HELD, 0),
            embedded_chunks=embedding.embedded,
            reused_chunks=content.reused + embedding.reused,
            pending_vectors=embedding.waiting,
            api_calls=usage.api_calls,
            downloads=usage.downloads,
            seconds=time.monotonic() - started,
            complete=news.settled,
            coverage=coverage,
            warnings=(*news.warnings, *content.warnings, *embedding.warnings, *tokens.warnings),
            embedding_incomplete=embedding.incomplete or tokens.incomplete,
            forecast=both(embedding.forecast, tokens.forecast),
            embedded_again=tokens.texts,
            pending_token_vectors=tokens.waiting,
        )
