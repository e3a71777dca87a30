"""A disk without room: what is said names the folder that is full, and nothing is lost.

No disk can be filled for a test; a process that may not write large files meets the same errors.
"""

import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.end_to_end.program import Ended, Run

ROOM = 2_000_000
Cramped = Callable[..., Ended]


@pytest.fixture
def cramped(tmp_path: Path, documents: Path) -> Cramped:
    """Run a command on the documents that can write no file of more than 2 MB."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, ROOM))

    def start(*words: str) -> Ended:
        done = subprocess.run(
            [sys.executable, "-m", "gdrive_rag_mcp", *words],
            cwd=tmp_path,
            env={
                **os.environ,
                "GDRIVE_RAG_EMBED_PROVIDER": "none",
                "GDRIVE_RAG_SOURCE": f"folder:{documents}",
                "GDRIVE_RAG_DB_PATH": "desk/index.db",
                "TMPDIR": str(tmp_path),
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
            preexec_fn=limit,
        )
        return Ended(done.returncode, done.stdout, done.stderr)

    return start


def test_contents_that_have_no_room_name_the_folder_beside_the_index(
    cramped: Cramped, run: Run, documents: Path, tmp_path: Path
) -> None:
    (documents / "large.md").write_text("# Large\n\nThe okapi.\n" * 200_000, encoding="utf-8")
    desk = tmp_path / "desk"

    full = cramped("sync")

    assert full.code == 1
    assert f"no room to read large.md into {desk / 'index.db-reading'}" in full.err
    assert f"to fix it: free some space on the disk of {desk}," in full.err
    assert "TMPDIR" not in full.err
    assert [path.name for path in desk.iterdir() if "-reading" in path.name] == []

    (documents / "large.md").unlink()
    after = run("sync", "--json", "--db", "desk/index.db", "--source", f"folder:{documents}")
    assert after.json["coverage"]["by_state"] == {"indexed": 2}


def test_an_index_that_has_no_room_names_its_folder(
    cramped: Cramped, documents: Path, tmp_path: Path
) -> None:
    for number in range(60):
        words = " ".join(f"word{number}x{other}" for other in range(4000))
        (documents / f"{number}.md").write_text(f"# {number}\n\n{words}\n", encoding="utf-8")

    full = cramped("sync")

    assert full.code == 1
    assert "Traceback" not in full.err
    assert f"to fix it: free some space in {tmp_path / 'desk'}" in full.err
    assert cramped("status").code == 0
