"""An index to write by hand, and readers of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.hand_written import HandWritten


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A new index, open for writing."""
    with Store.open_for_writing(tmp_path / "hand" / "index.db") as opened:
        yield opened


@pytest.fixture
def hand(store: Store) -> HandWritten:
    """What writes into `store`."""
    return HandWritten(store)
