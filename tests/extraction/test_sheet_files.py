import datetime as dt
import io
import re
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl.comments import Comment

from gdrive_rag_mcp.domain import Document, Reason, SegmentKind
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.sheet.formats import number_format
from gdrive_rag_mcp.extraction.sheet.glance import glance
from gdrive_rag_mcp.extraction.sheet.merges import Merges
from gdrive_rag_mcp.extraction.sheet.values import column_letters, column_number, show

Read = Callable[[bytes, str], Document]
Cell = str | float | dt.date | None
SHEET_PART = "xl/worksheets/sheet1.xml"
SHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
STAFF: Sequence[Sequence[Cell]] = (
    ("Name", "Days", "Since"),
    ("Kim", 12, dt.date(2021, 3, 1)),
    ("Lee", 9.5, dt.date(2020, 1, 15)),
)


def workbook(*sheets: tuple[str, Iterable[Sequence[Cell]]]) -> openpyxl.Workbook:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets:
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    return book


def saved(book: openpyxl.Workbook) -> bytes:
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def edited(data: bytes, part: str, pattern: str, replacement: str) -> bytes:
    """The workbook with one of its parts changed by a regular expression."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(file, "w") as new:
        assert part in old.namelist()
        for name in old.namelist():
            content = old.read(name).decode()
            if name == part:
                changed = re.sub(pattern, replacement, content)
                assert changed != content
                content = changed
            new.writestr(name, content)
    return file.getvalue()


def with_parts(data: bytes, parts: Mapping[str, str]) -> bytes:
    file = io.BytesIO(data)
    with zipfile.ZipFile(file, "a") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return file.getvalue()


def with_replaced(data: bytes, part: str, content: str) -> bytes:
    return edited(data, part, r"(?s)\A.*\Z", content.replace("\\", r"\\"))


def said(document: Document) -> list[str]:
    return [document.text[each.start : each.end] for each in document.segments]


def test_a_row_is_said_with_the_names_of_its_columns_and_found_where_it_stands(read: Read) -> None:
    document = read(saved(workbook(("Leave", STAFF))), SHEET)

    assert said(document) == [
        "Name | Days | Since",
        "Name: Kim | Days: 12 | Since: 2021-03-01",
        "Name: Lee | Days: 9.5 | Since: 2020-01-15",
    ]
    row = document.segments[1]
    assert row.kind is SegmentKind.ROW
    assert row.context == "Name | Days | Since"
    assert row.headings == ("Leave",)
    locator = row.locator
    assert (locator.kind, locator.value, locator.first, locator.last, locator.label) == (
        "sheet", "Leave!A2:C2", 2, 2, "Leave",
    )  # fmt: skip


def test_blank_rows_and_columns_shift_no_row_number(read: Read) -> None:
    book = workbook(("Data", ()))
    book["Data"]["C5"], book["Data"]["D5"] = "Item", "Price"
    book["Data"]["C9"], book["Data"]["D9"] = "Pen", 3

    document = read(saved(book), SHEET)

    assert [each.locator.value for each in document.segments] == ["Data!C5:D5", "Data!C9:D9"]


def test_a_caption_is_not_taken_for_the_names_of_columns(read: Read) -> None:
    document = read(saved(workbook(("S", (("Leave in 2024",), *STAFF)))), SHEET)

    assert said(document)[2] == "Name: Kim | Days: 12 | Since: 2021-03-01"


def test_a_blank_row_in_a_table_keeps_the_names_and_a_new_table_brings_its_own(read: Read) -> None:
    rows = (*STAFF, (), ("Park", 3, None), (), ("City", "Offices"), ("Seoul", 2))

    texts = said(read(saved(workbook(("S", rows))), SHEET))

    assert texts[3] == "Name: Park | Days: 3"
    assert texts[-1] == "City: Seoul | Offices: 2"


def test_texts_below_a_blank_row_are_values_unless_numbers_stand_below_them(read: Read) -> None:
    rows = (("Name", "City"), ("Kim", "Seoul"), (), ("Park", "Busan"), ("Cho", "Daegu"))

    texts = said(read(saved(workbook(("S", rows))), SHEET))

    assert texts[2:] == ["Name: Park | City: Busan", "Name: Cho | City: Daegu"]


def test_numbers_alone_have_no_names(read: Read) -> None:
    assert said(read(saved(workbook(("S", ((1, 2), (3, 4))))), SHEET)) == ["1 | 2", "3 | 4"]


def test_years_in_their_order_name_columns_and_other_numbers_do_not(read: Read) -> None:
    years = (("Country", 2019, 2020), ("Korea", 51.7, 51.8))
    numbers = (("Kim", 12, 30), ("Lee", 9, 31))

    assert said(read(saved(workbook(("S", years))), SHEET))[1] == (
        "Country: Korea | 2019: 51.7 | 2020: 51.8"
    )
    assert said(read(saved(workbook(("S", numbers))), SHEET))[1] == "Lee | 9 | 31"


def test_merged_headers_are_said_with_the_group_they_stand_under(read: Read) -> None:
    book = workbook(
        (
            "S",
            (
                ("Region", 2023, None, 2024, None),
                (None, "H1", "H2", "H1", "H2"),
                ("Asia", 1, 2, 3, 4),
            ),
        )
    )
    book["S"].merge_cells("B1:C1")
    book["S"].merge_cells("D1:E1")

    document = read(saved(book), SHEET)

    assert said(document)[2] == "Region: Asia | 2023 H1: 1 | 2023 H2: 2 | 2024 H1: 3 | 2024 H2: 4"


def test_a_header_that_is_merged_over_both_rows_of_headers_is_said_once(read: Read) -> None:
    rows = (("Region", 2023, None), (None, "North", "South"), ("Asia", 1, 2))
    book = workbook(("S", rows))
    book["S"].merge_cells("A1:A2")
    book["S"].merge_cells("B1:C1")

    document = read(saved(book), SHEET)

    assert said(document)[2] == "Region: Asia | 2023 North: 1 | 2023 South: 2"
    assert document.segments[2].context == "Region | 2023 North | 2023 South"


def test_a_group_whose_columns_have_its_own_name_is_said_once_too(read: Read) -> None:
    book = workbook(("S", (("Year", "Fee", None), (None, "Fee", "Tax"), (2024, 1, 2))))
    book["S"].merge_cells("B1:C1")

    assert said(read(saved(book), SHEET))[2] == "Year: 2024 | Fee: 1 | Fee Tax: 2"


def test_a_cell_merged_downwards_is_said_in_every_row(read: Read) -> None:
    book = workbook(("S", (("Office", "Who", "Days"), ("Seoul", "Kim", 1), (None, "Lee", 2))))
    book["S"].merge_cells("A2:A3")

    assert said(read(saved(book), SHEET))[2] == "Office: Seoul | Who: Lee | Days: 2"


def test_merged_cells_are_filled_up_to_a_limit_and_no_further() -> None:
    """Files with tens of thousands of merged columns exist."""
    merges = Merges([((0, 0), (150_000, 0)), ((0, 1), (150_000, 1)), ((0, 2), (1, 2))])
    merges.row(1, {1: "first", 2: "second", 3: "third"})

    assert merges.row(2, {}).cells == {1: "first"}
    assert merges.row(150_001, {}).cells == {1: "first"}


def test_a_hidden_sheet_is_read_and_said_to_be_hidden(read: Read) -> None:
    book = workbook(("Open", (("a",),)), ("Secret", (("b",),)))
    book["Secret"].sheet_state = "hidden"

    document = read(saved(book), SHEET)

    assert [each.headings for each in document.segments] == [("Open",), ("Secret (hidden sheet)",)]
    assert [each.locator.label for each in document.segments] == ["Open", "Secret"]


def test_error_values_and_formulas_never_calculated_are_shown(read: Read) -> None:
    book = workbook(("S", (("Sum", "Share"), ("=1+1", 1), (3, 4))))
    data = edited(
        saved(book),
        "xl/worksheets/sheet1.xml",
        r'<c r="B3"[^>]*><v>4</v>',
        '<c r="B3" t="e"><v>#DIV/0!</v>',
    )

    texts = said(read(data, SHEET))

    assert texts[1] == "Sum: =1+1 (not calculated) | Share: 1"
    assert texts[2] == "Sum: 3 | Share: #DIV/0!"


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ('<c r="B2" t="e"><v>#DIV/0!</v></c>', "#DIV/0!"),
        ("<c r=\"B2\" t='e'><v>#DIV/0!</v></c>", "#DIV/0!"),
        ('<c r="B2" t ="e"><v>#N/A</v></c>', "#N/A"),
        ('<c r="B2" t= "e"><v>#N/A</v></c>', "#N/A"),
        ('<c r="B2"><f>A9+1</f></c>', "=A9+1 (not calculated)"),
        ('<c r="B2"><f ca="1">A9+1</f></c>', "=A9+1 (not calculated)"),
        ('<c r="B2"><f/></c>', "=… (not calculated)"),
        ('<x:c xmlns:x="{space}" r="B2"><x:f>A9+1</x:f></x:c>', "=A9+1 (not calculated)"),
    ],
)
def test_a_sheet_is_not_taken_for_plain_for_one_cell_that_is_not(
    read: Read, cell: str, text: str
) -> None:
    rows = '<row r="1"><c r="A1"><v>1</v></c></row><row r="2"><c r="A2"><v>2</v></c>{}</row>'
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    part = f'<worksheet xmlns="{space}"><sheetData>{rows}</sheetData></worksheet>'
    plain = part.format("")
    data = with_replaced(
        saved(workbook(("S", ((1,),)))), SHEET_PART, part.format(cell.format(space=space))
    )

    assert glance(plain.encode(), ()) is not None
    assert said(read(data, SHEET)) == ["1", f"2 | {text}"]


def test_rows_of_a_long_table_leave_the_names_to_the_context(
    read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gdrive_rag_mcp.extraction.sheet.calamine.NAMED_AREA", 5)

    document = read(saved(workbook(("S", STAFF))), SHEET)

    assert said(document)[1] == "Kim | 12 | 2021-03-01"
    assert document.segments[1].context == "Name | Days | Since"


def test_a_column_of_errors_is_read_to_its_end_and_names_nothing(read: Read) -> None:
    book = workbook(("S", ((f"=A{row}", f"=B{row}") for row in range(1, 301))))

    texts = said(read(saved(book), SHEET))

    assert len(texts) == 300
    assert texts[-1] == "=A300 (not calculated) | =B300 (not calculated)"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (15.0, "15"),
        (-0.5, "-0.5"),
        (1e20, "1e+20"),
        (True, "TRUE"),
        ("two\nlines", "two lines"),
        (dt.date(2024, 2, 29), "2024-02-29"),
        (dt.datetime(2024, 2, 29, 0, 0), "2024-02-29"),  # noqa: DTZ001 - sheets know no zones
        (dt.datetime(2024, 2, 29, 9, 30, 0, 999_600), "2024-02-29 09:30:01"),  # noqa: DTZ001 - sheets know no zones
        (dt.datetime.max, "9999-12-31 23:59:59"),  # noqa: DTZ901 - sheets know no zones
        (dt.time(9, 30), "09:30:00"),
        (dt.timedelta(hours=255, minutes=10, seconds=10), "255:10:10"),
    ],
)
def test_values_are_written_as_a_reader_would_write_them(
    value: str | float | dt.date | dt.time | dt.timedelta, text: str
) -> None:
    assert show(value) == text


def test_a_far_stray_cell_is_refused_before_memory_is_asked_for(read: Read) -> None:
    book = workbook(("Good", (("fine",),)), ("Huge", (("first",),)))
    book["Huge"]["XFD1048576"] = "last"

    document = read(saved(book), SHEET)

    assert document.text == "fine"
    assert document.failures[0].startswith("Sheet Huge reaches over 17,179,869,184 cells")


def test_a_workbook_of_nothing_but_a_far_stray_cell_is_too_large(read: Read) -> None:
    book = workbook(("Huge", (("first",),)))
    book["Huge"]["XFD1048576"] = "last"

    with pytest.raises(ExtractionError) as refusal:
        read(saved(book), SHEET)

    assert refusal.value.reason is Reason.TOO_LARGE


@pytest.mark.parametrize("plain", [True, False], ids=["plain", "with a formula"])
@pytest.mark.parametrize(
    "far", ["XFD1048576", "xfd1048576", "A99999999999", "A4294967295", "Z" * 40]
)
def test_a_far_cell_that_stands_before_a_near_one_is_refused(
    read: Read, far: str, *, plain: bool
) -> None:
    """The library that lays sheets out would abort the process."""
    place = far if far[-1].isdigit() else f"{far}1"
    formula = "" if plain else "<c r='B1'><f>1+1</f><v>2</v></c>"
    data = edited(
        saved(workbook(("S", (("near",),)))),
        "xl/worksheets/sheet1.xml",
        '<row r="1">',
        f'<row r="1"><c r="{place}"><v>2</v></c>{formula}',
    )

    with pytest.raises(ExtractionError) as refusal:
        read(data, SHEET)

    assert refusal.value.reason is Reason.TOO_LARGE


def test_styled_blank_cells_far_away_do_not_count(read: Read) -> None:
    data = edited(
        saved(workbook(("S", (("a", "b"), ("c", 1))))),
        "xl/worksheets/sheet1.xml",
        "</sheetData>",
        '<row r="1048576"><c r="XFD1048576" s="0"/></row></sheetData>',
    )

    assert said(read(data, SHEET)) == ["a | b", "a: c | b: 1"]


@pytest.mark.parametrize(
    ("pattern", "replacement"),
    [
        ("</sheetData>", "</sheet"),
        ("</row>.*", ""),
        ("<v>0</v>.*", "<v>0"),
        ("</sheetData>.*", ""),
        ("<sheetData>", "<sheetData><row r='0'>"),
    ],
)
def test_a_sheet_that_is_no_xml_costs_only_itself(
    read: Read, pattern: str, replacement: str
) -> None:
    book = workbook(("One", (("kept",),)), ("Two", ((0,),)))
    data = edited(saved(book), "xl/worksheets/sheet2.xml", pattern, replacement)

    document = read(data, SHEET)

    assert document.text.startswith("kept")
    assert "Two" in document.failures[0] or "xl/worksheets/sheet2.xml" in document.failures[0]


def test_a_workbook_without_list_and_sheets_is_corrupt(read: Read) -> None:
    data = edited(saved(workbook(("S", STAFF))), "xl/workbook.xml", "<sheets>.*", "<")
    data = edited(data, "xl/worksheets/sheet1.xml", "<sheetData>.*", "<")

    with pytest.raises(ExtractionError) as refusal:
        read(data, SHEET)

    assert refusal.value.reason is Reason.CORRUPT


def test_sheets_are_read_when_the_links_to_them_are_broken(read: Read) -> None:
    book = workbook(("Leave", STAFF), ("Other", ((3, True), (4, 1.5))))
    book["Leave"]["B2"].number_format = "0000"
    data = edited(saved(book), "_rels/.rels", "<Relationships", "no relationships")

    document = read(data, SHEET)

    assert said(document)[1] == "Name: Kim | Days: 0012 | Since: 2021-03-01"
    assert document.segments[1].locator.value == "Leave!A2:C2"
    assert said(document)[3:] == ["3 | TRUE", "4 | 1.5"]
    assert "read one by one" in document.failures[0]


def test_sheets_are_read_when_their_list_is_broken(read: Read) -> None:
    data = edited(saved(workbook(("Leave", STAFF))), "xl/workbook.xml", "<sheets>.*", "<")

    document = read(data, SHEET)

    assert said(document)[0] == "Name | Days | Since"
    assert document.segments[0].locator.value == "sheet1!A1:C1"


RUBY = '<t>東京</t><rPh sb="0" eb="2"><t>トウキョウ</t></rPh>'


@pytest.mark.parametrize("broken", [False, True], ids=["whole", "read one by one"])
def test_the_small_print_over_a_word_is_no_part_of_a_cell(read: Read, *, broken: bool) -> None:
    data = saved(workbook(("S", (("Tokyo", 3),))))
    data = edited(data, SHEET_PART, "<is>.*?</is>", f"<is>{RUBY}</is>")
    if broken:
        data = edited(data, "_rels/.rels", "<Relationships", "no relationships")

    assert said(read(data, SHEET)) == ["東京 | 3"]


def test_the_small_print_over_a_shared_word_is_no_part_of_a_cell(read: Read) -> None:
    data = saved(workbook(("S", (("Tokyo", 3),))))
    data = edited(data, SHEET_PART, r"<c r=\"A1\".*?</c>", '<c r="A1" t="s"><v>0</v></c>')
    data = edited(data, "_rels/.rels", "<Relationships", "no relationships")

    shared = {"xl/sharedStrings.xml": f"<sst><si>{RUBY}</si></sst>"}

    assert said(read(with_parts(data, shared), SHEET)) == ["東京 | 3"]


def test_the_small_print_over_a_word_is_no_part_of_a_comment(read: Read) -> None:
    book = workbook(("S", (("Tokyo",),)))
    book["S"]["A1"].comment = Comment("Tokyo", "Kim")
    data = edited(saved(book), "xl/comments/comment1.xml", "<t[ >].*?Tokyo</t>", RUBY)

    assert said(read(data, SHEET))[1] == "[Comment by Kim] 東京"


def test_far_cells_and_absurd_numbers_do_no_harm_to_sheets_read_one_by_one(read: Read) -> None:
    book = workbook(("S", (("first",), (7,))))
    book["S"]["XFD1048576"] = "last"
    data = edited(saved(book), "_rels/.rels", "<Relationships", "no relationships")
    absurd = "9" * 10_000
    data = edited(data, "xl/worksheets/sheet1.xml", "<v>7</v>", f"<v>{absurd}</v>")
    data = edited(data, "xl/worksheets/sheet1.xml", '<c r="A1"', '<c r="ZZZZ99999999999"')

    assert said(read(data, SHEET))[-1] == "last"


def test_a_workbook_of_blank_cells_has_no_text(read: Read) -> None:
    with pytest.raises(ExtractionError) as refusal:
        read(saved(workbook(("S", ()))), SHEET)

    assert refusal.value.reason is Reason.NO_TEXT


@pytest.mark.parametrize(("number", "letters"), [(1, "A"), (26, "Z"), (27, "AA"), (16384, "XFD")])
def test_columns_are_lettered_as_in_a_sheet(number: int, letters: str) -> None:
    assert (column_letters(number), column_number(letters)) == (letters, number)


def test_numbers_are_shown_in_the_format_of_their_cells(read: Read) -> None:
    rows = (
        ("Item", "Share", "Price", "Code", "Fee", "Load"),
        ("Pen", 0.25, 1234.5, 123, -5, 2),
    )
    book = workbook(("S", rows))
    formats = ("General", "0%", "#,##0.00", "00000", '"$"#,##0.00;("$"#,##0.00)', '0" kg"')
    for cell, code in zip(book["S"][2], formats, strict=True):
        cell.number_format = code

    assert said(read(saved(book), SHEET))[1] == (
        "Item: Pen | Share: 25% | Price: 1,234.50 | Code: 00123 | Fee: ($5.00) | Load: 2 kg"
    )


def test_hidden_rows_and_columns_are_read_and_told(read: Read) -> None:
    book = workbook(("S", STAFF))
    book["S"].row_dimensions[3].hidden = True
    book["S"].column_dimensions["B"].hidden = True
    book["S"].column_dimensions["K"].hidden = True

    document = read(saved(book), SHEET)

    assert said(document)[2] == "Name: Lee | Days: 9.5 | Since: 2020-01-15 (hidden row)"
    assert document.segments[2].headings == ("S (hidden column B)",)
    assert document.segments[2].locator.label == "S"


def test_comments_stand_after_their_sheet_and_name_their_cell(read: Read) -> None:
    book = workbook(("One", STAFF), ("Two", (("end",),)))
    book["One"]["B3"].comment = Comment("Lee:\nhalf a day more?", "Lee")
    book["One"]["A2"].comment = Comment("new", "Kim")

    document = read(saved(book), SHEET)

    assert said(document)[3:] == [
        "[Comment by Kim] new", "[Comment by Lee] half a day more?", "end",
    ]  # fmt: skip
    locator = document.segments[4].locator
    assert (locator.kind, locator.value, locator.first) == ("sheet", "One!B3", 3)
    assert document.segments[4].headings == ("One",)


def test_threads_of_comments_are_read_in_place_of_their_stand_ins(read: Read) -> None:
    book = workbook(("S", STAFF))
    book["S"]["A1"].comment = Comment("[Threaded comment]\n\nYour version of Excel…", "tc={1}")
    space = "http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments"
    thread = (
        f'<ThreadedComments xmlns="{space}"><threadedComment ref="A1" personId="{{P}}" id="{{1}}">'
        f'<text>Who?</text></threadedComment><threadedComment ref="A1" id="{{2}}">'
        f"<text>All.</text></threadedComment></ThreadedComments>"
    )
    people = f'<personList xmlns="{space}"><person displayName="Kim" id="{{P}}"/></personList>'
    kind = "http://schemas.microsoft.com/office/2017/10/relationships/threadedComment"
    data = edited(
        saved(book),
        "xl/worksheets/_rels/sheet1.xml.rels",
        "</Relationships>",
        f'<Relationship Id="t" Type="{kind}" Target="../threadedComments/t1.xml"/></Relationships>',
    )
    data = with_parts(data, {"xl/threadedComments/t1.xml": thread, "xl/persons/person.xml": people})

    assert said(read(data, SHEET))[3:] == ["[Comment by Kim] Who?", "[Comment] All."]


def test_damaged_comments_cost_only_themselves(read: Read) -> None:
    book = workbook(("S", STAFF))
    book["S"]["A1"].comment = Comment("lost", "Kim")
    data = edited(saved(book), "xl/comments/comment1.xml", "</commentList>", "</comment")

    document = read(data, SHEET)

    assert len(document.segments) == 3
    assert "xl/comments/comment1.xml" in document.failures[0]


@pytest.mark.parametrize(
    ("code", "value", "text"),
    [
        ("0.00%", 0.1234, "12.34%"),
        ("#,##0", 0, "0"),
        ("#,##0", -1234567, "-1,234,567"),
        ("0.00", 2.675, "2.68"),
        ("0.##", 2, "2"),
        ('0.0,,"M"', 12_345_678, "12.3M"),
        ("0;[Red]0", -3, "-3"),
        ("[$€-407] #,##0.00", 3.005, "€ 3.01"),
        ("#,##0\\ [$₫-42A]", 1_500_000, "1,500,000 ₫"),
        ("000000-0000000", 9_001_011_234_567, "900101-1234567"),
        ('_-* #,##0_-;-* #,##0_-;_-* "-"_-;_-@_-', 0, "0"),
        (";;;", 3, "3"),
        ("yyyy-mm-dd", 4, "4"),
        ("# ?/?", 0.5, "0.5"),
        ("0.00E+00", 1234, "1234"),
        ("[>100]0.0;0.00", 7, "7"),
        ("0." + "0" * 200, 1, "1.0000000000"),
        ("0" + "%" * 200, 1, "1"),
        ("0", float("nan"), "nan"),
        ("0", 1e300, "1e+300"),
    ],
)
def test_number_formats_show_what_a_sheet_shows(code: str, value: float, text: str) -> None:
    found = number_format(code)

    assert (found.show(value) if found else show(value)) == text


@given(code=st.text('0#?.,%;"[]\\-$ _*()@ymdE/', max_size=30), value=st.floats())
def test_no_number_format_breaks(code: str, value: float) -> None:
    found = number_format(code)

    assert found is None or found.show(value)
