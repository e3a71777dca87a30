"""What files hold, and what Drive will not give out: entries 53 to 63 of the public failures."""

import io
import json
import os
import zipfile
from collections.abc import Mapping
from dataclasses import replace

import docx
import openpyxl
import pytest

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.testing.fake_drive.answers import Answer
from gdrive_rag_mcp.testing.fake_drive.files import SPREADSHEET
from tests.drive_scenarios.scene import Scene, wordof

NATIVE = "application/vnd.google-apps."
OFFICE = "application/vnd.openxmlformats-officedocument."
DOCX, XLSX = f"{OFFICE}wordprocessingml.document", f"{OFFICE}spreadsheetml.sheet"
LIMIT = 10 * 1024 * 1024


def document(text: str, *, filler: int = 0) -> Mapping[str, bytes]:
    """What a Google document is exported to: Word, with a picture of so many bytes."""
    file = io.BytesIO()
    made = docx.Document()
    made.add_paragraph(text)
    made.save(file)
    if filler:
        with zipfile.ZipFile(file, "a", zipfile.ZIP_STORED) as parts:
            parts.writestr("word/media/picture.bin", os.urandom(filler))
    return {DOCX: file.getvalue()}


def workbook(**sheets: str) -> Mapping[str, bytes]:
    """What a Google sheet is exported to: Excel with a text in each sheet, and CSV."""
    file = io.BytesIO()
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, text in sheets.items():
        book.create_sheet(name).append(["Note", text])
    book.save(file)
    return {XLSX: file.getvalue(), "text/csv": next(iter(sheets.values())).encode()}


def edit(scene: Scene, file: str, text: str) -> None:
    scene.drive.files.edit(file, f"# New\n\nThis was {text}.".encode())


# ── exports ──────────────────────────────────────────────────────────────────


def test_a_document_over_the_export_limit_is_fetched_by_its_link(scene: Scene) -> None:
    scene.drive.files.add_native("large", document("a giant of a text", filler=LIMIT))
    scene.add("a.md")

    report = scene.sync()

    assert report.complete
    assert scene.ledger() == {"a.md": "indexed", "large": "indexed"}
    assert scene.find("giant") == ["large"]
    assert [len(scene.requests(kind)) for kind in ("export", "export_link")] == [1, 1]


def test_a_link_that_leads_to_another_host_is_not_sent_the_token(scene: Scene) -> None:
    scene.drive.files.add_native("large", document("a giant of a text", filler=LIMIT))
    scene.add("a.md")
    scene.drive.redirect_export_links()

    assert scene.sync().complete

    assert scene.ledger() == {"a.md": "indexed", "large": "failed:network"}
    assert "not Google's" in scene.record("large").detail
    assert not any(request.bearer for request in scene.requests("elsewhere"))


def test_a_document_over_the_export_limit_without_a_link_costs_itself_alone(scene: Scene) -> None:
    file = scene.drive.files.add_native("large", document("a giant of a text", filler=LIMIT))
    scene.drive.alter("fields=exportLinks", lambda answer: replace(answer, body=b"{}"), times=9)
    scene.add("a.md")
    scene.sync()

    assert scene.ledger() == {"a.md": "indexed", "large": "skipped:export_too_large"}
    assert "plit it" in scene.record("large").detail
    scene.sync()
    assert scene.contents() == 0, "nothing has changed"

    scene.drive.faults.clear()
    scene.drive.files.edit_native(file, document("a dwarf of a text"))
    scene.sync()
    assert scene.find("dwarf") == ["large"]


def test_an_export_that_always_fails_is_given_up_and_the_other_files_are_read(
    scene: Scene,
) -> None:
    bad = scene.drive.files.add_native("bad", document("never to be had"))
    scene.add("a.md")
    scene.add("z.md")
    scene.drive.fail(f"{bad}/export", 500, "internalError", times=1000)

    report = scene.sync()

    assert report.complete
    assert scene.ledger() == {"a.md": "indexed", "bad": "failed:network", "z.md": "indexed"}
    assert len(scene.requests("export")) <= 6
    assert sum(scene.waits) <= 120
    for _ in range(3):
        scene.sync()
    assert len(scene.requests("export")) == 0, "it rests"
    assert scene.record("bad").attempts == 3


