"""Reads notebooks cell by cell: Markdown with its headings, code, and what the code printed.

Format: nbformat 4 and 3. Of an output's forms the plainest that says something is read;
pictures are left out.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from gdrive_rag_mcp.cleaning import clean
from gdrive_rag_mcp.domain import Document, Locator, Reason, SegmentKind
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.building import DocumentBuilder, HeadingPath, one_line
from gdrive_rag_mcp.extraction.encodings import read_text
from gdrive_rag_mcp.extraction.input_file import InputFile
from gdrive_rag_mcp.extraction.lines import paragraphs
from gdrive_rag_mcp.extraction.markdown import EMBEDDED_DATA
from gdrive_rag_mcp.extraction.ooxml import whole_number
from gdrive_rag_mcp.extraction.titles import sensible_title
from gdrive_rag_mcp.extraction.web.document import locate
from gdrive_rag_mcp.extraction.web.page import Page, add_page

_MAX_OUTPUT = 4_000
"""Characters of what one cell printed; logs of a training run are no reading."""

_MAX_LEVEL = 6
_TERMINAL_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.+?)[ \t#]*$")
_FENCE = re.compile(r" {0,3}(```|~~~)")
_MARKS = re.compile(r"[*`]|<[^<>]{1,200}>")
_ONLY_NAMED = re.compile(r"<[\w.]+ (?:object|at 0x\w+)[^\n]*>\s*")
"""The plain form of an output that shows as a page: the name of its type."""

Part = Mapping[str, Any]


def read(file: InputFile) -> Document:
    """Read a notebook.

    Raises:
        ExtractionError: it is too large, no notebook (`corrupt`), or without text.
    """
    text, losses = read_text(file)
    try:
        notebook = json.loads(text, parse_int=str)
    except ValueError as error:
        raise ExtractionError(Reason.CORRUPT, f"The notebook is no JSON: {error}") from error
    if not isinstance(notebook, dict):
        raise ExtractionError(Reason.CORRUPT, "The notebook has no cells")
    builder = DocumentBuilder()
    _Reader(builder, notebook).run()
    builder.failures.extend(losses)
    return builder.finish()


class _Reader:
    """Walks the cells; keeps the open headings."""

    def __init__(self, builder: DocumentBuilder, notebook: Part) -> None:
        self._builder = builder
        self._notebook = notebook
        self._headings = HeadingPath()
        self._locator = Locator("cell", "1", 1, 1)
        self._metadata = _part(notebook, "metadata")

    def run(self) -> None:
        language = self._language()
        for number, cell in enumerate(_cells(self._notebook), start=1):
            self._locator = Locator("cell", str(number), number, number)
            kind = cell.get("cell_type")
            source = _text(cell.get("source", cell.get("input")))
            if kind == "heading":
                self._enter(whole_number(_text(cell.get("level")), 1, _MAX_LEVEL), source)
            elif kind == "markdown":
                self._read_markdown(EMBEDDED_DATA.sub("data:", source))
            else:
                self._add(source, context=language if kind == "code" else "")
                self._add(self._outputs(cell), context="output")
        title = sensible_title(_text(self._metadata.get("title")))
        self._builder.title = title or self._headings.title

    def _outputs(self, cell: Part) -> str:
        """What a cell printed, as plain text."""
        outputs = cell.get("outputs")
        said = [self._output(each) for each in outputs or () if isinstance(each, dict)]
        text = "\n".join(filter(None, (each.strip("\n") for each in said)))
        return text if len(text) <= _MAX_OUTPUT else f"{text[:_MAX_OUTPUT]}…"

    def _output(self, output: Part) -> str:
        if output.get("output_type") in ("error", "pyerr"):
            return f"{_text(output.get('ename'))}: {_text(output.get('evalue'))}"
        forms = _part(output, "data") or output
        plain = _TERMINAL_COLOURS.sub("", _text(forms.get("text") or forms.get("text/plain")))
        if plain.strip() and not _ONLY_NAMED.fullmatch(plain):
            return plain
        markdown = _text(forms.get("text/markdown"))
        markup = _text(forms.get("text/html") or forms.get("html"))
        return EMBEDDED_DATA.sub("data:", markdown) or self._page_text(markup) or plain

    def _page_text(self, markup: str) -> str:
        """What shows of an output that is a page."""
        builder = DocumentBuilder()
        try:
            add_page(builder, Page(markup), locate)
        except ExtractionError as error:
            self._builder.fail(f"cell {self._locator.value}: an output was not read: {error}")
        return "" if builder.empty else builder.finish().text

    def _language(self) -> str:
        for part, key in (("language_info", "name"), ("kernelspec", "language")):
            name = _text(_part(self._metadata, part).get(key))
            if name:
                return one_line(name)
        return ""

    def _read_markdown(self, source: str) -> None:
        """Headings structure what follows; a number sign in a block of code is none."""
        lines: list[str] = []
        fence = ""
        for line in clean(source).split("\n"):
            mark = _FENCE.match(line)
            if mark and fence in ("", mark[1]):
                fence = "" if fence else mark[1]
            heading = None if fence else _HEADING.match(line)
            if heading:
                self._flush(lines)
                self._enter(len(heading[1]), _MARKS.sub("", heading[2]))
            else:
                lines.append(line)
        self._flush(lines)

    def _flush(self, lines: list[str]) -> None:
        for part in paragraphs(lines):
            self._add(part.text, tight=part.continued)
        lines.clear()

    def _enter(self, level: int, text: str) -> None:
        self._headings.enter(level, text)
        path = self._headings.path
        self._builder.add(text, self._locator, SegmentKind.HEADING, headings=path)

    def _add(self, text: str, *, context: str = "", tight: bool = False) -> None:
        path = self._headings.path
        self._builder.add(text, self._locator, headings=path, context=context, tight=tight)


def _cells(notebook: Part) -> Iterator[Part]:
    """The cells in order; until version 3 they lay in worksheets."""
    sheets = notebook.get("worksheets")
    for holder in (notebook, *(sheets if isinstance(sheets, list) else ())):
        cells = holder.get("cells") if isinstance(holder, dict) else None
        for cell in cells if isinstance(cells, list) else ():
            yield cell if isinstance(cell, dict) else {}


def _part(holder: Part, key: str) -> Part:
    part = holder.get(key)
    return part if isinstance(part, dict) else {}


def _text(value: object) -> str:
    """Text as notebooks keep it: whole, or as a list of lines with their ends."""
    if isinstance(value, list):
        return "".join(each for each in value if isinstance(each, str))
    return value if isinstance(value, str) else ""
