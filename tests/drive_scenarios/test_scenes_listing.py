"""Empty is not success: what a listing must see, and what is said when it sees nothing."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from gdrive_rag_mcp.errors import RootUnavailableError, SettingsError, SourceUnavailableError
from gdrive_rag_mcp.testing.fake_drive.answers import Answer
from gdrive_rag_mcp.testing.fake_drive.kinds import FOLDER
from tests.drive_scenarios.scene import Scene, wordof

STRANGER = "somebody@example.com"


def without(unwanted: Callable[[dict[str, Any]], bool]) -> Callable[[Answer], Answer]:
    """A listing that leaves something out and says nothing of it."""

    def change(answer: Answer) -> Answer:
        listing = json.loads(answer.body)
        listing["files"] = [item for item in listing["files"] if not unwanted(item)]
        return replace(answer, body=json.dumps(listing).encode())

    return change


def children_of(folder: str) -> str:
    return re.escape(f"files?q='{folder}' in parents")


# ── a root that cannot be read ───────────────────────────────────────────────


def test_a_shared_drive_that_the_account_is_no_member_of_is_named_with_the_account_and_the_remedy(
    scene: Scene,
) -> None:
    foreign = scene.drive.files.add_drive("Board", [STRANGER])
    scene.drive.files.add_file("minutes.md", b"x", foreign)
    board = scene.at(shared_drive=foreign)

    with pytest.raises(RootUnavailableError) as caught:
        board.sync()
    ended = board.run("sync")

    assert foreign in str(caught.value)
    assert scene.drive.email in str(caught.value)
    assert f"add {scene.drive.email} as a member of the shared drive" in caught.value.hint
    assert (ended.code, ended.out) == (1, "")
    assert foreign in ended.err
    assert f"add {scene.drive.email} as a member" in ended.err


def test_a_folder_that_is_not_shared_with_the_account_is_refused_before_anything_is_listed(
    scene: Scene,
) -> None:
    scene.add("a.md")
    scene.drive.files.unshare(scene.drive.root, scene.drive.email)

    with pytest.raises(RootUnavailableError, match=re.escape(scene.drive.email)) as caught:
        scene.sync()

    assert f"share the folder with {scene.drive.email}" in caught.value.hint
    assert scene.calls() == {"get": 1}
    assert scene.run("sync").code == 1


def test_losing_the_root_removes_nothing_and_finding_it_again_reads_nothing_twice(
    scene: Scene,
) -> None:
    for number in range(3):
        scene.add(f"{number}.md")
    scene.sync()
    scene.drive.files.hide(scene.drive.root)

    for full in (False, True):
        with pytest.raises(RootUnavailableError):
            scene.sync(full=full)

    assert scene.searchable() == {"0.md", "1.md", "2.md"}
    scene.drive.files.hide(scene.drive.root, hidden=False)
    back = scene.sync()
    assert (back.complete, back.removed, scene.contents()) == (True, 0, 0)
    assert set(scene.ledger().values()) == {"indexed"}


def test_a_root_that_is_a_file_is_refused_by_name_instead_of_indexing_nothing(
    scene: Scene,
) -> None:
    single = scene.at(scene.add("single.md"))

    with pytest.raises(RootUnavailableError, match="is no folder") as caught:
        single.sync()

    assert "GDRIVE_FOLDER_ID" in caught.value.hint


def test_a_root_whose_metadata_cannot_be_read_is_a_failure_and_not_an_empty_folder(
    scene: Scene,
) -> None:
    scene.add("a.md")
    scene.sync()
    scene.drive.fail(f"GET /drive/v3/files/{scene.drive.root}", 500, times=50)

    with pytest.raises(SourceUnavailableError, match="500") as caught:
        scene.sync()

    assert caught.value.hint
    assert scene.searchable() == {"a.md"}


def test_an_answer_that_is_no_folder_at_all_is_a_failure_and_not_an_empty_folder(
    scene: Scene,
) -> None:
    scene.add("a.md")
    scene.sync()
    scene.drive.alter(
        f"GET /drive/v3/files/{scene.drive.root}", lambda _: Answer(body=b"{}"), times=50
    )

    with pytest.raises(SourceUnavailableError):
        scene.sync()

    assert scene.searchable() == {"a.md"}


# ── a root in which nothing is seen ──────────────────────────────────────────


@pytest.mark.parametrize("where", ["scene", "team"])
def test_an_empty_root_is_no_success_and_names_whom_to_share_it_with(
    where: str, request: pytest.FixtureRequest
) -> None:
    empty: Scene = request.getfixturevalue(where)

    ended = empty.run("sync", "--json")
    again = empty.run("sync", "--json")

    for each in (ended, again):
        assert each.code == 3, each.err
        [warning] = each.json["warnings"]
        assert warning.startswith("nothing_in_scope: ")
        assert (empty.shared_drive or empty.drive.root) in warning
        assert empty.drive.email in warning
    assert "nothing_in_scope" in empty.run("status").out


def test_a_folder_of_empty_folders_is_as_empty_as_an_empty_one(scene: Scene) -> None:
    scene.add_folder("inside", scene.add_folder("outside"))

    ended = scene.run("sync", "--json")

    assert ended.code == 3
    assert ended.json["warnings"][0].startswith("nothing_in_scope: ")


def test_a_root_that_lists_as_empty_though_it_is_not_loses_nothing(scene: Scene) -> None:
    for number in range(25):
        scene.add(f"{number}.md")
    scene.sync()
    scene.drive.alter(children_of(scene.drive.root), without(lambda _: True), times=99)

    report = scene.sync(full=True)

    assert (report.removed, report.held, report.coverage.searchable) == (0, 0, 25)
    assert scene.find(wordof("7.md")) == ["7.md"]


@pytest.mark.parametrize("where", ["scene", "team"])
def test_a_root_that_used_to_hold_documents_and_holds_none_is_no_success_and_they_are_kept(
    where: str, request: pytest.FixtureRequest
) -> None:
    here: Scene = request.getfixturevalue(where)
    files = [here.add(f"{number}.md") for number in range(25)]
    assert here.run("sync").code == 0
    for file in files:
        here.drive.files.lose_silently(file)

    empty = here.run("sync", "--full", "--json")

    assert empty.code == 3
    assert (empty.json["held"], empty.json["removed"]) == (25, 0)
    [held] = [one for one in empty.json["warnings"] if one.startswith("mass_delete_held: ")]
    assert "25 of 25" in held
    assert "--allow-mass-delete" in held
    found = here.run("search", f"Where is the {wordof('7.md')} written?", "--json").json
    hits = [*found["results"], *found["candidate_results"]]
    assert hits[0]["citation"]["path"] == "7.md"
    confirmed = here.run("sync", "--allow-mass-delete", "--json")
    assert (confirmed.code, confirmed.json["removed"]) == (3, 25)
    assert any(one.startswith("nothing_in_scope: ") for one in confirmed.json["warnings"])


def test_a_listing_that_fails_is_said_and_is_no_empty_folder(scene: Scene) -> None:
    scene.add("a.md")
    scene.drive.fail(children_of(scene.drive.root), 500, times=99)

    report = scene.sync()

    assert not report.complete
    assert any(warning.startswith("listing_incomplete: ") for warning in report.warnings)
    assert not any(warning.startswith("nothing_in_scope") for warning in report.warnings)
    scene.drive.faults.clear()
    assert scene.sync().complete
    assert scene.searchable() == {"a.md"}


# ── everything that is there is seen ─────────────────────────────────────────


def tree(scene: Scene, top: str) -> set[str]:
    """30 files in 12 folders up to four deep. Returns their names."""
    folders = [top]
    for number in range(12):
        folders.append(scene.add_folder(f"folder {number}", folders[number // 2]))
    for number in range(30):
        scene.add(f"{number}.md", folders[number % len(folders)])
    return {f"{number}.md" for number in range(30)}


def test_listing_a_whole_drive_at_once_and_folder_by_folder_gives_the_same_ledger(
    scene: Scene, team: Scene
) -> None:
    assert team.shared_drive
    top = scene.drive.files.add_folder("top", team.shared_drive)
    names = tree(scene, top)
    folder = scene.at(top, name="folder")

    team.sync()
    flat = team.calls()["list"]
    folder.sync()
    by_folder = folder.calls()["list"]

    assert (flat, by_folder) == (1, 13)
    assert team.ledger() == {f"top/{path}": state for path, state in folder.ledger().items()}
    assert team.searchable() == folder.searchable() == names
    for each in (team, folder):
        ids = {record.id: record.version for record in each.records()}
        assert len(ids) == 30


def test_subfolders_are_walked_to_any_depth(scene: Scene) -> None:
    here = scene.drive.root
    for depth in range(25):
        here = scene.add_folder(f"{depth}", here)
    scene.add("deep.md", here)

    scene.sync()

    assert scene.record("deep.md").path == "/".join([*map(str, range(25)), "deep.md"])
    assert scene.searchable() == {"deep.md"}


def test_a_listing_that_leaves_out_all_subfolders_does_not_take_their_files_out(
    scene: Scene,
) -> None:
    for number in range(24):
        scene.add(f"{number}.md", scene.add_folder(f"folder {number}"))
    scene.add("top.md")
    scene.sync()
    paths = set(scene.ledger())
    scene.drive.alter(r"files\?q=", without(lambda item: item["mimeType"] == FOLDER), times=99)

    report = scene.sync(full=True)

    assert (report.removed, report.held, report.coverage.searchable) == (0, 0, 25)
    assert set(scene.ledger()) == paths
    assert scene.find(wordof("7.md")) == ["7.md"]


def test_subfolders_that_are_gone_all_at_once_are_held_until_somebody_confirms(
    scene: Scene,
) -> None:
    folders = [scene.add_folder(f"folder {number}") for number in range(24)]
    for number, folder in enumerate(folders):
        scene.add(f"{number}.md", folder)
    scene.add("top.md")
    scene.sync()
    for folder in folders:
        scene.drive.files.lose_silently(folder)

    held = scene.sync(full=True)

    assert (held.removed, held.held) == (0, 24)
    assert scene.find(wordof("7.md")) == ["7.md"]
    for folder in folders[:20]:
        scene.drive.files.hide(folder, hidden=False)
    healed = scene.sync(full=True)
    assert (healed.held, healed.removed, scene.contents()) == (4, 0, 0)
    assert len(scene.searchable()) == 25
    confirmed = scene.sync(allow_mass_delete=True)
    assert (confirmed.held, confirmed.removed) == (0, 4)
    assert len(scene.searchable()) == 21


def test_every_full_sync_lists_everything_anew_whatever_an_earlier_one_has_seen(
    scene: Scene,
) -> None:
    names = tree(scene, scene.drive.root)
    first = scene.sync(full=True)
    listed = scene.calls()["list"]

    for _ in range(2):
        again = scene.sync(full=True)

        assert scene.calls()["list"] == listed == 13
        assert (again.coverage.in_scope, again.unchanged) == (30, 30)
        assert again.complete
    assert first.added == 30
    assert scene.searchable() == names


def test_a_new_file_is_found_by_the_next_sync_and_the_status_says_when_the_log_was_last_read(
    scene: Scene,
) -> None:
    scene.add("old.md")
    assert scene.run("sync").code == 0
    before = scene.run("status", "--json").json
    scene.add("new.md")

    ended = scene.run("sync", "--json")
    after = scene.run("status", "--json").json

    assert ended.json["added"] == 1
    assert after["last_poll"] > before["last_poll"]
    assert after["last_crawl"] == before["last_crawl"]


def test_names_that_would_break_a_query_break_none(scene: Scene) -> None:
    inside = scene.drive.root
    for name in ("it's", "a \\ b", "x' or trashed = true or name = '", "50% & more?"):
        inside = scene.add_folder(name, inside)
    scene.add("deep.md", inside)

    report = scene.sync()

    assert (report.complete, report.warnings) == (True, ())
    assert scene.searchable() == {"deep.md"}
    assert {request.status for request in scene.requests("list")} == {200}


def test_ids_that_cannot_be_ids_are_refused_before_google_is_asked(scene: Scene) -> None:
    for wrong in ("x' in parents or 'y", "https://drive.google.com/drive/folders/1AbC?usp=sharing"):
        with pytest.raises(SettingsError, match="GDRIVE_FOLDER_ID") as caught:
            scene.at(wrong).sync()
        assert caught.value.hint
    assert "1AbC" in caught.value.hint
    assert len(scene.drive.requests) == 0


def test_a_google_document_beside_files_is_read_too(scene: Scene) -> None:
    scene.drive.files.add_native("doc", {"text/markdown": b"# Doc\n\nThe gazelle."})
    scene.add("a.md")

    report = scene.sync()

    assert report.coverage.searchable == report.coverage.in_scope == 2


def test_a_folder_that_cannot_be_listed_is_unknown_and_said_and_its_files_stay(
    scene: Scene,
) -> None:
    closed = scene.add_folder("closed")
    scene.add("inside.md", closed)
    scene.add("open.md")
    scene.sync()
    scene.drive.fail(children_of(closed), 403, "insufficientFilePermissions", times=99)

    report = scene.sync(full=True)

    assert report.removed == 0
    assert scene.searchable() == {"inside.md", "open.md"}
    assert scene.record("closed").is_folder
    assert scene.ledger()["closed"] == "failed:access_denied"
    scene.drive.faults.clear()
    scene.age(timedelta(days=2))
    scene.sync()
    assert scene.ledger() == {"closed/inside.md": "indexed", "open.md": "indexed"}
