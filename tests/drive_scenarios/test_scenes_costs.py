"""What a sync asks of Drive, counted: the figures of the table in docs/drive-sync.md."""

from io import BytesIO
from math import ceil

import docx
import pytest

from tests.drive_scenarios.scene import Scene

FOLDERS, FILES = 12, 60
OPENING = {"get": 1, "start_token": 1, "changes": 1}
POLL = {"get": 1, "changes": 1}
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
WHERE = pytest.mark.parametrize("where", ["scene", "team"])


def planted(scene: Scene) -> list[str]:
    """60 files in 12 nested folders. Returns the folders."""
    top = scene.shared_drive or scene.drive.root
    made = [top]
    for number in range(FOLDERS):
        made.append(scene.add_folder(f"folder {number}", made[number // 3]))
    for number in range(FILES):
        scene.add(f"{number}.md", made[1 + number % FOLDERS])
    return made[1:]


def videos(scene: Scene, count: int, folder: str | None = None) -> None:
    """Files whose content is never asked for."""
    parent = folder or scene.shared_drive or scene.drive.root
    for number in range(count):
        scene.drive.files.add_file(f"{number}.mp4", b"", parent, mime_type="video/mp4")


def word(text: str) -> bytes:
    """A DOCX file of one paragraph."""
    document = docx.Document()
    document.add_paragraph(text)
    file = BytesIO()
    document.save(file)
    return file.getvalue()


def ids(scene: Scene) -> dict[str, str]:
    return {record.name: record.id for record in scene.records()}


@WHERE
def test_a_sync_without_news_is_one_look_at_the_root_and_one_at_the_log(
    where: str, request: pytest.FixtureRequest
) -> None:
    here: Scene = request.getfixturevalue(where)
    planted(here)
    here.sync()

    for _ in range(2):
        report = here.sync()

        assert here.calls() == POLL
        assert (report.api_calls, report.downloads, report.embedded_chunks) == (2, 0, 0)


@WHERE
def test_ten_edits_cost_two_calls_and_ten_contents(
    where: str, request: pytest.FixtureRequest
) -> None:
    here: Scene = request.getfixturevalue(where)
    planted(here)
    here.sync()
    known = ids(here)
    for number in range(10):
        here.drive.files.edit(known[f"{number}.md"], f"# New\n\nGazelle {number}.".encode())

    report = here.sync()

    assert here.calls() == {**POLL, "media": 10}
    assert (report.updated, report.downloads) == (10, 10)


def test_a_crawl_of_a_whole_drive_of_2500_items_costs_three_pages_and_three_calls(
    team: Scene,
) -> None:
    inside = team.add_folder("inside")
    videos(team, 2000)
    videos(team, 499, inside)

    team.sync()
    first = team.calls()
    again = team.sync(full=True)

    assert first == {**OPENING, "list": ceil(2500 / 1000)}
    assert team.calls() == first
    assert (again.coverage.in_scope, again.added, again.updated, again.downloads) == (2499, 0, 0, 0)


def test_a_crawl_of_a_whole_drive_asks_once_a_page_whatever_the_size_of_a_page(
    team: Scene,
) -> None:
    planted(team)
    team.drive.api.largest_page = 10
    items = FOLDERS + FILES

    team.sync()
    first = team.calls()
    team.sync(full=True)

    assert first == {**OPENING, "list": ceil(items / 10), "media": FILES}
    assert team.calls() == {**OPENING, "list": ceil(items / 10)}


def test_a_crawl_folder_by_folder_asks_once_a_folder_and_once_a_further_page(
    scene: Scene,
) -> None:
    folders = planted(scene)
    videos(scene, 25, folders[-1])  # 30 with the five documents in it
    scene.drive.api.largest_page = 10
    further_pages = 2

    scene.sync()
    first = scene.calls()
    scene.sync(full=True)

    pages = 1 + FOLDERS + further_pages  # the root is a folder too
    assert first == {**OPENING, "list": pages, "media": FILES}
    assert scene.calls() == {**OPENING, "list": pages}


@WHERE
def test_moving_a_folder_within_the_scope_costs_two_calls_and_no_content(
    where: str, request: pytest.FixtureRequest
) -> None:
    here: Scene = request.getfixturevalue(where)
    folders = planted(here)
    here.sync()
    here.drive.files.move(folders[0], folders[2])

    report = here.sync()

    assert here.calls() == POLL
    assert (report.removed, report.added, report.embedded_chunks) == (0, 0, 0)
    assert "folder 2/folder 0/0.md" in here.ledger()


@WHERE
def test_renaming_a_folder_costs_two_calls_and_no_content(
    where: str, request: pytest.FixtureRequest
) -> None:
    here: Scene = request.getfixturevalue(where)
    folders = planted(here)
    here.sync()
    here.drive.files.rename(folders[0], "renamed")

    report = here.sync()

    assert here.calls() == POLL
    assert (report.removed, report.added, report.embedded_chunks) == (0, 0, 0)
    assert "renamed/0.md" in here.ledger()


def test_moving_a_folder_out_of_the_scope_costs_two_calls(scene: Scene) -> None:
    folders = planted(scene)
    scene.sync()
    scene.drive.files.move(folders[-1], scene.drive.files.my_drive("owner@example.com"))

    report = scene.sync()

    assert scene.calls() == POLL
    assert (report.removed, len(scene.searchable())) == (5, FILES - 5)


def test_moving_a_tree_of_folders_in_costs_one_call_a_folder_besides(scene: Scene) -> None:
    scene.add("here before.md")
    scene.sync()
    outside = scene.add_folder("outside", scene.drive.files.my_drive("owner@example.com"))
    inner = [outside]
    for number in range(8):
        inner.append(scene.add_folder(f"inner {number}", inner[number // 2]))
        scene.add(f"{number}.md", inner[-1])
    scene.drive.files.move(outside, scene.drive.root)

    report = scene.sync()

    assert scene.calls() == {**POLL, "list": len(inner), "media": 8}
    assert report.added == 8


def test_a_crawl_by_an_account_that_is_no_member_of_the_drive_costs_two_calls_more(
    scene: Scene,
) -> None:
    drive = scene.drive.files.add_drive("Theirs", ["somebody@example.com"])
    folder = scene.drive.files.add_folder("for the index", drive)
    scene.drive.files.share(folder, scene.drive.email)
    guest = scene.at(folder, name="guest")
    guest.add("a.md", guest.add_folder("inside"))

    guest.sync()
    first = guest.calls()
    guest.sync()

    assert first == {**OPENING, "start_token": 3, "list": 2, "media": 1}
    assert guest.calls() == POLL


@WHERE
def test_each_file_that_a_listing_does_not_show_any_more_is_asked_for_once(
    where: str, request: pytest.FixtureRequest
) -> None:
    here: Scene = request.getfixturevalue(where)
    planted(here)
    here.sync()
    known = ids(here)
    for number in range(5):
        here.drive.files.lose_silently(known[f"{number}.md"])

    report = here.sync(full=True)

    lists = here.calls()["list"]
    assert here.calls() == {**OPENING, "get": 2 + 5, "list": lists}
    assert report.removed == 5


def test_a_changed_google_document_costs_an_export_and_a_question_for_its_anchors(
    scene: Scene,
) -> None:
    document = scene.drive.files.add_native("doc", {WORD: word("The gazelle.")})
    scene.drive.files.describe(document, {"tabs": []})
    scene.sync()
    scene.drive.files.edit_native(document, {WORD: word("The antelope.")})

    scene.sync()

    assert scene.calls() == {**POLL, "export": 1, "docs": 1}
    assert scene.find("antelope") == ["doc"]
