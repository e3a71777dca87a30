"""What else may lie where the index should: it is refused in our words, and left alone."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from gdrive_rag_mcp.domain import EVERYTHING
from gdrive_rag_mcp.errors import (
    IndexCorruptError,
    StoreError,
)
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.hand_written import HandWritten


def other_program(path: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.execute("CREATE TABLE messages (body TEXT)")
    connection.close()


def other_program_with_a_version(path: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA user_version = 1")
    connection.close()


def a_text_file(path: Path) -> None:
    path.write_text("Dear diary, today I wrote something that is not a database.\n" * 40)


def half_an_index(path: Path) -> None:
    with Store.open_for_writing(path) as store:
        HandWritten(store).put("a", *(f"text {number}" for number in range(200)))
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2 + 100])


def a_garbled_header(path: Path) -> None:
    Store.open_for_writing(path).close()
    path.write_bytes(b"\x00" * 100 + path.read_bytes()[100:])


def a_garbled_schema(path: Path) -> None:
    Store.open_for_writing(path).close()
    content = path.read_bytes()
    path.write_bytes(content[:100] + b"\xff" * 3900 + content[4000:])


@pytest.mark.parametrize(
    "make",
    [
        other_program,
        other_program_with_a_version,
        a_text_file,
        half_an_index,
        a_garbled_header,
        a_garbled_schema,
    ],
)
@pytest.mark.parametrize("opened", [Store.open_for_reading, Store.open_for_writing])
def test_what_is_no_whole_index_is_refused_and_left_alone(
    tmp_path: Path, make: Callable[[Path], None], opened: Callable[[Path], Store]
) -> None:
    path = tmp_path / "index.db"
    make(path)
    before = path.read_bytes()
    with pytest.raises(IndexCorruptError) as caught, opened(path) as store:
        list(store.catalog.chunks("a", scope=EVERYTHING))
    assert str(path) in caught.value.message
    assert caught.value.hint
    if make is not other_program_with_a_version:  # WAL mode is set before anything is read
        assert path.read_bytes()[100:] == before[100:]


def test_whatever_byte_is_garbled_the_error_is_ours(index: Path, tmp_path: Path) -> None:
    """In a child process: a damaged file must not end the program either."""
    program = (
        "import pathlib, random, sys\n"
        "from gdrive_rag_mcp.domain import EVERYTHING\n"
        "from gdrive_rag_mcp.errors import GdriveRagError\n"
        "from gdrive_rag_mcp.store import Store\n"
        "from gdrive_rag_mcp.testing.hand_written import found_by_words\n"
        "whole, path = pathlib.Path(sys.argv[1]).read_bytes(), pathlib.Path(sys.argv[2])\n"
        "draw = random.Random(7)\n"
        "refused = 0\n"
        "for _ in range(200):\n"
        "    start = draw.randrange(100, len(whole) - 600)\n"
        "    path.write_bytes(whole[:start] + draw.randbytes(500) + whole[start + 500:])\n"
        "    try:\n"
        "        with Store.open_for_reading(path) as store:\n"
        "            store.catalog.status(EVERYTHING)\n"
        "            for record in store.ledger.all(EVERYTHING):\n"
        "                list(store.catalog.chunks(record.id, EVERYTHING))\n"
        "                store.stored_document(record.id)\n"
        "            found_by_words(store, 'sabbatical leave')\n"
        "    except GdriveRagError:\n"
        "        refused += 1\n"
        "print(refused)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program, str(index), str(tmp_path / "garbled.db")],
        check=False,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    assert int(ran.stdout) > 10


def test_a_folder_in_the_place_of_the_index_is_an_error_of_ours(tmp_path: Path) -> None:
    for opened in (Store.open_for_reading, Store.open_for_writing):
        with pytest.raises(StoreError, match=tmp_path.name):
            opened(tmp_path)
