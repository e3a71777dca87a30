"""Quotes verified over a real index, whatever chunks and pages they cross."""

from pathlib import Path

import pytest

from gdrive_rag_mcp.app import Reader, StorePool
from gdrive_rag_mcp.domain import EVERYTHING, Mode, QuoteVerdict, Scope
from gdrive_rag_mcp.errors import DocumentNotFoundError, IndexMissingError, QueryError
from gdrive_rag_mcp.presentation import (
    MAX_RESULT_CHARS,
    as_json,
    bounded_quote,
    fenced,
    quote_object,
    quote_text,
)
from gdrive_rag_mcp.testing.sample_index import SYNCED, SampleFile, heading, sample_index

LONG = SampleFile(
    "tale", "Tale.md", "text/markdown", "root", "Tale",
    tuple((f'Line {n} of "it"; ' * 40, heading(f"Chapter {n}")) for n in range(200)),
)  # fmt: skip


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("index") / "index.db"
    sample_index(path)
    return path


def reader_of(path: Path, visible: Scope = EVERYTHING) -> Reader:
    return Reader(
        StorePool(path, resident=False),
        embedder=lambda: None,
        mode=Mode.KEYWORD,
        visible=visible,
        clock=lambda: SYNCED,
    )


def test_offsets_are_those_of_the_text_that_get_document_serves(index: Path) -> None:
    reader = reader_of(index)
    check = reader.verify_quote("leave", "unused days lapse in March")

    assert check.found is not None
    span = check.found.span
    served = reader.document("leave", start=span.start, max_chars=span.end - span.start)
    assert served.text == check.found.text == "unused days lapse in March"


def test_a_quote_across_a_page_border_is_cited_by_both_pages_and_chunks(index: Path) -> None:
    shown = quote_object(
        reader_of(index).verify_quote("lease", "4200 euros a month. Either party may terminate")
    )

    assert (shown["verdict"], shown["tolerated"]) == ("exact", ["whitespace"])
    assert shown["citation"] is not None
    assert shown["citation"]["url"] == "https://files.example.com/lease.pdf#page=1"
    assert shown["citation"]["locator"]["value"] == "1-2"
    assert [place["locator"]["value"] for place in shown["in_chunks"]] == ["1", "2"]
    assert shown["citation"]["revision"] == "r1"


def test_a_row_of_a_sheet_is_cited_by_its_cells(index: Path) -> None:
    shown = quote_object(reader_of(index).verify_quote("budget", "Training; 8000"))

    assert shown["citation"] is not None
    assert shown["citation"]["locator"]["value"] == "Budget!A3:C3"


def test_a_changed_number_is_said_first_and_shown_beside_the_true_one(index: Path) -> None:
    check = reader_of(index).verify_quote("lease", "the office in Hamburg is 2400 euros a month")
    shown = quote_object(check)

    assert shown["verdict"] == "near"
    assert shown["altered"] == ["number"]
    assert shown["message"].startswith("The document says something else: a number differs.")
    assert shown["differences"] == [{"kind": "number", "quote": "2400", "document": "4200"}]
    assert "the quote says “2400”, the document “4200”" in quote_text(check)


def test_of_a_document_with_unread_parts_absence_is_not_certain(index: Path) -> None:
    check = reader_of(index).verify_quote("lease", "the landlord repaints every room")

    assert check.match.verdict is QuoteVerdict.ABSENT
    assert "could not be read" in quote_object(check)["message"]


def test_the_message_holds_no_word_of_the_document(index: Path) -> None:
    shown = quote_object(reader_of(index).verify_quote("leave", "26 days of paid annual leave"))

    assert "25" not in shown["message"]
    ours = as_json(fenced(shown, "n0")).partition('"content_begins"')[0]
    assert "annual" not in ours


@pytest.mark.parametrize("document_id", ["nowhere", "scan"])
def test_a_document_that_cannot_be_read_is_the_same_error_as_for_its_text(
    index: Path, document_id: str
) -> None:
    reader = reader_of(index)
    with pytest.raises(DocumentNotFoundError) as of_text:
        reader.document(document_id)
    with pytest.raises(DocumentNotFoundError) as of_quote:
        reader.verify_quote(document_id, "anything")

    assert str(of_quote.value) == str(of_text.value)


def test_what_is_out_of_sight_cannot_be_verified(index: Path) -> None:
    with pytest.raises(DocumentNotFoundError):
        reader_of(index, Scope(frozenset({"hr"}))).verify_quote("lease", "rent")


def test_an_empty_quote_is_refused_before_any_index_is_needed(tmp_path: Path) -> None:
    with pytest.raises(QueryError):
        reader_of(tmp_path / "none.db").verify_quote("lease", " ")
    with pytest.raises(IndexMissingError):
        reader_of(tmp_path / "none.db").verify_quote("lease", "rent")


@pytest.mark.parametrize("change", ["", "never "])
def test_a_very_long_quote_keeps_to_the_size_of_a_result(tmp_path: Path, change: str) -> None:
    sample_index(tmp_path / "index.db", files=(LONG,))
    reader = reader_of(tmp_path / "index.db")
    text = reader.document("tale").text
    quote = text[7 : text.index("Line 60")].replace("of", f"{change}of")
    shown = bounded_quote(quote_object(reader.verify_quote("tale", quote[:49_000])))

    assert len(as_json(fenced(shown, "0" * 16))) <= MAX_RESULT_CHARS
    assert shown["truncated"]
    assert shown["start"] is not None
    assert shown["found_text"]
    assert text.startswith(shown["found_text"], shown["start"])
