"""What every chunker promises, whatever it cuts by; another one is added to `CHUNKERS`."""

from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdrive_rag_mcp.chunking.structural import StructuralChunker
from gdrive_rag_mcp.domain import Document, Locator, Segment, SegmentKind
from gdrive_rag_mcp.protocols import Chunker
from tests.chunking.made import Made, sentences, uncovered

CHUNKERS: dict[str, Callable[[int, int], Chunker]] = {"structural": StructuralChunker}
each_chunker = pytest.mark.parametrize("make", CHUNKERS.values(), ids=CHUNKERS.keys())

_WORDS = st.one_of(
    st.text(max_size=60),
    st.text(alphabet="ab .!?\n", max_size=200),
    st.sampled_from(
        [sentences(30), "ภาษาไทยไม่มีช่องว่าง" * 20, "连续的中文" * 50, "x" * 900, " " * 999]
    ),
)
_PATHS = st.lists(st.sampled_from(["Leave", "Unpaid", "Paid"]), max_size=3).map(tuple)
_PLACES = st.sampled_from(
    [
        Locator("page", "2", 2, 2),
        Locator("page", "3", 3, 3, "iii"),
        Locator("lines", "4-9", 4, 9),
        Locator("heading", "Leave", 1, 2),
        Locator("heading", "Leave > Paid"),
        Locator("sheet", "Budget!A5:F5", 5, 5, "Budget"),
        Locator("sheet", "Staff!B7:AC7", 7, 7, "Staff"),
        Locator("paragraph", "7", 7, 7),
        Locator("part", "comments"),
    ]
)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    """Any text under any structure, contradictory structures included."""
    text = draw(st.sampled_from(["", "\n", "  "]))
    segments = []
    for _ in range(draw(st.integers(0, 8))):
        start = len(text)
        text += draw(_WORDS)
        kind, place, path = draw(st.sampled_from(SegmentKind)), draw(_PLACES), draw(_PATHS)
        context = draw(st.sampled_from(["", "Item | Cost"]))
        segments.append(Segment(start, len(text), kind, place, path, context))
        text += draw(st.sampled_from(["", "\n", "\n\n"]))
    return Document(draw(st.text(max_size=20)), text, tuple(segments))


@each_chunker
@given(document=documents(), size=st.integers(50, 400), share=st.floats(0, 0.5))
def test_a_chunk_is_a_slice_of_the_text_and_no_character_is_lost(
    make: Callable[[int, int], Chunker], document: Document, size: int, share: float
) -> None:
    chunks = make(size, int(size * share)).chunk(document)

    assert [chunk.ordinal for chunk in chunks] == list(range(len(chunks)))
    assert all(document.text[chunk.start : chunk.end] == chunk.text for chunk in chunks)
    assert all(chunk.text.strip() for chunk in chunks)
    assert uncovered(document, chunks) == ""


@each_chunker
@given(document=documents())
def test_chunks_advance_and_none_lies_inside_the_one_before(
    make: Callable[[int, int], Chunker], document: Document
) -> None:
    chunks = make(100, 30).chunk(document)

    assert all(one.start < two.start and one.end < two.end for one, two in pairwise(chunks))


@each_chunker
@given(document=documents())
def test_the_same_document_is_cut_the_same_way_by_another_object(
    make: Callable[[int, int], Chunker], document: Document
) -> None:
    assert make(100, 20).chunk(document) == make(100, 20).chunk(document)


@each_chunker
@given(document=documents())
def test_every_chunk_cites_a_kind_of_place_that_the_document_has(
    make: Callable[[int, int], Chunker], document: Document
) -> None:
    kinds = {segment.locator.kind for segment in document.segments} or {"lines"}

    chunks = make(100, 20).chunk(document)

    assert all(chunk.locator.kind in kinds and chunk.locator.value for chunk in chunks)


@each_chunker
def test_a_document_without_text_has_no_chunks(make: Callable[[int, int], Chunker]) -> None:
    assert make(300, 40).chunk(Document("Title", "", ())) == ()
    assert make(300, 40).chunk(Made("Title").lines(1, " \n\t ").document) == ()


@each_chunker
def test_the_identity_tells_sizes_apart(make: Callable[[int, int], Chunker]) -> None:
    identities = {make(*sizes).identity for sizes in ((300, 40), (300, 30), (200, 40))}

    assert len(identities) == 3
    assert make(300, 40).identity == make(300, 40).identity
