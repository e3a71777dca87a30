"""Writes the smallest Word and PowerPoint files from before 2007 that have text, for tests to read.

Formats: [MS-DOC] 2.5 and 2.9 (one piece of UTF-16), [MS-PPT] 2.3 to 2.5 (a list of texts).
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from tests.extraction.ole import compound_file

_TEXT_AT = 0x400
_FC_LCB_COUNT = 0x5D
_CLX, _PAPX = 33, 13
_PAGE = 512
_ENCRYPTED, _TABLE_1, _UNICODE = 0x0100, 0x0200, 0x1000


def doc(*paragraphs: str, encrypted: bool = False, styles: Sequence[int] = ()) -> bytes:
    """A Word file of plain paragraphs, or of such with these styles, of which 1 to 9 head."""
    text = "".join(f"{paragraph}\r" for paragraph in paragraphs)
    pieces = struct.pack("<IIHIH", 0, len(text), 0, _TEXT_AT, 0)
    clx = struct.pack("<BI", 2, len(pieces)) + pieces
    flags = _TABLE_1 | _UNICODE | (_ENCRYPTED if encrypted else 0)
    head = struct.pack("<HHHHHHHI12x", 0xA5EC, 0xC1, 0, 0x409, 0, flags, 0xBF, 0)
    head = head.ljust(32, b"\0") + struct.pack("<H28x", 14)
    head += struct.pack("<H", 22) + struct.pack("<IIII", 0, 0, 0, len(text)).ljust(88, b"\0")
    places = [(0, 0)] * _FC_LCB_COUNT
    places[_CLX] = (0, len(clx))
    main = text.encode("utf-16-le")
    tables = clx
    if styles:
        main = main.ljust(-len(main) % _PAGE + len(main), b"\0")
        page = (_TEXT_AT + len(main)) // _PAGE
        main += _style_page(paragraphs, styles)
        index = struct.pack("<III", _TEXT_AT, _TEXT_AT + 2 * len(text), page)
        places[_PAPX] = (len(tables), len(index))
        tables += index
    head += struct.pack("<H", _FC_LCB_COUNT) + b"".join(
        struct.pack("<II", *each) for each in places
    )
    return compound_file({"WordDocument": head.ljust(_TEXT_AT, b"\0") + main, "1Table": tables})


def _style_page(paragraphs: Sequence[str], styles: Sequence[int]) -> bytes:
    """A page that says where paragraphs end and which styles they have ([MS-DOC] 2.9.174)."""
    ends = [_TEXT_AT]
    for paragraph in paragraphs:
        ends.append(ends[-1] + 2 * (len(paragraph) + 1))
    page = bytearray(_PAGE)
    struct.pack_into(f"<{len(ends)}I", page, 0, *ends)
    for at, style in enumerate(styles):
        place = 400 + 4 * at
        page[4 * len(ends) + 13 * at] = place // 2
        struct.pack_into("<BBH", page, place, 0, 1, style)
    page[-1] = len(paragraphs)
    return bytes(page)


@dataclass(frozen=True)
class Slide:
    """A slide: its title and text in the outline, and what only the slide itself has."""

    title: str
    text: str = ""
    boxes: Sequence[str] = ()
    notes: str = ""
    comments: Sequence[tuple[str, str]] = ()
    hidden: bool = False
    is_lost: bool = False
    nesting: int = 0


def ppt(
    *slides: Slide, footer: str = "", replaced: Slide | None = None, encrypted: bool = False
) -> bytes:
    """A PowerPoint file; `replaced` is the only slide of the state that was saved before."""
    writer = _Writer()
    if replaced:
        writer.save([replaced], "")
    writer.save(slides, footer)
    token = 0xF3D1C4DF if encrypted else 0xE391C05F
    user = struct.pack("<IIIHHBBH", 0x14, token, writer.last_edit, 0, 0x3F4, 3, 0, 0)
    return compound_file(
        {"PowerPoint Document": writer.stream, "Current User": _record(0xFF6, user, version=0)}
    )


class _Writer:
    """Appends states: numbered objects, then their directory, then the edit that points to it."""

    def __init__(self) -> None:
        self.stream = b""
        self.last_edit = 0

    def save(self, slides: Sequence[Slide], footer: str) -> None:
        objects = [self._append(self._document(slides, footer))]
        objects += [10**9 if each.is_lost else self._append(_slide(each)) for each in slides]
        for number, slide in enumerate(slides, 1):
            of = _record(0x3F1, struct.pack("<IHH", 255 + number, 0, 0), version=1)
            notes = _record(0x3F0, of + _drawing(_box(2, slide.notes)))
            objects.append(self._append(notes))
        places = struct.pack(f"<I{len(objects)}I", len(objects) << 20 | 1, *objects)
        directory = self._append(_record(0x1772, places, version=0))
        edit = struct.pack(
            "<IIIIIIHH", 0, 0x03000000, self.last_edit, directory, 1, len(objects), 0, 0
        )
        self.last_edit = self._append(_record(0xFF5, edit, version=0))

    def _append(self, record: bytes) -> int:
        self.stream += record
        return len(self.stream) - len(record)

    def _document(self, slides: Sequence[Slide], footer: str) -> bytes:
        texts = notes = b""
        for number, slide in enumerate(slides, 1):
            texts += _place(1 + number, 255 + number)
            texts += _text(0, slide.title) + _text(1, slide.text)
            notes += _place(1 + len(slides) + number, 300 + number)
        margins = _record(0xFD9, _string(2, footer), instance=3)
        body = _record(0x3E9, bytes(40), version=1) + margins
        body += _record(0xFF0, texts) + _record(0xFF0, notes, instance=2)
        return _record(0x3E8, body)


def _slide(slide: Slide) -> bytes:
    references = [_record(0xF9E, struct.pack("<I", at), version=0) for at in range(2)]
    boxes = [_record(0xF00D, each) for each in references]
    boxes += [_box(4, text) for text in slide.boxes]
    flags = 0x4 if slide.hidden else 0
    body = _record(0x3EF, bytes(24), version=2)
    body += _record(0x3F9, struct.pack("<IIBBHB3x", 0, 0, 0, 0, flags, 0), version=0)
    body += _drawing(*boxes)
    comments = b"".join(
        _record(0x2EE0, _string(0, author) + _string(1, text)) for author, text in slide.comments
    )
    tags = _record(0x138A, _string(0, "___PPT10") + _record(0x138B, comments, version=0))
    body += _record(0x1388, tags)
    # Every header announces all that follows, so that one lies within the other.
    nest = struct.pack("<HHI", 0xF, 0x3EE, 0xFFFFFFFF) * slide.nesting
    return _record(0x3EE, body + nest)


def _drawing(*boxes: bytes) -> bytes:
    shapes = b"".join(_record(0xF004, box) for box in boxes)
    return _record(0x40C, _record(0xF002, _record(0xF003, shapes)))


def _box(kind: int, text: str) -> bytes:
    return _record(0xF00D, _text(kind, text))


def _place(number: int, identity: int) -> bytes:
    return _record(0x3F3, struct.pack("<IIiII", number, 4, 2, identity, 0), version=0)


def _text(kind: int, text: str) -> bytes:
    header = _record(0xF9F, struct.pack("<I", kind), version=0)
    if text.isascii():
        return header + _record(0xFA8, text.encode(), version=0)
    return header + _record(0xFA0, text.encode("utf-16-le"), version=0)


def _string(instance: int, text: str) -> bytes:
    return _record(0xFBA, text.encode("utf-16-le"), version=0, instance=instance)


def _record(kind: int, body: bytes, *, version: int = 0xF, instance: int = 0) -> bytes:
    return struct.pack("<HHI", instance << 4 | version, kind, len(body)) + body
