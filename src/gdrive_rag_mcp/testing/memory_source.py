"""A source that lives in memory: everything a sync can meet, without files or a network."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from threading import Lock

from gdrive_rag_mcp.domain import (
    ChangePage,
    Fetched,
    Reason,
    SourceFile,
    SourceFolder,
    SourceShortcut,
    SourceUsage,
)
from gdrive_rag_mcp.errors import FileUnreadableError, SourceError, SourceUnavailableError
from gdrive_rag_mcp.protocols import Frontier
from gdrive_rag_mcp.testing.memory_news import FollowedLogs, Journey
from gdrive_rag_mcp.testing.memory_tree import MemoryTree, Node


class InMemorySource(MemoryTree):
    """Implements `protocols.Source`; what people do to the files are the methods of `MemoryTree`.

    With `feeds`, it follows its logs of changes as a drive does: a crawl from folder to folder,
    then only what is new. Without, every listing is one of everything.
    Switches: `listing_fails_after` calls (None: never), `failure` that `check`, `changes` and
    `read` raise, what `fail_reading` says of single files, and `looks_up_late`: whether what
    shortcuts point at is only looked up when everything else is known.
    """

    def __init__(self, name: str = "memory", *, page_items: int = 100, feeds: bool = False) -> None:
        super().__init__(name)
        self._name = name
        self._page_items = page_items
        self._feeds = feeds
        self._lock = Lock()
        self._calls_left: int | None = None
        self._unreadable: dict[str, Reason] = {}
        self._usage = SourceUsage()
        self.listing_fails_after: int | None = None
        self.failure: SourceError | None = None
        self.looks_up_late = False
        self.folders_listed: list[str] = []
        """Every folder that was asked for its content, as often as it was; with `feeds` alone."""
        self.exported_as: dict[str, str] = {}
        """The type that a file's content is converted to, as Google converts its own formats."""
        self.looked_up: list[str] = []
        """Every item that was asked for by itself."""

    # ── the protocol ─────────────────────────────────────────────────────────

    @property
    def root(self) -> str:
        return f"memory:{self._name}"

    @property
    def usage(self) -> SourceUsage:
        return self._usage

    def check(self) -> None:
        self._spend(api_calls=1)
        self._raise_failure()

    def changes(self, cursor: str | None, frontier: Frontier) -> Iterator[ChangePage]:
        """List everything, `page_items` at a time, folders before what is in them; or the news."""
        self._calls_left = self.listing_fails_after
        if self._feeds:
            yield from FollowedLogs(self, frontier, late=self.looks_up_late).pages(cursor)
            return
        nodes = list(self._walk())
        yield ChangePage(begins=True)
        for start in range(0, len(nodes), self._page_items):
            self._call()
            yield self.page_of(nodes[start : start + self._page_items])
        yield ChangePage(complete=True)

    def read(self, file: SourceFile, into: Path) -> Fetched:
        self._spend(downloads=1)
        self._raise_failure()
        node = self._nodes.get(file.id)
        reason = self._unreadable.get(file.id)
        if node is None or node.content is None or not self._lives(node.id):
            raise FileUnreadableError(Reason.NOT_FOUND, f"{file.name} is gone")
        if reason is not None:
            raise FileUnreadableError(reason, f"{file.name} cannot be read")
        into.write_bytes(node.content)
        return Fetched(self.exported_as.get(file.id, node.mime_type))

    # ── what people do, and what goes wrong ──────────────────────────────────

    def fail_reading(self, file_id: str, reason: Reason | None) -> None:
        """Let reading a file fail for a reason, or (None) work again."""
        if reason is None:
            self._unreadable.pop(file_id, None)
        else:
            self._unreadable[file_id] = reason

    def _raise_failure(self) -> None:
        if self.failure is not None:
            raise self.failure

    # ── what is asked while listing; each is one call ────────────────────────

    def log(self, feed: str, journey: Journey) -> tuple[list[str], int]:
        """A page of a log from a place on: ids, each once and last, and the place after them."""
        self._call()
        start = journey.places.get(feed, 0)
        entries = self._logs[feed]
        page = entries[start : start + self._page_items]
        end = start + len(page)
        later = set(entries[end:])
        return [item_id for item_id in dict.fromkeys(page) if item_id not in later], end

    def children(self, folder_id: str) -> list[Node] | Reason:
        """What lies in a folder, or why that is not told."""
        self._call()
        self.folders_listed.append(folder_id)
        if not self._lives(folder_id):
            return Reason.NOT_FOUND
        return self._forbidden.get(folder_id) or self._children(folder_id)

    def item(self, item_id: str) -> Node | None:
        """An item as it is now; nobody gets at what only lies in folders that are closed."""
        self._call()
        self.looked_up.append(item_id)
        found = self.seen(item_id)
        return None if found and found.parents and all(map(self._closed, found.parents)) else found

    def _closed(self, folder_id: str) -> bool:
        """Whether a folder, or every one that it lies in, cannot be looked into."""
        node = self._nodes[folder_id]
        if node.obstacle is not None or folder_id in self._forbidden:
            return True
        return bool(node.parents) and all(map(self._closed, node.parents))

    def seen(self, item_id: str) -> Node | None:
        """An item as it is now, if it is in sight and not in the bin."""
        return self._nodes[item_id] if self._lives(item_id) else None

    def journey(self) -> Journey:
        """Where all logs are now."""
        return Journey(self._log_number, {feed: len(log) for feed, log in self._logs.items()})

    @property
    def feeds(self) -> list[str]:
        return sorted(self._logs)

    @property
    def page_items(self) -> int:
        return self._page_items

    def page_of(self, nodes: Iterable[Node]) -> ChangePage:
        """Items as a page."""
        items = [self._described(node) for node in nodes]
        return ChangePage(
            files=tuple(item for item in items if isinstance(item, SourceFile)),
            folders=tuple(item for item in items if isinstance(item, SourceFolder)),
            shortcuts=tuple(item for item in items if isinstance(item, SourceShortcut)),
        )

    def _call(self) -> None:
        self._spend(api_calls=1)
        self._raise_failure()
        if self._calls_left is not None:
            if self._calls_left == 0:
                raise SourceUnavailableError("the listing broke off", hint="try again later")
            self._calls_left -= 1

    def _spend(self, *, api_calls: int = 0, downloads: int = 0) -> None:
        with self._lock:
            self._usage = SourceUsage(
                self._usage.api_calls + api_calls, self._usage.downloads + downloads
            )
