"""What changes outside of the scope, or above it, and takes along what is in it without a word."""

from datetime import timedelta
from pathlib import Path

import pytest

from gdrive_rag_mcp.domain import FileState, Reason
from gdrive_rag_mcp.errors import RootUnavailableError
from gdrive_rag_mcp.testing.fake_drive import FakeDrive
from tests.drive_scenarios.scene import Scene, wordof

OWNER = "owner@example.com"
POLL = {"get": 1, "changes": 1}
BROKEN = f"skipped:{Reason.BROKEN_SHORTCUT}"


@pytest.fixture
def linked(scene: Scene) -> dict[str, str]:
    """Links to a file and to a folder that lie two folders deep in what is shared elsewhere."""
    files = scene.drive.files
    top = files.add_folder("top", files.my_drive(OWNER))
    files.share(top, scene.drive.email)
    middle = files.add_folder("middle", top)
    folder = files.add_folder("folder", middle)
    file = scene.add("a.md", middle)
    scene.add("b.md", folder)
    files.add_shortcut("link to a", file)
    files.add_shortcut("link to folder", folder)
    scene.add("own.md")
    scene.sync()
    assert scene.searchable() == {"a.md", "b.md", "own.md"}
    return {"top": top, "middle": middle, "folder": folder, "file": file}


def away(scene: Scene, how: str, folder: str) -> None:
    files = scene.drive.files
    if how == "trashed":
        files.trash(folder)
    elif how == "unshared":
        files.unshare(folder, scene.drive.email)
    elif how == "moved out of sight":
        files.move(folder, files.my_drive(OWNER))
    else:
        files.remove(folder)


@pytest.mark.parametrize(
    ("how", "which"),
    [
        ("trashed", "top"),
        ("trashed", "middle"),
        ("unshared", "top"),
        ("moved out of sight", "middle"),
        ("removed", "top"),
    ],
)
def test_what_a_link_leads_to_goes_with_a_folder_above_it_that_was_never_in_scope(
    scene: Scene, linked: dict[str, str], how: str, which: str
) -> None:
    away(scene, how, linked[which])
    report = scene.sync()

    assert (report.complete, report.removed) == (True, 2)
    assert scene.ledger() == {
        "link to a": BROKEN,
        "link to folder": BROKEN,
        "own.md": "indexed",
    }
    scene.sync()
    assert scene.calls() == POLL


@pytest.mark.parametrize("how", ["trashed", "unshared"])
def test_what_a_link_leads_to_comes_back_with_the_folder_above_it(
    scene: Scene, linked: dict[str, str], how: str
) -> None:
    away(scene, how, linked["top"])
    scene.sync()
    if how == "trashed":
        scene.drive.files.untrash(linked["top"])
    else:
        scene.drive.files.share(linked["top"], scene.drive.email)
    scene.sync()

    assert scene.searchable() == {"a.md", "b.md", "own.md"}
    assert BROKEN not in scene.ledger().values()


def test_one_wrong_answer_about_what_a_link_leads_to_is_made_good_later(scene: Scene) -> None:
    files = scene.drive.files
    folder = files.add_folder("elsewhere", files.my_drive(OWNER))
    files.share(folder, scene.drive.email)
    file = scene.add("a.md", folder)
    files.add_shortcut("link", file)
    scene.drive.fail(f"/files/{file}", 404, "notFound", times=2)
    scene.sync()
    assert scene.ledger() == {"link": BROKEN}
    assert scene.record("link").next_attempt is not None

    scene.drive.faults.clear()
    scene.sync()
    assert scene.ledger() == {"link": BROKEN}, "it rests"
    scene.age(timedelta(minutes=6))
    scene.sync()

    assert scene.ledger() == {"a.md": "indexed"}


def test_who_joins_the_drive_that_a_link_leads_to_hears_that_drives_own_log(scene: Scene) -> None:
    files = scene.drive.files
    team = files.add_drive("Team", [OWNER])
    folder = files.add_folder("folder", team)
    files.share(folder, scene.drive.email)
    edited = scene.add("edited.md", folder)
    binned = scene.add("binned.md", folder)
    files.add_shortcut("link", folder)
    scene.sync()

    files.add_member(team, scene.drive.email)
    scene.sync()
    files.edit(edited, b"# Anew\n\nRewritten by members.")
    files.trash(binned)
    scene.add("new.md", folder)
    scene.sync()

    assert scene.searchable() == {"edited.md", "new.md"}
    assert scene.find("rewritten") == ["edited.md"]


# ── above the root ───────────────────────────────────────────────────────────


def root_below_top(scene: Scene) -> tuple[Scene, str, str]:
    """A root that is seen because a folder two above it is shared; and a file in it."""
    files = scene.drive.files
    top = files.add_folder("top", files.my_drive(OWNER))
    files.share(top, scene.drive.email)
    root = files.add_folder("root", files.add_folder("middle", top))
    below = scene.at(folder=root, name="below")
    below.add("kept.md")
    return below, top, below.add("binned.md", below.add_folder("inner"))


@pytest.mark.parametrize("noticed", [True, False])
def test_what_happened_while_the_root_was_out_of_sight_is_found_when_it_is_back(
    scene: Scene, *, noticed: bool
) -> None:
    below, top, binned = root_below_top(scene)
    below.sync()

    scene.drive.files.unshare(top, scene.drive.email)
    if noticed:
        with pytest.raises(RootUnavailableError):
            below.sync()
    scene.drive.files.trash(binned)
    below.add("new.md")
    scene.drive.files.share(top, scene.drive.email)
    report = below.sync()

    assert (report.complete, report.removed) == (True, 1)
    assert below.searchable() == {"kept.md", "new.md"}
    below.sync()
    assert below.calls() == POLL


