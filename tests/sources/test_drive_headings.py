"""The headings of a Google document get the paths that the reader of its export gives them."""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from docx import Document as Docx
from hypothesis import given, settings
from hypothesis import strategies as st

from gdrive_rag_mcp.extraction import building
from gdrive_rag_mcp.extraction.input_file import InputFile
from gdrive_rag_mcp.extraction.word import document as word
from gdrive_rag_mcp.sources.drive_headings import FIELDS, headings
from gdrive_rag_mcp.sources.drive_words import one_line, unambiguous
from gdrive_rag_mcp.testing.fake_drive.masks import parse_mask

Part = tuple[int, str]  # the rank of a heading, 0 for plain text, and the words


def _paragraph(rank: int, words: str, place: int) -> dict[str, Any]:
    style: dict[str, Any] = {"namedStyleType": f"HEADING_{rank}" if rank else "NORMAL_TEXT"}
    if rank:
        style["headingId"] = f"h.{place}"
    return {
        "paragraph": {
            "elements": [{"textRun": {"content": f"{words}\n"}}],
            "paragraphStyle": style,
        }
    }


def _tab(tab_id: str, *content: Mapping[str, Any], **more: object) -> dict[str, Any]:
    body = {"body": {"content": list(content)}}
    return {"tabProperties": {"tabId": tab_id}, "documentTab": body, **more}


def _document(*parts: Part) -> dict[str, Any]:
    content = [_paragraph(rank, words, place) for place, (rank, words) in enumerate(parts)]
    return {"tabs": [_tab("t.0", *content)]}


def _anchors(document: Mapping[str, Any]) -> Mapping[str, str]:
    return unambiguous((" > ".join(each.path), each.anchor) for each in headings(document))


def _exported(parts: Sequence[Part], into: Path) -> set[str]:
    """The heading paths that our own reader finds in a Word file of these parts."""
    document = Docx()
    for rank, words in parts:
        if rank:
            document.add_heading(words, rank)
        else:
            document.add_paragraph(words)
    document.save(str(into))
    read = word.read(InputFile(into))
    return {each.locator.value for each in read.segments if each.locator.kind == "heading"}


def test_a_heading_is_found_by_the_headings_above_it() -> None:
    found = _anchors(
        _document((1, "Leave"), (0, "text"), (2, "Unpaid"), (3, "Rules"), (2, "Paid"), (1, "Pay"))
    )

    assert found == {
        "Leave": "tab=t.0&heading=h.0",
        "Leave > Unpaid": "tab=t.0&heading=h.2",
        "Leave > Unpaid > Rules": "tab=t.0&heading=h.3",
        "Leave > Paid": "tab=t.0&heading=h.4",
        "Pay": "tab=t.0&heading=h.5",
    }


def test_a_path_that_stands_twice_in_a_document_has_no_anchor() -> None:
    parts = [(1, "A"), (2, "Notes"), (1, "B"), (2, "Notes"), (2, "Notes")]

    assert set(_anchors(_document(*parts))) == {"A", "A > Notes", "B"}


def test_a_path_that_stands_twice_has_no_anchor_even_if_one_of_them_has_no_id() -> None:
    document = _document((1, "A"), (1, "A"))
    del document["tabs"][0]["documentTab"]["body"]["content"][1]["paragraph"]["paragraphStyle"][
        "headingId"
    ]

    assert _anchors(document) == {}


def test_tabs_are_read_in_the_order_of_the_export_and_each_anchor_names_its_own() -> None:
    third = _tab("t.c", _paragraph(1, "Third", 3))
    second = _tab("t.b", _paragraph(1, "Second", 2), childTabs=[third])
    first = _tab("t.a", _paragraph(1, "First", 1), childTabs=[second])
    last = _tab("t.d", _paragraph(2, "Below", 4))

    found = [(heading.path, heading.anchor) for heading in headings({"tabs": [first, last]})]

    assert found == [
        (("First",), "tab=t.a&heading=h.1"),
        (("Second",), "tab=t.b&heading=h.2"),
        (("Third",), "tab=t.c&heading=h.3"),
        (("Third", "Below"), "tab=t.d&heading=h.4"),
    ]


@pytest.mark.parametrize(
    ("elements", "expected"),
    [
        ([{"textRun": {"content": "Two\u000blines\n"}}], "Two lines"),
        ([{"textRun": {"content": " Much   space \n"}}], "Much space"),
        (
            [
                {"textRun": {"content": "Due "}},
                {"dateElement": {"dateElementProperties": {"displayText": "1 May"}}},
            ],
            "Due 1 May",
        ),
        ([{"person": {"personProperties": {"name": "Ada", "email": "a@e.org"}}}], "Ada"),
        ([{"person": {"personProperties": {"email": "a@e.org"}}}], "a@e.org"),
        ([{"richLink": {"richLinkProperties": {"title": "Budget"}}}], "Budget"),
        (
            [
                {"textRun": {"content": "Terms"}},
                {"footnoteReference": {"footnoteNumber": "1"}},
                {"textRun": {"content": "\n"}},
            ],
            "Terms[^1]",
        ),
        (
            [
                {"textRun": {"content": "Kept"}},
                {"textRun": {"content": " struck", "suggestedDeletionIds": ["s1"]}},
            ],
            "Kept",
        ),
    ],
)
def test_a_headings_words_are_those_of_the_export(
    elements: list[dict[str, Any]], expected: str
) -> None:
    document = _document((1, "x"))
    document["tabs"][0]["documentTab"]["body"]["content"][0]["paragraph"]["elements"] = elements

    assert [heading.path for heading in headings(document)] == [(expected,)]


def _table(columns: int, *content: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "table": {"columns": columns, "tableRows": [{"tableCells": [{"content": list(content)}]}]}
    }


def test_a_heading_in_a_frame_counts_and_one_in_a_table_does_not(tmp_path: Path) -> None:
    framed, tabled = _table(1, _paragraph(1, "In", 1)), _table(2, _paragraph(1, "Not", 2))
    below = _paragraph(2, "Below", 3)
    google = {"tabs": [_tab("t.0", framed, tabled, below)]}
    document = Docx()
    document.add_table(1, 1).cell(0, 0).add_paragraph("In", "Heading 1")
    cells = document.add_table(1, 2)
    cells.cell(0, 0).add_paragraph("Not", "Heading 1")
    cells.cell(0, 1).text = "beside"
    document.add_heading("Below", 2)
    document.save(str(tmp_path / "a.docx"))

    read = word.read(InputFile(tmp_path / "a.docx"))

    assert list(_anchors(google)) == ["In", "In > Below"]
    assert {each.locator.value for each in read.segments} == {"In", "In > Below"}


@settings(max_examples=25)
@given(
    st.lists(
        st.tuples(st.integers(0, 6), st.text("ab \u00e9\u3042>.", min_size=1, max_size=3)),
        max_size=12,
    )
)
def test_every_path_is_one_that_the_export_has(parts: list[Part]) -> None:
    shown = [(rank, words) for rank, words in parts if words.strip()]
    if not shown:
        return
    with tempfile.TemporaryDirectory() as folder:
        exported = _exported(shown, Path(folder) / "a.docx")

    assert {" > ".join(each.path) for each in headings(_document(*parts))} == exported


@given(st.text(max_size=400))
def test_a_label_is_written_as_the_extractors_write_it(label: str) -> None:
    assert one_line(label) == building.one_line(label)


def test_the_mask_names_only_fields_that_a_document_has() -> None:
    parse_mask(FIELDS, "Document", "docs.v1")
