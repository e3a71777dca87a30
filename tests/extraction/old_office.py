"""Writes the smallest Word and PowerPoint files from before 2007 that have text, for tests to read.

Formats: [MS-DOC] 2.5 and 2.9 (one piece of UTF-16), [MS-PPT] 2.3 to 2.5 (slides in a list of texts).
"""

import struct

from tests.extraction.ole import compound_file

_TEXT_AT = 0x400
_FC_LCB_COUNT = 0x5D
_CLX = 33
_ENCRYPTED, _TABLE_1, _UNICODE = 0x0100, 0x0200, 0x1000


def doc(*paragraphs: str, encrypted: bool = False) -> bytes:
    """A Word file of plain paragraphs."""
    text = "".join(f"{paragraph}\r" for paragraph in paragraphs)
    pieces = struct.pack("<IIHIH", 0, len(text), 0, _TEXT_AT, 0)
    clx = struct.pack("<BI", 2, len(pieces)) + pieces
    flags = _TABLE_1 | _UNICODE | (_ENCRYPTED if encrypted else 0)
    head = struct.pack("<HHHHHHHI12x", 0xA5EC, 0xC1, 0, 0x409, 0, flags, 0xBF, 0)
    head = head.ljust(32, b"\0") + struct.pack("<H28x", 14)
    head += struct.pack("<H", 22) + struct.pack("<IIII", 0, 0, 0, len(text)).ljust(88, b"\0")
    places = [(0, 0)] * _FC_LCB_COUNT
    places[_CLX] = (0, len(clx))
    head += struct.pack("<H", _FC_LCB_COUNT) + b"".join(struct.pack("<II", *each) for each in places)
    main = head.ljust(_TEXT_AT, b"\0") + text.encode("utf-16-le")
    return compound_file({"WordDocument": main, "1Table": clx})


def ppt(*slides: tuple[str, str], encrypted: bool = False) -> bytes:
    """A PowerPoint file; a slide is its title and its text."""
    stream, places = b"", []
    for _ in slides:
        places.append(len(stream))
        stream += _record(0x3EE, _record(0x3EF, bytes(24), version=2))
    places.insert(0, len(stream))
    texts = b""
    for number, (title, body) in enumerate(slides, 1):
        persist = struct.pack("<IIiII", number + 1, 4, 2, 255 + number, 0)
        texts += _record(0x3F3, persist, version=0)
        texts += _text(0, title) + _text(1, body)
    texts_list = _record(0xFF0, texts)
    stream += _record(0x3E8, _record(0x3E9, bytes(40), version=1) + texts_list)
    directory_at = len(stream)
    persists = struct.pack("<I", len(places) << 20 | 1) + struct.pack(f"<{len(places)}I", *places)
    stream += _record(0x1772, persists, version=0)
    edit_at = len(stream)
    edit = struct.pack("<IIIIIIHH", 0, 0x03000000, 0, directory_at, 1, len(places), 0, 0)
    stream += _record(0xFF5, edit, version=0)
    token = 0xF3D1C4DF if encrypted else 0xE391C05F
    user = struct.pack("<IIIHHBBH", 0x14, token, edit_at, 0, 0x3F4, 3, 0, 0)
    return compound_file(
        {"PowerPoint Document": stream, "Current User": _record(0xFF6, user, version=0)}
    )


def _text(kind: int, text: str) -> bytes:
    header = _record(0xF9F, struct.pack("<I", kind), version=0)
    return header + _record(0xFA0, text.encode("utf-16-le"), version=0)


def _record(kind: int, body: bytes, *, version: int = 0xF) -> bytes:
    return struct.pack("<HHI", version, kind, len(body)) + body
