"""An index to write by hand, and readers of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from gdrive_rag_mcp.store import Store
from gdrive_rag_mcp.testing.hand_written import HandWritten
from gdrive_rag_mcp.testing.hashing_embedder import HashingEmbedder


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A new index, open for writing."""
    with Store.open_for_writing(tmp_path / "hand" / "index.db") as opened:
        yield opened


@pytest.fixture
def hand(store: Store) -> HandWritten:
    """What writes into `store`."""
    return HandWritten(store)


@pytest.fixture
def index(tmp_path: Path) -> Path:
    """An index of three documents."""
    path = tmp_path / "index.db"
    with Store.open_for_writing(path) as store:
        hand = HandWritten(store)
        for number in range(3):
            hand.put(f"file{number}", f"Sabbatical leave number {number}.", "Another paragraph.")
        hand.embed(HashingEmbedder(32))
    return path
