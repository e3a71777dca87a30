"""What tests of the retriever share."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.retrieval.small_search import SmallSearch


@pytest.fixture
def small(tmp_path: Path) -> Iterator[SmallSearch]:
    """Texts to ask questions of."""
    with ExitStack() as opened:
        yield SmallSearch(tmp_path, opened)
