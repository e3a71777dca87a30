"""Who sees what in the fake Drive, and how far: shares, limits, links and their keys."""

from collections.abc import Iterator
from typing import Any

import pytest
from googleapiclient.errors import HttpError

from gdrive_rag_mcp.testing.fake_drive import FakeDrive
from tests.sources.asking import Asking, asking, refused

READER = "reader@example.com"
Service = Any
Json = Any


@pytest.fixture
def ask(drive: FakeDrive) -> Iterator[Asking]:
    with asking(drive) as asked:
        yield asked


@pytest.fixture
def reader(ask: Asking) -> Service:
    return ask.service(READER).files()


def _seen(files: Service, file_id: str, **headers: str) -> bool:
    request = files.get(fileId=file_id, supportsAllDrives=True)
    request.headers.update(headers)
    try:
        request.execute()
    except HttpError as error:
        if error.status_code != 404:
            raise
        return False
    return True


def _children(files: Service, folder: str) -> list[str]:
    answer = files.list(
        q=f"'{folder}' in parents",
        fields="files(name)",
        supportsAllDrives=True,
        includeItemsFromAllDrives=True,
    ).execute()
    return [item["name"] for item in answer["files"]]


def test_a_share_reaches_down_and_not_up(drive: FakeDrive, reader: Service) -> None:
    inner = drive.files.add_folder("inner")
    file = drive.files.add_file("a.md", b"x", inner)
    beside = drive.files.add_file("beside.md", b"x")
    assert not _seen(reader, file)

    drive.files.share(inner, READER)

    assert _seen(reader, inner)
    assert _seen(reader, file)
    assert not _seen(reader, drive.root)
    assert not _seen(reader, beside)
    assert "parents" not in reader.get(fileId=inner, fields="*").execute()
    assert reader.get(fileId=file, fields="parents").execute() == {"parents": [inner]}
    assert {item["id"] for item in reader.list().execute()["files"]} == {inner, file}
    assert reader.list(q="sharedWithMe = true").execute()["files"][0]["id"] == inner


def test_a_share_taken_back_is_gone_unless_another_one_holds(
    drive: FakeDrive, reader: Service
) -> None:
    inner = drive.files.add_folder("inner")
    file = drive.files.add_file("a.md", b"x", inner)
    drive.files.share(inner, READER)
    drive.files.share(file, READER)

    drive.files.unshare(inner, READER)
    assert (_seen(reader, inner), _seen(reader, file)) == (False, True)
    drive.files.unshare(file, READER)
    assert not _seen(reader, file)


def test_moving_takes_access_along_from_where_the_item_comes_to(
    drive: FakeDrive, reader: Service
) -> None:
    open_folder, closed = drive.files.add_folder("open"), drive.files.add_folder("closed")
    drive.files.share(open_folder, READER)
    folder = drive.files.add_folder("moving", closed)
    file = drive.files.add_file("a.md", b"x", folder)
    assert not _seen(reader, file)

    drive.files.move(folder, open_folder)
    assert _seen(reader, file)
    drive.files.move(folder, closed)
    assert not _seen(reader, file)


def test_a_folder_with_limited_access_is_seen_and_not_opened(
    drive: FakeDrive, reader: Service
) -> None:
    shared = drive.files.add_drive("Team", [READER])
    limited = drive.files.add_folder("limited", shared)
    file = drive.files.add_file("a.md", b"x", limited)
    drive.files.limit_access(limited)

    assert _children(reader, shared) == ["limited"]
    resource = reader.get(fileId=limited, supportsAllDrives=True, fields="*").execute()
    assert resource["capabilities"]["canListChildren"] is False
    assert resource["inheritedPermissionsDisabled"] is True
    assert not _seen(reader, file)
    assert _children(reader, limited) == []
    drive.api.limited_folders_not_found = True
    assert refused(reader.list(q=f"'{limited}' in parents", supportsAllDrives=True))[0] == 404

    drive.files.share(limited, READER)
    assert _children(reader, limited) == ["a.md"]


