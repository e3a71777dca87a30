"""Opens the small file systems that Office files from before 2007 are ([MS-CFB])."""

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import olefile

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.input_file import InputFile
from gdrive_rag_mcp.extraction.titles import sensible_title

_UTF_8_PAGE, _UTF_16_PAGE = 65001, 1200
# What olefile lets through from files that are damaged.
_DAMAGE = (OSError, ValueError, LookupError, TypeError, AttributeError, struct.error)

Ole = Any
"""An `olefile.OleFileIO`; olefile has no types of its own."""


@contextmanager
def open_ole(file: InputFile) -> Iterator[Ole]:
    """Open a compound file; what goes wrong in the block is damage to it.

    Raises:
        ExtractionError: it is damaged (`corrupt`).
    """
    try:
        with file.open() as stream, olefile.OleFileIO(stream) as ole:
            yield ole
    except _DAMAGE as error:
        raise ExtractionError(Reason.CORRUPT, f"The Office file is damaged: {error}") from error


def ole_title(ole: Ole) -> str:
    """The title among the properties, if an author gave one; damaged properties have none."""
    try:
        properties = ole.get_metadata()
        raw, page = properties.title, properties.codepage
    except _DAMAGE:
        return ""
    if isinstance(raw, bytes):
        raw = _decoded(raw, (page or 0) % 0x10000)
    return sensible_title(raw if isinstance(raw, str) else "")


def _decoded(raw: bytes, page: int) -> str:
    codec = {_UTF_8_PAGE: "utf-8", _UTF_16_PAGE: "utf-16-le"}.get(page, f"cp{page}")
    try:
        return raw.decode(codec, "replace")
    except LookupError:
        return raw.decode("cp1252", "replace")
