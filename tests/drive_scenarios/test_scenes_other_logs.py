"""Logs that say more, or less, than Google's usually do."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from gdrive_rag_mcp.testing.fake_drive.answers import Answer
from tests.drive_scenarios.scene import Scene

CHANGES = r"/changes\?"


def rewritten(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Callable[[Answer], Answer]:
    """Change the JSON of an answer."""
    return lambda answer: replace(answer, body=json.dumps(change(json.loads(answer.body))).encode())


@pytest.mark.parametrize("removed_last", [True, False])
def test_of_several_entries_about_one_item_the_last_counts(
    scene: Scene, *, removed_last: bool
) -> None:
    file = scene.add("a.md")
    scene.add("b.md")
    scene.sync()
    if removed_last:
        scene.drive.files.remove(file)
    else:
        scene.drive.files.edit(file, b"another text")
    item = {"id": file, "name": "a.md", "mimeType": "text/markdown", "parents": [scene.drive.root]}
    entries: list[dict[str, Any]] = [
        {"changeType": "file", "fileId": file, "removed": False, "file": item},
        {"changeType": "file", "fileId": file, "removed": True},
    ]
    told = entries if removed_last else [entries[1]]
    scene.drive.alter(
        CHANGES,
        rewritten(
            lambda page: page | {"changes": told + ([] if removed_last else page["changes"])}
        ),
    )

    scene.sync()

    assert set(scene.ledger()) == ({"b.md"} if removed_last else {"a.md", "b.md"})


def test_a_log_that_buries_a_root_which_is_there_is_not_believed(scene: Scene) -> None:
    scene.add("a.md")
    scene.sync()
    gone = {"changeType": "file", "fileId": scene.drive.root, "removed": True}
    scene.drive.alter(CHANGES, rewritten(lambda page: page | {"changes": [gone]}))

    assert scene.sync().complete
    assert scene.ledger() == {"a.md": "indexed"}


def test_a_log_without_a_list_of_changes_is_one_without_news(scene: Scene) -> None:
    scene.add("a.md")
    scene.sync()
    scene.drive.alter(
        CHANGES,
        rewritten(lambda page: {name: page[name] for name in page if name != "changes"}),
    )

    assert scene.sync().complete


def test_an_empty_folder_whose_listing_leaves_out_the_list_is_empty(scene: Scene) -> None:
    scene.add("a.md")
    folder = scene.add_folder("empty")
    scene.drive.alter(
        f"'{folder}' in parents", rewritten(lambda page: {"kind": page["kind"]}), times=9
    )

    assert scene.sync().complete


def test_whoever_may_not_read_the_log_of_a_drive_hears_of_changes_in_his_own(
    scene: Scene,
) -> None:
    files = scene.drive.files
    folder = files.add_folder("lent", files.add_drive("Theirs", ["stranger@example.com"]))
    files.share(folder, scene.drive.email)
    outside = scene.at(folder, name="outside")
    files.add_file("a.md", b"some text", folder)
    start = json.dumps({"startPageToken": "1"}).encode()
    scene.drive.alter("startPageToken.*driveId=", lambda _: Answer(body=start), times=9)
    scene.drive.fail(r"/changes\?.*&driveId=", 404, "teamDriveNotFound", times=99)

    assert outside.sync().complete
    files.add_file("b.md", b"another text", folder)
    assert outside.sync().complete
    assert set(outside.ledger()) == {"a.md", "b.md"}
