"""Content in the fake Drive: exports and their limit, links beyond it, and what is refused."""

import json
from collections.abc import Iterator
from io import BytesIO
from typing import Any

import pytest
from googleapiclient.http import MediaIoBaseDownload

from gdrive_rag_mcp.testing.fake_drive import FakeDrive
from gdrive_rag_mcp.testing.fake_drive.content import EXPORT_LIMIT
from gdrive_rag_mcp.testing.fake_drive.kinds import DOCUMENT, PRESENTATION, SPREADSHEET
from tests.sources.asking import Asking, Http, asking, refused

PDF = "application/pdf"
Files = Any
_download: Any = MediaIoBaseDownload  # it is not annotated


@pytest.fixture
def ask(drive: FakeDrive) -> Iterator[Asking]:
    with asking(drive) as asked:
        yield asked


@pytest.fixture
def files(ask: Asking) -> Files:
    return ask.service().files()


@pytest.fixture
def http(ask: Asking) -> Http:
    return ask.http()


def _reason(body: bytes) -> str:
    return str(json.loads(body)["error"]["errors"][0]["reason"])


@pytest.mark.parametrize(
    ("mime_type", "wrong"),
    [(DOCUMENT, "text/csv"), (SPREADSHEET, "text/plain"), (PRESENTATION, "text/markdown")],
)
def test_a_type_is_exported_to_what_google_exports_it_to(
    drive: FakeDrive, files: Files, mime_type: str, wrong: str
) -> None:
    native = drive.files.add_native("native", {PDF: b"%PDF"}, mime_type=mime_type)

    assert files.export_media(fileId=native, mimeType=PDF).execute() == b"%PDF"
    assert refused(files.export_media(fileId=native, mimeType=wrong)) == (400, "badRequest")
    with pytest.raises(ValueError, match="does not export"):
        drive.files.add_native("wrong", {wrong: b"x"}, mime_type=mime_type)
    with pytest.raises(ValueError, match="does not export"):
        drive.files.edit_native(native, {wrong: b"x"})


@pytest.mark.parametrize("kind", ["form", "site", "map", "jam", "vid", "folder", "shortcut"])
def test_types_that_google_does_not_export_are_refused(
    drive: FakeDrive, files: Files, kind: str
) -> None:
    item = drive.files.add_native("odd", {}, mime_type=f"application/vnd.google-apps.{kind}")

    request = files.export_media(fileId=item, mimeType=PDF)
    assert refused(request) == (403, "fileNotExportable")
    assert refused(files.get_media(fileId=item)) == (403, "fileNotDownloadable")


def test_an_export_ends_at_ten_megabytes_and_its_link_does_not(
    drive: FakeDrive, files: Files, http: Http, ask: Asking
) -> None:
    just = drive.files.add_native("just", {PDF: b"x" * EXPORT_LIMIT})
    over = drive.files.add_native("over", {PDF: b"x" * (EXPORT_LIMIT + 1)})
    link = files.get(fileId=over, fields="exportLinks").execute()["exportLinks"][PDF]

    assert len(files.export_media(fileId=just, mimeType=PDF).execute()) == EXPORT_LIMIT
    request = files.export_media(fileId=over, mimeType=PDF)
    assert refused(request) == (403, "exportSizeLimitExceeded")
    response, body = http.request(link)
    assert (response.status, len(body)) == (200, EXPORT_LIMIT + 1)
    assert link.startswith(drive.url)
    stranger, _ = ask.http("stranger@example.com").request(link)
    assert stranger.status == 404
    assert http.request(link.partition("?")[0])[0].status == 400
    assert drive.counts()["export_link"] == 3


def test_an_export_link_wants_the_token_and_may_lead_to_where_none_is_wanted(
    drive: FakeDrive, files: Files, http: Http
) -> None:
    native = drive.files.add_native("doc", {PDF: b"%PDF"})
    link = files.get(fileId=native, fields="exportLinks").execute()["exportLinks"][PDF]
    bare = http.http  # without the token
    assert bare.request(link)[0].status == 401

    drive.redirect_export_links()
    bare.follow_redirects = False
    response, _ = bare.request(link)
    assert response.status == 401
    response, _ = http.request(link)
    assert response.status == 302
    assert response["location"].startswith("http://localhost:")
    response, body = bare.request(response["location"])
    assert (response.status, body) == (200, b"%PDF")
    assert (drive.requests[-1].kind, drive.requests[-1].bearer) == ("elsewhere", False)
    http.request(drive.requests[-1].line.removeprefix("GET ").join((drive.url, "")))
    assert drive.requests[-1].bearer is True


def test_the_link_of_a_keyed_item_holds_its_key(
    drive: FakeDrive, ask: Asking, files: Files
) -> None:
    native = drive.files.add_native("doc", {PDF: b"%PDF"})
    drive.files.require_resource_key(native)
    drive.files.share(native, drive.email)
    link = files.get(fileId=native, fields="exportLinks").execute()["exportLinks"][PDF]
    stranger = ask.http("stranger@example.com")

    assert stranger.request(link)[1] == b"%PDF"
    assert stranger.request(link.partition("&resourcekey=")[0])[0].status == 404


def test_abusive_files_are_for_their_owner_who_owns_up(drive: FakeDrive, ask: Asking) -> None:
    file, good = drive.files.add_file("a.exe", b"x"), drive.files.add_file("b.md", b"x")
    drive.files.flag_abusive(file)
    account, owner = ask.service().files(), ask.service("owner@example.com").files()

    for request in (
        account.get_media(fileId=file),
        account.get_media(fileId=file, acknowledgeAbuse=True),
        owner.get_media(fileId=file),
    ):
        assert refused(request) == (403, "cannotDownloadAbusiveFile")
    assert owner.get_media(fileId=file, acknowledgeAbuse=True).execute() == b"x"
    # Sent along always, it would break what is harmless.
    assert refused(account.get_media(fileId=good, acknowledgeAbuse=True))[0] == 403
    assert account.get(fileId=file).execute()["name"] == "a.exe"


def test_an_encrypted_file_says_so_and_hands_out_what_it_has(
    drive: FakeDrive, files: Files
) -> None:
    file = drive.files.add_file("a.md", b"cipher")
    drive.files.set(file, clientEncryptionDetails={"encryptionState": "encrypted"})

    resource = files.get(fileId=file, fields="clientEncryptionDetails(encryptionState)").execute()
    assert resource == {"clientEncryptionDetails": {"encryptionState": "encrypted"}}


@pytest.mark.parametrize("content", [b"", b"0123456789"])
def test_googles_downloader_gets_everything_in_ranges(
    drive: FakeDrive, files: Files, content: bytes
) -> None:
    file = drive.files.add_file("a.bin", content)
    into = BytesIO()
    download = _download(into, files.get_media(fileId=file), chunksize=4)
    done = False
    while not done:
        _, done = download.next_chunk()

    assert into.getvalue() == content


def test_checksums_follow_the_content(drive: FakeDrive, files: Files) -> None:
    file = drive.files.add_file("a.md", b"x")
    fields = "md5Checksum,sha1Checksum,sha256Checksum,size,headRevisionId,mimeType"
    before = files.get(fileId=file, fields=fields).execute()
    drive.files.edit(file, b"%PDF", mime_type=PDF)
    after = files.get(fileId=file, fields=fields).execute()

    assert all(before[name] != after[name] for name in before)
    assert (after["size"], after["mimeType"]) == ("4", PDF)
