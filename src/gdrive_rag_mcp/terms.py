"""What counts as a word: one reading for the index, for questions and for evidence.

Words are folded (case, width, Latin and Arabic marks). Scripts written without blanks are cut into
overlapping pairs of characters, so that any part of a run can be found; the index also has the last
character alone, and a question that asks for one character asks for all that begins with it.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import pairwise, takewhile
from operator import add

from gdrive_rag_mcp.domain import QueryTerm
from gdrive_rag_mcp.languages import detected_language, language_of
from gdrive_rag_mcp.numbers import GROUPED, digits
from gdrive_rag_mcp.stop_words import MEASURES_ASKED, STOP_PAIRS, STOP_WORDS

__all__ = [
    "detected_language",
    "fold",
    "index_text",
    "is_single_sign",
    "language_of",
    "phrase_of",
    "query_terms",
    "starts_of_forms",
    "stem",
    "tokens",
    "words",
]

_PAIRED = (
    "\u3005\u3006\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Han
    "\u3040-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"  # Kana without its middle dot
    "\uac00-\ud7a3\u1100-\u11ff\u3130-\u318f"  # Hangul
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece"  # Thai without its currency sign, Lao
    "\u1000-\u1049\u1050-\u109d\u1780-\u17d3"  # Myanmar without its punctuation, Khmer
    "\U00020000-\U0003ffff"
)
UNSPACED = _PAIRED
"""Scripts whose blanks are no borders of words, as the inside of a character class."""
_MARKED = ((0x300, 0x370), (0x591, 0x5C8), (0x610, 0x61B), (0x64B, 0x671), (0x900, 0xE00))
# Marks are part of a word in Indic scripts and Arabic, which `\w` does not know; the signs of money
# and sums in the same blocks are not.
_MARKS = "".join(
    sign
    for first, end in _MARKED
    for sign in map(chr, range(first, end))
    if unicodedata.category(sign).startswith("M")
)
MARKS = _MARKS
"""Marks that are part of a word and that `\\w` does not know, as the inside of a class."""
_PAIRED_RUN = re.compile(f"[{_PAIRED}]+")
_ONE_WORD = f"([{_PAIRED}]+)|((?:(?![{_PAIRED}_])[\\w{_MARKS}])+)"
_WORD = re.compile(_ONE_WORD)
_ASKED_WORD = re.compile(f"({GROUPED})|{_ONE_WORD}")
# Latin letters and punctuation, which the full-text index parts in the same places.
_SPLIT_BY_ITSELF = re.compile("[\\x00-\u024f\u2010-\u2027\u2030-\u205e]*")
_JOINERS = "\u00ad\u200b-\u200f"  # soft hyphens, joiners and marks of direction: never seen
_UNSEEN = re.compile(f"[{_JOINERS}]")
FOLDED_MARKS = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u0640"
"""Marks that make no other word, as the inside of a character class."""
_FOLDED_AWAY = re.compile(f"[{FOLDED_MARKS}{_JOINERS}]")
_LETTERS = str.maketrans(
    {"đ": "d", "ð": "d", "ø": "o", "ł": "l", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe"}
    | {"أ": "ا", "إ": "ا", "آ": "ا", "ى": "ي", "ی": "ي", "ک": "ك", "ة": "ه"}
)
_LETTER = re.compile(f"[{''.join(map(chr, _LETTERS))}]")


def fold(text: str) -> str:
    """Bring words that a reader takes for the same to the same characters."""
    if text.isascii():
        return text.lower()
    # Composed first: what a sign stands for (\u2103, \U0001d400) may have capitals of its own.
    folded = unicodedata.normalize("NFKC", text).casefold()
    bare = _FOLDED_AWAY.sub("", unicodedata.normalize("NFKD", folded))
    composed = unicodedata.normalize("NFC", bare)
    return composed.translate(_LETTERS) if _LETTER.search(composed) else composed


def _cut(folded: str, cut_run: Callable[[str], Iterable[str]]) -> list[str]:
    found: list[str] = []
    for run, word in _WORD.findall(folded):
        if word:
            found.append(word)
        else:
            found.extend(cut_run(run))
    return found


def _pairs(run: str) -> Iterator[str]:
    return (left + right for left, right in pairwise(run))


def _indexed_run(run: str) -> list[str]:
    # With its last character alone, each character of a run begins a token and can be found by it.
    return [*map(add, run, run[1:]), run[-1]]


def _asked_run(run: str) -> Iterable[str]:
    return tuple(_pairs(run)) or run


def tokens(text: str) -> list[str]:
    """The index tokens of a text, in order."""
    return _cut(fold(text), _indexed_run)


def index_text(text: str) -> str:
    """A text as the full-text index takes it, which splits what is Latin by itself."""
    folded = fold(text)
    if folded.isascii() or _SPLIT_BY_ITSELF.fullmatch(folded):
        return folded
    return " ".join(map(_cut_before.__getitem__, folded.split()))


class _CutBefore(dict[str, str]):
    """Tokens of what stands between two blanks, as no token reaches across one; much recurs."""

    def __missing__(self, part: str) -> str:
        found = " ".join(_cut(part, _indexed_run))
        if len(part) <= _LONGEST_KEPT:
            if len(self) >= _MOST_KEPT:
                self.clear()
            self[part] = found
        return found


_cut_before = _CutBefore()
_MOST_KEPT = 32_768
_LONGEST_KEPT = 32  # where there are no blanks, whole paragraphs are one part


def is_single_sign(token: str) -> bool:
    """Whether a token is one character of a script without blanks.

    It stands for every index token that begins with it.
    """
    return len(token) == 1 and _PAIRED_RUN.match(token) is not None


_STEMMERS = {
    "en": "english", "de": "german", "fr": "french", "es": "spanish", "pt": "portuguese",
    "it": "italian", "nl": "dutch", "tr": "turkish", "ro": "romanian", "ru": "russian",
    "el": "greek", "ar": "arabic", "hi": "hindi", "id": "indonesian", "sv": "swedish",
    "da": "danish", "no": "norwegian", "fi": "finnish", "pl": "polish", "cs": "czech",
    "hu": "hungarian", "fa": "persian",
}  # fmt: skip


# Arabic writes the article, and a conjunction or preposition before it, as one word with the noun.
_ARTICLE = re.compile("^[وف]?(?:ال|بال|كال|لل)(?=.{3})")
_LEADS = {
    "ar": ("", "ال", "وال", "فال", "بال", "وبال", "كال", "لل", "ولل", "و", "ف", "ب", "وب", "ك", "س")
}
"""What may stand before a stem in a word; elsewhere words begin with their stem."""
_SHORTEST_START = 3


@lru_cache(maxsize=16_384)
def stem(token: str, language: str) -> str:
    """The Snowball stem of a token, or the token itself where there is no stemmer.

    Arabic's article is set aside before, so that the rules of endings see the same noun with it and
    without it.
    """
    if language not in _STEMMERS or token.isdigit():
        return token
    import snowballstemmer  # 60 ms that only a search has to pay

    if language == "ar":
        token = _ARTICLE.sub("", token)
    return fold(snowballstemmer.stemmer(_STEMMERS[language]).stemWord(token))


def starts_of_forms(token: str, language: str) -> tuple[str, ...]:
    """What the words with the token's stem begin with; nothing where it has no other forms.

    A stem may end otherwise than all its forms, as `polici` (policy, policies) or `kitap` (kitabı):
    the last character is left off where enough others remain.
    """
    root = stem(token, language)
    inflected = language in _STEMMERS and not any(map(str.isdigit, token))
    if not inflected or len(root) < _SHORTEST_START:
        return ()
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(token, root, strict=False))
    shared = "".join(sign for sign, _ in alike)
    if len(shared) < _SHORTEST_START:
        shared = root
    start = shared[:-1] if len(shared) > _SHORTEST_START + 1 else shared
    return tuple(lead + start for lead in _LEADS.get(language, ("",)))


@lru_cache(maxsize=64)
def function_words(language: str) -> frozenset[str]:
    """The tokens of a language's function words and question words."""
    return frozenset(token for word in STOP_WORDS.get(language, ()) for token in tokens(word))


