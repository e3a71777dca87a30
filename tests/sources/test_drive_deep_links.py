"""A Google file read from the fake Drive: its content, and where its places are linked to."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gdrive_rag_mcp.domain import SourceFile, SourceFolder
from gdrive_rag_mcp.sources.drive import DriveSource
from gdrive_rag_mcp.testing.fake_drive import FakeDrive
from gdrive_rag_mcp.testing.fake_drive.kinds import DOCUMENT, PRESENTATION, SPREADSHEET

Connect = Callable[..., DriveSource]
Listed = Callable[[DriveSource], tuple[dict[str, SourceFile], dict[str, SourceFolder]]]
_OFFICE = "application/vnd.openxmlformats-officedocument."
DOCX = f"{_OFFICE}wordprocessingml.document"
XLSX = f"{_OFFICE}spreadsheetml.sheet"
PPTX = f"{_OFFICE}presentationml.presentation"


def _heading(words: str, rank: int, id_: str) -> dict[str, Any]:
    style = {"namedStyleType": f"HEADING_{rank}", "headingId": id_}
    return {"paragraph": {"elements": [{"textRun": {"content": words}}], "paragraphStyle": style}}


TWO_TABS = {
    "tabs": [
        {
            "tabProperties": {"tabId": "t.0", "title": "Main"},
            "documentTab": {
                "body": {"content": [_heading("Leave\n", 1, "h.a"), _heading("Unpaid\n", 2, "h.b")]}
            },
            "childTabs": [
                {
                    "tabProperties": {"tabId": "t.1", "title": "Annex"},
                    "documentTab": {"body": {"content": [_heading("Rates\n", 1, "h.c")]}},
                }
            ],
        }
    ]
}


@pytest.mark.parametrize(
    ("kind", "exported", "described", "expected"),
    [
        (
            DOCUMENT,
            DOCX,
            TWO_TABS,
            {
                "heading:Leave": "tab=t.0&heading=h.a",
                "heading:Leave > Unpaid": "tab=t.0&heading=h.b",
                "heading:Rates": "tab=t.1&heading=h.c",
            },
        ),
        (
            SPREADSHEET,
            XLSX,
            {"sheets": [{"properties": {"sheetId": 7, "title": "Q1", "sheetType": "GRID"}}]},
            {"sheet:Q1": "gid=7"},
        ),
        (PRESENTATION, PPTX, {"slides": [{"objectId": "p"}]}, {"slide:1": "slide=id.p"}),
    ],
    ids=["document", "spreadsheet", "presentation"],
)
def test_a_google_file_brings_its_content_and_its_places_for_two_calls(
    drive: FakeDrive,
    connect: Connect,
    listed: Listed,
    tmp_path: Path,
    *,
    kind: str,
    exported: str,
    described: dict[str, Any],
    expected: dict[str, str],
) -> None:
    drive.files.describe(
        drive.files.add_native("a", {exported: b"office"}, mime_type=kind), described
    )
    source = connect()
    file = listed(source)[0]["a"]
    before = len(drive.requests)

    fetched = source.read(file, tmp_path / "content")

    assert fetched.mime_type == exported
    assert (tmp_path / "content").read_bytes() == b"office"
    assert fetched.anchors == expected
    assert fetched.note == ""
    assert len(drive.requests) - before == 2


def test_an_api_that_is_switched_off_costs_the_places_and_one_call_a_run(
    drive: FakeDrive, connect: Connect, listed: Listed, tmp_path: Path
) -> None:
    for name in "abc":
        drive.files.describe(drive.files.add_native(name, {DOCX: b"office"}), TWO_TABS)
    drive.api.disable("docs")
    source = connect()

    fetched = [source.read(file, tmp_path / "content") for file in listed(source)[0].values()]

    assert drive.counts()["docs"] == 1
    assert [each.anchors for each in fetched] == [{}, {}, {}]
    assert {each.note for each in fetched} == {
        "links lead to the file: the Google Docs API is not enabled for this project"
    }


def test_a_large_document_comes_by_its_link_and_needs_its_resource_key(
    drive: FakeDrive, connect: Connect, listed: Listed, tmp_path: Path
) -> None:
    content = b"x" * (10 * 1024 * 1024 + 1)
    file_id = drive.files.add_native("huge", {DOCX: content})
    drive.files.require_resource_key(file_id)
    source = connect()
    file = listed(source)[0]["huge"]

    fetched = source.read(file, tmp_path / "content")

    assert file.resource_key
    assert fetched.mime_type == DOCX
    assert (tmp_path / "content").read_bytes() == content
