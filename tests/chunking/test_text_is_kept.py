"""Nothing is lost between a document and its chunks, nothing invented, and nothing out of place."""

import csv
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdrive_rag_mcp.chunking.structural import StructuralChunker
from gdrive_rag_mcp.chunking.tokens import estimate_tokens
from gdrive_rag_mcp.domain import Chunk, Document
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.reading import read_document
from gdrive_rag_mcp.sources.media_types import media_type_of
from tests.chunking.made import uncovered
from tests.chunking.scripts import SENTENCES, Parts, structured

_SIZE, _OVERLAP = 300, 40


def _assert_kept(document: Document, chunks: tuple[Chunk, ...], size: int, overlap: int) -> None:
    assert [chunk.ordinal for chunk in chunks] == list(range(len(chunks)))
    assert all(document.text[chunk.start : chunk.end] == chunk.text for chunk in chunks)
    assert uncovered(document, chunks) == ""
    for one, two in pairwise(chunks):
        assert one.start < two.start
        assert one.end < two.end
        repeated = document.text[two.start : one.end]
        assert not repeated or estimate_tokens(repeated) <= overlap
    assert all(estimate_tokens(chunk.embedded_text) <= size for chunk in chunks)


@given(structured(), st.integers(100, 400), st.floats(0, 0.3))
def test_no_text_is_lost_and_none_invented_in_ten_scripts(
    parts: Parts, size: int, share: float
) -> None:
    overlap = int(size * share)

    chunks = StructuralChunker(size, overlap).chunk(parts.document)

    _assert_kept(parts.document, chunks, size, overlap)


@given(structured())
def test_without_overlap_the_chunks_in_order_are_the_text(parts: Parts) -> None:
    chunks = StructuralChunker(_SIZE, 0).chunk(parts.document)

    written = "".join("".join(chunk.text.split()) for chunk in chunks)
    assert written == "".join(parts.document.text.split())


def test_there_are_sentences_in_ten_scripts() -> None:
    assert len(SENTENCES) == 10


def _readable(folder: Path) -> list[Path]:
    with (folder / "INDEX.tsv").open(encoding="utf-8", newline="") as index:
        names = [row["file"] for row in csv.DictReader(index, delimiter="\t")]
    return [folder.parent / name if "/" in name else folder / name for name in names]


@pytest.mark.acceptance
def test_no_text_of_the_handed_files_is_lost_and_none_invented(shared_data: Path) -> None:
    chunker = StructuralChunker(_SIZE, _OVERLAP)
    read = 0

    for file in _readable(shared_data / "files"):
        try:
            document = read_document(file, media_type_of(file.name))
        except ExtractionError:
            continue
        _assert_kept(document, chunker.chunk(document), _SIZE, _OVERLAP)
        read += 1

    assert read >= 60