@lru_cache(maxsize=64)
def _folded_measures(language: str) -> tuple[str, frozenset[str]]:
    asking, measures = MEASURES_ASKED.get(language, ("", frozenset()))
    return fold(asking), frozenset(map(fold, measures))


def words(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The words of a text in order as they are seen (NFKC), each with the tokens to look for.

    A run of a script without blanks counts as one word, of pairs or of a single character; a
    number in groups, such as 5,000, as one word of its digits.
    """
    for match in _ASKED_WORD.finditer(_UNSEEN.sub("", unicodedata.normalize("NFKC", text))):
        word = match.group()
        yield word, (digits(word),) if match[1] else tuple(_cut(fold(word), _asked_run))


def phrase_of(text: str) -> str:
    """The index tokens that stand side by side wherever this text is, with blanks between.

    Its last run may go on there, where the others end as they do here.
    """
    found = _WORD.findall(fold(text))
    cut = [[word] if word else _indexed_run(run) for run, word in found]
    if found and found[-1][0]:
        cut[-1] = [*_asked_run(found[-1][0])]
    return " ".join(token for part in cut for token in part)


def text_between(text: str, first: int, last: int) -> str:
    """The text of the index tokens from one number to another, both included, as it was written.

    Numbers beyond the ends are no error; where folding joins or parts words they are off by these.
    """
    start, number = len(text), 0
    for match in _WORD.finditer(text):
        begin, end = match.span()
        following = number + (end - begin if match.lastindex == 1 else 1)
        if following > first and start == len(text):
            start = begin + max(0, first - number)
        if following > last:
            return text[start : end if match.lastindex != 1 else begin + last - number + 1]
        number = following
    return text[start:]


def query_terms(text: str) -> tuple[QueryTerm, ...]:
    """The distinct terms of a question in order; function words are marked, not dropped."""
    language = language_of(text)
    stop, (asking, measures) = function_words(language), _folded_measures(language)
    found: dict[str, QueryTerm] = {}
    before = ""
    for word, word_tokens in words(text):
        paired = _PAIRED_RUN.match(word) is not None
        for token in word_tokens:
            measure = before == asking and token in measures
            key = token not in (STOP_PAIRS if paired else stop) and not measure
            found.setdefault(token, QueryTerm(token if paired else word, token, key))
            before = token
    return tuple(found.values())
