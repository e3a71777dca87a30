"""Reads Markdown: headings make the path, pipe tables become rows, code is left alone."""

import re

from gdrive_rag_mcp.cleaning import clean
from gdrive_rag_mcp.domain import Document, Locator, SegmentKind
from gdrive_rag_mcp.extraction.building import (
    CONTEXT_LENGTH,
    DocumentBuilder,
    HeadingPath,
    one_line,
)
from gdrive_rag_mcp.extraction.encodings import read_text
from gdrive_rag_mcp.extraction.input_file import InputFile
from gdrive_rag_mcp.extraction.lines import Paragraph, portions
from gdrive_rag_mcp.extraction.text import lines_locator
from gdrive_rag_mcp.extraction.titles import sensible_title

# Exported Google documents carry every picture inside the text.
EMBEDDED_DATA = re.compile(r"data:[\w.+-]+/[\w.+-]+;base64,[A-Za-z0-9+/=]+")
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?$")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)$")
_NOT_A_HEADING = re.compile(r"\s*(?:[-+*>|]|\d+[.)]\s|    )")
_FRONT_MATTER_LINES = 200
_MAX_SETEXT_LINES = 3
_MAX_MARKED_UP = 1_000
"""In a longer heading the search for pairs of marks would cost more than it brings."""
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)")
_ANCHOR = re.compile(r"\s*\{#[^{}]*\}\s*$")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_PIPE = re.compile(r"(?<!\\)\|")
_EMPHASIS = re.compile(r"(\*\*|__|\*|`)(?=\S)(.+?)(?<=\S)\1")


def read(file: InputFile) -> Document:
    """Read a Markdown file of any encoding.

    Raises:
        ExtractionError: it is too large, not text, or blank.
    """
    text, losses = read_text(file)
    builder = DocumentBuilder()
    _Reader(clean(EMBEDDED_DATA.sub("data:", text)).split("\n"), builder).run()
    builder.failures.extend(losses)
    return builder.finish()


class _Reader:
    """Walks the lines once; each rule takes the lines it knows and says whether it took any."""

    def __init__(self, lines: list[str], builder: DocumentBuilder) -> None:
        self._lines = lines
        self._builder = builder
        self._headings = HeadingPath()
        self._at = 0

    def run(self) -> None:
        title = self._front_matter()
        while self._at < len(self._lines):
            if not (self._blank() or self._fence() or self._atx() or self._table()):
                self._paragraph()
        self._builder.title = title or self._headings.title

    def _front_matter(self) -> str:
        if self._lines[0].rstrip() != "---":
            return ""
        for end, line in enumerate(self._lines[1:_FRONT_MATTER_LINES], start=1):
            if line.rstrip() in ("---", "..."):
                self._take_text(1, end)
                self._at = end + 1
                return _title_in(self._lines[1:end])
        return ""

    def _blank(self) -> bool:
        blank = not self._lines[self._at].strip()
        self._at += blank
        return blank

    def _fence(self) -> bool:
        opening = _FENCE.match(self._lines[self._at])
        if not opening or (opening[1][0] == "`" and "`" in opening[2]):
            return False
        end = self._at + 1
        while end < len(self._lines) and not _closes(opening[1], self._lines[end]):
            end += 1
        self._take_text(self._at, end + 1)
        return True

    def _atx(self) -> bool:
        heading = _ATX.match(self._lines[self._at])
        if heading:
            text = (heading[2] or "").rstrip()
            bare = text.rstrip("#")
            closed = text if bare and not bare[-1].isspace() else bare
            self._take_heading(len(heading[1]), closed, self._at + 1)
        return heading is not None

    def _table(self) -> bool:
        if not _starts_table(self._lines, self._at):
            return False
        header = _cells(self._lines[self._at])
        self._take_row(header, "")
        self._at += 1
        context = one_line(" | ".join(header), CONTEXT_LENGTH)
        while self._at < len(self._lines) and "|" in self._lines[self._at]:
            self._take_row(_cells(self._lines[self._at]), context)
        return True

    def _paragraph(self) -> None:
        start = end = self._at
        while end < len(self._lines) and not self._ends_paragraph(start, end):
            end += 1
        underline = _SETEXT.match(self._lines[end]) if end < len(self._lines) else None
        if underline and _may_be_heading(self._lines[start:end]):
            level = 1 if underline[1][0] == "=" else 2
            self._take_heading(level, " ".join(self._lines[start:end]), end + 1)
        else:
            self._take_text(start, max(end, start + 1))

    def _ends_paragraph(self, start: int, at: int) -> bool:
        line = self._lines[at]
        if not line.strip() or _ATX.match(line) or _FENCE.match(line):
            return at > start or not line.strip()
        if at == start:
            return False
        return bool(_SETEXT.match(line)) or _starts_table(self._lines, at)

    def _take_heading(self, level: int, raw: str, end: int) -> None:
        text = _plain(raw)
        self._headings.enter(level, text)
        self._add(Paragraph(text, self._at + 1, end), SegmentKind.HEADING)
        self._at = end

    def _take_row(self, cells: list[str], context: str) -> None:
        line = self._at + 1
        self._add(Paragraph(" | ".join(cells), line, line), SegmentKind.ROW, context)
        self._at = line

    def _take_text(self, start: int, end: int) -> None:
        for part in portions(self._lines[start:end], start + 1):
            self._add(part, SegmentKind.TEXT)
        self._at = end

    def _add(self, part: Paragraph, kind: SegmentKind, context: str = "") -> None:
        path = self._headings.path
        locator = lines_locator(part.first, part.last)
        if path:
            locator = Locator("heading", " > ".join(path), part.first, part.last)
        self._builder.add(
            part.text, locator, kind, headings=path, context=context, tight=part.continued
        )


def _title_in(front_matter: list[str]) -> str:
    values = [line.removeprefix("title:") for line in front_matter if line.startswith("title:")]
    return sensible_title(values[0].strip().strip("\"'")) if values else ""


def _closes(opening: str, line: str) -> bool:
    closing = _FENCE.match(line)
    return bool(closing and closing[1].startswith(opening) and not closing[2].strip())


def _may_be_heading(lines: list[str]) -> bool:
    return 0 < len(lines) <= _MAX_SETEXT_LINES and not any(map(_NOT_A_HEADING.match, lines))


def _starts_table(lines: list[str], at: int) -> bool:
    """A row of cells over a row of dashes with as many cells."""
    if at + 1 >= len(lines) or "|" not in lines[at]:
        return False
    rule = lines[at + 1].strip()
    if "-" not in rule or not set(rule) <= set("|:- \t"):
        return False
    return len(_cells(lines[at])) == len(_cells(rule))


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|")
    if inner.endswith("|") and not inner.endswith("\\|"):
        inner = inner[:-1]
    return [cell.strip().replace("\\|", "|") for cell in _PIPE.split(inner)]


def _plain(heading: str) -> str:
    """A heading as it is read: without link targets, anchors, emphasis and escapes."""
    if len(heading) > _MAX_MARKED_UP:
        return " ".join(heading.split())
    text = _EMPHASIS.sub(r"\2", _LINK.sub(r"\1", _ANCHOR.sub("", heading)))
    return " ".join(_ESCAPED.sub(r"\1", text).split())
