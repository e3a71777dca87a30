"""Which log is followed, and what happens when it is lost or an item goes from one to another."""

import pytest

from gdrive_rag_mcp.errors import RootUnavailableError
from gdrive_rag_mcp.store import Store
from tests.drive_scenarios.scene import Scene, wordof

POLL = {"get": 1, "changes": 1}


def followed(scene: Scene) -> set[str | None]:
    """The drives whose logs the latest sync read; None is the user's own log."""
    return {request.query.get("driveId") for request in scene.requests("changes")}


def lent(scene: Scene) -> Scene:
    """A folder that is lent out of a shared drive to an account that is no member of it."""
    drive = scene.drive.files.add_drive("Theirs", ["somebody@example.com"])
    folder = scene.drive.files.add_folder("lent", drive)
    scene.drive.files.share(folder, scene.drive.email)
    return scene.at(folder, name="lent")


def break_cursor(scene: Scene) -> None:
    """Put junk where the page tokens of the logs are kept."""
    with Store.open_for_writing(scene.index) as store, store.transaction():
        kept = store.catalog.cursor or ""
        digits = "".join("7" if letter.isdigit() else letter for letter in kept)
        store.catalog.cursor = digits.replace('"v": 7', '"v": 2')
        assert store.catalog.cursor != kept


def test_a_member_of_a_shared_drive_follows_the_drives_own_log_alone(team: Scene) -> None:
    team.add("a.md")
    team.sync()

    team.add("b.md", team.add_folder("new"))
    team.sync()

    assert followed(team) == {team.shared_drive}
    assert team.searchable() == {"a.md", "b.md"}


def test_a_folder_in_a_shared_drive_is_followed_in_the_drives_log(team: Scene) -> None:
    folder = team.add_folder("only this")
    team.add("beside.md")
    part = team.at(folder, name="part")
    part.add("a.md")
    part.sync()

    part.add("b.md")
    team.add("also beside.md")
    part.sync()

    assert followed(part) == {team.shared_drive}
    assert part.searchable() == {"a.md", "b.md"}


def test_who_is_no_member_of_the_drive_follows_the_own_log(scene: Scene) -> None:
    root = lent(scene)
    root.add("a.md")
    doomed = root.add("doomed.md")
    first = root.sync()
    assert (first.complete, root.searchable()) == (True, {"a.md", "doomed.md"})

    root.add("b.md", root.add_folder("new"))
    root.drive.files.remove(doomed)
    report = root.sync()

    assert followed(root) == {None}
    assert (report.complete, root.searchable()) == (True, {"a.md", "b.md"})


def test_membership_lost_while_the_folder_stays_shared_loses_nothing(team: Scene) -> None:
    folder = team.add_folder("lent")
    team.drive.files.share(folder, team.drive.email)
    root = team.at(folder, name="lent")
    root.add("a.md")
    root.sync()
    assert root.requests("changes")[0].query["driveId"] == team.shared_drive

    team.drive.files.remove_member(str(team.shared_drive), team.drive.email)
    root.add("b.md")
    report = root.sync()

    assert (report.complete, report.removed) == (True, 0)
    assert root.searchable() == {"a.md", "b.md"}
    assert root.contents() == 1
    root.add("c.md")
    root.sync()
    assert followed(root) == {None}
    assert root.searchable() == {"a.md", "b.md", "c.md"}


def test_membership_gained_later_is_followed_after_the_next_crawl_and_nothing_is_missed(
    scene: Scene,
) -> None:
    root = lent(scene)
    root.add("a.md")
    root.sync()

    [drive] = scene.drive.files.world.drives
    scene.drive.files.add_member(drive, scene.drive.email)
    root.add("b.md")
    root.sync()
    root.sync(full=True)
    root.add("c.md")
    root.sync()

    assert followed(root) == {drive}
    assert root.searchable() == {"a.md", "b.md", "c.md"}


@pytest.mark.parametrize("how", ["junk", "gone", "refused"])
def test_a_token_that_is_not_good_any_more_means_a_full_crawl_and_never_no_changes(
    scene: Scene, how: str
) -> None:
    scene.add("a.md")
    doomed = scene.add("doomed.md")
    scene.sync()
    scene.drive.files.remove(doomed)
    scene.add("b.md")
    if how == "junk":
        break_cursor(scene)
    else:
        scene.drive.fail(r"/changes\?", 410 if how == "gone" else 400, "invalid")

    report = scene.sync()

    assert (report.complete, report.removed, report.added) == (True, 1, 1)
    assert scene.searchable() == {"a.md", "b.md"}
    assert scene.calls()["list"] == 1
    assert scene.contents() == 1
    scene.sync()
    assert scene.calls() == POLL


