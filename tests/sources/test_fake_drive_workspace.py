"""The Docs, Sheets and Slides APIs of the fake, asked by Google's own clients."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from googleapiclient.errors import HttpError

from gdrive_rag_mcp.testing.fake_drive import FakeDrive
from gdrive_rag_mcp.testing.fake_drive.kinds import PRESENTATION, SPREADSHEET
from tests.sources.asking import ApiRequest, Asking, asking

Json = Any
TWO_TABS = {
    "revisionId": "r1",
    "tabs": [
        {
            "tabProperties": {"tabId": f"t.{number}", "title": title, "index": number},
            "documentTab": {"body": {"content": [{"startIndex": number, "endIndex": 9}]}},
        }
        for number, title in enumerate(("Main", "Annex"))
    ],
}


@pytest.fixture
def ask(drive: FakeDrive) -> Iterator[Asking]:
    with asking(drive) as asked:
        yield asked


def _error(request: ApiRequest) -> Json:
    with pytest.raises(HttpError) as caught:
        request.execute()
    return json.loads(caught.value.content)["error"]


def test_a_document_has_its_tabs_where_they_are_asked_for(drive: FakeDrive, ask: Asking) -> None:
    doc = drive.files.add_native("doc", {})
    drive.files.describe(doc, TWO_TABS)
    documents = ask.service(api="docs.v1").documents()

    whole = documents.get(documentId=doc, includeTabsContent=True).execute()
    first = documents.get(documentId=doc).execute()
    titles = documents.get(
        documentId=doc,
        includeTabsContent=True,
        fields="documentId,tabs(tabProperties(tabId,title))",
    ).execute()

    assert (whole["title"], "body" in whole, len(whole["tabs"])) == ("doc", False, 2)
    assert ("tabs" in first, first["body"]["content"][0]["startIndex"]) == (False, 0)
    assert titles == {
        "documentId": doc,
        "tabs": [
            {"tabProperties": {"tabId": "t.0", "title": "Main"}},
            {"tabProperties": {"tabId": "t.1", "title": "Annex"}},
        ],
    }


def test_a_document_without_tabs_has_one(drive: FakeDrive, ask: Asking) -> None:
    doc = drive.files.add_native("doc", {})
    drive.files.describe(doc, {"body": {"content": []}})
    documents = ask.service(api="docs.v1").documents()

    answer = documents.get(documentId=doc, includeTabsContent=True).execute()

    assert "body" not in answer
    assert answer["tabs"][0]["documentTab"] == {"body": {"content": []}}


def test_sheets_and_slides_say_what_was_described(drive: FakeDrive, ask: Asking) -> None:
    sheet = drive.files.add_native("sheet", {}, mime_type=SPREADSHEET)
    deck = drive.files.add_native("deck", {}, mime_type=PRESENTATION)
    drive.files.describe(sheet, {"sheets": [{"properties": {"sheetId": 7, "title": "Q1"}}]})
    drive.files.describe(deck, {"slides": [{"objectId": "p1"}]})

    sheets = ask.service(api="sheets.v4").spreadsheets()
    slides = ask.service(api="slides.v1").presentations()
    gids = sheets.get(spreadsheetId=sheet, fields="sheets(properties(sheetId,title))").execute()
    pages = slides.get(presentationId=deck, fields="presentationId,slides/objectId").execute()

    assert gids == {"sheets": [{"properties": {"sheetId": 7, "title": "Q1"}}]}
    assert pages == {"presentationId": deck, "slides": [{"objectId": "p1"}]}
    assert (drive.counts()["sheets"], drive.counts()["slides"]) == (1, 1)


def test_what_nobody_described_or_may_see_is_not_found(drive: FakeDrive, ask: Asking) -> None:
    described, bare = (drive.files.add_native(name, {}) for name in ("described", "bare"))
    drive.files.describe(described, TWO_TABS)
    word = drive.files.add_file("a.docx", b"x")
    documents = ask.service(api="docs.v1").documents()
    stranger = ask.service("stranger@example.com", api="docs.v1").documents()

    for request in (
        documents.get(documentId=bare),
        documents.get(documentId="nonexistent"),
        stranger.get(documentId=described),
    ):
        error = _error(request)
        assert (error["code"], error["status"]) == (404, "NOT_FOUND")
        assert "errors" not in error
    assert _error(documents.get(documentId=word))["status"] == "INVALID_ARGUMENT"


def test_parameters_and_masks_are_held_to_each_api(drive: FakeDrive, ask: Asking) -> None:
    doc = drive.files.add_native("doc", {})
    drive.files.describe(doc, TWO_TABS)
    documents, http = ask.service(api="docs.v1").documents(), ask.http()

    assert _error(documents.get(documentId=doc, fields="sheets"))["status"] == "INVALID_ARGUMENT"
    for query in ("supportsAllDrives=true", "suggestionsViewMode=maybe", "includeTabsContent=1"):
        response, _ = http.request(f"{drive.url}/v1/documents/{doc}?{query}")
        assert response.status == 400
    with pytest.raises(ValueError, match="has no field 'pages'"):
        drive.files.describe(doc, {"pages": []})
    with pytest.raises(ValueError, match=r"tabs\.tabProperties has no field"):
        drive.files.describe(doc, {"tabs": [{"tabProperties": {"gid": 1}}]})
    with pytest.raises(ValueError, match="no API"):
        drive.files.describe(drive.files.add_folder("folder"), {})


def test_a_service_that_is_switched_off_says_so_as_google_does(
    drive: FakeDrive, ask: Asking
) -> None:
    doc = drive.files.add_native("doc", {})
    drive.files.describe(doc, TWO_TABS)
    documents = ask.service(api="docs.v1").documents()
    drive.api.disable("docs")

    error = _error(documents.get(documentId=doc))

    assert (error["code"], error["status"]) == (403, "PERMISSION_DENIED")
    assert error["message"].startswith("Google Docs API has not been used in project ")
    info = error["details"][0]
    assert (info["@type"], info["reason"]) == (
        "type.googleapis.com/google.rpc.ErrorInfo",
        "SERVICE_DISABLED",
    )
    assert info["metadata"]["service"] == "docs.googleapis.com"
    drive.api.enable("docs")
    assert documents.get(documentId=doc).execute()["documentId"] == doc
    with pytest.raises(ValueError, match="none of"):
        drive.api.disable("gmail")
