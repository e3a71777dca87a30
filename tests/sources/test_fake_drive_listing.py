"""Listings of the fake Drive: the search language, pages, and what listings may leave out."""

from collections.abc import Iterator
from typing import Any

import pytest

from gdrive_rag_mcp.testing.fake_drive import FakeDrive
from tests.sources.asking import Asking, asking, refused

Files = Any
Json = Any


@pytest.fixture
def ask(drive: FakeDrive) -> Iterator[Asking]:
    with asking(drive) as asked:
        yield asked


@pytest.fixture
def files(ask: Asking) -> Files:
    return ask.service().files()


def _names(files: Files, q: str, **parameters: Json) -> list[str]:
    answer = files.list(q=q, fields="files(name)", **parameters).execute()
    return [item["name"] for item in answer["files"]]


def _pages(files: Files, q: str, size: int) -> list[list[str]]:
    pages = []
    request = files.list(q=q, pageSize=size, fields="nextPageToken,files(name)")
    while request is not None:
        answer = request.execute()
        pages.append([item["name"] for item in answer["files"]])
        request = files.list_next(request, answer)
    return pages


@pytest.fixture
def items(drive: FakeDrive) -> dict[str, str]:
    add = drive.files.add_file
    return {
        "old": add("Annual report.md", b"wombat"),
        "scan": add("scan of report.png", b"x", mime_type="image/png"),
        "new": add("notes.txt", b"x", mime_type="text/plain"),
        "link": drive.files.add_shortcut("to notes", "nonexistent"),
    }


@pytest.mark.parametrize(
    ("q", "expected"),
    [
        ("name contains 'annual'", ["Annual report.md"]),
        ("name contains 'rep'", ["Annual report.md", "scan of report.png"]),
        ("name contains 'port'", []),  # beginnings of words alone
        ("name != 'notes.txt' and mimeType contains 'text/'", ["Annual report.md"]),
        ("mimeType contains 'image/'", ["scan of report.png"]),
        ("fullText contains 'wom'", ["Annual report.md"]),
        ("shortcutDetails.targetId = 'nonexistent'", ["to notes"]),
        ("'me' in owners", []),
        ("'owner@example.com' in owners and name contains 'scan'", ["scan of report.png"]),
        ("'stranger@example.com' in readers", []),
        ("'me' in readers and name = 'notes.txt'", ["notes.txt"]),
        ("sharedWithMe", None),
        ("sharedWithMe = true", ["Shared with the index"]),
        ("starred = true", []),
        ("modifiedTime < '2026-01-01T00:00:00Z'", []),
        ("createdTime >= '2026-01-01' and name = 'notes.txt'", ["notes.txt"]),
        ("modifiedTime > '2026-01-01T00:00:00+02:00' and name = 'notes.txt'", ["notes.txt"]),
        ("modifiedTime > 'yesterday'", None),
        ("modifiedTime contains '2026'", None),
        ("name < 'x'", None),
        ("trashed contains true", None),
        ("name = true", None),
        ("'x' in children", None),
        ("mimeType in 'text/plain'", None),
        # The same rank, from left to right: (a or b) and c.
        (
            "name = 'notes.txt' or name contains 'scan' and mimeType = 'image/png'",
            ["scan of report.png"],
        ),
        (
            "name = 'notes.txt' or (name contains 'scan' and mimeType = 'image/png')",
            ["scan of report.png", "notes.txt"],
        ),
        ("not (name = 'notes.txt' or mimeType contains 'image/') and name contains 'a'", None),
        ("NOT name = 'x'", None),
    ],
)
def test_the_search_language_means_what_google_says(
    files: Files, items: dict[str, str], q: str, expected: list[str] | None
) -> None:
    if q.startswith("not ("):
        assert _names(files, q) == ["Annual report.md"]
    elif expected is None:
        assert refused(files.list(q=q)) == (400, "invalid")
    else:
        assert _names(files, q) == expected


def test_names_with_quotes_and_backslashes_are_escaped(drive: FakeDrive, files: Files) -> None:
    drive.files.add_file("C:\\it's", b"x")

    assert _names(files, "name = 'C:\\\\it\\'s'") == ["C:\\it's"]


def test_pages_can_be_short_and_even_empty_without_being_the_last(
    drive: FakeDrive, files: Files
) -> None:
    for number in range(5):
        drive.files.add_file(str(number), b"x")
    here = f"'{drive.root}' in parents"
    assert _pages(files, here, 2) == [["0", "1"], ["2", "3"], ["4"]]

    drive.api.largest_page = 3
    assert _pages(files, here, 1000) == [["0", "1", "2"], ["3", "4"]]
    drive.api.empty_pages = 1
    assert _pages(files, here, 1000) == [[], ["0", "1", "2"], [], ["3", "4"]]
    assert _pages(files, "name = 'absent'", 1000) == [[], []]


def test_a_listing_goes_on_behind_what_it_showed_whatever_changed_meanwhile(
    drive: FakeDrive, files: Files
) -> None:
    ids = [drive.files.add_file(str(number), b"x") for number in range(4)]
    here = f"'{drive.root}' in parents"
    fields = "nextPageToken,files(name)"
    first = files.list(q=here, pageSize=2, fields=fields).execute()
    drive.files.remove(ids[0])
    drive.files.remove(ids[2])
    drive.files.add_file("4", b"x")

    rest = files.list(q=here, pageToken=first["nextPageToken"], fields=fields).execute()

    assert rest == {"files": [{"name": "3"}, {"name": "4"}]}


