"""Assembles a document piece by piece, so that every offset is right by construction."""

import re
from collections.abc import Iterator

from gdrive_rag_mcp.cleaning import clean
from gdrive_rag_mcp.domain import Document, Locator, Reason, Segment, SegmentKind
from gdrive_rag_mcp.errors import ExtractionError

MAX_CHARACTERS = 10_000_000
MAX_FAILURES = 100
LABEL_LENGTH = 200
CONTEXT_LENGTH = 600
_LIST_LENGTH = 1_000
_NO_TEXT = "There is no text in this file"

_BLANK_LEAD = re.compile(r"\A(?:[^\S\n]*\n)+")
# Something to see: not white space, and not one of the marks that only steer layout.
_VISIBLE = re.compile("[^\\s\u00ad\u034f\u180e\u200b-\u200f\u2060-\u2064\ufe00-\ufe0f]")


def one_line(text: str, limit: int = LABEL_LENGTH) -> str:
    """Text as a label: clean, white space folded, at most `limit` characters."""
    folded = " ".join(clean(text).split())
    return folded if len(folded) <= limit else folded[: limit - 1].rstrip() + "…"


class DocumentBuilder:
    """Collects cleaned pieces of text with their segments; blank pieces leave no trace."""

    def __init__(self) -> None:
        self.title = ""
        self.failures: list[str] = []
        self._reason = Reason.NO_TEXT
        self._pieces: list[str] = []
        self._segments: list[Segment] = []
        self._length = 0

    @property
    def empty(self) -> bool:
        """Whether nothing but blanks was added so far."""
        return not self._segments

    def add(
        self,
        text: str,
        locator: Locator,
        kind: SegmentKind = SegmentKind.TEXT,
        *,
        headings: tuple[str, ...] = (),
        context: str = "",
        tight: bool = False,
    ) -> None:
        """Append a piece; `tight` says that only a line end parts it from the one before.

        Raises:
            ExtractionError: the document has more text than one document may have.
        """
        piece = clean(text).rstrip()
        if piece[:1].isspace():
            piece = _BLANK_LEAD.sub("", piece)
        if not _VISIBLE.search(piece):
            return
        separator = "\n" if tight and self._segments else self._separator(kind)
        start = self._length + len(separator)
        self._length = start + len(piece)
        if self._length > MAX_CHARACTERS:
            raise ExtractionError(
                Reason.TOO_LARGE,
                f"The document holds more than {MAX_CHARACTERS:,} characters of text",
                hint="Split it into several files.",
            )
        self._pieces += (separator, piece)
        self._segments.append(Segment(start, self._length, kind, locator, headings, context))

    def fail(self, what: str, reason: Reason = Reason.NO_TEXT) -> None:
        """Note a part that could not be read, in one line.

        The first `reason` that is given becomes the document's own if nothing of it can be read.
        """
        self.failures.append(one_line(what))
        if self._reason is Reason.NO_TEXT:
            self._reason = reason

    def finish(self) -> Document:
        """Close the document.

        Raises:
            ExtractionError: there is no text in it, or nothing of it could be read.
        """
        if self.empty:
            what = "; ".join(self._failures())
            message = f"No text was found in this file: {what}" if what else _NO_TEXT
            raise ExtractionError(self._reason, one_line(message, _LIST_LENGTH))
        return Document(
            one_line(self.title), "".join(self._pieces), tuple(self._segments), self._failures()
        )

    def _separator(self, kind: SegmentKind) -> str:
        if self.empty:
            return ""
        in_table = kind is SegmentKind.ROW and self._segments[-1].kind is SegmentKind.ROW
        return "\n" if in_table else "\n\n"

    def _failures(self) -> tuple[str, ...]:
        rest = len(self.failures) - MAX_FAILURES
        more = [f"and {rest} more"] if rest > 0 else []
        return tuple(self.failures[:MAX_FAILURES] + more)


def pieces_of(document: Document) -> Iterator[tuple[str, Segment, bool]]:
    """The pieces that a document was built from, each with whether it is `tight`."""
    end = 0
    for segment in document.segments:
        tight = end > 0 and document.text[end : segment.start] == "\n"
        yield document.text[segment.start : segment.end], segment, tight
        end = segment.end


class HeadingPath:
    """The headings that are open at a point of a document, outermost first."""

    def __init__(self) -> None:
        self._open: list[tuple[int, str]] = []
        self._tops: list[tuple[int, str]] = []

    @property
    def path(self) -> tuple[str, ...]:
        return tuple(text for _, text in self._open)

    @property
    def title(self) -> str:
        """The only heading of the highest rank; of several, none speaks for the whole document."""
        return self._tops[0][1] if len(self._tops) == 1 else ""

    def enter(self, level: int, text: str) -> None:
        """Open a heading; those of the same rank and below are closed."""
        label = one_line(text)
        if not label:
            return
        while self._open and self._open[-1][0] >= level:
            self._open.pop()
        self._open.append((level, label))
        if not self._tops or level < self._tops[0][0]:
            self._tops = []
        if not self._tops or level == self._tops[0][0]:
            self._tops = [*self._tops[:1], (level, label)]
