"""Credentials, threads and patience: entries 44, 61 and 68 to 70 of the public failures."""

import re
from datetime import timedelta
from pathlib import Path

import pytest

from gdrive_rag_mcp.errors import RootUnavailableError, SourceAuthError, SourceUnavailableError
from tests.drive_scenarios.scene import Scene, wordof

PERSON = "anna@example.com"
WEEK = timedelta(days=8)


@pytest.fixture
def person(scene: Scene) -> Scene:
    """A person who has agreed, and with whom the root is shared."""
    scene.drive.files.share(scene.drive.root, PERSON)
    token_file = scene.home / "token.json"
    scene.drive.tokens.write_token_file(token_file, PERSON, scene.drive.url)
    scene.extra |= {"GOOGLE_SERVICE_ACCOUNT_FILE": "", "GOOGLE_OAUTH_TOKEN_FILE": str(token_file)}
    return scene


def filled(scene: Scene) -> Scene:
    for number in range(3):
        scene.add(f"{number}.md", scene.add_folder(f"folder {number}"))
    return scene


# ── tokens ───────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("who", ["scene", "person"])
@pytest.mark.parametrize("at", [r"/drive/v3/files\?", r"/changes\?", "alt=media"])
def test_a_token_that_ends_in_the_middle_of_a_sync_is_renewed_and_nobody_notices(
    request: pytest.FixtureRequest, who: str, at: str
) -> None:
    scene = filled(request.getfixturevalue(who))
    scene.drive.before(at, scene.drive.tokens.expire)

    report = scene.sync()

    assert (report.added, report.complete, report.warnings) == (3, True, ())
    assert scene.drive.counts()["token"] == 2
    assert len(scene.requests("unauthorized")) == 1


def test_an_hour_later_the_next_sync_gets_a_token_by_itself(person: Scene) -> None:
    filled(person).sync()
    person.drive.tokens.expire()
    person.add("new.md")

    assert (person.sync().added, person.searchable()) == (1, {"0.md", "1.md", "2.md", "new.md"})


@pytest.mark.parametrize(
    ("full", "after"),
    [(False, "files/"), (True, "files/"), (True, "startPageToken"), (True, r"/drive/v3/files\?")],
)
def test_a_consent_that_ends_in_the_middle_of_a_listing_stops_the_sync_and_prunes_nothing(
    person: Scene, after: str, *, full: bool
) -> None:
    filled(person).sync()
    person.drive.files.remove(person.record("0.md").id)
    person.drive.before(after, lambda: person.drive.tokens.revoke(PERSON))

    with pytest.raises(SourceAuthError) as ended:
        person.sync(full=full)

    assert "expired or revoked" in ended.value.message
    assert "auth-google" in ended.value.hint
    assert person.searchable() == {"0.md", "1.md", "2.md"}


def test_a_consent_that_ends_while_contents_are_read_keeps_what_was_read_and_blames_no_file(
    person: Scene,
) -> None:
    filled(person)
    person.drive.before("alt=media", lambda: person.drive.tokens.revoke(PERSON))

    with pytest.raises(SourceAuthError):
        person.sync()

    assert sorted(person.ledger().values()) == ["indexed", "pending", "pending"]
    token_file = Path(person.extra["GOOGLE_OAUTH_TOKEN_FILE"])
    person.drive.tokens.write_token_file(token_file, PERSON, person.drive.url)
    report = person.sync()
    assert (report.added, report.coverage.searchable) == (2, 3)
    assert person.calls()["list"] == 0, "the listing was over and done"


def test_a_key_that_is_deleted_stops_the_sync_with_the_accounts_name_and_exit_code_1(
    scene: Scene,
) -> None:
    filled(scene)
    environ = scene.environ
    assert scene.command("sync", environ=environ).code == 0
    scene.drive.tokens.revoke()

    ended = scene.command("sync", environ=environ)

    assert ended.code == 1
    assert scene.drive.email in ended.err
    assert re.search("key", ended.err)
    assert "Traceback" not in ended.err
    assert scene.command("status", "--json", environ=environ).json["coverage"]["searchable"] == 3


def test_a_401_that_renewing_does_not_cure_ends_the_sync_and_not_one_file_after_the_other(
    scene: Scene,
) -> None:
    filled(scene)
    scene.drive.fail("alt=media", 401, "authError", times=100)

    with pytest.raises(SourceAuthError):
        scene.sync()

    assert scene.contents() == 2
    assert set(scene.ledger().values()) == {"pending"}


@pytest.mark.parametrize(
    ("reason", "remedy"),
    [
        ("accessNotConfigured", "enable the Google Drive API"),
        ("insufficientPermissions", "drive.readonly"),
    ],
)
def test_a_project_or_a_token_that_may_not_read_is_an_error_with_its_remedy_and_prunes_nothing(
    scene: Scene, reason: str, remedy: str
) -> None:
    filled(scene).sync()
    scene.age(WEEK)
    scene.drive.fail(r"/drive/v3/files\?", 403, reason, times=100)

    with pytest.raises(SourceAuthError) as refused:
        scene.sync()

    assert remedy in refused.value.hint
    assert scene.searchable() == {"0.md", "1.md", "2.md"}


def test_a_person_who_was_removed_from_the_domain_ends_the_sync_at_once(person: Scene) -> None:
    filled(person).sync()
    person.drive.tokens.refusal = ("invalid_grant", "Account has been deleted")
    person.drive.tokens.expire()

    with pytest.raises(SourceAuthError) as removed:
        person.sync()

    assert "Account has been deleted" in removed.value.message
    assert person.drive.counts()["token"] <= 2
    assert sum(person.waits) == 0, "waiting would not help"
    assert person.searchable() == {"0.md", "1.md", "2.md"}


