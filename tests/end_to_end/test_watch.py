"""`sync --watch` as a process: what it prints, what it survives, and how it ends."""

import json
import os
import re
import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from gdrive_rag_mcp.indexing.content_folder import READING
from gdrive_rag_mcp.indexing.lock import writer_lock
from gdrive_rag_mcp.testing.fake_drive import FakeDrive
from tests.end_to_end.program import (
    INTERRUPTED_PROGRAM,
    Process,
    Run,
    Start,
    drive_settings,
    starting,
)


@pytest.fixture
def watch(tmp_path: Path) -> Iterator[Start]:
    """Start `gdrive-rag-mcp sync --watch 1`; whatever still runs at the end is killed."""
    with starting(tmp_path) as begin:

        def start(*words: str | Path, environ: Mapping[str, str] | None = None) -> Process:
            command = [*INTERRUPTED_PROGRAM, "sync", "--watch", "1", *map(str, words)]
            return begin(command, environ or {})

        yield start


def line(process: Process) -> str:
    assert process.stdout
    found = process.stdout.readline()
    assert found, process.communicate()
    return found


def round_(process: Process) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(line(process))
    return parsed


def end(process: Process, by: signal.Signals = signal.SIGTERM) -> str:
    """End it as it wants to be ended; returns what it said on stderr."""
    process.send_signal(by)
    _, errors = process.communicate()
    assert process.returncode == 0, errors
    assert errors.splitlines()[-1].startswith("stopped; ")
    assert "Traceback" not in errors
    return errors


def add(documents: Path, name: str) -> None:
    (documents / name).write_text(f"# {name}\n\nThe gazelle of {name}.\n", encoding="utf-8")


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGINT])
def test_each_round_is_a_line_and_a_signal_ends_the_pause(
    watch: Start, run: Run, documents: Path, by: signal.Signals
) -> None:
    process = watch("--source", f"folder:{documents}")

    first, second = line(process), line(process)
    add(documents, "new.md")
    while not (third := line(process)).startswith("2") or " 1 added" not in third:
        assert " 0 added" in third

    for shown in (first, second, third):
        assert re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ \d+ added, ", shown)
        assert shown.endswith("again in 1 s\n")
    end(process, by)
    assert run("status", "--json").json["coverage"]["by_state"] == {"indexed": 3}


def test_a_round_is_an_object_a_line_that_is_there_at_once(watch: Start, documents: Path) -> None:
    process = watch("--source", f"folder:{documents}", "--json")

    first = round_(process)

    assert (first["added"], first["searchable"], first["error"]) == (2, 2, None)
    assert (first["complete"], first["skipped"], first["next_in_seconds"]) == (True, False, 1)
    end(process)


def test_a_folder_that_goes_and_comes_back_is_survived_and_nothing_is_lost(
    watch: Start, run: Run, documents: Path
) -> None:
    process = watch("--source", f"folder:{documents}", "--json")
    round_(process)
    documents.rename(documents.with_name("away"))

    while (gone := round_(process))["error"] is None:
        pass
    kept = run("status", "--json").json["coverage"]["by_state"]
    documents.with_name("away").rename(documents)
    while (back := round_(process))["error"] is not None:
        assert back["next_in_seconds"] > 1

    assert gone["error"]["remedy"]
    assert str(documents) in gone["error"]["message"]
    assert kept == {"indexed": 2}
    assert (back["removed"], back["searchable"], back["next_in_seconds"]) == (0, 2, 1)
    end(process)


def test_beside_another_writer_a_round_is_skipped_and_names_it(
    watch: Start, documents: Path, tmp_path: Path
) -> None:
    index = tmp_path / "index.db"
    with writer_lock(index):
        process = watch("--source", f"folder:{documents}", "--db", index)
        skipped = line(process)
    while "skipped: " in (after := line(process)):
        pass

    assert f"skipped: another process (pid {os.getpid()}) is writing {index}" in skipped
    assert " 2 added" in after
    end(process)


def test_cron_syncs_beside_a_watch_and_whoever_comes_second_is_told(
    watch: Start, run: Run, documents: Path, tmp_path: Path
) -> None:
    words = ("--source", f"folder:{documents}", "--db", tmp_path / "index.db")
    process = watch(*words, "--json")
    round_(process)

    cron = run("sync", *words)
    for number in range(200):
        add(documents, f"{number}.md")
    while not (reading := tmp_path / f"index.db{READING}").exists():
        assert process.poll() is None
    process.send_signal(signal.SIGSTOP)
    kept_out = run("sync", *words)
    process.send_signal(signal.SIGCONT)

    assert cron.code in (0, 4), cron.err
    assert kept_out.code == 4
    assert f"pid {process.pid}" in kept_out.err
    assert "to fix it: " in kept_out.err
    end(process)
    assert not reading.exists()


