"""What of a local folder is listed, under which ids, whatever the names."""

import os
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from gdrive_rag_mcp.domain import Reason, SourceFile, SourceFolder
from gdrive_rag_mcp.sources.local import LocalFolderSource
from tests.sources.nothing_known import NOTHING_KNOWN

Listing = tuple[dict[str, SourceFile], dict[str, SourceFolder]]
Lister = Callable[[LocalFolderSource], Listing]


def _ids(folder: Path) -> list[str]:
    pages = LocalFolderSource(folder).changes(None, NOTHING_KNOWN)
    return sorted(file.id for page in pages for file in page.files)


def _read(folder: Path, file: SourceFile, into: Path) -> bytes:
    LocalFolderSource(folder).read(file, into)
    return into.read_bytes()


def test_hidden_files_lock_files_and_desktop_litter_are_passed_over(folder: Path) -> None:
    for name in (".env", ".git/config", "~$Report.docx", "Thumbs.db", "DESKTOP.INI", ".DS_Store"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("x")
    for name in ("a~b.md", "$x.md", "thumbs.db.md"):
        (folder / name).write_text("x")

    assert _ids(folder) == ["$x.md", "a~b.md", "thumbs.db.md"]


def test_files_named_to_be_passed_over_are_also_when_they_come_later_or_through_a_link(
    folder: Path, tmp_path: Path
) -> None:
    (folder / "data").mkdir()
    (tmp_path / "link").symlink_to(folder)
    named = [folder / "data" / "index.db", tmp_path / "link" / "data" / "index.db-wal"]
    source = LocalFolderSource(folder, passed_over=[*named, tmp_path / "nowhere" / "x.db"])
    for name in ("index.db", "index.db-wal", "index.db.md"):
        (folder / "data" / name).write_text("x")
    (folder / "index.db").write_text("x")

    listed = [file.id for page in source.changes(None, NOTHING_KNOWN) for file in page.files]

    assert sorted(listed) == ["data/index.db.md", "index.db"]


def test_ids_are_readable_paths_and_folders_end_in_a_slash(folder: Path, listed: Lister) -> None:
    (folder / "HR" / "2026 plans").mkdir(parents=True)
    (folder / "HR" / "2026 plans" / "Urlaub für alle.docx").write_text("x")

    files, folders = listed(LocalFolderSource(folder))

    assert files["Urlaub für alle.docx"].id == "HR/2026 plans/Urlaub für alle.docx"
    assert files["Urlaub für alle.docx"].parents == ("HR/2026 plans/",)
    assert folders["2026 plans"].parents == ("HR/",)
    assert folders["HR"].parents == (folders["documents"].id,) == ("./",)


def test_every_file_has_the_address_it_can_be_opened_at(folder: Path, listed: Lister) -> None:
    path = folder / "50% größer #1?.md"
    path.write_text("x")

    url = listed(LocalFolderSource(folder))[0][path.name].url

    assert url is not None
    assert Path(unquote(urlsplit(url).path)).samefile(path)


@pytest.mark.parametrize(
    "name",
    [
        "two\nlines.md",
        "trailing blank .md ",
        " leading.md",
        "tab\there.md",
        "100%.md",
        "100%25.md",
        "a:b:c.md",
        "emoji 👨‍👩‍👧.md",
        "right\u202eto left.md",
        unicodedata.normalize("NFD", "Café Ängste.md"),
        "한국어 휴가.md",
        "\u0301starts with an accent.md",
        "n" * 252 + ".md",
        "back\\slash 'quoted' \"twice\".md",
    ],
)
def test_a_file_of_any_name_is_listed_under_a_printable_id_and_read_back(
    folder: Path, tmp_path: Path, name: str, listed: Lister
) -> None:
    (folder / "in").mkdir()
    (folder / "in" / name).write_text(name, encoding="utf-8")

    file = listed(LocalFolderSource(folder))[0][name]

    assert file.id.isprintable()
    assert unicodedata.is_normalized("NFC", file.id)
    assert file.id == file.id.strip()
    assert _read(folder, file, tmp_path / "copy") == name.encode()


@pytest.mark.skipif(sys.platform == "darwin", reason="that file system refuses such names")
def test_a_name_that_is_no_utf8_is_listed_as_unicode_and_read_back(
    folder: Path, tmp_path: Path
) -> None:
    names = [b"caf\xe9.md", b"caf\xe8.md", "café.md".encode(), "cafe\u0301.md".encode()]
    for name in names:
        (folder / os.fsdecode(name)).write_bytes(name)

    files = [
        file
        for page in LocalFolderSource(folder).changes(None, NOTHING_KNOWN)
        for file in page.files
    ]

    assert len({file.id for file in files}) == len(names)
    assert all(file.name.encode() and file.id.encode() for file in files)
    assert {_read(folder, file, tmp_path / "copy") for file in files} == set(names)


def test_a_path_deeper_than_the_system_can_open_is_unknown_and_not_a_crash(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    for _ in range(20):
        os.mkdir("d" * 250, dir_fd=descriptor)
        inner = os.open("d" * 250, os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = inner
    os.close(descriptor)

    pages = list(LocalFolderSource(folder).changes(None, NOTHING_KNOWN))

    obstacles = [item.obstacle for page in pages for item in page.folders if item.obstacle]
    assert obstacles == [Reason.RESOURCE_LIMIT]
    assert pages[-1].complete


def test_modified_time_is_aware_and_absurd_times_do_not_break_the_listing(
    folder: Path, listed: Lister
) -> None:
    for name, seconds in (
        ("now.md", 1_700_000_000),
        ("negative.md", -5),
        ("far.md", 2**33),
        ("absurd.md", 3 * 10**11),
    ):
        (folder / name).write_text("x")
        os.utime(folder / name, (seconds, seconds))

    files = listed(LocalFolderSource(folder))[0]

    now = files["now.md"].modified_time
    assert now is not None
    assert now.isoformat() == "2023-11-14T22:13:20+00:00"
    assert set(files) == {"now.md", "negative.md", "far.md", "absurd.md"}
