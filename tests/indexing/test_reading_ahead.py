"""Reading with several readers: the same index, and an outage costs patience only once."""

import signal
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from gdrive_rag_mcp.domain import EVERYTHING, Fetched, FileState, Reason, SourceFile, SyncReport
from gdrive_rag_mcp.errors import DiskFullError, SourceAuthError, SourceUnavailableError
from gdrive_rag_mcp.indexing.content_folder import READING
from gdrive_rag_mcp.indexing.outage import FAILURES
from gdrive_rag_mcp.indexing.sync import Synchroniser, SyncOptions
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.memory_source import InMemorySource
from tests.indexing.desk import Desk, fill


class Outages(InMemorySource):
    """A source of which some files' reading raises, and whose root may be out of reach."""

    def __init__(self) -> None:
        super().__init__()
        self.raises: dict[str, Exception] = {}
        self.down: SourceUnavailableError | None = None
        self.checks = 0
        self.lock = threading.Lock()

    def check(self) -> None:
        self.checks += 1
        if self.down is not None:
            raise self.down
        super().check()

    def read(self, file: SourceFile, into: Path) -> Fetched:
        if error := self.raises.get(file.id):
            raise error
        return super().read(file, into)


@pytest.fixture
def source(desk: Desk) -> Outages:
    desk.source = source = Outages()
    return source


def sync(desk: Desk, readers: int) -> SyncReport:
    with Store.open_for_writing(desk.path) as store:
        report = Synchroniser(
            store,
            desk.source,
            desk.extractor,
            desk.chunker,
            desk.embedder,
            supported=lambda mime_type: mime_type.startswith("text/"),
            extraction=desk.extraction,
            readers=readers,
            clock=lambda: desk.now,
        ).run(SyncOptions())
    desk.assert_sound()
    assert not reading_folder(desk.path).exists()
    return report


def reading_folder(index: Path) -> Path:
    return index.with_name(index.name + READING)


def states(report: SyncReport) -> dict[FileState, int]:
    return {state: count for state, count in report.coverage.by_state.items() if count}


def test_many_readers_make_the_index_that_one_makes(tmp_path: Path) -> None:
    ledgers = []
    for readers in (1, 8):
        desk = Desk(tmp_path / str(readers) / "index.db")
        files = fill(desk, 120)
        desk.source.add_file("z.zip", b"PK", mime_type="application/zip")
        desk.source.add_file("bad.md", "!corrupt")
        desk.source.fail_reading(files[7], Reason.NOT_FOUND)
        report = sync(desk, readers)
        assert (report.added, report.downloads) == (119, 121)
        with desk.reading() as store:
            ledgers.append([replace(one, id="") for one in store.ledger.all(EVERYTHING)])
    assert ledgers[0] == ledgers[1]


@pytest.mark.parametrize("readers", [1, 4])
def test_a_source_that_gives_out_leaves_the_rest_pending(
    desk: Desk, source: Outages, readers: int
) -> None:
    files = fill(desk, 40)
    source.raises[files[20]] = SourceUnavailableError("the quota of today is used up")
    report = sync(desk, readers)
    assert report.complete, "the listing is"
    [warning] = [one for one in report.warnings if one.startswith("reading_incomplete: ")]
    assert "quota" in warning
    done = report.coverage.searchable
    assert states(report) == {FileState.INDEXED: done, FileState.PENDING: 40 - done}
    assert 0 < done < 40
    assert report.pending_vectors == 0, "what was read is made searchable in full"
    source.raises.clear()
    after = sync(desk, readers)
    assert (states(after), after.added) == ({FileState.INDEXED: 40}, 40 - done)
    assert not after.warnings


@pytest.mark.parametrize("readers", [1, 4])
@pytest.mark.parametrize("error", [SourceAuthError("revoked"), DiskFullError("no room")])
def test_lost_credentials_or_a_full_disk_end_the_run_and_keep_what_was_read(
    desk: Desk, source: Outages, readers: int, error: Exception
) -> None:
    files = fill(desk, 40)
    source.raises[files[20]] = error
    with pytest.raises(type(error)):
        sync(desk, readers)
    assert not reading_folder(desk.path).exists()
    with desk.reading() as store:
        coverage = store.ledger.coverage(EVERYTHING)
    assert coverage.by_state[FileState.PENDING] + coverage.searchable == 40
    assert coverage.searchable > 0
    source.raises.clear()
    assert states(sync(desk, readers)) == {FileState.INDEXED: 40}


@pytest.mark.parametrize("readers", [1, 4])
@pytest.mark.parametrize("reason", [Reason.NETWORK, Reason.RATE_LIMITED])
def test_an_outage_costs_patience_for_a_few_files_not_for_each(
    desk: Desk, source: Outages, reason: Reason, readers: int
) -> None:
    for file in fill(desk, 200):
        source.fail_reading(file, reason)
    original = source.read

    def read(file: SourceFile, into: Path) -> Fetched:
        source.down = SourceUnavailableError("no route to the host", hint="try later")
        return original(file, into)

    source.read = read  # type: ignore[method-assign]  # it goes down when reading begins
    report = sync(desk, readers)
    assert source.usage.downloads <= FAILURES + 2 * readers
    assert states(report) == {FileState.FAILED: FAILURES, FileState.PENDING: 200 - FAILURES}
    assert any(one.startswith("reading_incomplete: ") for one in report.warnings)


