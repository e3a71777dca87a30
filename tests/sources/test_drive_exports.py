"""Files in Google's own formats: converted, or fetched by their links where they are too large."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from gdrive_rag_mcp.domain import Fetched, Reason, SourceFile
from gdrive_rag_mcp.errors import FileUnreadableError
from gdrive_rag_mcp.sources.drive_content import DriveContent
from gdrive_rag_mcp.sources.drive_failures import DriveCallError
from tests.sources.scripted_google import (
    Asked,
    Reply,
    ScriptedGoogle,
    connected,
    in_turn,
    renewable,
    scripted,
)

_OFFICE = "application/vnd.openxmlformats-officedocument."
DOCX = f"{_OFFICE}wordprocessingml.document"
XLSX = f"{_OFFICE}spreadsheetml.sheet"
PPTX = f"{_OFFICE}presentationml.presentation"
NATIVE = "application/vnd.google-apps."
NO_CONVERSION = Reply(
    400,
    b'{"error": {"errors": [{"reason": "badRequest"}],'
    b' "message": "The requested conversion is not supported."}}',
)
TOO_LARGE = Reply(403, b'{"error": {"errors": [{"reason": "exportSizeLimitExceeded"}]}}')


@dataclass
class Editor:
    """A server that converts a file to what `exports` has, and leads to `links` beyond that."""

    exports: Mapping[str, Reply] = field(default_factory=dict)
    links: Callable[[ScriptedGoogle], Mapping[str, object]] = lambda _: {}
    pages: Mapping[str, Reply] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.google: ScriptedGoogle

    def __call__(self, asked: Asked) -> Reply:
        parts = urlsplit(asked.target)
        if parts.path == "/token":
            return Reply(body=b'{"access_token": "good", "expires_in": 3600}')
        if parts.path.endswith("/export"):
            return self.exports.get(parse_qs(parts.query)["mimeType"][0], NO_CONVERSION)
        if parts.path == "/drive/v3/files/d1":
            return Reply(body=json.dumps({"exportLinks": self.links(self.google)}).encode())
        return self.pages.get(parts.path, Reply(404))


@contextmanager
def _editing(
    editor: Editor, *, max_bytes: int = 10**8
) -> Iterator[tuple[DriveContent, list[Asked]]]:
    with (
        scripted(editor) as google,
        connected(google, credentials=renewable(google, token="good")) as transport,
    ):
        editor.google = google

        def refresh(file: SourceFile) -> SourceFile:
            raise AssertionError(file)

        yield DriveContent(transport, max_bytes=max_bytes, refresh=refresh), google.asked


def _native(kind: str = "document", key: str | None = None) -> SourceFile:
    # Drive may name a size that is not that of the export
    mime_type = f"{NATIVE}{kind}"
    return SourceFile("d1", "Plan", mime_type, ("root",), "7", size=10**12, resource_key=key)


def _of_drive(asked: list[Asked]) -> list[Asked]:
    """Without the calls to the editors' own APIs."""
    return [each for each in asked if not each.target.startswith("/v")]


def _fails(content: DriveContent, into: Path) -> FileUnreadableError:
    with pytest.raises(FileUnreadableError, match="Plan") as caught:
        content.read(_native(), into)
    return caught.value


@pytest.mark.parametrize(
    ("kind", "exported"), [("document", DOCX), ("spreadsheet", XLSX), ("presentation", PPTX)]
)
def test_each_editors_files_are_converted(tmp_path: Path, kind: str, exported: str) -> None:
    editor = Editor({exported: Reply(body=b"office")})
    with _editing(editor) as (content, asked):
        fetched = content.read(_native(kind, key="0-k"), tmp_path / "a")

    assert fetched.mime_type == exported
    assert fetched.file is None
    assert (tmp_path / "a").read_bytes() == b"office"
    (only,) = _of_drive(asked)
    assert only.headers["x-goog-drive-resource-keys"] == "d1/0-k"
    assert "supportsAllDrives" not in only.target  # `files.export` has no such parameter


