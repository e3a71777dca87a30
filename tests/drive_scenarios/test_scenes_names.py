"""Names that mean nothing, and folders that can be seen and not opened: entries 65 to 67."""

import unicodedata
from datetime import timedelta

import pytest

from gdrive_rag_mcp.domain import FileState, Reason
from tests.drive_scenarios.scene import Scene, wordof

POLL = {"get": 1, "changes": 1}


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
