"""Results go into a file whole, or not at all."""

import os
import sqlite3
import stat
from pathlib import Path

import pytest

from gdrive_rag_mcp.errors import OutputError, SettingsError
from gdrive_rag_mcp.frontends.whole_files import check_writable, write_whole

AS_ROOT = os.geteuid() == 0


def test_a_new_file_has_the_rights_that_any_new_file_has(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    write_whole(tmp_path / "out.json", "größer\n")

    assert (tmp_path / "out.json").read_text(encoding="utf-8") == "größer\n"
    modes = {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("usual", "out.json")}
    assert len(modes) == 1


def test_a_file_that_cannot_be_replaced_is_told_and_nothing_is_left_beside_it(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    gone = folder / "no" / "out.json"

    for path in (folder, gone):
        with pytest.raises(OutputError, match="cannot be written") as caught:
            write_whole(path, "text")
        assert caught.value.exit_code == 5
    assert list(folder.iterdir()) == []


def test_an_interrupt_while_it_is_replaced_leaves_the_former_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "out.json"
    path.write_text("former", encoding="utf-8")

    def interrupted(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)  # no signal could be sent to this very place
    with pytest.raises(KeyboardInterrupt):
        write_whole(path, "later")

    assert path.read_text(encoding="utf-8") == "former"
    assert list(tmp_path.iterdir()) == [path]


def test_a_lone_surrogate_is_no_reason_to_fail(tmp_path: Path) -> None:
    write_whole(tmp_path / "out.json", "a\ud800b")

    assert (tmp_path / "out.json").read_bytes() == b"a?b"


def test_a_pipe_is_written_to_and_stays_one(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_whole(pipe, "text")
        assert os.read(reading, 100) == b"text"
    finally:
        os.close(reading)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize(
    ("path", "said"), [("none/out.json", "there is no folder"), (".", "is a folder")]
)
def test_where_nothing_can_be_written_is_known_before(tmp_path: Path, path: str, said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        check_writable(tmp_path / path, "--json")


@pytest.mark.skipif(AS_ROOT, reason="nothing is forbidden to root")
def test_a_folder_that_is_not_ones_own_is_known_before(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(SettingsError, match="permission denied"):
            check_writable(tmp_path / "out.json", "--json")
    finally:
        tmp_path.chmod(0o700)


def test_looking_whether_a_file_can_be_written_makes_none(tmp_path: Path) -> None:
    check_writable(tmp_path / "out.json", "--json")

    assert list(tmp_path.iterdir()) == []


def test_neither_what_is_read_nor_an_index_is_ever_replaced(tmp_path: Path) -> None:
    cases, link, index = (tmp_path / name for name in ("cases.jsonl", "link.json", "index.json"))
    cases.write_text("{}", encoding="utf-8")
    link.symlink_to(cases)
    sqlite3.connect(index).execute("CREATE TABLE one (number)")

    for path, said in ((cases, "reads"), (link, "reads"), (index, "is a database")):
        with pytest.raises(SettingsError, match=said):
            check_writable(path, "--json", read=[tmp_path / "none", cases])
    check_writable(tmp_path / "other.json", "--json", read=[cases])


def test_bytes_are_written_as_they_are(tmp_path: Path) -> None:
    write_whole(tmp_path / "out.npz", b"\xff\x00\r\n")

    assert (tmp_path / "out.npz").read_bytes() == b"\xff\x00\r\n"
