"""An optional chunker: sentences are put together by LlamaIndex, cut and located by this project.

LlamaIndex finds the offsets of its nodes by searching for their text, which goes wrong where a text
repeats itself, counts tokens of other models, and looks sentences up in NLTK data that may not be
there. So it is handed one sign for each sentence, row or item instead of text, with what it costs;
the signs that come back in a chunk tell exactly where it begins and ends.
"""

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from importlib.metadata import version
from itertools import pairwise
from typing import Protocol

from gdrive_rag_mcp.chunking.assembly import Sizes, cut_document
from gdrive_rag_mcp.chunking.packing import Packer
from gdrive_rag_mcp.domain import Chunk, Document
from gdrive_rag_mcp.errors import SettingsError

_FIRST_SIGN = 0xF0000
"""Signs are characters for private use: no blanks, and never written by anybody."""
_MOST_SIGNS = 65_000
_PACKAGE = "llama-index-core"


class _Splitter(Protocol):
    """What is used of `SentenceSplitter`."""

    def split_text(self, text: str) -> list[str]:
        """The chunks of a text, blanks at their ends removed."""


class LlamaIndexChunker:
    """Packs with LlamaIndex's `SentenceSplitter`, within the places and headings of a document.

    Raises:
        SettingsError: sizes that cannot work together, or the extra is not installed.
    """

    def __init__(self, size: int, overlap: int) -> None:
        self._sizes = Sizes(size, overlap)
        try:
            module = import_module("llama_index.core.node_parser")
        except ImportError as error:
            raise SettingsError(
                "the chunker llama-index needs LlamaIndex, which is not installed",
                hint="run pip install '.[llama-index]' in a clone of gdrive-rag-mcp, or set "
                "GDRIVE_RAG_CHUNKER=structural",
            ) from error
        self._make_splitter: Callable[..., _Splitter] = module.SentenceSplitter

    @property
    def identity(self) -> str:
        """Changes whenever any document might be cut differently."""
        return f"llama-index/1 {_PACKAGE}={version(_PACKAGE)} {self._sizes}"

    def chunk(self, document: Document) -> tuple[Chunk, ...]:
        """Cut a document; chunks in reading order, every non-blank character in at least one."""
        return cut_document(document, self._sizes, self._packed)

    def _packed(self, packer: Packer) -> Iterator[tuple[int, int]]:
        """LlamaIndex's chunks as index ranges; our own where it did not give all units back."""
        blocks = _blocks(packer)
        costs = _costs(packer, blocks)
        ranges: list[tuple[int, int]] = []
        for start in range(0, len(costs), _MOST_SIGNS):
            part = costs[start : start + _MOST_SIGNS]
            ranges += [(start + first, start + last) for first, last in self._split(packer, part)]
        if not _are_whole(ranges, len(blocks)):
            yield from packer.packed()
            return
        for first, last in ranges:
            yield blocks[first][0], blocks[last - 1][1]

    def _split(self, packer: Packer, costs: Sequence[int]) -> list[tuple[int, int]]:
        """Index ranges of the costs that go together."""
        signs = [chr(_FIRST_SIGN + number) for number in range(len(costs))]
        cost_of = dict(zip(signs, costs, strict=True))
        splitter = self._make_splitter(
            chunk_size=max(packer.room, *costs),
            chunk_overlap=min(packer.overlap, packer.room),
            # It asks only for the length of what the tokenizer gives.
            tokenizer=lambda text: range(sum(map(cost_of.__getitem__, text))),
            chunking_tokenizer_fn=list,
        )
        whole = "".join(signs)
        chunks = splitter.split_text(whole)
        if not all(chunk and chunk in whole for chunk in chunks):
            return []
        return [(ord(chunk[0]) - _FIRST_SIGN, ord(chunk[-1]) - _FIRST_SIGN + 1) for chunk in chunks]


def _blocks(packer: Packer) -> list[tuple[int, int]]:
    """The units, those that say nothing without the next together with it."""
    units = packer.units
    blocks: list[tuple[int, int]] = []
    for index in range(len(units)):
        start = blocks[-1][0] if index and units.binds(index - 1) else index
        if start < index and units.cost(start, index + 1) <= packer.room:
            blocks[-1] = (start, index + 1)
        else:
            blocks.append((index, index + 1))
    return blocks


def _costs(packer: Packer, blocks: Sequence[tuple[int, int]]) -> list[int]:
    """What each block adds to a chunk at most, whether it begins it or not."""
    units = packer.units
    ends = [units.sums[end - 1] for _, end in blocks]
    alone = [units.cost(start, end) for start, end in blocks]
    added = [alone[0], *(after - before for before, after in pairwise(ends))]
    return list(map(max, alone, added))


def _are_whole(ranges: Sequence[tuple[int, int]], count: int) -> bool:
    """Whether ranges advance and cover everything."""
    if not ranges or ranges[0][0] != 0 or ranges[-1][1] != count:
        return False
    return all(one[0] < two[0] <= one[1] < two[1] for one, two in pairwise(ranges))
