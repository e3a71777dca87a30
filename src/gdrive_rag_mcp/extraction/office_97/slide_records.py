"""Finds the records of a PowerPoint file from before 2007, and where the current ones are.

Format: [MS-PPT]. A file is saved by appending: what counts is what the last directory points to.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

DOCUMENT, SLIDE, NOTES = 0x3E8, 0x3EE, 0x3F0
SLIDE_LIST, SLIDE_PLACE, NOTES_OF, SHOW_INFO = 0xFF0, 0x3F3, 0x3F1, 0x3F9
TEXT_HEADER, TEXT_CHARS, TEXT_BYTES, TEXT_REFERENCE = 0xF9F, 0xFA0, 0xFA8, 0xF9E
TEXT_BOX, STRING, COMMENT, MARGINS = 0xF00D, 0xFBA, 0x2EE0, 0xFD9
_USER_EDIT, _DIRECTORY, _TAG_DATA = 0xFF5, 0x1772, 0x138B
_HEADER = 8
_CONTAINER = 0xF
_MAX_DEPTH = 40
_MAX_EDITS = 10_000
_PLACE_BITS = 20


@dataclass(frozen=True, slots=True)
class Record:
    """A record's kind, its instance, and the bytes that it holds."""

    kind: int
    instance: int
    is_container: bool
    body: memoryview

    def number(self, at: int, form: str = "<I") -> int:
        """A number in the body; -1 where the body is too short."""
        if at + struct.calcsize(form) > len(self.body):
            return -1
        return int(struct.unpack_from(form, self.body, at)[0])

    def children(self) -> Iterator["Record"]:
        """The records within, if it is made to hold some."""
        if self.is_container:
            yield from records(self.body)

    def inside(self, *kinds: int, depth: int = 0) -> Iterator["Record"]:
        """Every record of these kinds at any depth, in order; what such a one holds is not."""
        for each in self.children():
            if each.kind in kinds:
                yield each
            elif depth < _MAX_DEPTH:
                yield from each.inside(*kinds, depth=depth + 1)

    def text(self) -> str:
        """What a record of text says."""
        codec = "latin-1" if self.kind == TEXT_BYTES else "utf-16-le"
        return bytes(self.body).decode(codec, "replace")


def records(data: memoryview) -> Iterator[Record]:
    """The records side by side; a length that reaches too far ends where the data does."""
    at = 0
    while at + _HEADER <= len(data):
        head, kind, length = struct.unpack_from("<HHI", data, at)
        body = data[at + _HEADER : at + _HEADER + length]
        is_container = head & _CONTAINER == _CONTAINER or kind == _TAG_DATA
        yield Record(kind, head >> 4, is_container, body)
        at += _HEADER + length


class Presentation:
    """The stream of a file, and where each of its numbered objects begins."""

    def __init__(self, data: bytes, last_edit: int) -> None:
        self._data = memoryview(data)
        self._places: dict[int, int] = {}
        self._document = -1
        self._read_edits(last_edit)

    def _read_edits(self, at: int) -> None:
        """From the last save back to the first; what a later one says of an object holds."""
        seen: set[int] = set()
        while at not in seen and len(seen) < _MAX_EDITS:
            seen.add(at)
            edit = self.at(at, _USER_EDIT)
            if edit is None:
                return
            if self._document < 0:
                self._document = edit.number(16)
            directory = self.at(edit.number(12), _DIRECTORY)
            if directory:
                self._read_directory(directory)
            at = edit.number(8)

    def _read_directory(self, directory: Record) -> None:
        at = 0
        while (head := directory.number(at)) >= 0:
            first, count = head & ((1 << _PLACE_BITS) - 1), head >> _PLACE_BITS
            for number in range(count):
                self._places.setdefault(first + number, directory.number(at + 4 + 4 * number))
            at += 4 + 4 * count

    def at(self, place: int, kind: int) -> Record | None:
        """The record that begins at a place of the stream, if it is of this kind."""
        if not 0 <= place < len(self._data):
            return None
        found = next(records(self._data[place:]), None)
        return found if found and found.kind == kind else None

    def object(self, number: int, kind: int) -> Record | None:
        return self.at(self._places.get(number, -1), kind)

    @property
    def document(self) -> Record | None:
        return self.object(self._document, DOCUMENT)
