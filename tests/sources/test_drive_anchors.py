"""Deep links into Google's files: an anchor leads to its place, or there is none."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import Thread
from typing import Any

import pytest
from googleapiclient.discovery_cache import get_static_doc

from gdrive_rag_mcp.domain import SourceFile
from gdrive_rag_mcp.sources.drive_anchors import DriveAnchors
from gdrive_rag_mcp.sources.drive_auth import READ_ONLY
from gdrive_rag_mcp.sources.drive_failures import RunStoppedError
from gdrive_rag_mcp.sources.drive_transport import Transport
from tests.sources.scripted_google import (
    Reply,
    Script,
    ScriptedGoogle,
    connected,
    in_turn,
    scripted,
)

NATIVE = "application/vnd.google-apps."


def _file(kind: str = "document", key: str | None = None) -> SourceFile:
    return SourceFile("d1", "Plan", f"{NATIVE}{kind}", ("root",), "7", resource_key=key)


def _json(answer: object) -> Reply:
    return Reply(body=json.dumps(answer).encode())


def _disabled(reason: str) -> Reply:
    """A refusal as these APIs send it: without `errors`."""
    info = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason}
    error = {"code": 403, "message": "no", "status": "PERMISSION_DENIED", "details": [info]}
    return Reply(403, json.dumps({"error": error}).encode())


@contextmanager
def _asking(script: Script) -> Iterator[tuple[DriveAnchors, ScriptedGoogle, Transport]]:
    with scripted(script) as google, connected(google) as transport:
        yield DriveAnchors(transport), google, transport


def _anchors(kind: str, answer: object) -> Mapping[str, str]:
    with _asking(in_turn(_json(answer))) as (anchors, google, _):
        found, note = anchors.of(_file(kind))
    assert note == ""
    assert len(google.asked) == 1
    return found


# ── spreadsheets and presentations ───────────────────────────────────────────


def _sheets(*sheets: Mapping[str, object]) -> dict[str, Any]:
    return {"sheets": [{"properties": properties} for properties in sheets]}


def test_a_sheet_is_found_by_its_name() -> None:
    found = _anchors(
        "spreadsheet",
        _sheets(
            {"sheetId": 0, "title": "First", "sheetType": "GRID"},
            {"sheetId": 7, "title": "It's  a\tname!", "hidden": False},
        ),
    )

    assert found == {"sheet:First": "gid=0", "sheet:It's a name!": "gid=7"}


def test_a_sheet_that_cannot_be_opened_has_no_anchor() -> None:
    found = _anchors(
        "spreadsheet",
        _sheets(
            {"sheetId": 1, "title": "Hidden", "hidden": True},
            {"sheetId": 2, "title": "Chart", "sheetType": "OBJECT"},
            {"title": "No id"},
            {"sheetId": -1, "title": "Odd id"},
            {"sheetId": "1&x=2", "title": "Odder id"},
            {"sheetId": 3},
        ),
    )

    assert found == {}


def test_a_name_that_the_export_cuts_is_found_too_unless_two_are_cut_to_the_same() -> None:
    long = "Receipts and expenses of the year 2024"
    alone = _anchors("spreadsheet", _sheets({"sheetId": 1, "title": long}))
    twins = _anchors(
        "spreadsheet",
        _sheets({"sheetId": 1, "title": f"{long}, a"}, {"sheetId": 2, "title": f"{long}, b"}),
    )

    assert alone == {f"sheet:{long}": "gid=1", f"sheet:{long[:31]}": "gid=1"}
    assert f"sheet:{long[:31]}" not in twins
    assert set(twins.values()) == {"gid=1", "gid=2"}


def test_slides_are_numbered_from_one_and_keep_their_place() -> None:
    found = _anchors(
        "presentation",
        {"slides": [{"objectId": "p"}, {"objectId": "bad id"}, {}, {"objectId": "g1_0"}]},
    )

    assert found == {"slide:1": "slide=id.p", "slide:4": "slide=id.g1_0"}


# ── what is asked ────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("kind", "path"),
    [
        ("document", "/v1/documents/d1"),
        ("spreadsheet", "/v4/spreadsheets/d1"),
        ("presentation", "/v1/presentations/d1"),
    ],
)
def test_one_call_is_made_for_the_places_alone(kind: str, path: str) -> None:
    with _asking(in_turn(_json({}))) as (anchors, google, transport):
        assert anchors.of(_file(kind, key="0-k")) == ({}, "")
        assert transport.usage.api_calls == 1

    (asked,) = google.asked
    assert asked.target.startswith(f"{path}?")
    assert "fields=" in asked.target
    assert len(asked.target) < 4000
    assert asked.headers["x-goog-drive-resource-keys"] == "d1/0-k"


@pytest.mark.parametrize("kind", ["drawing", "form"])
def test_other_files_are_not_asked_about(kind: str) -> None:
    with _asking(in_turn(_json({}))) as (anchors, google, _):
        assert anchors.of(_file(kind)) == ({}, "")
        assert google.asked == []


@pytest.mark.parametrize(
    ("api", "version", "resource"),
    [
        ("docs", "v1", "documents"),
        ("sheets", "v4", "spreadsheets"),
        ("slides", "v1", "presentations"),
    ],
)
def test_the_only_scope_that_is_requested_suffices_for_every_editor(
    api: str, version: str, resource: str
) -> None:
    described = json.loads(get_static_doc(api, version))

    assert READ_ONLY in described["resources"][resource]["methods"]["get"]["scopes"]


# ── what is not told ─────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (_disabled("SERVICE_DISABLED"), "the Google Docs API is not enabled for this project"),
        (_disabled("ACCESS_TOKEN_SCOPE_INSUFFICIENT"), "the credentials lack a scope"),
    ],
)
def test_an_api_that_refuses_for_good_is_asked_once_a_run(reply: Reply, said: str) -> None:
    with _asking(in_turn(reply)) as (anchors, google, transport):
        answers = [anchors.of(_file()) for _ in range(5)]
        assert len(google.asked) == 1
        anchors.of(_file("spreadsheet"))
        assert len(google.asked) == 2  # the other APIs are their own matter
        DriveAnchors(transport).of(_file())
        assert len(google.asked) == 3  # it may be enabled by the next run

    assert {found == {} for found, _ in answers} == {True}
    notes = {note for _, note in answers}
    assert len(notes) == 1
    assert notes.pop().startswith(f"links lead to the file: {said}")


@pytest.mark.parametrize(
    ("reply", "asked"),
    [
        (Reply(404, b'{"error": {"code": 404, "status": "NOT_FOUND"}}'), 1),
        (Reply(403, b'{"error": {"code": 403, "status": "PERMISSION_DENIED"}}'), 1),
        (Reply(400, b'{"error": {"code": 400, "status": "INVALID_ARGUMENT"}}'), 1),
        (Reply(404), 2),
        (Reply(403, b"<html>"), 2),
        (Reply(500), 2),
        (Reply(429), 2),
        (Reply(body=b"<html>"), 2),
        (Reply(body=b"[]"), 2),
        (Reply(reset=True), 2),
    ],
)
def test_a_failure_costs_the_places_of_this_file_alone(reply: Reply, asked: int) -> None:
    with _asking(in_turn(reply)) as (anchors, google, _):
        found, note = anchors.of(_file())
        assert len(google.asked) == asked
        anchors.of(_file())
        assert len(google.asked) == 2 * asked

    assert found == {}
    assert note.startswith("links lead to the file: the Google Docs API did not tell its places (")


@pytest.mark.parametrize(
    "answer",
    [
        {"tabs": None, "sheets": 7, "slides": "x"},
        {"tabs": [1, None], "sheets": [[]], "slides": [{"objectId": {"a": 1}}]},
        {"tabs": [{"documentTab": {"body": {"content": [{"paragraph": {"elements": 5}}]}}}]},
        {"sheets": [{"properties": {"sheetId": [], "title": {}}}]},
    ],
)
@pytest.mark.parametrize("kind", ["document", "spreadsheet", "presentation"])
def test_an_answer_that_is_built_otherwise_has_no_places(kind: str, answer: object) -> None:
    assert _anchors(kind, answer) == {}


def test_a_stopped_run_is_not_noted_as_a_missing_anchor() -> None:
    with _asking(in_turn(_json({}))) as (anchors, _, transport):
        transport.stop()
        with pytest.raises(RunStoppedError):
            anchors.of(_file())


def test_many_threads_may_ask_at_once() -> None:
    answers: list[tuple[Mapping[str, str], str]] = []
    with _asking(in_turn(_json({"slides": [{"objectId": "p"}]}))) as (anchors, _, _transport):

        def work() -> None:
            answers.extend(anchors.of(_file("presentation")) for _ in range(10))

        threads = [Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert answers == [({"slide:1": "slide=id.p"}, "")] * 80
