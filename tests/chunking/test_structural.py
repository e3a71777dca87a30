"""How the structural chunker follows headings, pages, sheets and tables, and what it then cites."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdrive_rag_mcp.chunking.structural import StructuralChunker
from gdrive_rag_mcp.chunking.tokens import estimate_tokens
from gdrive_rag_mcp.domain import Chunk, Document, Locator
from gdrive_rag_mcp.errors import SettingsError
from tests.chunking.made import Made, sentences
from tests.chunking.made_at_random import documents


def cut(document: Document, size: int = 300, overlap: int = 40) -> tuple[Chunk, ...]:
    return StructuralChunker(size, overlap).chunk(document)


def test_the_identity_names_version_and_sizes() -> None:
    assert StructuralChunker(300, 40).identity == "structural/2 size=300 overlap=40"


@pytest.mark.parametrize(("size", "overlap"), [(49, 0), (300, 151), (300, -1)])
def test_sizes_that_cannot_work_together_are_refused(size: int, overlap: int) -> None:
    with pytest.raises(SettingsError, match="cannot share"):
        StructuralChunker(size, overlap)


# ── headings ─────────────────────────────────────────────────────────────────


def test_another_heading_begins_another_chunk_and_each_cites_its_own() -> None:
    made = Made("Handbook")
    for name in ("Paid", "Unpaid"):
        made.heading("Leave", name).text(sentences(5, name), "Leave", name)

    chunks = cut(made.document)

    assert [chunk.locator.value for chunk in chunks] == ["Leave > Paid", "Leave > Unpaid"]
    assert [chunk.text.partition("\n")[0] for chunk in chunks] == ["Paid", "Unpaid"]
    assert "Paid" not in chunks[1].text.replace("Unpaid", "")


def test_small_neighbours_share_a_chunk_that_cites_the_heading_they_share() -> None:
    made = Made()
    for name, text in (("Opening", "From nine to five."), ("Parking", "Behind the house.")):
        made.heading("Visitors", name).text(text, "Visitors", name)

    (chunk,) = cut(made.document)

    assert (chunk.headings, chunk.locator.value) == (("Visitors",), "Visitors")


def test_small_sections_of_different_branches_stay_apart() -> None:
    made = Made()
    for path in (("Visitors", "Parking"), ("Staff", "Parking")):
        made.heading(*path).text("Behind the house.", *path)

    assert [chunk.locator.value for chunk in cut(made.document)] == [
        "Visitors > Parking",
        "Staff > Parking",
    ]


def test_a_small_section_does_not_blur_the_citation_of_a_large_neighbour() -> None:
    made = Made().heading("Leave", "Contact").text("Ask Mira.", "Leave", "Contact")
    made.heading("Leave", "Rules").text(sentences(10), "Leave", "Rules")

    assert [chunk.locator.value for chunk in cut(made.document)] == [
        "Leave > Contact",
        "Leave > Rules",
    ]


def test_an_introduction_goes_with_the_section_below_it() -> None:
    made = Made().heading("Leave").text("It applies to all.", "Leave")
    made.heading("Leave", "Paid").text(sentences(30), "Leave", "Paid")

    first, second, *_ = cut(made.document)

    assert first.text.startswith("Leave\n\nIt applies to all.\n\nPaid\n\nRule A0")
    assert first.locator.value == "Leave"
    assert second.locator.value == "Leave > Paid"


def test_text_before_the_first_heading_is_not_cited_under_it() -> None:
    made = Made().lines(1, "Author: Mira").heading("Scope").text("It covers all sites.", "Scope")

    assert [chunk.locator for chunk in cut(made.document)] == [
        Locator("lines", "1", 1, 1),
        Locator("heading", "Scope"),
    ]


@pytest.mark.parametrize("filling", range(8, 16))
def test_no_chunk_ends_with_a_heading_that_something_follows(filling: int) -> None:
    made = Made()
    for part in range(6):  # pages know headings only by their kind
        made.heading("Plan").text(sentences(filling + part), "Plan")

    chunks = cut(made.document)

    assert len(chunks) > 4
    assert not any(chunk.text.endswith("Plan") for chunk in chunks)


def test_headings_without_text_go_with_the_next_text_even_of_another_branch() -> None:
    made = Made().heading("Annex A").heading("Annex B").text("Rates of travel.", "Annex B")

    (chunk,) = cut(made.document)

    assert chunk.text == "Annex A\n\nAnnex B\n\nRates of travel."
    assert chunk.locator.value == "Annex B"


def test_a_heading_at_the_end_is_not_lost() -> None:
    made = Made().heading("A").text(sentences(4), "A").heading("B")

    assert cut(made.document)[-1].text == "B"


# ── pages and lines ──────────────────────────────────────────────────────────


def test_a_chunk_across_pages_cites_both() -> None:
    made = Made().page(4, "The deposit is due").page(5, "within three weeks.")

    (chunk,) = cut(made.document)

    assert chunk.locator == Locator("page", "4-5", 4, 5)


def test_printed_page_numbers_are_kept_beside_the_index() -> None:
    made = Made().page(3, "Foreword.", "iii").page(4, "Thanks.", "iv").page(5, "Start.", "1")

    (chunk,) = cut(made.document)

    assert chunk.locator == Locator("page", "3-5", 3, 5, "iii-1")


def test_a_word_of_a_page_is_in_a_chunk_that_cites_the_page() -> None:
    made = Made()
    for number in range(1, 21):
        made.page(number, f"Marker{number} begins. {sentences(4)}")

    chunks = cut(made.document)

    for number in range(1, 21):
        holding = [chunk for chunk in chunks if f"Marker{number} " in chunk.text]
        assert holding
        for chunk in holding:
            assert (chunk.locator.first or 0) <= number <= (chunk.locator.last or 0)


def test_a_chunk_that_is_half_full_ends_with_its_page() -> None:
    made = Made()
    for number in range(1, 7):
        made.page(number, sentences(9, f"page {number}"))

    chunks = cut(made.document)

    assert [chunk.locator.value for chunk in chunks] == ["1", "2", "3", "4", "5", "6"]


def test_a_sentence_that_runs_over_the_page_keeps_its_pages_together() -> None:
    made = Made()
    for number in range(1, 5):
        made.page(number, f"{sentences(9, f'page {number}')} And page {number} goes")
        made.page(number + 1, "on here. ")

    chunks = cut(made.document)

    for number in range(1, 5):
        assert any(f"And page {number} goes\n\non here." in chunk.text for chunk in chunks)


def test_a_part_of_long_lines_cites_the_lines_it_is_on() -> None:
    lines = [f"Line {n}: {sentences(2)}" for n in range(1, 41)]
    document = Made().lines(1, "\n".join(lines)).document

    for chunk in cut(document):
        first = document.text.count("\n", 0, chunk.start) + 1
        last = document.text.count("\n", 0, chunk.end) + 1
        assert chunk.locator == Locator("lines", f"{first}-{last}", first, last)


def test_a_text_without_segments_is_cited_by_its_lines() -> None:
    (chunk,) = cut(Document("", "One.\nTwo.", ()))

    assert chunk.locator == Locator("lines", "1-2", 1, 2)


# ── sheets and tables ────────────────────────────────────────────────────────

_HEADER = "Item | Owner | Cost"


def _sheet(rows: int, sheet: str = "Budget") -> Made:
    made = Made()
    for number in range(2, rows + 2):
        made.row(number, f"Item {number} | Owner {number} | {number * 12} EUR", sheet, _HEADER)
    return made


def test_rows_are_never_cut_and_bring_their_header_outside_the_text() -> None:
    document = _sheet(60).document

    chunks = cut(document)

    assert len(chunks) > 2
    assert all(chunk.context == _HEADER and _HEADER not in chunk.text for chunk in chunks)
    assert [row for chunk in chunks for row in chunk.text.split("\n")] == document.text.split("\n")


def test_rows_are_cited_as_the_range_of_cells_they_fill() -> None:
    made = Made().row(9, "a | b").row(10, "a | b | c | d").row(11, "a")

    (chunk,) = cut(made.document)

    assert chunk.locator == Locator("sheet", "Budget!A9:D11", 9, 11, "Budget")


def test_no_chunk_reaches_across_sheets() -> None:
    made = Made()
    for number, sheet in enumerate(("Budget", "Budget", "Staff", "Budget"), 2):
        made.row(number, f"row {number}", sheet, _HEADER)

    assert [chunk.locator.value for chunk in cut(made.document)] == [
        "Budget!A2:A3",
        "Staff!A4:A4",
        "Budget!A5:A5",
    ]


def test_tables_with_different_headers_are_not_mixed() -> None:
    made = Made().row(2, "1 | 2", header="A | B").row(3, "3 | 4", header="C | D")

    assert [(chunk.context, chunk.text) for chunk in cut(made.document)] == [
        ("A | B", "1 | 2"),
        ("C | D", "3 | 4"),
    ]


def test_a_table_takes_its_heading_and_a_short_introduction_but_no_text_after_it() -> None:
    made = Made().heading("Rates").text("Per day:", "Rates")
    made.table_row("Oslo | 90", "Rates", header="City | EUR")
    made.text("Ask first.", "Rates")

    table, after = cut(made.document)

    assert (table.text, table.context) == ("Rates\n\nPer day:\nOslo | 90", "City | EUR")
    assert (after.text, after.context) == ("Ask first.", "")


def test_a_header_row_is_in_the_chunk_of_the_first_rows_and_not_repeated_above_it() -> None:
    made = Made().row(1, _HEADER)
    for number in range(2, 90):
        made.row(number, f"Item {number} | Owner {number} | {number}", header=_HEADER)

    first, *others = cut(made.document)

    assert first.text.startswith(f"{_HEADER}\nItem 2 | ")
    assert (first.context, first.locator.first) == ("", 1)
    assert all(chunk.context == _HEADER for chunk in others)


def test_a_heading_and_the_header_row_stay_with_the_rows() -> None:
    made = Made().heading("Duties").table_row(_HEADER, "Duties")
    made.table_row("Keep a list | Mira | 0", "Duties", header=_HEADER)

    (chunk,) = cut(made.document)

    assert chunk.text == f"Duties\n{_HEADER}\nKeep a list | Mira | 0"


def test_a_row_above_the_limit_is_cut_and_keeps_header_and_citation() -> None:
    made = Made().row(2, " | ".join(f"cell {n}" for n in range(400)), header=_HEADER)

    chunks = cut(made.document)

    assert len(chunks) > 3
    assert all(chunk.context == _HEADER and chunk.locator.first == 2 for chunk in chunks)
    assert not any(chunk.text.endswith("cell") for chunk in chunks)


# ── sizes and overlap ────────────────────────────────────────────────────────


def test_the_embedded_text_stays_within_the_size() -> None:
    made = Made("A title of some length").heading("Leave", "Paid")
    made.text(sentences(100), "Leave", "Paid")

    costs = [estimate_tokens(chunk.embedded_text) for chunk in cut(made.document, 200, 30)]

    assert max(costs) <= 200
    assert min(costs) > 100


@given(documents(), st.integers(50, 400), st.floats(0, 0.5))
def test_no_structure_makes_the_embedded_text_larger_than_the_size(
    document: Document, size: int, share: float
) -> None:
    chunks = cut(document, size, int(size * share))

    assert all(estimate_tokens(chunk.embedded_text) <= size for chunk in chunks)


def test_long_titles_headings_and_headers_leave_two_thirds_for_the_text() -> None:
    header = " | ".join(f"Column {n}" for n in range(500))
    made = Made("Title " * 200)
    for number in range(100):
        made.table_row(f"row {number} | {number}", "Part " * 300, "Sub", header=header)

    chunks = cut(made.document)

    assert all(estimate_tokens(chunk.embedded_text) <= 300 for chunk in chunks)
    assert all(estimate_tokens(chunk.text) > 150 for chunk in chunks[:-2])
    assert all(chunk.context.endswith("…") and chunk.headings == ("Sub",) for chunk in chunks)


def test_a_chunk_repeats_whole_sentences_of_the_one_before() -> None:
    chunks = cut(Made().text(sentences(60)).document)

    for one, two in pairwise(chunks):
        repeated = two.text[: one.end - two.start]
        assert repeated.startswith("Rule ")
        assert repeated.endswith(" days.")
        assert 0 < estimate_tokens(repeated) <= 40


def test_an_overlap_of_none_repeats_nothing() -> None:
    chunks = cut(Made().text(sentences(60)).document, overlap=0)

    assert all(one.end < two.start for one, two in pairwise(chunks))


def test_nothing_is_repeated_under_another_heading() -> None:
    made = Made().text(sentences(30), "A").text(sentences(30), "B")

    chunks = cut(made.document)

    starts = [chunk.start for chunk in chunks if chunk.headings == ("B",)]
    assert min(starts) == made.document.text.rindex("Rule A0 ")


def test_the_last_two_chunks_of_a_section_are_of_about_one_size() -> None:
    for count in range(12, 30):
        chunks = cut(Made().text(sentences(count)).document)
        if len(chunks) == 2:
            assert min(map(len, (c.text for c in chunks))) > 400


def test_sentences_longer_than_a_chunk_are_cut_between_words_and_overlap() -> None:
    document = Made().text(" ".join(f"word{n}" for n in range(3000))).document

    chunks = cut(document)

    words = set(document.text.split())
    assert all(set(chunk.text.split()) <= words for chunk in chunks)
    assert all(two.start < one.end for one, two in pairwise(chunks))
