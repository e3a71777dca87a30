"""From a document's sections to its chunks with their citations, whatever packs the sentences.

Exact by construction: every chunk is a slice of the document's text, so that its offsets, its
locator and its quotation cannot drift apart.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from gdrive_rag_mcp.chunking.lead import Lead, fit_lead
from gdrive_rag_mcp.chunking.locators import Lines, common_path, merge
from gdrive_rag_mcp.chunking.packing import Packer
from gdrive_rag_mcp.chunking.reading import Reading
from gdrive_rag_mcp.chunking.sections import Group, groups_of
from gdrive_rag_mcp.chunking.tokens import HUNDREDTHS, as_cost
from gdrive_rag_mcp.chunking.units import Units
from gdrive_rag_mcp.domain import Chunk, Document, Segment
from gdrive_rag_mcp.errors import SettingsError

Pack: TypeAlias = Callable[[Packer], Iterator[tuple[int, int]]]
"""Tells the index ranges of the units of each chunk; all of them, in order, none above the room."""

_LEAST_SIZE = 50
_LEAD_SHARE = 3
_TINY_SHARE = 12
"""Below a twelfth of a chunk (25 tokens of 300) a section says too little to be found alone."""
_PIECE_SHARE = 8


@dataclass(frozen=True, slots=True)
class Sizes:
    """Estimated tokens: of an embedded text at most, and of what is repeated in the next one.

    Raises:
        SettingsError: they cannot work together.
    """

    size: int
    overlap: int

    def __post_init__(self) -> None:
        if self.size < _LEAST_SIZE or not 0 <= self.overlap <= self.size // 2:
            raise SettingsError(
                f"chunks of {self.size} tokens cannot share {self.overlap}",
                hint=f"chunk_size: {_LEAST_SIZE} or more; chunk_overlap: 0 to half of chunk_size",
            )

    def __str__(self) -> str:
        return f"size={self.size} overlap={self.overlap}"


def cut_document(document: Document, sizes: Sizes, pack: Pack) -> tuple[Chunk, ...]:
    """Cut a document; chunks in reading order, every non-blank character in at least one."""
    reading = Reading(document.text)
    cut = _Cut(document, sizes.size // _LEAD_SHARE)
    for group in groups_of(document, reading, sizes.size // _TINY_SHARE):
        # One less, since an estimate is rounded up and the costs that are added up are not.
        room = sizes.size - cut.widest_lead(group) - 1
        spans = (span for section in group.sections for span in section.spans)
        units = Units(reading, spans, room, max(sizes.overlap, room // _PIECE_SHARE))
        packer = Packer(reading, units, room * HUNDREDTHS, as_cost(sizes.overlap))
        for first, last in pack(packer):
            start, end = units.starts[first], units.ends[last - 1]
            cut.add(start, end, _distinct(units, first, last), packer.lead_in(first, last))
    return tuple(cut.chunks)


class _Cut:
    """The chunks of a document so far, with their citations and what they are embedded under."""

    def __init__(self, document: Document, lead_limit: int) -> None:
        self._document = document
        self._lines = Lines(document.text)
        self._lead: Callable[[tuple[str, ...], str], Lead] = lru_cache(maxsize=256)(
            lambda headings, context: fit_lead(document.title, headings, context, lead_limit)
        )
        self.chunks: list[Chunk] = []

    def widest_lead(self, group: Group) -> int:
        """The tokens to keep free for what any chunk of a group is embedded under."""
        leads = {
            (span.segment.headings, span.segment.context): None
            for section in group.sections
            for span in section.spans
        }
        return max(self._lead(*lead).tokens for lead in leads)

    def add(self, start: int, end: int, segments: Sequence[Segment], lead_in: str) -> None:
        """Cite a slice of the text, without blanks at its ends; nothing if it is all blank."""
        raw = self._document.text[start:end]
        text = raw.strip()
        if not text:
            return
        start += len(raw) - len(raw.lstrip())
        end = start + len(text)
        if self.chunks and end <= self.chunks[-1].end:
            return
        held = [each for each in segments if each.start < end and start < each.end]
        held = held or [segments[-1]]
        path = common_path(held)
        locator = merge([self._lines.narrow(segment, start, end) for segment in held], path)
        context = held[-1].context or lead_in
        lead = self._lead(path, "" if text.startswith(context) else context)
        self.chunks.append(
            Chunk(
                len(self.chunks), start, end, text, locator, lead.title, lead.headings, lead.context
            )
        )


def _distinct(units: Units, first: int, last: int) -> list[Segment]:
    """The segments that a run of units is in."""
    found: list[Segment] = []
    for span in units.spans[first:last]:
        if not found or span.segment is not found[-1]:
            found.append(span.segment)
    return found
