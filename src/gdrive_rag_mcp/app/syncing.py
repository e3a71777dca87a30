"""The use cases of writing: making an index, bringing it up to date, changing its embedder."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Protocol, runtime_checkable

from gdrive_rag_mcp.app.checked_source import CheckedSource
from gdrive_rag_mcp.app.rehearsing import index_to_rehearse_on
from gdrive_rag_mcp.calibrating.run import Calibrating
from gdrive_rag_mcp.domain import EmbeddingIdentity, ReindexReport, SyncPlan, SyncReport
from gdrive_rag_mcp.errors import IndexMissingError, IndexOutdatedError
from gdrive_rag_mcp.extraction import EXTRACTION_VERSION, is_supported
from gdrive_rag_mcp.indexing.courtesy import Courtesy
from gdrive_rag_mcp.indexing.embedding_run import Foretell, Terms
from gdrive_rag_mcp.indexing.lock import writer_lock
from gdrive_rag_mcp.indexing.progress import Progress
from gdrive_rag_mcp.indexing.reindexing import Reindexing
from gdrive_rag_mcp.indexing.sync import Synchroniser, SyncOptions
from gdrive_rag_mcp.protocols import Chunker, Embedder, Extractor, Source
from gdrive_rag_mcp.store import UNUSED_VECTORS_KEPT, Store
from gdrive_rag_mcp.store.activity import Activity
from gdrive_rag_mcp.store.location import is_there

MakeEmbedder = Callable[[EmbeddingIdentity | None], Embedder | None]


def create_index(path: Path) -> None:
    """Make an empty index, or bring the schema of one that is there up to date.

    Raises:
        IndexLockedError: another process is writing it.
        StoreError: the file cannot be written, or is no index.
    """
    with writer_lock(path):
        Store.open_for_writing(path).close()


@runtime_checkable
class Sharable(Protocol):
    """A source that sees only what was shared with it; `share` says what to do about it."""

    @property
    def share(self) -> str: ...


def sync_index(  # noqa: PLR0913 - each part of a sync, once
    path: Path,
    *,
    source: Source,
    extractor: Extractor,
    chunker: Chunker,
    embedder: MakeEmbedder,
    options: SyncOptions,
    progress: Progress,
    readers: int = 1,
    ocr: str = "",
    foretell: Foretell = lambda _: None,
) -> SyncReport:
    """Bring an index up to date; `embedder` is asked for one that goes with what the index holds.

    `readers` files are fetched at once; more than one only of a source that threads may share.
    `ocr` names how the extractor recognises text; what it matters to is read again for another.
    `foretell` is told what there is to embed, where that is news or takes long.

    Raises:
        IndexLockedError: another process is writing it.
        SourceError, StoreError, SettingsError: as `Synchroniser.run`.
    """
    asked = source
    if not is_there(path):  # where anything refuses, not even an empty index is left behind
        source = CheckedSource(source)
        embedder = _made_at_once(embedder)
    with writer_lock(path), Store.open_for_writing(path) as store:
        made = embedder(store.catalog.recorded_embedding)
        report = Synchroniser(
            store=store,
            source=source,
            extractor=extractor,
            chunker=chunker,
            embedder=made,
            supported=is_supported,
            extraction=EXTRACTION_VERSION,
            progress=progress,
            readers=readers,
            ocr=ocr,
            foretell=foretell,
        ).run(options)
        report = _calibrated(store, made, report, options, progress)
    if report.coverage.in_scope or not report.complete:
        return report
    return replace(report, warnings=(*report.warnings, _nothing_in_scope(asked)))


def _calibrated(
    store: Store,
    embedder: Embedder | None,
    report: SyncReport,
    options: SyncOptions,
    progress: Progress,
) -> SyncReport:
    """The report of a sync after which the index has learnt of itself what the verdict needs."""
    budget = options.max_embeddings
    if budget is not None:
        budget = max(0, budget - report.embedded_chunks - report.embedded_again)
    done = _calibrating(store, embedder, budget, progress).run()
    return replace(report, probes_asked=done.asked, probes_embedded=done.embedded)


def _calibrating(
    store: Store, embedder: Embedder | None, budget: int | None, progress: Progress
) -> Calibrating:
    courtesy = Courtesy(Activity(store.path).recent)
    return Calibrating(store, embedder, budget, progress, courtesy.step)


def _made_at_once(embedder: MakeEmbedder) -> MakeEmbedder:
    """What hands out the embedder of a new index, which is made, and knows itself, by now."""
    made = embedder(None)
    if made is not None:
        _ = made.identity  # a server may have to be asked for it, and not answer
    return lambda recorded: made if recorded is None else embedder(recorded)


def _nothing_in_scope(source: Source) -> str:
    remedy = source.share if isinstance(source, Sharable) else "put documents into it"
    return f"nothing_in_scope: there is no file in {source.root}; {remedy}"


def plan_sync(  # noqa: PLR0913 - each part of a sync, once
    path: Path,
    *,
    source: Source,
    extractor: Extractor,
    chunker: Chunker,
    embedder: MakeEmbedder,
    options: SyncOptions,
    progress: Progress,
    ocr: str = "",
) -> SyncPlan:
    """Find out what a sync would do, and write nothing; no content is fetched.

    Where there is no index yet, or an older version's, the plan is made over another elsewhere.

    Raises:
        IndexLockedError: another process is writing it.
        SourceError, StoreError, SettingsError: as `Synchroniser.plan`.
    """
    with (
        index_to_rehearse_on(path) as index,
        writer_lock(index),
        Store.open_for_writing(index) as store,
    ):
        return Synchroniser(
            store=store,
            source=source,
            extractor=extractor,
            chunker=chunker,
            embedder=embedder(store.catalog.recorded_embedding),
            supported=is_supported,
            extraction=EXTRACTION_VERSION,
            progress=progress,
            ocr=ocr,
        ).plan(options)


def recorded_embedder(path: Path) -> EmbeddingIdentity | None:
    """What an index was made with, which may be `none`; None where it is new or not there."""
    try:
        with Store.open_for_reading(path) as store:
            return store.catalog.recorded_embedding
    except (IndexMissingError, IndexOutdatedError):
        return None


def plan_change(path: Path, embedder: Embedder) -> ReindexReport:
    """Find out what changing the embedder would take; nothing is written or embedded.

    Raises:
        IndexMissingError: there is no index.
        IndexLockedError: another process is writing it.
    """
    _require_index(path)
    with (
        index_to_rehearse_on(path) as index,
        writer_lock(index),
        Store.open_for_writing(index) as store,
    ):
        former = store.catalog.embedding_identity
        if _same(former, embedder.identity):
            return ReindexReport(former, embedder.identity, 0)
        forecast = Reindexing(store, embedder, Terms()).forecast()
        return ReindexReport(former, embedder.identity, 0, flipped=False, forecast=forecast)


def change_embedder(
    path: Path,
    embedder: Embedder,
    terms: Terms,
    *,
    without_refused: bool = False,
    forget_former: bool = False,
) -> ReindexReport:
    """Embed everything anew with another embedder while the index is searched.

    Where `terms` allow less than it takes, what was made is kept, and the next run goes on; until
    then search goes by the former vectors. `without_refused`: change to it however many texts it
    does not take. `forget_former`: give the room of all vectors that are not searched by back.
    With the embedder that the index has, a change that had begun to another is given up.

    Raises:
        IndexMissingError: there is no index.
        IndexLockedError: another process is writing it.
        EmbeddingError: the embedder failed; the index is as it was.
    """
    kept = timedelta(0) if forget_former else UNUSED_VECTORS_KEPT
    with _index_to_change(path) as store:
        former = store.catalog.embedding_identity
        if _same(former, embedder.identity):
            store.abandon()
            store.tidy(datetime.now(UTC), unused_kept=kept)
            return ReindexReport(former, embedder.identity, 0)
        courtesy = terms.courtesy or Courtesy(Activity(path).recent)
        terms = replace(terms, courtesy=courtesy)
        change = Reindexing(store, embedder, terms, without_refused, kept)
        report = change.run(datetime.now(UTC))
        if report.flipped:
            left = None if terms.budget is None else max(0, terms.budget - report.embedded)
            _calibrating(store, embedder, left, terms.progress).run()
        return report


def _same(former: EmbeddingIdentity | None, current: EmbeddingIdentity) -> bool:
    return former is not None and former.fingerprint == current.fingerprint


@contextmanager
def _index_to_change(path: Path) -> Iterator[Store]:
    _require_index(path)
    with writer_lock(path), Store.open_for_writing(path) as store:
        yield store


def _require_index(path: Path) -> None:
    if not is_there(path):
        raise IndexMissingError(f"there is no index at {path}", hint="run `gdrive-rag-mcp sync`")
