"""Opens Word files from before 2007 through a library, and walks the form in which it gives them.

Format: [MS-DOC]. The library's form are sections of elements, each a mapping with a `type`.
"""

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.input_file import InputFile
from gdrive_rag_mcp.extraction.office_97.compound_file import Ole, ole_title, open_ole
from gdrive_rag_mcp.extraction.panics import panics_as_damage

MAX_BYTES = 150_000_000
_ONLY_LAYOUT = "flattened"
"""In a warning: the text is there, but not the tables within tables."""

_NEWER = "Save it as DOCX."
_STREAM = "WordDocument"
_IDENTITIES = (0xA5EC, 0xA5DC)
_FLAGS_AT, _ENCRYPTED_FLAG = 10, 0x100
_BREAKS: Mapping[str, str] = {"line_break": "\n", "tab": "\t", "page_break": "\n"}

Part = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Opened:
    """A file's sections in order, its title among the properties, and what the library left out."""

    sections: Sequence[Part]
    title: str
    losses: Sequence[str]


def open_word(file: InputFile) -> Opened:
    """Open a DOC file.

    Raises:
        ExtractionError: `encrypted`, damaged, too large; or there is no library for it here.
    """
    if file.size > MAX_BYTES:
        raise ExtractionError(
            Reason.TOO_LARGE,
            f"The file has {file.size:,} bytes, more than {MAX_BYTES:,}",
            hint="Save it without its pictures.",
        )
    with open_ole(file) as ole:
        title = ole_title(ole)
        _check_encryption(ole)
    try:
        import office_oxide
    except ImportError as error:
        raise ExtractionError(
            Reason.UNSUPPORTED_TYPE, "Nothing that reads this format is installed", hint=_NEWER
        ) from error
    try:
        with panics_as_damage("The file"):
            found = office_oxide.Document.from_bytes(file.read(), "doc").to_ir()
    except office_oxide.OfficeOxideError as error:
        raise ExtractionError(
            Reason.CORRUPT, f"The file is damaged, or older than 1997: {error}", hint=_NEWER
        ) from error
    warnings = found.get("metadata", {}).get("warnings", ())
    losses = tuple(str(each) for each in warnings if _ONLY_LAYOUT not in str(each))
    return Opened(found.get("sections", ()), title, losses)


def _check_encryption(ole: Ole) -> None:
    """Word says so among the flags at the head of its stream, if that is one of Word at all."""
    head = ole.openstream(_STREAM).read(_FLAGS_AT + 2).ljust(_FLAGS_AT + 2, b"\0")
    identity, flags = struct.unpack_from("<H8xH", head)
    if identity in _IDENTITIES and flags & _ENCRYPTED_FLAG:
        raise ExtractionError(
            Reason.ENCRYPTED,
            "The file is protected by a password",
            hint="Save a copy without a password.",
        )


def line(element: Part) -> str:
    """The text of a paragraph or heading."""
    pieces = (each.get("text") or _BREAKS.get(each.get("type", ""), "") for each in _items(element))
    return "".join(pieces)


def lines(elements: Sequence[Part]) -> Iterator[str]:
    """The paragraphs among and within elements: of lists, tables, boxes."""
    for element in elements:
        kind = element.get("type")
        if kind in ("paragraph", "heading"):
            yield line(element)
        elif kind == "table":
            yield from ("; ".join(row) for row in table_rows(element))
        elif kind == "list":
            yield from list_items(element)
        else:
            yield from lines([each for each in _items(element) if isinstance(each, dict)])


def list_items(element: Part) -> Iterator[str]:
    """The items of a list with those of the lists within."""
    for item in element.get("items", ()):
        yield from lines(_items(item))
        nested = item.get("nested")
        if nested:
            yield from list_items(nested)


def table_rows(table: Part) -> list[list[str]]:
    """The cells of each row, in one line each."""
    return [
        [" ".join(" ".join(lines(_items(cell))).split()) for cell in row.get("cells", ())]
        for row in table.get("rows", ())
    ]


def _items(element: Part) -> Sequence[Part]:
    content: Sequence[Part] = element.get("content") or ()
    return content
