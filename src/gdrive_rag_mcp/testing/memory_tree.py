"""Files, folders and shortcuts in memory, what people do to them, and the logs that tell of it.

A log only names what was done to an item itself: what becomes of everything below a folder that is
moved, binned or put out of sight is nowhere written, as with the drives of the world.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from gdrive_rag_mcp.domain import Reason, SourceFile, SourceFolder, SourceShortcut

USER = "user"
"""The log of everything that lies in no drive of its own."""
_EPOCH = datetime(2026, 1, 5, 9, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Node:
    """A file (with content), a shortcut (with a target) or a folder (with neither)."""

    id: str
    name: str
    parents: tuple[str, ...]
    content: bytes | None = None
    mime_type: str = ""
    target: str | None = None
    feed: str = USER
    edits: int = 0
    modified: datetime = _EPOCH
    obstacle: Reason | None = None
    trashed: bool = False
    hidden: bool = False

    @property
    def is_folder(self) -> bool:
        return self.content is None and self.target is None


class MemoryTree:
    """The items, and the methods that are what people do to them.

    `root` is what is synced; `outside` is a folder beside it, and each drive of `add_drive` another
    one with a log of its own.
    """

    outside = "outside"

    def __init__(self, name: str) -> None:
        self._made = 0
        self._nodes: dict[str, Node] = {
            "root": Node("root", name, ()),
            self.outside: Node(self.outside, "elsewhere", ()),
        }
        self._logs: dict[str, list[str]] = {USER: []}
        self._log_number = 1
        self._forbidden: dict[str, Reason] = {}
        self.tells_of_descendants = False
        """Whether the log of a drive also names what left it together with a folder."""

    # ── what people do ───────────────────────────────────────────────────────

    def add_drive(self, name: str) -> str:
        """Make a drive with a log of its own. Returns the id of its topmost folder."""
        self._logs.setdefault(name, [])
        self._nodes[name] = Node(name, name, (), feed=name)
        return name

    def add_folder(self, name: str, parent: str = "root") -> str:
        """Make a folder. Returns its id."""
        return self._add("folder", Node("", name, (parent,)))

    def add_file(
        self,
        name: str,
        content: bytes | str,
        parent: str = "root",
        *,
        mime_type: str = "text/markdown",
    ) -> str:
        """Make a file. Returns its id."""
        node = Node("", name, (parent,), _bytes(content), mime_type)
        return self._add("file", node)

    def add_shortcut(self, name: str, target: str, parent: str = "root") -> str:
        """Make a link to a file or folder, there or not. Returns its own id."""
        return self._add("shortcut", Node("", name, (parent,), target=target))

    def edit(self, file_id: str, content: bytes | str) -> None:
        """Replace a file's content; its version changes even if the bytes are the same."""
        node = self._nodes[file_id]
        self._put(
            replace(
                node,
                content=_bytes(content),
                edits=node.edits + 1,
                modified=node.modified + timedelta(hours=1),
            )
        )

    def retype(self, file_id: str, mime_type: str) -> None:
        """Say that the same bytes are of another type."""
        self._put(replace(self._nodes[file_id], mime_type=mime_type))

    def rename(self, item_id: str, name: str) -> None:
        """Give an item another name."""
        self._put(replace(self._nodes[item_id], name=name))

    def move(self, item_id: str, *parents: str) -> None:
        """Put an item into another folder, or into several at once.

        Into another drive it goes with everything below; that drive's log tells of the item alone.
        """
        node = self._nodes[item_id]
        feed = self._nodes[parents[0]].feed
        if feed != node.feed:
            self._logs[node.feed].append(item_id)
            for below in self._below(item_id):
                if self.tells_of_descendants:
                    self._logs[node.feed].append(below)
                self._nodes[below] = replace(self._nodes[below], feed=feed)
        self._put(replace(node, parents=parents, feed=feed))

    def trash(self, item_id: str) -> None:
        """Put an item into the bin, with everything below it."""
        self._put(replace(self._nodes[item_id], trashed=True))

    def untrash(self, item_id: str) -> None:
        """Take an item out of the bin."""
        self._put(replace(self._nodes[item_id], trashed=False))

    def hide(self, item_id: str, *, silently: bool = False) -> None:
        """Take an item, and everything below it, out of the reader's sight."""
        self._put(replace(self._nodes[item_id], hidden=True), silently=silently)

    def show(self, item_id: str, *, silently: bool = False) -> None:
        """Let the reader see an item again."""
        self._put(replace(self._nodes[item_id], hidden=False), silently=silently)

    def remove(self, item_id: str) -> None:
        """Delete an item for good, with everything below it."""
        if self._in_sight(item_id):
            self._logs[self._nodes[item_id].feed].append(item_id)
        for below in self._below(item_id):
            del self._nodes[below]
        del self._nodes[item_id]

    def block(self, item_id: str, obstacle: Reason | None) -> None:
        """Let the listing say that a file cannot be had, or that a folder cannot be looked into."""
        self._put(replace(self._nodes[item_id], obstacle=obstacle))

    def forbid(self, folder_id: str, reason: Reason | None) -> None:
        """Refuse to list a folder that looks like any other, or (None) list it again."""
        if reason is None:
            self._forbidden.pop(folder_id, None)
        else:
            self._forbidden[folder_id] = reason

    def lose_log(self) -> None:
        """Let no place in the logs be good any more."""
        self._log_number += 1

    def _add(self, kind: str, node: Node) -> str:
        self._made += 1
        item_id = f"{kind}-{self._made}"
        feed = self._nodes[node.parents[0]].feed
        self._put(replace(node, id=item_id, feed=feed))
        return item_id

    def _put(self, node: Node, *, silently: bool = False) -> None:
        was_seen = self._in_sight(node.id)
        self._nodes[node.id] = node
        if not silently and (was_seen or self._in_sight(node.id)):
            self._logs[node.feed].append(node.id)

    # ── what there is to see ─────────────────────────────────────────────────

    def _in_sight(self, item_id: str) -> bool:
        """Whether the reader may see an item at all, in the bin or not; a log tells of no other."""
        node = self._nodes.get(item_id)
        if node is None or node.hidden:
            return False
        return not node.parents or any(self._in_sight(parent) for parent in node.parents)

    def _lives(self, item_id: str) -> bool:
        """Whether an item is there, in sight, and not in the bin, by itself or with all above."""
        node = self._nodes.get(item_id)
        if node is None or node.trashed or node.hidden:
            return False
        return not node.parents or any(self._lives(parent) for parent in node.parents)

    def _children(self, folder_id: str) -> list[Node]:
        """What lies directly in a folder, in the order in which it was made."""
        inside = (node for node in self._nodes.values() if folder_id in node.parents)
        return sorted((node for node in inside if self._lives(node.id)), key=made)

    def _below(self, item_id: str) -> list[str]:
        """What lies below an item at any depth; what also lies elsewhere does so, too."""
        found: list[str] = []
        for node in self._nodes.values():
            if item_id in node.parents:
                found += [node.id, *self._below(node.id)]
        return list(dict.fromkeys(found))

    def _walk(self) -> Iterator[Node]:
        """Everything below the root, folders before what is in them."""
        pending, seen = ["root"], set()
        while pending:
            node = self._nodes[pending.pop(0)]
            if node.id not in seen:
                seen.add(node.id)
                yield node
                if node.is_folder and node.obstacle is None:
                    pending += [child.id for child in self._children(node.id)]

    def _described(self, node: Node) -> SourceFile | SourceFolder | SourceShortcut:
        """An item as a source lists it, with the parents that are in sight."""
        parents = tuple(parent for parent in node.parents if self._lives(parent))
        url = f"https://example.com/{node.id}"
        if node.target is not None:
            return SourceShortcut(node.id, node.name, parents, node.target, url, node.feed)
        if node.content is not None:
            return _file(node, parents, url)
        is_root = node.id == "root"
        return SourceFolder(node.id, node.name, parents, url, node.obstacle, is_root, node.feed)


def made(node: Node) -> int:
    """The number that tells when an item was made."""
    return int(node.id.rpartition("-")[2])


def _file(node: Node, parents: tuple[str, ...], url: str) -> SourceFile:
    return SourceFile(
        id=node.id,
        name=node.name,
        mime_type=node.mime_type,
        parents=parents,
        version=_version(node),
        size=len(node.content or b""),
        modified_time=node.modified,
        url=url,
        revision=str(node.edits),
        obstacle=node.obstacle,
        feed=node.feed,
    )


def _bytes(content: bytes | str) -> bytes:
    return content.encode() if isinstance(content, str) else content


def _version(node: Node) -> str:
    """Tells contents apart, as every real source's does, and edits that leave them the same."""
    version = f"{node.edits}-{hashlib.sha256(node.content or b'').hexdigest()[:12]}"
    return f"{version}!{node.obstacle}" if node.obstacle else version
