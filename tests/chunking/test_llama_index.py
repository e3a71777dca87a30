"""What the adapter makes sure of where LlamaIndex by itself does not."""

import os
import subprocess
import sys

import pytest

from gdrive_rag_mcp.chunking.llama_index import LlamaIndexChunker
from gdrive_rag_mcp.chunking.structural import StructuralChunker
from gdrive_rag_mcp.errors import SettingsError
from tests.chunking.made import Made, sentences

SentenceSplitter = pytest.importorskip(
    "llama_index.core.node_parser", reason="needs the extra llama-index"
).SentenceSplitter


def test_the_identity_names_the_library_and_its_version() -> None:
    identity = LlamaIndexChunker(300, 40).identity

    assert identity.startswith("llama-index/1 llama-index-core=")
    assert identity.endswith("size=300 overlap=40")


def test_sizes_that_cannot_work_together_are_refused() -> None:
    with pytest.raises(SettingsError, match="cannot share"):
        LlamaIndexChunker(300, 200)


def test_chunks_are_filled_by_the_library_and_not_by_our_own_rules() -> None:
    document = Made().text(sentences(30)).document

    ours, theirs = (
        [chunk.end for chunk in make(300, 40).chunk(document)]
        for make in (StructuralChunker, LlamaIndexChunker)
    )

    assert theirs[0] == ours[0]
    assert theirs != ours  # we make the last two of about one size


@pytest.mark.parametrize("filling", range(8, 16))
def test_no_heading_is_left_behind(filling: int) -> None:
    made = Made()
    for part in range(6):
        made.heading("Plan").text(sentences(filling + part), "Plan")

    chunks = LlamaIndexChunker(300, 40).chunk(made.document)

    assert not any(chunk.text.endswith("Plan") for chunk in chunks)


def test_what_the_library_does_not_give_back_whole_is_cut_by_our_own_rules(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    document = Made().text(sentences(60)).document
    chunker = LlamaIndexChunker(300, 40)
    split = SentenceSplitter.split_text
    # A real splitter, of which one chunk is lost: no version of the library does so on request.
    monkeypatch.setattr(SentenceSplitter, "split_text", lambda *given: split(*given)[1:])

    assert chunker.chunk(document) == StructuralChunker(300, 40).chunk(document)


def test_no_data_of_other_libraries_is_looked_for() -> None:
    script = (
        "from gdrive_rag_mcp.chunking.llama_index import LlamaIndexChunker\n"
        "from gdrive_rag_mcp.domain import Document\n"
        "chunks = LlamaIndexChunker(100, 20).chunk(Document('', 'It rains today. ' * 500, ()))\n"
        "assert len(chunks) > 10\n"
    )

    subprocess.run(
        [sys.executable, "-c", script],
        check=True,
        timeout=120,
        env={**os.environ, "NLTK_DATA": "", "HTTPS_PROXY": "http://127.0.0.1:9"},
    )
