"""Whatever people do to the files in whatever order, the ledger adds up and search agrees."""

import shutil
import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from gdrive_rag_mcp.domain import STATE_OF_REASON, FileState, Reason
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder
from tests.indexing.desk import Desk

KNOWN = ("sabbatical", "invoice", "travel")
WORDS = st.sampled_from([*KNOWN, "!encrypted", "!no_text", "?page 1", ""])
TEXTS = st.lists(WORDS, min_size=1, max_size=3).map("\n\n".join)
TYPES = st.sampled_from(["text/plain", "text/markdown", "application/zip"])
PICK = st.integers(0, 10**6)


class AnySequence(RuleBasedStateMachine):
    """Rules are what people do; the invariant is what a complete sync makes of it."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.desk = Desk(self.folder / "index.db")
        self.source = self.desk.source
        self.files: list[str] = []
        self.folders = ["root"]
        self.failing: dict[str, Reason] = {}

    def teardown(self) -> None:
        shutil.rmtree(self.folder)

    def pick(self, among: list[str], number: int) -> str:
        return among[number % len(among)]

    def content(self, file: str) -> str:
        return (self.source._nodes[file].content or b"").decode()

    @rule(text=TEXTS, mime_type=TYPES, parent=PICK)
    def add(self, text: str, mime_type: str, parent: int) -> None:
        name = f"file {len(self.files)}.md"
        where = self.pick(self.folders, parent)
        self.files.append(self.source.add_file(name, text, where, mime_type=mime_type))

    @rule(parent=PICK)
    def add_folder(self, parent: int) -> None:
        self.folders.append(self.source.add_folder("folder", self.pick(self.folders, parent)))

    @precondition(lambda self: self.files)
    @rule(file=PICK, text=TEXTS)
    def edit(self, file: int, text: str) -> None:
        self.source.edit(self.pick(self.files, file), text)

    @precondition(lambda self: self.files)
    @rule(file=PICK, name=st.sampled_from(["new name", "a/b", "100%_"]))
    def rename(self, file: int, name: str) -> None:
        self.source.rename(self.pick(self.files, file), name)

    @precondition(lambda self: self.files)
    @rule(file=PICK, parent=PICK)
    def move(self, file: int, parent: int) -> None:
        self.source.move(self.pick(self.files, file), self.pick(self.folders, parent))

    @precondition(lambda self: self.files)
    @rule(file=PICK)
    def delete(self, file: int) -> None:
        gone = self.pick(self.files, file)
        self.files.remove(gone)
        self.failing.pop(gone, None)
        self.source.remove(gone)

    @precondition(lambda self: self.files)
    @rule(file=PICK, reason=st.sampled_from([Reason.NETWORK, Reason.TOO_LARGE, None]))
    def fail(self, file: int, reason: Reason | None) -> None:
        which = self.pick(self.files, file)
        self.source.fail_reading(which, reason)
        if reason:
            self.failing[which] = reason
        else:
            self.failing.pop(which, None)

    @precondition(lambda self: self.files)
    @rule(file=PICK, obstacle=st.sampled_from([Reason.DOWNLOAD_FORBIDDEN, None]))
    def block(self, file: int, obstacle: Reason | None) -> None:
        self.source.block(self.pick(self.files, file), obstacle)

    @rule(pages=st.integers(0, 2))
    def broken_listing(self, pages: int) -> None:
        self.source._page_items = 2
        self.source.listing_fails_after = pages
        report = self.desk.sync()
        self.source.listing_fails_after = None
        assert report.complete or report.removed == 0

    @rule(with_embedder=st.booleans(), full=st.booleans())
    def sync(self, *, with_embedder: bool, full: bool) -> None:
        self.desk.embedder = HashingEmbedder(64) if with_embedder else None
        self.desk.later(days=2)  # whatever rested is due again
        report = self.desk.sync(full=full, allow_mass_delete=True)
        assert report.complete
        assert report.coverage.in_scope == len(self.files)
        self.searched = {word: self.desk.find(word) for word in KNOWN}
        for file in self.files:
            self.check(file)
        if with_embedder:
            assert report.pending_vectors == 0
        for found in self.searched.values():
            assert found <= set(self.files)

    def check(self, file: str) -> None:
        """A file's state is what its content and its obstacles say."""
        record, node = self.desk.record(file), self.source._nodes[file]
        parts = [part for part in self.content(file).split("\n\n") if part.strip()]
        if record.state in {FileState.INDEXED, FileState.PARTIAL}:
            text = {part for part in parts if part[0] not in "!?"}
            for word, found in self.searched.items():
                assert (file in found) == (word in text)
            assert (record.state is FileState.PARTIAL) == any(part[0] == "?" for part in parts)
        else:
            assert record.reason
            assert STATE_OF_REASON[record.reason] is record.state
            wrong = node.obstacle or file in self.failing or node.mime_type == "application/zip"
            assert wrong or not parts or any(part[0] in "!?" for part in parts)
        if record.state is FileState.FAILED:
            assert self.failing[file] is record.reason

    @invariant()
    def sound(self) -> None:
        if self.desk.path.exists():
            self.desk.assert_sound()


TestAnySequence = AnySequence.TestCase
TestAnySequence.settings = settings(max_examples=25, stateful_step_count=30, deadline=None)
