"""Syncing for ever: what ends it, what does not, and how long it waits."""

import gc
import itertools
import statistics
import tracemalloc
import weakref
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from gdrive_rag_mcp.app.syncing import sync_index
from gdrive_rag_mcp.app.watching import LONGEST_PAUSE, Watch
from gdrive_rag_mcp.domain import Coverage, FileState, SyncReport, SyncRound
from gdrive_rag_mcp.errors import (
    DiskFullError,
    EmbedderUnavailableError,
    GdriveRagError,
    IndexCorruptError,
    IndexLockedError,
    IndexReadOnlyError,
    ReindexRequiredError,
    SchemaTooNewError,
    SettingsError,
    SourceAuthError,
    SourceUnavailableError,
)
from gdrive_rag_mcp.indexing.lock import writer_lock
from gdrive_rag_mcp.indexing.sync import SyncOptions
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder
from gdrive_rag_mcp.testing.memory_source import InMemorySource
from tests.indexing.desk import AParagraphAChunk, Paragraphs

EVERY = 60.0


@pytest.fixture(autouse=True)
def quick_collection() -> Iterator[None]:
    """The watch collects garbage in every round: what the whole suite has loaded is left out."""
    gc.freeze()
    yield
    gc.unfreeze()


def report(*, complete: bool = True, pending: int = 0) -> SyncReport:
    coverage = Coverage({FileState.INDEXED: 1, FileState.PENDING: pending}, {})
    return SyncReport(
        added=0,
        updated=0,
        unchanged=1,
        moved=0,
        removed=0,
        held=0,
        embedded_chunks=0,
        reused_chunks=0,
        pending_vectors=0,
        api_calls=0,
        downloads=0,
        seconds=0.1,
        complete=complete,
        coverage=coverage,
    )


class Over(Exception):  # noqa: N818 - no error, but the end of a script
    """The rounds of a test are over."""


@dataclass
class Script:
    """Rounds that end as they are told to; takes down what was told, and how long was waited."""

    endings: Iterable[SyncReport | GdriveRagError]
    options: list[SyncOptions] = field(default_factory=list)
    told: list[SyncRound] = field(default_factory=list)
    waited: list[float] = field(default_factory=list)

    def sync(self, options: SyncOptions) -> SyncReport:
        self.options.append(options)
        for ending in self.endings:
            if isinstance(ending, GdriveRagError):
                raise ending
            return ending
        raise Over

    def run(self, options: SyncOptions | None = None, every: float = EVERY) -> None:
        self.endings = iter(self.endings)
        watch = Watch(self.sync, every, self.told.append, wait=self.waited.append)
        with pytest.raises(Over):
            watch.run(options or SyncOptions())


TRANSIENT = [
    SourceUnavailableError("no route", hint="wait"),
    SourceAuthError("revoked", hint="ask anew"),
    EmbedderUnavailableError("down", hint="start it"),
    DiskFullError("no room", hint="make some"),
]


@pytest.mark.parametrize("error", TRANSIENT, ids=lambda error: type(error).__name__)
def test_what_passes_is_survived_and_told_with_its_remedy(error: GdriveRagError) -> None:
    script = Script([error, report(), error, report()])
    script.run()

    failed, done, *_ = script.told
    assert (failed.code, failed.problem, failed.remedy) == (error.code, error.message, error.hint)
    assert failed.report is None
    assert done.report == report()
    assert len(script.told) == 4


@pytest.mark.parametrize(
    "kind",
    [
        SettingsError,
        ReindexRequiredError,
        IndexCorruptError,
        IndexReadOnlyError,
        SchemaTooNewError,
    ],
)
def test_what_no_waiting_will_change_ends_it(kind: type[GdriveRagError]) -> None:
    script = Script([report(), kind("for good")])
    watch = Watch(script.sync, EVERY, script.told.append, wait=script.waited.append)
    script.endings = iter(script.endings)

    with pytest.raises(kind, match="for good"):
        watch.run(SyncOptions())
    assert len(script.told) == 1


def test_the_pause_doubles_up_to_an_hour_and_is_reset_by_success() -> None:
    error = SourceUnavailableError("no route")
    script = Script([report(), *[error] * 9, report(), error, error])
    script.run()

    assert script.waited == [
        *(60, 60, 120, 240, 480, 960, 1920, LONGEST_PAUSE, LONGEST_PAUSE, LONGEST_PAUSE),
        *(60, 60, 120),
    ]
    assert [done.next_in for done in script.told] == script.waited


