"""The fake Drive is as strict as the service; asked by Google's own client."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import httplib2
import pytest

from gdrive_rag_mcp.testing.fake_drive import FakeDrive
from gdrive_rag_mcp.testing.fake_drive.files import DOCUMENT, FOLDER
from tests.sources.asking import Asking, Http, asking
from tests.sources.asking import refused as _refused

# The client's classes are made at run time.
Files = Any


@pytest.fixture
def ask(drive: FakeDrive) -> Iterator[Asking]:
    with asking(drive) as asked:
        yield asked


@pytest.fixture
def http(ask: Asking) -> Http:
    return ask.http()


@pytest.fixture
def files(ask: Asking) -> Files:
    return ask.service().files()


def _names(files: Files, q: str) -> set[str]:
    answer = files.list(q=q, fields="files(name)").execute()
    return {item["name"] for item in answer["files"]}


def test_fields_not_asked_for_are_not_sent_not_even_the_token(
    drive: FakeDrive, files: Files
) -> None:
    for number in range(3):
        drive.files.add_file(f"{number}.md", b"x")

    answer = files.list(q=f"'{drive.root}' in parents", pageSize=1, fields="files(id)").execute()

    assert list(answer) == ["files"]
    assert [list(item) for item in answer["files"]] == [["id"]]


def test_masks_reach_into_nested_fields_in_both_notations(drive: FakeDrive, files: Files) -> None:
    file = drive.files.add_file("a.md", b"x")
    brackets = files.get(fileId=file, fields="capabilities(canDownload)").execute()
    slash = files.get(fileId=file, fields="capabilities/canDownload").execute()
    everything = files.get(fileId=file, fields="*").execute()

    assert brackets == slash == {"capabilities": {"canDownload": True}}
    assert everything["md5Checksum"]
    assert "parents" not in files.get(fileId=drive.root, fields="*").execute()  # out of sight


@pytest.mark.parametrize(
    "fields", ["nonsense", "files(nonsense)", "files(id", "files(id))", "", "files(id),,", "a b"]
)
def test_a_mask_that_the_schema_does_not_know_is_refused(files: Files, fields: str) -> None:
    assert _refused(files.list(fields=fields or ",")) == (400, "invalid")


@pytest.mark.parametrize(
    "q",
    [
        "trashed",
        "trashed = maybe",
        "'x' in",
        "name = unquoted",
        "colour = 'red'",
        "trashed = false and",
        "trashed = false trashed = false",
        "(trashed = false",
        "name = 'it's'",
        "name ~ 'x'",
    ],
)
def test_a_query_outside_the_grammar_is_refused(files: Files, q: str) -> None:
    assert _refused(files.list(q=q)) == (400, "invalid")


def test_queries_combine_terms(drive: FakeDrive, files: Files) -> None:
    inner = drive.files.add_folder("inner")
    drive.files.add_file("it's.md", b"x", inner)
    drive.files.add_file("b.txt", b"x", mime_type="text/plain")
    drive.files.trash(drive.files.add_file("old.md", b"x"))
    here = f"'{drive.root}' in parents"

    assert _names(files, f"{here} and trashed=false") == {"inner", "b.txt"}
    assert _names(files, f"{here} and trashed = true") == {"old.md"}
    assert _names(files, f"({here} or '{inner}' in parents) and trashed != true") == {
        "inner",
        "b.txt",
        "it's.md",
    }
    assert _names(files, f"{here} and not mimeType = '{FOLDER}' and trashed = false") == {"b.txt"}
    assert _names(files, r"name = 'it\'s.md'") == {"it's.md"}
    assert _names(files, "mimeType = 'text/plain'") == {"b.txt"}


def test_the_children_of_what_cannot_be_seen_are_not_found_rather_than_none(
    drive: FakeDrive, files: Files
) -> None:
    folder = drive.files.add_folder("closed")
    drive.files.hide(folder)

    for parent in (folder, "nonexistent"):
        assert _refused(files.list(q=f"'{parent}' in parents")) == (404, "notFound")


def test_page_sizes_are_clamped_and_tokens_hold_for_their_own_query(
    drive: FakeDrive, files: Files
) -> None:
    for number in range(1003):
        drive.files.add_file(f"{number}.md", b"x")
    here = f"'{drive.root}' in parents"
    fields = "nextPageToken,files(id)"
    first = files.list(q=here, pageSize=5000, fields=fields).execute()
    token = first["nextPageToken"]
    second = files.list(q=here, pageSize=1000, pageToken=token, fields=fields).execute()

    assert (len(first["files"]), len(second["files"])) == (1000, 3)
    assert "nextPageToken" not in second
    assert _refused(files.list(q="trashed = true", pageToken=token)) == (400, "invalid")
    assert _refused(files.list(q=here, pageToken="junk")) == (400, "invalid")


def test_parameters_that_the_method_does_not_have_are_refused(drive: FakeDrive, http: Http) -> None:
    for query in ("colour=red", "pageSize=many", "supportsAllDrives=yes", "corpus=moon"):
        response, body = http.request(f"{drive.url}/drive/v3/files?{query}")
        assert response.status == 400
        assert json.loads(body)["error"]["errors"][0]["reason"] == "invalid"


def test_an_address_too_long_for_get_is_understood_as_post(drive: FakeDrive, files: Files) -> None:
    folders = [drive.files.add_folder(str(number)) for number in range(60)]
    drive.files.add_file("a.md", b"x", folders[-1])
    grouped = " or ".join(f"'{folder}' in parents" for folder in folders)

    assert _names(files, f"({grouped}) and trashed = false") == {"a.md"}
    assert drive.requests[-1].line.startswith("POST /drive/v3/files?q=")


def test_without_a_token_or_with_a_dead_one_nothing_is_told(drive: FakeDrive) -> None:
    anonymous = httplib2.Http(timeout=30)
    for headers in ({}, {"authorization": "Bearer ya29.fake-1"}):
        response, body = anonymous.request(f"{drive.url}/drive/v3/files", headers=headers)
        assert response.status == 401
        assert b"authError" in body
    anonymous.close()


@pytest.mark.parametrize(
    "form",
    [
        "",
        "grant_type=password",
        "grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer&assertion=a.b.c",
    ],
)
def test_a_token_is_granted_for_a_signed_assertion_alone(drive: FakeDrive, form: str) -> None:
    anonymous = httplib2.Http(timeout=30)
    response, body = anonymous.request(
        f"{drive.url}/token",
        "POST",
        body=form,
        headers={"content-type": "application/x-www-form-urlencoded"},
    )
    anonymous.close()

    assert response.status == 400
    assert "error_description" in json.loads(body)


def test_writing_is_not_possible(drive: FakeDrive, files: Files) -> None:
    file = drive.files.add_file("a.md", b"x")

    assert _refused(files.update(fileId=file, body={"name": "b.md"}))[0] == 405
    assert _refused(files.delete(fileId=file))[0] == 405


def test_numbers_are_strings_and_checksums_are_for_stored_bytes_alone(
    drive: FakeDrive, files: Files
) -> None:
    blob = files.get(fileId=drive.files.add_file("a.md", b"abc"), fields="*").execute()
    native = files.get(fileId=drive.files.add_native("doc", {}), fields="*").execute()
    folder = files.get(fileId=drive.files.add_folder("folder"), fields="*").execute()

    assert (blob["size"], blob["version"]) == ("3", "1")
    assert blob["md5Checksum"] == "900150983cd24fb0d6963f7d28e17f72"
    for item in (native, folder):
        assert not {"md5Checksum", "sha256Checksum", "headRevisionId", "size"} & set(item)


def test_changes_bump_what_drive_bumps(drive: FakeDrive, files: Files) -> None:
    folder = drive.files.add_folder("folder")
    file = drive.files.add_file("a.md", b"x", folder)

    def state(item: str) -> dict[str, Any]:
        fields = "version,modifiedTime,headRevisionId,trashed,explicitlyTrashed"
        answer: dict[str, Any] = files.get(fileId=item, fields=fields).execute()
        return answer

    before = state(file)
    drive.files.move(file, drive.files.add_folder("other", folder))
    moved = state(file)
    drive.files.edit(file, b"y")
    edited = state(file)
    drive.files.rename(folder, "renamed")
    drive.files.trash(folder)
    trashed = state(file)

    assert int(before["version"]) < int(moved["version"]) < int(edited["version"])
    assert before["modifiedTime"] == moved["modifiedTime"] < edited["modifiedTime"]
    assert before["headRevisionId"] == moved["headRevisionId"] != edited["headRevisionId"]
    assert trashed == edited | {"trashed": True}  # nothing else reaches what lies below
    assert state(folder)["explicitlyTrashed"] is True


@pytest.mark.parametrize(
    ("wanted", "status", "body", "content_range"),
    [
        ("bytes=0-3", 206, b"0123", "bytes 0-3/10"),
        ("bytes=8-99", 206, b"89", "bytes 8-9/10"),
        ("bytes=5-", 206, b"56789", "bytes 5-9/10"),
        ("bytes=10-11", 416, None, "bytes */10"),
        ("lines=1-2", 200, b"0123456789", None),
    ],
)
def test_ranges_of_media(
    drive: FakeDrive,
    http: Http,
    wanted: str,
    status: int,
    body: bytes | None,
    content_range: str | None,
) -> None:
    file = drive.files.add_file("a.md", b"0123456789")
    response, content = http.request(
        f"{drive.url}/drive/v3/files/{file}?alt=media", headers={"range": wanted}
    )

    assert response.status == status
    assert response.get("content-range") == content_range
    assert body is None or content == body


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda files, ids: files.get_media(fileId=ids["native"]), (403, "fileNotDownloadable")),
        (lambda files, ids: files.get_media(fileId=ids["locked"]), (403, "cannotDownloadFile")),
        (lambda files, ids: files.get_media(fileId="absent"), (404, "notFound")),
        (
            lambda files, ids: files.export_media(fileId=ids["blob"], mimeType="text/plain"),
            (403, "fileNotExportable"),
        ),
        (
            lambda files, ids: files.export_media(fileId=ids["native"], mimeType="image/png"),
            (400, "badRequest"),
        ),
    ],
)
def test_content_that_cannot_be_had_is_refused_by_reason(
    drive: FakeDrive,
    files: Files,
    call: Callable[[Files, dict[str, str]], Any],
    expected: tuple[int, str],
) -> None:
    ids = {
        "blob": drive.files.add_file("a.md", b"x"),
        "locked": drive.files.add_file("b.md", b"x", capabilities={"canDownload": False}),
        "native": drive.files.add_native("doc", {"text/plain": b"x"}, mime_type=DOCUMENT),
    }

    assert _refused(call(files, ids)) == expected
