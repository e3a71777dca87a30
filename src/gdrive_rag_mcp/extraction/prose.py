"""Puts a text document together: paragraphs, headings and tables, located by the heading above."""

from collections.abc import Sequence

from gdrive_rag_mcp.domain import Document, Locator, SegmentKind
from gdrive_rag_mcp.extraction.building import (
    CONTEXT_LENGTH,
    DocumentBuilder,
    HeadingPath,
    one_line,
)
from gdrive_rag_mcp.extraction.tables import names_columns, row_line

TITLE_LEVEL = 0


class Prose:
    """Keeps the open headings and counts the paragraphs; what stands beside goes to `builder`."""

    def __init__(self) -> None:
        self.builder = DocumentBuilder()
        self._headings = HeadingPath()
        self._title = ""
        self._paragraphs = 0

    @property
    def headings(self) -> tuple[str, ...]:
        return self._headings.path

    @property
    def locator(self) -> Locator:
        """The headings above this place, or its number in the file where there are none."""
        path = self._headings.path
        if path:
            return Locator("heading", " > ".join(path))
        number = max(1, self._paragraphs)
        return Locator("paragraph", str(number), number, number)

    def begin_paragraph(self) -> None:
        """Count a paragraph of the text itself; tables count by themselves, boxes do not."""
        self._paragraphs += 1

    def add_text(self, text: str, *, tight: bool = False) -> None:
        self.add_piece(text, SegmentKind.TEXT, tight=tight)

    def add_piece(
        self, text: str, kind: SegmentKind, *, context: str = "", tight: bool = False
    ) -> None:
        """Add a piece of any kind under the headings that are open."""
        self.builder.add(
            text, self.locator, kind, headings=self.headings, context=context, tight=tight
        )

    def add_heading(self, level: int, text: str) -> None:
        """Add a heading of a level from 1; 0 is the document's title."""
        if level == TITLE_LEVEL:
            self._title = self._title or text
        else:
            self._headings.enter(level, text)
        self.add_piece(text, SegmentKind.HEADING)

    def add_table(self, rows: Sequence[Sequence[str]], headers: int | None = None) -> None:
        """Add rows under the names of their columns, which the first `headers` rows are.

        The table counts as one paragraph, so that it is cited by a number of its own.

        When it is not known how many, a first row counts that looks like names.
        """
        self.begin_paragraph()
        if headers is None:
            headers = int(len(rows) > 1 and all(rows[0]) and names_columns(rows[0]))
        self.add_rows(rows, headers)

    def add_rows(self, rows: Sequence[Sequence[str]], headers: int) -> None:
        """Add the rows of a table that was counted before it was read, as notes in it need."""
        context = one_line(" / ".join(map(row_line, rows[:headers])), CONTEXT_LENGTH)
        for number, row in enumerate(rows):
            self.add_piece(
                row_line(row), SegmentKind.ROW, context=context if number >= headers else ""
            )

    def finish(self, title: str) -> Document:
        """Close the document; `title` is for one that has none in its text.

        Raises:
            ExtractionError: there is no text in it.
        """
        self.builder.title = self._title or self._headings.title or title
        return self.builder.finish()
