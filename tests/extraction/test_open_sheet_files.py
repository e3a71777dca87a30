from collections.abc import Callable

import pytest

from gdrive_rag_mcp.domain import Document, Reason
from gdrive_rag_mcp.errors import ExtractionError
from tests.extraction.open_files import encrypted_manifest, open_file, properties

Read = Callable[[bytes, str], Document]
ODS = "application/vnd.oasis.opendocument.spreadsheet"


def ods(*sheets: str, styles: str = "", **parts: str) -> bytes:
    members = {f"{name}.xml": content for name, content in parts.items()}
    return open_file("spreadsheet", "".join(sheets), styles=styles, parts=members)


def sheet(name: str, *rows: str, attributes: str = "", columns: str = "") -> str:
    return f'<table:table table:name="{name}" {attributes}>{columns}{"".join(rows)}</table:table>'


def row(*cells: str, attributes: str = "") -> str:
    return f"<table:table-row {attributes}>{''.join(cells)}</table:table-row>"


def cell(text: str = "", attributes: str = "", inside: str = "") -> str:
    shown = f"<text:p>{text}</text:p>" if text else ""
    return f"<table:table-cell {attributes}>{inside}{shown}</table:table-cell>"


def texts(*words: str) -> str:
    return row(*(cell(word, 'office:value-type="string"') for word in words))


def said(document: Document) -> list[str]:
    return [document.text[each.start : each.end] for each in document.segments]


def places(document: Document) -> list[str]:
    return [each.locator.value for each in document.segments]


def test_cells_say_what_the_sheet_shows_and_days_in_iso_form(read: Read) -> None:
    values = row(
        cell("Kim"),
        cell("25 %", 'office:value-type="percentage" office:value="0.25"'),
        cell("01.03.21", 'office:value-type="date" office:date-value="2021-03-01T00:00:00"'),
        cell("9:05", 'office:value-type="time" office:time-value="PT09H05M30S"'),
        cell("", 'office:value-type="float" office:value="12.0"'),
    )

    document = read(ods(sheet("S", texts("Who", "Share", "Since", "At", "Days"), values)), ODS)

    assert said(document)[1] == (
        "Who: Kim | Share: 25 % | Since: 2021-03-01 | At: 9:05:30 | Days: 12"
    )
    assert places(document) == ["S!A1:E1", "S!A2:E2"]


def test_repeated_blanks_shift_row_numbers_and_cost_nothing(read: Read) -> None:
    blank = row(cell("", 'table:number-columns-repeated="16384"'), attributes=repeated(1_000_000))
    indented = row(cell("", 'table:number-columns-repeated="3"'), cell("far"))

    document = read(ods(sheet("S", texts("first"), blank, indented, blank)), ODS)

    assert places(document) == ["S!A1", "S!D1000002"]


def test_a_row_that_is_repeated_is_said_once_for_all_its_rows(read: Read) -> None:
    same = row(cell("x"), cell("1"), attributes=repeated(1_048_000))

    document = read(ods(sheet("S", texts("Name", "No"), same, texts("y", "2"))), ODS)

    assert said(document) == ["Name | No", "Name: x | No: 1", "Name: y | No: 2"]
    assert places(document)[1:] == ["S!A2:B1048001", "S!A1048002:B1048002"]
    assert (document.segments[1].locator.first, document.segments[1].locator.last) == (2, 1_048_001)


def test_cells_repeated_without_end_are_too_large(read: Read) -> None:
    wide = row(cell("x", 'table:number-columns-repeated="999999999"')) * 400

    with pytest.raises(ExtractionError) as refusal:
        read(ods(sheet("S", wide)), ODS)

    assert refusal.value.reason is Reason.TOO_LARGE


def test_what_is_hidden_is_read_and_told(read: Read) -> None:
    hiding = (
        '<style:style style:name="h" style:family="table">'
        '<style:table-properties table:display="false"/></style:style>'
    )
    columns = (
        '<table:table-column/><table:table-column table:number-columns-repeated="2" '
        'table:visibility="collapse"/><table:table-column/>'
    )
    hidden_row = row(cell("z"), attributes='table:visibility="filter"')
    shown = sheet("S", texts("a", "b", "c", "d"), hidden_row, columns=columns)
    secret = sheet("Secret", texts("hush"), attributes='table:style-name="h"')

    document = read(ods(shown, secret, styles=hiding), ODS)

    assert said(document)[1] == "z (hidden row)"
    assert document.segments[0].headings == ("S (hidden columns B-C)",)
    assert document.segments[2].headings == ("Secret (hidden sheet)",)


