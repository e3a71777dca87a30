"""What Drive does not give out, or not now: that file alone is at fault, and the ledger says so."""

from datetime import timedelta

from gdrive_rag_mcp.domain import FileState, Reason
from tests.drive_scenarios.scene import Scene, wordof


def edit(scene: Scene, file: str, text: str) -> None:
    scene.drive.files.edit(file, f"# New\n\nThis was {text}.".encode())


def test_a_file_that_google_takes_for_malware_costs_itself_alone_and_is_never_acknowledged(
    scene: Scene,
) -> None:
    file = scene.add("bad.md")
    scene.add("good.md")
    scene.drive.files.flag_abusive(file)
    scene.sync()

    assert scene.ledger() == {"bad.md": "skipped:abuse_flagged", "good.md": "indexed"}
    assert not any(request.query.get("acknowledgeAbuse") for request in scene.drive.requests)
    assert len(scene.requests("media")) == 2
    scene.sync()
    assert scene.contents() == 0


def test_a_file_that_was_found_innocent_is_read_when_its_version_says_so(scene: Scene) -> None:
    file = scene.add("bad.md")
    scene.drive.files.flag_abusive(file)
    scene.sync()
    scene.drive.files.flag_abusive(file, abusive=False)
    edit(scene, file, "cleaned")
    scene.sync()

    assert scene.find("cleaned") == ["bad.md"]


def test_a_file_that_may_not_be_downloaded_is_said_so_without_being_asked_for(
    scene: Scene,
) -> None:
    file = scene.add("closed.md", text="# Closed\n\nNot to be taken away.")
    scene.drive.files.set(file, capabilities={"canDownload": False})
    scene.add("a.md")
    report = scene.sync()
    assert report.complete
    assert scene.ledger() == {"a.md": "indexed", "closed.md": "skipped:download_forbidden"}
    assert scene.contents() == 1

    scene.drive.files.set(file, capabilities={"canDownload": True})
    scene.sync()
    assert scene.find("taken") == ["closed.md"]


def test_text_that_may_not_be_downloaded_any_more_is_not_searched_any_more(scene: Scene) -> None:
    file = scene.add("a.md")
    scene.sync()
    scene.drive.files.set(file, capabilities={"canDownload": False})
    scene.sync()

    assert scene.ledger() == {"a.md": "skipped:download_forbidden"}
    assert scene.find(wordof("a.md")) == []


def test_a_404_or_a_403_at_the_download_costs_that_file_alone(scene: Scene) -> None:
    gone, shut = scene.add("gone.md"), scene.add("shut.md")
    scene.add("z.md")
    scene.drive.fail(f"{gone}.*alt=media", 404, "notFound", times=50)
    scene.drive.fail(f"{shut}.*alt=media", 403, "cannotDownloadFile", times=50)

    report = scene.sync()

    assert report.complete
    assert scene.ledger() == {
        "gone.md": "failed:not_found",
        "shut.md": "skipped:download_forbidden",
        "z.md": "indexed",
    }


def test_what_is_encrypted_on_the_clients_side_is_said_to_be_and_not_fetched(scene: Scene) -> None:
    scene.drive.files.add_file(
        "secret.md", b"ciphertext", clientEncryptionDetails={"encryptionState": "encrypted"}
    )
    scene.sync()

    assert scene.ledger() == {"secret.md": "skipped:encrypted"}
    assert scene.contents() == 0


def test_a_file_that_too_many_have_downloaded_keeps_its_old_text_until_tomorrow(
    scene: Scene,
) -> None:
    file = scene.add("popular.md")
    scene.sync()
    edit(scene, file, "rewritten")
    scene.drive.fail(f"{file}.*alt=media", 403, "downloadQuotaExceeded", times=50)

    scene.sync()

    record = scene.record("popular.md")
    assert (record.state, record.reason) == (FileState.FAILED, Reason.RATE_LIMITED)
    assert scene.find(wordof("popular.md")) == ["popular.md"], "what it said before can be found"
    assert scene.contents() == 1, "asking again today is useless"
    scene.drive.faults.clear()
    scene.age(timedelta(days=1))
    scene.sync()
    assert scene.find("rewritten") == ["popular.md"]


def test_a_days_quota_that_is_used_up_ends_the_reading_and_blames_no_file(scene: Scene) -> None:
    for number in range(5):
        scene.add(f"{number}.md")
    scene.drive.before(
        "alt=media", lambda: scene.drive.fail("alt=media", 403, "dailyLimitExceeded", times=50)
    )

    report = scene.sync()

    assert "tomorrow" in report.warnings[0]
    assert scene.contents() <= 2
    assert set(scene.ledger().values()) <= {"indexed", "pending"}
    scene.drive.faults.clear()
    assert scene.sync().coverage.searchable == 5


def test_a_file_over_the_size_limit_is_not_even_asked_for(scene: Scene) -> None:
    scene.drive.files.add_file("film.md", b"x", size="300000000")
    scene.add("a.md")
    scene.sync()

    assert scene.ledger() == {"a.md": "indexed", "film.md": "skipped:too_large"}
    assert scene.contents() == 1
