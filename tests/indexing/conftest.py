"""An empty index, an empty source, and what lies between."""

from pathlib import Path

import pytest

from gdrive_rag_mcp.testing.memory_source import InMemorySource
from tests.indexing.desk import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path / "desk" / "index.db")


@pytest.fixture
def drive(tmp_path: Path) -> Desk:
    """The same, but its source follows a log of changes; three items fill a page of anything."""
    return Desk(tmp_path / "drive" / "index.db", InMemorySource(page_items=3, feeds=True))