def test_a_drives_log_that_is_not_found_means_a_full_crawl(team: Scene) -> None:
    team.add("a.md")
    team.sync()
    team.add("b.md")
    team.drive.fail(r"/changes\?", 404, "teamDriveNotFound")

    report = team.sync()

    assert (report.complete, report.removed) == (True, 0)
    assert team.searchable() == {"a.md", "b.md"}
    assert team.calls()["list"] == 1


def test_a_log_that_cannot_be_read_even_after_a_crawl_ends_the_sync_and_says_so(
    scene: Scene,
) -> None:
    scene.add("a.md")
    scene.sync()
    scene.add("b.md")
    scene.drive.fail(r"/changes\?", 400, "invalid", times=100)

    report = scene.sync()

    assert (report.complete, report.removed) == (False, 0)
    assert "log" in report.warnings[0]
    assert scene.searchable() == {"a.md", "b.md"}
    assert scene.calls()["changes"] == 2, "it does not go round in circles"


@pytest.mark.parametrize("whole", [False, True])
def test_what_moves_between_drives_goes_from_the_one_and_comes_to_the_other(
    scene: Scene, team: Scene, *, whole: bool
) -> None:
    folder = scene.add_folder("folder")
    item = scene.add("moving.md", folder)
    scene.add("kept.md")
    team.add("team.md")
    scene.sync()
    team.sync()
    moving = folder if whole else item

    scene.drive.files.move(moving, str(team.shared_drive))
    assert (scene.sync().removed, scene.searchable()) == (1, {"kept.md"})
    assert (team.sync().added, team.searchable()) == (1, {"team.md", "moving.md"})

    scene.drive.files.move(moving, scene.drive.root)
    assert (team.sync().removed, team.searchable()) == (1, {"team.md"})
    assert (scene.sync().added, scene.searchable()) == (1, {"kept.md", "moving.md"})


def test_what_moves_between_two_drives_that_are_both_followed_never_leaves(scene: Scene) -> None:
    first = scene.drive.files.add_drive("First", [scene.drive.email])
    second = scene.drive.files.add_drive("Second", [scene.drive.email])
    boxes = [scene.drive.files.add_folder(f"box {drive}", drive) for drive in (first, second)]
    for number, box in enumerate(boxes):
        scene.drive.files.add_shortcut(f"link {number}", box)
    file = scene.add("moving.md", boxes[0])
    folder = scene.add_folder("moving folder", boxes[0])
    scene.add("inside.md", folder)
    scene.sync()
    assert scene.searchable() == {"moving.md", "inside.md"}

    for to in (boxes[1], boxes[0], boxes[1]):
        scene.drive.files.move(file, to)
        scene.drive.files.move(folder, to)
        report = scene.sync()
        assert (report.complete, report.removed, scene.contents()) == (True, 0, 0)
        assert scene.searchable() == {"moving.md", "inside.md"}


def test_a_root_that_was_moved_into_a_shared_drive_is_crawled_anew_and_keeps_everything(
    scene: Scene, team: Scene
) -> None:
    folder = scene.add_folder("root")
    scene.drive.files.share(folder, scene.drive.email)
    root = scene.at(folder, name="moved")
    root.add("a.md")
    root.add("deep.md", root.add_folder("deep"))
    root.sync()

    scene.drive.files.move(folder, str(team.shared_drive))
    root.add("b.md")
    report = root.sync()

    assert (report.complete, report.removed, report.added) == (True, 0, 1)
    assert root.contents() == 1
    assert root.searchable() == {"a.md", "deep.md", "b.md"}
    root.add("c.md")
    root.sync()
    assert followed(root) == {team.shared_drive}
    assert root.searchable() == {"a.md", "deep.md", "b.md", "c.md"}


def test_a_root_that_moves_into_a_drive_while_the_log_is_read_prunes_nothing(
    scene: Scene, team: Scene
) -> None:
    folder = scene.add_folder("root")
    scene.drive.files.share(folder, scene.drive.email)
    root = scene.at(folder, name="moved")
    root.add("a.md")
    root.sync()

    home = str(team.shared_drive)
    scene.drive.before(r"/changes\?", lambda: scene.drive.files.move(folder, home))
    with pytest.raises(RootUnavailableError):
        root.sync()
    assert root.find(wordof("a.md")) == ["a.md"]
    assert root.sync().removed == 0
    assert root.find(wordof("a.md")) == ["a.md"]
