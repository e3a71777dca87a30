from collections.abc import Callable

import pytest

from gdrive_rag_mcp.domain import Document, Reason
from gdrive_rag_mcp.errors import ExtractionError
from tests.extraction.binary_books import Cells, Error, Failed, Sheet, xls, xlsb
from tests.extraction.ole import compound_file

Read = Callable[[bytes, str], Document]
XLS = "application/vnd.ms-excel"
XLSB = "application/vnd.ms-excel.sheet.binary.macroenabled.12"
STAFF = Sheet(
    "Nghỉ phép",
    {
        (1, 1): "이름", (1, 2): "Days", (1, 3): "Paid",
        (2, 1): "Trần", (2, 2): 12.0, (2, 3): True,
        (5, 1): "Lee", (5, 2): 9.5, (5, 3): False,
    },
)  # fmt: skip
FORMATS = ("0%", "#,##0.00", "00000")
BOTH = pytest.mark.parametrize(("write", "mime_type"), [(xls, XLS), (xlsb, XLSB)])
Write = Callable[..., bytes]


def said(document: Document) -> list[str]:
    return [document.text[each.start : each.end] for each in document.segments]


@BOTH
def test_rows_are_said_with_the_names_of_their_columns_under_true_numbers(
    read: Read, write: Write, mime_type: str
) -> None:
    document = read(write(STAFF), mime_type)

    assert said(document) == [
        "이름 | Days | Paid",
        "이름: Trần | Days: 12 | Paid: TRUE",
        "이름: Lee | Days: 9.5 | Paid: FALSE",
    ]
    assert [each.locator.value for each in document.segments] == [
        "Nghỉ phép!B2:D2", "Nghỉ phép!B3:D3", "Nghỉ phép!B6:D6",
    ]  # fmt: skip


@BOTH
def test_numbers_are_shown_in_the_format_of_their_cells(
    read: Read, write: Write, mime_type: str
) -> None:
    row: Cells = {(0, 0): (0.25, 1), (0, 1): (1234.5, 2), (0, 2): (7.0, 3), (0, 3): 7.0}

    assert said(read(write(Sheet("S", row), formats=FORMATS), mime_type)) == [
        "25% | 1,234.50 | 00007 | 7"
    ]


@BOTH
def test_error_values_are_shown(read: Read, write: Write, mime_type: str) -> None:
    sheet = Sheet("S", {(0, 0): Error(0x07), (0, 1): Failed(0x2A), (2, 0): 1.0})

    document = read(write(sheet), mime_type)

    assert said(document) == ["#DIV/0! | #N/A", "1"]
    assert document.segments[1].locator.value == "S!A3"


@BOTH
def test_what_is_hidden_is_read_and_told(read: Read, write: Write, mime_type: str) -> None:
    cells: Cells = {(0, 0): "a", (0, 1): "b", (1, 0): 1.0, (1, 1): 2.0}
    open_sheet = Sheet("Open", cells, hidden_rows=(1,), hidden_columns=((1, 1), (4, 255)))
    secret = Sheet("Secret", {(0, 0): "hush"}, hidden=True)

    document = read(write(open_sheet, secret), mime_type)

    assert said(document) == ["a | b", "a: 1 | b: 2 (hidden row)", "hush"]
    assert [each.headings for each in document.segments] == [
        ("Open (hidden column B)",), ("Open (hidden column B)",), ("Secret (hidden sheet)",),
    ]  # fmt: skip
    assert document.segments[2].locator.label == "Secret"


def test_comments_and_boxes_of_an_xls_sheet_stand_after_its_rows(read: Read) -> None:
    notes = [(2, 1, "Kim", "Kim:\nStimmt das? 정말?"), (0, 0, "", "first"), (-1, 0, "", "boxed")]

    document = read(xls(Sheet("S", {(0, 0): "a"}, notes=notes)), XLS)

    assert said(document) == [
        "a", "boxed", "[Comment] first", "[Comment by Kim] Stimmt das? 정말?",
    ]  # fmt: skip
    assert [each.locator.value for each in document.segments] == ["S!A1", "S!A1", "S!A1", "S!B3"]
    assert document.segments[3].headings == ("S",)


