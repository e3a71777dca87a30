"""Whatever happens to folders, links and logs, and whenever a sync is cut off, nothing is lost.

After a sync that nobody disturbs, what can be found is what can be reached from the root; and no
sync, disturbed or not, takes a document out that can be reached.
"""

import shutil
import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from gdrive_rag_mcp.domain import EVERYTHING, FileState, Reason
from gdrive_rag_mcp.testing.memory_source import InMemorySource
from tests.indexing.desk import Desk

PICK = st.integers(0, 10**6)
PAGES = st.integers(1, 12)
DRIVES = ("a team", "x team")  # one log is read before that of the user, and one after it


class Reach:
    """What can be reached from the root; through closed folders only if `closed` allows it."""

    def __init__(self, source: InMemorySource, *, closed: bool) -> None:
        self._nodes = source._nodes
        self._forbidden = source._forbidden
        self._closed = closed
        self.found: set[str] = set()
        self._enter("root")

    def files(self) -> set[str]:
        return {one for one in self.found if self._nodes[one].content is not None}

    def _enter(self, folder: str) -> None:
        self.found.add(folder)
        if not self._closed and self._is_closed(folder):
            return
        for node in list(self._nodes.values()):
            if folder not in node.parents or not self._lives(node.id):
                continue
            one = node.target or node.id
            if node.target and not self._can_be_looked_up(one):
                continue
            if self._nodes[one].is_folder and one not in self.found:
                self._enter(one)
            elif self._nodes[one].content is not None:
                self.found.add(one)

    def _is_closed(self, folder: str) -> bool:
        return self._nodes[folder].obstacle is not None or folder in self._forbidden

    def _can_be_looked_up(self, one: str) -> bool:
        return self._lives(one) and (self._closed or self._has_open_way(one))

    def _has_open_way(self, one: str) -> bool:
        parents = self._nodes[one].parents
        return not parents or any(
            not self._is_closed(parent) and self._has_open_way(parent) for parent in parents
        )

    def _lives(self, one: str) -> bool:
        node = self._nodes.get(one)
        if node is None or node.trashed or node.hidden:
            return False
        return not node.parents or any(self._lives(parent) for parent in node.parents)


