"""Contents are fetched ahead of their turn: in order, within bounds, and nothing stays behind."""

import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gdrive_rag_mcp.domain import Fetched, Reason, SourceFile
from gdrive_rag_mcp.errors import FileUnreadableError, SourceUnavailableError
from gdrive_rag_mcp.indexing.fetching import BYTES_AHEAD, FILES_AHEAD, Content, Fetching
from gdrive_rag_mcp.store.work_queue import WorkItem
from gdrive_rag_mcp.testing.memory_source import InMemorySource

Read = Callable[[SourceFile, Path], None]
PATIENCE = 30


class Reading(InMemorySource):
    """A source whose reading is what a test says; it can be closed."""

    def __init__(self, read: Read) -> None:
        super().__init__()
        self._how = read
        self.asked: list[str] = []
        self.closed = threading.Event()

    def read(self, file: SourceFile, into: Path) -> Fetched:
        self.asked.append(file.id)
        self._how(file, into)
        return Fetched("text/plain")

    def close(self) -> None:
        self.closed.set()


def items(count: int, size: int | None = 4) -> list[WorkItem]:
    return [
        WorkItem(
            SourceFile(f"{n}", f"{n}.txt", "text/plain", ("root",), "1", size=size),
            content_hash=None,
            extraction=None,
            attempts=0,
            searchable=False,
        )
        for n in range(count)
    ]


def write(file: SourceFile, into: Path) -> None:
    into.write_text(file.id, encoding="utf-8")


def readers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith("reader-")]


@pytest.fixture(autouse=True)
def _nothing_stays_behind(tmp_path: Path) -> Iterator[None]:
    yield
    assert readers() == []
    assert list(tmp_path.iterdir()) == []


def texts(contents: Fetching) -> list[str]:
    return [content.path.read_text(encoding="utf-8") for content in contents]


@pytest.mark.parametrize("count", [0, 1, 3, 50])
@pytest.mark.parametrize("pool", [1, 2, 8])
def test_every_content_comes_once_and_in_order(tmp_path: Path, pool: int, count: int) -> None:
    source = Reading(write)
    with Fetching(source, items(count), tmp_path, readers=pool) as contents:
        assert texts(contents) == [str(n) for n in range(count)]
    assert sorted(source.asked, key=int) == [str(n) for n in range(count)]
    assert not source.closed.is_set(), "it is closed only when it is left early"


def test_a_content_that_is_there_first_waits_for_its_turn(tmp_path: Path) -> None:
    second = threading.Event()

    def read(file: SourceFile, into: Path) -> None:
        write(file, into)
        if file.id == "1":
            second.set()
        assert second.wait(PATIENCE), "the second file was not fetched beside the first"

    with Fetching(Reading(read), items(2), tmp_path, readers=2) as contents:
        assert texts(contents) == ["0", "1"]


def test_one_reader_reads_where_it_is_called_and_nothing_ahead(tmp_path: Path) -> None:
    threads = set()

    def read(file: SourceFile, into: Path) -> None:
        threads.add(threading.current_thread())
        write(file, into)

    source = Reading(read)
    with Fetching(source, items(3), tmp_path, readers=1) as contents:
        for number, _ in enumerate(contents, start=1):
            assert len(source.asked) == number
            assert readers() == []
    assert threads == {threading.current_thread()}


@pytest.mark.parametrize("pool", [1, 2, 4])
def test_no_more_files_lie_ready_than_the_readers_may_be_ahead(tmp_path: Path, pool: int) -> None:
    ahead: list[int] = []

    def read(file: SourceFile, into: Path) -> None:
        write(file, into)
        ahead.append(len(list(tmp_path.iterdir())))

    with Fetching(Reading(read), items(60), tmp_path, readers=pool) as contents:
        for _ in contents:
            assert len(list(tmp_path.iterdir())) <= FILES_AHEAD * pool
    assert max(ahead) <= (FILES_AHEAD * pool if pool > 1 else 1)
    assert max(ahead) > 1 or pool == 1


