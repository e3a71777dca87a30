"""The default chunker: structure first (sheets, tables, headings, pages), then sentences.

Exact by construction: every chunk is a slice of the document's text, so that its offsets, its
locator and its quotation cannot drift apart.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache

from gdrive_rag_mcp.chunking.lead import Lead, fit_lead
from gdrive_rag_mcp.chunking.locators import Lines, common_path, merge
from gdrive_rag_mcp.chunking.packing import Packer
from gdrive_rag_mcp.chunking.reading import Reading
from gdrive_rag_mcp.chunking.sections import Group, groups_of
from gdrive_rag_mcp.chunking.tokens import HUNDREDTHS
from gdrive_rag_mcp.chunking.units import Units
from gdrive_rag_mcp.domain import Chunk, Document, Segment
from gdrive_rag_mcp.errors import SettingsError

_LEAST_SIZE = 50
_LEAD_SHARE = 3
_TINY_SHARE = 12
"""Below a twelfth of a chunk (25 tokens of 300) a section says too little to be found alone."""
_PIECE_SHARE = 8


class StructuralChunker:
    """Cuts along a document's structure into chunks of at most `size` estimated tokens.

    The embedded text, title and headings included, stays within `size`; sentences worth `overlap`
    tokens are repeated where a section had to be cut, never across headings or rows.

    Raises:
        SettingsError: sizes that cannot work together.
    """

    def __init__(self, size: int, overlap: int) -> None:
        if size < _LEAST_SIZE or not 0 <= overlap <= size // 2:
            raise SettingsError(
                f"chunks of {size} tokens cannot share {overlap}",
                hint=f"chunk_size: {_LEAST_SIZE} or more; chunk_overlap: 0 to half of chunk_size",
            )
        self._size = size
        self._overlap = overlap

    @property
    def identity(self) -> str:
        """Changes whenever any document might be cut differently."""
        return f"structural/2 size={self._size} overlap={self._overlap}"

    def chunk(self, document: Document) -> tuple[Chunk, ...]:
        """Cut a document; chunks in reading order, every non-blank character in at least one."""
        reading = Reading(document.text)
        cut = _Cut(document, self._size // _LEAD_SHARE)
        for group in groups_of(document, reading, self._size // _TINY_SHARE):
            # One less, since an estimate is rounded up and the costs that are added up are not.
            room = self._size - cut.widest_lead(group) - 1
            spans = (span for section in group.sections for span in section.spans)
            units = Units(reading, spans, room, max(self._overlap, room // _PIECE_SHARE))
            packer = Packer(reading, units, room * HUNDREDTHS, self._overlap * HUNDREDTHS)
            for first, last in packer.packed():
                segments = _distinct(units, first, last)
                cut.add(
                    units.starts[first], units.ends[last - 1], segments, packer.lead_in(first, last)
                )
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
