"""Decodes what says of itself how it is encoded, and may be wrong: pages, parts of mails.

What the bytes prove comes first, then what is declared, if the text it gives is plausible, then
detection. A page that declares UTF-8 and is not, or Latin and is Korean, reads right all the same.
"""

import codecs
import re
from collections.abc import Mapping

from gdrive_rag_mcp.extraction import encodings
from gdrive_rag_mcp.extraction.encoding_guess import Guess
from gdrive_rag_mcp.extraction.encodings import decodes, identify, proven

_PROLOGUE = 4_096
_DECLARATIONS = (
    re.compile(rb"(?i)<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]{1,40})"),
    re.compile(rb"(?i)<meta[^>]{0,500}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})"),
)
# Labels of the web and of mail programs that Python does not know, and those that mean more.
_LABELS: Mapping[str, str] = {
    "cp-850": "cp850",
    "gb_2312-80": "gb18030",
    "iso-8859-8-e": "iso8859-8",
    "iso-8859-8-i": "iso8859-8",
    "iso-8859-11": "cp874",
    "ks_c_5601": "cp949",
    "ksc5601": "cp949",
    "sjis": "cp932",
    "tis-620": "cp874",
    "windows-31j": "cp932",
    "windows-874": "cp874",
    "windows-949": "cp949",
    "x-euc-jp": "euc_jp",
    "x-gbk": "gb18030",
    "x-mac-roman": "mac_roman",
    "x-sjis": "cp932",
    "x-windows-949": "cp949",
}
_WIDER: Mapping[str, str] = {
    "ascii": "cp1252",
    "euc_kr": "cp949",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "shift_jis": "cp932",
}
# UTF-16 and UTF-32 show themselves; what declares them and does not look so is something else.
_TEXT_CODEC = re.compile(
    r"utf-8|cp\d+|iso8859-\d+|iso2022_\w+|euc_\w+|koi8-\w|mac-\w+|big5\w*|gb18030|hz|johab|kz1048"
    r"|shift_jis\w*"
)
_WESTERN = frozenset({"cp1252", "cp1254", "iso8859-15", "cp850", "mac-roman"})
_FOREIGN_RUN = re.compile(r"[^\x00-\x7f\s]{4,}")
_MAX_FOREIGN = 0.3
"""In Latin alphabets letters beyond ASCII stand among others; elsewhere they come in runs."""
_MAX_BROKEN = 0.02
_SAMPLE = 200_000
_FEW = 8
_MULTIBYTE = re.compile("cp9(?:32|49|50)|gb|big5|euc|hz|johab|shift|iso2022")
"""A few characters in one of these can be valid UTF-8 by chance; in the others they cannot."""
_BEYOND_ASCII = re.compile("[^\x00-\x7f]")
_CONTROLS = re.compile("[\x80-\x9f]")
_TAG = re.compile(rb"<[^<>]*>")


def decode(data: bytes, declared: str = "") -> tuple[str, tuple[str, ...]]:
    """A text, and what was lost on the way (at most one line).

    `declared` is a charset as a header names it; without one, the text is looked at for its own.

    Raises:
        ExtractionError: this is no text in any encoding.
    """
    return encodings.decode(data, _encoding(data, declared))


def declared_charset(data: bytes) -> str:
    """The charset that a page names in its first lines, or nothing."""
    head = data[:_PROLOGUE]
    found = next(filter(None, (pattern.search(head) for pattern in _DECLARATIONS)), None)
    return found[1].decode("ascii") if found else ""


def _encoding(data: bytes, declared: str) -> Guess:
    certain = proven(data)
    if certain:
        return Guess(certain, 1.0)
    named = codec_of(declared) or codec_of(declared_charset(data))
    if named == "utf-8":
        return Guess(named, 1.0) if _is_nearly_utf8(data) else _detected(data)
    if named and _is_plausible(data, named):
        return Guess(named, 1.0)
    return _detected(data)


def _detected(data: bytes) -> Guess:
    """By the text alone: a detector believes what the tags declare."""
    return identify(_TAG.sub(b" ", data))


def codec_of(label: str) -> str:
    """Python's name for a charset label, or nothing if there is no such text encoding."""
    label = label.strip().strip("\"'").lower()
    try:
        found = codecs.lookup(_LABELS.get(label, label)).name
    except (LookupError, ValueError):
        return ""
    name = _WIDER.get(found, found)
    return name if _TEXT_CODEC.fullmatch(name) else ""


def _is_nearly_utf8(data: bytes) -> bool:
    """A page may hold a few damaged characters, or end within one, and still be what it says."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data)
    except UnicodeDecodeError:
        pass
    else:
        return True
    sample = data[:_SAMPLE].decode("utf-8", errors="replace")
    beyond = len(_BEYOND_ASCII.findall(sample))
    return sample.count("\ufffd") <= max(1, beyond) * _MAX_BROKEN


def _is_plausible(data: bytes, codec: str) -> bool:
    """Whether a text so decoded can be meant; any bytes at all are text in some of the codecs."""
    if not decodes(data, codec):
        return False
    sample = data[:_SAMPLE].decode(codec, errors="replace")
    beyond = len(_BEYOND_ASCII.findall(sample))
    by_chance = _FEW if _MULTIBYTE.match(codec) else 0
    if beyond > by_chance and decodes(data, "utf-8"):
        return False
    if _CONTROLS.search(sample):
        return False
    if codec not in _WESTERN:
        return True
    in_runs = sum(map(len, _FOREIGN_RUN.findall(sample)))
    return beyond <= _FEW or in_runs <= beyond * _MAX_FOREIGN
