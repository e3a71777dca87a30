import codecs
from collections.abc import Callable

import pytest

from gdrive_rag_mcp.domain import Document, Reason, SegmentKind
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.delimited.records import declared_delimiter, find_delimiter, records

Read = Callable[[bytes, str], Document]
CSV = "text/csv"


def said(document: Document) -> list[str]:
    return [document.text[each.start : each.end] for each in document.segments]


def lines_of(document: Document) -> list[tuple[int | None, int | None]]:
    return [(each.locator.first, each.locator.last) for each in document.segments]


def test_a_record_is_said_with_the_names_of_its_columns_and_found_at_its_line(read: Read) -> None:
    document = read(b"Name,Days,Since\r\nKim,12,2021-03-01\r\nLee,9.5,2020-01-15\r\n", CSV)

    assert said(document) == [
        "Name | Days | Since",
        "Name: Kim | Days: 12 | Since: 2021-03-01",
        "Name: Lee | Days: 9.5 | Since: 2020-01-15",
    ]
    row = document.segments[1]
    assert (row.kind, row.context) == (SegmentKind.ROW, "Name | Days | Since")
    assert (row.locator.kind, row.locator.value) == ("lines", "2")


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found_whatever_stands_in_quotes(read: Read, delimiter: str) -> None:
    table = [["Name", "Note"], ["Kim", '"a, b; c | d\te"'], ["Lee", '"x,y,z;;;|||"']]
    content = "\n".join(delimiter.join(row) for row in table)

    assert said(read(content.encode(), CSV))[1] == "Name: Kim | Note: a, b; c | d e"


def test_decimal_commas_part_no_columns() -> None:
    assert find_delimiter(["1,5;2,5;3,5", "4,5;5,5;6,5"]) == ";"
    assert find_delimiter(["a,b,c", "1;2,3,4", "5,6,7"]) == ","


def test_tabs_part_columns_whatever_lists_stand_in_them() -> None:
    assert find_delimiter(["id\t1,2,3,4,5", "7\t6,7,8,9,0"]) == "\t"


def test_letters_never_part_columns() -> None:
    assert find_delimiter(["aXbXc", "dXeXf", "gXhXi"]) is None


def test_the_delimiter_that_a_first_line_declares_is_taken_and_the_line_still_counts(
    read: Read,
) -> None:
    document = read(b"sep=;\r\nName;Note\r\nKim;a,b\r\n", CSV)

    assert said(document) == ["Name | Note", "Name: Kim | Note: a,b"]
    assert lines_of(document) == [(2, 2), (3, 3)]


@pytest.mark.parametrize("line", ['sep="', "sep=x", "sep= ", "sep=", "sep=;;"])
def test_a_first_line_that_declares_nonsense_is_a_record(line: str) -> None:
    assert declared_delimiter(line) is None


def test_a_value_over_several_lines_stays_in_its_record_and_moves_no_line_number(
    read: Read,
) -> None:
    document = read(b'Name,Note\n"Kim","first\nsecond ""third"""\nLee,x\n', CSV)

    assert said(document)[1:] == ['Name: Kim | Note: first second "third"', "Name: Lee | Note: x"]
    assert lines_of(document) == [(1, 1), (2, 3), (4, 4)]


def test_a_quote_that_never_closes_costs_its_own_record_alone(read: Read) -> None:
    rows = "\n".join(f"{number},value {number}" for number in range(2000))

    document = read(f'id,text\n"open,value\n{rows}\n'.encode(), CSV)

    assert said(document)[1] == 'id: "open | text: value'
    assert said(document)[-1] == "id: 1999 | text: value 1999"
    assert lines_of(document)[-1] == (2002, 2002)


def test_rows_that_are_longer_or_shorter_than_the_names_are_kept(read: Read) -> None:
    document = read(b"a,b\n1,2,3\n4\n,5\n", CSV)

    assert said(document)[1:] == ["a: 1 | b: 2 | 3", "a: 4", "b: 5"]


def test_a_file_without_names_has_plain_rows(read: Read) -> None:
    assert said(read(b"1,2\n3,4\n", CSV)) == ["1 | 2", "3 | 4"]


def test_a_single_column_is_text_with_lines(read: Read) -> None:
    document = read(b"Milk\nBread\n\nEggs\n", CSV)

    assert said(document) == ["Milk\nBread", "Eggs"]
    assert lines_of(document) == [(1, 2), (4, 4)]


@pytest.mark.parametrize(
    ("codec", "mark"),
    [("utf-16-le", codecs.BOM_UTF16_LE), ("utf-8", codecs.BOM_UTF8), ("cp949", b"")],
)
def test_other_encodings_are_read(read: Read, codec: str, mark: bytes) -> None:
    content = mark + "이름;부서;직책\n김철수;인사부;부장\n이영희;총무부;과장\n".encode(codec)

    assert "이름: 김철수 | 부서: 인사부 | 직책: 부장" in said(read(content, CSV))


def test_zero_bytes_are_dropped(read: Read) -> None:
    content = b"Name,Days\n" + b"Kim,1\n" * 200 + b"L\0ee,2\n"

    assert said(read(content, CSV))[-1] == "Name: Lee | Days: 2"


def test_a_blank_file_has_no_text(read: Read) -> None:
    with pytest.raises(ExtractionError) as refusal:
        read(b",,\n,,\n", CSV)

    assert refusal.value.reason is Reason.NO_TEXT


def test_records_cover_every_line_once() -> None:
    lines = ["a,b", '"x', 'y",1', "", '"open', "z"]

    found = list(records(lines, ","))

    assert [(each.first, each.last) for each in found] == [
        (1, 1), (2, 3), (4, 4), (5, 5), (6, 6),
    ]  # fmt: skip


def test_a_long_table_leaves_the_names_to_the_context(
    read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gdrive_rag_mcp.extraction.delimited.document.NAMED_AREA", 3)

    document = read(b"Name,Days\nKim,1\nLee,2\n", CSV)

    assert said(document)[1] == "Kim | 1"
    assert document.segments[1].context == "Name | Days"


@pytest.mark.parametrize(
    ("content", "row"),
    [
        (b'a, b, c\n1, "x, y", 3\n', "a: 1 | b: x, y | c: 3"),
        (b'a, b, c\n "x, y", 2, "say ""hi"", twice"\n', 'a: x, y | b: 2 | c: say "hi", twice'),
        (b'a; b; c\n1; "x; y"; 3\n', "a: 1 | b: x; y | c: 3"),
        (b'a, b\n1, "x, y; z"\n', "a: 1 | b: x, y; z"),
        (b'a, b, c\n1, "two\nlines, one value", 3\n', "a: 1 | b: two lines, one value | c: 3"),
    ],
)
def test_a_blank_before_a_quote_moves_no_value_to_another_column(
    read: Read, content: bytes, row: str
) -> None:
    assert said(read(content, CSV))[1] == row


def test_a_quote_behind_a_blank_that_opens_nothing_swallows_no_rows(read: Read) -> None:
    document = read(b'who, note\nKim, "the best\nLee, so so\nPark, 5 "stars\n', CSV)

    assert said(document)[1:] == [
        'who: Kim | note: "the best', "who: Lee | note: so so", 'who: Park | note: 5 "stars',
    ]  # fmt: skip