def test_documents_and_sheets_are_converted_each_in_its_own_way_wherever_they_lie(
    scene: Scene,
) -> None:
    folder = scene.add_folder("folder")
    scene.drive.files.add_native("doc", document("a letter"), folder)
    scene.drive.files.add_native("sheet", workbook(One="a number"), mime_type=SPREADSHEET)

    scene.sync()

    asked = {request.query["mimeType"] for request in scene.requests("export")}
    assert asked == {DOCX, XLSX}
    assert (scene.find("letter"), scene.find("number")) == (["doc"], ["sheet"])


@pytest.mark.parametrize("kind", ["form", "site", "map", "jam", "drawing", "script", "vid", "new"])
def test_a_google_file_without_text_is_counted_and_never_asked_for(scene: Scene, kind: str) -> None:
    scene.drive.files.add_native("thing", {}, mime_type=f"{NATIVE}{kind}")
    scene.add("a.md")

    report = scene.sync()

    assert report.coverage.by_reason == {Reason.UNSUPPORTED_TYPE: 1}
    assert scene.ledger() == {"a.md": "indexed", "thing": "skipped:unsupported_type"}
    assert scene.contents() == 1


def test_every_sheet_of_a_spreadsheet_is_found(scene: Scene) -> None:
    book = workbook(First="alpha", Second="beta", Third="gamma")
    scene.drive.files.add_native("book", book, mime_type=SPREADSHEET)
    scene.sync()

    assert all(scene.find(word) == ["book"] for word in ("alpha", "beta", "gamma"))


def test_a_document_whose_version_alone_went_up_is_fetched_but_not_embedded_again(
    scene: Scene,
) -> None:
    file = scene.drive.files.add_native("doc", document("a letter"))
    scene.sync()
    scene.drive.files.set(file, viewedByMeTime="2026-03-01T00:00:00Z")

    report = scene.sync()

    assert (report.updated, report.unchanged, report.embedded_chunks) == (0, 1, 0)
    assert scene.contents() == 1


# ── contents that are odd ────────────────────────────────────────────────────


def test_a_file_of_zero_bytes_is_empty_and_no_failure(scene: Scene) -> None:
    scene.drive.files.add_file("empty.md", b"")
    scene.add("a.md")
    report = scene.sync()

    assert report.complete
    assert scene.ledger() == {"a.md": "indexed", "empty.md": "empty:no_text"}
    scene.sync()
    assert scene.contents() == 0, "there is nothing to try again"


def test_a_416_for_an_empty_file_is_not_an_error_either(scene: Scene) -> None:
    file = scene.drive.files.add_file("empty.md", b"")
    scene.drive.fail(f"{file}.*alt=media", 416, "requestedRangeNotSatisfiable", times=50)

    scene.sync()

    assert scene.ledger() == {"empty.md": "empty:no_text"}


@pytest.mark.parametrize("field", ["modifiedTime", "size", "md5Checksum", "headRevisionId", "name"])
def test_a_field_that_drive_leaves_out_stops_nothing(scene: Scene, field: str) -> None:
    scene.drive.files.add_file("a.md", b"# Title\n\nThe words inside.")

    def without(answer: Answer) -> Answer:
        body = json.loads(answer.body)
        for file in body["files"]:
            file.pop(field, None)
        return replace(answer, body=json.dumps(body).encode())

    scene.drive.alter("in parents", without, times=50)
    report = scene.sync()

    assert (report.added, report.complete) == (1, True)
    assert len(scene.find("inside")) == 1


