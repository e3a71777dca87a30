"""How a quote may be written otherwise than in its document, and still be the same quote.

Each tolerance is a step towards one canonical form. Two texts are alike when the forms are the
same, and the fewest steps that suffice are what had to be overlooked.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping

from gdrive_rag_mcp.terms import FOLDED_MARKS, MARKS, UNSPACED

INVISIBLE_SIGNS = "\u00ad\u034f\u061c\u180e\u200b-\u200f\u2060-\u2064\ufe00-\ufe0f"
"""Soft hyphens, joiners, marks of direction, selectors of variants: the inside of a class."""
DASH_SIGNS = "\\-\u058a\u05be\u2010-\u2015\u2212\u2e3a\u2e3b\ufe58\ufe63\uff0d"
"""Hyphens, dashes and minus signs, as the inside of a character class."""
QUOTE_SIGNS = (
    "\"'`\u00ab\u00b4\u00bb\u05f3\u05f4\u2018-\u201f\u2039\u203a\u300c-\u300f\u301d-\u301f"
    "\uff02\uff07\uff62\uff63"
)
"""Quotation marks and apostrophes, as the inside of a character class."""
ELLIPSIS = re.compile(r"[\u2026\u22ef]+|\.(?:\s?\.){2,}")
_INVISIBLE = re.compile(f"\u00ad\\s*\n\\s*|[{INVISIBLE_SIGNS}]")
_DASHES = re.compile(f"[{DASH_SIGNS}]+")
_QUOTES = re.compile(f"[{QUOTE_SIGNS}]+")
_MARKUP = re.compile("[|*\u2022]+")
_GROUPED = re.compile("(?<=\\d)[\u00a0\u2009\u202f'\u2019](?=\\d{3}(?!\\d))")
_MARK_OF_NO_USE = re.compile(r"(?<!\d)\^")
_FOLDED_MARK = re.compile(f"[{FOLDED_MARKS}]")
_BARE_LETTERS = str.maketrans(
    {"đ": "d", "ð": "d", "ø": "o", "ł": "l", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe"}
    | {"Đ": "D", "Ð": "D", "Ø": "O", "Ł": "L", "Ħ": "H", "Æ": "AE", "Œ": "OE"}
    | {"أ": "ا", "إ": "ا", "آ": "ا", "ى": "ي", "ی": "ي", "ک": "ك", "ة": "ه"}
)
_LINE_END_HYPHEN = re.compile("(?<=[^\\W\\d_])[-\u2010][^\\S\n]*\n\\s*(?=[^\\W\\d_])")
_INNER_HYPHEN = re.compile("(?<=[^\\W\\d_])[-\u2010]\\s*(?=[^\\W\\d_])")
_BLANKS = re.compile(r"\s+")
_BETWEEN_NUMBERS = re.compile(r"(?<=\d[.,]) (?=\d)")
_FREE_BLANK = re.compile(
    f"(?<=[^\\w\\s{MARKS}]) | (?=[^\\w\\s{MARKS}])|(?<=[{UNSPACED}]) | (?=[{UNSPACED}])"
)


def digit_of(sign: str) -> str:
    """A decimal digit of any script as it is written in Latin script; other signs as they are."""
    value = unicodedata.decimal(sign, None)
    return sign if value is None else str(value)


class _LetterForms(dict[int, str]):
    """Compatibility forms spelled out, with a mark before what is raised, lowered or a fraction."""

    def __missing__(self, code: int) -> str:
        sign = chr(code)
        spelled = unicodedata.normalize("NFKC", sign)
        if unicodedata.decomposition(sign).startswith(("<super>", "<sub>", "<fraction>")):
            spelled = f"^{spelled}"
        self[code] = spelled.replace("\u2044", "/")
        return self[code]


class _LatinDigits(dict[int, str]):
    def __missing__(self, code: int) -> str:
        self[code] = digit_of(chr(code))
        return self[code]


_letter_forms = _LetterForms()
_latin_digits = _LatinDigits()


def _spelled(text: str) -> str:
    # m² is m2, but 10² is not 102.
    spelled = unicodedata.normalize("NFC", text.translate(_letter_forms))
    return _MARK_OF_NO_USE.sub("", spelled)


def _without_marks(text: str) -> str:
    bare = _FOLDED_MARK.sub("", unicodedata.normalize("NFD", text))
    return unicodedata.normalize("NFC", bare).translate(_BARE_LETTERS)


def _blanks(text: str) -> str:
    """One blank for many, and none beside punctuation or in scripts that do without."""
    return _FREE_BLANK.sub("", _BETWEEN_NUMBERS.sub("_", _BLANKS.sub(" ", text))).strip()


_STEPS: Mapping[str, Callable[[str], str]] = {
    "invisible_signs": lambda text: _INVISIBLE.sub("", text),
    "letter_forms": _spelled,
    "quotation_marks": lambda text: _QUOTES.sub('"', text),
    "ellipsis": lambda text: ELLIPSIS.sub("...", text),
    "dashes": lambda text: _DASHES.sub("-", text),
    "markup": lambda text: _MARKUP.sub(" ", text),
    "digits": lambda text: _GROUPED.sub("", text).translate(_latin_digits),
    "case": str.casefold,
    "diacritics": _without_marks,
}
_HYPHENATION, _WHITESPACE = "hyphenation", "whitespace"
TOLERANCES = (*_STEPS, _HYPHENATION, _WHITESPACE)
"""What may be overlooked, by name, in the order in which it is taken out of both texts."""
# A step that does what another does too is tried to be done without before that other one.
_FIRST = ("case", "letter_forms")
_DONE_WITHOUT = (*_FIRST, *(name for name in TOLERANCES if name not in _FIRST))


def alike(quote: str, found: str, overlooking: tuple[str, ...] = TOLERANCES) -> bool:
    """Whether two texts are the same once all of that is overlooked."""
    for name in overlooking:
        if name in _STEPS:
            quote, found = _STEPS[name](quote), _STEPS[name](found)
    if _HYPHENATION in overlooking and any(map(_LINE_END_HYPHEN.search, (quote, found))):
        quote, found = _INNER_HYPHEN.sub("", quote), _INNER_HYPHEN.sub("", found)
    if _WHITESPACE in overlooking:
        quote, found = _blanks(quote), _blanks(found)
    return quote == found


def overlooked(quote: str, found: str) -> tuple[str, ...]:
    """The fewest tolerances by which two texts that are alike are the same."""
    needed = TOLERANCES
    for name in _DONE_WITHOUT:
        without = tuple(other for other in needed if other != name)
        if alike(quote, found, without):
            needed = without
    return needed
