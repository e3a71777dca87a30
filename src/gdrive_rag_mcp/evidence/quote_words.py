"""The words of a quote and of its document, to be compared one by one, and what a change means."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from gdrive_rag_mcp.domain import Difference, DifferenceKind
from gdrive_rag_mcp.evidence.quote_bones import bones_of
from gdrive_rag_mcp.evidence.quote_forms import DASH_SIGNS, INVISIBLE_SIGNS, QUOTE_SIGNS, digit_of
from gdrive_rag_mcp.evidence.telling_words import denies, is_date, is_negation, is_number
from gdrive_rag_mcp.terms import MARKS, UNSPACED

_ATTACHED = (
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u17b6-\u17d3"
    "\u3099\u309a"
)  # vowels and tones of Thai, Lao, Myanmar and Khmer, voicing of Kana
_LEADING = "\u0e40-\u0e44\u0ec0-\u0ec4"  # vowels that are written before their consonant
_LETTER = f"(?:(?![{UNSPACED}_])[\\w{MARKS}{INVISIBLE_SIGNS}])"
_JOINT = f"(?:[{QUOTE_SIGNS}]|[-\u2010\u2011](?:[^\\S\n]*\n\\s*)?|\u00ad[^\\S\n]*\n\\s*)"
TOKEN = re.compile(
    rf"(?:(?<![\w)\]])[-+\u2212])?\d+(?:[.,:/\u00b7\u00a0\u2009\u202f'\u2019{DASH_SIGNS}]\d+)*"
    rf"|(?!\d){_LETTER}+(?:{_JOINT}{_LETTER}+)*"
    rf"|[{_LEADING}]?[{UNSPACED}][{_ATTACHED}]*"
    r"|\.{2,}|\u2026+|[^\w\s]"
)
"""A number with its sign and separators, a word with its hyphens and apostrophes, one sign of a
script without blanks with what is attached to it, or one other sign."""
_UNSPACED = re.compile(f"[{UNSPACED}]")
_DASH = re.compile(f"[{DASH_SIGNS}]")
_QUOTE = re.compile(f"[{QUOTE_SIGNS}]")
_GROUPING = re.compile("[\u00a0\u2009\u202f'\u2019]")
_AFTER_HYPHEN = re.compile("[-\u2010\u2011\u00ad]\\s*\\Z")
_LINE_END = 12
_LONGEST_TOKEN = 120
_SENTENCE_ENDS = frozenset(".!?…。！？।؟")


@dataclass(frozen=True)
class Token:
    """A word, number or sign at its place in a text."""

    text: str
    start: int
    end: int

    @cached_property
    def bones(self) -> str:
        """What is looked for of it in a long text."""
        return bones_of(self.text)

    @cached_property
    def key(self) -> str:
        """What it is compared by: as a quote may write it."""
        if self.numeric:
            return _DASH.sub("-", _GROUPING.sub("", "".join(map(digit_of, self.text))))
        if self.bones:
            return self.bones
        return _QUOTE.sub('"', _DASH.sub("-", unicodedata.normalize("NFKC", self.text)))

    @cached_property
    def numeric(self) -> bool:
        """Whether it is a number in digits, with its sign and separators."""
        return self.text[-1].isdecimal() and not any(map(str.isalpha, self.text))

    @property
    def weight(self) -> int:
        """Letters and digits; a sign such as % or € counts as one, punctuation as none."""
        return len(self.bones) or int(unicodedata.category(self.text[0])[0] == "S")

    @property
    def unspaced(self) -> bool:
        return _UNSPACED.match(self.text) is not None

    @property
    def ends_sentence(self) -> bool:
        return self.text[0] in _SENTENCE_ENDS


def tokens_of(text: str, start: int = 0, end: int | None = None) -> list[Token]:
    """The tokens of a part of a text, with offsets into the whole."""
    stop = len(text) if end is None else end
    return [Token(m.group(), m.start(), m.end()) for m in TOKEN.finditer(text, start, stop)]


def straddling(text: str, at: int) -> Token | None:
    """The word or number that a cut before the character `at` goes through."""
    if not 0 < at < len(text) or text[at].isspace():
        return None
    if text[at - 1].isspace() and not _AFTER_HYPHEN.search(text, max(0, at - _LINE_END), at):
        return None
    earliest = max(0, at - _LONGEST_TOKEN)
    start = earliest if text[at - 1].isspace() else text.rfind(" ", earliest, at) + 1 or earliest
    for found in TOKEN.finditer(text, start, at + _LONGEST_TOKEN):
        if found.start() >= at:
            return None
        if found.end() > at:
            return Token(found.group(), found.start(), found.end())
    return None


def difference(
    quote: Sequence[Token], document: Sequence[Token], texts: tuple[str, str], language: str
) -> Difference:
    """What is otherwise in a stretch of the quote, and what stands there in the document.

    `texts` are those that the tokens were taken from.
    """
    words = [[token for token in side if token.weight] for side in (quote, document)]
    kind = _kind(words[0], words[1], language)
    return Difference(kind, _said(quote, texts[0]), _said(document, texts[1]))


def _said(tokens: Sequence[Token], text: str) -> str:
    return text[tokens[0].start : tokens[-1].end] if tokens else ""


def _kind(quote: Sequence[Token], document: Sequence[Token], language: str) -> DifferenceKind:
    if not quote and not document:
        return DifferenceKind.PUNCTUATION
    changed = [token for side in (quote, document) for token in side]
    runs = ["".join(token.text for token in side) for side in (quote, document)]
    texts = {*(token.text for token in changed), *runs}
    if denies(*runs) or any(is_negation(text, language) for text in texts):
        return DifferenceKind.NEGATION
    if any(is_date(text, language) for text in texts):
        return DifferenceKind.DATE
    if any(is_number(text, language) for text in texts):
        return DifferenceKind.NUMBER
    if bones_of(runs[0]) == bones_of(runs[1]):
        return DifferenceKind.SPACING
    # In German, every noun is written like a name.
    named = any(token.text[0].isupper() for token in changed)
    return DifferenceKind.NAME if named else DifferenceKind.WORDING
