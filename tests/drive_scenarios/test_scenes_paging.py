"""A listing ends where no token is left, and not where a page is short, empty or the first."""

from dataclasses import replace

import pytest

from gdrive_rag_mcp.testing.fake_drive.answers import Answer
from tests.drive_scenarios.scene import Killed, Scene, wordof

MANY = 120


def filled(scene: Scene, count: int = MANY) -> set[str]:
    """So many files in the root. Returns their names."""
    return {name for number in range(count) if scene.add(name := f"{number:03}.md")}


@pytest.mark.parametrize("where", ["scene", "team"])
def test_every_listing_and_every_log_asks_for_the_token_of_its_next_page(
    where: str, request: pytest.FixtureRequest
) -> None:
    here: Scene = request.getfixturevalue(where)
    here.drive.api.largest_page = 7
    names = filled(here, 30)

    here.sync()
    lists, logs = here.requests("list"), here.requests("changes")

    assert here.searchable() == names
    assert len(lists) == 5
    for asked in lists:
        fields = asked.query["fields"]
        assert fields.startswith("nextPageToken,incompleteSearch,files(")
        assert "*" not in fields
        assert asked.query["pageSize"] == "1000"
    for asked in logs:
        assert asked.query["fields"].startswith("nextPageToken,newStartPageToken,changes(")
        assert "*" not in asked.query["fields"]
        assert asked.query["pageSize"] == "1000"


@pytest.mark.parametrize("where", ["scene", "team"])
def test_short_pages_and_empty_pages_are_not_the_end(
    where: str, request: pytest.FixtureRequest
) -> None:
    here: Scene = request.getfixturevalue(where)
    here.drive.api.largest_page = 7
    here.drive.api.empty_pages = 2
    names = filled(here, 30)

    report = here.sync()

    assert report.complete
    assert here.searchable() == names
    assert here.calls()["list"] == 5 * 3


def test_a_folder_of_more_than_a_thousand_is_indexed_to_its_last_file(scene: Scene) -> None:
    names = {f"{number}.mp4" for number in range(1100)}
    for name in sorted(names):
        scene.drive.files.add_file(name, b"", mime_type="video/mp4")
    scene.add("last.md")

    report = scene.sync()

    assert report.coverage.in_scope == 1101
    assert {record.name for record in scene.records()} == names | {"last.md"}
    assert scene.calls()["list"] == 2


def test_a_listing_broken_off_between_pages_goes_on_behind_the_last_page_that_was_kept(
    scene: Scene,
) -> None:
    scene.drive.api.largest_page = 10
    names = filled(scene)
    with pytest.raises(Killed):
        scene.sync(kill_after_pages=6)  # the beginning, and five pages
    assert scene.calls()["list"] == 5

    report = scene.sync()

    assert report.complete
    assert scene.calls()["list"] == 12 - 5
    assert scene.searchable() == names
    assert report.coverage.in_scope == MANY


def test_a_whole_drive_broken_off_between_pages_goes_on_behind_the_last_page_that_was_kept(
    team: Scene,
) -> None:
    team.drive.api.largest_page = 10
    names = filled(team)
    with pytest.raises(Killed):
        team.sync(kill_after_pages=6)

    report = team.sync()

    assert report.complete
    assert team.calls()["list"] == 12 - 5
    assert team.searchable() == names


@pytest.mark.parametrize("where", ["scene", "team"])
def test_wherever_a_crawl_is_killed_the_next_sync_has_every_file_once(
    where: str, request: pytest.FixtureRequest
) -> None:
    origin: Scene = request.getfixturevalue(where)
    origin.drive.api.largest_page = 4
    inside = origin.add_folder("inside")
    names = filled(origin, 9)
    for number in range(6):
        origin.add(f"inside {number}.md", inside)
        names.add(f"inside {number}.md")
    pages = 0
    while True:
        pages += 1
        here = origin.at(origin.folder, origin.shared_drive, name=f"killed after {pages}")
        try:
            here.sync(kill_after_pages=pages)
            break  # there are fewer pages
        except Killed:
            report = here.sync()
        assert (report.complete, report.removed, report.coverage.in_scope) == (True, 0, 15)
        assert here.searchable() == names
    assert pages > 6


@pytest.mark.parametrize("where", ["scene", "team"])
def test_a_page_token_that_has_expired_starts_that_listing_again_and_removes_nothing(
    where: str, request: pytest.FixtureRequest
) -> None:
    here: Scene = request.getfixturevalue(where)
    here.drive.api.largest_page = 10
    names = filled(here, 60)
    with pytest.raises(Killed):
        here.sync(kill_after_pages=4)
    here.drive.api.expire_list_tokens()

    report = here.sync()

    assert (report.complete, report.removed) == (True, 0)
    assert [asked.status for asked in here.requests("list")] == [400] + [200] * 6
    assert here.searchable() == names


def test_changes_are_read_to_the_last_page_before_anything_is_concluded(scene: Scene) -> None:
    names = filled(scene, 30)
    inside = scene.add_folder("inside")
    scene.sync()
    scene.drive.api.largest_page = 7
    ids = {record.name: record.id for record in scene.records()}
    for name in sorted(names):
        scene.drive.files.move(ids[name], inside)

    report = scene.sync()

    assert (report.moved, report.removed, scene.contents()) == (30, 0, 0)
    assert scene.calls() == {"get": 1, "changes": 5}
    assert set(scene.ledger()) == {f"inside/{name}" for name in names}


def test_a_log_broken_off_between_pages_loses_no_change(scene: Scene) -> None:
    names = filled(scene, 30)
    scene.sync()
    scene.drive.api.largest_page = 7
    ids = {record.name: record.id for record in scene.records()}
    for name in sorted(names):
        scene.drive.files.edit(ids[name], f"# New\n\nNow it is new{wordof(name)}.".encode())
    with pytest.raises(Killed):
        scene.sync(kill_after_pages=3)

    report = scene.sync()

    assert (report.complete, scene.calls()["changes"]) == (True, 2)
    assert all(scene.find(f"new{wordof(name)}") == [name] for name in names)


def test_a_token_is_followed_even_where_a_page_says_that_the_search_was_complete(
    scene: Scene,
) -> None:
    scene.drive.api.largest_page = 5
    names = filled(scene, 20)
    seen: list[Answer] = []

    def complete(answer: Answer) -> Answer:
        seen.append(answer)
        assert b'"incompleteSearch": false' in answer.body
        return replace(answer, body=answer.body)

    scene.drive.alter(r"files\?q=", complete, times=99)

    scene.sync()

    assert (len(seen), scene.searchable()) == (4, names)


def test_names_of_several_lines_are_the_same_files_in_every_sync(scene: Scene) -> None:
    names = ["two\nlines.md", "a\r\nb.md", "tab\t.md"]
    ids = {scene.add(name, text=f"# {number}\n\nGazelles.") for number, name in enumerate(names)}

    scene.sync()
    again = scene.sync(full=True)

    assert (again.unchanged, again.added, again.moved, scene.contents()) == (3, 0, 0, 0)
    assert {record.id for record in scene.records()} == ids


def test_a_root_named_by_its_id_is_found_among_any_number_of_shared_drives(scene: Scene) -> None:
    drives = [scene.drive.files.add_drive(f"Drive {n}", [scene.drive.email]) for n in range(120)]
    last = scene.at(shared_drive=drives[-1])
    last.add("last.md")

    last.sync()

    assert last.searchable() == {"last.md"}
    assert last.calls()["drives"] == 0
