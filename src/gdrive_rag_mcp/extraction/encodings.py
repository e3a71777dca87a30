"""Finds out how a text file is encoded, decodes it, and tells text from anything else.

"Try UTF-8 first" is wrong: ISO-2022 and UTF-16 without a byte order mark are valid UTF-8 too.
"""

import codecs
import re
import unicodedata

from gdrive_rag_mcp.domain import Reason
from gdrive_rag_mcp.errors import ExtractionError
from gdrive_rag_mcp.extraction.encoding_guess import Guess, guess, right_and_wrong
from gdrive_rag_mcp.extraction.input_file import InputFile

MAX_BYTES = 40_000_000
_HEAD = 4096
_JUNK_SAMPLE = 200_000
_MAX_JUNK = 0.05
_FEW = 3
_MAX_JUNK_OF_FEW = 0.2
_MAX_GAPS = 8
"""A crash leaves a run of zeros in a log, however long; programs and pictures have many runs."""
_ALL_BUT_FEW = 0.95
_MOSTLY = 0.5
_MAX_ODD = 0.02
_MIN_BLANKS = 2
_TIMES_RIGHT = 4

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
_WIDE = re.compile("utf-(?:16|32)")
_NULS = re.compile(rb"\0+")
_JUNK = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f\ufffd\ufffe\uffff]")
_CONTROLS = re.compile(rb"[\x01-\x09\x0b\x0c\x0e-\x1f]")
_MAX_CONTROLS = 0.2
"""Letters of Greek to Thai are valid UTF-8 in UTF-16, too, but every other byte is a control."""
_NO_CHARACTERS = {"cp932": re.compile("[\x80\xa0\uf8f0-\uf8f3]")}
"""What Python makes of bytes to which a codec gives no meaning, instead of refusing them."""
_ODD = frozenset({"Cc", "Cn", "Co", "Cs"})


def read_text(file: InputFile) -> tuple[str, tuple[str, ...]]:
    """Read a text file: its text, and what was lost on the way (at most one line).

    Raises:
        ExtractionError: it is larger than a text may be, or it is no text.
    """
    data = read_bytes(file)
    return decode(data, identify(data))


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


def decode(data: bytes, found: Guess) -> tuple[str, tuple[str, ...]]:
    """Text with marks for what no character stands for, and what was lost (at most one line)."""
    codec = found.codec
    narrow = data if _WIDE.match(codec) else _without_nuls(data)
    try:
        text, lost = narrow.decode(codec), 0
    except UnicodeDecodeError:
        text = narrow.decode(codec, errors="replace")
        lost = text.count("\ufffd")
    if codec in _NO_CHARACTERS:
        text, more = _NO_CHARACTERS[codec].subn("\ufffd", text)
        lost += more
    remarks = (
        f"{lost} characters could not be decoded as {codec}" if lost else "",
        f"{len(data) - len(narrow)} zero bytes were left out" if narrow != data else "",
        f"the encoding is uncertain, it was read as {codec}" if found.doubtful else "",
    )
    line = "; ".join(filter(None, remarks))
    return text, (line,) if line else ()


def is_text(file: InputFile) -> bool:
    """Whether a file can be read as text in any encoding."""
    try:
        identify(file.read())
    except ExtractionError:
        return False
    return True


def detect(data: bytes) -> str:
    """The codec to read a text with.

    Raises:
        ExtractionError: this is no text in any encoding.
    """
    return identify(data).codec


def identify(data: bytes) -> Guess:
    """The codec to read a text with, and how sure that is.

    Raises:
        ExtractionError: this is no text in any encoding.
    """
    narrow = _without_nuls(data)
    certain = proven(data) or _utf8(narrow)
    found = Guess(certain, 1.0) if certain else guess(narrow)
    if found is None or _is_junk(data, found.codec):
        raise ExtractionError(
            Reason.TYPE_MISMATCH, "The file is listed as text, but its content is binary"
        )
    return found


def proven(data: bytes) -> str | None:
    """The codec that bytes give away beyond doubt, whatever anyone declares."""
    return _by_mark(data) or _by_zeros(data) or _by_escapes(data)


def _by_mark(data: bytes) -> str | None:
    return next((codec for mark, codec in _MARKS if data.startswith(mark)), None)


def _by_zeros(data: bytes) -> str | None:
    """UTF-16 and UTF-32 without a mark betray themselves by where their zero bytes stand."""
    head = data[: min(_HEAD, len(data)) // 4 * 4] or data[:2]
    if b"\0" not in head:
        return None
    zeros = [head[lane::4].count(0) for lane in range(4)]
    wide = len(head) // 4 * _ALL_BUT_FEW
    if zeros[2] > wide and zeros[3] > wide:
        return "utf-32-le"
    if zeros[0] > wide and zeros[1] > wide:
        return "utf-32-be"
    return next((codec for codec in ("utf-16-le", "utf-16-be") if _is_utf16(head, codec)), None)


def _is_utf16(head: bytes, codec: str) -> bool:
    """Whether most letters are Latin, or most blanks two bytes wide: one zero proves nothing."""
    text = head.decode(codec, errors="replace")
    if sum(map(_is_odd, text)) > _MAX_ODD * len(text):
        return False
    if sum(letter < "\u0100" for letter in text) > _MOSTLY * len(text):
        return True
    controls = len(_CONTROLS.findall(head))
    if decodes(head, "utf-8", whole=False) and controls <= _MAX_CONTROLS * len(head):
        return False
    blanks = text.count(" ") + text.count("\n")
    low = head[codec == "utf-16-be" :: 2]
    return blanks >= max(_MIN_BLANKS, _MOSTLY * (head.count(b" ") + low.count(b"\n")))


def _is_odd(letter: str) -> bool:
    return letter == "\ufffd" or (
        unicodedata.category(letter) in _ODD and letter not in "\t\n\v\f\r\x1b"
    )


def _by_escapes(data: bytes) -> str | None:
    if b"\x1b" not in data:
        return None
    for pattern, codec in _ESCAPES:
        if pattern.search(data) and _is_nearly(data, codec):
            return codec
    return None


def _utf8(data: bytes) -> str | None:
    return "utf-8" if _is_nearly(data, "utf-8") else None


def _is_nearly(data: bytes, codec: str) -> bool:
    """A stray byte or two make no other encoding: elsewhere hardly any character is valid here."""
    if decodes(data, codec):
        return True
    right, wrong = right_and_wrong(data, codec)
    return right > _TIMES_RIGHT * wrong


def decodes(data: bytes, codec: str, *, whole: bool = True) -> bool:
    """Whether all of it is text in that codec; if not `whole`, it may end within a character."""
    try:
        codecs.getincrementaldecoder(codec)().decode(data, final=whole)
    except UnicodeDecodeError:
        return False
    return True


def _without_nuls(data: bytes) -> bytes:
    """A zero byte is part of no narrow text: left in, it splits characters of several bytes."""
    return data.replace(b"\0", b"") if b"\0" in data else data


def _is_junk(data: bytes, codec: str) -> bool:
    sample = data[:_JUNK_SAMPLE]
    if not _WIDE.match(codec) and len(_NULS.findall(sample)) <= _MAX_GAPS:
        sample = _NULS.sub(b"\0", sample)
    text = sample.decode(codec, errors="replace")
    junk = len(_JUNK.findall(text))
    return junk > _MAX_JUNK * len(text) and (junk > _FEW or junk > _MAX_JUNK_OF_FEW * len(text))
