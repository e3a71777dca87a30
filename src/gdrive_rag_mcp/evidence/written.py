"""How words of a known form are looked for in a text: less is folded away than for the index.

Marks tell words apart that fold to one, as Vietnamese "không" (not) and "khống" (control), and
figures need the signs that stand by them.
"""

import re
import unicodedata

from gdrive_rag_mcp.terms import fold

_PART_OF_WORD = "\\w\u0900-\u0903\u093a-\u094f"  # Devanagari vowel signs are no `\w`
_WORDS = re.compile(f"[{_PART_OF_WORD}]+")
_MARKS_TELL = {"vi"}


def plain(text: str) -> str:
    """A text in lower case and usual width, with its marks."""
    return unicodedata.normalize("NFKC", text).lower()


def comparable(text: str, language: str) -> str:
    """A text with its marks where they tell words apart, folded where people leave them out."""
    return plain(text) if language in _MARKS_TELL else fold(text)


def whole_words(pattern: str) -> re.Pattern[str]:
    """A pattern that begins and ends at the border of a word."""
    return re.compile(f"(?<![{_PART_OF_WORD}])(?:{pattern})(?![{_PART_OF_WORD}])")


def split_words(text: str) -> frozenset[str]:
    """The distinct words of a text in a script with blanks."""
    return frozenset(_WORDS.findall(text))


def listed(forms: str) -> list[str]:
    """The forms of a list parted by commas."""
    return [" ".join(form.split()) for form in forms.split(",")]