@pytest.mark.parametrize("exported", ["text/markdown", "text/plain"])
def test_a_document_that_is_not_converted_is_asked_for_in_another_format(
    tmp_path: Path, exported: str
) -> None:
    with _editing(Editor({exported: Reply(body=b"words")})) as (content, _):
        fetched = content.read(_native(), tmp_path / "a")

    assert fetched.mime_type == exported
    assert (tmp_path / "a").read_bytes() == b"words"


def test_what_is_converted_to_nothing_is_of_an_unsupported_type(tmp_path: Path) -> None:
    with _editing(Editor()) as (content, asked):
        assert _fails(content, tmp_path / "a").reason is Reason.UNSUPPORTED_TYPE

    assert len(_of_drive(asked)) == 3


def test_a_refusal_is_not_answered_with_another_format(tmp_path: Path) -> None:
    refused = Reply(403, b'{"error": {"errors": [{"reason": "cannotExportFile"}]}}')
    with _editing(Editor({DOCX: refused, "text/plain": Reply(body=b"x")})) as (content, asked):
        assert _fails(content, tmp_path / "a").reason is Reason.DOWNLOAD_FORBIDDEN

    assert len(_of_drive(asked)) == 1


def test_a_conversion_that_always_fails_is_given_up(tmp_path: Path) -> None:
    with _editing(Editor({DOCX: Reply(500)})) as (content, asked):
        assert _fails(content, tmp_path / "a").reason is Reason.NETWORK

    assert len(_of_drive(asked)) == 6


def test_a_conversion_that_breaks_off_starts_from_nothing(tmp_path: Path) -> None:
    whole = Reply(body=b"office" * 100_000)
    broken = Reply(body=whole.body, send=300_000)
    turns = in_turn(broken, whole)

    def script(asked: Asked) -> Reply:
        return turns(asked) if "export" in asked.target else Reply(404)

    with scripted(script) as google, connected(google) as transport:
        content = DriveContent(transport, max_bytes=10**8, refresh=lambda file: file)
        content.read(_native(), tmp_path / "a")

    assert (tmp_path / "a").read_bytes() == whole.body
    assert google.headers("range")[:2] == [None, None]


def test_an_export_is_cut_off_at_the_limit(tmp_path: Path) -> None:
    with _editing(Editor({DOCX: Reply(body=b"x" * 1001)}), max_bytes=1000) as (content, _):
        assert _fails(content, tmp_path / "a").reason is Reason.TOO_LARGE


def test_a_web_page_is_not_taken_for_a_document(tmp_path: Path) -> None:
    page = Reply(body=b"<html>Sign in", headers={"Content-Type": "text/html; charset=utf-8"})
    with _editing(Editor({DOCX: page})) as (content, _):
        assert _fails(content, tmp_path / "a").reason is Reason.NETWORK


# ── too large to be converted at once ────────────────────────────────────────


def _large(tmp_path: Path, editor: Editor, **options: int) -> tuple[Fetched, list[Asked]]:
    with _editing(editor, **options) as (content, asked):
        return content.read(_native(key="0-k"), tmp_path / "a"), _of_drive(asked)


def test_what_is_too_large_to_be_converted_is_fetched_by_its_link(tmp_path: Path) -> None:
    editor = Editor(
        {DOCX: TOO_LARGE},
        lambda google: {DOCX: f"{google.url}/huge", "text/plain": f"{google.url}/plain"},
        {"/huge": Reply(302, headers={"Location": "/there"}), "/there": Reply(body=b"office")},
    )
    fetched, asked = _large(tmp_path, editor)

    assert fetched.mime_type == DOCX
    assert (tmp_path / "a").read_bytes() == b"office"
    assert len(asked) == 4
    assert all(each.headers["authorization"] == "Bearer good" for each in asked)
    assert asked[1].headers["x-goog-drive-resource-keys"] == "d1/0-k"
    assert parse_qs(urlsplit(asked[1].target).query)["fields"] == ["exportLinks"]