def test_a_page_token_is_good_for_its_own_search_and_until_it_expires(
    drive: FakeDrive, ask: Asking, files: Files
) -> None:
    shared = drive.files.add_drive("Team", [drive.email])
    for number in range(3):
        drive.files.add_file(str(number), b"x")
    here = f"'{drive.root}' in parents"
    token = files.list(q=here, pageSize=1, fields="nextPageToken").execute()["nextPageToken"]

    wrong: list[Json] = [
        {"q": "trashed = false"},
        {"q": here, "orderBy": "name"},
        {"q": here, "corpora": "domain"},
        {
            "q": here,
            "corpora": "drive",
            "driveId": shared,
            "includeItemsFromAllDrives": True,
            "supportsAllDrives": True,
        },
    ]
    for parameters in wrong:
        assert refused(files.list(pageToken=token, **parameters)) == (400, "invalid")
    owner = ask.service("owner@example.com").files()
    assert refused(owner.list(q=here, pageToken=token)) == (400, "invalid")
    assert len(files.list(q=here, pageToken=token, pageSize=2).execute()["files"]) == 2

    drive.api.expire_list_tokens()
    assert refused(files.list(q=here, pageToken=token)) == (400, "invalid")


def test_order_is_kept_over_pages(drive: FakeDrive, files: Files) -> None:
    for name in ("b2", "A", "b10"):
        drive.files.add_file(name, b"x")
    drive.files.add_folder("c")
    here = f"'{drive.root}' in parents"

    assert _names(files, here, orderBy="name") == ["A", "b10", "b2", "c"]
    assert _names(files, here, orderBy="folder,name_natural desc") == ["c", "b10", "b2", "A"]
    first = files.list(
        q=here, orderBy="name", pageSize=3, fields="nextPageToken,files(name)"
    ).execute()
    rest = _names(files, here, orderBy="name", pageToken=first["nextPageToken"])
    assert [item["name"] for item in first["files"]] + rest == ["A", "b10", "b2", "c"]
    for order in ("colour", "name asc", "name,,folder"):
        assert refused(files.list(orderBy=order)) == (400, "invalid")


def test_a_listing_may_lag_behind_where_get_and_changes_do_not(
    drive: FakeDrive, ask: Asking, files: Files
) -> None:
    changes = ask.service().changes()
    token = changes.getStartPageToken().execute()["startPageToken"]
    file = drive.files.add_file("a.md", b"x")
    drive.api.lag([file])

    assert _names(files, f"'{drive.root}' in parents") == []
    assert files.get(fileId=file).execute()["name"] == "a.md"
    assert len(changes.list(pageToken=token).execute()["changes"]) == 1
    drive.api.settle()
    assert _names(files, f"'{drive.root}' in parents") == ["a.md"]


def test_a_grouped_search_can_lose_parents_without_a_word(drive: FakeDrive, files: Files) -> None:
    folders = [drive.files.add_folder(str(number)) for number in range(3)]
    for folder in folders:
        drive.files.add_file(f"in {folder}", b"x", folder)
    grouped = " or ".join(f"'{folder}' in parents" for folder in folders)
    search = f"({grouped}) and trashed = false"
    fields = "incompleteSearch,files(name)"
    assert len(files.list(q=search, fields=fields).execute()["files"]) == 3

    drive.api.grouped_parents_bug = True
    answer = files.list(q=search, fields=fields).execute()
    assert answer == {"incompleteSearch": False, "files": [{"name": f"in {folders[0]}"}]}
    drive.api.grouped_parents_honoured = 0
    assert files.list(q=search, fields=fields).execute()["files"] == []
    assert _names(files, f"'{folders[1]}' in parents") == [f"in {folders[1]}"]


def test_a_search_can_admit_that_it_is_incomplete(drive: FakeDrive, files: Files) -> None:
    shared = drive.files.add_drive("Team", [drive.email])
    drive.api.incomplete_folders |= {drive.root, shared, "allDrives"}
    flags = {"includeItemsFromAllDrives": True, "supportsAllDrives": True}

    def is_incomplete(**parameters: Json) -> Json:
        answer = files.list(fields="incompleteSearch", **parameters).execute()
        return answer["incompleteSearch"]

    assert is_incomplete(q=f"'{drive.root}' in parents")
    assert is_incomplete(corpora="drive", driveId=shared, **flags)
    assert is_incomplete(corpora="allDrives", **flags)
    assert not is_incomplete(q="trashed = false")


def test_deprecated_parameters_are_not_understood(drive: FakeDrive, ask: Asking) -> None:
    http = ask.http()
    for query in ("supportsTeamDrives=true", "corpus=user", "teamDriveId=x"):
        response, _ = http.request(f"{drive.url}/drive/v3/files?{query}")
        assert response.status == 400


def test_masks_that_name_a_field_twice_ask_for_both(drive: FakeDrive, files: Files) -> None:
    file = drive.files.add_file("a.md", b"x")
    answer = files.list(fields="files/id,files/name").execute()
    links = files.get(fileId=file, fields="capabilities/canEdit,capabilities/canDownload")

    assert {"id": file, "name": "a.md"} in answer["files"]
    assert links.execute() == {"capabilities": {"canEdit": False, "canDownload": True}}
