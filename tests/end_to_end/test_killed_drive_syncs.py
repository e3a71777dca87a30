"""A sync of a Drive that is killed at any request goes on where it was, and loses nothing.

The program, its index and the kills are real; the Drive is the fake one, in this process.
"""

import os
import random
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest

from gdrive_rag_mcp.domain import EVERYTHING, FileState
from gdrive_rag_mcp.indexing.content_folder import READING
from gdrive_rag_mcp.indexing.fetching import FILES_AHEAD
from gdrive_rag_mcp.indexing.portions import MOST_DOCUMENTS
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.fake_drive import FakeDrive
from gdrive_rag_mcp.testing.hand_written import found_by_words
from gdrive_rag_mcp.wiring.runs import _DRIVE_READERS
from tests.end_to_end.program import PROGRAM
from tests.indexing.test_killed_syncs import assert_not_torn

FILES, FOLDERS = 1000, 30
MOST_IN_FLIGHT = FILES_AHEAD * _DRIVE_READERS + MOST_DOCUMENTS
BEFORE_CONTENT = FOLDERS + 6


@pytest.fixture(scope="module")
def drive() -> Iterator[FakeDrive]:
    """Small documents, each with a word that no other one has."""
    with FakeDrive() as drive:
        folders = [drive.root]
        for number in range(FOLDERS):
            folders.append(drive.files.add_folder(f"Folder {number}", folders[number // 2]))
        for number in range(FILES):
            text = f"# Lease {number}\n\nThe tenant of flat{number}x pays on the first.\n"
            folder = folders[number % len(folders)]
            drive.files.add_file(f"lease-{number}.md", text.encode(), folder)
        yield drive


def start(drive: FakeDrive, folder: Path) -> "subprocess.Popen[str]":
    key = folder / "key.json"
    if not key.exists():
        drive.write_key_file(key)
    environ = {
        **os.environ,
        "GDRIVE_FOLDER_ID": drive.root,
        "GOOGLE_SERVICE_ACCOUNT_FILE": str(key),
        "GDRIVE_RAG_DRIVE_ENDPOINT": drive.url,
        "GDRIVE_RAG_DRIVE_QPS": "0",
        "GDRIVE_RAG_EMBED_PROVIDER": "none",
        "GDRIVE_RAG_DB_PATH": str(folder / "index.db"),
    }
    return subprocess.Popen(
        [*PROGRAM, "sync", "--json"],
        cwd=folder,
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


def kill_at(drive: FakeDrive, folder: Path, request: int, moment: int) -> bool:
    """Kill a sync a moment after the Drive saw so many requests of it; false if it ended before."""
    seen, reached = Counter[str](), Event()

    def on_request(_: int, __: str) -> None:
        seen["all"] += 1
        if seen["all"] >= request:
            reached.set()

    drive.on_request = on_request
    child = start(drive, folder)
    while not reached.wait(0.02) and child.poll() is None:
        pass
    sum(range(moment))  # so that not every kill comes right after a request
    child.kill()
    child.communicate()
    drive.on_request = None
    return child.returncode != 0


def searchable(index: Path) -> int:
    if not index.exists():
        return 0
    with Store.open_for_reading(index) as store:
        return store.ledger.coverage(EVERYTHING).searchable


def assert_whole(index: Path) -> None:
    """Every document is in the ledger once, and what it alone says is found in it alone."""
    assert_not_torn(index)
    with Store.open_for_reading(index) as store, store.reading():
        records = list(store.ledger.all(EVERYTHING))
        assert sorted(record.path.rsplit("/", 1)[-1] for record in records) == sorted(
            f"lease-{number}.md" for number in range(FILES)
        )
        assert {record.state for record in records} == {FileState.INDEXED}
        held = Counter(
            word
            for record in records
            for _, chunk in store.catalog.chunks(record.id, EVERYTHING)
            for word in chunk.text.split()
            if word.startswith("flat")
        )
        for number in range(FILES):
            [only] = found_by_words(store, f"flat{number}x")
            assert only.path.endswith(f"lease-{number}.md")
    assert held == Counter(f"flat{number}x" for number in range(FILES))
    assert not list(index.parent.glob(f"*{READING}"))


def contents_read(drive: FakeDrive) -> int:
    return drive.counts()["media"]


def draws(draw: random.Random, kills: int, index: Path) -> Iterator[int]:
    """Half of the kills before or around the first contents, the rest anywhere, one at the end."""
    for number in range(kills - 1):
        far = FILES // kills if number % 2 else BEFORE_CONTENT
        yield draw.randint(1, far)
    yield max(1, FILES - searchable(index) - draw.randrange(MOST_IN_FLIGHT))


def sync_and_kill(drive: FakeDrive, folder: Path, *, kills: int, seed: int) -> None:
    index = folder / "index.db"
    draw = random.Random(seed)  # noqa: S311 - where to kill is no secret
    drive.requests.clear()
    killed = 0
    for request in draws(draw, kills, index):
        killed += kill_at(drive, folder, request, draw.randrange(500_000))
        if index.exists():
            assert_not_torn(index)
    assert killed == kills
    last = start(drive, folder)
    _, errors = last.communicate()
    assert last.returncode == 0, errors
    assert_whole(index)
    assert FILES <= contents_read(drive) <= FILES + kills * MOST_IN_FLIGHT


def test_killed_a_few_times_a_crawl_is_finished_with_no_document_lost_or_doubled(
    drive: FakeDrive, tmp_path: Path
) -> None:
    sync_and_kill(drive, tmp_path, kills=4, seed=1)


@pytest.mark.acceptance
@pytest.mark.parametrize("seed", range(2, 7))
def test_killed_at_ten_random_requests_a_crawl_is_finished_with_no_document_lost_or_doubled(
    drive: FakeDrive, tmp_path: Path, seed: int
) -> None:
    sync_and_kill(drive, tmp_path, kills=10, seed=seed)
