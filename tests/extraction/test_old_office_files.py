from collections.abc import Callable
from typing import Any

import pytest

from gdrive_rag_mcp.domain import Document, Reason, SegmentKind
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.input_file import InputFile
from gdrive_rag_mcp.extraction.office_97 import word as word_97
from gdrive_rag_mcp.extraction.office_97.compound_file import open_ole
from gdrive_rag_mcp.extraction.office_97.word_form import MAX_BYTES, Opened
from gdrive_rag_mcp.extraction.office_97.word_styles import begins_with_heading
from tests.extraction.old_office import Slide, doc, ppt
from tests.extraction.ole import compound_file

Read = Callable[[bytes, str], Document]
DOC = "application/msword"
PPT = "application/vnd.ms-powerpoint"
NOTHING = InputFile(b"")


def said(document: Document) -> list[str]:
    return [document.text[each.start : each.end] for each in document.segments]


def paragraph(text: str, kind: str = "paragraph", **more: Any) -> dict[str, Any]:  # noqa: ANN401 - as the library has it
    return {"type": kind, "content": [{"type": "text", "text": text}], **more}


def test_paragraphs_of_a_word_file_are_read_and_numbered(read: Read) -> None:
    document = read(doc("Báo cáo năm", "휴가 규정은 다음과 같다.", "Nghỉ phép."), DOC)

    assert said(document) == ["Báo cáo năm", "휴가 규정은 다음과 같다.", "Nghỉ phép."]
    assert document.title == "Báo cáo năm"
    assert [each.locator.value for each in document.segments] == ["1", "2", "3"]


def test_slides_of_a_power_point_file_are_numbered_and_stand_under_their_titles(
    read: Read,
) -> None:
    document = read(ppt(Slide("제목", "첫째\rsecond"), Slide("Hai", "thêm")), PPT)

    assert said(document) == ["제목", "첫째", "second", "Hai", "thêm"]
    assert document.title == "제목"
    assert [each.locator.first for each in document.segments] == [1, 1, 1, 2, 2]
    assert {each.locator.kind for each in document.segments} == {"slide"}
    assert document.segments[4].headings == ("Hai",)


@pytest.mark.parametrize(
    ("data", "mime_type"),
    [(doc("secret", encrypted=True), DOC), (ppt(Slide("a"), encrypted=True), PPT)],
)
def test_protected_files_are_encrypted(read: Read, data: bytes, mime_type: str) -> None:
    with pytest.raises(ExtractionError) as refusal:
        read(data, mime_type)

    assert refusal.value.reason is Reason.ENCRYPTED


@pytest.mark.parametrize(
    ("data", "mime_type"),
    [
        (compound_file({"WordDocument": b"\xec\xa5" + bytes(50)}), DOC),
        (compound_file({"WordDocument": b"no word file"}), DOC),
        (compound_file({"PowerPoint Document": b"\xff" * 5000}), PPT),
        (doc("cut")[:1700], DOC),
        (ppt(Slide("a"))[:1000], PPT),
    ],
)
def test_damaged_files_are_corrupt_or_without_text(read: Read, data: bytes, mime_type: str) -> None:
    with pytest.raises(ExtractionError) as refusal:
        read(data, mime_type)

    assert refusal.value.reason in {Reason.CORRUPT, Reason.NO_TEXT}


def test_a_file_that_is_too_large_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(InputFile, "size", MAX_BYTES + 1)

    with pytest.raises(ExtractionError) as refusal:
        word_97.read(InputFile(doc("a")))

    assert refusal.value.reason is Reason.TOO_LARGE


# A file with tables, notes and boxes is too long to be written by hand: here the library's own form
# stands for it.


