"""What is lost, and how far that goes: a drive, an access, a listing; entries 41, 49 and 51."""

from datetime import timedelta

import pytest

from gdrive_rag_mcp.errors import RootUnavailableError
from tests.drive_scenarios.scene import Scene, wordof

POLL = {"get": 1, "changes": 1}
WEEK = timedelta(days=7, seconds=1)


def test_access_taken_back_is_a_tombstone_too_and_brings_all_back_when_it_is_given_again(
    scene: Scene,
) -> None:
    folder = scene.add_folder("lent")
    scene.add("lent.md", folder)
    scene.add("kept.md")
    scene.sync()

    scene.drive.files.hide(folder)
    assert (scene.sync().removed, scene.searchable()) == (1, {"kept.md"})

    scene.drive.files.hide(folder, hidden=False)
    assert (scene.sync().added, scene.searchable()) == (1, {"kept.md", "lent.md"})


def test_the_loss_of_a_whole_shared_drive_is_an_error_and_prunes_nothing(team: Scene) -> None:
    team.add("a.md")
    team.sync()

    team.drive.files.remove(str(team.shared_drive))
    with pytest.raises(RootUnavailableError) as lost:
        team.sync()

    assert str(team.shared_drive) in str(lost.value)
    assert team.drive.email in lost.value.hint
    assert team.find(wordof("a.md")) == ["a.md"]


def test_membership_lost_in_silence_is_an_error_and_prunes_nothing(team: Scene) -> None:
    team.add("a.md")
    team.sync()

    team.drive.files.lose_silently(str(team.shared_drive), team.drive.email)
    with pytest.raises(RootUnavailableError) as lost:
        team.sync()

    assert team.drive.email in lost.value.hint
    assert team.find(wordof("a.md")) == ["a.md"]


def test_a_loss_without_tombstones_is_found_within_a_week(scene: Scene) -> None:
    folder = scene.add_folder("lent")
    scene.add("lent.md", folder)
    scene.add("kept.md")
    scene.sync()

    scene.drive.files.lose_silently(folder)
    assert (scene.sync().removed, scene.calls()) == (0, POLL)

    scene.age(WEEK)
    report = scene.sync()

    assert (report.removed, report.complete) == (1, True)
    assert scene.searchable() == {"kept.md"}


def test_a_reconciling_that_breaks_off_removes_nothing(scene: Scene) -> None:
    lost = scene.add("lost.md")
    other = scene.add_folder("other")
    scene.add("other.md", other)
    scene.sync()
    scene.drive.files.lose_silently(lost)
    scene.age(WEEK)
    scene.drive.fail(f"'{other}' in parents", 500, "internalError", times=100)

    report = scene.sync()
    assert (report.removed, report.complete) == (0, False)
    assert scene.searchable() == {"lost.md", "other.md"}

    scene.drive.faults.clear()
    assert scene.sync().removed == 1
    assert scene.searchable() == {"other.md"}


def test_a_drive_that_answers_403_is_not_an_empty_one(scene: Scene) -> None:
    other = scene.drive.files.add_drive("Other", [scene.drive.email])
    folder = scene.drive.files.add_folder("theirs", other)
    scene.add("theirs.md", folder)
    scene.add("ours.md")
    scene.drive.files.add_shortcut("link", folder)
    scene.sync()
    assert scene.searchable() == {"theirs.md", "ours.md"}

    scene.age(WEEK)
    scene.drive.fail(f"'{folder}' in parents", 403, "teamDriveMembershipRequired", times=100)
    report = scene.sync()

    assert report.removed == 0
    assert scene.searchable() == {"theirs.md", "ours.md"}
    assert scene.ledger()["theirs"] == "failed:access_denied"
    scene.drive.faults.clear()
    scene.age(timedelta(days=1))
    scene.sync()
    assert scene.ledger() == {"ours.md": "indexed", "theirs/theirs.md": "indexed"}