def test_folders_that_others_change_elsewhere_cost_nothing_once_it_is_known_what_is_above(
    scene: Scene,
) -> None:
    below, top, _ = root_below_top(scene)
    below.sync()
    other = scene.drive.files.add_folder("other", top)
    below.sync()
    assert below.calls() == {"get": 3, "changes": 1}, "the root, and the two folders above it"
    scene.drive.files.rename(other, "renamed")
    below.sync()
    assert below.calls() == POLL


# ── who looks ────────────────────────────────────────────────────────────────


def other_account(scene: Scene, path: Path) -> str:
    """The key of another service account of the same project. Returns its address."""
    email = "second@fake-project.iam.gserviceaccount.com"
    scene.drive.tokens.write_key_file(path, f"{scene.drive.url}/token", email)
    return email


@pytest.mark.parametrize("full", [True, False])
def test_another_account_keeps_nothing_that_it_is_not_shown_itself(
    team: Scene, tmp_path: Path, *, full: bool
) -> None:
    files = team.drive.files
    closed = team.add_folder("closed")
    team.add("secret.md", closed)
    team.add("open.md")
    team.sync()
    assert team.searchable() == {"secret.md", "open.md"}

    email = other_account(team, tmp_path / "second.json")
    files.share(closed, team.drive.email)
    files.add_member(str(team.shared_drive), email)
    files.limit_access(closed)
    team.sync()
    assert team.searchable() == {"secret.md", "open.md"}

    team.extra["GOOGLE_SERVICE_ACCOUNT_FILE"] = str(tmp_path / "second.json")
    report = team.sync(full=full)

    assert (report.complete, report.removed) == (True, 1)
    assert team.find(wordof("secret.md")) == []
    assert team.ledger() == {"closed": f"failed:{Reason.ACCESS_DENIED}", "open.md": "indexed"}


# ── a whole drive ────────────────────────────────────────────────────────────


def test_a_folder_that_the_listing_of_a_whole_drive_leaves_out_is_asked_for_as_its_files_are_shown(
    team: Scene,
) -> None:
    outer = team.add_folder("outer")
    inner = team.add_folder("inner", outer)
    team.add("a.md", inner)
    team.drive.api.lag([outer, inner])

    report = team.sync()

    assert (report.complete, report.removed) == (True, 0)
    assert team.ledger() == {"outer/inner/a.md": "indexed"}
    team.drive.api.settle()
    team.sync()
    assert team.calls() == POLL


def test_a_file_of_a_whole_drive_is_not_dropped_as_its_folder_is_told_of_later(
    team: Scene,
) -> None:
    team.add("first.md")
    team.sync()
    folder = team.drive.files.add_folder("folder", team.shared_drive)
    team.add("a.md", folder)
    team.drive.files.set(folder, description="so that it is told of last")
    team.drive.api.largest_page = 1
    team.drive.api.lag(item.id for item in team.drive.files.all_visible())

    team.sync()

    assert team.ledger() == {"first.md": "indexed", "folder/a.md": "indexed"}


def test_a_file_without_visible_parents_that_a_listing_leaves_out_stays(team: Scene) -> None:
    files = team.drive.files
    closed = team.add_folder("closed")
    file = team.add("shared.md", team.add_folder("below", closed))
    files.share(file, team.drive.email)
    files.limit_access(closed)
    team.sync()
    assert team.state("shared.md") is FileState.INDEXED

    team.drive.api.lag([file])
    report = team.sync(full=True)

    assert report.removed == 0
    assert team.state("shared.md") is FileState.INDEXED


def test_a_link_that_comes_as_a_folder_above_its_target_is_closed_has_its_line(
    team: Scene,
) -> None:
    closed = team.add_folder("closed")
    inner = team.add_folder("inner", closed)
    team.add("a.md", inner)
    team.sync()

    team.drive.files.add_shortcut("link", inner, team.shared_drive)
    team.drive.files.limit_access(closed)
    team.sync()

    assert team.ledger()["link"] == BROKEN


# ── sick folders ─────────────────────────────────────────────────────────────


def test_folders_that_can_never_be_listed_do_not_keep_the_rest_from_being_synced(
    scene: Scene,
) -> None:
    sick = [scene.add_folder(f"sick {number}") for number in range(4)]
    scene.add("a.md", scene.add_folder("well"))
    scene.drive.fail(f"files\\?q='({'|'.join(sick)})' in parents", 500, times=1000)

    report = scene.sync()

    assert not report.complete
    assert scene.searchable() == {"a.md"}
    assert all(f"sick {number}" in str(report.warnings) for number in range(3))
    scene.add("later.md")
    scene.sync()
    assert scene.searchable() == {"a.md", "later.md"}


def test_a_drive_that_answers_nothing_is_not_taken_for_sick_folders(
    scene: Scene, drive: FakeDrive
) -> None:
    folders = [scene.add_folder(f"folder {number}") for number in range(9)]
    drive.fail(f"files\\?q='({'|'.join(folders)})' in parents", 500, times=1000)
    drive.before(
        f"'({'|'.join(folders)})' in parents",
        lambda: drive.fail(f"/files/{drive.root}", 500, times=1000),
    )

    report = scene.sync()

    asked = {request.line for request in scene.requests("list")}
    assert not report.complete
    assert len([line for line in asked if drive.root not in line]) == 3
    scene.add("a.md")
    drive.faults.clear()
    assert scene.sync().complete
    assert scene.searchable() == {"a.md"}