def test_files_that_fail_although_the_source_is_there_are_each_tried(
    desk: Desk, source: Outages
) -> None:
    for file in fill(desk, 4 * FAILURES):
        source.fail_reading(file, Reason.NETWORK)
    report = sync(desk, 1)
    assert states(report) == {FileState.FAILED: 4 * FAILURES}
    assert source.checks == 1 + 4, "before the listing, and after every few failures"
    assert not report.warnings


@pytest.mark.parametrize("between", [None, Reason.NOT_FOUND])
def test_failures_with_an_answer_between_them_are_no_outage(
    desk: Desk, source: Outages, between: Reason | None
) -> None:
    for number in range(40):
        file = desk.source.add_file(f"{number:02}.md", f"sabbatical {number}")
        source.fail_reading(file, Reason.NETWORK if number % FAILURES else between)
    sync(desk, 1)
    assert source.checks == 1


def test_credentials_that_are_lost_in_an_outage_end_the_run(desk: Desk, source: Outages) -> None:
    files = fill(desk, 40)
    desk.sync()
    for file in files:
        source.edit(file, "sabbatical, edited")
        source.fail_reading(file, Reason.NETWORK)
    checks = iter([None, SourceAuthError("revoked")])

    def check() -> None:
        if error := next(checks):
            raise error

    source.check = check  # type: ignore[method-assign]  # of two answers, the second is no
    with pytest.raises(SourceAuthError):
        sync(desk, 4)
    assert len(desk.find("sabbatical")) == 40


class Fresher(InMemorySource):
    """What it reads is of a newer version than it listed."""

    def read(self, file: SourceFile, into: Path) -> Fetched:
        fetched = super().read(file, into)
        read = replace(file, version=f"{file.version}+", revision="newer")
        return replace(fetched, file=read, note="no links to places")


@pytest.mark.parametrize("text", ["sabbatical", "!corrupt"])
def test_the_ledger_describes_the_version_that_was_read(desk: Desk, text: str) -> None:
    desk.source = Fresher()
    file = desk.source.add_file("a.md", text)
    desk.sync()
    record = desk.record(file)
    assert (record.version[-1], record.revision) == ("+", "newer")


def test_a_note_of_the_source_is_in_the_ledger(desk: Desk) -> None:
    desk.source = Fresher()
    file = desk.source.add_file("a.md", "sabbatical")
    desk.sync()
    assert "no links to places" in desk.record(file).detail


INTERRUPTED = """
import signal, sys, threading
from pathlib import Path
from gdrive_rag_mcp.errors import SourceUnavailableError
from gdrive_rag_mcp.indexing.lock import writer_lock
from gdrive_rag_mcp.indexing.sync import Synchroniser, SyncOptions
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.memory_source import InMemorySource
from tests.indexing.desk import AParagraphAChunk, Paragraphs

signal.signal(signal.SIGTERM, signal.default_int_handler)

class Stuck(InMemorySource):
    closed = threading.Event()
    def read(self, file, into):
        if file.name == "0.md":
            return super().read(file, into)
        into.write_text("half of it")
        print("reading", flush=True)
        self.closed.wait()
        raise SourceUnavailableError("closed")
    def close(self):
        self.closed.set()

source, index = Stuck(), Path(sys.argv[1])
for number in range(50):
    source.add_file(f"{number}.md", f"sabbatical {number}")
try:
    with writer_lock(index), Store.open_for_writing(index) as store:
        Synchroniser(
            store, source, Paragraphs(), AParagraphAChunk(), None,
            supported=lambda _: True, extraction="1", readers=3,
        ).run(SyncOptions())
except KeyboardInterrupt:
    print("threads:", threading.active_count(), "asked:", source.usage.downloads)
"""


@pytest.mark.parametrize("ends_with", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_in_mid_download_ends_the_run_and_leaves_nothing_behind(
    tmp_path: Path, ends_with: signal.Signals
) -> None:
    index = tmp_path / "index.db"
    child = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, str(index)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": ":".join(path for path in sys.path if path)},
    )
    assert child.stdout
    for _ in range(3):
        assert child.stdout.readline() == "reading\n"
    child.send_signal(ends_with)
    out, errors = child.communicate()
    assert child.returncode == 0, errors
    assert out == "threads: 1 asked: 1\n"
    assert not reading_folder(index).exists()
    with Store.open_for_reading(index) as store:
        coverage = store.ledger.coverage(EVERYTHING)
    assert coverage.by_state[FileState.PENDING] + coverage.searchable == 50