def test_what_no_waiting_will_change_ends_it_with_its_exit_code(
    watch: Start, run: Run, documents: Path, tmp_path: Path
) -> None:
    run("sync", "--source", f"folder:{documents}", "--db", "index.db")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    add(elsewhere, "a.md")

    process = watch("--source", f"folder:{elsewhere}", "--db", "index.db")
    out, errors = process.communicate()

    assert process.returncode == 2, errors
    assert out == ""
    assert "to fix it: " in errors


@pytest.mark.parametrize(
    ("other", "why"),
    [("--dry-run", "do not go together"), ("--allow-mass-delete", "confirmed for the one run")],
)
def test_what_makes_no_sense_beside_it_is_refused(run: Run, other: str, why: str) -> None:
    done = run("sync", "--watch", "60", other, "--source", "folder:/nowhere")

    assert done.code == 2
    assert why in done.err
    assert "to fix it: " in done.err


@pytest.mark.parametrize("seconds", ["0", "-1", "soon", "99999999"])
def test_a_pause_that_is_none_is_refused(run: Run, seconds: str) -> None:
    assert run("sync", "--watch", seconds).code == 2


# ── over a network ───────────────────────────────────────────────────────────


@pytest.fixture
def drive(tmp_path: Path) -> Iterator[FakeDrive]:
    with FakeDrive() as drive:
        for number in range(40):
            drive.files.add_file(f"{number}.md", f"# {number}\n\nThe gazelle of {number}.".encode())
        yield drive


@pytest.fixture
def environ(drive: FakeDrive, tmp_path: Path) -> dict[str, str]:
    return drive_settings(drive, tmp_path)


@contextmanager
def held_up(drive: FakeDrive, pattern: str) -> Iterator[threading.Event]:
    """Matching requests get no answer until this is left; yields that one has come in."""
    came, go_on = threading.Event(), threading.Event()

    def wait() -> None:
        came.set()
        go_on.wait()

    drive.before(pattern, wait, times=1000)
    try:
        yield came
    finally:
        go_on.set()


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("pattern", ["alt=media", "GET /drive/v3/files/", "/token"])
def test_a_signal_in_the_middle_of_a_call_ends_it_and_leaves_nothing_behind(
    watch: Start,
    run: Run,
    drive: FakeDrive,
    environ: Mapping[str, str],
    tmp_path: Path,
    by: signal.Signals,
    pattern: str,
) -> None:
    with held_up(drive, pattern) as came:
        process = watch("--db", "index.db", environ=environ)
        assert came.wait(60)
        end(process, by)

    assert not (tmp_path / f"index.db{READING}").exists()
    done = run("sync", "--json", "--db", "index.db", environ=environ)
    assert done.json["coverage"]["by_state"] == {"indexed": 40}, done.err


def test_a_signal_ends_the_wait_before_a_retry(
    watch: Start, drive: FakeDrive, environ: Mapping[str, str], tmp_path: Path
) -> None:
    drive.fail("alt=media", 503, times=1000, retry_after="100")
    refused = threading.Event()
    drive.before("alt=media", refused.set, times=1000)

    process = watch("--db", "index.db", environ=environ)
    assert refused.wait(60)
    end(process)

    assert not (tmp_path / f"index.db{READING}").exists()


def test_refused_credentials_are_survived_and_taken_up_when_they_are_given_anew(
    watch: Start, drive: FakeDrive, environ: Mapping[str, str], tmp_path: Path
) -> None:
    key = tmp_path / "key.json"
    good = key.read_text(encoding="utf-8")
    key.write_text("{}", encoding="utf-8")
    process = watch("--json", environ=environ)

    refused = round_(process)
    key.write_text(good, encoding="utf-8")
    while (back := round_(process))["error"] is not None:
        assert back["error"]["code"] == "source_auth"

    assert refused["error"]["code"] == "source_auth"
    assert refused["error"]["remedy"]
    assert back["added"] == 40
    end(process)


def test_full_lists_everything_in_the_first_round_alone(
    watch: Start, run: Run, drive: FakeDrive, environ: Mapping[str, str]
) -> None:
    run("sync", environ=environ)
    drive.requests.clear()

    process = watch("--full", "--json", environ=environ)
    rounds, lists = [], []
    for _ in range(3):
        rounds.append(round_(process))
        lists.append(drive.counts()["list"])
    end(process)

    assert [one["error"] for one in rounds] == [None] * 3
    assert lists[0] > 0
    assert lists[2] == lists[0]


def resident(process: Process) -> int:
    """Kilobytes of memory that a process takes."""
    status = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    assert found
    return int(found.group(1))


@pytest.mark.acceptance
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
def test_memory_does_not_grow_from_round_to_round(
    watch: Start, drive: FakeDrive, environ: Mapping[str, str]
) -> None:
    process = watch("--json", environ=environ)
    sizes = []
    for _ in range(40):
        assert round_(process)["error"] is None
        sizes.append(resident(process))
    end(process)

    assert sizes[-1] < sizes[9] * 1.02, sizes