def test_headings_lists_tables_and_what_stands_aside_have_their_places(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cells = ({"content": [paragraph("Who")]}, {"content": [paragraph("Days")]})
    values = ({"content": [paragraph("Kim"), paragraph("Lee")]}, {"content": [paragraph("1")]})
    inner = {"items": [{"content": [paragraph("deep")]}]}
    section = {
        "elements": [
            paragraph("Handbook", "heading", level=1),
            paragraph("Leave", "heading", level=1),
            {"type": "list", "items": [{"content": [paragraph("one")], "nested": inner}]},
            {"type": "table", "rows": [{"cells": cells}, {"cells": values}]},
            {"type": "text_box", "content": [paragraph("boxed")]},
            {"type": "footnote", "marker": "footnote", "content": [paragraph("See law.")]},
            {"type": "endnote", "marker": "comment", "author": "Kim", "content": [paragraph("?")]},
            {"type": "image", "data": "iVBOR"},
        ],
        "header": {"content": [paragraph("Secret")]},
        "first_footer": {"content": [paragraph("p. 1")]},
    }
    opened = Opened([section, {"elements": [], "header": section["header"]}], "given", ["a loss"])
    monkeypatch.setattr(word_97, "open_word", lambda file: opened)

    document = word_97.read(NOTHING)

    assert said(document) == [
        "Handbook", "Leave", "one", "deep", "Who | Days", "Kim Lee | 1", "boxed", "See law.",
        "[Comment by Kim] ?", "Secret", "p. 1",
    ]  # fmt: skip
    assert document.title == "Handbook"
    assert document.segments[3].headings == ("Leave",)
    assert document.segments[5].kind is SegmentKind.ROW
    assert document.segments[5].context == "Who | Days"
    assert [each.locator.value for each in document.segments][7:] == [
        "footnotes", "comments", "header", "footer",
    ]  # fmt: skip
    assert document.failures == ("a loss",)


def test_notes_comments_boxes_and_hidden_slides_are_told(read: Read) -> None:
    slide = Slide(
        "Tiêu đề",
        "outline text",
        boxes=("free\vbox", "*"),
        notes="say this\rand that",
        comments=(("Kim", "Sure?"),),
        hidden=True,
    )

    document = read(ppt(slide, Slide("Two"), footer="p. of 메모"), PPT)

    assert [(each.locator.first, each.locator.label) for each in document.segments] == [
        *[(1, None)] * 3, (1, "comments"), *[(1, "notes")] * 2, (2, None), (None, None),
    ]  # fmt: skip
    assert said(document) == [
        "Tiêu đề", "outline text", "free\nbox", "[Comment by Kim] Sure?", "say this", "and that",
        "Two", "p. of 메모",
    ]  # fmt: skip
    assert document.segments[0].headings == ("Tiêu đề (hidden slide)",)
    assert document.segments[7].locator.value == "footer"


def test_what_a_later_save_replaced_is_not_read(read: Read) -> None:
    assert read(ppt(Slide("new", "state"), replaced=Slide("old", "gone")), PPT).text == (
        "new\n\nstate"
    )


def test_a_slide_that_is_lost_is_told_and_its_outline_is_read(read: Read) -> None:
    document = read(ppt(Slide("kept"), Slide("lost", "text", is_lost=True)), PPT)

    assert said(document) == ["kept", "lost", "text"]
    assert document.failures == ("slide 2: only what the outline shows of it was found",)


def test_a_presentation_older_than_the_format_is_unsupported(read: Read) -> None:
    streams = {"PowerPoint Document": b"", "Current User": b"", "PersistentStorage Directory": b""}

    with pytest.raises(ExtractionError) as refusal:
        read(compound_file(streams), PPT)

    assert refusal.value.reason is Reason.UNSUPPORTED_TYPE


def test_records_within_records_without_end_do_no_harm(read: Read) -> None:
    document = read(ppt(Slide("deep", nesting=50_000)), PPT)

    assert document.text == "deep"


def test_a_first_line_with_the_style_of_a_heading_heads_what_follows(read: Read) -> None:
    text = "Everybody has twenty days of leave in each year of work."

    headed = read(doc("", "Leave", text, styles=(0, 1, 0)), DOC)
    plain = read(doc("", "Leave", text, styles=(1, 0, 0)), DOC)

    assert [each.locator.value for each in headed.segments] == ["Leave", "Leave"]
    assert headed.title == plain.title == "Leave"
    assert {each.headings for each in plain.segments} == {()}


def test_cells_that_span_rows_and_columns_keep_values_under_their_columns(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def cell(text: str, wide: int = 1, high: int = 1) -> dict[str, Any]:
        return {"content": [paragraph(text)], "col_span": wide, "row_span": high}

    rows = [
        [cell("who"), cell("from"), cell("to"), cell("note")],
        [cell("Kim", high=3), cell("all year", wide=2), cell("x", high=2)],
        [cell("May"), cell("June")],
        [cell("July", wide=2, high=2), cell("y")],
        [cell("Lee"), cell("z")],
        [cell("end", wide=10**9)],
    ]
    table = {"type": "table", "rows": [{"cells": each} for each in rows]}
    monkeypatch.setattr(word_97, "open_word", lambda file: Opened([{"elements": [table]}], "", []))

    assert said(word_97.read(NOTHING)) == [
        "who | from | to | note", "Kim | all year |  | x", "Kim | May | June | x",
        "Kim | July |  | y", "Lee | July |  | z", "end",
    ]  # fmt: skip


def test_tables_that_the_library_merged_into_those_around_them_are_told(
    read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    import office_oxide

    warning = "1 table(s) containing nested tables were flattened into their outer table"

    class Form:
        """What the library makes of such a file, which is too long to be written by hand."""

        @staticmethod
        def from_bytes(data: bytes, kind: str) -> "Form":
            assert (data[:4], kind) == (b"\xd0\xcf\x11\xe0", "doc")
            return Form()

        def to_ir(self) -> dict[str, Any]:
            sections = [{"elements": [paragraph("a cell and one within")]}]
            return {"metadata": {"warnings": [warning]}, "sections": sections}

    monkeypatch.setattr(office_oxide, "Document", Form)

    assert read(doc("any"), DOC).failures == (warning,)


@pytest.mark.parametrize("place", range(0, 2048, 7))
def test_damage_to_what_tells_of_styles_costs_at_most_the_first_heading(place: int) -> None:
    with open_ole(InputFile(doc("Leave", "Text goes on.", styles=(1, 0)))) as ole:
        main = bytearray(ole.openstream("WordDocument").read())
        tables = bytearray(ole.openstream("1Table").read())
    assert begins_with_heading(bytes(main), bytes(tables))
    main[place % len(main)] ^= 0xFF
    tables[place % len(tables)] ^= 0xFF

    assert begins_with_heading(bytes(main), bytes(tables)) in {True, False}
