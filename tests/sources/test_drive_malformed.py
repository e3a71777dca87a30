"""Answers that are not built as Drive builds them: none ends in a traceback or a wrong entry."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from gdrive_rag_mcp.domain import ChangePage, Reason, SourceFile, SourceFolder
from gdrive_rag_mcp.errors import SourceAuthError, SourceUnavailableError
from gdrive_rag_mcp.sources import drive_fields
from gdrive_rag_mcp.sources.drive import DriveSource
from gdrive_rag_mcp.sources.drive_failures import error_of_response
from gdrive_rag_mcp.sources.drive_service_account import load_service_account
from gdrive_rag_mcp.testing.fake_drive import FakeDrive
from gdrive_rag_mcp.testing.fake_drive.answers import Answer

Connect = Callable[..., DriveSource]
Heard = Callable[[DriveSource], Iterator[ChangePage]]
Listed = Callable[[DriveSource], tuple[dict[str, SourceFile], dict[str, SourceFolder]]]
_LIST = r"^GET /drive/v3/files\?"
_NO_TOKEN = r"makes no sense|without a token that can be used|with a web page"
_NESTED = b"[" * 200_000
_TOKEN = {"access_token": "t", "expires_in": 3600, "token_type": "Bearer"}
_MISSING = object()


def _with(name: str, value: object, *, of: str = "a.md") -> Callable[[Answer], Answer]:
    """Spoil one field of the listed item of that name."""

    def change(answer: Answer) -> Answer:
        body = json.loads(answer.body)
        for item in body["files"]:
            if item["name"] == of:
                item[name] = value
                if value is _MISSING:
                    del item[name]
        return replace(answer, body=json.dumps(body).encode())

    return change


def _broken_off(heard: Heard, source: DriveSource, match: str) -> list[ChangePage]:
    """What was listed before the listing ended as incomplete."""
    pages: list[ChangePage] = []
    with pytest.raises(SourceUnavailableError, match=match) as caught:
        pages.extend(heard(source))
    assert caught.value.hint
    assert not any(page.complete for page in pages)
    return pages


@pytest.mark.parametrize(
    ("name", "value", "attribute", "expected"),
    [
        ("size", "²", "size", None),
        ("size", "9" * 30, "size", None),
        ("size", "9" * 9000, "size", None),
        ("size", "-5", "size", None),
        ("size", {"bytes": 5}, "size", None),
        ("md5Checksum", 5, "md5", None),
        ("md5Checksum", ["x"], "md5", None),
        ("modifiedTime", 5, "modified_time", None),
        ("modifiedTime", "soon", "modified_time", None),
        ("modifiedTime", "0001-01-01T00:00:00+14:00", "modified_time", None),
        ("webViewLink", {"a": 1}, "url", None),
        ("webViewLink", "http://x/\ud800", "url", None),
        ("capabilities", None, "obstacle", None),
        ("capabilities", {"canDownload": "no"}, "obstacle", None),
        ("clientEncryptionDetails", None, "obstacle", None),
        ("clientEncryptionDetails", {"encryptionState": 1}, "obstacle", None),
    ],
)
def test_an_optional_field_of_the_wrong_kind_is_absent_and_the_file_is_listed(
    drive: FakeDrive,
    connect: Connect,
    heard: Heard,
    *,
    name: str,
    value: object,
    attribute: str,
    expected: object,
) -> None:
    file_id = drive.files.add_file("a.md", b"x")
    drive.alter(_LIST, _with(name, value))

    pages = list(heard(connect()))
    (file,) = [file for page in pages for file in page.files]

    assert any(page.complete for page in pages)
    assert file.id == file_id
    assert getattr(file, attribute) == expected


@pytest.mark.parametrize("value", [None, 7, "text", [1, {"x": 2}, None, "", "\ud800"]])
def test_parents_that_are_none_leave_the_folder_the_file_was_found_in(
    drive: FakeDrive, connect: Connect, listed: Listed, value: object
) -> None:
    drive.files.add_file("a.md", b"x")
    drive.alter(_LIST, _with("parents", value))

    assert listed(connect())[0]["a.md"].parents == (drive.root,)


def test_a_revision_that_is_no_text_gives_way_to_the_version(
    drive: FakeDrive, connect: Connect, listed: Listed
) -> None:
    drive.files.add_file("a.md", b"x")
    drive.alter(_LIST, _with("headRevisionId", ["x"]))

    assert listed(connect())[0]["a.md"].revision == "1"


@pytest.mark.parametrize("name", ["id", "mimeType"])
@pytest.mark.parametrize("value", [_MISSING, None, "", 7, {"x": 1}, "text/\ud800"])
def test_an_item_without_a_usable_id_or_type_is_no_file_and_the_listing_is_not_complete(
    drive: FakeDrive, connect: Connect, heard: Heard, name: str, value: object
) -> None:
    drive.files.add_file("a.md", b"x")
    drive.files.add_file("b.md", b"x")
    drive.files.add_file("deep.md", b"x", drive.files.add_folder("sub"))
    drive.alter(_LIST, _with(name, value))

    pages = _broken_off(heard, connect(), "not list .* to the end")

    assert {file.name for page in pages for file in page.files} == {"b.md", "deep.md"}


@pytest.mark.parametrize("value", [5, ["x"], {"a": 1}, False, "\ud800"])
def test_a_page_token_that_is_no_text_does_not_end_a_listing_as_complete(
    drive: FakeDrive, connect: Connect, heard: Heard, value: object
) -> None:
    body = json.dumps({"files": [], "nextPageToken": value}).encode()
    drive.alter(_LIST, lambda _: Answer(body=body))

    _broken_off(heard, connect(), "no page token")


def test_a_listing_that_alternates_between_pages_is_broken_off(
    drive: FakeDrive, connect: Connect, heard: Heard
) -> None:
    for token in "ABCABCABC":
        body = json.dumps({"files": [], "nextPageToken": token}).encode()
        drive.alter(_LIST, lambda _, body=body: Answer(body=body))  # type: ignore[misc] # bound now

    _broken_off(heard, connect(), "in circles")

    assert drive.counts()["list"] == 4


@pytest.mark.parametrize(
    "body", [b"<html>Sign in", b"", b"[]", b"null", b"\xff", _NESTED, b'{"files": null}', b'{"a":']
)
def test_a_listing_that_makes_no_sense_is_never_complete(
    drive: FakeDrive, connect: Connect, heard: Heard, body: bytes
) -> None:
    drive.files.add_file("a.md", b"x")
    drive.alter(_LIST, lambda _: Answer(body=body), times=99)

    pages = _broken_off(
        heard, connect(), r"Drive('s answer| answered)|answered 200 with a web page"
    )

    assert not any(page.files for page in pages)


def test_a_root_without_a_type_is_not_taken_for_a_file(drive: FakeDrive, connect: Connect) -> None:
    drive.alter(f"/files/{drive.root}", lambda _: Answer(body=b'{"id": 5, "trashed": null}'))

    with pytest.raises(SourceUnavailableError, match="something that is no item"):
        connect().check()


@pytest.mark.parametrize(
    "body",
    [
        b"<html>Sign in</html>",
        b"null",
        b"[]",
        b"7",
        b"\xff\xfe",
        _NESTED,
        json.dumps(_TOKEN | {"expires_in": "soon"}).encode(),
        json.dumps(_TOKEN | {"expires_in": 1e300}).encode(),
        json.dumps(_TOKEN | {"expires_in": [1]}).encode(),
        json.dumps(_TOKEN | {"access_token": "secret\n\ud800"}).encode(),
    ],
)
def test_a_token_answer_that_makes_no_sense_is_tried_again_and_then_said(
    drive: FakeDrive, connect: Connect, waits: list[float], body: bytes
) -> None:
    drive.alter("/token", lambda _: Answer(body=body), times=99)

    with pytest.raises(SourceUnavailableError, match=_NO_TOKEN) as caught:
        connect().check()

    assert "secret" not in str(caught.value)
    assert len(waits) == 5


@pytest.mark.parametrize("body", [b"{}", b'{"error": "\\ud800"}', b'{"error": ["x"]}'])
def test_a_refusal_that_is_not_in_googles_words_is_none_of_the_credentials(
    drive: FakeDrive, connect: Connect, body: bytes
) -> None:
    drive.alter("/token", lambda _: Answer(400, body), times=99)

    with pytest.raises(SourceUnavailableError, match="not Google's") as caught:
        connect().check()

    str(caught.value).encode("utf-8")


def test_a_key_file_that_is_nested_without_end_is_no_key(tmp_path: Path) -> None:
    (tmp_path / "key.json").write_bytes(_NESTED)

    with pytest.raises(SourceAuthError, match="is not JSON"):
        load_service_account(tmp_path / "key.json")


@pytest.mark.parametrize(
    "value", ["²", "9" * 400, "1e5", "inf", "Mon, 99 Foo", "Mon, 05 Jan 2015 10:00:00 +99999999"]
)
def test_a_wait_that_is_no_number_and_no_date_is_none(value: str) -> None:
    assert error_of_response(503, {"retry-after": value}, b"").retry_after == 0.0


@pytest.mark.parametrize(
    "body",
    [
        _NESTED,
        b'{"error": {"errors": [{"reason": "\\ud800"}], "message": ["x"]}}',
        b'{"error": {"message": "a\\ud800b"}}',
    ],
)
def test_an_error_body_that_makes_no_sense_does_not_say_that_anything_is_gone(body: bytes) -> None:
    error = error_of_response(404, {}, body)

    assert error.reason is not Reason.NOT_FOUND
    error.message.encode("utf-8")


def test_fields_as_drive_documents_them_are_read() -> None:
    item: dict[str, Any] = {
        "text": "é",
        "size": "9223372036854775807",
        "count": 5,
        "on": False,
        "time": "2026-01-02T03:04:05.678Z",
        "list": ["a", "b"],
        "part": {"x": 1},
    }

    assert drive_fields.text(item, "text") == "é"
    assert drive_fields.number(item, "size") == 2**63 - 1
    assert drive_fields.number(item, "count") == 5
    assert drive_fields.number(item, "on") is None
    assert drive_fields.flag(item, "on") is False
    assert drive_fields.moment(item, "time") == datetime(2026, 1, 2, 3, 4, 5, 678000, UTC)
    assert drive_fields.texts(item, "list") == ("a", "b")
    assert drive_fields.part(item, "part") == {"x": 1}
