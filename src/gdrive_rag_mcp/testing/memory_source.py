"""A source that lives in memory: everything a sync can meet, without files or a network."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Lock

from gdrive_rag_mcp.domain import (
    ChangePage,
    Fetched,
    Reason,
    SourceFile,
    SourceFolder,
    SourceUsage,
)
from gdrive_rag_mcp.errors import FileUnreadableError, SourceError, SourceUnavailableError

_EPOCH = datetime(2026, 1, 5, 9, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class _Node:
    """A file (with content) or a folder (without)."""

    id: str
    name: str
    parent: str | None
    content: bytes | None = None
    mime_type: str = ""
    edits: int = 0
    modified: datetime = _EPOCH
    obstacle: Reason | None = None


class InMemorySource:
    """Implements `protocols.Source`; the methods below it are what people do to the files.

    Switches: `listing_fails_after` pages (None: never), `failure` that `check`, `changes` and
    `read` raise, and what `fail_reading` says of single files.
    """

    def __init__(self, name: str = "memory", *, page_items: int = 100) -> None:
        self._name = name
        self._page_items = page_items
        self._lock = Lock()
        self._made = 0
        self._unreadable: dict[str, Reason] = {}
        self._usage = SourceUsage()
        self._nodes: dict[str, _Node] = {"root": _Node("root", name, None)}
        self.listing_fails_after: int | None = None
        self.failure: SourceError | None = None

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

    def changes(self, cursor: str | None) -> Iterator[ChangePage]:
        """List everything, `page_items` at a time, folders before what is in them."""
        nodes = list(self._reachable())
        for number, start in enumerate(range(0, len(nodes), self._page_items)):
            self._spend(api_calls=1)
            self._raise_failure()
            if number == self.listing_fails_after:
                raise SourceUnavailableError("the listing broke off", hint="try again later")
            yield _page(nodes[start : start + self._page_items])
        yield ChangePage(complete=True)

    def read(self, file: SourceFile, into: Path) -> Fetched:
        self._spend(downloads=1)
        self._raise_failure()
        node = self._nodes.get(file.id)
        reason = self._unreadable.get(file.id)
        if node is None or node.content is None:
            raise FileUnreadableError(Reason.NOT_FOUND, f"{file.name} is gone")
        if reason is not None:
            raise FileUnreadableError(reason, f"{file.name} cannot be read")
        into.write_bytes(node.content)
        return Fetched(node.mime_type)

    # ── what people do ───────────────────────────────────────────────────────

    def add_folder(self, name: str, parent: str = "root") -> str:
        """Make a folder. Returns its id."""
        return self._add(_Node("", name, parent))

    def add_file(
        self,
        name: str,
        content: bytes | str,
        parent: str = "root",
        *,
        mime_type: str = "text/markdown",
    ) -> str:
        """Make a file. Returns its id."""
        return self._add(_Node("", name, parent, _bytes(content), mime_type))

    def edit(self, file_id: str, content: bytes | str) -> None:
        """Replace a file's content; its version changes even if the bytes are the same."""
        node = self._nodes[file_id]
        self._nodes[file_id] = replace(
            node,
            content=_bytes(content),
            edits=node.edits + 1,
            modified=node.modified + timedelta(hours=1),
        )

    def rename(self, item_id: str, name: str) -> None:
        """Give a file or folder another name."""
        self._nodes[item_id] = replace(self._nodes[item_id], name=name)

    def move(self, item_id: str, parent: str) -> None:
        """Put a file or folder into another folder."""
        self._nodes[item_id] = replace(self._nodes[item_id], parent=parent)

    def remove(self, item_id: str) -> None:
        """Delete a file, or a folder with everything below."""
        for child in [node.id for node in self._nodes.values() if node.parent == item_id]:
            self.remove(child)
        del self._nodes[item_id]

    def block(self, item_id: str, obstacle: Reason | None) -> None:
        """Let the listing say that a file cannot be had, or that a folder cannot be looked into."""
        self._nodes[item_id] = replace(self._nodes[item_id], obstacle=obstacle)

    def fail_reading(self, file_id: str, reason: Reason | None) -> None:
        """Let reading a file fail for a reason, or (None) work again."""
        if reason is None:
            self._unreadable.pop(file_id, None)
        else:
            self._unreadable[file_id] = reason

    def _add(self, node: _Node) -> str:
        self._made += 1
        kind = "folder" if node.content is None else "file"
        item_id = f"{kind}-{self._made}"
        self._nodes[item_id] = replace(node, id=item_id)
        return item_id

    def _reachable(self) -> Iterator[_Node]:
        pending = ["root"]
        while pending:
            node = self._nodes[pending.pop(0)]
            yield node
            if node.content is None and node.obstacle is None:
                pending += [child.id for child in self._nodes.values() if child.parent == node.id]

    def _raise_failure(self) -> None:
        if self.failure is not None:
            raise self.failure

    def _spend(self, *, api_calls: int = 0, downloads: int = 0) -> None:
        with self._lock:
            self._usage = SourceUsage(
                self._usage.api_calls + api_calls, self._usage.downloads + downloads
            )


def _page(nodes: list[_Node]) -> ChangePage:
    return ChangePage(
        files=tuple(_file(node) for node in nodes if node.content is not None),
        folders=tuple(_folder(node) for node in nodes if node.content is None),
    )


def _file(node: _Node) -> SourceFile:
    return SourceFile(
        id=node.id,
        name=node.name,
        mime_type=node.mime_type,
        parents=(node.parent,) if node.parent else (),
        version=_version(node),
        size=len(node.content or b""),
        modified_time=node.modified,
        url=f"https://example.com/{node.id}",
        revision=str(node.edits),
        obstacle=node.obstacle,
    )


def _folder(node: _Node) -> SourceFolder:
    return SourceFolder(
        id=node.id,
        name=node.name,
        parents=(node.parent,) if node.parent else (),
        url=f"https://example.com/{node.id}",
        obstacle=node.obstacle,
    )


def _bytes(content: bytes | str) -> bytes:
    return content.encode() if isinstance(content, str) else content


def _version(node: _Node) -> str:
    """Tells contents apart, as every real source's does, and edits that leave them the same."""
    version = f"{node.edits}-{hashlib.sha256(node.content or b'').hexdigest()[:12]}"
    return f"{version}!{node.obstacle}" if node.obstacle else version
