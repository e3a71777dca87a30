"""What must hold of an index after a calm sync: it is the tree, and nothing more is to be done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gdrive_rag_mcp.domain import EVERYTHING, FileState, Reason, Scope
from gdrive_rag_mcp.indexing.sync import SyncOptions
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.hand_written import found_by_words
from tests.drive_model.deeds import IMAGE
from tests.drive_model.tree import Tree, held

if TYPE_CHECKING:
    from tests.drive_model.telling import Telling


def assert_equal(telling: Telling, tree: Tree) -> None:
    """The index is the tree: every line, every text, every place, and nothing twice."""
    records = telling.records()
    missing, surplus = tree.lines - set(records), set(records) - tree.lines - tree.unknown
    assert not missing, f"{_named(telling, missing)} are missing"
    assert not surplus, f"{_named(telling, surplus)} should not be there"
    for identifier in tree.blocked:
        assert records[identifier].reason is Reason.ACCESS_DENIED, records[identifier]
    for identifier in tree.broken:
        assert records[identifier].reason is Reason.BROKEN_SHORTCUT, records[identifier]
    with Store.open_for_reading(telling.index) as store:
        for identifier, item in tree.files.items():
            record = records[identifier]
            assert record.name == item.name, record
            if item.mime_type == IMAGE:
                assert record.reason is Reason.UNSUPPORTED_TYPE, record
                continue
            assert record.state is FileState.INDEXED, record
            document = store.stored_document(identifier)
            assert document is not None
            assert document.text == held(item).decode(), record
            word = telling.people.words[identifier]
            found = [hit.document_id for hit in found_by_words(store, word)]
            assert found == [identifier], (word, found)
        assert store.catalog.status(EVERYTHING).chunks == sum(
            record.chunk_count for record in records.values()
        )
        _assert_placed(telling, store, tree)


def _assert_placed(telling: Telling, store: Store, tree: Tree) -> None:
    """Each folder, as a scope, holds what is below it, and maybe what closed doors there hide."""
    for folder in tree.folders:
        here = telling.people.viewer.tree(folder)
        below = set(here.files)
        hidden = here.behind | (telling.people.once_behind_doors if here.blocked else set())
        known = {
            record.id
            for record in store.ledger.all(Scope(frozenset({folder})))
            if record.id in tree.files
        }
        assert below <= known, (_named(telling, {folder}), _named(telling, below - known))
        assert known <= below | hidden, (
            _named(telling, {folder}),
            _named(telling, known - below),
        )


def assert_idle(telling: Telling) -> None:
    """With nothing new, nothing is done."""
    telling.drive.requests.clear()
    report = telling.sync(SyncOptions())
    counts = telling.drive.counts()
    done = (report.added, report.updated, report.moved, report.removed, report.downloads)
    failed = telling.retried()
    assert done[:4] == (0, 0, 0, 0), done
    assert done[4] <= failed, f"{done}, but {failed} failed before"
    contents = {"media", "export"} if failed else set()
    assert set(counts) <= {"get", "changes", "start_token", "list", *contents}, counts


def _named(telling: Telling, ids: set[str]) -> list[str]:
    world = telling.people.files.world.items
    return [f"{one} {world[one].name if one in world else '(gone)'}" for one in sorted(ids)]
