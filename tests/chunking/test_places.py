"""What a chunk cites in each kind of place, and which places it never reaches out of."""

import pytest

from gdrive_rag_mcp.chunking.structural import StructuralChunker
from gdrive_rag_mcp.domain import Chunk, Document, Locator, Segment, SegmentKind
from tests.chunking.made import Made, sentences


def cut(document: Document) -> tuple[Chunk, ...]:
    return StructuralChunker(300, 40).chunk(document)


@pytest.mark.parametrize("kind", ["slide", "cell", "chapter"])
def test_no_chunk_reaches_out_of_a_slide_a_cell_or_a_chapter(kind: str) -> None:
    made = Made()
    for number in range(1, 4):
        made.at(kind, str(number), f"It is short, {number}.", number=number, label=f"L{number}")

    assert [chunk.locator for chunk in cut(made.document)] == [
        Locator(kind, str(number), number, number, f"L{number}") for number in range(1, 4)
    ]


def test_the_parts_of_a_mail_stay_apart_and_are_cited_by_their_names() -> None:
    made = Made()
    for name in ("body", "attachment 1", "comments"):
        made.at("part", name, "It is short.")

    assert [chunk.locator.value for chunk in cut(made.document)] == [
        "body",
        "attachment 1",
        "comments",
    ]


def test_a_slide_keeps_its_number_and_label_however_many_chunks_it_needs() -> None:
    made = Made()
    for _ in range(3):
        made.at("slide", "7", sentences(15), number=7, label="p7")

    chunks = cut(made.document)

    assert len(chunks) > 3
    assert {chunk.locator for chunk in chunks} == {Locator("slide", "7", 7, 7, "p7")}


def test_a_slide_and_its_notes_share_a_chunk_that_cites_the_slide() -> None:
    made = Made().at("slide", "3", "It begins.", number=3)
    made.at("slide", "3", "Say it slowly.", number=3, label="notes")
    made.at("slide", "4", "Say no more.", number=4, label="notes")

    assert [chunk.locator for chunk in cut(made.document)] == [
        Locator("slide", "3", 3, 3),
        Locator("slide", "4", 4, 4, "notes"),
    ]


def test_a_chapter_is_cited_by_its_file_where_its_parts_have_labels_of_their_own() -> None:
    made = Made().at("chapter", "two.xhtml", "It begins.", number=2, label="Two")
    made.at("chapter", "two.xhtml", "It ends.", number=2, label="Two, the end")

    (chunk,) = cut(made.document)

    assert chunk.locator == Locator("chapter", "two.xhtml", 2, 2)


def test_places_of_different_kinds_with_the_same_value_are_different_places() -> None:
    made = Made().at("slide", "1", "It is short.").at("cell", "1", "It is short, too.")

    assert [chunk.locator.kind for chunk in cut(made.document)] == ["slide", "cell"]


def test_text_that_flows_does_not_flow_into_a_slide() -> None:
    made = Made().page(1, "A foreword.").at("slide", "1", "It is short.").page(2, "An afterword.")

    assert [chunk.locator.kind for chunk in cut(made.document)] == ["page", "slide", "page"]


@pytest.mark.parametrize(
    ("kinds", "cited"),
    [
        (["paragraph", "page"], Locator("page", "2", 2, 2)),
        (["page", "paragraph"], Locator("paragraph", "2", 2, 2)),
        (["paragraph", "lines", "lines"], Locator("lines", "2-3", 2, 3)),
    ],
)
def test_where_kinds_of_places_meet_the_last_is_cited(kinds: list[str], cited: Locator) -> None:
    made = Made()
    for number, kind in enumerate(kinds, 1):
        made.at(kind, str(number), f"It is short, {number}.", number=number)

    (chunk,) = cut(made.document)

    assert chunk.locator == cited


@pytest.mark.parametrize(
    ("pointers", "common"),
    [
        (["/items/3"], "/items/3"),
        (["/items/3", "/items/4"], "/items"),
        (["/items/3/name", "/items/3/age", "/items/3/place/town"], "/items/3"),
        (["/items/30", "/items/3"], "/items"),
        (["/items/3", "/owner"], "#"),
        (["#", "/owner"], "#"),
    ],
)
def test_small_entries_share_a_chunk_that_cites_what_holds_them_all(
    pointers: list[str], common: str
) -> None:
    made = Made()
    for pointer in pointers:
        made.entry(pointer, f"name: what {pointer} holds")

    (chunk,) = cut(made.document)

    assert chunk.locator == Locator("pointer", common)


def test_many_entries_fill_chunks_that_cite_only_what_they_hold() -> None:
    made = Made()
    for item in range(10):
        for field in range(12):
            made.entry(f"/items/{item}/f{field}", f"field {field}: the value {item * field}")

    chunks = cut(made.document)

    assert 3 < len(chunks) < 40
    for chunk in chunks:
        held = [
            segment.locator.value
            for segment in made.document.segments
            if chunk.start <= segment.start < chunk.end
        ]
        assert all(f"{pointer}/".startswith(f"{chunk.locator.value}/") for pointer in held)


def test_pages_without_a_number_are_cited_from_the_first_to_the_last() -> None:
    made = Made().at("page", "iv", "It is short.", number=None)
    made.at("page", "v", "It is short, too.", number=None)

    (chunk,) = cut(made.document)

    assert chunk.locator == Locator("page", "iv-v")


def test_a_chunk_is_as_sure_as_the_least_sure_page_that_was_recognised() -> None:
    pages = [
        Segment(0, 6, SegmentKind.TEXT, Locator("page", "1", 1, 1)),
        Segment(7, 13, SegmentKind.TEXT, Locator("page", "2", 2, 2, ocr=91)),
        Segment(14, 20, SegmentKind.TEXT, Locator("page", "3", 3, 3, ocr=74)),
    ]

    (chunk,) = cut(Document("", "Rent i\ns due \nmonthly", tuple(pages)))

    assert chunk.locator == Locator("page", "1-3", 1, 3, ocr=74)
