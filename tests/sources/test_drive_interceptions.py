"""What something else answers in Drive's place says nothing of what was asked."""

import gzip
import hashlib
from collections.abc import Mapping
from pathlib import Path

import pytest

from gdrive_rag_mcp.domain import Reason, SourceFile
from gdrive_rag_mcp.errors import FileUnreadableError
from gdrive_rag_mcp.sources.drive_content import DriveContent
from gdrive_rag_mcp.sources.drive_failures import error_of_response
from tests.sources.scripted_google import Reply, Script, connected, in_turn, scripted

_PAGE = b"<!DOCTYPE html><html><head><title>Blocked by\n the firm</title></head><body>no</body>"


@pytest.mark.parametrize("status", [302, 400, 401, 403, 404, 407, 451])
@pytest.mark.parametrize(
    ("body", "headers", "kind"),
    [
        (_PAGE, {}, "a web page ('Blocked by the firm')"),
        (b"no", {"content-type": "text/html; charset=utf-8"}, "a web page"),
        (b"", {}, "nothing"),
        (b"null", {"content-type": "application/json"}, "of the type application/json"),
        (b"Access denied", {"content-type": "text/plain"}, "of the type text/plain"),
        (b"{}", {}, "an object of another kind"),
        (b'{"error": "forbidden"}', {}, "an object of another kind"),
        (b'{"error": {}}', {}, "an object of another kind"),
        (b'{"error": {"errors": "odd", "details": [1]}}', {}, "an object of another kind"),
        (b'{"error": {"code": 500, "status": "NOT_FOUND"}}', {}, "an object of another kind"),
    ],
)
def test_an_answer_that_is_not_in_googles_words_says_nothing_of_what_was_asked(
    status: int, body: bytes, headers: Mapping[str, str], kind: str
) -> None:
    error = error_of_response(status, headers, body, host="www.googleapis.com")

    assert (error.reason, error.meaning.transient) == (Reason.NETWORK, True)
    assert error.stays_here
    assert not error.is_bad_request
    assert error.message.startswith(f"www.googleapis.com answered {status} with ")
    assert kind in error.message
    assert "proxy" in error.meaning.hint


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503])
def test_a_page_about_an_outage_is_one_whoever_made_it_and_its_title_is_kept(status: int) -> None:
    error = error_of_response(status, {"retry-after": "7"}, _PAGE)

    assert error.message == f"Drive answered {status} (a web page ('Blocked by the firm'))"
    assert error.meaning.transient
    assert error.retry_after == 7


@pytest.mark.parametrize("status", [400, 403, 404])
def test_what_google_says_in_any_of_its_forms_is_taken_at_its_word(status: int) -> None:
    older = b'{"error": {"errors": [{"reason": "invalid"}]}}'
    newer = b'{"error": {"details": [{"@type": "x", "reason": "INVALID"}]}}'
    newest = f'{{"error": {{"code": {status}, "message": "said"}}}}'.encode()

    for body in (older, newer, newest):
        error = error_of_response(status, {"content-type": "text/html"}, body)

        assert error.message.startswith(f"Drive answered {status} (")
        assert not error.meaning.transient
        assert error.is_bad_request is (status == 400)


# ── contents ─────────────────────────────────────────────────────────────────

_TEXT = b"# What was listed\n"
_FILE = SourceFile(
    "a1",
    "a.md",
    "text/markdown",
    ("root",),
    version="1",
    size=len(_TEXT),
    md5=hashlib.md5(_TEXT, usedforsecurity=False).hexdigest(),
)
_HTML = {"Content-Type": "text/html"}


def _reason_for(script: Script, into: Path, *, max_bytes: int = 10**6) -> Reason | None:
    """Why the file cannot be read; None where it can."""
    with scripted(script) as google, connected(google) as transport:
        content = DriveContent(transport, max_bytes=max_bytes, refresh=lambda file: file)
        try:
            content.read(_FILE, into)
        except FileUnreadableError as error:
            return error.reason
    assert into.read_bytes() == _TEXT
    return None


@pytest.mark.parametrize("status", [400, 403, 404, 451])
def test_a_page_in_place_of_a_content_is_an_outage(tmp_path: Path, status: int) -> None:
    page = Reply(status, _PAGE, _HTML)

    assert _reason_for(in_turn(page), tmp_path / "a") is Reason.NETWORK
    assert _reason_for(in_turn(page, page, Reply(body=_TEXT)), tmp_path / "a") is None


_LIES = {
    "a length": Reply(body=_TEXT, headers={"Content-Length": str(10**10)}),
    "a bomb": Reply(body=gzip.compress(bytes(5_000_000)), headers={"Content-Encoding": "gzip"}),
    "another length": Reply(body=bytes(5_000_000)),
}


@pytest.mark.parametrize("lie", _LIES.values(), ids=_LIES)
def test_one_answer_that_contradicts_the_listing_does_not_make_a_file_too_large(
    tmp_path: Path, lie: Reply
) -> None:
    assert _reason_for(in_turn(lie, Reply(body=_TEXT)), tmp_path / "a") is None
    assert _reason_for(in_turn(lie), tmp_path / "a") is Reason.CHANGING


def test_what_comes_is_written_up_to_the_listed_length_at_most(tmp_path: Path) -> None:
    _reason_for(in_turn(_LIES["a bomb"]), tmp_path / "a", max_bytes=10**9)

    assert (tmp_path / "a").stat().st_size <= len(_TEXT)
