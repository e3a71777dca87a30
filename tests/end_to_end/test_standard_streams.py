"""Closed and full standard streams: the work is done all the same, and stdout holds only results.

Cron jobs, daemons and MCP clients start programs so; `2>&-` in a shell does, too.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import apsw
import pytest

from tests.end_to_end.program import PROGRAM, Ended, Run, finish

UNWRITTEN = 5
Redirected = Callable[..., Ended]

if not Path("/dev/full").exists():
    pytest.skip("this system has no /dev/full", allow_module_level=True)


@pytest.fixture
def redirected(tmp_path: Path, documents: Path) -> Redirected:
    """Run a command on the documents with redirections as a shell has them."""

    def start(
        redirections: str,
        *words: str,
        given: str = "",
        environ: Mapping[str, str] | None = None,
    ) -> Ended:
        command = ["/bin/sh", "-c", f'exec "$@" {redirections}', "sh", *PROGRAM, *words]
        settings = {
            "GDRIVE_RAG_SOURCE": f"folder:{documents}",
            "GDRIVE_RAG_DB_PATH": "index.db",
            **(environ or {}),
        }
        return finish(command, tmp_path, settings, given=given)

    return start


def searchable(run: Run) -> int:
    return int(run("status", "--json", "--db", "index.db").json["coverage"]["searchable"])


def is_damaged(index: Path) -> bool:
    """Whether something was printed into the index: SQLite's own pages and nothing else."""
    return not index.read_bytes().startswith(b"SQLite format 3\0")


@pytest.mark.parametrize("closed", ["2>&-", "2>/dev/full", "<&-", "<&- 2>&-"])
def test_a_sync_that_can_tell_nobody_how_it_goes_does_its_work(
    redirected: Redirected, run: Run, tmp_path: Path, closed: str
) -> None:
    done = redirected(closed, "sync")

    assert done.code == 0, done.err
    assert done.out.startswith("2 added, ")
    assert searchable(run) == 2
    assert not is_damaged(tmp_path / "index.db")


@pytest.mark.parametrize(
    ("closed", "why"),
    [(">&-", "it is closed"), (">/dev/full", "No space left"), ("<&- >&-", "it is closed")],
)
def test_a_sync_whose_result_cannot_be_written_is_kept_and_says_so(
    redirected: Redirected, run: Run, closed: str, why: str
) -> None:
    done = redirected(closed, "sync")

    assert done.code == UNWRITTEN
    assert f"error: the result cannot be written to standard output: {why}" in done.err
    assert "to fix it: " in done.err
    assert "Traceback" not in done.err
    assert searchable(run) == 2


def test_with_no_stream_at_all_a_sync_is_done_and_only_its_exit_code_tells(
    redirected: Redirected, run: Run, tmp_path: Path
) -> None:
    assert redirected("<&- >&- 2>&-", "sync") == Ended(UNWRITTEN, "", "")
    assert searchable(run) == 2
    assert not is_damaged(tmp_path / "index.db")


@pytest.mark.parametrize(
    "words", [("--help",), ("--version",), ("status",), ("export",), ("search", "leave")]
)
def test_whatever_cannot_be_written_ends_in_the_same_way(
    redirected: Redirected, words: tuple[str, ...]
) -> None:
    redirected("", "sync")

    done = redirected(">/dev/full", *words)

    assert done.code == UNWRITTEN
    assert done.err.startswith("error: the result cannot be written")
    assert "Traceback" not in done.err


@pytest.mark.parametrize("closed", ["2>&-", "2>/dev/full"])
def test_a_refusal_that_nobody_can_read_keeps_its_exit_code(
    redirected: Redirected, closed: str
) -> None:
    assert redirected(closed, "sync", "--watch", "0").code == 2
    assert redirected(closed, "sync", "--source", "nonsense").code == 2
    assert redirected(closed, "export").code == 1