def test_a_pause_longer_than_an_hour_is_kept_as_it_is() -> None:
    script = Script([SourceUnavailableError("no route")] * 3)
    script.run(every=7200.0)

    assert script.waited == [7200.0] * 3


def test_a_thousand_failures_are_no_overflow() -> None:
    script = Script([SourceUnavailableError("no route")] * 1100)
    script.run(every=1.0)

    assert script.waited[-1] == LONGEST_PAUSE


def test_a_round_that_another_writer_keeps_out_is_skipped_without_a_longer_pause() -> None:
    locked = IndexLockedError("another process (pid 7) is writing")
    script = Script([locked, locked, locked, report()])
    script.run()

    assert [done.skipped for done in script.told] == [True, True, True, False]
    assert script.waited == [EVERY] * 4


@pytest.mark.parametrize("broken_off", [report(complete=False), report(pending=3)])
def test_a_source_that_gave_out_on_the_way_is_left_alone_longer_and_longer(
    broken_off: SyncReport,
) -> None:
    script = Script([broken_off] * 3)
    script.run()

    assert script.waited == [60, 120, 240]


def test_full_holds_until_a_round_has_done_it() -> None:
    script = Script([SourceUnavailableError("no route"), report(), report()])
    script.run(SyncOptions(full=True))

    assert [options.full for options in script.options] == [True, True, False, False]


def test_stopped_in_a_round_it_does_not_begin_another_or_wait() -> None:
    script = Script(itertools.repeat(report()))
    stopped: list[bool] = []

    def sync(options: SyncOptions) -> SyncReport:
        if len(script.options) == 2:
            stopped.append(True)
        return script.sync(options)

    Watch(sync, EVERY, script.told.append, wait=script.waited.append).run(
        SyncOptions(), stopped=lambda: bool(stopped)
    )

    assert (len(script.options), len(script.told), len(script.waited)) == (3, 2, 2)


def real_sync(index: Path, source: InMemorySource) -> Callable[[SyncOptions], SyncReport]:
    def sync(options: SyncOptions) -> SyncReport:
        return sync_index(
            index,
            source=source,
            extractor=Paragraphs(),
            chunker=AParagraphAChunk(),
            embedder=lambda _: HashingEmbedder(64),
            options=options,
            progress=lambda *_: None,
        )

    return sync


def test_between_the_rounds_others_may_write(tmp_path: Path) -> None:
    index, source = tmp_path / "index.db", InMemorySource()
    source.add_file("a.md", "sabbatical")
    taken: list[SyncRound] = []

    def wait(_seconds: float) -> None:
        with writer_lock(index):
            if len(taken) == 3:
                raise Over

    with pytest.raises(Over):
        Watch(real_sync(index, source), EVERY, taken.append, wait=wait).run(SyncOptions())
    assert [done.report is not None for done in taken] == [True, True, True]


def test_what_a_round_made_in_circles_is_gone_before_the_pause() -> None:
    class Client:
        def __init__(self) -> None:
            self.itself = self

    made: list[weakref.ref[Client]] = []

    def sync(_options: SyncOptions) -> SyncReport:
        made.append(weakref.ref(Client()))
        return report()

    def wait(_seconds: float) -> None:
        assert made[-1]() is None
        if len(made) == 3:
            raise Over

    gc.disable()
    try:
        with pytest.raises(Over):
            Watch(sync, EVERY, lambda _: None, wait=wait).run(SyncOptions())
    finally:
        gc.enable()


def test_memory_does_not_grow_with_the_rounds(tmp_path: Path) -> None:
    index, source = tmp_path / "index.db", InMemorySource()
    files = [source.add_file(f"{number}.md", f"sabbatical {number}") for number in range(20)]
    sizes: list[int] = []

    def tell(done: SyncRound) -> None:
        assert done.report is not None
        source.edit(files[len(sizes) % 20], f"sabbatical, edition {len(sizes)}")
        gc.collect()
        sizes.append(tracemalloc.get_traced_memory()[0])
        if len(sizes) == 61:
            raise Over

    tracemalloc.start()
    try:
        with pytest.raises(Over):
            Watch(real_sync(index, source), EVERY, tell, wait=lambda _: None).run(SyncOptions())
    finally:
        tracemalloc.stop()

    kept = [later - earlier for earlier, later in itertools.pairwise(sizes[10::10])]
    # The median: what the process loads once, in any round, is not what a round keeps.
    assert statistics.median(kept) < 10_000, "ten rounds keep nothing"
