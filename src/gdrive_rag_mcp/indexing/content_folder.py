"""The private folder beside an index where the files lie that are being read."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gdrive_rag_mcp.errors import StoreError

READING = "-reading"
"""What it is called after the index."""


@contextmanager
def content_folder(index: Path) -> Iterator[Path]:
    """A private folder beside the index for the files that are being read.

    The writer's lock makes it this run's alone, so what a killed one left there goes first.
    """
    folder = index.resolve().with_name(index.name + READING)
    shutil.rmtree(folder, ignore_errors=True)
    try:
        _make(folder)
        yield folder
    finally:
        _remove(folder)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700)
    except OSError as error:
        raise StoreError(
            f"the folder {folder} for contents that are being read cannot be made: "
            f"{error.strerror}",
            hint="let this user write beside the index, or move what is in the way",
        ) from error


def _remove(folder: Path) -> None:
    """Remove a folder, even if the run is interrupted just then."""
    try:
        shutil.rmtree(folder, ignore_errors=True)
    except KeyboardInterrupt:
        shutil.rmtree(folder, ignore_errors=True)
        raise
