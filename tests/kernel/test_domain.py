"""What the nouns of the project promise."""

import hashlib
from dataclasses import FrozenInstanceError, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdrive_rag_mcp.domain import (
    EVERYTHING,
    SEARCHABLE_STATES,
    STATE_OF_REASON,
    Chunk,
    Coverage,
    FileState,
    Filters,
    Locator,
    Reason,
    Scope,
)

PLACE = Locator("heading", "Leave > Unpaid")
CHUNK = Chunk(
    3, 10, 24, "Six weeks off.", PLACE, title="Handbook", headings=("Leave", "Unpaid"), context="C"
)


def test_every_reason_belongs_to_one_state() -> None:
    assert set(STATE_OF_REASON) == set(Reason)


def test_no_reason_excuses_a_file_that_is_indexed_or_not_yet_looked_at() -> None:
    explained = set(STATE_OF_REASON.values())

    assert explained == set(FileState) - {FileState.INDEXED, FileState.PENDING}


def test_a_chunk_is_embedded_under_its_own_title_headings_and_context() -> None:
    assert CHUNK.embedded_text == "Handbook\nLeave > Unpaid\nC\nSix weeks off."


@pytest.mark.parametrize(
    ("chunk", "expected"),
    [
        (replace(CHUNK, title="", headings=(), context=""), "Six weeks off."),
        (replace(CHUNK, headings=("Handbook",), context=""), "Handbook\nSix weeks off."),
        (replace(CHUNK, title="", context=""), "Leave > Unpaid\nSix weeks off."),
    ],
    ids=["nothing above", "the title is the heading", "no title"],
)
def test_what_is_not_above_a_chunk_leaves_no_line(chunk: Chunk, expected: str) -> None:
    assert chunk.embedded_text == expected


def test_the_hash_of_a_chunk_is_that_of_its_embedded_text() -> None:
    assert CHUNK.hash == hashlib.sha256(CHUNK.embedded_text.encode()).hexdigest()


@pytest.mark.parametrize(
    "moved",
    [
        replace(CHUNK, ordinal=9, start=100, end=114),
        replace(CHUNK, locator=Locator("page", "7", 7, 7)),
    ],
    ids=["another place in the text", "another locator"],
)
def test_a_chunk_that_only_moved_needs_no_new_embedding(moved: Chunk) -> None:
    assert moved.hash == CHUNK.hash


@pytest.mark.parametrize(
    "changed",
    [
        replace(CHUNK, text="Six weeks on."),
        replace(CHUNK, title="Manual"),
        replace(CHUNK, headings=("Leave",)),
        replace(CHUNK, context=""),
    ],
    ids=["text", "title", "headings", "context"],
)
def test_a_chunk_that_reads_otherwise_needs_a_new_embedding(changed: Chunk) -> None:
    assert changed.hash != CHUNK.hash


def test_a_chunk_cannot_be_changed_after_its_hash_was_taken() -> None:
    assert CHUNK.hash
    with pytest.raises(FrozenInstanceError):
        CHUNK.text = "other"  # type: ignore[misc] # that it fails is what is tested


@given(st.dictionaries(st.sampled_from(FileState), st.integers(0, 10**6)))
def test_the_parts_of_coverage_add_up(by_state: dict[FileState, int]) -> None:
    coverage = Coverage(by_state, {})

    assert coverage.in_scope == sum(by_state.values())
    assert coverage.searchable == sum(by_state.get(state, 0) for state in SEARCHABLE_STATES)
    assert coverage.searchable + coverage.unreadable == coverage.in_scope
    assert coverage.unreadable >= 0


def test_what_is_searchable_is_indexed_wholly_or_in_part() -> None:
    assert set(SEARCHABLE_STATES) == {FileState.INDEXED, FileState.PARTIAL}
    assert Coverage({FileState.INDEXED: 2, FileState.PARTIAL: 3, FileState.HELD: 5}, {}) == (
        Coverage({FileState.HELD: 5, FileState.PARTIAL: 3, FileState.INDEXED: 2}, {})
    )


def test_a_scope_of_nothing_is_not_the_scope_of_everything() -> None:
    assert EVERYTHING.everything
    assert not Scope(frozenset()).everything


def test_filters_say_whether_they_filter() -> None:
    assert not Filters().any
    assert Filters(mime_type="application/pdf").any


@given(st.integers(0, 50), st.integers(0, 50))
def test_a_held_item_is_searchable_where_it_still_has_text(with_text: int, without: int) -> None:
    held = {FileState.HELD: with_text + without, FileState.INDEXED: 1}
    coverage = Coverage(held, {Reason.MASS_DELETE: with_text + without}, with_text)

    assert coverage.searchable == with_text + 1
    assert coverage.unreadable == without
