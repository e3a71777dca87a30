"""A command that is stopped by a signal: what it says, its exit code, and what it leaves."""

import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gdrive_rag_mcp.testing.fake_drive import FakeDrive
from tests.end_to_end.program import (
    INTERRUPTED_PROGRAM,
    Process,
    Run,
    Start,
    drive_settings,
    starting,
)

INTERRUPTED = 130
UNWRITTEN = "cannot be written to standard output"


@pytest.fixture
def drive() -> Iterator[FakeDrive]:
    with FakeDrive() as drive:
        for number in range(30):
            drive.files.add_file(f"{number}.md", f"# {number}\n\nThe gazelle of {number}.".encode())
        yield drive


@pytest.fixture
def environ(drive: FakeDrive, tmp_path: Path) -> dict[str, str]:
    return {**drive_settings(drive, tmp_path), "GDRIVE_RAG_DB_PATH": "index.db"}


@pytest.fixture
def start(tmp_path: Path, environ: dict[str, str]) -> Iterator[Start]:
    """Start a command whose signals are as a shell in the foreground leaves them."""
    with starting(tmp_path) as begin:

        def command(*words: str, redirected: str = "", ignored: str = "") -> Process:
            trap = f"trap '' {ignored}; " if ignored else ""
            shell = f'{trap}exec "$@" {redirected}'
            return begin(["/bin/sh", "-c", shell, "sh", *INTERRUPTED_PROGRAM, *words], environ)

        yield command


def when_it_reads(drive: FakeDrive, do: Callable[[], None]) -> None:
    """Do something once, after a few contents were read, and let everything go on then."""
    asked = iter(range(30))

    def before() -> None:
        if next(asked, 0) == 10:
            do()

    drive.before("alt=media", before, times=1000)


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_stopped_sync_says_in_one_line_that_nothing_is_lost_and_the_next_one_goes_on(
    drive: FakeDrive, start: Start, run: Run, environ: dict[str, str], by: signal.Signals
) -> None:
    go_on, came = threading.Event(), threading.Event()

    def hold_up() -> None:
        came.set()
        go_on.wait()

    when_it_reads(drive, hold_up)
    process = start("sync")
    assert came.wait(120)
    process.send_signal(by)
    out, errors = process.communicate()
    go_on.set()
    after = run("sync", "--json", environ=environ)

    assert process.returncode == INTERRUPTED
    assert out == ""
    assert errors == "stopped; what was done is kept, and the next sync goes on from there\n"
    assert after.code == 0, after.err
    assert after.json["coverage"]["by_state"] == {"indexed": 30}


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGHUP])
def test_a_watch_ends_by_a_closed_terminal_as_by_any_signal(
    start: Start, by: signal.Signals
) -> None:
    process = start("sync", "--watch", "1")
    assert process.stdout
    assert process.stdout.readline()

    process.send_signal(by)
    _, errors = process.communicate()

    assert process.returncode == 0, errors
    assert errors.startswith("stopped; ")


@pytest.mark.parametrize(("ignored", "heeded"), [("HUP", signal.SIGTERM), ("TERM", signal.SIGINT)])
def test_a_watch_outlives_a_signal_that_it_was_told_to_ignore(
    start: Start, ignored: str, heeded: signal.Signals
) -> None:
    process = start("sync", "--watch", "1", ignored=ignored)
    assert process.stdout
    assert process.stdout.readline()

    process.send_signal(signal.Signals[f"SIG{ignored}"])

    for _ in range(2):
        assert process.stdout.readline()
    process.send_signal(heeded)
    process.communicate()
    assert process.returncode == 0


@pytest.mark.parametrize("redirected", [">&-", ">/dev/full"])
def test_a_watch_whose_lines_cannot_be_written_says_so_once_and_goes_on(
    drive: FakeDrive, start: Start, run: Run, environ: dict[str, str], redirected: str
) -> None:
    process = start("sync", "--watch", "1", redirected=redirected)
    assert process.stderr
    assert UNWRITTEN in process.stderr.readline()
    drive.files.add_file("new.md", b"# new\n\nThe okapi.")
    while run("search", "okapi", "--json", environ=environ).json["results"] == []:
        assert process.poll() is None

    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate()

    assert process.returncode == 0
    assert UNWRITTEN not in errors
