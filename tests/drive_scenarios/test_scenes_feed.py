"""What the logs of changes tell, and what they do not: entries 38 to 52 of the public failures."""

from datetime import timedelta

import pytest

from gdrive_rag_mcp.domain import FileState, Reason
from tests.drive_scenarios.scene import Killed, Scene, wordof

POLL = {"get": 1, "changes": 1}
WEEK = timedelta(days=7, seconds=1)


def test_a_file_deleted_without_the_bin_goes_though_its_tombstone_says_nothing_but_an_id(
    scene: Scene,
) -> None:
    doomed = scene.add("doomed.md")
    scene.add("kept.md")
    scene.sync()

    scene.drive.files.remove(doomed)
    report = scene.sync()

    assert (report.removed, scene.searchable()) == (1, {"kept.md"})
    assert scene.find(wordof("doomed.md")) == []
    assert scene.calls() == POLL


def test_a_change_below_a_folder_that_nobody_has_heard_of_yet_is_applied(scene: Scene) -> None:
    scene.add("old.md")
    scene.sync()

    outer = scene.add_folder("outer")
    inner = scene.add_folder("inner", outer)
    scene.add("new.md", inner)
    scene.drive.files.rename(inner, "renamed inner")  # its entry is now behind the file's
    scene.drive.files.rename(outer, "renamed outer")
    scene.sync()

    assert scene.ledger()["renamed outer/renamed inner/new.md"] == "indexed"


@pytest.mark.parametrize("page", [1, 1000])
def test_parents_told_of_after_their_children_or_pages_later_lose_nothing(
    scene: Scene, page: int
) -> None:
    scene.drive.api.largest_page = page
    scene.sync()

    folders = [scene.drive.root]
    for number in range(4):
        folders.append(scene.add_folder(f"level {number}", folders[-1]))
        scene.add(f"{number}.md", folders[-1])
    for folder in reversed(folders[1:]):
        scene.drive.files.set(folder, description="touched, deepest first")
    scene.sync()

    assert scene.searchable() == {f"{number}.md" for number in range(4)}


def test_a_folder_that_is_moved_in_brings_everything_below_though_the_log_names_it_alone(
    scene: Scene,
) -> None:
    outside = scene.drive.files.my_drive("owner@example.com")
    moving = scene.add_folder("moving", outside)
    deep = scene.add_folder("deep", moving)
    for number in range(5):
        scene.add(f"{number}.md", deep)
    scene.sync()
    assert scene.ledger() == {}

    scene.drive.files.move(moving, scene.drive.root)
    report = scene.sync()

    assert (report.added, report.complete) == (5, True)
    assert set(scene.ledger()) == {f"moving/deep/{number}.md" for number in range(5)}
    assert scene.calls() == {**POLL, "list": 2, "media": 5}


def test_a_folder_that_is_moved_in_is_not_lost_when_the_sync_dies_before_it_is_listed(
    scene: Scene,
) -> None:
    outside = scene.drive.files.my_drive("owner@example.com")
    moving = scene.add_folder("moving", outside)
    scene.add("in.md", moving)
    scene.sync()

    scene.drive.files.move(moving, scene.drive.root)
    with pytest.raises(Killed):
        scene.sync(kill_after_pages=1)  # the log's page is kept, and its token with it
    scene.sync()

    assert scene.searchable() == {"in.md"}


def test_renaming_and_moving_folders_within_the_scope_changes_paths_and_fetches_nothing(
    scene: Scene,
) -> None:
    here, there = scene.add_folder("here"), scene.add_folder("there")
    box = scene.add_folder("box", here)
    for number in range(3):
        scene.add(f"{number}.md", box)
    scene.sync()

    scene.drive.files.rename(box, "crate")
    scene.sync()
    assert set(scene.ledger()) == {f"here/crate/{number}.md" for number in range(3)}
    assert scene.calls() == POLL

    embedded = scene.embedder.embedded_texts
    scene.drive.files.move(box, there)
    scene.drive.files.rename(there, "elsewhere")
    report = scene.sync()

    assert set(scene.ledger()) == {f"elsewhere/crate/{number}.md" for number in range(3)}
    assert (report.unchanged + report.moved, report.embedded_chunks) == (3, 0)
    assert (scene.calls(), scene.embedder.embedded_texts) == (POLL, embedded)


def test_a_rate_limit_on_the_log_is_waited_out_and_is_no_loss_of_access(scene: Scene) -> None:
    scene.add("a.md")
    scene.sync()
    scene.add("b.md")
    scene.drive.fail(r"/changes\?", 403, "userRateLimitExceeded", times=3)

    report = scene.sync()

    assert report.complete
    assert scene.searchable() == {"a.md", "b.md"}
    assert len([wait for wait in scene.waits if wait]) >= 3


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (403, "userRateLimitExceeded"),
        (403, "rateLimitExceeded"),
        (403, "RATE_LIMIT_EXCEEDED"),
        (429, "rateLimitExceeded"),
        (500, "internalError"),
        (503, "backendError"),
    ],
)
@pytest.mark.parametrize("whole_drive", [False, True])
def test_a_log_that_fails_for_good_is_said_and_its_news_come_with_the_next_sync(
    scene: Scene, team: Scene, status: int, reason: str, *, whole_drive: bool
) -> None:
    root = team if whole_drive else scene
    root.add("a.md")
    doomed = root.add("doomed.md")
    root.sync()
    root.add("b.md")
    root.drive.files.remove(doomed)
    root.drive.fail(r"/changes\?", status, reason, times=50)

    report = root.sync()

    assert (report.complete, report.removed) == (False, 0)
    assert "listing_incomplete" in report.warnings[0]
    assert root.searchable() == {"a.md", "doomed.md"}
    assert "list" not in root.calls(), "a log that is out of breath is no log that is lost"
    root.drive.faults.clear()
    assert root.sync().complete
    assert root.searchable() == {"a.md", "b.md"}
    assert root.calls() == {**POLL, "media": 1}


