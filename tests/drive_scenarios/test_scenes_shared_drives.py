"""Items of shared drives: asked for by every call, and followed where their changes are told."""

import pytest

from tests.drive_scenarios.scene import Scene, wordof

OWNER = "owner@example.com"
METADATA = ("list", "get", "media", "changes", "start_token")


@pytest.fixture
def outside(scene: Scene) -> Scene:
    """A folder of a shared drive, shared with an account that is no member of the drive."""
    drive = scene.drive.files.add_drive("Theirs", [OWNER])
    folder = scene.drive.files.add_folder("for the index", drive)
    scene.drive.files.add_file("private.md", b"# Private\n\nNot for the index.", drive)
    scene.drive.files.share(folder, scene.drive.email)
    return scene.at(folder, name="outside")


@pytest.fixture
def inside(scene: Scene) -> Scene:
    """A folder of a shared drive that the account is a member of."""
    drive = scene.drive.files.add_drive("Ours", [scene.drive.email])
    scene.drive.files.add_file("beside.md", b"# Beside\n\nNot in the folder.", drive)
    return scene.at(scene.drive.files.add_folder("folder", drive), name="inside")


def drive_of(scene: Scene) -> str | None:
    """The shared drive in which the root lies."""
    return scene.drive.files.visible(scene.folder or "").drive_id


@pytest.mark.parametrize("where", ["scene", "team", "inside", "outside"])
def test_every_call_says_that_it_can_handle_shared_drives_and_where_it_searches(
    where: str, request: pytest.FixtureRequest
) -> None:
    here: Scene = request.getfixturevalue(where)
    here.add("a.md", here.add_folder("folder"))

    here.sync()

    asked = [one for kind in METADATA for one in here.requests(kind)]
    assert {one.kind for one in asked} == set(METADATA)
    assert {one.query.get("supportsAllDrives") for one in asked} == {"true"}
    for one in [*here.requests("list"), *here.requests("changes")]:
        assert one.query["includeItemsFromAllDrives"] == "true"
    for one in here.requests("list"):
        assert one.query["corpora"] in {"user", "drive"}
        assert (one.query["corpora"] == "drive") == ("driveId" in one.query)


@pytest.mark.parametrize("where", ["team", "inside", "outside"])
def test_whatever_a_shared_drive_lists_is_also_read(
    where: str, request: pytest.FixtureRequest
) -> None:
    here: Scene = request.getfixturevalue(where)
    folder = here.add_folder("folder")
    here.add("a.md", folder)
    here.drive.files.add_native("doc", {"text/markdown": b"# Doc\n\nThe gazelle."}, folder)

    report = here.sync()

    assert report.complete
    assert here.searchable() == {"a.md", "doc"}
    for kind in ("get", "list", "media", "export", "changes"):
        assert 404 not in {one.status for one in here.requests(kind)}


def test_the_items_of_a_drive_are_searched_for_in_that_drive_by_its_id(
    team: Scene, inside: Scene
) -> None:
    team.add("a.md", team.add_folder("folder"))
    inside.add("b.md", inside.add_folder("folder"))

    for here, drive in ((team, team.shared_drive), (inside, drive_of(inside))):
        here.sync()

        for asked in here.requests("list"):
            assert (asked.query["corpora"], asked.query["driveId"]) == ("drive", drive)
        for asked in [*here.requests("changes"), *here.requests("start_token")]:
            assert asked.query["driveId"] == drive
    assert (team.searchable(), inside.searchable()) == ({"a.md"}, {"b.md"})


def test_a_whole_shared_drive_may_be_named_as_a_drive_or_as_a_folder(team: Scene) -> None:
    team.add("a.md", team.add_folder("folder"))
    as_folder = team.at(team.shared_drive, name="as folder")

    team.sync()
    as_folder.sync()

    assert team.ledger() == as_folder.ledger() == {"folder/a.md": "indexed"}
    assert as_folder.calls()["list"] == 1


