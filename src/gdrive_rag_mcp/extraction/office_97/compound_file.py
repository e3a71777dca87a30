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

_PROPERTIES = "\x05SummaryInformation"
_SET_AT = 44
_CODE_PAGE, _TITLE = 1, 2
_WIDE_STRING = 0x1F
_MAX_PROPERTIES = 1_000
_UTF_8_PAGE, _UTF_16_PAGE = 65001, 1200
# What olefile lets through from files that are damaged.
_DAMAGE = (
    OSError, ValueError, LookupError, TypeError, AttributeError, OverflowError, struct.error,
)  # fmt: skip

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
    if not ole.exists(_PROPERTIES):
        return ""
    try:
        return sensible_title(_title(ole.openstream(_PROPERTIES).read()))
    except _DAMAGE:
        return ""


def _title(data: bytes) -> str:
    """The title in a set of properties ([MS-OLEPS] 2.20 and 2.21), of which the first counts."""
    start = struct.unpack_from("<I", data, _SET_AT)[0]
    count = min(struct.unpack_from("<I", data, start + 4)[0], _MAX_PROPERTIES)
    table = struct.unpack_from(f"<{2 * count}I", data, start + 8)
    places = dict(zip(table[::2], table[1::2], strict=True))
    if _TITLE not in places:
        return ""
    at = start + places[_TITLE]
    kind, length = struct.unpack_from("<II", data, at)
    if kind == _WIDE_STRING:
        return data[at + 8 : at + 8 + 2 * length].decode("utf-16-le", "replace").rstrip("\0")
    page = 0
    if _CODE_PAGE in places:
        page = struct.unpack_from("<4xH", data, start + places[_CODE_PAGE])[0]
    return _decoded(data[at + 8 : at + 8 + length], page).rstrip("\0")


def _decoded(raw: bytes, page: int) -> str:
    codec = {_UTF_8_PAGE: "utf-8", _UTF_16_PAGE: "utf-16-le"}.get(page, f"cp{page}")
    try:
        return raw.decode(codec, "replace")
    except LookupError:
        return raw.decode("cp1252", "replace")
