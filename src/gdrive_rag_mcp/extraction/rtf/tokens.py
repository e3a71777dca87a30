r"""Splits RTF into its tokens: braces, control words, escaped bytes, and text.

Format: Rich Text Format 1.9.1. What is no control is bytes in the code page of the font at hand.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

# A run of text; a control word with its number and the space that ends it; a byte in hexadecimal;
# a control symbol; a brace.
_TOKEN = re.compile(
    rb"(?P<text>[^\\{}\r\n]+)|\\(?P<word>[A-Za-z]{1,32})(?P<number>-?\d{1,10})? ?"
    rb"|\\'(?P<byte>[0-9A-Fa-f]{2})|\\(?P<symbol>[^A-Za-z])|(?P<brace>[{}])|[\r\n]+|\\"
)
_STOP = re.compile(rb"[{}\\]")
_MAX_BINARY = 1 << 31

# The character sets that a font may name, as code pages.
CHARACTER_SETS: Mapping[int, str] = {
    0: "cp1252",
    77: "mac_roman",
    128: "cp932",
    129: "cp949",
    130: "johab",
    134: "gb18030",
    136: "cp950",
    161: "cp1253",
    162: "cp1254",
    163: "cp1258",
    177: "cp1255",
    178: "cp1256",
    186: "cp1257",
    204: "cp1251",
    222: "cp874",
    238: "cp1250",
}
# Control words and symbols that stand for a character.
CHARACTERS: Mapping[str, str] = {
    "tab": "\t",
    "line": "\n",
    "lbr": "\n",
    "emdash": "—",
    "endash": "–",
    "emspace": " ",
    "enspace": " ",
    "qmspace": " ",
    "bullet": "•",
    "lquote": "‘",
    "rquote": "’",
    "ldblquote": "“",
    "rdblquote": "”",
    "zwj": "\u200d",
    "zwnj": "\u200c",
    "~": "\u00a0",
    "_": "-",
    "-": "",
}


@dataclass(frozen=True, slots=True)
class Token:
    """One of `{`, `}`, `word` (with its number), `symbol` or `text` (bytes)."""

    kind: str
    name: str = ""
    number: int | None = None
    content: bytes = b""


# Made once, as a file may be nothing but braces.
_BRACES: Mapping[bytes, Token] = {b"{": Token("{"), b"}": Token("}")}


class Tokens:
    """The tokens of a file, one after another; a reader that skips a group says so."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def __iter__(self) -> Iterator[Token]:
        while found := _TOKEN.match(self._data, self._at):
            self._at = found.end()
            kind = found.lastgroup
            if kind == "text":
                yield Token("text", content=found["text"])
            elif kind == "byte":
                yield Token("text", content=bytes.fromhex(found["byte"].decode()))
            elif kind == "brace":
                yield _BRACES[found["brace"]]
            elif kind == "symbol":
                yield Token("symbol", found["symbol"].decode("latin-1"))
            elif kind:
                yield from self._word(found)

    def skip_group(self) -> None:
        """Go on before the brace that closes the group at hand."""
        depth = 1
        while found := _STOP.search(self._data, self._at):
            self._at = found.end()
            mark = found[0]
            if mark == b"\\":
                self._skip_control()
            else:
                depth += 1 if mark == b"{" else -1
            if not depth:
                self._at -= 1
                return
        self._at = len(self._data)

    def _skip_control(self) -> None:
        """Braces may be escaped, and raw bytes may be braces."""
        found = _TOKEN.match(self._data, self._at - 1)
        if found:
            self._at = found.end()
            if found["word"] == b"bin":
                self._skip_binary(found)

    def _word(self, found: re.Match[bytes]) -> Iterator[Token]:
        if found["word"] == b"bin":
            self._skip_binary(found)
            return
        number = None if found["number"] is None else int(found["number"])
        yield Token("word", found["word"].decode(), number)

    def _skip_binary(self, found: re.Match[bytes]) -> None:
        count = int(found["number"] or 0)
        self._at = min(self._at + max(0, min(count, _MAX_BINARY)), len(self._data))
