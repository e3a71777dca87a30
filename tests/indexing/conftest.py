"""An empty index, an empty source, and what lies between."""

from pathlib import Path

import pytest

from tests.indexing.desk import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path / "desk" / "index.db")
