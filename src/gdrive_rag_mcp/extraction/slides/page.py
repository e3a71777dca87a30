"""One slide as it is said: everything under its title, in its place in the deck."""

from collections.abc import Iterable

from gdrive_rag_mcp.domain import Locator, SegmentKind
from gdrive_rag_mcp.extraction.building import CONTEXT_LENGTH, DocumentBuilder, one_line
from gdrive_rag_mcp.extraction.sheet.rows import SheetRow, say_rows


class Page:
    """A slide's place from 1, its title, and whether it is passed over when the deck is shown."""

    def __init__(self, builder: DocumentBuilder, place: int, title: str, *, hidden: bool) -> None:
        self.place = place
        self.says_something = False
        self._builder = builder
        heading = one_line(title) or f"Slide {place}"
        self._headings = (f"{heading} (hidden slide)" if hidden else heading,)
        self._say(title, SegmentKind.HEADING)

    def say(self, lines: Iterable[str], *, aside: str = "") -> None:
        """The paragraphs of one shape; `aside`: of its `notes` or its `comments`."""
        tight = False
        for line in lines:
            self._say(line, aside=aside, tight=tight)
            tight = True

    def say_rows(self, rows: Iterable[str], context: str) -> None:
        """Rows that bring the names of their values along."""
        for row in rows:
            self._say(row, SegmentKind.ROW, context=context)

    def say_table(self, rows: Iterable[SheetRow]) -> None:
        """The rows of a table under the names of its columns, where it has some."""
        for said in say_rows(rows):
            self._say(said.text, SegmentKind.ROW, context=said.context)

    def describe(self, picture: str) -> None:
        """What the author says of a picture, which is no text on the slide."""
        self._add(f"[Picture: {picture}]", SegmentKind.TEXT)

    def _say(
        self,
        text: str,
        kind: SegmentKind = SegmentKind.TEXT,
        *,
        aside: str = "",
        context: str = "",
        tight: bool = False,
    ) -> None:
        self.says_something |= bool(text.strip())
        self._add(text, kind, aside=aside, context=context, tight=tight)

    def _add(
        self,
        text: str,
        kind: SegmentKind,
        *,
        aside: str = "",
        context: str = "",
        tight: bool = False,
    ) -> None:
        self._builder.add(
            text,
            Locator("slide", str(self.place), self.place, self.place, aside or None),
            kind,
            headings=self._headings,
            context=one_line(context, CONTEXT_LENGTH),
            tight=tight,
        )
