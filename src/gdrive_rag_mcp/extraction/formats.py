"""The formats that can be read, the media types that announce them, and who reads them."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from importlib import import_module
from pathlib import Path

from gdrive_rag_mcp.domain import Document


class Format(StrEnum):
    """A format as told from the content; the value is the module that reads it."""

    PDF = "pdf"
    WORD = "word"
    SHEET = "sheet"
    MARKDOWN = "markdown"
    TEXT = "text"


TEXT_FORMATS = frozenset({Format.MARKDOWN, Format.TEXT})
"""Formats without a signature of their own: only the media type tells them apart."""

FORMAT_OF_MEDIA_TYPE: Mapping[str, Format] = {
    "application/pdf": Format.PDF,
    "application/x-pdf": Format.PDF,
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": Format.WORD,
    "application/vnd.ms-word.document.macroenabled.12": Format.WORD,
    "application/vnd.google-apps.document": Format.WORD,
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": Format.SHEET,
    "application/vnd.ms-excel.sheet.macroenabled.12": Format.SHEET,
    "application/vnd.google-apps.spreadsheet": Format.SHEET,
    "text/markdown": Format.MARKDOWN,
    "text/x-markdown": Format.MARKDOWN,
    "text/plain": Format.TEXT,
}


def format_of(mime_type: str) -> Format | None:
    """The format a media type announces; parameters such as a charset are ignored."""
    return FORMAT_OF_MEDIA_TYPE.get(mime_type.partition(";")[0].strip().lower())


def reader_of(kind: Format) -> Callable[[Path], Document]:
    """Load the module that reads a format; each has `read(path) -> Document`."""
    reader: Callable[[Path], Document] = import_module(f"{__package__}.{kind.value}").read
    return reader