def test_what_is_hidden_is_hidden_with_everything_below_but_not_from_its_owner(
    drive: FakeDrive, ask: Asking
) -> None:
    folder = drive.files.add_folder("folder")
    file = drive.files.add_file("a.md", b"x", folder)
    account, owner = ask.service().files(), ask.service("owner@example.com").files()

    drive.files.hide(folder)
    assert (_seen(account, folder), _seen(account, file)) == (False, False)
    assert (_seen(owner, folder), _seen(owner, file)) == (True, True)
    drive.files.hide(folder, hidden=False)
    assert (_seen(account, folder), _seen(account, file)) == (True, True)


def test_a_link_opens_to_whoever_knows_it_and_is_found_by_nobody(
    drive: FakeDrive, reader: Service
) -> None:
    folder = drive.files.add_folder("folder")
    file = drive.files.add_file("a.md", b"x", folder)
    drive.files.link(folder)

    assert _seen(reader, folder)
    assert _seen(reader, file)
    assert _children(reader, folder) == ["a.md"]
    assert reader.list().execute()["files"] == []


def test_a_resource_key_must_be_sent_for_everything_that_the_item_is_asked_for(
    drive: FakeDrive, reader: Service
) -> None:
    folder = drive.files.add_folder("folder")
    file = drive.files.add_file("a.md", b"x", folder)
    native = drive.files.add_native("doc", {"text/plain": b"x"})
    keys = {item: drive.files.require_resource_key(item) for item in (folder, file, native)}
    header = ",".join(f"{item}/{key}" for item, key in keys.items())

    def asked() -> list[Json]:
        return [
            reader.get(fileId=file),
            reader.get_media(fileId=file),
            reader.export_media(fileId=native, mimeType="text/plain"),
            reader.list(q=f"'{folder}' in parents"),
        ]

    for request in asked():
        assert refused(request) == (404, "notFound")
    for request in asked():
        request.headers["X-Goog-Drive-Resource-Keys"] = f"{folder}/wrong,{file}/wrong"
        assert refused(request) == (404, "notFound")
    for request in asked():
        request.headers["X-Goog-Drive-Resource-Keys"] = header
        assert request.execute()


def test_a_resource_key_is_in_the_resource_and_not_asked_of_those_the_item_is_shared_with(
    drive: FakeDrive, reader: Service
) -> None:
    file = drive.files.add_file("a.md", b"x")
    key = drive.files.require_resource_key(file)
    drive.files.share(file, READER)

    assert reader.get(fileId=file, fields="resourceKey").execute() == {"resourceKey": key}


def test_a_shortcut_keeps_what_its_target_was(drive: FakeDrive, reader: Service) -> None:
    target = drive.files.add_file("a.md", b"x")
    key = drive.files.require_resource_key(target)
    shortcut = drive.files.add_shortcut("link to a", target)
    drive.files.share(shortcut, READER)
    drive.files.edit(target, b"%PDF", mime_type="application/pdf")

    details = reader.get(fileId=shortcut, fields="mimeType,shortcutDetails,size").execute()
    assert details == {
        "mimeType": "application/vnd.google-apps.shortcut",
        "shortcutDetails": {
            "targetId": target,
            "targetMimeType": "text/markdown",
            "targetResourceKey": key,
        },
    }
    assert not _seen(reader, target)
    assert _seen(reader, target, **{"X-Goog-Drive-Resource-Keys": f"{target}/{key}"})
    drive.files.remove(target)
    assert _seen(reader, shortcut)


def test_a_folder_below_itself_hides_nothing(drive: FakeDrive, reader: Service) -> None:
    above = drive.files.add_folder("above")
    below = drive.files.add_folder("below", above)
    drive.files.add_parent(above, below)
    drive.files.share(drive.root, READER)

    assert _seen(reader, below)
    drive.files.move(above, below)  # now the two hold each other, and nobody else holds them
    assert not _seen(reader, below)
    drive.files.trash(below)
    owner_sees = drive.files.world.items[above]
    assert drive.files.is_trashed(owner_sees)
