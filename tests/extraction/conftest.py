"""Files built on the spot, read in this process, and the one invariant that all documents keep."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from gdrive_rag_mcp.cleaning import clean
from gdrive_rag_mcp.domain import Document
from gdrive_rag_mcp.extraction.reading import read_document

Read = Callable[[bytes, str], Document]


def assert_is_sound(document: Document) -> None:
    """Segments are in order, apart, not blank, and hold all the text there is."""
    segments = document.segments
    assert segments
    assert document.text == clean(document.text)
    assert all(document.text[each.start : each.end].strip() for each in segments)
    assert all(one.end < other.start for one, other in pairwise(segments))
    ends = [0, *(each.end for each in segments)]
    starts = [*(each.start for each in segments), len(document.text)]
    gaps = [document.text[end:start] for end, start in zip(ends, starts, strict=True)]
    assert not "".join(gaps).strip()
    assert all(each.locator.value for each in segments)


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Read bytes as a file of a media type; whatever comes back is sound."""

    def read_bytes(content: bytes, mime_type: str) -> Document:
        path = tmp_path / "content"
        path.write_bytes(content)
        document = read_document(path, mime_type)
        assert_is_sound(document)
        return document

    return read_bytes


@pytest.fixture
def sound() -> Callable[[Document], None]:
    return assert_is_sound
