"""Links that open a document at the place that is cited."""

import pytest

from gdrive_rag_mcp import presentation as present
from gdrive_rag_mcp.domain import Locator

_DOC = "https://docs.google.com/document/d/1a/edit"
_SHEET = "https://docs.google.com/spreadsheets/d/1b/edit?usp=drivesdk"
_SLIDES = "https://docs.google.com/presentation/d/1c/edit?usp=drivesdk"
_NATIVE = "application/vnd.google-apps."


@pytest.mark.parametrize(
    ("url", "mime_type", "locator", "expected"),
    [
        ("https://e.org/a.pdf", "application/pdf", Locator("page", "4", 4, 4), "#page=4"),
        ("https://e.org/a.pdf", "application/pdf", Locator("page", "4-5", 4, 5), "#page=4"),
        ("file:///srv/a.pdf", "application/pdf", Locator("page", "4", 4, 4, "iv"), "#page=4"),
        ("https://e.org/a.pdf#top", "application/pdf", Locator("page", "4", 4, 4), ""),
        ("https://e.org/a.docx", "application/msword", Locator("page", "4", 4, 4), ""),
        ("https://e.org/a.pdf", "application/pdf", Locator("heading", "A"), ""),
        ("gdrive:a", "application/pdf", Locator("page", "4", 4, 4), ""),
    ],
    ids=["page", "pages", "label", "fragment", "not a PDF", "no page", "no address"],
)
def test_a_link_opens_at_the_page_where_the_format_can(
    url: str, mime_type: str, locator: Locator, expected: str
) -> None:
    assert present.deep_link(url, mime_type, locator) == url + expected


def test_a_document_without_address_has_no_link() -> None:
    assert present.deep_link(None, "application/pdf", Locator("page", "4", 4, 4)) is None
    assert present.deep_link(None, f"{_NATIVE}document", Locator("heading", "A"), "gid=1") is None


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", "?tab=t.0"),
        ("?usp=drivesdk", "?usp=drivesdk&tab=t.0"),
        ("?tab=t.9&usp=drivesdk", "?usp=drivesdk&tab=t.0"),
    ],
    ids=["no query", "kept", "another tab"],
)
def test_a_heading_of_a_google_document_is_opened_in_its_tab(query: str, expected: str) -> None:
    link = present.deep_link(
        _DOC + query, f"{_NATIVE}document", Locator("heading", "A > B"), "tab=t.0&heading=h.x1"
    )

    assert link == f"{_DOC}{expected}#heading=h.x1"


@pytest.mark.parametrize(
    ("locator", "expected"),
    [
        (Locator("sheet", "Budget!A5:F9", 5, 9, "Budget"), "&range=A5:F9"),
        (Locator("sheet", "Budget!B7", 7, 7, "Budget"), "&range=B7"),
        (Locator("sheet", "Q1!Q2!A5:F9", 5, 9, "Q1!Q2"), "&range=A5:F9"),
        (Locator("sheet", 'It\'s "big"!A5:F9', 5, 9, 'It\'s "big"'), "&range=A5:F9"),
        (Locator("sheet", "Q1!A5", None, None, "Q1!A5"), ""),
        (Locator("sheet", "A5", None, None, "A5"), ""),
        (Locator("sheet", "Budget!A5:F9"), "&range=A5:F9"),
        (Locator("sheet", "Budget"), ""),
        (Locator("sheet", "A5"), ""),
        (Locator("sheet", "Budget!all of it", 1, 9, "Budget"), ""),
        (Locator("page", "Budget!A5:F9"), ""),
    ],
)
def test_a_sheet_is_opened_at_the_cells(locator: Locator, expected: str) -> None:
    link = present.deep_link(_SHEET, f"{_NATIVE}spreadsheet", locator, "gid=7")

    assert link == f"{_SHEET}#gid=7{expected}"


def test_a_presentation_is_opened_at_the_slide() -> None:
    link = present.deep_link(
        _SLIDES, f"{_NATIVE}presentation", Locator("slide", "3", 3, 3), "slide=id.p3"
    )

    assert link == f"{_SLIDES}#slide=id.p3"


@pytest.mark.parametrize("anchor", [None, "", "gid=7 onclick", "javascript:x", "gid=7#gid=8", "=x"])
def test_without_an_anchor_that_makes_sense_a_link_leads_to_the_file(anchor: str | None) -> None:
    locator = Locator("sheet", "Budget!A5:F9", 5, 9, "Budget")

    assert present.deep_link(_SHEET, f"{_NATIVE}spreadsheet", locator, anchor) == _SHEET