def test_a_folder_of_a_drive_holds_what_is_in_the_folder_and_nothing_beside_it(
    inside: Scene,
) -> None:
    inside.add("a.md", inside.add_folder("deeper"))

    inside.sync()
    drive = drive_of(inside)
    assert drive
    inside.add("beside too.md", drive)
    later = inside.sync()

    assert inside.ledger() == {"deeper/a.md": "indexed"}
    assert (later.added, later.coverage.in_scope) == (0, 1)


def test_a_folder_shared_out_of_a_drive_is_read_by_an_account_that_is_no_member(
    outside: Scene,
) -> None:
    inner = outside.add_folder("inner")
    outside.add("a.md", inner)

    report = outside.sync()

    assert report.complete
    assert outside.ledger() == {"inner/a.md": "indexed"}
    for asked in outside.requests("list"):
        assert asked.query["corpora"] == "user"
    for asked in outside.requests("changes"):
        assert "driveId" not in asked.query
    assert outside.requests("drive") == []


def test_what_changes_in_a_folder_shared_out_of_a_drive_is_told_by_the_users_own_log(
    outside: Scene,
) -> None:
    inner = outside.add_folder("inner")
    edited, removed, kept = (outside.add(name, inner) for name in ("e.md", "r.md", "k.md"))
    outside.sync()
    outside.drive.files.edit(edited, b"# Edited\n\nNow of antelopes.")
    outside.drive.files.remove(removed)
    outside.drive.files.rename(kept, "renamed.md")
    outside.add("new.md", inner)

    report = outside.sync()

    assert (report.added, report.updated, report.removed, report.moved) == (1, 1, 1, 1)
    assert outside.calls() == {"get": 1, "changes": 1, "media": 2}
    assert outside.find("antelopes") == ["e.md"]
    assert outside.searchable() == {"e.md", "renamed.md", "new.md"}


def test_changes_in_a_drive_are_told_by_that_drives_log(team: Scene, inside: Scene) -> None:
    for here in (team, inside):
        edited = here.add("a.md")
        gone = here.add("b.md")
        here.sync()
        here.drive.files.edit(edited, b"# Edited\n\nNow of antelopes.")
        here.drive.files.remove(gone)

        report = here.sync()

        assert (report.updated, report.removed) == (1, 1)
        assert here.calls() == {"get": 1, "changes": 1, "media": 1}
        assert here.find("antelopes") == ["a.md"]


def test_one_root_may_hold_items_of_my_drive_and_of_shared_drives(
    scene: Scene, team: Scene
) -> None:
    shared = team.add_folder("of the team")
    team.add("theirs.md", shared)
    scene.add("mine.md")
    scene.drive.files.add_shortcut("link", shared)

    scene.sync()
    assert scene.searchable() == {"mine.md", "theirs.md"}
    team.add("later.md", shared)
    scene.add("later too.md")
    scene.sync()

    assert scene.searchable() == {"mine.md", "theirs.md", "later.md", "later too.md"}
    assert scene.find(wordof("theirs.md")) == ["theirs.md"]


def test_a_member_that_is_shut_out_keeps_the_index_and_hears_why(team: Scene) -> None:
    team.add("a.md")
    assert team.run("sync").code == 0
    assert team.shared_drive
    team.drive.files.remove_member(team.shared_drive, team.drive.email)

    ended = team.run("sync")

    assert ended.code == 1
    assert team.shared_drive in ended.err
    assert f"add {team.drive.email} as a member of the shared drive" in ended.err
    assert team.searchable() == {"a.md"}


def test_a_member_that_becomes_a_guest_follows_another_log_and_loses_nothing(
    inside: Scene,
) -> None:
    kept, edited = inside.add("kept.md"), inside.add("edited.md")
    inside.sync()
    drive, folder = drive_of(inside), inside.folder
    assert drive
    assert folder
    inside.drive.files.share(folder, inside.drive.email)
    inside.drive.files.remove_member(drive, inside.drive.email)

    report = inside.sync()

    assert (report.complete, report.removed, inside.contents()) == (True, 0, 0)
    assert {record.id for record in inside.records()} == {kept, edited}
    inside.drive.files.edit(edited, b"# Edited\n\nNow of antelopes.")
    inside.sync()
    assert inside.find("antelopes") == ["edited.md"]
