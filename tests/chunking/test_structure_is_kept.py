"""Headings, lists and tables hold together, however full the chunk is that they come to."""

from itertools import pairwise

import pytest
from hypothesis import given, settings

from gdrive_rag_mcp.chunking.structural import StructuralChunker
from gdrive_rag_mcp.chunking.tokens import estimate_tokens
from gdrive_rag_mcp.domain import Chunk, Document, SegmentKind
from tests.chunking.made import Made, sentences
from tests.chunking.scripts import Parts, structured

_SIZE, _OVERLAP = 300, 40
_ROOM = 240
"""What is free for text in a chunk of any of these documents, whatever stands above it."""


def cut(document: Document, size: int = _SIZE, overlap: int = _OVERLAP) -> tuple[Chunk, ...]:
    return StructuralChunker(size, overlap).chunk(document)


def _has_whole(chunks: tuple[Chunk, ...], start: int, end: int) -> bool:
    return any(chunk.start <= start and end <= chunk.end for chunk in chunks)


# ── whatever the document ────────────────────────────────────────────────────


@given(structured())
def test_no_heading_is_left_behind_at_the_end_of_a_chunk(parts: Parts) -> None:
    segments = parts.document.segments

    ends = {chunk.end for chunk in cut(parts.document)}

    for heading, following in pairwise(segments):
        if heading.kind is SegmentKind.HEADING:
            assert heading.end not in ends, following


@given(structured())
def test_no_table_that_fits_a_chunk_is_cut(parts: Parts) -> None:
    chunks = cut(parts.document)

    for start, end in parts.tables:
        if estimate_tokens(parts.document.text[start:end]) <= _ROOM:
            assert _has_whole(chunks, start, end)


@given(structured())
def test_no_row_is_cut_and_every_chunk_of_a_table_names_its_columns(parts: Parts) -> None:
    document = parts.document
    chunks = cut(document)

    for segment in document.segments:
        if segment.kind is SegmentKind.ROW:
            (*_, holding) = [c for c in chunks if c.start <= segment.start and segment.end <= c.end]
            assert "Item | Owner | Cost" in f"{holding.context}\n{holding.text}"


@given(structured())
def test_no_list_item_that_fits_a_chunk_is_cut(parts: Parts) -> None:
    chunks = cut(parts.document)

    assert all(_has_whole(chunks, *item) for item in parts.items)


@given(structured())
def test_a_list_is_read_with_the_line_above_it(parts: Parts) -> None:
    chunks = cut(parts.document)

    assert all(_has_whole(chunks, *opening) for opening in parts.openings)
    for start, _ in parts.items:
        holding = [chunk for chunk in chunks if chunk.start <= start < chunk.end]
        assert all("You must bring:" in f"{chunk.context}\n{chunk.text}" for chunk in holding)


@given(structured())
@settings(max_examples=50)
def test_what_is_repeated_begins_with_a_sentence_or_an_item(parts: Parts) -> None:
    document = parts.document
    for one, two in pairwise(cut(document)):
        assert two.start <= one.end or not document.text[one.end : two.start].strip()
        if two.start < one.end:
            assert estimate_tokens(document.text[two.start : one.end]) <= _OVERLAP


# ── lists ────────────────────────────────────────────────────────────────────


def _list(count: int, *, words: str = "Keep it with you.") -> str:
    items = [f"{number}. Bring the form number {number}. {words}" for number in range(1, count + 1)]
    return "\n".join(["You must bring:", *items])


@pytest.mark.parametrize("filling", range(6, 16))
def test_the_line_above_a_list_is_never_the_last_of_a_chunk(filling: int) -> None:
    chunks = cut(Made().text(f"{sentences(filling)} {_list(20)}").document)

    assert not any(chunk.text.endswith("bring:") for chunk in chunks)
    assert any("bring:\n1. Bring the form number 1. Keep" in chunk.text for chunk in chunks)


@pytest.mark.parametrize("filling", range(6, 16))
def test_what_ends_with_a_colon_stays_with_what_it_announces(filling: int) -> None:
    made = Made().text(f"{sentences(filling)} This is the rule:").text(sentences(8, "rest"))

    assert not any(chunk.text.endswith("rule:") for chunk in cut(made.document))


def test_a_line_above_a_list_is_repeated_as_one_line() -> None:
    text = _list(60).replace("You must bring:", "Papers\nYou must bring:")

    contexts = {chunk.context for chunk in cut(Made().text(text).document)[1:]}

    assert contexts == {"Papers You must bring:"}


def test_the_chunks_that_continue_a_list_have_the_line_above_it_outside_their_text() -> None:
    document = Made().text(_list(60)).document

    first, *others = cut(document)

    assert (first.text[:15], first.context) == ("You must bring:", "")
    assert len(others) > 2
    assert {chunk.context for chunk in others} == {"You must bring:"}
    assert all(estimate_tokens(chunk.embedded_text) <= _SIZE for chunk in others)
    assert all(chunk.embedded_text.startswith("You must bring:\n") for chunk in others)


def test_the_line_above_may_be_a_paragraph_of_its_own() -> None:
    made = Made().text("Who travels needs papers. You must bring:", "Travel")
    for number in range(60):
        made.text(f"- the form number {number}, signed and dated", "Travel")

    chunks = cut(made.document)

    assert len(chunks) > 2
    assert [chunk.context for chunk in chunks] == ["", *["You must bring:"] * (len(chunks) - 1)]


