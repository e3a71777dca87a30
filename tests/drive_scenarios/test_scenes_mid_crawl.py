"""What people do while the crawl goes on, at the worst of moments."""

from collections.abc import Callable

import pytest

from gdrive_rag_mcp.errors import RootUnavailableError
from tests.drive_scenarios.scene import Scene, wordof


@pytest.fixture(params=["folder", "whole drive"])
def root(request: pytest.FixtureRequest, scene: Scene, team: Scene) -> Scene:
    """A folder that is crawled one folder after another, or a drive that is listed at once."""
    return scene if request.param == "folder" else team


def halfway(scene: Scene, action: Callable[[], object]) -> None:
    """Do something before the second call that lists."""
    scene.drive.before(
        r"/drive/v3/files\?", lambda: scene.drive.before(r"/drive/v3/files\?", action)
    )


def shelves(scene: Scene) -> tuple[str, str, str, str]:
    """A folder that is listed early, one that is listed late, and a file in each."""
    scene.drive.api.largest_page = 2
    early, late = scene.add_folder("early"), scene.add_folder("late")
    return early, late, scene.add("early.md", early), scene.add("late.md", late)


def test_what_moves_from_an_unlisted_to_a_listed_folder_is_found(root: Scene) -> None:
    early, _, _, file = shelves(root)
    halfway(root, lambda: root.drive.files.move(file, early))

    report = root.sync()

    assert report.complete
    assert root.ledger() == {"early/early.md": "indexed", "early/late.md": "indexed"}
    assert root.contents() == 2


def test_what_moves_from_a_listed_to_an_unlisted_folder_is_there_once(root: Scene) -> None:
    _, late, file, _ = shelves(root)
    halfway(root, lambda: root.drive.files.move(file, late))

    root.sync()

    assert root.ledger() == {"late/early.md": "indexed", "late/late.md": "indexed"}
    assert root.contents() == 2


@pytest.mark.parametrize("how", ["remove", "trash", "hide"])
@pytest.mark.parametrize("what", ["a listed file", "an unlisted file", "an unlisted folder"])
def test_what_goes_while_the_crawl_goes_on_is_not_in_the_index(
    root: Scene, how: str, what: str
) -> None:
    _, late, first, second = shelves(root)
    doomed = {"a listed file": first, "an unlisted file": second, "an unlisted folder": late}[what]
    halfway(root, lambda: getattr(root.drive.files, how)(doomed))

    report = root.sync()

    left = "late/late.md" if doomed == first else "early/early.md"
    assert (root.ledger(), report.complete) == ({left: "indexed"}, True)


def test_what_is_renamed_or_edited_while_the_crawl_goes_on_is_as_it_is_now(root: Scene) -> None:
    early, _, file, _ = shelves(root)

    def change() -> None:
        root.drive.files.rename(early, "renamed")
        root.drive.files.rename(file, "b.md")
        root.drive.files.edit(file, b"# New\n\nRewritten meanwhile.")

    halfway(root, change)
    root.sync()

    assert set(root.ledger()) == {"renamed/b.md", "late/late.md"}
    assert root.find("rewritten") == ["b.md"]
    assert root.find(wordof("early.md")) == []


def test_a_folder_that_comes_into_scope_while_the_crawl_goes_on_is_crawled_as_well(
    scene: Scene,
) -> None:
    early, *_ = shelves(scene)
    outside = scene.add_folder("in", scene.drive.files.my_drive("owner@example.com"))
    scene.add("in.md", scene.add_folder("deep", outside))
    halfway(scene, lambda: scene.drive.files.move(outside, early))

    scene.sync()

    assert scene.ledger()["early/in/deep/in.md"] == "indexed"


def test_a_folder_that_leaves_the_scope_while_it_waits_to_be_listed_leaves_nothing(
    scene: Scene,
) -> None:
    _, late, *_ = shelves(scene)
    outside = scene.drive.files.my_drive("owner@example.com")
    halfway(scene, lambda: scene.drive.files.move(late, outside))

    report = scene.sync()

    assert (scene.ledger(), report.complete) == ({"early/early.md": "indexed"}, True)


def test_a_folder_that_moves_below_one_that_was_listed_before_keeps_its_files_at_a_reconcile(
    root: Scene,
) -> None:
    early, late, _, _ = shelves(root)
    root.sync()
    root.drive.files.edit(root.record("late.md").id, b"# Late\n\nStill here, changed.")
    halfway(root, lambda: root.drive.files.move(late, early))

    report = root.sync(full=True)

    assert (report.removed, report.complete) == (0, True)
    assert root.ledger() == {"early/early.md": "indexed", "early/late/late.md": "indexed"}


def test_a_page_token_that_expires_in_the_middle_of_a_crawl_loses_and_doubles_nothing(
    root: Scene,
) -> None:
    root.drive.api.largest_page = 2
    for number in range(7):
        root.add(f"{number}.md")
    halfway(root, root.drive.api.expire_list_tokens)

    report = root.sync()

    assert (report.added, report.complete, root.contents()) == (7, True, 7)


def test_a_page_token_that_has_expired_between_two_runs_loses_and_doubles_nothing(
    root: Scene,
) -> None:
    root.drive.api.largest_page = 2
    for number in range(7):
        root.add(f"{number}.md")
    root.drive.before(
        r"pageToken", lambda: root.drive.fail(r"/drive/v3/files\?", 503, "backendError", times=50)
    )
    broken = root.sync()
    assert not broken.complete
    root.drive.faults.clear()
    root.drive.api.expire_list_tokens()

    report = root.sync()

    assert report.complete
    assert root.searchable() == {f"{number}.md" for number in range(7)}


def test_a_token_that_is_always_refused_ends_the_crawl_and_removes_nothing(root: Scene) -> None:
    root.drive.api.largest_page = 2
    for number in range(5):
        root.add(f"{number}.md")
    root.sync()
    root.drive.fail(r"pageToken=(?!\d+&)", 400, "invalid", times=100)

    report = root.sync(full=True)

    assert (report.complete, report.removed) == (False, 0)
    assert len(root.searchable()) == 5
    assert root.calls()["list"] <= 6, "it does not go round in circles"


@pytest.mark.parametrize("how", ["remove", "trash", "hide"])
def test_a_root_that_goes_in_the_middle_of_a_crawl_takes_nothing_along(
    scene: Scene, how: str
) -> None:
    shelves(scene)
    scene.sync()
    halfway(scene, lambda: getattr(scene.drive.files, how)(scene.drive.root))

    with pytest.raises(RootUnavailableError):
        scene.sync(full=True)

    assert scene.searchable() == {"early.md", "late.md"}
