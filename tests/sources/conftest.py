"""What the tests of the sources share: a fake Drive, its key file, and sources on top of it."""

import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from gdrive_rag_mcp.domain import ChangePage, SourceFile, SourceFolder
from gdrive_rag_mcp.protocols import Source
from gdrive_rag_mcp.sources.drive import DriveSource
from gdrive_rag_mcp.sources.drive_service_account import load_service_account
from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.fake_drive import FakeDrive
from tests.sources.desk import Desk

_NOBODY = 65534
Option = Any


@pytest.fixture
def drive() -> Iterator[FakeDrive]:
    with FakeDrive() as fake:
        yield fake


@pytest.fixture
def google(drive: FakeDrive) -> FakeDrive:
    """The same server, where it is asked about people and their consent rather than files."""
    return drive


@pytest.fixture
def desk(google: FakeDrive, tmp_path: Path) -> Desk:
    return Desk(google, tmp_path)


@pytest.fixture
def key_file(drive: FakeDrive, tmp_path: Path) -> Path:
    return drive.write_key_file(tmp_path / "key.json")


@pytest.fixture
def waits() -> list[float]:
    """The seconds that a source asked to sleep, instead of sleeping."""
    return []


@pytest.fixture
def connect(
    drive: FakeDrive, key_file: Path, waits: list[float]
) -> Iterator[Callable[..., DriveSource]]:
    """Makes sources for the fake Drive that never really wait."""
    with ExitStack() as opened:

        def make(folder_id: str | None = None, **options: Option) -> DriveSource:
            source = DriveSource(
                folder_id or drive.root,
                load_service_account(key_file),
                **{
                    "endpoint": drive.url,
                    "calls_per_second": 0,
                    "sleep": waits.append,
                    **options,
                },
            )
            opened.callback(source.close)
            return source

        yield make


@pytest.fixture
def heard(tmp_path: Path) -> Callable[[Source], Iterator[ChangePage]]:
    """Lists a source in full, each page being kept in an index of its own before the next."""
    made = count()

    def run(source: Source) -> Iterator[ChangePage]:
        now = datetime(2026, 6, 1, tzinfo=UTC)
        with Store.open_for_writing(tmp_path / f"heard-{next(made)}.db") as store:
            for page in source.changes(None, store.frontier(now)):
                if page.begins:
                    store.inventory.begin_listing()
                store.inventory.record(page, now)
                if page.complete:
                    store.straying.close_listing()
                yield page

    return run


@pytest.fixture
def listed(
    heard: Callable[[Source], Iterator[ChangePage]],
) -> Callable[[Source], tuple[dict[str, SourceFile], dict[str, SourceFolder]]]:
    """Lists a source in full: files and folders by name."""

    def run(source: Source) -> tuple[dict[str, SourceFile], dict[str, SourceFolder]]:
        pages = list(heard(source))
        assert any(page.complete for page in pages)
        return (
            {file.name: file for page in pages for file in page.files},
            {folder.name: folder for page in pages for folder in page.folders},
        )

    return run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "documents"
    made.mkdir()
    return made


@pytest.fixture
def public_folder() -> Iterator[Path]:
    """A folder that any user may reach; pytest's own are for their owner alone."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
        for inner, _, _ in os.walk(folder):
            Path(inner).chmod(stat.S_IRWXU)


@pytest.fixture
def ordinary_user() -> Callable[[], Any]:
    """A context in which file permissions hold, even if the tests are run by root."""

    @contextmanager
    def context() -> Iterator[None]:
        if os.geteuid() != 0:
            yield
            return
        try:
            os.seteuid(_NOBODY)
        except OSError:
            pytest.skip("running as root, without the right to be anybody else")
        try:
            yield
        finally:
            os.seteuid(0)

    return context
