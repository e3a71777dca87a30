"""What extraction and chunking make of a file."""

import hashlib
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from gdrive_rag_mcp.domain.files import FileRecord
from gdrive_rag_mcp.domain.running_text import running_text


@dataclass(frozen=True, slots=True)
class Locator:
    """Where a text stands in its document, for a reader.

    kind      value                first and last          label
    page      "4" or "4-5"         page index, from 1      the printed label, if it differs
    heading   "Leave > Unpaid"     lines from 1, or None
    sheet     "Budget!A5:F9"       row numbers, from 1     the sheet's name
    slide     "3"                  slide's place, from 1   "notes" or "comments" of that slide
    lines     "12-40"              lines, from 1
    paragraph "12-15"              paragraphs and tables, each counted as one, from 1, where
                                   no heading is above
    chapter   "OPS/chapter2.xhtml" place in reading order  the chapter's title
    cell      "5"                  notebook cell, from 1
    pointer   "/items/3"           JSON Pointer (RFC 6901)
    part      "comments"           what stands beside the text: comments, header, footer, notes;
                                   of a mail "body" or "attachment 2: plan.pdf > page 3"
    """

    kind: str
    value: str
    first: int | None = None
    last: int | None = None
    label: str | None = None
    ocr: int | None = None
    """How sure OCR is of the text there, in percent; None where it was not recognised but read."""


class SegmentKind(StrEnum):
    """What a run of text is to a chunker."""

    HEADING = "heading"
    TEXT = "text"
    ROW = "row"


@dataclass(frozen=True, slots=True)
class Segment:
    """A run of a document's text that one locator holds for: `text[start:end]`.

    `headings` is the path above it (a heading's own text included); `context` is what a reader must
    know to read it, such as a table's header row, and lies outside the offsets.
    """

    start: int
    end: int
    kind: SegmentKind
    locator: Locator
    headings: tuple[str, ...] = ()
    context: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """A file that has been read: its clean text, once, and the segments that cover it.

    `title` comes from the content, never from the file's name. `failures` names the pages or sheets
    that could not be read, each in one line. `ocr_matters`: with other OCR, or none, the text would
    be another.
    """

    title: str
    text: str
    segments: tuple[Segment, ...]
    failures: tuple[str, ...] = ()
    ocr_matters: bool = False


def reading_of(text: str, locator: Locator) -> str:
    """A chunk's text as it is read: wrapped lines run on, rows of sheets do not."""
    return text if locator.kind == "sheet" else running_text(text)


def embedded_text_of(title: str, headings: tuple[str, ...], context: str, reading: str) -> str:
    """What a chunk's vector is made of."""
    path = " > ".join(headings)
    lead = (title, path if path != title else "", context)
    return "\n".join([part for part in lead if part] + [reading])


@dataclass(frozen=True)
class Chunk:
    """The unit that is embedded, stored and ranked; `text == document.text[start:end]`."""

    ordinal: int
    start: int
    end: int
    text: str
    locator: Locator
    title: str = ""
    headings: tuple[str, ...] = ()
    context: str = ""

    @cached_property
    def reading(self) -> str:
        """The text as it is embedded and indexed."""
        return reading_of(self.text, self.locator)

    @property
    def embedded_text(self) -> str:
        """The reading under the document's own title and headings; no file name, no path."""
        return embedded_text_of(self.title, self.headings, self.context, self.reading)

    @cached_property
    def hash(self) -> str:
        """SHA-256 of the embedded text, in hex: equal hashes need one embedding."""
        return hashlib.sha256(self.embedded_text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document's text as indexed, or the part of it that was asked for."""

    record: FileRecord
    title: str
    text: str
    start: int
    length: int
    """Characters of the whole text."""
