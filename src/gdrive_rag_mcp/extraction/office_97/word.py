"""Reads Word files from before 2007: headings, text, lists and tables, then what stands aside."""

from collections.abc import Iterator, Mapping, Sequence

from gdrive_rag_mcp.domain import Document, Locator
from gdrive_rag_mcp.extraction.building import one_line
from gdrive_rag_mcp.extraction.comments import tagged
from gdrive_rag_mcp.extraction.input_file import InputFile
from gdrive_rag_mcp.extraction.office_97.word_form import (
    Part,
    line,
    lines,
    list_items,
    open_word,
    table_rows,
)
from gdrive_rag_mcp.extraction.prose import TITLE_LEVEL, Prose

_NOTES: Mapping[str, str] = {"footnote": "footnotes", "endnote": "endnotes"}
_MARGINS = ("header", "footer")


def read(file: InputFile) -> Document:
    """Read a DOC file.

    Raises:
        ExtractionError: damaged, encrypted, too large, or without text.
    """
    opened = open_word(file)
    reader = _Reader(begins_with_heading=opened.begins_with_heading)
    for section in opened.sections:
        reader.read_section(section)
    return reader.finish(opened.title, opened.losses)


class _Reader:
    """Reads the body first and keeps what stands aside for the end."""

    def __init__(self, *, begins_with_heading: bool) -> None:
        self._prose = Prose()
        self._asides: list[tuple[str, str]] = []
        self._at_title = not begins_with_heading

    def read_section(self, section: Part) -> None:
        for element in section.get("elements", ()):
            self._read(element)
        for kind in _MARGINS:
            self._asides += [(kind, text) for text in _texts(section, kind)]

    def finish(self, title: str, losses: Sequence[str]) -> Document:
        """Add what stands aside, each text once, and close the document.

        Raises:
            ExtractionError: there is no text in it.
        """
        builder = self._prose.builder
        for kind, text in dict.fromkeys(self._asides):
            builder.add(text, Locator("part", kind))
        for loss in losses:
            builder.fail(loss)
        return self._prose.finish(title)

    def _read(self, element: Part) -> None:
        kind = element.get("type", "")
        if kind == "heading":
            self._read_heading(element)
        elif kind == "table":
            self._prose.add_table(table_rows(element))
        elif kind == "list":
            for at, item in enumerate(list_items(element)):
                self._prose.begin_paragraph()
                self._prose.add_text(item, tight=at > 0)
        elif kind in _NOTES:
            self._keep_note(_NOTES[kind], element)
        else:
            for text in lines([element]):
                self._prose.begin_paragraph()
                self._prose.add_text(text)
        self._at_title = False

    def _read_heading(self, element: Part) -> None:
        """A short first line that only the library takes for a heading is the title, at most."""
        self._prose.begin_paragraph()
        level = TITLE_LEVEL if self._at_title else element.get("level", 1)
        self._prose.add_heading(level, line(element))

    def _keep_note(self, part: str, element: Part) -> None:
        text = " ".join(" ".join(lines([element])).split())
        if element.get("marker") != "comment":
            self._asides.append((part, text))
        elif text:
            author = one_line(element.get("author") or "")
            self._asides.append(("comments", tagged(text, author)))


def _texts(section: Part, kind: str) -> Iterator[str]:
    """The text of a header or footer, also of those for first and even pages."""
    for name, part in section.items():
        if kind in name and isinstance(part, dict):
            yield " ".join(" ".join(lines([part])).split())