class AnyHistory(RuleBasedStateMachine):
    """Rules are what people do, and what goes wrong."""

    def __init__(self) -> None:
        super().__init__()
        self.base = Path(tempfile.mkdtemp())
        self.source = InMemorySource(page_items=2, feeds=True)
        self.desk = Desk(self.base / "index.db", self.source)
        for drive in DRIVES:
            self.source.add_drive(drive)
        self.places = ["root", "root", self.source.outside, *DRIVES]
        self.items: list[str] = []
        self.written = 0
        self.fresh = 0

    def teardown(self) -> None:
        shutil.rmtree(self.base)

    # ── what people do ───────────────────────────────────────────────────────

    def place(self, number: int) -> str:
        """A folder to put something into, of those that are there."""
        there = [place for place in self.places if place in self.source._nodes]
        return there[number % len(there)]

    def item(self, number: int) -> str:
        return self.items[number % len(self.items)]

    def folder(self, number: int) -> str | None:
        folders = [item for item in self.items if self.source._nodes[item].is_folder]
        return folders[number % len(folders)] if folders else None

    def takes_along(self, item: str) -> None:
        """What a link leads to goes with folders that the index never heard of: no log says so."""
        below = set(self.source._below(item))
        linked = any(node.target in below for node in self.source._nodes.values())
        if linked and not self.knows(item):
            self.source.lose_log()

    def knows(self, folder: str) -> bool:
        if not self.desk.path.exists():
            return False
        with self.desk.reading() as store:
            found = store._connection.execute("SELECT 1 FROM folders WHERE id = ?", (folder,))
            return found.fetchone() is not None

    def text(self) -> str:
        self.written += 1
        return f"sabbatical number{self.written}"

    @rule(parent=PICK)
    def add_file(self, parent: int) -> None:
        where = self.place(parent)
        self.items.append(self.source.add_file(f"{len(self.items)}.md", self.text(), where))

    @rule(parent=PICK)
    def add_folder(self, parent: int) -> None:
        made = self.source.add_folder(f"folder {len(self.items)}", self.place(parent))
        self.items.append(made)
        self.places.append(made)

    @rule(parent=PICK, to=PICK)
    def add_shortcut(self, parent: int, to: int) -> None:
        """To a file or a folder: there are no shortcuts to shortcuts."""
        targets = [item for item in self.items if self.source._nodes[item].target is None]
        what = targets[to % len(targets)] if targets and to % 3 else self.place(to)
        name = f"link {len(self.items)}"
        self.items.append(self.source.add_shortcut(name, what, self.place(parent)))

    @precondition(lambda self: self.items)
    @rule(which=PICK, name=st.sampled_from(["new name", "same name"]))
    def rename(self, which: int, name: str) -> None:
        """Not of what is hidden: that it was, nobody could tell from a new name or place."""
        if not self.source._nodes[self.item(which)].hidden:
            self.source.rename(self.item(which), name)

    @precondition(lambda self: self.items)
    @rule(which=PICK)
    def edit(self, which: int) -> None:
        item = self.item(which)
        if self.source._nodes[item].content is not None:
            self.source.edit(item, self.text())

    @precondition(lambda self: self.items)
    @rule(which=PICK, parent=PICK, second=st.none() | PICK)
    def move(self, which: int, parent: int, second: int | None) -> None:
        item, nodes = self.item(which), self.source._nodes
        wanted = [self.place(parent), *([self.place(second)] if second is not None else [])]
        below = {item, *self.source._below(item)}
        feed = nodes[wanted[0]].feed
        fitting = (one for one in wanted if one not in below and nodes[one].feed == feed)
        into = list(dict.fromkeys(fitting))
        if into and into[0] == wanted[0] and self.source._in_sight(item):
            self.takes_along(item)
            self.source.move(item, *into)

    @precondition(lambda self: self.items)
    @rule(which=PICK, there=st.booleans())
    def bin(self, which: int, *, there: bool) -> None:
        item = self.item(which)
        self.takes_along(item)
        self.source.untrash(item) if there else self.source.trash(item)

    @precondition(lambda self: self.items)
    @rule(which=PICK, there=st.booleans())
    def share(self, which: int, *, there: bool) -> None:
        item = self.item(which)
        self.takes_along(item)
        self.source.show(item) if there else self.source.hide(item)

    @precondition(lambda self: self.items)
    @rule(which=PICK, what=PICK, kill=st.none() | PAGES)
    def blink(self, which: int, what: int, kill: int | None) -> None:
        """Out of sight and back, with something happening inside meanwhile."""
        item = self.item(which)
        self.takes_along(item)
        self.source.hide(item)
        if kill:
            self.killed(kill)
        inside = [item, *self.source._below(item)]
        self.rename(self.items.index(inside[what % len(inside)]), "renamed in the dark")
        self.edit(self.items.index(inside[what % len(inside)]))
        folders = [one for one in inside if self.source._nodes[one].is_folder]
        if folders:
            where = folders[what % len(folders)]
            self.items.append(self.source.add_file("made in the dark", self.text(), where))
        self.source.show(item)

    @precondition(lambda self: self.items)
    @rule(which=PICK)
    def delete(self, which: int) -> None:
        self.takes_along(self.item(which))
        self.source.remove(self.item(which))
        self.items = [item for item in self.items if item in self.source._nodes]

    @rule(which=PICK, reason=st.sampled_from([Reason.ACCESS_DENIED, None]), flagged=st.booleans())
    def close(self, which: int, reason: Reason | None, *, flagged: bool) -> None:
        folder = self.folder(which)
        if folder is None:
            return
        if flagged:
            self.source.block(folder, reason)
        else:
            self.source.forbid(folder, reason)

    @rule(which=st.sampled_from(["lost", "telling", "silent", "late", "early"]))
    def log(self, which: str) -> None:
        if which == "lost":
            self.source.lose_log()
        elif which in ("telling", "silent"):
            self.source.tells_of_descendants = which == "telling"
        else:
            self.source.looks_up_late = which == "late"

    # ── syncs ────────────────────────────────────────────────────────────────

    @rule(pages=PAGES)
    def killed(self, pages: int) -> None:
        before = self.searchable()
        self.desk.sync_killed_after(pages)
        self.check_nothing_lost(before)

    @rule(calls=PAGES, days=st.integers(0, 8))
    def broken(self, calls: int, days: int) -> None:
        before = self.searchable()
        self.desk.later(days=days)
        self.source.listing_fails_after = calls
        self.desk.sync(allow_mass_delete=True)
        self.source.listing_fails_after = None
        self.check_nothing_lost(before)

    @rule(days=st.integers(1, 8), full=st.booleans())
    def undisturbed(self, days: int, *, full: bool) -> None:
        before = self.searchable()
        self.desk.later(days=days)
        assert self.desk.sync(full=full and days > 4, allow_mass_delete=True).complete
        self.check_nothing_lost(before)
        if self.in_doubt():
            self.desk.later(hours=1)
            assert self.desk.sync(allow_mass_delete=True).complete
        found = self.searchable()
        reached = Reach(self.source, closed=False).files()
        assert reached <= found
        assert found <= Reach(self.source, closed=True).files()
        self.check_content(reached)
        if not self.any_closed():
            self.check_like_new()

    def searchable(self) -> set[str]:
        return set(self.desk.searchable()) if self.desk.path.exists() else set()

    def check_nothing_lost(self, before: set[str]) -> None:
        assert before & Reach(self.source, closed=False).files() <= self.searchable()

    def check_content(self, files: set[str]) -> None:
        with self.desk.reading() as store:
            for file in files:
                document = store.catalog.document(file, EVERYTHING)
                assert document
                assert document.text.encode() == self.source._nodes[file].content

    def in_doubt(self) -> bool:
        with self.desk.reading() as store:
            found = store._connection.execute("SELECT 1 FROM folders WHERE doubted IS NOT NULL")
            return found.fetchone() is not None

    def any_closed(self) -> bool:
        return bool(self.source._forbidden) or any(
            node.obstacle for node in self.source._nodes.values()
        )

    def check_like_new(self) -> None:
        """The ledger says what one would say that never knew anything before."""
        self.fresh += 1
        new = Desk(self.base / f"fresh-{self.fresh}.db", self.source, embedder=None)
        new.sync()
        assert self.lines(self.desk) == self.lines(new)

    def lines(self, desk: Desk) -> dict[str, tuple[FileState, Reason | None]]:
        with desk.reading() as store:
            return {line.id: (line.state, line.reason) for line in store.ledger.all(EVERYTHING)}


TestAnyHistory = AnyHistory.TestCase
TestAnyHistory.settings = settings(max_examples=30, stateful_step_count=40, deadline=None)
