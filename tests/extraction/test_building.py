from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdrive_rag_mcp.cleaning import clean
from gdrive_rag_mcp.domain import Document, Locator, Reason, SegmentKind
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction import building
from gdrive_rag_mcp.extraction.building import DocumentBuilder, HeadingPath, one_line, pieces_of
from gdrive_rag_mcp.extraction.titles import sensible_title

HERE = Locator("lines", "1", 1, 1)
PIECES = st.lists(
    st.tuples(
        st.text(
            alphabet=st.one_of(
                st.characters(),
                st.sampled_from("\x00\ud800\r\n\u0301\ufeff\u200b\u202e \tấ한"),
            )
        ),
        st.sampled_from(SegmentKind),
        st.booleans(),
    )
)


@given(PIECES)
def test_segments_cover_all_that_was_added_and_nothing_else(
    pieces: list[tuple[str, SegmentKind, bool]],
) -> None:
    builder = DocumentBuilder()
    for text, kind, tight in pieces:
        builder.add(text, HERE, kind, tight=tight)
    if builder.empty:
        return

    document = builder.finish()

    assert document.text == clean(document.text)
    covered = [document.text[each.start : each.end] for each in document.segments]
    assert "".join("".join(covered).split()) == "".join(document.text.split())
    added = [clean(text).strip() for text, _, _ in pieces]
    assert [each.strip() for each in covered] == [
        each for each in added if each in set(map(str.strip, covered))
    ]


def test_a_document_without_visible_text_is_refused_as_such() -> None:
    builder = DocumentBuilder()
    builder.add(" \n\u200b\x00\t\u2060", HERE)

    with pytest.raises(ExtractionError) as refusal:
        builder.finish()

    assert refusal.value.reason is Reason.NO_TEXT


def test_rows_of_a_table_are_lines_and_paragraphs_are_parted_by_a_blank_one() -> None:
    builder = DocumentBuilder()
    builder.add("one", HERE)
    builder.add("a | b", HERE, SegmentKind.ROW)
    builder.add("c | d", HERE, SegmentKind.ROW)
    builder.add("two", HERE)

    assert builder.finish().text == "one\n\na | b\nc | d\n\ntwo"


def test_more_text_than_a_document_may_have_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "MAX_CHARACTERS", 10)
    builder = DocumentBuilder()
    builder.add("12345", HERE)

    with pytest.raises(ExtractionError) as refusal:
        builder.add("1234", HERE)

    assert refusal.value.reason is Reason.TOO_LARGE


def test_the_list_of_failures_is_bounded_and_says_so() -> None:
    builder = DocumentBuilder()
    builder.add("text", HERE)
    for number in range(250):
        builder.fail(f"page {number}: gone")

    failures = builder.finish().failures

    assert len(failures) == 101
    assert failures[-1] == "and 150 more"


def test_a_heading_closes_those_of_its_rank_and_below() -> None:
    headings = HeadingPath()
    paths = []
    for level, text in ((1, "Leave"), (2, "Paid"), (3, "Sick"), (2, "Unpaid"), (1, "Pay")):
        headings.enter(level, text)
        paths.append(" > ".join(headings.path))

    assert paths == ["Leave", "Leave > Paid", "Leave > Paid > Sick", "Leave > Unpaid", "Pay"]


def test_only_a_heading_without_equals_is_the_title() -> None:
    chapters, handbook = HeadingPath(), HeadingPath()
    for text in ("Chapter 1", "Chapter 2"):
        chapters.enter(1, text)
    for level, text in ((2, "Preface"), (1, "Handbook"), (2, "Leave")):
        handbook.enter(level, text)

    assert (chapters.title, handbook.title) == ("", "Handbook")


def test_a_label_is_one_clean_line_of_bounded_length() -> None:
    assert one_line("  Un\x00paid \n leave ") == "Unpaid leave"
    assert len(one_line("x" * 1000)) == building.LABEL_LENGTH


@pytest.mark.parametrize(
    "leftover",
    [
        "",
        "Untitled",
        "Microsoft Word - report.doc",
        "budget_final.xlsx",
        "Document1",
        "C:\\a\\b",
        "---",
        "12",
    ],
)
def test_what_a_program_left_behind_is_no_title(leftover: str) -> None:
    assert sensible_title(leftover) == ""


@pytest.mark.parametrize("title", ["Leave policy", "연차 규정", "Luật Lao động 2019", "Node.js"])
def test_what_an_author_wrote_is_a_title(title: str) -> None:
    assert sensible_title(title) == title


def test_a_finished_document_is_sound(sound: Callable[[Document], None]) -> None:
    builder = DocumentBuilder()
    builder.add("\n\n   indented\n  code \n", HERE)
    builder.add("next", HERE, tight=True)

    document = builder.finish()

    sound(document)
    assert document.text == "   indented\n  code\nnext"


def test_a_document_of_which_nothing_but_failures_came_says_what_failed() -> None:
    builder = DocumentBuilder()
    builder.fail("a picture")
    builder.fail("chart 1: damaged", Reason.CORRUPT)
    builder.fail("film 2", Reason.UNSUPPORTED_TYPE)

    with pytest.raises(ExtractionError) as refusal:
        builder.finish()

    assert refusal.value.reason is Reason.CORRUPT
    assert "a picture; chart 1: damaged; film 2" in refusal.value.message


def test_the_pieces_of_a_document_build_it_again() -> None:
    builder, again = DocumentBuilder(), DocumentBuilder()
    builder.add("one", HERE, headings=("Top",))
    builder.add("two", HERE, tight=True)
    builder.add("a | b", HERE, SegmentKind.ROW)
    builder.add("c | d", HERE, SegmentKind.ROW, context="a | b")
    document = builder.finish()

    for piece, segment, tight in pieces_of(document):
        again.add(
            piece, segment.locator, segment.kind,
            headings=segment.headings, context=segment.context, tight=tight,
        )  # fmt: skip

    assert again.finish() == document
