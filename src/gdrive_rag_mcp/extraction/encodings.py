"""Finds out how a text file is encoded, and tells text from anything else.

"Try UTF-8 first" is wrong: ISO-2022 and UTF-16 without a byte order mark are valid UTF-8 too.
"""

import codecs
import re
from collections.abc import Mapping

import chardet

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.input_file import InputFile

MAX_BYTES = 40_000_000
_HEAD = 4096
_JUNK_SAMPLE = 200_000
_MAX_JUNK = 0.05
_STRAY_NULS = 0.01
_ONE_SIDED = 0.95

# UTF-32 first: its little-endian mark begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_ESCAPES = (
    (re.compile(rb"\x1b\$\)C"), "iso2022_kr"),
    (re.compile(rb"\x1b(?:\$[@B(]|\([BJI])"), "iso2022_jp_ext"),
)
# What a detector names, and the superset that the programs of the time really wrote.
_SUPERSETS: Mapping[str, str] = {
    "euc-kr": "cp949",
    "shift_jis": "cp932",
    "gb2312": "gb18030",
    "iso-8859-1": "cp1252",
}
_BEYOND_ASCII = re.compile("[^\x00-\x7f]")
_TIMES_RIGHT = 4
_JUNK = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f\ufffd\ufffe\uffff]")


def read_text(file: InputFile) -> tuple[str, tuple[str, ...]]:
    """Read a text file: its text, and what was lost on the way (at most one line).

    Raises:
        ExtractionError: it is larger than a text may be, or it is no text.
    """
    data = read_bytes(file)
    encoding = detect(data)
    try:
        return data.decode(encoding), ()
    except UnicodeDecodeError:
        return decode_with_losses(data, encoding)


def read_bytes(file: InputFile) -> bytes:
    """Read a file that is to be text.

    Raises:
        ExtractionError: it is larger than a text may be.
    """
    size = file.size
    if size > MAX_BYTES:
        raise ExtractionError(
            Reason.TOO_LARGE,
            f"The text file has {size:,} bytes, more than {MAX_BYTES:,}",
            hint="Split it into several files.",
        )
    return file.read()


def decode_with_losses(data: bytes, encoding: str) -> tuple[str, tuple[str, ...]]:
    """Text with marks for what no character stands for, and how many there are, in words."""
    text = data.decode(encoding, errors="replace")
    lost = text.count("\ufffd")
    return text, (f"{lost} characters could not be decoded as {encoding}",)


def is_text(file: InputFile) -> bool:
    """Whether a file can be read as text in any encoding."""
    try:
        detect(file.read())
    except ExtractionError:
        return False
    return True


def detect(data: bytes) -> str:
    """The codec to read a text with.

    Raises:
        ExtractionError: this is no text in any encoding.
    """
    encoding = proven(data) or _utf8(data) or _nearly_utf8(data) or _guess(data)
    if encoding is None or _junk_share(data, encoding) > _MAX_JUNK:
        raise ExtractionError(
            Reason.TYPE_MISMATCH, "The file is listed as text, but its content is binary"
        )
    return encoding


def proven(data: bytes) -> str | None:
    """The codec that bytes give away beyond doubt, whatever anyone declares."""
    return _by_mark(data) or _by_zeros(data) or _by_escapes(data)


def _by_mark(data: bytes) -> str | None:
    return next((codec for mark, codec in _MARKS if data.startswith(mark)), None)


def _by_zeros(data: bytes) -> str | None:
    """UTF-16 and UTF-32 without a mark betray themselves by where their zero bytes stand."""
    head = data[: min(_HEAD, len(data)) // 4 * 4] or data[:2]
    places = [index for index, byte in enumerate(head) if byte == 0]
    if not places or (len(places) < _STRAY_NULS * len(head) and _utf8(data)):
        return None
    counts = [sum(place % 4 == lane for place in places) for lane in range(4)]
    wide = len(head) // 4 * _ONE_SIDED
    if counts[2] > wide and counts[3] > wide:
        return "utf-32-le"
    if counts[0] > wide and counts[1] > wide:
        return "utf-32-be"
    odd = (counts[1] + counts[3]) / len(places)
    if 1 - _ONE_SIDED < odd < _ONE_SIDED:
        return None
    codec = "utf-16-le" if odd >= _ONE_SIDED else "utf-16-be"
    return codec if decodes(data[: len(data) // 2 * 2], codec) else None


def _by_escapes(data: bytes) -> str | None:
    if b"\x1b" not in data:
        return None
    for pattern, codec in _ESCAPES:
        if pattern.search(data) and decodes(data, codec):
            return codec
    return None


def _utf8(data: bytes) -> str | None:
    return "utf-8" if decodes(data, "utf-8") else None


def _nearly_utf8(data: bytes) -> str | None:
    """A stray byte or two make no other encoding: elsewhere hardly any character is valid UTF-8."""
    text = data.decode("utf-8", errors="replace")
    wrong = text.count("\ufffd")
    right = len(_BEYOND_ASCII.findall(text)) - wrong
    return "utf-8" if right > _TIMES_RIGHT * wrong else None


def _guess(data: bytes) -> str | None:
    """Statistics over every line that tells something; pages of plain ASCII would drown them."""
    telling = b"\n".join(line for line in data.split(b"\n") if not line.isascii())
    name = (chardet.detect(telling)["encoding"] or "").lower()
    codec = _SUPERSETS.get(name, name)
    try:
        return codecs.lookup(codec).name
    except LookupError:
        return None


def decodes(data: bytes, codec: str) -> bool:
    """Whether all of it is text in that codec."""
    try:
        data.decode(codec)
    except UnicodeDecodeError:
        return False
    return True


def _junk_share(data: bytes, encoding: str) -> float:
    sample = data[:_JUNK_SAMPLE].decode(encoding, errors="replace")
    return len(_JUNK.findall(sample)) / len(sample) if sample else 0.0
