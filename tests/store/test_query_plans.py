"""No statement of writing a document, or of searching, walks through a table that grows.

SQLite's own plans are asked: a full walk is a `SCAN` of one of the index's tables. What counts or
lists everything (status, pages of the ledger) may walk the files by an index, and so may the first
narrowed search of a connection.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import apsw
import pytest

from gdrive_rag_mcp.domain import (
    EVERYTHING,
    ChangePage,
    Filters,
    Listed,
    Reason,
    Scope,
    SourceFile,
    SourceFolder,
    SourceShortcut,
)
from gdrive_rag_mcp.store import Store, VectorMatrix
from gdrive_rag_mcp.terms import query_terms
from gdrive_rag_mcp.testing.hand_written import WRITTEN, HandWritten, cut, joined
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder

EMBEDDER = HashingEmbedder(32)
GROWING = {
    *("chunks", "files", "vectors", "documents", "placements", "folders", "vector_log"),
    *("idle_vectors", "shortcuts", "c", "f", "v", "d", "p", "s"),
}


@contextmanager
def plans(store: Store) -> Iterator[dict[str, list[str]]]:
    """The plan of every statement that runs inside, by its text."""
    connection = store._connection
    ran: dict[str, apsw.Bindings | None] = {}

    def note(cursor: apsw.Cursor, statement: str, bindings: apsw.Bindings | None) -> bool:
        ran.setdefault(statement, bindings)
        return True

    found: dict[str, list[str]] = {}
    connection.exec_trace = note
    try:
        yield found
    finally:
        connection.exec_trace = None
    asking = apsw.Connection(str(store.path))
    asking.enable_load_extension(True)
    sqlite_vec = pytest.importorskip("sqlite_vec")
    asking.load_extension(sqlite_vec.loadable_path())
    for statement, bindings in ran.items():
        if statement.lstrip().upper().startswith(("SELECT", "INSERT", "UPDATE", "DELETE", "WITH")):
            rows = asking.execute(f"EXPLAIN QUERY PLAN {statement}", bindings).fetchall()
            found[statement] = [str(row[3]) for row in rows]
    asking.close()


def walks(found: dict[str, list[str]]) -> dict[str, list[str]]:
    """The statements that walk through a table, with those steps."""
    steps = {
        statement: [step for step in plan if step.startswith("SCAN") and step.split()[1] in GROWING]
        for statement, plan in found.items()
    }
    return {" ".join(statement.split()): walked for statement, walked in steps.items() if walked}


@pytest.fixture
def filled(store: Store, hand: HandWritten) -> HandWritten:
    hand.folder("hr")
    for number in range(5):
        hand.put(f"d{number}", "sabbatical leave", f"text {number}", parents=("hr",))
    hand.embed(EMBEDDER)
    return hand


def test_writing_a_document_walks_through_nothing(store: Store, filled: HandWritten) -> None:
    texts = ["sabbatical leave", "edited"]
    with plans(store) as found:
        with store.transaction():
            store.index.replace("d1", joined(texts), cut(texts), chunking="c")
            store.queue.indexed("d1", content_hash="", extraction="1", failures=("x",), now=WRITTEN)
        filled.embed(EMBEDDER)
        store.index.refile("d1")
        store.stored_document("d1")
        filled.delete("d2")
        store.queue.same_content("d1", ())
        store.queue.refused("d3", Reason.NETWORK, "", extraction="1", now=WRITTEN)
    assert len(found) > 25
    assert walks(found) == {}


def test_searching_walks_through_nothing(store: Store, filled: HandWritten) -> None:
    vector = EMBEDDER.embed(["sabbatical"], role="query")[0]
    scope = Scope(frozenset({"hr", "d1"}))
    with Store.open_for_reading(store.path, matrix=VectorMatrix()) as reader:
        reader.index.search_vectors(vector, EVERYTHING, Filters(), 5)  # loads the matrix
        reader.index.statistics((), scope, Filters())  # and the facts of the files
        filled.put("d1", "a change that it has to follow", "sabbatical", parents=("hr",))
        with plans(reader) as found:
            for within in (EVERYTHING, scope):
                for filters in (Filters(), Filters("text/plain")):
                    with reader.reading():
                        statistics = reader.index.statistics(
                            query_terms("policies sabbatical"), within, filters
                        )
                        reader.index.search_text(statistics.terms, within, filters, 5)
                        nearest = reader.index.search_vectors(vector, within, filters, 5)
                        numbers = [match.chunk for match in nearest.matches]
                        assert reader.index.passages(numbers, within)
            filled.put("d9", "a change to follow")
            filled.embed(EMBEDDER)
            reader.index.search_vectors(vector, EVERYTHING, Filters(), 5)
            reader.ledger.resolve_scope("hr", EVERYTHING)
            reader.ledger.get("d1", scope)
            reader.catalog.document("d1", EVERYTHING)
            list(reader.catalog.chunks("d1", EVERYTHING))
    assert len(found) > 20
    assert walks(found) == {}


def test_an_idle_sync_walks_through_no_chunk_and_no_text(store: Store, filled: HandWritten) -> None:
    with plans(store) as found:
        store.inventory.begin_run()
        store.inventory.begin_listing()
        files = tuple(
            SourceFile(f"d{number}", f"d{number}.txt", "text/plain", ("hr",), "1")
            for number in range(5)
        )
        filled.record(ChangePage(files=files))
        assert store.inventory.place() == []
        store.straying.unseen()
        store.straying.close_listing()
        store.straying.strays(told_only=False)
        store.straying.release()
        store.queue.look_again(extraction="1", everything=False)
        store.queue.work(WRITTEN)
        store.cut_otherwise("one text a chunk")
        store.index.without_vector(0, 10)
        store.index.waiting()
        store.tidy(WRITTEN)
    assert len(found) > 15
    walked = {step for steps in walks(found).values() for step in steps}
    # What was not listed is found by looking at every line of the ledger and of the ancestry; the
    # others are short lists of what waits to be placed, has gone astray, or nothing uses.
    assert walked == {
        *("SCAN files", "SCAN folders", "SCAN shortcuts", "SCAN idle_vectors"),
        *(f"SCAN files USING INDEX {short}" for short in ("files_to_place", "files_astray")),
    }


def test_an_idle_poll_of_a_log_walks_through_nothing_that_grows(
    store: Store, filled: HandWritten
) -> None:
    store.straying.close_listing()
    with plans(store) as found:
        store.inventory.begin_run()
        store.inventory.place()
        assert store.frontier(WRITTEN).folders() == ()
        assert store.frontier(WRITTEN).lookups() == ()
        store.straying.strays(told_only=True)
        store.straying.strays(told_only=False)
        store.straying.came_back_elsewhere([])
        store.straying.release()
        store.queue.look_again(extraction="1", everything=False)
        store.queue.work(WRITTEN)
    walked = {step for steps in walks(found).values() for step in steps}
    # Short lists of what waits to be placed or listed, and of what has gone astray; links are few.
    assert walked == {
        "SCAN files USING INDEX files_to_place",
        "SCAN files USING INDEX files_astray",
        "SCAN folders USING INDEX folders_to_list",
        "SCAN folders USING INDEX folders_missing",
        "SCAN folders USING INDEX folders_root",
        *("SCAN s", "SCAN shortcuts"),
    }


def test_listing_a_folder_that_came_into_scope_walks_through_nothing_that_grows(
    store: Store, filled: HandWritten
) -> None:
    store.straying.close_listing()
    with plans(store) as found:
        filled.record(
            ChangePage(
                files=(SourceFile("d1", "d1.txt", "text/plain", ("hr",), "1"),),
                folders=(SourceFolder("new", "new", ("hr",)),),
                listed=Listed("hr"),
            )
        )
    walked = {step for steps in walks(found).values() for step in steps}
    # Those that lie in several folders, and links, are few.
    assert walked == {"SCAN folders USING INDEX folders_in_several", "SCAN shortcuts"}


def test_news_of_a_link_ask_no_more_the_more_folders_are_closed(
    store: Store, filled: HandWritten
) -> None:
    def statements_of_a_link(number: int) -> int:
        ran: list[str] = []

        def note(_cursor: apsw.Cursor, statement: str, _: apsw.Bindings | None) -> bool:
            ran.append(statement)
            return True

        store._connection.exec_trace = note
        link = SourceShortcut(f"link{number}", "link", ("hr",), "d1")
        filled.record(ChangePage(shortcuts=(link,), news=True))
        store._connection.exec_trace = None
        return len(ran)

    def close_folders(first: int, count: int) -> None:
        closed = range(first, first + count)
        filled.record(
            ChangePage(
                folders=tuple(
                    SourceFolder(f"c{one}", "closed", ("hr",), obstacle=Reason.ACCESS_DENIED)
                    for one in closed
                )
            )
        )

    close_folders(0, 1)
    once = statements_of_a_link(0)
    close_folders(1, 30)
    assert statements_of_a_link(1) == once
