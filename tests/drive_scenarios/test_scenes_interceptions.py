"""Something between here and Google answers in Google's place: a proxy, or a network's sign-in."""

import gzip
import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from gdrive_rag_mcp.domain import SyncReport
from gdrive_rag_mcp.errors import GdriveRagError, SourceUnavailableError
from gdrive_rag_mcp.testing.fake_drive.answers import Answer
from tests.drive_scenarios.scene import Scene, wordof

PAGE = b"<html><head><title>Hotel</title></head><body>Please sign in</body></html>"
ELSEWHERE = "https://login.hotel.example/"


def page(status: int) -> Callable[[Answer], Answer]:
    return lambda _: Answer(status, PAGE, {}, "text/html")


def redirect(_: Answer) -> Answer:
    return Answer(302, b"", {"Location": ELSEWHERE})


INSTEAD = {
    **{f"a page with {status}": page(status) for status in (200, 400, 401, 403, 404, 451)},
    "nothing": lambda _: Answer(404, b""),
    "an object": lambda _: Answer(404, b"{}"),
    "a word": lambda _: Answer(403, b'{"error": "blocked"}'),
    "an unknown reason": lambda _: Answer(
        403, json.dumps({"error": {"code": 403, "errors": [{"reason": "policy"}]}}).encode()
    ),
    "a redirect": redirect,
}
over_instead = pytest.mark.parametrize("instead", INSTEAD.values(), ids=INSTEAD)


def _without(item: str) -> Callable[[Answer], Answer]:
    def change(answer: Answer) -> Answer:
        listing = json.loads(answer.body)
        listing["files"] = [one for one in listing["files"] if one["id"] != item]
        return replace(answer, body=json.dumps(listing).encode())

    return change


@over_instead
def test_a_file_that_a_listing_left_out_is_not_gone_because_somebody_else_says_so(
    scene: Scene, instead: Callable[[Answer], Answer]
) -> None:
    file = scene.add("a.md")
    scene.add("b.md")
    scene.sync()
    scene.drive.alter("/files\\?", _without(file), times=99)
    scene.drive.alter(f"/files/{file}", instead, times=99)

    report = scene.sync(full=True)

    assert report.removed == 0
    assert not report.complete
    assert scene.find(wordof("a.md")) == ["a.md"]
    scene.drive.faults.clear()
    report = scene.sync(full=True)
    assert report.complete
    assert scene.ledger() == {"a.md": "indexed", "b.md": "indexed"}


def test_a_file_that_google_says_is_gone_is_removed(scene: Scene) -> None:
    file = scene.add("a.md")
    scene.add("b.md")
    scene.sync()
    scene.drive.alter("/files\\?", _without(file), times=99)
    scene.drive.fail(f"/files/{file}", 404, "notFound", times=99)

    report = scene.sync(full=True)

    assert (report.removed, report.complete) == (1, True)


@over_instead
def test_the_target_of_a_link_is_not_gone_because_somebody_else_says_so(
    scene: Scene, instead: Callable[[Answer], Answer]
) -> None:
    owners = scene.drive.files.my_drive("owner@example.com")
    elsewhere = scene.drive.files.add_folder("elsewhere", owners)
    scene.drive.files.share(elsewhere, scene.drive.email)
    target = scene.add("a.md", elsewhere)
    scene.drive.files.add_shortcut("link", target)
    scene.sync()
    assert scene.find(wordof("a.md"))
    scene.drive.alter(f"/files/{target}", instead, times=99)

    report = scene.sync(full=True)

    assert report.removed == 0
    assert scene.find(wordof("a.md"))


@pytest.mark.parametrize(
    "instead", [page(401), page(403), page(404), redirect], ids=["401", "403", "404", "redirect"]
)
def test_a_content_that_somebody_else_answers_for_keeps_its_old_text(
    scene: Scene, instead: Callable[[Answer], Answer]
) -> None:
    file = scene.add("a.md")
    scene.sync()
    scene.drive.files.edit(file, b"# New\n\nThis was rewritten.")
    scene.drive.alter(f"{file}.*alt=media", instead, times=99)

    report = scene.sync()

    assert report.complete
    assert scene.ledger() == {"a.md": "failed:network"}
    assert scene.find(wordof("a.md")) == ["a.md"]
    scene.drive.faults.clear()
    scene.sync(full=True)


