"""Listings that are behind, and items whose parents nobody shows: what is there is never lost."""

from datetime import timedelta

import pytest

from tests.drive_scenarios.scene import Scene


def test_a_file_without_visible_parents_that_is_the_root_of_nothing_stays_out(
    scene: Scene,
) -> None:
    hidden = scene.drive.files.add_folder("hidden", scene.drive.files.my_drive("owner@example.com"))
    stray = scene.add("stray.md", hidden)
    scene.drive.files.share(stray, scene.drive.email)
    scene.add("a.md")
    scene.sync()
    scene.drive.files.edit(stray, b"# Stray\n\nEdited.")
    scene.sync()

    assert scene.searchable() == {"a.md"}


def test_a_subtree_whose_own_root_shows_no_parents_is_synced_and_followed(scene: Scene) -> None:
    inner = scene.add_folder("inner", scene.add_folder("outer"))
    scene.drive.files.share(inner, "other@fake-project.iam.gserviceaccount.com")
    scene.drive.tokens.email = "other@fake-project.iam.gserviceaccount.com"
    root = scene.at(inner, name="inner")
    root.add("a.md", root.add_folder("deep"))
    scene.add("outside.md")
    root.sync()
    root.add("b.md")
    root.sync()

    assert set(root.ledger()) == {"deep/a.md", "b.md"}


def test_an_item_that_listings_do_not_show_yet_comes_with_the_log(scene: Scene) -> None:
    scene.add("a.md")
    scene.sync()

    late = scene.add("late.md")
    folder = scene.add_folder("new", scene.add_folder("newer"))
    inside = scene.add("inside.md", folder)
    scene.drive.api.lag([late, folder, inside])
    scene.sync()

    assert scene.searchable() == {"a.md", "late.md", "inside.md"}


def test_an_item_made_during_the_crawl_that_listings_do_not_show_comes_with_the_log(
    scene: Scene,
) -> None:
    scene.add("a.md", scene.add_folder("folder"))

    def make() -> None:
        scene.drive.api.lag([scene.add("late.md")])

    scene.drive.before("in parents", make)
    scene.sync()

    assert scene.searchable() == {"a.md", "late.md"}


@pytest.mark.parametrize("lagging", ["file", "folder", "link"])
def test_a_listing_that_is_behind_takes_nothing_out_that_is_there(
    scene: Scene, lagging: str
) -> None:
    other = scene.drive.files.add_folder("other", scene.drive.files.my_drive("owner@example.com"))
    scene.drive.files.share(other, scene.drive.email)
    scene.add("linked.md", other)
    folder = scene.add_folder("folder")
    items = {
        "file": scene.add("a.md"),
        "folder": folder,
        "link": scene.drive.files.add_shortcut("link", other),
    }
    scene.add("deep.md", scene.add_folder("deep", folder))
    scene.sync()
    everything = {"linked.md", "a.md", "deep.md"}
    assert scene.searchable() == everything

    scene.drive.api.lag([items[lagging]])
    report = scene.sync(full=True)
    assert (report.removed, scene.searchable()) == (0, everything)
    scene.drive.api.settle()
    scene.sync()
    assert scene.searchable() == everything


def test_a_whole_drive_whose_listing_is_behind_loses_nothing(team: Scene) -> None:
    folder = team.add_folder("folder")
    team.add("in.md", folder)
    file = team.add("a.md")
    gone = team.add("gone.md")
    team.sync()

    team.drive.api.lag([folder, file])
    team.drive.files.lose_silently(gone)
    team.age(timedelta(days=8))
    report = team.sync()

    assert (report.removed, report.complete) == (1, True)
    assert team.searchable() == {"in.md", "a.md"}
