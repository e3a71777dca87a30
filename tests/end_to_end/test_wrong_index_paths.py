"""A path that can be no index: every command says what is there, and how to name a file."""

import os
from pathlib import Path

import apsw
import pytest

from tests.end_to_end.program import Ended, Run

WRITERS = (("sync",), ("sync", "--dry-run"), ("init-db",))
READERS = (("status",), ("search", "leave"), ("export",))


def is_refused(done: Ended, path: Path | str) -> bool:
    """Whether it ended as a refusal that names the path and a remedy, and as no bug of ours."""
    told = done.out + done.err
    return done.code == 1 and str(path) in told and "to fix it: " in told and "bug" not in told


@pytest.mark.parametrize("words", [*WRITERS, *READERS, ("doctor",)])
@pytest.mark.parametrize("path", ["/", "documents"])
def test_a_folder_is_said_to_be_one_and_a_file_is_asked_for(
    run: Run, documents: Path, words: tuple[str, ...], path: str
) -> None:
    before = sorted(documents.rglob("*"))

    done = run(*words, "--db", path, "--source", f"folder:{documents}")

    told = done.out + done.err
    assert is_refused(done, path)
    assert "is a folder, and an index is a file" in told
    assert "to fix it: name a file with --db" in told
    assert "index.db" in told
    assert "doctor" not in told
    assert sorted(documents.rglob("*")) == before


@pytest.mark.parametrize("words", [*WRITERS, *READERS])
def test_what_is_neither_file_nor_folder_is_not_waited_for(
    run: Run, documents: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    for path in (pipe, Path("/dev/null")):
        done = run(*words, "--db", path, "--source", f"folder:{documents}")
        assert is_refused(done, path)
        assert "is no file" in done.err
    assert sorted(tmp_path.glob("*.lock")) == []


@pytest.mark.parametrize("words", [*WRITERS, *READERS])
def test_a_path_that_leads_nowhere_is_refused_with_why(
    run: Run, documents: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    (tmp_path / "loop").symlink_to("loop")

    for path, why in (("a" * 300, "too long"), ("loop", "symbolic link"), ("loop/i.db", "link")):
        done = run(*words, "--db", path, "--source", f"folder:{documents}")
        assert is_refused(done, path)
        assert why in done.err


@pytest.mark.parametrize("words", [*WRITERS, *READERS, ("doctor",)])
def test_a_schema_below_all_schemas_is_damage_to_every_command(
    run: Run, documents: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    index = tmp_path / "index.db"
    source = ("--db", index, "--source", f"folder:{documents}")
    run("sync", *source)
    connection = apsw.Connection(str(index))
    connection.execute("PRAGMA user_version = -3")
    connection.close()

    done = run(*words, *source)

    assert is_refused(done, index)
    assert "is damaged" in done.out + done.err
    assert "move the file away" in done.out + done.err
