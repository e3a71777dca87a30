"""Shortcuts, other drives behind them, closed folders, and names: entries 41, 61 and 64 to 67."""

import unicodedata
from datetime import timedelta

import pytest

from gdrive_rag_mcp.domain import FileState, Reason
from tests.drive_scenarios.scene import Scene, wordof

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


# ── folders that can be seen and not opened ──────────────────────────────────


@pytest.mark.parametrize("found", [True, False])
def test_a_folder_with_limited_access_is_unknown_and_not_empty(team: Scene, *, found: bool) -> None:
    team.drive.api.limited_folders_not_found = not found
    folder = team.add_folder("closed")
    team.add("in.md", folder)
    team.add("beside.md")
    team.drive.files.limit_access(folder)

    report = team.sync()

    assert report.complete
    assert team.ledger() == {"beside.md": "indexed", "closed": "failed:access_denied"}
    assert team.record("closed").is_folder

    team.drive.files.share(folder, team.drive.email)
    team.age(timedelta(days=1))
    team.sync()
    assert team.ledger() == {"beside.md": "indexed", "closed/in.md": "indexed"}


@pytest.mark.parametrize("full", [False, True])
def test_a_folder_that_closes_later_keeps_what_is_known_of_it(team: Scene, *, full: bool) -> None:
    folder = team.add_folder("closed")
    team.add("in.md", team.add_folder("deep", folder))
    team.add("beside.md")
    team.sync()

    team.drive.files.limit_access(folder)
    report = team.sync(full=full)

    assert report.removed == 0
    assert team.searchable() == {"in.md", "beside.md"}
    assert (team.record("closed").state, team.record("closed").reason) == (
        FileState.FAILED,
        Reason.ACCESS_DENIED,
    )
    assert report.coverage.by_reason[Reason.ACCESS_DENIED] == 1


# ── names ────────────────────────────────────────────────────────────────────


def test_files_of_one_name_in_one_folder_are_two_documents(scene: Scene) -> None:
    first = scene.add("twin.md", text="# One\n\nThe elder twin.")
    scene.add("twin.md", text="# Two\n\nThe younger twin.")
    for name in ("same", "same"):
        scene.add("in.md", scene.add_folder(name))

    report = scene.sync()

    assert report.added == 4
    assert sorted(record.path for record in scene.records()) == [
        *("same/in.md", "same/in.md", "twin.md", "twin.md")
    ]
    scene.drive.files.remove(first)
    scene.sync()
    assert (scene.find("elder"), scene.find("younger")) == ([], ["twin.md"])
    assert scene.sync().unchanged == 3


HOSTILE = (
    "a/b.md",
    "it's.md",
    "back\\slash.md",
    'quote".md',
    "two\nlines.md",
    "tab\there.md",
    "\u202egnp.md",
    "",
    " ",
    "..",
    ".",
    unicodedata.normalize("NFC", "é.md"),
    unicodedata.normalize("NFD", "é.md"),
    "名前.md",
    "x" * 300 + ".md",
    "' in parents or name contains '",
)


def test_no_name_is_too_odd_for_a_file_or_for_a_folder(scene: Scene) -> None:
    for number, name in enumerate(HOSTILE):
        scene.add(name, text=f"# Of number {number}\n\nThe text called odd{number}.")
        scene.add(f"in-{number}.md", scene.add_folder(name))

    report = scene.sync()

    assert (report.added, report.complete) == (2 * len(HOSTILE), True)
    assert all(len(scene.find(f"odd{number}")) == 1 for number in range(len(HOSTILE)))
    again = scene.sync()
    assert (again.unchanged, scene.calls()) == (2 * len(HOSTILE), POLL)
    assert not any("\u202e" in record.path for record in scene.records())


def test_the_ledger_gives_every_file_one_line_whatever_it_is_called(scene: Scene) -> None:
    for name in ("two\nlines.md", "return\rhere.md", "tab\there.md", "\u2028.md", "\x1b[31mred.md"):
        scene.add(name)
    assert scene.run("sync").code == 0

    shown = scene.run("status", "--files").out

    lines = [line for line in shown.splitlines() if ".md" in line or "lines" in line]
    assert len(lines) == 5, shown
    assert "\x1b" not in shown


def test_a_name_with_a_slash_is_no_folder_and_hides_nothing(scene: Scene) -> None:
    scene.add("a/b.md")
    scene.add("b.md", scene.add_folder("a"))

    report = scene.sync()

    assert report.added == 2
    assert len(scene.find(wordof("a/b.md"))) == len(scene.find(wordof("b.md"))) == 1


def test_an_apostrophe_in_an_id_or_a_name_breaks_no_query(scene: Scene) -> None:
    folder = scene.drive.files.add_folder("Anna's", id="1it's\\odd")
    scene.add("Bob's.md", folder)

    assert (scene.sync().added, scene.searchable()) == (1, {"Bob's.md"})
