"""A narrowed search is the search of everything, less what the scope and the filters keep out."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gdrive_rag_mcp.domain import EVERYTHING, ChangePage, Filters, Scope, TextMatch
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.terms import query_terms
from gdrive_rag_mcp.testing.hand_written import HandWritten, text_file

FILES = 90
FIRST_DAY = datetime(2026, 1, 1, tzinfo=UTC)
ABOVE = {"root": (), "a": ("root",), "b": ("a",), "c": ("b",), "d": ("root",)}
TYPES = ("text/plain", "application/pdf", "text/markdown")


class Facts(NamedTuple):
    """What the test knows of a file."""

    folders: frozenset[str]
    mime: str
    modified: datetime | None


def facts_of(number: int) -> Facts:
    """Of few folders and types, a tenth without a time, many at the same."""
    home = ("c", "root", "a", "d", "root", "b", "a", "root", "root")[number % 9]
    above, folder = {home}, home
    while parents := ABOVE[folder]:
        folder = parents[0]
        above.add(folder)
    hours = timedelta(hours=(number * 7) % 100)
    modified = None if number % 10 == 3 else FIRST_DAY + hours
    return Facts(frozenset(above), TYPES[number % 7 % 3], modified)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    path: Path = tmp_path_factory.mktemp("narrowed") / "index.db"
    with Store.open_for_writing(path) as writer:
        hand = HandWritten(writer)
        with writer.transaction():
            for folder in ("a", "b", "c", "d"):
                hand.folder(folder, parents=ABOVE[folder])
            for number in range(FILES):
                facts = facts_of(number)
                home = max(facts.folders, key=lambda folder: len(_all_above(folder)))
                listed = text_file(
                    f"f{number}", mime_type=facts.mime, modified=facts.modified, parents=(home,)
                )
                words = ["leave"] * (1 + number % 3) + ["okapi"] * (number % 5 == 0)
                hand.put(listed, " ".join(words), "the leave", "nothing of the sort")
    with Store.open_for_reading(path) as reader:
        yield reader


def _all_above(folder: str) -> list[str]:
    return [folder, *(one for parent in ABOVE[folder] for one in _all_above(parent))]


def ranked(store: Store, within: Scope, filters: Filters, limit: int) -> tuple[TextMatch, ...]:
    terms = store.index.statistics(query_terms("the okapi leave"), EVERYTHING, Filters()).terms
    return store.index.search_text(terms, within, filters, limit)


moments = st.none() | st.integers(-30, 130).map(
    lambda half: FIRST_DAY + timedelta(hours=half, microseconds=half % 2)
)
scopes = st.just(EVERYTHING) | st.frozensets(
    st.sampled_from([*ABOVE, "f1", "f3", "f40", "nowhere"]), max_size=4
).map(Scope)
filters_of_all_kinds = st.builds(
    Filters, st.sampled_from([None, *TYPES, "no/such"]), moments, moments
)


def fits(facts: Facts, file: str, within: Scope, filters: Filters) -> bool:
    modified = facts.modified
    return (
        (within.ids is None or bool(within.ids & (facts.folders | {file})))
        and filters.mime_type in (None, facts.mime)
        and (
            filters.modified_after is None
            or (modified is not None and modified >= filters.modified_after)
        )
        and (
            filters.modified_before is None
            or (modified is not None and modified <= filters.modified_before)
        )
    )


@settings(max_examples=150, deadline=None)
@given(scopes, filters_of_all_kinds, st.integers(1, 60))
def test_a_narrowed_ranking_is_the_whole_one_without_what_does_not_fit(
    filled: Store, within: Scope, filters: Filters, limit: int
) -> None:
    with filled.reading():
        whole = ranked(filled, EVERYTHING, Filters(), 10 * FILES)
        homes = {
            number: passage.document_id
            for number, passage in filled.index.passages(
                [match.chunk for match in whole], EVERYTHING
            ).items()
        }
        found = ranked(filled, within, filters, limit)
        statistics = filled.index.statistics(query_terms("okapi leave"), within, filters)
    fitting = {
        f"f{number}"
        for number in range(FILES)
        if fits(facts_of(number), f"f{number}", within, filters)
    }
    expected = [match for match in whole if homes[match.chunk] in fitting]
    assert found == tuple(expected[:limit])
    assert statistics.documents == len(fitting)
    assert statistics.chunks == 3 * len(fitting)
    if fitting:
        okapi, leave = statistics.terms
        assert leave.chunks == 2 * len(fitting)
        assert okapi.chunks == sum(int(file[1:]) % 5 == 0 for file in fitting)


def test_what_ranks_alike_is_in_order_of_number(filled: Store) -> None:
    found = ranked(filled, EVERYTHING, Filters(), 3 * FILES)
    assert len(found) == 3 * FILES
    assert len({match.bm25 for match in found}) < FILES
    assert list(found) == sorted(found, key=lambda match: (-match.bm25, match.chunk))


def test_function_words_are_known_by_their_scope_where_nothing_else_is_asked(
    store: Store, hand: HandWritten
) -> None:
    hand.put("a", "what is it")
    hand.put("b", "nothing else")

    def known(question: str, *ids: str) -> list[int]:
        terms = query_terms(question)
        within = Scope(frozenset(ids))
        return [term.chunks for term in store.index.statistics(terms, within, Filters()).terms]

    assert known("what is", "a") == [1, 1]
    assert known("what is", "b") == [0, 0]
    assert known("what is nothing", "b") == [1, 1, 1]  # a word of the index: nobody looks closer


def test_chunks_whose_numbers_are_torn_apart_stay_with_their_file(
    store: Store, hand: HandWritten
) -> None:
    hand.put("a", "leave", "leave", "leave", "leave")
    hand.put("b", "leave")
    first, second = (
        number
        for (number,) in store._connection.execute(
            "SELECT num FROM files WHERE id IN ('a', 'b') ORDER BY id"
        )
    )
    store._connection.execute(
        "UPDATE chunks SET file = ?, ordinal = 9 WHERE file = ? AND ordinal = 1", (second, first)
    )
    with Store.open_for_reading(store.path) as reader:
        for name, ordinals in (("a", [0, 2, 3]), ("b", [1, 4])):
            found = ranked(reader, Scope(frozenset({name})), Filters(), 9)
            assert [match.chunk - 1 for match in found] == ordinals


def test_a_record_of_a_file_that_never_had_text_changes_no_search(
    store: Store, hand: HandWritten
) -> None:
    hand.put("a", "leave")
    with Store.open_for_reading(store.path) as reader:
        assert len(ranked(reader, Scope(frozenset({"root"})), Filters(), 9)) == 1
        hand.record(ChangePage(files=(text_file("b", modified=FIRST_DAY),)))
        hand.settle()
        assert len(ranked(reader, Scope(frozenset({"root"})), Filters(), 9)) == 1
        assert ranked(reader, Scope(frozenset({"b"})), Filters(), 9) == ()
