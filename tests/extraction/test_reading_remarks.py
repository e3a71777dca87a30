"""A document that was not what it was listed as is read, and says so in words people know."""

from collections.abc import Callable

import pytest

from gdrive_rag_mcp.domain import Document

Read = Callable[[bytes, str], Document]
_OFFICE = "application/vnd.openxmlformats-officedocument"
PAGE = b"<!DOCTYPE html><html><body><p>Sign in to continue.</p></body></html>"
NOTE = b"This file was moved to the archive.\n"


@pytest.mark.parametrize(
    ("content", "listed", "remark"),
    [
        (PAGE, f"{_OFFICE}.wordprocessingml.document", "Word, but read as what it is: web page"),
        (PAGE, f"{_OFFICE}.spreadsheetml.sheet", "Excel, but read as what it is: web page"),
        (
            PAGE,
            "application/vnd.oasis.opendocument.text",
            "OpenDocument text, but read as what it is: web page",
        ),
        (PAGE, "application/pdf", "PDF, but read as what it is: web page"),
        (NOTE, "application/msword", "Word 97, but read as what it is: plain text"),
        (NOTE, "application/epub+zip", "EPUB, but read as what it is: plain text"),
    ],
)
def test_a_text_in_the_place_of_a_document_is_read_with_the_names_of_both(
    read: Read, content: bytes, listed: str, remark: str
) -> None:
    document = read(content, listed)

    assert document.failures == (f"listed as {remark}",)
    assert document.text in (NOTE.decode().strip(), "Sign in to continue.")


@pytest.mark.parametrize(
    ("content", "listed"),
    [(PAGE, "application/msword"), (PAGE, "text/plain"), (NOTE, "text/markdown"), (NOTE, "")],
)
def test_where_programs_write_one_for_the_other_nothing_is_said(
    read: Read, content: bytes, listed: str
) -> None:
    assert read(content, listed).failures == ()
