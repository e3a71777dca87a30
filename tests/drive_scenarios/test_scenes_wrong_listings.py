"""Listings that do not tell everything, or too much: nothing is concluded from what they lack."""

import json
import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from gdrive_rag_mcp.testing.fake_drive.answers import Answer
from tests.drive_scenarios.scene import Scene


def admitting(answer: Answer) -> Answer:
    """A listing that says that it did not search everywhere."""
    listing = json.loads(answer.body)
    assert listing["incompleteSearch"] is False, "it was not even asked for"
    return replace(answer, body=json.dumps({**listing, "incompleteSearch": True}).encode())


def planted(scene: Scene, folders: int = 6, files: int = 24) -> list[str]:
    """Files in nested folders. Returns the folders."""
    made = [scene.add_folder(f"folder {number}") for number in range(folders)]
    for number in range(files):
        scene.add(f"{number}.md", made[number % folders])
    return made


# ── several folders in one question ──────────────────────────────────────────


@pytest.mark.parametrize("where", ["scene", "team"])
def test_no_question_ever_names_more_than_one_folder_so_that_grouping_cannot_lose_any(
    where: str, request: pytest.FixtureRequest
) -> None:
    here: Scene = request.getfixturevalue(where)
    here.drive.api.grouped_parents_bug = True
    planted(here)
    here.drive.alter(r"corpora=drive", admitting)  # a drive too is then listed by its folders

    report = here.sync()

    assert report.coverage.searchable == 24
    assert here.calls()["list"] >= 7
    for asked in here.requests("list"):
        assert asked.query["q"].count(" in parents") <= 1


# ── searches that admit that they are incomplete ─────────────────────────────


def test_a_drive_that_was_not_searched_everywhere_is_listed_folder_by_folder(team: Scene) -> None:
    planted(team)
    team.drive.alter(r"files\?q=trashed = false", admitting)

    report = team.sync()

    assert (report.complete, report.warnings) == (True, ())
    assert team.calls()["list"] == 1 + 7
    assert report.coverage.searchable == 24


def test_listing_a_drive_in_either_way_gives_the_same_ledger(team: Scene) -> None:
    planted(team)
    other = team.at(shared_drive=team.shared_drive, name="by folder")

    team.sync()
    other.drive.alter(r"files\?q=trashed = false", admitting)
    other.sync()

    assert team.ledger() == other.ledger()
    assert other.calls()["list"] == 8
    lines = [
        {record.id: (record.path, record.version, record.content_hash) for record in one.records()}
        for one in (team, other)
    ]
    assert lines[0] == lines[1]


def test_a_folder_that_was_not_searched_everywhere_proves_no_files_absence(scene: Scene) -> None:
    first, *_ = planted(scene)
    scene.sync()
    scene.drive.api.incomplete_folders.add(first)
    scene.drive.alter(f"'{first}' in parents", emptied, times=9)

    report = scene.sync(full=True)

    assert (report.complete, report.removed, report.held) == (False, 0, 0)
    [warning] = report.warnings
    assert warning.startswith("listing_incomplete: ")
    assert "'folder 0'" in warning
    assert len(scene.searchable()) == 24
    assert scene.run("status", "--json").json["coverage"]["searchable"] == 24


def emptied(answer: Answer) -> Answer:
    """A page that shows nothing."""
    return replace(answer, body=json.dumps({**json.loads(answer.body), "files": []}).encode())


def test_an_incomplete_search_is_made_again_until_it_is_complete(scene: Scene) -> None:
    first, *_ = planted(scene)
    scene.drive.api.incomplete_folders.add(first)

    for _ in range(2):
        assert not scene.sync().complete
        assert scene.calls()["list"] in {7, 1}  # all of it at first, then what is left
    scene.drive.api.incomplete_folders.clear()
    scene.drive.files.remove(scene.record("7.md").id)
    report = scene.sync()

    assert (report.complete, report.removed, scene.calls()["list"]) == (True, 1, 1)
    assert len(scene.searchable()) == 23


def test_what_an_incomplete_search_shows_is_indexed_all_the_same(scene: Scene) -> None:
    planted(scene)
    scene.drive.api.incomplete_folders |= {scene.drive.root}

    report = scene.sync()

    assert not report.complete
    assert report.coverage.searchable == 24
    assert scene.run("sync").code == 3


# ── listings that break off ──────────────────────────────────────────────────


@pytest.mark.parametrize("status", [500, 503, 429])
def test_a_folder_whose_listing_fails_proves_no_files_absence_and_is_asked_for_again(
    scene: Scene, status: int
) -> None:
    first, *_ = planted(scene)
    scene.sync()
    scene.drive.fail(f"'{first}' in parents", status, "backendError", times=999)

    report = scene.sync(full=True)

    assert (report.complete, report.removed) == (False, 0)
    assert len(scene.searchable()) == 24
    scene.drive.faults.clear()
    healed = scene.sync()
    assert (healed.complete, healed.removed, scene.calls()["list"]) == (True, 0, 1)


