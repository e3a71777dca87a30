"""The formats that can be read, the media types that announce them, and who reads them."""

import re
from collections.abc import Callable, Mapping
from enum import StrEnum
from importlib import import_module

from gdrive_rag_mcp.domain import Document
from gdrive_rag_mcp.extraction.input_file import InputFile


class Format(StrEnum):
    """A format as told from the content; `_MODULES` has who reads it, if not its namesake."""

    PDF = "pdf"
    WORD = "word"
    SHEET = "sheet"
    SLIDES = "slides"
    WORD_97 = "word_97"
    SHEET_BINARY = "sheet_binary"
    SLIDES_97 = "slides_97"
    OPEN_TEXT = "open_text"
    OPEN_SHEET = "open_sheet"
    OPEN_SLIDES = "open_slides"
    RTF = "rtf"
    BOOK = "book"
    MAIL = "mail"
    WEB = "web"
    DELIMITED = "delimited"
    NOTEBOOK = "notebook"
    JSON = "json_data"
    MARKDOWN = "markdown"
    TEXT = "text"

    @property
    def label(self) -> str:
        """The name that people know it by."""
        return _LABELS[self]


_LABELS: Mapping[Format, str] = {
    Format.PDF: "PDF",
    Format.WORD: "Word",
    Format.SHEET: "Excel",
    Format.SLIDES: "PowerPoint",
    Format.WORD_97: "Word 97",
    Format.SHEET_BINARY: "binary Excel",
    Format.SLIDES_97: "PowerPoint 97",
    Format.OPEN_TEXT: "OpenDocument text",
    Format.OPEN_SHEET: "OpenDocument spreadsheet",
    Format.OPEN_SLIDES: "OpenDocument presentation",
    Format.RTF: "RTF",
    Format.BOOK: "EPUB",
    Format.MAIL: "mail",
    Format.WEB: "web page",
    Format.DELIMITED: "CSV",
    Format.NOTEBOOK: "notebook",
    Format.JSON: "JSON",
    Format.MARKDOWN: "Markdown",
    Format.TEXT: "plain text",
}
_MODULES: Mapping[Format, str] = {
    Format.PDF: "pdf.document",
    Format.WORD: "word.document",
    Format.SHEET: "sheet.document",
    Format.SLIDES: "slides.document",
    Format.RTF: "rtf.document",
    Format.BOOK: "book.document",
    Format.MAIL: "mail.document",
    Format.WEB: "web.document",
    Format.DELIMITED: "delimited.document",
    Format.WORD_97: "office_97.word",
    Format.SLIDES_97: "office_97.slides",
    Format.SHEET_BINARY: "sheet.binary",
    Format.OPEN_TEXT: "open_document.text",
    Format.OPEN_SHEET: "open_document.sheet",
    Format.OPEN_SLIDES: "open_document.slides",
}

TEXT_FORMATS = frozenset(
    {
        Format.MAIL,
        Format.WEB,
        Format.DELIMITED,
        Format.NOTEBOOK,
        Format.JSON,
        Format.MARKDOWN,
        Format.TEXT,
    }
)
"""Formats that are text: where the content does not tell them apart, the media type does."""

_BEFORE_2007 = frozenset({Format.WORD_97, Format.SHEET_BINARY, Format.SLIDES_97, Format.RTF})