def test_an_old_date_on_an_edit_hides_nothing_and_turns_nothing_back(scene: Scene) -> None:
    file = scene.add("a.md", scene.drive.files.my_drive("owner@example.com"))
    scene.drive.files.share(file, scene.drive.email)
    scene.drive.files.add_shortcut("link", file)
    scene.add("b.md")
    scene.sync()

    edit(scene, file, "rewritten")
    scene.drive.files.set(file, modifiedTime="1999-01-01T00:00:00Z")
    scene.sync()
    assert scene.find("rewritten") == ["a.md"]
    scene.add("c.md")
    scene.sync()
    assert scene.searchable() == {"a.md", "b.md", "c.md"}
    assert scene.contents() == 1


def test_types_that_nothing_reads_are_skipped_and_counted_and_the_folder_goes_on(
    scene: Scene,
) -> None:
    for name, kind in (("film.mp4", "video/mp4"), ("odd", "application/x-odd"), ("", "")):
        scene.drive.files.add_file(name, b"\x00\x01", mime_type=kind or "application/octet-stream")
    scene.add("a.md")

    report = scene.sync()

    assert report.complete
    assert report.coverage.by_reason == {Reason.UNSUPPORTED_TYPE: 3}
    # A type that says nothing is looked into once; one that is not read is not even fetched.
    assert (scene.searchable(), scene.contents()) == ({"a.md"}, 2)
    scene.sync()
    assert scene.contents() == 0


def test_what_a_file_is_called_says_nothing_of_what_it_holds(scene: Scene) -> None:
    add = scene.drive.files.add_file
    add("no extension", document("a letter in Word")[DOCX], mime_type=DOCX)
    add("report.pdf", b"# Title\n\nMarkdown in truth.", mime_type="text/markdown")
    scene.sync()

    assert scene.find("letter") == ["no extension"]
    assert scene.find("markdown truth") == ["report.pdf"]


def test_a_file_of_another_type_now_is_read_as_that(scene: Scene) -> None:
    file = scene.add("a.md")
    scene.sync()
    scene.drive.files.edit(file, document("a letter in Word")[DOCX], mime_type=DOCX)
    scene.sync()
    assert (scene.find("letter"), scene.find(wordof("a.md"))) == (["a.md"], [])

    scene.drive.files.edit(file, b"\x00\x01", mime_type="video/mp4")
    scene.sync()
    assert scene.ledger() == {"a.md": "skipped:unsupported_type"}
    assert scene.find("letter") == []


def test_a_file_that_is_edited_while_it_is_fetched_is_indexed_as_it_is_then(scene: Scene) -> None:
    file = scene.add("a.md")
    scene.drive.before("alt=media", lambda: edit(scene, file, "rewritten"))

    scene.sync()

    assert scene.find("rewritten") == ["a.md"]
    assert scene.sync().unchanged == 1
    assert scene.contents() == 0


def test_a_download_that_breaks_off_goes_on_and_is_checked(scene: Scene) -> None:
    scene.add("a.md", text="# Long\n\n" + "On and on. " * 9999 + "\n\nUnto the finale.")
    scene.drive.cut("alt=media", times=2)
    scene.drive.reset("alt=media")

    scene.sync()

    assert scene.find("finale") == ["a.md"]


def test_bytes_that_are_not_the_files_are_never_indexed(scene: Scene) -> None:
    scene.add("a.md")
    scene.drive.alter(
        "alt=media", lambda answer: replace(answer, body=answer.body[::-1]), times=100
    )

    scene.sync()

    assert scene.ledger() == {"a.md": "failed:changing"}
    assert scene.searchable() == set()


def test_uploading_the_same_bytes_again_fetches_and_embeds_nothing(scene: Scene) -> None:
    content = b"# Title\n\nThe same words."
    file = scene.drive.files.add_file("a.md", content)
    scene.sync()
    scene.drive.files.edit(file, content)

    report = scene.sync()

    assert (report.unchanged, scene.contents(), report.embedded_chunks) == (1, 0, 0)
