"""A search says that it begins, and whoever writes the same index gives way to it."""

import os
import stat
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from gdrive_rag_mcp.app import Reader, StorePool
from gdrive_rag_mcp.app.syncing import change_embedder, sync_index
from gdrive_rag_mcp.domain import Document, Mode, SearchOutcome
from gdrive_rag_mcp.indexing.courtesy import Courtesy
from gdrive_rag_mcp.indexing.embedding_run import Terms
from gdrive_rag_mcp.indexing.sync import SyncOptions
from gdrive_rag_mcp.protocols import Embedder
from gdrive_rag_mcp.store.activity import ACTIVITY, Activity
from gdrive_rag_mcp.testing.memory_source import InMemorySource
from gdrive_rag_mcp.testing.sample_index import sample_index
from tests.indexing.desk import AParagraphAChunk, Paragraphs
from tests.indexing.embedders import Watching

FILES = 80
STEP = 0.25
"""Seconds that every step of the writer takes."""


@dataclass
class Moment:
    """What all clocks show, and the pauses that were made, by thread; nobody really waits."""

    now: float = 1_000.0
    worked: float = 0.0
    pauses: dict[int, list[float]] = field(default_factory=dict)

    def look(self) -> float:
        """Within a step of the writer the time is another than before it."""
        self.worked += STEP
        return self.worked

    def pause(self, seconds: float) -> None:
        self.pauses.setdefault(threading.get_ident(), []).append(seconds)

    @property
    def of_this_thread(self) -> list[float]:
        return self.pauses.get(threading.get_ident(), [])

    @property
    def of_other_threads(self) -> list[float]:
        here = threading.get_ident()
        return [one for thread, own in self.pauses.items() if thread != here for one in own]


@pytest.fixture
def moment(monkeypatch: pytest.MonkeyPatch) -> Moment:
    """Clocks that stand still for whoever makes his own: what is tested is who uses which."""
    moment = Moment()
    with_pause = Courtesy.with_pause
    monkeypatch.setattr(Activity.__init__, "__defaults__", (lambda: moment.now,))
    usual = {"clock": moment.look, "pause": moment.pause}
    monkeypatch.setattr(Courtesy.__init__, "__kwdefaults__", usual)
    monkeypatch.setattr(Courtesy, "with_pause", lambda own, _: with_pause(own, moment.pause))
    return moment


@pytest.fixture
def index(tmp_path: Path) -> Path:
    return tmp_path / "index.db"


def search(index: Path) -> SearchOutcome:
    """Search as another process does: in a thread, and over connections, of its own."""
    reader = Reader(StorePool(index), embedder=lambda: None, mode=Mode.KEYWORD)
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(reader.search, "sabbatical number3").result()


@pytest.fixture
def source() -> InMemorySource:
    source = InMemorySource()
    for number in range(FILES):
        source.add_file(f"{number}.md", f"sabbatical number{number}")
    return source


class Interrupted(Paragraphs):
    """Does something of somebody else's within the reading of certain files."""

    def __init__(self, within: dict[int, Callable[[], object]] | None = None) -> None:
        super().__init__()
        self._within = within or {}

    def extract(self, content: Path, mime_type: str) -> Document:
        document = super().extract(content, mime_type)
        self._within.get(self.extracted, lambda: None)()
        return document


def sync(
    index: Path,
    source: InMemorySource,
    extractor: Paragraphs | None = None,
    embedder: Embedder | None = None,
) -> None:
    sync_index(
        index,
        source=source,
        extractor=extractor or Paragraphs(),
        chunker=AParagraphAChunk(),
        embedder=lambda _: embedder,
        options=SyncOptions(),
        progress=lambda *_: None,
    )


# ── a search says that it begins ─────────────────────────────────────────────


def test_a_search_touches_a_file_beside_the_index_that_only_its_owner_may_read(
    index: Path, moment: Moment
) -> None:
    sample_index(index, None)
    file = index.with_name(index.name + ACTIVITY)
    file.unlink(missing_ok=True)

    search(index)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.stat().st_mtime == moment.now

    moment.now += 100
    search(index)
    assert file.stat().st_mtime == moment.now


def test_only_a_search_counts_as_one(index: Path) -> None:
    sample_index(index, None)
    reader = Reader(StorePool(index), embedder=lambda: None)
    reader.status()
    reader.list_documents()
    reader.document("leave")

    assert not index.with_name(index.name + ACTIVITY).exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_in_a_folder_that_may_not_be_written_a_search_is_answered_all_the_same(
    index: Path,
) -> None:
    sample_index(index, None)
    index.parent.chmod(0o500)
    try:
        outcome = search(index)
    finally:
        index.parent.chmod(0o700)

    assert outcome.coverage.searchable
    assert not index.with_name(index.name + ACTIVITY).exists()


def test_where_the_file_cannot_be_made_a_search_is_answered_all_the_same(index: Path) -> None:
    sample_index(index, None)
    index.with_name(index.name + ACTIVITY).symlink_to(index.parent / "elsewhere")

    assert search(index).coverage.searchable
    assert not (index.parent / "elsewhere").exists()


# ── a writer gives way ───────────────────────────────────────────────────────


@pytest.mark.parametrize(("ago", "gives_way"), [(0.9, True), (1.1, False)])
def test_a_sync_waits_before_each_file_and_batch_for_a_second_after_a_search(
    index: Path, source: InMemorySource, moment: Moment, ago: float, *, gives_way: bool
) -> None:
    embedder = Watching()
    sync(index, InMemorySource())
    search(index)
    moment.now += ago

    sync(index, source, embedder=embedder)

    assert len(moment.of_this_thread) == (FILES - 1 if gives_way else 0)
    assert len(moment.of_other_threads) == (len(embedder.batches) - 1 if gives_way else 0)
    assert len(embedder.batches) > 2


def test_a_sync_looks_for_searches_anew_before_each_file(
    index: Path, source: InMemorySource, moment: Moment
) -> None:
    def a_while_later() -> None:
        moment.now += 2

    sync(index, source, Interrupted({30: lambda: search(index), 40: a_while_later}))

    assert len(moment.of_this_thread) == 10
    assert moment.of_this_thread == pytest.approx([STEP] * 10), "as long as the file before took"


def test_a_reindex_looks_for_searches_anew_before_each_batch(
    index: Path, source: InMemorySource, moment: Moment
) -> None:
    sync(index, source)
    embedder = Watching()

    def before(_: object) -> None:
        if len(embedder.batches) == 2:
            search(index)
        elif len(embedder.batches) == 4:
            moment.now += 2

    embedder.before = before

    report = change_embedder(index, embedder, Terms())

    assert (report.embedded, len(embedder.batches)) == (FILES, 5)
    assert moment.of_other_threads == pytest.approx([STEP] * 2)


def test_without_searches_nobody_waits(index: Path, source: InMemorySource, moment: Moment) -> None:
    sync(index, source, embedder=Watching())
    change_embedder(index, Watching(32), Terms())

    assert moment.pauses == {}


@pytest.mark.parametrize("kind", ["nothing", "a folder", "a loop of links", "the root"])
def test_where_there_is_no_index_nobody_says_that_it_is_searched(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "index.db"
    if kind == "a folder":
        path.mkdir()
    elif kind == "a loop of links":
        path.symlink_to(path)
    elif kind == "the root":
        path = Path("/")
    before = sorted(tmp_path.iterdir())

    activity = Activity(path)
    activity.note()

    assert not activity.recent(60)
    assert sorted(tmp_path.iterdir()) == before
    assert not Path("/.activity").exists()