@pytest.mark.parametrize("listed", ["size listed", "size not known"])
def test_no_more_bytes_lie_ready_than_fit(tmp_path: Path, listed: str) -> None:
    size, declared = BYTES_AHEAD // 3, listed == "size listed"

    def read(file: SourceFile, into: Path) -> None:
        into.touch()
        os.truncate(into, size)  # a hole: no disk is used

    unfinished = 0 if declared else 2  # what is on its way is not known to be large
    with Fetching(
        Reading(read), items(20, size if declared else None), tmp_path, readers=2
    ) as contents:
        lying = [sum(path.stat().st_size for path in tmp_path.iterdir()) for _ in contents]
    assert max(lying) <= BYTES_AHEAD + unfinished * size
    assert len(lying) == 20


def test_a_file_larger_than_all_room_is_fetched_alone(tmp_path: Path) -> None:
    with Fetching(Reading(write), items(3, size=2 * BYTES_AHEAD), tmp_path, readers=4) as contents:
        assert texts(contents) == ["0", "1", "2"]


@pytest.mark.parametrize("pool", [1, 4])
def test_a_file_that_cannot_be_had_costs_only_itself(tmp_path: Path, pool: int) -> None:
    def read(file: SourceFile, into: Path) -> None:
        write(file, into)
        if int(file.id) % 3 == 0:
            raise FileUnreadableError(Reason.NOT_FOUND, f"{file.name} is gone")

    with Fetching(Reading(read), items(20), tmp_path, readers=pool) as contents:
        outcomes = [type(content.outcome) for content in contents]
    assert outcomes == [FileUnreadableError if n % 3 == 0 else Fetched for n in range(20)]


@pytest.mark.parametrize("pool", [1, 4])
@pytest.mark.parametrize("error", [SourceUnavailableError("quota"), ValueError("a bug")])
def test_what_is_about_more_than_one_file_comes_out_in_its_turn(
    tmp_path: Path, pool: int, error: Exception
) -> None:
    def read(file: SourceFile, into: Path) -> None:
        write(file, into)
        if file.id == "9":
            raise error

    source = Reading(read)
    got: list[str] = []

    def fetch_all() -> None:
        with Fetching(source, items(1000), tmp_path, readers=pool) as contents:
            got.extend(content.item.file.id for content in contents)

    with pytest.raises(type(error), match=str(error)):
        fetch_all()
    assert got == [str(n) for n in range(9)]
    assert len(source.asked) <= 10 + FILES_AHEAD * pool, "nothing new is begun after that"


def test_left_early_a_reader_that_waits_is_woken_and_what_is_queued_is_dropped(
    tmp_path: Path,
) -> None:
    waiting = threading.Semaphore(0)

    def read(file: SourceFile, into: Path) -> None:
        write(file, into)
        if file.id != "0":
            waiting.release()
            assert source.closed.wait(PATIENCE), "nobody woke the reader"
            raise SourceUnavailableError("closed")

    source = Reading(read)

    def begin_and_leave() -> None:
        with Fetching(source, items(100), tmp_path, readers=3) as contents:
            assert isinstance(next(iter(contents)), Content)
            for _ in range(3):
                assert waiting.acquire(timeout=PATIENCE)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        begin_and_leave()
    assert source.closed.is_set()
    assert len(source.asked) == 4, "the first, and one for each reader"


def test_a_reader_that_nobody_can_wake_is_not_waited_for(tmp_path: Path) -> None:
    begun, free = threading.Event(), threading.Event()

    def read(file: SourceFile, into: Path) -> None:
        begun.set()
        free.wait(PATIENCE)
        write(file, into)

    with Fetching(Reading(read), items(1), tmp_path, readers=2) as contents:
        iterator = iter(contents)
        begins = threading.Thread(target=lambda: next(iterator))
        begins.start()
        assert begun.wait(PATIENCE)
    assert readers(), "it is still stuck, and here we are"
    free.set()
    for thread in (*readers(), begins):
        thread.join()
    (tmp_path / "0").unlink(missing_ok=True)
