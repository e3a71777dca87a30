"""Shortcuts, other drives behind them, closed folders, and names: entries 41, 61 and 64 to 67."""

import pytest

from gdrive_rag_mcp.domain import FileState
from tests.drive_scenarios.scene import Scene

OWNER = "owner@example.com"
POLL = {"get": 1, "changes": 1}


def elsewhere(scene: Scene) -> str:
    """A folder outside the root that the account can see all the same."""
    folder = scene.drive.files.add_folder("elsewhere", scene.drive.files.my_drive(OWNER))
    scene.drive.files.share(folder, scene.drive.email)
    return folder


# ── shortcuts ────────────────────────────────────────────────────────────────


def test_a_shortcut_to_a_file_brings_the_file_and_what_becomes_of_it(scene: Scene) -> None:
    file = scene.add("a.md", elsewhere(scene))
    scene.drive.files.add_shortcut("link to a", file)
    scene.sync()
    assert scene.ledger() == {"a.md": "indexed"}

    scene.drive.files.edit(file, b"# New\n\nRewritten over there.")
    report = scene.sync()

    assert (report.updated, scene.find("rewritten")) == (1, ["a.md"])
    assert scene.calls() == {**POLL, "media": 1}


def test_a_shortcut_to_a_folder_brings_all_below_and_is_never_read_as_a_file(scene: Scene) -> None:
    folder = elsewhere(scene)
    scene.add("deep.md", scene.add_folder("deep", folder))
    link = scene.drive.files.add_shortcut("link", folder)
    scene.sync()
    assert scene.ledger() == {"elsewhere/deep/deep.md": "indexed"}
    assert not [request for request in scene.requests("media") if link in request.line]

    scene.add("later.md", folder)
    scene.sync()
    assert scene.searchable() == {"deep.md", "later.md"}

    scene.drive.files.remove(link)
    report = scene.sync()
    assert (report.removed, scene.ledger()) == (2, {})


@pytest.mark.parametrize("target", ["itself", "the root", "a parent", "each other"])
def test_shortcuts_that_lead_in_circles_end_and_double_nothing(scene: Scene, target: str) -> None:
    outer = scene.add_folder("outer")
    inner = scene.add_folder("inner", outer)
    scene.add("a.md", inner)
    there = elsewhere(scene)
    scene.add("b.md", there)
    targets = {
        "itself": inner,
        "the root": scene.drive.root,
        "a parent": outer,
        "each other": there,
    }
    scene.drive.files.add_shortcut("link", targets[target], inner)
    scene.drive.files.add_shortcut("back", inner, there)

    report = scene.sync()

    assert report.complete
    expected = {"a.md", "b.md"} if target == "each other" else {"a.md"}
    assert scene.searchable() == expected
    assert scene.contents() == len(expected)
    assert len(scene.requests("list")) <= 4
    scene.sync()
    assert scene.calls() == POLL


def test_two_shortcuts_to_one_file_and_the_file_itself_are_one_document(scene: Scene) -> None:
    file = scene.add("a.md", scene.add_folder("at home"))
    scene.drive.files.add_shortcut("one", file)
    scene.drive.files.add_shortcut("two", file, scene.add_folder("links"))

    scene.sync()

    assert scene.ledger() == {"at home/a.md": "indexed"}
    assert scene.contents() == 1


@pytest.mark.parametrize("how", ["never was", "remove", "trash", "hide"])
def test_a_shortcut_that_dangles_stops_nothing_and_has_its_line(scene: Scene, how: str) -> None:
    scene.add("a.md")
    target = "1gone" if how == "never was" else scene.add("gone.md", elsewhere(scene))
    scene.drive.files.add_shortcut("link", target)
    if how != "never was":
        scene.sync()
        assert scene.searchable() == {"a.md", "gone.md"}
        getattr(scene.drive.files, how)(target)

    report = scene.sync()

    assert report.complete
    assert scene.searchable() == {"a.md"}
    assert scene.ledger() == {"a.md": "indexed", "link": "skipped:broken_shortcut"}


def test_a_target_that_is_there_again_is_found_again(scene: Scene) -> None:
    target = scene.add("a.md", elsewhere(scene))
    scene.drive.files.add_shortcut("link", target)
    scene.sync()
    scene.drive.files.trash(target)
    scene.sync()
    assert scene.state("link") is FileState.SKIPPED

    scene.drive.files.untrash(target)
    scene.sync()

    assert scene.ledger() == {"a.md": "indexed"}