def test_merged_cells_are_filled_in(read: Read) -> None:
    head = row(
        cell("Region"),
        cell("2023", 'table:number-columns-spanned="2"'),
        "<table:covered-table-cell/>",
        cell("2024", 'table:number-columns-spanned="2"'),
        "<table:covered-table-cell/>",
    )
    names = row(cell(), *(cell(half) for half in ("H1", "H2", "H1", "H2")))
    first = row(cell("Asia", 'table:number-rows-spanned="2"'), *(cell(each) for each in "1234"))
    second = row("<table:covered-table-cell/>", *(cell(each) for each in "5678"))

    assert said(read(ods(sheet("S", head, names, first, second)), ODS))[2:] == [
        "Region: Asia | 2023 H1: 1 | 2023 H2: 2 | 2024 H1: 3 | 2024 H2: 4",
        "Region: Asia | 2023 H1: 5 | 2023 H2: 6 | 2024 H1: 7 | 2024 H2: 8",
    ]


def test_comments_stand_after_their_sheet_and_name_their_cell(read: Read) -> None:
    note = (
        "<office:annotation><dc:creator>Kim</dc:creator><text:p>Sure?</text:p></office:annotation>"
    )

    document = read(ods(sheet("S", row(cell("a"), cell("b", inside=note)))), ODS)

    assert said(document) == ["a | b", "[Comment by Kim] Sure?"]
    assert places(document)[1] == "S!B1"


def test_boxes_and_pictures_stand_after_their_sheet_and_objects_are_told(read: Read) -> None:
    words = "<text:p>Read</text:p><text:p>me</text:p>"
    box = f"<draw:frame><draw:text-box>{words}</draw:text-box></draw:frame>"
    picture = "<draw:frame><draw:image/><svg:desc>A floor plan</svg:desc></draw:frame>"
    foreign = "<draw:frame><draw:object-ole/></draw:frame>"
    shapes = f"<table:shapes>{picture}</table:shapes>"

    document = read(
        ods(sheet("S", row(cell("a"), cell("b", inside=box + foreign)), columns=shapes)), ODS
    )

    assert said(document) == ["a | b", "[Picture: A floor plan]", "Read", "me"]
    assert places(document) == ["S!A1:B1", "S!A1", "S!B1", "S!B1"]
    assert document.failures == ("S: an embedded object was not read",)


def test_formulas_never_calculated_are_told(read: Read) -> None:
    formula = cell("", 'table:formula="of:=[.A1]+1"')

    assert said(read(ods(sheet("S", row(cell("7"), formula))), ODS)) == [
        "7 | =[.A1]+1 (not calculated)"
    ]


def test_rows_in_groups_and_tables_within_cells_are_read_once(read: Read) -> None:
    inner = sheet("inner", texts("deep"))
    grouped = f"<table:table-row-group>{texts('in', 'group')}</table:table-row-group>"
    heads = f"<table:table-header-rows>{texts('A', 'B')}</table:table-header-rows>"

    document = read(ods(sheet("S", heads, grouped, row(cell("outer", inside=inner)))), ODS)

    assert said(document) == ["A | B", "A: in | B: group", "A: deep outer"]
    assert places(document) == ["S!A1:B1", "S!A2:B2", "S!A3"]


def test_what_was_read_from_other_files_is_left_out(read: Read) -> None:
    cache = sheet("'file:///x'#S", texts("foreign"), attributes='table:style-name="ta_extref"')

    assert read(ods(sheet("S", texts("own")), cache), ODS).text == "own"


def test_the_title_is_the_one_that_the_author_gave(read: Read) -> None:
    assert read(ods(sheet("S", texts("a")), meta=properties("Leave plan")), ODS).title == (
        "Leave plan"
    )


def test_an_encrypted_workbook_is_told(read: Read) -> None:
    data = open_file(
        "spreadsheet", "", parts={"META-INF/manifest.xml": encrypted_manifest("spreadsheet")}
    )

    with pytest.raises(ExtractionError) as refusal:
        read(data, ODS)

    assert refusal.value.reason is Reason.ENCRYPTED


def test_a_damaged_workbook_is_corrupt(read: Read) -> None:
    with pytest.raises(ExtractionError) as refusal:
        read(ods("<table:table><table:table-row></table:table>"), ODS)

    assert refusal.value.reason is Reason.CORRUPT


def repeated(count: int) -> str:
    return f'table:number-rows-repeated="{count}"'