_OOXML = "application/vnd.openxmlformats-officedocument"
_OPEN = "application/vnd.oasis.opendocument"
_GOOGLE = "application/vnd.google-apps"
FORMAT_OF_MEDIA_TYPE: Mapping[str, Format] = {
    "application/pdf": Format.PDF,
    "application/x-pdf": Format.PDF,
    f"{_OOXML}.wordprocessingml.document": Format.WORD,
    f"{_OOXML}.wordprocessingml.template": Format.WORD,
    "application/vnd.ms-word.document.macroenabled.12": Format.WORD,
    "application/vnd.ms-word.template.macroenabled.12": Format.WORD,
    f"{_GOOGLE}.document": Format.WORD,
    f"{_OOXML}.spreadsheetml.sheet": Format.SHEET,
    f"{_OOXML}.spreadsheetml.template": Format.SHEET,
    "application/vnd.ms-excel.sheet.macroenabled.12": Format.SHEET,
    "application/vnd.ms-excel.template.macroenabled.12": Format.SHEET,
    f"{_GOOGLE}.spreadsheet": Format.SHEET,
    f"{_OOXML}.presentationml.presentation": Format.SLIDES,
    f"{_OOXML}.presentationml.slideshow": Format.SLIDES,
    f"{_OOXML}.presentationml.template": Format.SLIDES,
    "application/vnd.ms-powerpoint.presentation.macroenabled.12": Format.SLIDES,
    "application/vnd.ms-powerpoint.slideshow.macroenabled.12": Format.SLIDES,
    f"{_GOOGLE}.presentation": Format.SLIDES,
    "application/msword": Format.WORD_97,
    "application/vnd.ms-excel": Format.SHEET_BINARY,
    "application/vnd.ms-excel.sheet.binary.macroenabled.12": Format.SHEET_BINARY,
    "application/vnd.ms-powerpoint": Format.SLIDES_97,
    f"{_OPEN}.text": Format.OPEN_TEXT,
    f"{_OPEN}.text-template": Format.OPEN_TEXT,
    f"{_OPEN}.spreadsheet": Format.OPEN_SHEET,
    f"{_OPEN}.spreadsheet-template": Format.OPEN_SHEET,
    f"{_OPEN}.presentation": Format.OPEN_SLIDES,
    f"{_OPEN}.presentation-template": Format.OPEN_SLIDES,
    "application/rtf": Format.RTF,
    "text/rtf": Format.RTF,
    "application/epub+zip": Format.BOOK,
    "message/rfc822": Format.MAIL,
    "multipart/related": Format.MAIL,
    "application/x-mimearchive": Format.MAIL,
    "text/html": Format.WEB,
    "application/xhtml+xml": Format.WEB,
    "text/csv": Format.DELIMITED,
    "application/csv": Format.DELIMITED,
    "text/tab-separated-values": Format.DELIMITED,
    "application/x-ipynb+json": Format.NOTEBOOK,
    "application/json": Format.JSON,
    "application/jsonl": Format.JSON,
    "application/x-jsonlines": Format.JSON,
    "application/x-ndjson": Format.JSON,
    "application/ndjson": Format.JSON,
    "text/json": Format.JSON,
    "text/markdown": Format.MARKDOWN,
    "text/x-markdown": Format.MARKDOWN,
}
# Text by another name: data, markup, programs and their settings.
_TEXT_APPLICATION = re.compile(
    r"application/(?:x-)?(?:.*\+xml|xml|xml-dtd|yaml|toml|json-seq|json5|sql|sh|csh|bash"
    r"|javascript|ecmascript|typescript|python|perl|ruby|php|httpd-php|tex|latex|troff|subrip|ini"
    r"|sparql-query|graphql|ld\+json|srt|properties|desktop|tcl|lua|makefile)"
)
_UNNAMED = frozenset(
    {
        "",
        "application/octet-stream",
        "binary/octet-stream",
        "application/x-unknown",
        "application/unknown",
        "application/x-download",
        "application/force-download",
    }
)


def format_of(mime_type: str) -> Format | None:
    """The format a media type announces; parameters such as a charset are ignored."""
    name = _bare(mime_type)
    found = FORMAT_OF_MEDIA_TYPE.get(name)
    if found:
        return found
    if name.startswith("application/") and name.endswith("+json"):
        return Format.JSON
    textual = name.startswith("text/") or _TEXT_APPLICATION.fullmatch(name)
    return Format.TEXT if textual else None


def names_no_format(mime_type: str) -> bool:
    """Whether a media type says nothing at all, so that only the content can tell."""
    return _bare(mime_type) in _UNNAMED


def stands_in(found: Format, expected: Format | None) -> bool:
    """Whether a text lies where a document was announced: a placeholder, or a page that says no.

    Programs do write pages and tables under the names of Office files from before 2007.
    """
    if expected is None or expected in TEXT_FORMATS or found not in TEXT_FORMATS:
        return False
    return found is Format.TEXT or expected not in _BEFORE_2007


def reader_of(kind: Format) -> Callable[[InputFile], Document]:
    """Load the module that reads a format; each has `read(file) -> Document`."""
    module = _MODULES.get(kind, kind.value)
    reader: Callable[[InputFile], Document] = import_module(f"{__package__}.{module}").read
    return reader


def _bare(mime_type: str) -> str:
    return mime_type.partition(";")[0].strip().lower()
