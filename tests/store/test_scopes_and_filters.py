"""Scopes and filters: everything that is inside is found, nothing that is outside."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest

from gdrive_rag_mcp.domain import EVERYTHING, ChangePage, Filters, Scope
from gdrive_rag_mcp.store import Store, VectorMatrix
from gdrive_rag_mcp.terms import query_terms
from gdrive_rag_mcp.testing.hand_written import (
    HandWritten,
    found_by_vector,
    found_by_words,
    text_file,
)
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder

EMBEDDER = HashingEmbedder(32)
VECTOR = EMBEDDER.embed(["sabbatical"], role="query")[0]
JANUARY = datetime(2026, 1, 15, 12, tzinfo=UTC)


def scope(*ids: str) -> Scope:
    return Scope(frozenset(ids))


@pytest.fixture
def tree(store: Store, hand: HandWritten) -> Store:
    """root/{a, HR/{b, Leave_2026/{c}}, hr/{d}, -x-/{e}}; every text says sabbatical."""
    hand.folder("HR")
    hand.folder("Leave_2026", parents=("HR",))
    hand.folder("hr")
    hand.folder("-x-")
    for name, parent in (
        ("a", "root"),
        ("b", "HR"),
        ("c", "Leave_2026"),
        ("d", "hr"),
        ("e", "-x-"),
    ):
        hand.put(name, f"sabbatical in {name}", "more sabbatical", parents=(parent,))
    hand.embed(EMBEDDER)
    return store


def seen(store: Store, within: Scope, filters: Filters | None = None) -> set[str]:
    """The documents in scope, as every way of reading tells; all ways must agree."""
    narrowed = filters or Filters()
    by_words = {hit.document_id for hit in found_by_words(store, "sabbatical", within, narrowed)}
    by_vec0 = {chunk.split(":")[0] for chunk, _ in found_by_vector(store, VECTOR, within, narrowed)}
    with Store.open_for_reading(store.path, matrix=VectorMatrix()) as other:
        found = found_by_vector(other, VECTOR, within, narrowed)
    by_matrix = {chunk.split(":")[0] for chunk, _ in found}
    with store.reading():
        statistics = store.index.statistics(query_terms("sabbatical"), within, narrowed)
    assert by_words == by_vec0 == by_matrix
    assert statistics.documents == len(by_words)
    assert statistics.chunks == 2 * statistics.documents
    if statistics.terms:
        assert statistics.terms[0].chunks == statistics.chunks
    return by_words


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        (["root"], "abcde"),
        (["HR"], "bc"),
        (["hr"], "d"),
        (["Leave_2026"], "c"),
        (["-x-"], "e"),
        (["b"], "b"),
        (["hr", "Leave_2026", "a"], "acd"),
        (["HR", "c"], "bc"),
        (["nowhere"], ""),
        (["nowhere", "e"], "e"),
        ([], ""),
        (["Hr"], ""),
        (["Leave"], ""),
        (["%"], ""),
    ],
)
def test_a_scope_holds_what_lies_below_its_folders_and_its_files(
    tree: Store, ids: list[str], expected: str
) -> None:
    assert seen(tree, scope(*ids)) == set(expected)
    assert seen(tree, EVERYTHING) == set("abcde")


def test_passages_outside_the_scope_are_left_out(tree: Store) -> None:
    with tree.reading():
        statistics = tree.index.statistics(query_terms("sabbatical"), EVERYTHING, Filters())
        matches = tree.index.search_text(statistics.terms, EVERYTHING, Filters(), 50)
        chunks = [match.chunk for match in matches]
        inside = tree.index.passages(chunks, scope("HR"))
    assert {passage.document_id for passage in inside.values()} == {"b", "c"}
    assert tree.catalog.document("a", scope("HR")) is None
    assert list(tree.catalog.chunks("a", scope("HR"))) == []
    assert tree.ledger.get("a", scope("HR")) is None
    assert tree.catalog.status(scope("HR")).documents == 2


def test_a_text_that_poses_as_a_scope_stays_where_it_is(tree: Store, hand: HandWritten) -> None:
    """Scope tokens are private-use characters with a number; texts and questions may hold them."""
    [(number,)] = tree._connection.execute("SELECT num FROM folders WHERE id = 'HR'")
    posing = f"\ue000{number:x} \ue001{number:x} sabbatical"
    hand.put(text_file("spy", name=posing), posing, posing, title=posing, headings=(posing,))
    hand.embed(EMBEDDER)
    assert seen(tree, scope("HR")) == {"b", "c"}
    everything = {hit.document_id for hit in found_by_words(tree, posing, EVERYTHING)}
    assert everything == set("abcde") | {"spy"}
    assert {hit.document_id for hit in found_by_words(tree, posing, scope("hr"))} == {"d"}


def test_a_file_in_several_folders_is_in_all_of_their_scopes(
    store: Store, hand: HandWritten
) -> None:
    for folder in ("one", "two", "three"):
        hand.folder(folder)
    hand.folder("below", parents=("one", "two"))
    hand.put("a", "sabbatical", "sabbatical", parents=("below", "three"))
    hand.embed(EMBEDDER)
    for folder in ("one", "two", "three", "below", "root"):
        assert seen(store, scope(folder)) == {"a"}


def test_folders_that_lie_in_each_other_end_no_walk(store: Store, hand: HandWritten) -> None:
    hand.folder("x", parents=("y", "root"))
    hand.folder("y", parents=("z",))
    hand.folder("z", parents=("x",))
    hand.folder("self", parents=("self", "root"))
    for name, parent in (("a", "x"), ("b", "y"), ("c", "z"), ("d", "self")):
        hand.put(name, "sabbatical", "sabbatical", parents=(parent,))
    hand.embed(EMBEDDER)
    for folder in "xyz":
        assert seen(store, scope(folder)) == {"a", "b", "c"}
        assert store.ledger.resolve_scope(folder, EVERYTHING) == scope(folder)
        assert store.ledger.resolve_scope(folder, scope("y")) == scope(folder)
    assert seen(store, scope("self")) == {"d"}


def test_a_very_deep_tree_is_searched_like_any_other(store: Store, hand: HandWritten) -> None:
    above = "root"
    with store.transaction():
        for level in range(2000):
            hand.folder(f"f{level}", parents=(above,), name=str(level))
            above = f"f{level}"
    hand.put("deep", "sabbatical", "sabbatical", parents=(above,))
    hand.embed(EMBEDDER)
    for folder in ("root", "f0", "f1000", "f1999"):
        assert seen(store, scope(folder)) == {"deep"}
    record = store.ledger.get("deep", scope("f5"))
    assert record
    assert record.path.startswith("0/1/2/")
    assert record.path.endswith("/1999/deep.txt")
    assert store.ledger.resolve_scope("f1999", scope("f3")) == scope("f1999")


def many(hand: HandWritten, count: int, modified: Iterable[datetime | None]) -> None:
    for number, moment in zip(range(count), modified, strict=True):
        mime = "application/pdf" if number % 10 == 0 else "text/plain"
        listed = text_file(f"n{number:03}", mime_type=mime, modified=moment)
        hand.put(listed, "sabbatical " * (1 + number % 3), "sabbatical")


def test_filters_narrow_and_are_inclusive(store: Store, hand: HandWritten) -> None:
    days = [JANUARY + timedelta(days=number) for number in range(19)] + [None]
    many(hand, 20, days)
    hand.embed(EMBEDDER)
    assert seen(store, EVERYTHING, Filters("application/pdf")) == {"n000", "n010"}
    assert seen(store, EVERYTHING, Filters("application/zip")) == set()
    late = seen(store, EVERYTHING, Filters(modified_after=days[16]))
    assert late == {"n016", "n017", "n018"}
    early = seen(store, EVERYTHING, Filters(modified_before=days[1]))
    assert early == {"n000", "n001"}
    day = Filters(modified_after=days[5], modified_before=days[5])
    assert seen(store, EVERYTHING, day) == {"n005"}
    assert seen(store, scope("n000", "n003"), Filters("application/pdf")) == {"n000"}


def test_a_moment_is_the_same_in_every_time_zone(store: Store, hand: HandWritten) -> None:
    east = timezone(timedelta(hours=14))
    many(hand, 2, [JANUARY.astimezone(east), JANUARY + timedelta(microseconds=1)])
    hand.embed(EMBEDDER)
    exact = Filters(modified_before=JANUARY.astimezone(timezone(-timedelta(hours=11))))
    assert seen(store, EVERYTHING, exact) == {"n000"}
    record = store.ledger.get("n000", EVERYTHING)
    assert record
    assert record.modified_time == JANUARY


def test_the_first_and_the_last_moment_there_is_are_bounds_like_others(
    store: Store, hand: HandWritten
) -> None:
    many(hand, 2, [JANUARY, JANUARY])
    hand.embed(EMBEDDER)
    east, west = timezone(timedelta(hours=14)), timezone(-timedelta(hours=12))
    always = Filters(
        modified_after=datetime.min.replace(tzinfo=east),
        modified_before=datetime.max.replace(tzinfo=west),
    )
    assert seen(store, EVERYTHING, always) == {"n000", "n001"}
    old = Filters(modified_before=datetime(999, 1, 1, tzinfo=UTC))
    assert seen(store, EVERYTHING, old) == set()


def test_the_only_match_that_passes_a_filter_is_found_below_hundreds_that_do_not(
    store: Store, hand: HandWritten
) -> None:
    with store.transaction():
        for number in range(400):
            hand.put(f"n{number}", "sabbatical sabbatical sabbatical")
        weak = "a long text that mentions a sabbatical once among very many other words " * 5
        hand.put(text_file("last", mime_type="application/pdf"), weak)
        hand.embed(EMBEDDER)
    pdf = Filters("application/pdf")
    assert [hit.document_id for hit in found_by_words(store, "sabbatical", filters=pdf)] == ["last"]
    assert [chunk[:5] for chunk, _ in found_by_vector(store, VECTOR, filters=pdf)] == ["last:"]
    with store.reading():
        statistics = store.index.statistics(query_terms("sabbatical"), EVERYTHING, pdf)
    assert (statistics.documents, statistics.chunks, statistics.terms[0].chunks) == (1, 1, 1)


def test_what_a_scope_does_not_know_is_said_of_the_scope(tree: Store, hand: HandWritten) -> None:
    hand.put("f", "nowhere else: okapi", "okapi sabbatical", parents=("hr",))
    hand.embed(EMBEDDER)
    terms = query_terms("okapi sabbatical")

    def known(within: Scope) -> list[int]:
        return [term.chunks for term in tree.index.statistics(terms, within, Filters()).terms]

    assert known(EVERYTHING) == [2, 11]
    assert known(scope("hr")) == [2, 3]
    assert known(scope("HR")) == [0, 4]
    assert known(scope("nowhere")) == []


def test_chunks_without_a_vector_are_counted_in_scope(tree: Store, hand: HandWritten) -> None:
    hand.put("f", "sabbatical", "one", "two", parents=("hr",))

    def waiting(within: Scope) -> int:
        return tree.index.statistics((), within, Filters()).vectorless_chunks

    assert (waiting(EVERYTHING), waiting(scope("hr")), waiting(scope("HR"))) == (3, 3, 0)
    assert tree.index.waiting() == 3
    assert tree.catalog.status(scope("hr")).vectors == 2
    hand.embed(EMBEDDER)
    assert (waiting(EVERYTHING), tree.index.waiting()) == (0, 0)


def test_a_folder_listed_after_its_files_takes_them_in(store: Store, hand: HandWritten) -> None:
    hand.put("a", "sabbatical", "sabbatical", parents=("late",))
    hand.embed(EMBEDDER)
    assert seen(store, scope("late")) == set()
    hand.folder("late")
    hand.settle()
    assert seen(store, scope("late")) == seen(store, scope("root")) == {"a"}


def test_renaming_and_moving_at_random_keeps_scopes_true(store: Store, hand: HandWritten) -> None:
    draw = np.random.default_rng(11)
    folders = [f"f{number}" for number in range(6)]
    parent = dict.fromkeys(folders, "root")
    for folder in folders:
        hand.folder(folder)
    home = {f"d{number}": "root" for number in range(8)}
    for file in home:
        hand.put(file, "sabbatical", "sabbatical")
    hand.embed(EMBEDDER)
    for _ in range(40):
        folder = folders[int(draw.integers(6))]
        above = ["root", *folders[: folders.index(folder)]]  # no cycles: only to lower numbers
        parent[folder] = above[int(draw.integers(len(above)))]
        hand.folder(folder, parents=(parent[folder],), name=f"name{draw.integers(3)}")
        file = f"d{draw.integers(8)}"
        home[file] = ["root", *folders][int(draw.integers(7))]
        listed = text_file(file, parents=(home[file],))
        hand.record(ChangePage(files=(listed,)))
        hand.settle()
    for folder in folders:
        below = {folder}
        for other in folders:  # parents come first
            if parent[other] in below:
                below.add(other)
        assert seen(store, scope(folder)) == {file for file in home if home[file] in below}