def test_a_file_that_moves_between_two_folders_in_scope_is_found_where_it_is_now(
    scene: Scene,
) -> None:
    here, there = scene.add_folder("here"), scene.add_folder("there")
    file = scene.add("a.md", here)
    scene.sync()

    scene.drive.files.move(file, there)
    report = scene.sync()

    assert (report.moved, report.removed, scene.contents()) == (1, 0, 0)
    assert scene.ledger() == {"there/a.md": "indexed"}


def test_what_is_taken_out_of_the_bin_or_bears_an_old_date_is_not_overlooked(scene: Scene) -> None:
    file = scene.add("binned.md")
    scene.sync()
    scene.drive.files.trash(file)
    assert (scene.sync().removed, scene.searchable()) == (1, set())

    scene.drive.files.untrash(file)
    scene.drive.files.add_file(
        "old.md", b"# Of old\n\nAncient.", modifiedTime="1999-01-01T00:00:00Z"
    )
    scene.sync()

    assert scene.searchable() == {"binned.md", "old.md"}


def test_a_folder_goes_into_the_bin_and_comes_out_of_it_with_everything_below(
    scene: Scene,
) -> None:
    folder = scene.add_folder("folder")
    scene.add("in.md", scene.add_folder("deep", folder))
    scene.add("beside.md")
    scene.sync()

    scene.drive.files.trash(folder)
    assert (scene.sync().removed, scene.searchable()) == (1, {"beside.md"})
    scene.drive.files.untrash(folder)
    assert (scene.sync().added, scene.searchable()) == (1, {"beside.md", "in.md"})


def test_the_first_sync_reads_what_was_there_before_it(scene: Scene) -> None:
    scene.add("old.md")
    scene.add("older.md", scene.add_folder("folder"))

    assert scene.sync().added == 2


def test_a_file_that_failed_is_the_ledgers_to_retry_once_the_log_has_gone_on(scene: Scene) -> None:
    scene.sync()
    file = scene.add("a.md")
    scene.drive.fail(f"{file}.*alt=media", 500, "internalError", times=100)
    scene.sync()

    record = scene.record("a.md")
    assert (record.state, record.reason) == (FileState.FAILED, Reason.NETWORK)
    assert (record.attempts, record.next_attempt is not None) == (1, True)

    scene.drive.faults.clear()
    scene.age(timedelta(days=1))
    report = scene.sync()

    assert (report.added, scene.find(wordof("a.md"))) == (1, ["a.md"])
    assert scene.calls() == {**POLL, "media": 1}


def test_where_the_log_was_left_outlives_the_process(scene: Scene) -> None:
    scene.add("a.md")
    assert scene.run("sync").code == 0
    scene.add("b.md")
    scene.drive.requests.clear()

    second = scene.run("sync", "--json")

    assert (second.code, second.json["added"]) == (0, 1)
    assert scene.calls() == {**POLL, "media": 1}


def test_a_poll_that_fails_is_an_unfinished_sync_and_not_one_without_news(scene: Scene) -> None:
    scene.add("a.md")
    scene.sync()
    scene.drive.fail(r"/changes\?", 503, "backendError", times=50)

    report = scene.sync()

    assert not report.complete
    assert "503" in report.warnings[0]


def test_ten_edits_cost_two_calls_and_their_contents_however_deep_they_lie(scene: Scene) -> None:
    folder = scene.drive.root
    for level in range(6):
        folder = scene.add_folder(f"{level}", folder)
    files = [scene.add(f"{number}.md", folder) for number in range(10)]
    scene.sync()

    for file in files:
        scene.drive.files.edit(file, f"# New\n\nOther words of {file}.".encode())
    report = scene.sync()

    assert report.updated == 10
    assert scene.calls() == {**POLL, "media": 10}


def test_whatever_happened_in_the_bin_the_index_shows_what_came_out_of_it(scene: Scene) -> None:
    here, there = scene.add_folder("here"), scene.add_folder("there")
    file = scene.add("a.md", here)
    scene.sync()
    scene.drive.files.trash(file)
    scene.sync()

    scene.drive.files.edit(file, b"# New\n\nRewritten in the bin.")
    scene.drive.files.move(file, there)
    scene.drive.files.rename(file, "b.md")
    scene.drive.files.untrash(file)
    scene.sync()

    assert scene.ledger() == {"there/b.md": "indexed"}
    assert scene.find("rewritten") == ["b.md"]
    assert scene.find(wordof("a.md")) == []
