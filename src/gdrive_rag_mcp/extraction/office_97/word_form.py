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
from gdrive_rag_mcp.extraction.office_97.word_styles import begins_with_heading, table_name
from gdrive_rag_mcp.extraction.panics import panics_as_damage

MAX_BYTES = 150_000_000
_MAX_COLUMNS = 63
"""More have no place in a row of Word."""

_NEWER = "Save it as DOCX."
_STREAM = "WordDocument"
_IDENTITIES = (0xA5EC, 0xA5DC)
_FLAGS_AT, _ENCRYPTED_FLAG = 10, 0x100
_BREAKS: Mapping[str, str] = {"line_break": "\n", "tab": "\t", "page_break": "\n"}

Part = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Opened:
    """A file's sections in order, its title among the properties, and what the library left out.

    Whether the first line is a heading, the library does not know: it takes any short one for it.
    """

    sections: Sequence[Part]
    title: str
    losses: Sequence[str]
    begins_with_heading: bool = False


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
        begins = _begins_with_heading(ole)
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
    return Opened(found.get("sections", ()), title, tuple(map(str, warnings)), begins)


def _begins_with_heading(ole: Ole) -> bool:
    """Look into the file's own tables.

    Raises:
        ExtractionError: they are encrypted.
    """
    stream = ole.openstream(_STREAM).read()
    _check_encryption(stream)
    name = table_name(stream)
    return ole.exists(name) and begins_with_heading(stream, ole.openstream(name).read())


def _check_encryption(stream: bytes) -> None:
    """Word says so among the flags at the head of its stream, if that is one of Word at all."""
    head = stream[: _FLAGS_AT + 2].ljust(_FLAGS_AT + 2, b"\0")
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
            yield from ("; ".join(filter(None, row)) for row in table_rows(element))
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
    """The cells of each row under their columns, in one line each.

    A cell merged downwards stands in each of its rows; one merged sideways leaves blank ones.
    """
    rows = []
    merged: dict[int, tuple[int, str]] = {}  # by column: in how many rows from here on, and what
    for row in table.get("rows", ()):
        cells: list[str] = []
        for cell in row.get("cells", ()):
            _fill(cells, merged)
            text = " ".join(" ".join(lines(_items(cell))).split())
            width = min(max(1, cell.get("col_span", 1)), _MAX_COLUMNS)
            for column, said in enumerate([text] + [""] * (width - 1), start=len(cells)):
                merged[column] = (cell.get("row_span", 1), said)
                cells.append(said)
        _fill(cells, merged)
        merged = {column: (left - 1, said) for column, (left, said) in merged.items() if left > 1}
        rows.append(cells)
    return rows


def _fill(cells: list[str], merged: Mapping[int, tuple[int, str]]) -> None:
    """Go on with the cells from above that reach down to here."""
    while len(cells) in merged:
        cells.append(merged[len(cells)][1])


def _items(element: Part) -> Sequence[Part]:
    content: Sequence[Part] = element.get("content") or ()
    return content
