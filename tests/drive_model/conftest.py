"""What all histories of the model are played with."""

from collections.abc import Iterator

import pytest

from gdrive_rag_mcp.indexing import listing


@pytest.fixture(scope="module", autouse=True)
def _small_masses() -> Iterator[None]:
    """A history has a dozen files: less than twenty must be a mass here, for holds to come up."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(listing, "MASS_DELETE_FILES", 3)
        yield
