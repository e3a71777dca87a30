"""Puts the text of an RTF file together: the body in order, and what stands beside it after."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from gdrive_rag_mcp.domain import Document, Locator
from gdrive_rag_mcp.extraction.building import one_line
from gdrive_rag_mcp.extraction.comments import tagged
from gdrive_rag_mcp.extraction.prose import TITLE_LEVEL, Prose
from gdrive_rag_mcp.extraction.rtf.tables import TableRows
from gdrive_rag_mcp.extraction.titles import sensible_title

_HEADING_NAME = re.compile(r"(?i)heading ([1-9])$")
_BODY_LEVEL = 9
# Symbol fonts put their bullets where Unicode leaves room for private use.
_SYMBOLS = re.compile("[\uf000-\uf0ff]")
_SURROGATES = re.compile("[\ud800-\udfff]")


@dataclass(slots=True, eq=False)
class Aside:
    """Text beside the body, while it is read and after: `kind` as in `rtf_words.ASIDES`."""

    kind: str
    pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return " ".join(joined(self.pieces).split())


@dataclass(frozen=True, slots=True)
class _Note:
    number: int
    aside: Aside
    locator: Locator
    headings: tuple[str, ...]


@dataclass(slots=True)
class _Hanging:
    """The boxes and notes that hang on a paragraph or a table until it is added."""

    boxes: list[Aside] = field(default_factory=list)
    notes: list[tuple[int, Aside]] = field(default_factory=list)

    def move_to(self, other: "_Hanging") -> None:
        other.boxes += self.boxes
        other.notes += self.notes
        self.boxes, self.notes = [], []


class Styles:
    """Which paragraph styles are headings."""

    def __init__(self) -> None:
        self._levels: dict[int, int | None] = {}

    def describe(self, number: int, outline: int | None, name: str) -> None:
        """Take a style: its outline level from 0, and its name."""
        named = _HEADING_NAME.match(name)
        if name.lower() == "title":
            self._levels[number] = TITLE_LEVEL
        elif outline is not None and outline < _BODY_LEVEL:
            self._levels[number] = outline + 1
        elif named:
            self._levels[number] = int(named[1])

    def level(self, style: int, outline: int | None) -> int | None:
        """The rank of a paragraph: 0 for the title, from 1 for headings, nothing for others."""
        if outline is not None:
            return outline + 1 if 0 <= outline < _BODY_LEVEL else None
        return self._levels.get(style)


class Body:
    """Collects a paragraph or a table at a time."""

    def __init__(self) -> None:
        self.table = TableRows()
        self.styles = Styles()
        self._prose = Prose()
        self._pieces: list[str] = []
        self._on_paragraph = _Hanging()
        self._on_table = _Hanging()
        self._notes: list[_Note] = []
        self._note_count = 0
        self._author = self._title = ""
        self._comments: list[str] = []
        self._margins: dict[str, list[str]] = {"header": [], "footer": []}

    def write(self, text: str) -> None:
        self._pieces.append(text)

    def end_line_of_cell(self) -> None:
        """What was written so far is part of the cell at hand."""
        self.table.add_text(joined(self._pieces))
        self._pieces = []
        self._on_paragraph.move_to(self._on_table)

    def end_paragraph(self, level: int | None) -> None:
        text = joined(self._pieces).strip(" \t")
        self._pieces = []
        if text:
            self._end_table()
            self._prose.begin_paragraph()
            if level is None:
                self._prose.add_text(text)
            else:
                self._prose.add_heading(level, text)
        self._settle(self._on_paragraph)

    def begin_aside(self, aside: Aside) -> str:
        """What stands for it in the text: the mark of a note, or nothing."""
        if aside.kind != "note":
            return ""
        self._note_count += 1
        self._on_paragraph.notes.append((self._note_count, aside))
        return f"[^{self._note_count}]"

    def end_aside(self, aside: Aside) -> None:
        text = aside.text
        if aside.kind == "box":
            self._on_paragraph.boxes.append(aside)
        elif aside.kind == "author":
            self._author = one_line(text)
        elif aside.kind == "title":
            self._title = text
        elif aside.kind in self._margins:
            self._margins[aside.kind].append(text)
        elif aside.kind == "comment" and text:
            self._comments.append(tagged(text, self._author))
            self._author = ""

    def finish(self, *, whole: bool) -> Document:
        """Close the document; it is whole if its groups were closed.

        Raises:
            ExtractionError: there is no text in it.
        """
        self.end_paragraph(None)
        self._end_table()
        for note in self._notes:
            text = f"[^{note.number}] {note.aside.text}"
            self._prose.builder.add(text, note.locator, headings=note.headings)
        for comment in self._comments:
            self._prose.builder.add(comment, Locator("part", "comments"))
        for kind, texts in self._margins.items():
            for text in dict.fromkeys(texts):
                self._prose.builder.add(text, Locator("part", kind))
        if not whole:
            self._prose.builder.fail("The file ends early; the rest of its text is missing")
        return self._prose.finish(sensible_title(self._title))

    def _end_table(self) -> None:
        rows, headers = self.table.take()
        if max(map(len, rows), default=0) > 1:
            self._prose.add_table(rows, headers or None)
        else:
            for row in rows:
                self._prose.begin_paragraph()
                self._prose.add_text(" ".join(row))
        self._settle(self._on_table)

    def _settle(self, hanging: _Hanging) -> None:
        """Add the boxes that hang on what was added, and remember where its notes stand."""
        prose = self._prose
        for box in hanging.boxes:
            for line in joined(box.pieces).split("\n"):
                prose.add_text(line)
        for number, aside in hanging.notes:
            self._notes.append(_Note(number, aside, prose.locator, prose.headings))
        hanging.boxes, hanging.notes = [], []


def joined(pieces: Iterable[str]) -> str:
    """The text of pieces in which characters beyond 0xFFFF stand as two code units."""
    text = _SYMBOLS.sub("•", "".join(pieces))
    if _SURROGATES.search(text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
