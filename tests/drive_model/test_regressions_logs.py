"""What the histories found in the following of logs: each as a scene of its own."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.indexing.sync import SyncOptions
from gdrive_rag_mcp.testing.fake_drive import FakeDrive
from tests.drive_model.people import People
from tests.drive_model.telling import Telling

Meet = Callable[[str], AbstractContextManager[Telling]]


@pytest.fixture
def meet(tmp_path: Path) -> Meet:
    @contextmanager
    def made(root: str) -> Iterator[Telling]:
        with FakeDrive() as drive:
            yield Telling(drive, People(drive, root), tmp_path / "index.db")

    return made


def file_in(telling: Telling, folder: str) -> str:
    people = telling.people
    word = people.word()
    return people.new(people.files.add_file(f"{word}.md", word.encode(), folder), word)


def drive_of_root(telling: Telling) -> str:
    return str(telling.people.files.world.items[telling.people.root].drive_id)


@pytest.mark.parametrize("when", ["between syncs", "while it is asked which log to follow"])
def test_whoever_becomes_a_member_of_the_drive_hears_its_log_from_then_on(
    meet: Meet, when: str
) -> None:
    with meet("folder shared out of a drive") as telling:
        files, drive = telling.people.files, drive_of_root(telling)

        def join() -> None:
            files.add_member(drive, telling.drive.email)

        if when == "between syncs":
            telling.settle()
            join()
        else:
            telling.drive.before(r"startPageToken\?supportsAllDrives=true&alt", join)
        telling.settle()

        file_in(telling, telling.people.root)
        telling.settle()


def test_what_happened_to_a_guest_who_was_a_member_for_a_while_is_found_out(meet: Meet) -> None:
    with meet("folder shared out of a drive") as telling:
        files, drive = telling.people.files, drive_of_root(telling)
        file = file_in(telling, telling.people.root)
        telling.settle()

        files.add_member(drive, telling.drive.email)
        files.trash(file)
        files.remove_member(drive, telling.drive.email)
        telling.settle()


@pytest.mark.parametrize(
    ("status", "reason"),
    [(400, "invalid"), (404, "notFound"), (403, "insufficientFilePermissions")],
)
@pytest.mark.parametrize("of", [r"/changes\?", r"files\?q="])
def test_a_member_follows_the_drives_own_log_again_after_it_was_refused_once(
    meet: Meet, status: int, reason: str, of: str
) -> None:
    with meet("folder of a drive") as telling:
        if of == r"/changes\?":
            telling.settle()
        telling.drive.fail(of, status, reason)
        telling.sync(SyncOptions())

        file_in(telling, telling.people.root)
        telling.settle()


def test_a_link_that_led_nowhere_leads_on_when_its_target_is_shared(meet: Meet) -> None:
    with meet("whole drive") as telling:
        people = telling.people
        far = people.new(people.files.add_folder("far", people.places.all[0]))
        file = file_in(telling, far)
        link = people.new(people.files.add_shortcut("link", far, people.root))
        telling.settle()
        assert telling.records()[link].reason is Reason.BROKEN_SHORTCUT

        people.files.share(far, telling.drive.email)
        telling.settle()

        assert file in telling.indexed()


def test_what_a_link_leads_to_comes_back_out_of_the_bin(meet: Meet) -> None:
    with meet("whole drive") as telling:
        people = telling.people
        lent = people.new(people.files.add_folder("lent", people.places.all[0]))
        people.files.share(lent, telling.drive.email)
        file = file_in(telling, lent)
        people.files.trash(file)
        people.new(people.files.add_shortcut("link", file, people.root))
        telling.settle()

        people.files.untrash(file)
        telling.settle()

        assert file in telling.indexed()


def test_a_folder_of_the_root_that_leads_to_its_own_drive_lies_below_it(meet: Meet) -> None:
    with meet("folder of a drive") as telling:
        people = telling.people
        file_in(telling, people.root)
        people.new(people.files.add_shortcut("up", drive_of_root(telling), people.root))

        telling.settle()


def test_a_root_that_cannot_be_searched_any_more_is_no_error_of_ours(meet: Meet) -> None:
    with meet("folder of a drive") as telling:
        file_in(telling, telling.people.root)
        telling.settle()
        telling.people.files.set(telling.people.root, description="touched, so listed again")
        telling.drive.fail(r"files\?q=", 404, "notFound")

        telling.sync(SyncOptions())
        telling.settle()
