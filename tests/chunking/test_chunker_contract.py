"""What every chunker promises, whatever it cuts by; another one is added to `CHUNKERS`."""

from collections.abc import Callable
from importlib.util import find_spec
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdrive_rag_mcp.chunking.llama_index import LlamaIndexChunker
from gdrive_rag_mcp.chunking.structural import StructuralChunker
from gdrive_rag_mcp.chunking.tokens import estimate_tokens
from gdrive_rag_mcp.domain import Document
from gdrive_rag_mcp.protocols import Chunker
from tests.chunking.made import Made, uncovered
from tests.chunking.made_at_random import documents
from tests.chunking.scripts import Parts, structured


def _llama_index(size: int, overlap: int) -> Chunker:
    if find_spec("llama_index") is None:
        pytest.skip("needs llama-index-core, of the extra llama-index")
    return LlamaIndexChunker(size, overlap)


CHUNKERS: dict[str, Callable[[int, int], Chunker]] = {
    "structural": StructuralChunker,
    "llama-index": _llama_index,
}
each_chunker = pytest.mark.parametrize("make", CHUNKERS.values(), ids=CHUNKERS.keys())


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


@each_chunker
@given(parts=structured())
def test_no_embedded_text_is_above_the_size(
    make: Callable[[int, int], Chunker], parts: Parts
) -> None:
    chunks = make(200, 30).chunk(parts.document)

    assert uncovered(parts.document, chunks) == ""
    assert all(estimate_tokens(chunk.embedded_text) <= 200 for chunk in chunks)


@each_chunker
def test_a_text_that_repeats_itself_is_located_like_any_other(
    make: Callable[[int, int], Chunker],
) -> None:
    document = Made().text("It rains. " * 2000).document

    chunks = make(100, 20).chunk(document)

    assert len(chunks) > 50
    assert uncovered(document, chunks) == ""
    assert all(one.start < two.start <= one.end + 1 for one, two in pairwise(chunks))


@each_chunker
def test_no_chunk_reaches_from_one_slide_into_the_next(make: Callable[[int, int], Chunker]) -> None:
    made = Made()
    for number in range(1, 9):
        made.at("slide", str(number), "It is short.", number=number)

    chunks = make(100, 20).chunk(made.document)

    assert [chunk.locator.value for chunk in chunks] == [str(number) for number in range(1, 9)]