@pytest.mark.parametrize(
    ("offered", "expected"),
    [
        ("text/x-markdown", "text/markdown"),
        ("text/markdown", "text/markdown"),
        ("text/plain", "text/plain"),
    ],
)
def test_another_link_will_do_where_that_of_the_first_format_is_missing(
    tmp_path: Path, offered: str, expected: str
) -> None:
    editor = Editor(
        {DOCX: TOO_LARGE},
        lambda google: {offered: f"{google.url}/huge", "application/pdf": f"{google.url}/pdf"},
        {"/huge": Reply(body=b"words")},
    )

    assert _large(tmp_path, editor)[0].mime_type == expected


@pytest.mark.parametrize("links", [{}, {"application/pdf": "https://docs.google.com"}, {DOCX: 7}])
def test_without_a_link_it_is_too_large(tmp_path: Path, links: Mapping[str, object]) -> None:
    with _editing(Editor({DOCX: TOO_LARGE}, lambda _: links)) as (content, asked):
        error = _fails(content, tmp_path / "a")

    assert error.reason is Reason.EXPORT_TOO_LARGE
    assert "10 MB" in error.message
    assert len(_of_drive(asked)) == 2


def test_a_link_that_leads_elsewhere_is_not_followed_at_any_hop(tmp_path: Path) -> None:
    with scripted(in_turn(Reply(body=b"office"))) as other:
        straight = Editor({DOCX: TOO_LARGE}, lambda _: {DOCX: f"{other.url}/x"})
        hidden = Editor(
            {DOCX: TOO_LARGE},
            lambda google: {DOCX: f"{google.url}/huge"},
            {"/huge": Reply(302, headers={"Location": f"{other.url}/x"})},
        )
        for editor, expected in (
            (straight, Reason.EXPORT_TOO_LARGE),
            (hidden, Reason.NETWORK),  # whoever redirects there is not Drive
        ):
            with _editing(editor) as (content, _):
                error = _fails(content, tmp_path / "a")

            assert error.reason is expected
            assert f"{other.url}, which is not Google's" in error.message
    assert other.asked == []


def test_a_link_to_a_sign_in_page_is_no_document_and_does_not_say_that_there_is_none(
    tmp_path: Path,
) -> None:
    page = Reply(body=b"<html>", headers={"Content-Type": "text/html"})
    editor = Editor({DOCX: TOO_LARGE}, lambda google: {DOCX: f"{google.url}/huge"}, {"/huge": page})
    with _editing(editor) as (content, _):
        error = _fails(content, tmp_path / "a")

    assert error.reason is Reason.NETWORK
    assert "larger than the 10 MB" in error.message
    assert "web page" in error.message


@pytest.mark.parametrize("status", [401, 403, 404, 429, 500])
def test_a_link_that_is_refused_never_ends_the_run(tmp_path: Path, status: int) -> None:
    body = b'{"error": {"errors": [{"reason": "insufficientPermissions"}]}}'
    refused = Reply(status, body if status == 403 else b"<html>")
    editor = Editor(
        {DOCX: TOO_LARGE}, lambda google: {DOCX: f"{google.url}/huge"}, {"/huge": refused}
    )
    with _editing(editor) as (content, _):
        assert str(status) in _fails(content, tmp_path / "a").message


def test_a_linked_content_is_cut_off_at_the_limit(tmp_path: Path) -> None:
    editor = Editor(
        {DOCX: TOO_LARGE},
        lambda google: {DOCX: f"{google.url}/huge"},
        {"/huge": Reply(body=b"x" * 1001)},
    )
    with _editing(editor, max_bytes=1000) as (content, _):
        assert _fails(content, tmp_path / "a").reason is Reason.TOO_LARGE


def test_a_quota_that_is_used_up_on_the_way_ends_the_run(tmp_path: Path) -> None:
    over = Reply(403, b'{"error": {"errors": [{"reason": "dailyLimitExceeded"}]}}')
    with _editing(Editor({DOCX: over})) as (content, _), pytest.raises(DriveCallError):
        content.read(_native(), tmp_path / "a")