def test_a_folder_in_another_drive_is_followed_by_that_drives_own_log(scene: Scene) -> None:
    other = scene.drive.files.add_drive("Other", [scene.drive.email])
    folder = scene.drive.files.add_folder("theirs", other)
    file = scene.add("theirs.md", folder)
    scene.add("ours.md")
    scene.drive.files.add_shortcut("link", folder)
    scene.sync()
    assert scene.searchable() == {"theirs.md", "ours.md"}

    scene.drive.files.edit(file, b"# New\n\nRewritten in the other drive.")
    scene.add("new.md", scene.add_folder("new", folder))
    scene.sync()

    logs = {request.query.get("driveId") for request in scene.requests("changes")}
    assert logs == {None, other}
    assert scene.find("rewritten") == ["theirs.md"]
    assert scene.searchable() == {"theirs.md", "ours.md", "new.md"}
    scene.sync()
    assert scene.calls() == {"get": 1, "changes": 2}


def test_a_target_that_changes_while_its_drives_log_begins_to_be_followed_is_not_missed(
    scene: Scene,
) -> None:
    other = scene.drive.files.add_drive("Other", [scene.drive.email])
    file = scene.add("theirs.md", other)
    scene.drive.files.add_shortcut("link", file)
    scene.drive.before(
        "startPageToken.*driveId",
        lambda: scene.drive.files.edit(file, b"# New\n\nRewritten in between."),
    )

    scene.sync()

    assert scene.find("rewritten") == ["theirs.md"]


def test_a_drive_behind_a_shortcut_that_is_deleted_takes_its_files_along_and_no_others(
    scene: Scene,
) -> None:
    other = scene.drive.files.add_drive("Other", [scene.drive.email])
    folder = scene.drive.files.add_folder("theirs", other)
    scene.add("theirs.md", folder)
    scene.add("ours.md")
    scene.drive.files.add_shortcut("link", folder)
    scene.sync()

    scene.drive.files.remove(other)
    report = scene.sync()

    assert (report.complete, report.removed) == (True, 1)
    assert scene.ledger() == {"ours.md": "indexed", "link": "skipped:broken_shortcut"}
    scene.sync()
    assert scene.calls() == POLL, "the lost log is not asked for any more"


def test_a_target_in_a_drive_of_others_is_followed_by_the_own_log(scene: Scene) -> None:
    other = scene.drive.files.add_drive("Other", ["somebody@example.com"])
    folder = scene.drive.files.add_folder("lent", other)
    scene.drive.files.share(folder, scene.drive.email)
    scene.drive.files.add_shortcut("link", folder)
    scene.add("a.md", folder)
    scene.sync()
    scene.add("b.md", folder)
    scene.sync()

    assert scene.searchable() == {"a.md", "b.md"}
    assert scene.calls() == {**POLL, "media": 1}


# ── resource keys ────────────────────────────────────────────────────────────


@pytest.mark.parametrize("kind", ["file", "google document", "folder"])
def test_what_needs_a_resource_key_is_asked_for_with_the_key_of_its_shortcut(
    scene: Scene, kind: str
) -> None:
    files, home = scene.drive.files, scene.drive.files.my_drive(OWNER)
    if kind == "google document":
        target = files.add_native("a", {"text/markdown": b"# Lent\n\nOpened by its key."}, home)
    elif kind == "file":
        target = files.add_file("a", b"# Lent\n\nOpened by its key.", home)
    else:
        target = files.add_folder("box", home)
        files.add_file("a", b"# Lent\n\nOpened by its key.", target)
    files.require_resource_key(target)
    scene.drive.files.add_shortcut("link", target)

    scene.sync()

    assert scene.find("opened") == ["a"]


def test_without_its_key_a_target_is_not_found_and_said_to_be_that(scene: Scene) -> None:
    target = scene.add("a.md", scene.drive.files.my_drive(OWNER))
    scene.drive.files.link(target)
    scene.drive.files.add_shortcut("link", target)
    scene.drive.files.require_resource_key(target)

    scene.sync()

    assert scene.ledger() == {"link": "skipped:broken_shortcut"}
