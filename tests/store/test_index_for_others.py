"""An index that this user may read but not write: read as it lies, and followed all the same."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gdrive_rag_mcp.errors import (
    GdriveRagError,
)
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.hand_written import HandWritten, found_by_vector, found_by_words
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder

# The children only read an index and leave; they touch no lock that another thread may hold.
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")


def as_nobody(work: Callable[[], None], meanwhile: Callable[[], None] = lambda: None) -> str:
    """Run something in a child process without root's rights; returns what it raised."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setresgid(65534, 65534, 65534)
            os.setresuid(65534, 65534, 65534)
            try:
                work()
                said = "fine"
            except GdriveRagError as error:
                said = f"{type(error).__name__}: {error}"
            os.write(write, said.encode())
        finally:
            os._exit(0)
    os.close(write)
    meanwhile()
    with os.fdopen(read, "rb") as pipe:
        said = pipe.read().decode()
    os.waitpid(child, 0)
    return said


@pytest.fixture
def shown(index: Path) -> Iterator[Path]:
    """A copy of the index for another user, in a folder that this user may not write."""
    if os.geteuid() != 0:
        pytest.skip("only root can become somebody else")
    with tempfile.TemporaryDirectory() as name:  # pytest's own folders are closed to others
        folder = Path(name)
        copy = folder / "index.db"
        shutil.copy(index, copy)
        os.chown(copy, 65534, 65534)
        folder.chmod(0o555)
        yield copy


def test_an_index_in_a_folder_that_cannot_be_written_is_read_all_the_same(shown: Path) -> None:
    def work() -> None:
        with Store.open_for_reading(shown) as store:
            assert len(found_by_words(store, "sabbatical")) == 3
            assert len(found_by_vector(store, HashingEmbedder(32)._bag("sabbatical"))) == 6

    assert as_nobody(work) == "fine"
    assert [entry.name for entry in shown.parent.iterdir()] == ["index.db"]


def test_a_reader_that_cannot_lock_sees_what_was_written_since(shown: Path) -> None:
    read, write = os.pipe()
    done, tell = os.pipe()

    def work() -> None:
        with Store.open_for_reading(shown) as store:
            assert len(found_by_words(store, "sabbatical")) == 3
            os.write(tell, b".")
            os.read(read, 1)
            assert len(found_by_words(store, "sabbatical")) == 4

    def write_more() -> None:
        os.read(done, 1)
        with Store.open_for_writing(shown) as store:
            HandWritten(store).put("another", "One more sabbatical.")
        os.chown(shown, 65534, 65534)
        os.write(write, b".")

    assert as_nobody(work, write_more) == "fine"


def test_a_folder_that_cannot_be_written_is_said_to_be_read_only(shown: Path) -> None:
    assert as_nobody(lambda: Store.open_for_writing(shown.with_name("new.db")).close()).startswith(
        "IndexReadOnlyError"
    )
    shown.chmod(0o400)

    def write() -> None:
        with Store.open_for_writing(shown) as store:
            HandWritten(store).put("another", "One more.")

    assert as_nobody(write).startswith("IndexReadOnlyError")
    shown.chmod(0o000)
    assert as_nobody(lambda: Store.open_for_reading(shown).close()).startswith("IndexReadOnlyError")