def test_a_reader_that_has_had_enough_is_no_error(redirected: Redirected) -> None:
    redirected("", "sync")

    done = redirected("| head -c 1", "export", "--chunks")

    assert (done.out, done.err) == ("{", "")


def test_a_pipe_that_another_program_made_impatient_gets_everything(
    run: Run, documents: Path, tmp_path: Path
) -> None:
    (documents / "long.md").write_text("# Long\n\nThe okapi.\n" * 20_000, encoding="utf-8")
    words = ("--source", f"folder:{documents}", "--db", "index.db")
    run("sync", *words)
    whole = run("export", "--chunks", *words).out
    assert len(whole) > 200_000, "more than a pipe holds"
    reader, writer = os.pipe()
    os.set_blocking(writer, False)

    process = subprocess.Popen(
        [sys.executable, "-m", "gdrive_rag_mcp", "export", "--chunks", *words],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        stdout=writer,
        stderr=subprocess.PIPE,
    )
    os.close(writer)
    with os.fdopen(reader, encoding="utf-8") as stream:
        assert stream.read() == whole
    _, errors = process.communicate()
    assert (process.returncode, errors) == (0, b"")


def asked(method: str, number: int, **parameters: object) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": parameters})


CONVERSATION = "\n".join(
    (
        asked(
            "initialize",
            1,
            protocolVersion="2025-06-18",
            capabilities={},
            clientInfo={"name": "a test", "version": "1"},
        ),
        json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        asked("tools/list", 2),
        "",
    )
)


@pytest.mark.parametrize("closed", ["2>&-", "2>/dev/full", ""])
def test_a_server_says_nothing_but_protocol_on_stdout(redirected: Redirected, closed: str) -> None:
    done = redirected(closed, "serve", given=CONVERSATION)

    answers = [json.loads(line) for line in done.out.splitlines()]
    assert {answer["jsonrpc"] for answer in answers} == {"2.0"}
    assert answers[0]["id"] == 1
    assert done.code == 0, done.err


def test_a_server_that_must_not_start_says_nothing_on_stdout(redirected: Redirected) -> None:
    done = redirected("2>&-", "serve", environ={"GDRIVE_RAG_DRIVE_QPS": "many"}, given=CONVERSATION)

    assert done == Ended(2, "", "")


@pytest.mark.parametrize("closed", [">&-", ">/dev/full"])
def test_a_server_that_cannot_be_heard_ends_without_a_traceback(
    redirected: Redirected, closed: str
) -> None:
    done = redirected(closed, "serve", given=CONVERSATION)

    assert done.code == UNWRITTEN
    assert "cannot be written to standard output" in done.err
    assert "Traceback" not in done.err


def test_a_server_without_an_input_ends_at_once(redirected: Redirected) -> None:
    done = redirected("<&-", "serve")

    assert (done.code, done.out) == (0, "")


def test_a_damaged_index_is_told_to_a_client_as_to_anybody(
    redirected: Redirected, tmp_path: Path
) -> None:
    redirected("", "sync")
    index = tmp_path / "index.db"
    connection = apsw.Connection(str(index))
    connection.execute("UPDATE meta SET value = '{' WHERE key = 'generation'")
    connection.close()
    process = subprocess.Popen(
        [sys.executable, "-m", "gdrive_rag_mcp", "serve", "--db", str(index)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    assert process.stdin
    assert process.stdout

    process.stdin.write(CONVERSATION)
    process.stdin.write(asked("tools/call", 3, name="check_index_status", arguments={}) + "\n")
    process.stdin.flush()
    answers = [json.loads(process.stdout.readline()) for _ in range(3)]
    _, errors = process.communicate()
    looked_at = redirected("", "doctor")

    [told] = [one["result"] for one in answers if one["id"] == 3]
    assert told["isError"]
    assert "index_corrupt: " in told["content"][0]["text"]
    assert "generation is '{'" in told["content"][0]["text"]
    assert "Traceback" not in errors
    assert looked_at.code == 1
    assert "generation is '{'" in looked_at.out
    assert "move the file away" in looked_at.out