@pytest.mark.parametrize("times", [1, 99])
def test_more_than_anybody_listed_does_not_cost_the_old_text(scene: Scene, times: int) -> None:
    bomb = gzip.compress(bytes(201_000_000), 1)  # more than a file may have
    file = scene.add("a.md")
    scene.sync()
    scene.drive.files.edit(file, b"# New\n\nThis was rewritten.")
    scene.drive.alter(
        f"{file}.*alt=media",
        lambda _: Answer(body=bomb, headers={"Content-Encoding": "gzip"}),
        times=times,
    )

    scene.sync()

    if times == 1:
        assert scene.ledger() == {"a.md": "indexed"}
        assert scene.find("rewritten") == ["a.md"]
    else:
        assert scene.ledger() == {"a.md": "failed:changing"}
        assert scene.find(wordof("a.md")) == ["a.md"]


def _failure(scene: Scene) -> GdriveRagError:
    with pytest.raises(GdriveRagError) as caught:
        scene.sync()
    return caught.value


@pytest.mark.parametrize("status", [400, 403, 404])
@pytest.mark.parametrize("again", [False, True], ids=["first sync", "later sync"])
def test_a_root_that_somebody_else_answers_for_is_not_said_to_be_missing(
    scene: Scene, status: int, *, again: bool
) -> None:
    scene.add("a.md")
    if again:
        scene.sync()
    scene.drive.alter(f"GET /drive/v3/files/{scene.drive.root}", page(status), times=99)

    error = _failure(scene)

    assert isinstance(error, SourceUnavailableError)
    host = scene.drive.url.removeprefix("http://")
    assert f"{host} answered {status} with a web page ('Hotel')" in error.message
    assert "proxy" in error.hint
    assert "share" not in error.hint


@pytest.mark.parametrize("instead", [page(200), page(400), page(403), page(404), redirect])
def test_a_sign_in_that_somebody_else_answers_for_does_not_mean_that_it_is_refused(
    scene: Scene, instead: Callable[[Answer], Answer]
) -> None:
    scene.drive.alter("POST /token", instead, times=99)

    error = _failure(scene)

    assert isinstance(error, SourceUnavailableError)
    assert "sign-in page" in error.hint


def test_a_root_that_leads_elsewhere_is_not_said_to_be_missing(scene: Scene) -> None:
    scene.drive.alter(f"GET /drive/v3/files/{scene.drive.root}", redirect, times=99)

    error = _failure(scene)

    assert "redirects to https://login.hotel.example, which is not Google's" in error.message
    assert "sign-in page" in error.hint


@pytest.mark.parametrize(
    "instead", [page(403), page(404), redirect], ids=["403", "404", "redirect"]
)
def test_a_listing_of_the_root_that_somebody_else_answers_removes_nothing(
    scene: Scene, instead: Callable[[Answer], Answer]
) -> None:
    scene.add("a.md")
    scene.sync()
    scene.drive.alter("GET /drive/v3/files\\?", instead, times=99)

    report: SyncReport = scene.sync(full=True)

    assert not report.complete
    assert report.removed == 0
    assert any("hotel" in warning.lower() for warning in report.warnings)
    assert scene.find(wordof("a.md")) == ["a.md"]


def test_a_log_that_somebody_else_answers_for_is_not_lost(scene: Scene) -> None:
    scene.add("a.md")
    scene.sync()
    scene.drive.alter("GET /drive/v3/changes\\?", page(400), times=6)

    report = scene.sync()

    assert not report.complete
    assert scene.calls()["list"] == 0, "what the log says is still there to be read"
    scene.add("b.md")
    assert scene.sync().complete
    assert scene.state("b.md").value == "indexed"