def test_text_after_a_list_is_not_read_as_part_of_it() -> None:
    chunks = cut(Made().text(f"{_list(6)}\n\n{sentences(40)}").document)

    assert len(chunks) > 2
    assert all(chunk.context == "" for chunk in chunks)


def test_the_clauses_of_a_contract_are_paragraphs_and_may_be_cut_between_sentences() -> None:
    text = "\n".join(f"§ {number} Rules\n{sentences(5, f'case {number}')}" for number in range(9))

    chunks = cut(Made().text(f"These rules hold:\n{text}").document)

    assert not any(chunk.context for chunk in chunks)
    assert not all(chunk.text.startswith("§") for chunk in chunks[1:])


def test_a_list_inside_a_list_is_read_with_its_own_line() -> None:
    inner = "\n".join(f"   - the paper number {number}, signed" for number in range(40))
    rest = "\n".join(f"{number}. Bring the form number {number}" for number in range(2, 40))

    chunks = cut(Made().text(f"You must do this:\n1. Bring papers:\n{inner}\n{rest}").document)

    for chunk in chunks[1:]:
        begins_inside = chunk.text.startswith("- the paper")
        assert chunk.context == ("1. Bring papers:" if begins_inside else "You must do this:")


def test_items_that_end_with_a_colon_are_no_lists_of_their_own() -> None:
    items = "\n".join(f"- What the form number {number} is for:" for number in range(90))

    chunks = cut(Made().text(f"Fill this in:\n{items}").document)

    assert len(chunks) > 2
    assert {chunk.context for chunk in chunks[1:]} == {"Fill this in:"}


def test_an_item_larger_than_a_chunk_is_cut_by_sentences_under_its_line() -> None:
    chunks = cut(Made().text(f"You must know:\n- {sentences(60)}\n- And more.").document)

    assert len(chunks) > 3
    assert all(chunk.context == "You must know:" for chunk in chunks[1:])
    assert all(chunk.text.endswith("days.") for chunk in chunks[:-1])


def test_a_list_without_a_line_above_it_has_no_context() -> None:
    text = "\n".join(f"- the form number {number}, signed and dated" for number in range(90))

    assert {chunk.context for chunk in cut(Made().text(text).document)} == {""}


def test_a_line_above_a_list_that_is_too_long_to_be_repeated_is_shortened() -> None:
    line = f"{' and '.join(f'reason {number}' for number in range(30))}, you must bring:"
    items = "\n".join(f"- the form number {number}" for number in range(80))

    chunks = cut(Made().text(f"{line}\n{items}").document)

    contexts = {chunk.context for chunk in chunks if chunk.text.startswith("- the form")}
    assert all(context.endswith("…") and estimate_tokens(context) <= 75 for context in contexts)
    assert all(estimate_tokens(chunk.embedded_text) <= _SIZE for chunk in chunks)


# ── tables ───────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("words", range(40, 76, 2))
def test_a_table_that_fits_is_in_one_chunk_whatever_small_text_is_above(words: int) -> None:
    made = Made().text("The rates of last year are repealed.", "Rates")
    for number in range(14):
        made.table_row(f"City {number} | {number} EUR | until May", "Rates", header="A | B | C")
    made.table_row(f"Elsewhere | {' '.join(['rates'] * words)}", "Rates", header="A | B | C")
    document = made.document
    first, last = document.segments[1], document.segments[-1]
    whole = estimate_tokens(document.text[first.start : last.end])

    chunks = cut(document)

    assert 200 < whole < 340
    if whole <= 285:
        assert _has_whole(chunks, first.start, last.end)


# ── scripts without blanks, and wrapped lines ────────────────────────────────


@pytest.mark.parametrize(
    "word", ["ภาษาไทย", "合同终止", "契約の終了", "ភាសាខ្មែរ", "မြန်မာ", "lorem"]
)
def test_a_hundred_thousand_characters_without_a_blank_are_cut_into_bounded_chunks(
    word: str,
) -> None:
    text = (word * 100_000)[:100_000]

    chunks = cut(Made().text(text).document)

    assert len(chunks) > 50
    assert max(estimate_tokens(chunk.embedded_text) for chunk in chunks) <= _SIZE
    assert all(two.start <= one.end for one, two in pairwise(chunks))


def test_wrapped_lines_are_no_reason_to_cut() -> None:
    prose = "It is said that the tenant who leaves before the end of May pays for all of the months"
    text = "\n".join([prose, *[f"that follow, and for number {n} as well" for n in range(5)]])
    document = Made().text("\n".join([f"{text} of the year." for _ in range(30)])).document

    for chunk in cut(document)[:-1]:
        assert chunk.text.endswith("of the year.")


def test_a_number_at_the_start_of_a_wrapped_line_begins_no_item() -> None:
    line = "The rules for the case that a tenant leaves early are given in full on page"
    text = "\n".join(
        [f"{line}\n{n}. There they stand with all that follows from them. " for n in range(10, 40)]
    )

    for chunk in cut(Made().text(text).document):
        assert chunk.text.startswith("The rules")
