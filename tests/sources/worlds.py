"""Sources of every kind, each with the people who work on its files."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

from gdrive_rag_mcp.domain import ChangePage
from gdrive_rag_mcp.errors import RootUnavailableError
from gdrive_rag_mcp.protocols import Source
from gdrive_rag_mcp.sources.drive import DriveSource
from gdrive_rag_mcp.sources.local import LocalFolderSource
from gdrive_rag_mcp.testing.fake_drive import FakeDrive
from gdrive_rag_mcp.testing.memory_source import InMemorySource

Hearing = Callable[[Source], Iterator[ChangePage]]


class World(Protocol):
    """A source, and the people who work on its files."""

    heard: Hearing

    @property
    def source(self) -> Source: ...
    def folder(self, name: str, parent: str | None = None) -> str: ...
    def file(self, name: str, content: bytes, parent: str | None = None) -> str: ...
    def edit(self, handle: str, content: bytes) -> None: ...
    def rename(self, handle: str, name: str) -> None: ...
    def remove(self, handle: str) -> None: ...
    def remove_root(self) -> None: ...


class LocalWorld:
    def __init__(self, base: Path, heard: Hearing) -> None:
        self.heard = heard
        self._base = base / "documents"
        self._base.mkdir()
        (self._base / ".keep").touch()
        self.source = LocalFolderSource(self._base)

    def folder(self, name: str, parent: str | None = None) -> str:
        path = Path(parent or self._base) / name
        path.mkdir()
        return str(path)

    def file(self, name: str, content: bytes, parent: str | None = None) -> str:
        path = Path(parent or self._base) / name
        path.write_bytes(content)
        return str(path)

    def edit(self, handle: str, content: bytes) -> None:
        Path(handle).write_bytes(content)

    def rename(self, handle: str, name: str) -> None:
        Path(handle).rename(Path(handle).with_name(name))

    def remove(self, handle: str) -> None:
        Path(handle).unlink()

    def remove_root(self) -> None:
        self._base.rename(self._base.with_name("elsewhere"))


class DriveWorld:
    def __init__(self, drive: FakeDrive, source: DriveSource, heard: Hearing) -> None:
        self.heard = heard
        self.source = source
        self._drive = drive
        self.folder = drive.files.add_folder
        self.file = drive.files.add_file
        self.edit = drive.files.edit
        self.rename = drive.files.rename
        self.remove = drive.files.remove

    def remove_root(self) -> None:
        self._drive.files.trash(self._drive.root)


class MemoryWorld:
    def __init__(self, heard: Hearing, *, feeds: bool) -> None:
        self.heard = heard
        self.source = InMemorySource(page_items=3, feeds=feeds)
        self.edit = self.source.edit
        self.rename = self.source.rename
        self.remove = self.source.remove

    def folder(self, name: str, parent: str | None = None) -> str:
        return self.source.add_folder(name, parent or "root")

    def file(self, name: str, content: bytes, parent: str | None = None) -> str:
        return self.source.add_file(name, content, parent or "root")

    def remove_root(self) -> None:
        self.source.failure = RootUnavailableError("the root is gone", hint="bring it back")
