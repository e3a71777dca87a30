"""Scopes and filters are those of the state that a connection sees, whoever wrote in between."""

import multiprocessing
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest

from gdrive_rag_mcp.domain import EVERYTHING, ChangePage, Filters, Scope
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.terms import query_terms
from gdrive_rag_mcp.testing.hand_written import WRITTEN, HandWritten, found_by_words, text_file
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder

PDF = Filters("application/pdf")
HR = Scope(frozenset({"hr"}))
EMBEDDER = HashingEmbedder(32)
LOOKED_AWAY = 0.7
"""The share of the steps between which a reader that follows does not look."""


def answer(store: Store, within: Scope, filters: Filters) -> tuple[object, ...]:
    """All that a narrowed search says of the index."""
    with store.reading():
        statistics = store.index.statistics(query_terms("leave"), within, filters)
        matches = store.index.search_text(statistics.terms, within, filters, 99)
    counts = (statistics.documents, statistics.chunks, statistics.vectorless_chunks)
    return (*counts, [term.chunks for term in statistics.terms], matches)


def write_elsewhere(path: Path) -> None:
    """What another process does meanwhile."""
    with Store.open_for_writing(path) as store:
        hand = HandWritten(store)
        hand.put(text_file("c", mime_type="application/pdf"), "leave", "leave")
        hand.record(ChangePage(files=(text_file("a", mime_type="text/plain"),)))


def test_a_reader_counts_and_finds_in_one_and_the_same_state(
    store: Store, hand: HandWritten
) -> None:
    for name in "ab":
        hand.put(text_file(name, mime_type="application/pdf"), "leave", "leave")
    with Store.open_for_reading(store.path) as reader:
        with reader.reading():
            before = answer(reader, EVERYTHING, PDF)
            other = multiprocessing.get_context("spawn").Process(
                target=write_elsewhere, args=(store.path,)
            )
            other.start()
            other.join()
            assert other.exitcode == 0
            assert answer(reader, EVERYTHING, PDF) == before
            everything = answer(reader, EVERYTHING, Filters())
            assert everything == before
        assert [hit.document_id for hit in found_by_words(reader, "leave", filters=PDF)] == [
            *("b", "b"),
            *("c", "c"),
        ]
        assert answer(reader, EVERYTHING, Filters())[:2] == (3, 6)


def test_a_type_or_day_that_changes_without_the_content_is_found_by_at_once(
    store: Store, hand: HandWritten
) -> None:
    hand.put(text_file("a", modified=WRITTEN), "leave")
    hand.put(text_file("b", modified=WRITTEN), "leave")
    late = Filters(modified_after=WRITTEN + timedelta(days=9))
    early = Filters(modified_before=WRITTEN)
    with Store.open_for_reading(store.path) as reader:
        assert [answer(reader, EVERYTHING, one)[0] for one in (PDF, late, early)] == [0, 0, 2]
        before = store._connection.total_changes()
        touched = text_file("a", mime_type="application/pdf", modified=WRITTEN + timedelta(days=9))
        hand.record(ChangePage(files=(touched,)))
        assert store._connection.total_changes() - before < 10  # of the ledger alone
        assert [answer(reader, EVERYTHING, one)[0] for one in (PDF, late, early)] == [1, 1, 1]
        hand.record(ChangePage(files=(text_file("b", modified=None),)))
        assert [answer(reader, EVERYTHING, one)[0] for one in (PDF, late, early)] == [1, 1, 0]


def test_a_moved_folder_takes_its_files_along_and_no_text_is_written_again(
    store: Store, hand: HandWritten
) -> None:
    hand.folder("hr")
    hand.folder("box")
    hand.put("a", "leave", parents=("box",))
    with Store.open_for_reading(store.path) as reader:
        assert answer(reader, HR, Filters())[0] == 0
        hand.folder("box", parents=("hr",))
        assert hand.settle() == []
        assert [hit.document_id for hit in found_by_words(reader, "leave", HR)] == ["a"]


