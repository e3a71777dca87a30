"""What the tables of OpenDocument texts name their columns with, and how full a sheet may be."""

from collections.abc import Callable

import pytest

from gdrive_rag_mcp.domain import Document, Reason
from gdrive_rag_mcp.errors import ExtractionError
from tests.extraction.open_files import open_file

Read = Callable[[bytes, str], Document]
ODT = "application/vnd.oasis.opendocument.text"
ODS = "application/vnd.oasis.opendocument.spreadsheet"


def row(*texts: str, cell: str = "") -> str:
    cells = "".join(
        f"<table:table-cell {cell}><text:p>{text}</text:p></table:table-cell>" for text in texts
    )
    return f"<table:table-row>{cells}</table:table-row>"


def headers(*rows: str) -> str:
    return f"<table:table-header-rows>{''.join(rows)}</table:table-header-rows>"


def table(*rows: str) -> str:
    return f'<table:table table:name="T">{"".join(rows)}</table:table>'


def contexts(document: Document) -> list[str]:
    return [each.context for each in document.segments]


def test_rows_that_a_text_repeats_on_every_page_name_the_columns_whatever_they_say(
    read: Read,
) -> None:
    marked = headers(row("2023", "2024"), row("H1", "H1"))

    document = read(open_file("text", table(marked, row("12", "14"), row("9", "8"))), ODT)

    assert document.text.split("\n")[0] == "2023 | 2024"
    assert contexts(document) == ["", "", *["2023 | 2024 / H1 | H1"] * 2]


def test_a_blank_row_among_the_repeated_ones_makes_no_other_row_a_header(read: Read) -> None:
    marked = headers(row("2023", "2024"), row("", ""))

    document = read(open_file("text", table(marked, row("12", "14"), row("9", "8"))), ODT)

    assert contexts(document) == ["", "2023 | 2024", "2023 | 2024"]


def test_a_first_row_of_numbers_that_is_not_repeated_names_no_column(read: Read) -> None:
    document = read(open_file("text", table(row("2023", "2024"), row("12", "14"))), ODT)

    assert contexts(document) == ["", ""]


@pytest.mark.parametrize(("repeated", "is_read"), [(4, True), (5, False)])
def test_a_sheet_may_have_as_many_filled_cells_as_any_sheet_and_no_more(
    read: Read, monkeypatch: pytest.MonkeyPatch, repeated: int, *, is_read: bool
) -> None:
    """Repeated cells are filled cells, few bytes as they take; the limit itself is for patience."""
    monkeypatch.setattr("gdrive_rag_mcp.extraction.open_document.sheet.MAX_AREA", 12)
    wide = row("x", cell=f'table:number-columns-repeated="{repeated}"')
    data = open_file("spreadsheet", table(wide, row(""), wide, wide))

    if is_read:
        assert read(data, ODS).text.count("x") == 12
        return
    with pytest.raises(ExtractionError) as refusal:
        read(data, ODS)
    assert refusal.value.reason is Reason.TOO_LARGE
    assert "more than 12 filled cells" in refusal.value.message
