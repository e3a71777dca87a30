"""One writer at a time, across processes; the lock dies with whoever held it."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gdrive_rag_mcp.errors import IndexLockedError, IndexReadOnlyError
from gdrive_rag_mcp.indexing.lock import writer_lock

# The child of a test does nothing but take a lock and leave.
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")

HOLDER = """
import os, sys, pathlib
from gdrive_rag_mcp.indexing.lock import writer_lock
with writer_lock(pathlib.Path(sys.argv[1])):
    if sys.argv[2] == "fork":
        running, tell = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(1)
            os.write(tell, b"x")
            sys.stdin.readline()
            os._exit(0)
        os.read(running, 1)  # by then the child has let go of the lock
    print("held", flush=True)
    sys.stdin.readline()
"""


def hold(index: Path, how: str = "alone") -> "subprocess.Popen[str]":
    child = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(index), how],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout
    assert child.stdout.readline() == "held\n"
    return child


def end(child: "subprocess.Popen[str]") -> None:
    child.communicate("\n")
    assert child.returncode == 0


def test_a_second_writer_is_refused_with_the_first_ones_number(tmp_path: Path) -> None:
    index = tmp_path / "index.db"
    child = hold(index)
    with (
        pytest.raises(IndexLockedError, match=f"pid {child.pid}") as caught,
        writer_lock(index),
    ):
        pytest.fail("two writers at once")
    assert caught.value.exit_code == 4
    assert child.poll() is None, "the first one goes on"
    end(child)
    with writer_lock(index):
        pass


def test_two_writers_in_one_process_are_two_as_well(tmp_path: Path) -> None:
    index = tmp_path / "index.db"
    with writer_lock(index):
        with pytest.raises(IndexLockedError), writer_lock(index):
            pytest.fail("two writers at once")
        with writer_lock(tmp_path / "other.db"):
            pass
    with writer_lock(index):
        pass


@pytest.mark.parametrize("how", ["alone", "fork"])
def test_a_killed_writer_leaves_no_lock_even_if_a_child_lives_on(tmp_path: Path, how: str) -> None:
    index = tmp_path / "index.db"
    with hold(index, how) as child:  # a child of its own ends with the pipes that this closes
        child.send_signal(signal.SIGKILL)
        child.wait()
        with writer_lock(index):
            pass


def test_a_child_that_unwinds_does_not_free_its_parents_lock(tmp_path: Path) -> None:
    index = tmp_path / "index.db"
    with writer_lock(index):
        child = os.fork()
        if child == 0:
            try:
                with writer_lock(tmp_path / "another.db"):
                    pass
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        with pytest.raises(IndexLockedError), writer_lock(index):
            pytest.fail("two writers at once")


def test_an_error_inside_frees_the_lock(tmp_path: Path) -> None:
    index = tmp_path / "index.db"
    with pytest.raises(ValueError, match="inside"), writer_lock(index):
        raise ValueError("inside")
    with writer_lock(index):
        pass


def test_the_lock_file_is_private_and_makes_its_folder(tmp_path: Path) -> None:
    index = tmp_path / "new" / "index.db"
    with writer_lock(index):
        lock = index.with_name("index.db.lock")
        assert lock.stat().st_mode & 0o777 == 0o600
        assert lock.read_text() == f"{os.getpid()}\n"


def test_a_place_that_cannot_hold_a_lock_is_said_to_be_read_only(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with (
        pytest.raises(IndexReadOnlyError, match=r"index\.db\.lock"),
        writer_lock(tmp_path / "file" / "index.db"),
    ):
        pytest.fail("no lock can be there")
