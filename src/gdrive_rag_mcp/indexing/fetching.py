"""Bringing contents here before their turn: several readers at once, and the order is kept.

Each content is a file of its own. How many wait, and how many bytes they are, is bounded, whatever
the readers could do while the ones before are extracted.
"""

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Thread
from typing import Protocol, Self, runtime_checkable

from gdrive_rag_mcp.domain import Fetched
from gdrive_rag_mcp.errors import FileUnreadableError
from gdrive_rag_mcp.protocols import Source
from gdrive_rag_mcp.store.work_queue import WorkItem

FILES_AHEAD = 2
"""Contents that may lie ready or be on their way, for each reader."""

BYTES_AHEAD = 400_000_000
SMALL_BYTES = 100_000
"""What a disk hands out, and a reader of text reads, in a moment."""
_UNKNOWN_BYTES = 10_000_000  # what an export, whose size nobody says, seldom goes over
_PATIENCE_SECONDS = 1.0


@runtime_checkable
class Closable(Protocol):
    """A source that can be told to stop: calls that wait or are under way end with an error."""

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Content:
    """A file whose turn it is: what was fetched, or why this one file cannot be had."""

    item: WorkItem
    path: Path
    outcome: Fetched | FileUnreadableError


class _Fetch:
    """One file on its way."""

    def __init__(self, item: WorkItem, path: Path) -> None:
        self._item = item
        self._path = path
        self._future: Future[Fetched] = Future()
        self.bytes = _UNKNOWN_BYTES if item.file.size is None else item.file.size

    @property
    def done(self) -> bool:
        return self._future.done()

    def run(self, source: Source) -> bool:
        """Read the file; false when it failed in a way that other files will share."""
        try:
            fetched = source.read(self._item.file, self._path)
            self.bytes = self._path.stat().st_size
        except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
            self.discard()
            self._future.set_exception(error)
            return isinstance(error, FileUnreadableError)
        self._future.set_result(fetched)
        return True

    def content(self) -> Content:
        """Wait for it; whatever is about more than this file is raised here."""
        try:
            return Content(self._item, self._path, self._future.result())
        except FileUnreadableError as error:
            return Content(self._item, self._path, error)

    def discard(self) -> None:
        self._path.unlink(missing_ok=True)
        self.bytes = 0


class Fetching:
    """The contents of files one after another; each is there until the next one is asked for.

    With one reader nothing runs beside the caller. With more, what one of them fails with that is
    about more than its file comes out when its turn has come, and nothing new is begun until then.
    Left early, it closes the source, so that no reader sleeps on or writes once it is left.
    """

    def __init__(
        self,
        source: Source,
        items: Sequence[WorkItem],
        folder: Path,
        *,
        readers: int,
        before_waiting: Callable[[], None] = lambda: None,
    ) -> None:
        """`before_waiting` is called before the caller is made to wait for more than a moment."""
        self._source = source
        self._items = enumerate(items)
        self._folder = folder
        self._before_waiting = before_waiting
        self._readers = readers if readers > 1 else 0
        self._most = FILES_AHEAD * readers if readers > 1 else 1
        self._next = next(self._items, None)
        self._ahead: deque[_Fetch] = deque()
        self._tasks: SimpleQueue[_Fetch | None] = SimpleQueue()
        self._threads: list[Thread] = []
        self._broken = Event()
        self._left = Event()

    def __enter__(self) -> Self:
        for number in range(self._readers):
            # Daemons: one that is stuck in the network must not keep the process from its end.
            thread = Thread(target=self._work, name=f"reader-{number}", daemon=True)
            self._threads.append(thread)
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._left.set()
        for _thread in self._threads:
            self._tasks.put(None)
        if any(not fetch.done for fetch in self._ahead) and isinstance(self._source, Closable):
            self._source.close()
        deadline = time.monotonic() + _PATIENCE_SECONDS
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        for fetch in self._ahead:
            fetch.discard()

    def __iter__(self) -> Iterator[Content]:
        self._begin_more()
        while self._ahead:
            if not self._ahead[0].done:
                self._before_waiting()
            yield self._ahead[0].content()
            self._ahead.popleft().discard()
            self._begin_more()

    def _begin_more(self) -> None:
        while self._next is not None and not self._broken.is_set():
            number, item = self._next
            fetch = _Fetch(item, self._folder / str(number))
            if not self._has_room(fetch):
                return
            self._ahead.append(fetch)
            self._next = next(self._items, None)
            if self._threads:
                self._tasks.put(fetch)
            else:
                if fetch.bytes > SMALL_BYTES:
                    self._before_waiting()
                self._run(fetch)

    def _has_room(self, fetch: _Fetch) -> bool:
        if len(self._ahead) >= self._most:
            return False
        waiting = sum(one.bytes for one in self._ahead)
        return not self._ahead or waiting + fetch.bytes <= BYTES_AHEAD

    def _work(self) -> None:
        while (fetch := self._tasks.get()) is not None:
            if not self._left.is_set():
                self._run(fetch)

    def _run(self, fetch: _Fetch) -> None:
        if not fetch.run(self._source):
            self._broken.set()