def test_a_listing_that_loses_its_connection_in_the_middle_is_asked_for_again(
    scene: Scene,
) -> None:
    planted(scene)
    for fault in (scene.drive.reset, scene.drive.cut):
        fault("folder|in parents")

    report = scene.sync()

    assert (report.complete, report.coverage.searchable) == (True, 24)
    assert len(scene.waits) == 2


@pytest.mark.parametrize(
    "broken",
    [
        lambda listing: {**listing, "files": None},
        lambda listing: {**listing, "files": "none"},
        lambda listing: {},
        lambda listing: {**listing, "files": [{"name": "no id", "mimeType": "text/plain"}]},
    ],
    ids=["no list", "a text", "nothing at all", "an item without id"],
)
def test_an_answer_that_is_no_proper_listing_proves_nothing(
    scene: Scene, broken: Callable[[object], object]
) -> None:
    first, *_ = planted(scene)
    scene.sync()

    def breaking(answer: Answer) -> Answer:
        return replace(answer, body=json.dumps(broken(json.loads(answer.body))).encode())

    scene.drive.alter(f"'{first}' in parents", breaking, times=99)
    report = scene.sync(full=True)

    assert (report.complete, report.removed) == (False, 0)
    assert len(scene.searchable()) == 24


# ── listings that leave out what is there ────────────────────────────────────


@pytest.mark.parametrize("where", ["scene", "team"])
def test_files_that_a_listing_leaves_out_are_looked_up_before_they_are_taken_out(
    where: str, request: pytest.FixtureRequest
) -> None:
    here: Scene = request.getfixturevalue(where)
    planted(here, files=6)
    here.sync()
    left_out, lost = here.record("3.md").id, here.record("4.md").id
    here.drive.api.lag([left_out, lost])
    here.drive.files.lose_silently(lost)

    report = here.sync(full=True)

    assert (report.removed, report.held) == (1, 0)
    assert len(here.searchable()) == 5
    asked_for = {one.line.partition("?")[0].rpartition("/")[2] for one in here.requests("get")}
    assert asked_for == {left_out, lost, here.shared_drive or here.drive.root}


# ── listings that show too much ──────────────────────────────────────────────


@pytest.mark.parametrize("where", ["scene", "team"])
def test_what_is_in_the_bin_is_not_indexed_at_any_depth(
    where: str, request: pytest.FixtureRequest
) -> None:
    here: Scene = request.getfixturevalue(where)
    binned = here.add_folder("binned")
    here.add("deep.md", here.add_folder("deeper", binned))
    here.drive.files.trash(here.add("single.md"))
    here.drive.files.trash(binned)
    here.add("kept.md")

    report = here.sync()

    assert here.ledger() == {"kept.md": "indexed"}
    assert report.coverage.in_scope == 1
    for asked in here.requests("list"):
        assert "trashed = false" in asked.query["q"]


@pytest.mark.parametrize("where", ["scene", "team"])
def test_a_listing_that_shows_the_bin_all_the_same_puts_nothing_of_it_into_the_index(
    where: str, request: pytest.FixtureRequest
) -> None:
    here: Scene = request.getfixturevalue(where)
    binned, kept = here.add("binned.md"), here.add("kept.md")

    def binning(answer: Answer) -> Answer:
        listing = json.loads(answer.body)
        for item in listing["files"]:
            item["trashed"] = item["id"] == binned
        return replace(answer, body=json.dumps(listing).encode())

    here.drive.alter(r"files\?q=", binning, times=9)
    here.sync()

    assert [record.id for record in here.records()] == [kept]


@pytest.mark.parametrize("where", ["scene", "team"])
def test_a_folder_thrown_away_takes_everything_below_it_along_and_comes_back_with_it(
    where: str, request: pytest.FixtureRequest
) -> None:
    here: Scene = request.getfixturevalue(where)
    folder = here.add_folder("folder")
    here.add("deep.md", here.add_folder("deeper", folder))
    here.add("kept.md")
    here.sync()

    here.drive.files.trash(folder)
    gone = here.sync()
    assert (gone.removed, here.searchable()) == (1, {"kept.md"})
    here.drive.files.untrash(folder)
    here.sync()

    assert here.ledger() == {"folder/deeper/deep.md": "indexed", "kept.md": "indexed"}


def test_the_owner_of_another_file_of_the_same_name_is_asked_nothing(scene: Scene) -> None:
    twin = scene.add_folder("elsewhere", scene.drive.files.my_drive("owner@example.com"))
    scene.add("a.md", twin, text="# A\n\nThe other one, of antelopes.")
    scene.add("a.md")

    scene.sync()

    assert scene.ledger() == {"a.md": "indexed"}
    assert scene.find("antelopes") == []
    assert not [one for one in scene.drive.requests if re.search(twin, one.line)]
