"""What every text goes through before offsets are taken, and every question before it is read."""

import re
import unicodedata

# Kept: tab, newline, and the joiners (U+200C, U+200D) that change how Persian and Indic text reads.
# Dropped: NUL and other controls, lone surrogates, bidi overrides and isolates, the BOM, the
# non-characters that PDF engines put for soft line-end hyphens, and tag characters, in which text
# can be hidden from people but not from models.
_DROPPED = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff"
    "\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff\U000e0000-\U000e007f]"
)
_LINE_ENDS = re.compile("\r\n?")
# Soft line ends of slides, page feeds of plain text, and the separators of Unicode and EBCDIC: they
# part words, and end no line, as no editor that counts lines takes them for ends.
_BREAKS = re.compile("[\x0b\x0c\x85\u2028\u2029]")


def clean(text: str) -> str:
    r"""Bring text to the one form that is stored, searched and cited: NFC, `\n`, no controls."""
    if text.isascii() and text.isprintable():
        return text
    text = _BREAKS.sub(" ", _LINE_ENDS.sub("\n", text))
    return unicodedata.normalize("NFC", _DROPPED.sub("", text))
