"""Reads what lies over the cells of an XLS sheet: comments, and boxes with text ([MS-XLS])."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from gdrive_rag_mcp.extraction.sheet.comment import Note, comment_text

_OBJECT, _TEXT, _CONTINUED, _NOTE = 0x5D, 0x1B6, 0x3C, 0x1C
KINDS = frozenset({_OBJECT, _TEXT, _CONTINUED, _NOTE})
_COMMON_DATA = 0x15
_LENGTH_AT = 10
_WIDE = 1


@dataclass(slots=True)
class XlsNotes:
    """Takes the records of a sheet: objects, the text that follows each, and which are comments."""

    _object: int = -1
    _left: int = 0
    _texts: dict[int, str] = field(default_factory=dict)
    _comments: dict[int, tuple[int, int, str]] = field(default_factory=dict)

    def take(self, kind: int, body: bytes) -> None:
        if kind == _OBJECT:
            part, _, _, identity = struct.unpack_from("<HHHH", body)
            self._object = identity if part == _COMMON_DATA else -1
        elif kind == _TEXT:
            self._left = struct.unpack_from("<H", body, _LENGTH_AT)[0]
        elif kind == _CONTINUED and self._left:
            self._continue(body)
        elif kind == _NOTE:
            row, column, _, identity, length, flags = struct.unpack_from("<HHHHHB", body)
            author = _decoded(body[11:], length, flags)
            self._comments[identity] = (row + 1, column + 1, author)

    def _continue(self, body: bytes) -> None:
        """A text may go on in further records, each of which says how it is written."""
        text = _decoded(body[1:], self._left, body[0])
        self._left -= len(text)
        self._texts[self._object] = self._texts.get(self._object, "") + text

    def notes(self) -> Iterator[Note]:
        """The comments in the order of their cells, after the boxes, which belong to none."""
        for identity, text in self._texts.items():
            said = " ".join(text.split())
            if identity not in self._comments and said:
                yield Note(1, 1, said)
        for identity, (row, column, author) in sorted(
            self._comments.items(), key=lambda each: each[1]
        ):
            said = comment_text(author, self._texts.get(identity, ""))
            if said:
                yield Note(row, column, said)


def _decoded(raw: bytes, length: int, flags: int) -> str:
    wide = flags & _WIDE
    codec = "utf-16-le" if wide else "latin-1"
    return raw[: length * (1 + wide)].decode(codec, "replace")