def test_what_was_rolled_back_is_not_remembered(store: Store, hand: HandWritten) -> None:
    hand.folder("hr")
    hand.put("a", "leave", parents=("hr",))
    before = answer(store, HR, Filters()), answer(store, EVERYTHING, Filters())
    with store.rehearsal():
        hand.put("b", "leave", parents=("hr",))
        assert answer(store, HR, Filters())[0] == 2
    assert (answer(store, HR, Filters()), answer(store, EVERYTHING, Filters())) == before
    with store.rehearsal():
        hand.put(text_file("b", mime_type="application/pdf"), "leave")
        assert answer(store, EVERYTHING, PDF)[0] == 1
    hand.put("c", "leave", parents=("hr",))  # takes the numbers that b had
    assert answer(store, EVERYTHING, PDF)[0] == 0
    assert [hit.document_id for hit in found_by_words(store, "leave", HR)] == ["a", "c"]


@pytest.mark.parametrize("struck", [True, False], ids=["struck", "without text"])
def test_a_file_that_came_and_went_between_two_looks_is_in_no_scope(
    store: Store, hand: HandWritten, *, struck: bool
) -> None:
    hand.folder("hr")
    hand.put("a", "leave", parents=("hr",))
    with Store.open_for_reading(store.path) as reader:
        before = answer(reader, HR, Filters())
        assert before[0] == 1
        hand.put("passing", "leave", parents=("hr",))
        if struck:
            hand.delete("passing")
        else:
            store.index.remove("passing")
        assert answer(reader, HR, Filters()) == before
        hand.put("b", "leave", parents=("hr",))
        assert answer(reader, HR, Filters())[:2] == (2, 2)


def test_a_reader_that_follows_says_what_one_says_that_comes_new(
    store: Store, hand: HandWritten
) -> None:
    draw = np.random.default_rng(5)
    folders = ("root", "hr", "law", "tax")
    for folder in folders[1:]:
        hand.folder(folder)
    narrowed = [
        (scope, filters)
        for scope in (EVERYTHING, *(Scope(frozenset({folder})) for folder in (*folders, "d3")))
        for filters in (Filters(), PDF, Filters(modified_after=WRITTEN))
    ]
    latest = ""
    with Store.open_for_reading(store.path) as following:
        for step in range(120):
            name = f"d{draw.integers(12)}"
            file = text_file(
                name,
                parents=(folders[draw.integers(4)],),
                mime_type=("application/pdf", "text/plain")[draw.integers(2)],
                modified=(WRITTEN, None)[draw.integers(2)],
            )
            match step % 5:
                case 0 | 1:
                    hand.put(file, *["leave"] * int(draw.integers(1, 4)))
                    latest = name
                case 2:
                    hand.record(ChangePage(files=(file,)))
                    hand.settle()
                case 3:
                    above = folders[draw.integers(2)]
                    hand.folder(folders[2 + draw.integers(2)], parents=(above,))
                    hand.settle()
                case _:
                    hand.delete((name, latest)[draw.integers(2)])
            if step % 7 == 0:
                hand.embed(EMBEDDER)
            if draw.random() < LOOKED_AWAY:
                continue
            some = [narrowed[place] for place in draw.integers(len(narrowed), size=5)]
            said = [answer(following, *one) for one in some]
            with Store.open_for_reading(store.path) as new:
                assert said == [answer(new, *one) for one in some]


def test_more_changes_than_are_worth_following_are_read_anew(
    store: Store, hand: HandWritten
) -> None:
    hand.put("first", "leave")
    with Store.open_for_reading(store.path) as reader:
        assert answer(reader, EVERYTHING, PDF)[0] == 0
        with store.transaction():
            for number in range(1200):
                hand.put(text_file(f"n{number}", mime_type="application/pdf"), "leave")
        assert answer(reader, EVERYTHING, PDF)[:2] == (1200, 1200)