def test_a_far_stray_cell_of_an_xlsb_sheet_is_refused_before_memory_is_asked_for(
    read: Read,
) -> None:
    huge = Sheet("Huge", {(0, 0): "first", (1_048_575, 16_383): "last"})

    document = read(xlsb(Sheet("Good", {(0, 0): "fine"}), huge), XLSB)

    assert document.text == "fine"
    assert document.failures[0].startswith("Sheet Huge reaches over 17,179,869,184 cells")


def test_a_far_stray_cell_of_an_xls_sheet_costs_that_sheet_alone(read: Read) -> None:
    huge = Sheet("Huge", {(0, 0): "first", (65_535, 255): "last"})

    document = read(xls(Sheet("Good", {(0, 0): "fine"}), huge), XLS)

    assert document.text == "fine"
    assert document.failures[0].startswith("Sheet Huge reaches over 16,777,216 cells")


def test_an_xls_file_of_many_far_cells_is_too_large(read: Read) -> None:
    huge = [Sheet(f"S{at}", {(0, 0): "first", (65_535, 255): "last"}) for at in range(3)]

    with pytest.raises(ExtractionError) as refusal:
        read(xls(*huge), XLS)

    assert refusal.value.reason is Reason.TOO_LARGE


def test_an_xls_file_of_large_sheets_is_too_large_although_each_is_not(read: Read) -> None:
    """All of its sheets are laid out at once, as the workbook is opened."""
    large = [Sheet(f"S{at}", {(0, 0): "first", (65_535, 75): "last"}) for at in range(7)]

    with pytest.raises(ExtractionError) as refusal:
        read(xls(*large), XLS)

    assert refusal.value.reason is Reason.TOO_LARGE
    assert refusal.value.message.startswith("The sheets reach over 34,865,152 cells")


@pytest.mark.parametrize("claims", [(0, 2**31, 0, 60_000), (9, 2, 0, 4), (0, 2, 9, 4)])
def test_an_xls_sheet_that_claims_more_cells_than_there_can_be_is_corrupt(
    read: Read, claims: tuple[int, int, int, int]
) -> None:
    with pytest.raises(ExtractionError) as refusal:
        read(xls(Sheet("S", {(0, 0): "a"}, claims=claims)), XLS)

    assert refusal.value.reason is Reason.CORRUPT


def test_an_xlsb_sheet_may_claim_what_it_likes(read: Read) -> None:
    sheet = Sheet("S", {(0, 0): "a", (3, 0): "b"}, claims=(0, 2**31, 0, 2**31))

    assert said(read(xlsb(sheet), XLSB)) == ["a", "b"]


def test_a_protected_xls_file_is_encrypted(read: Read) -> None:
    with pytest.raises(ExtractionError) as refusal:
        read(xls(STAFF, encrypted=True), XLS)

    assert refusal.value.reason is Reason.ENCRYPTED


@pytest.mark.parametrize("length", [0, 3, 20, 60, 200])
def test_a_workbook_that_ends_early_is_corrupt_or_read_so_far(read: Read, length: int) -> None:
    stream = xls(STAFF)[1536:][:length]

    with pytest.raises(ExtractionError) as refusal:
        read(compound_file({"Workbook": stream}), XLS)

    assert refusal.value.reason in {Reason.CORRUPT, Reason.NO_TEXT}


def test_a_library_that_stumbles_over_a_workbook_says_that_it_is_corrupt(read: Read) -> None:
    formula_cut_short = xls(Sheet("S", {(0, 0): Failed(7)})).replace(
        b"\x03\x00\x1e\x01\x00", b"\x02\x00\x1e\x01\x00"
    )

    with pytest.raises(ExtractionError) as refusal:
        read(formula_cut_short, XLS)

    assert refusal.value.reason is Reason.CORRUPT


def test_an_xlsb_file_without_its_book_is_corrupt(read: Read) -> None:
    data = xlsb(STAFF).replace(b"xl/workbook.bin", b"xl/workbuch.bin")

    with pytest.raises(ExtractionError) as refusal:
        read(data, XLSB)

    assert refusal.value.reason is Reason.CORRUPT


@BOTH
def test_blank_workbooks_have_no_text(read: Read, write: Write, mime_type: str) -> None:
    with pytest.raises(ExtractionError) as refusal:
        read(write(Sheet("S", {})), mime_type)

    assert refusal.value.reason is Reason.NO_TEXT