# ── who reads ────────────────────────────────────────────────────────────────


def test_a_left_over_consent_does_not_read_in_the_place_of_credentials_that_are_named(
    scene: Scene,
) -> None:
    filled(scene)
    kept = scene.home / ".config" / "gdrive-rag-mcp" / "google-token.json"
    kept.parent.mkdir(parents=True)
    scene.drive.tokens.write_token_file(kept, PERSON, scene.drive.url)
    key = scene.environ["GOOGLE_SERVICE_ACCOUNT_FILE"]
    scene.extra |= {"GOOGLE_SERVICE_ACCOUNT_FILE": "", "GOOGLE_APPLICATION_CREDENTIALS": key}

    ended = scene.run("sync", "--json")

    assert ended.code == 0, ended.err
    assert ended.json["added"] == 3
    assert f"{scene.drive.email} (application default)" in scene.run("doctor").out
    scene.extra["GOOGLE_APPLICATION_CREDENTIALS"] = ""
    assert PERSON in scene.run("sync").err, "the consent is used once nothing is named"


def test_a_folder_that_is_set_as_a_shared_drive_stops_a_sync_with_where_it_belongs(
    scene: Scene,
) -> None:
    filled(scene)
    folder = scene.add_folder("docs")

    ended = scene.at(shared_drive=folder).run("sync")

    assert ended.code == 1
    assert f"{folder}, which is a folder and no shared drive" in ended.err
    assert f"set GDRIVE_FOLDER_ID to {folder}" in ended.err


# ── errors in a listing ──────────────────────────────────────────────────────


def test_errors_in_a_listing_delete_nothing_and_are_the_exit_code_of_the_run(scene: Scene) -> None:
    """What rclone calls "not deleting files as there were IO errors"."""
    filled(scene)
    assert scene.run("sync").code == 0
    [doomed] = [record for record in scene.records() if record.name == "0.md"]
    scene.drive.files.lose_silently(doomed.id)
    scene.drive.fail("'[^']+' in parents", 403, "dailyLimitExceeded", times=100)

    ended = scene.run("sync", "--full", "--json")

    assert ended.code == 3
    assert ended.json["removed"] == 0
    assert "tomorrow" in ended.err + ended.out
    assert scene.searchable() == {"0.md", "1.md", "2.md"}


def test_rate_limits_everywhere_slow_a_sync_down_and_change_nothing(scene: Scene) -> None:
    filled(scene)
    for pattern in ("startPageToken", r"/drive/v3/files\?", r"/changes\?", "alt=media", "files/"):
        scene.drive.fail(pattern, 403, "userRateLimitExceeded", times=2, retry_after="3")

    report = scene.sync()

    assert (report.added, report.complete, report.warnings) == (3, True, ())
    assert len([wait for wait in scene.waits if wait >= 3]) >= 10


def test_a_root_that_cannot_be_reached_for_now_is_not_a_root_that_is_gone(scene: Scene) -> None:
    filled(scene).sync()
    scene.drive.fail(rf"files/{scene.drive.root}", 503, "backendError", times=100)

    with pytest.raises(SourceUnavailableError) as failed:
        scene.sync()

    assert not isinstance(failed.value, RootUnavailableError)
    assert scene.searchable() == {"0.md", "1.md", "2.md"}


def test_a_second_attempt_is_judged_like_the_first(scene: Scene) -> None:
    file = scene.add("a.md")
    folder = scene.add_folder("shut")
    scene.drive.fail(f"{file}.*alt=media", 500, "internalError")
    scene.drive.fail(f"{file}.*alt=media", 403, "cannotDownloadFile", times=50)
    scene.drive.fail(f"'{folder}' in parents", 429, "rateLimitExceeded")
    scene.drive.fail(f"'{folder}' in parents", 404, "notFound", times=50)

    report = scene.sync()

    assert report.complete
    assert scene.ledger() == {"a.md": "skipped:download_forbidden", "shut": "failed:not_found"}
    assert len(scene.requests("media")) == 2


def test_an_account_without_any_drive_is_told_so_at_once(scene: Scene) -> None:
    scene.drive.fail("/drive/v3/", 403, "domainPolicy", times=100)

    with pytest.raises(RootUnavailableError) as refused:
        scene.sync()

    assert scene.drive.email in str(refused.value)
    assert (scene.calls(), sum(scene.waits)) == ({"get": 1}, 0)


# ── threads ──────────────────────────────────────────────────────────────────


def test_many_readers_at_once_get_each_file_its_own_content(scene: Scene) -> None:
    for number in range(120):
        scene.add(f"{number}.md", text=f"# Of {number}\n\nThe words number{number} alone.")
    scene.drive.before("alt=media", scene.drive.tokens.expire)
    scene.drive.reset("alt=media", times=3)

    report = scene.sync(readers=16)

    assert (report.added, report.complete) == (120, True)
    for number in range(120):
        assert scene.find(f"number{number}") == [f"{number}.md"]
    assert scene.drive.counts()["token"] == 2, "one renewal for all of them"


def test_a_thread_whose_credentials_die_ends_the_sync_for_all(scene: Scene) -> None:
    for number in range(40):
        scene.add(f"{number:02}.md")
    scene.drive.before("alt=media", scene.drive.tokens.revoke)

    with pytest.raises(SourceAuthError):
        scene.sync(readers=8)

    assert set(scene.ledger().values()) <= {"indexed", "pending"}
    assert all(scene.find(wordof(name)) == [name] for name in scene.searchable())
