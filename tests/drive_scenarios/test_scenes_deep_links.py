"""A citation of a Google file opens the place itself, where Google's APIs tell of places."""

import io
from collections.abc import Mapping
from typing import Any

import docx
import openpyxl
import pytest

from gdrive_rag_mcp.testing.fake_drive.files import PRESENTATION, SPREADSHEET
from tests.drive_scenarios.scene import Scene
from tests.extraction.made_decks import Deck, Slide, shape, titled

OFFICE = "application/vnd.openxmlformats-officedocument."
DOCX, XLSX = f"{OFFICE}wordprocessingml.document", f"{OFFICE}spreadsheetml.sheet"
PPTX = f"{OFFICE}presentationml.presentation"
TABS = {"t.1": "Leave", "t.2": "Travel"}


def exported_tabs() -> bytes:
    """The Word file of a document with two tabs, one after the other."""
    made = docx.Document()
    for number, title in enumerate(TABS.values()):
        made.add_heading(title, 1)
        made.add_paragraph(f"The animal of {title} is the {('gazelle', 'okapi')[number]}.")
    file = io.BytesIO()
    made.save(file)
    return file.getvalue()


def described_tabs() -> dict[str, Any]:
    """What the Docs API says of the same document."""

    def heading(tab: str, title: str) -> dict[str, Any]:
        return {
            "elements": [{"textRun": {"content": f"{title}\n"}}],
            "paragraphStyle": {"namedStyleType": "HEADING_1", "headingId": f"h.{tab[-1]}"},
        }

    return {
        "tabs": [
            {
                "tabProperties": {"tabId": tab, "title": title},
                "documentTab": {"body": {"content": [{"paragraph": heading(tab, title)}]}},
            }
            for tab, title in TABS.items()
        ]
    }


def workbook() -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Rates"
    for row in (["Grade", "Animal"], ["A", "quokka"]):
        sheet.append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def cited(scene: Scene, word: str) -> Mapping[str, Any]:
    """The citation of the passage that a search for a word shows first."""
    done = scene.run("search", word, "--json")
    found = done.json["results"] or done.json["candidate_results"]
    citation: Mapping[str, Any] = found[0]["citation"]
    return citation


@pytest.mark.parametrize(("word", "tab"), [("gazelle", "t.1"), ("okapi", "t.2")])
def test_each_tab_of_a_document_is_found_and_its_citation_opens_tab_and_heading(
    scene: Scene, word: str, tab: str
) -> None:
    doc = scene.drive.files.add_native("doc", {DOCX: exported_tabs()})
    scene.drive.files.describe(doc, described_tabs())
    assert scene.run("sync").code == 0

    citation = cited(scene, word)

    assert citation["locator"]["value"] == TABS[tab]
    assert f"/{doc}/" in citation["url"]
    assert citation["url"].endswith(f"tab={tab}#heading=h.{tab[-1]}")


def test_a_passage_of_a_sheet_opens_its_sheet_and_its_rows(scene: Scene) -> None:
    sheet = scene.drive.files.add_native("rates", {XLSX: workbook()}, mime_type=SPREADSHEET)
    described = {"sheets": [{"properties": {"sheetId": 7, "title": "Rates"}}]}
    scene.drive.files.describe(sheet, described)
    assert scene.run("sync").code == 0

    citation = cited(scene, "quokka")

    assert f"/{sheet}/" in citation["url"]
    assert citation["url"].endswith("#gid=7&range=A1:B2")


def test_without_the_api_of_an_editor_the_file_is_cited_and_the_ledger_says_so(
    scene: Scene,
) -> None:
    doc = scene.drive.files.add_native("doc", {DOCX: exported_tabs()})
    scene.drive.files.describe(doc, described_tabs())
    scene.drive.api.disable("docs")

    assert scene.run("sync").code == 0

    url = cited(scene, "gazelle")["url"]
    assert f"/{doc}" in url
    assert "heading=" not in url
    [line] = scene.run("status", "--files", "--json").json["files"]
    assert (line["state"], "Docs API" in line["detail"]) == ("indexed", True)


def exported_deck() -> bytes:
    """The PowerPoint file of three slides; Drive's export holds those that are skipped, too."""
    second = Slide(shape("The animal of the hidden slide is the okapi."), attributes='show="0"')
    third = Slide(
        titled("Travel") + shape("The animal of travel is the quokka."),
        [("n", "notesSlide", "../notesSlides/notesSlide1.xml")],
    )
    notes = shape("The animal of the notes is the axolotl.", role="body")
    part = f"<p:notes><p:cSld><p:spTree>{notes}</p:spTree></p:cSld></p:notes>"
    first = Slide(titled("Leave") + shape("The animal of leave is the gazelle."))
    return Deck([first, second, third], {"ppt/notesSlides/notesSlide1.xml": part}).saved()


@pytest.mark.parametrize(
    ("word", "place", "slide"),
    [
        ("gazelle", "1", "p"),
        ("okapi", "2", "g2e_0_0"),
        ("quokka", "3", "g3f_0_7"),
        ("axolotl", "3", "g3f_0_7"),
    ],
)
def test_each_slide_of_a_deck_is_found_and_its_citation_opens_it(
    scene: Scene, word: str, place: str, slide: str
) -> None:
    deck = scene.drive.files.add_native("deck", {PPTX: exported_deck()}, mime_type=PRESENTATION)
    described = {"slides": [{"objectId": each} for each in ("p", "g2e_0_0", "g3f_0_7")]}
    scene.drive.files.describe(deck, described)
    assert scene.run("sync").code == 0

    citation = cited(scene, word)

    assert (citation["locator"]["kind"], citation["locator"]["value"]) == ("slide", place)
    assert f"/presentation/d/{deck}/" in citation["url"]
    assert citation["url"].endswith(f"#slide=id.{slide}")


def test_a_deck_costs_an_export_and_a_question_for_its_slides(scene: Scene) -> None:
    scene.drive.files.add_native("deck", {PPTX: exported_deck()}, mime_type=PRESENTATION)

    scene.sync()

    assert scene.ledger() == {"deck": "indexed"}
    assert (scene.calls()["export"], scene.calls()["slides"]) == (1, 1)


def test_without_the_slides_api_the_deck_is_cited_and_the_ledger_says_so(scene: Scene) -> None:
    deck = scene.drive.files.add_native("deck", {PPTX: exported_deck()}, mime_type=PRESENTATION)
    scene.drive.files.describe(deck, {"slides": [{"objectId": "p"}]})
    scene.drive.api.disable("slides")

    assert scene.run("sync").code == 0

    url = cited(scene, "gazelle")["url"]
    assert f"/{deck}" in url
    assert "slide=" not in url
    [line] = scene.run("status", "--files", "--json").json["files"]
    assert (line["state"], "Slides API" in line["detail"]) == ("indexed", True)
