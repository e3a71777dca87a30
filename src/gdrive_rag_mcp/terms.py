"""What counts as a word: one reading for the index, for questions and for evidence.

Words are folded (case, width, Latin and Arabic marks). Scripts written without blanks are cut into
overlapping pairs of characters, so that any part of a run can be found.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from gdrive_rag_mcp.domain import QueryTerm
from gdrive_rag_mcp.stop_words import STOP_PAIRS, STOP_WORDS

_PAIRED = (
    "\u3005\u3006\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Han, Kana
    "\uac00-\ud7a3\u1100-\u11ff\u3130-\u318f"  # Hangul
    "\u0e01-\u0e4e\u0e81-\u0ece\u1000-\u109f\u1780-\u17d3"  # Thai, Lao, Myanmar, Khmer
    "\U00020000-\U0003ffff"
)
# Marks are part of a word in Indic scripts and Arabic, which `\w` does not know.
_MARKS = "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0963\u0971-\u0dff"
_PAIRED_RUN = re.compile(f"[{_PAIRED}]+")
_WORD = re.compile(f"([{_PAIRED}]+)|((?:(?![{_PAIRED}_])[\\w{_MARKS}])+)")
_FOLDED_AWAY = re.compile("[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u0640\u00ad\u200b-\u200f]")
_LETTERS = str.maketrans(
    {"đ": "d", "ð": "d", "ø": "o", "ł": "l", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe"}
    | {"أ": "ا", "إ": "ا", "آ": "ا", "ى": "ي", "ی": "ي", "ک": "ك", "ة": "ه"}
)


def fold(text: str) -> str:
    """Bring words that a reader takes for the same to the same characters."""
    if text.isascii():
        return text.lower()
    bare = _FOLDED_AWAY.sub("", unicodedata.normalize("NFKD", text.casefold()))
    return unicodedata.normalize("NFC", bare).translate(_LETTERS)


def _pairs(run: str) -> Iterator[str]:
    if len(run) == 1:
        yield run
    for left, right in zip(run, run[1:], strict=False):
        yield left + right


def tokens(text: str) -> list[str]:
    """The index tokens of a text, in order."""
    found: list[str] = []
    for run, word in _WORD.findall(fold(text)):
        if word:
            found.append(word)
        else:
            found.extend(_pairs(run))
    return found


def index_text(text: str) -> str:
    """A text as the full-text index takes it: folded, with paired runs cut up."""
    folded = fold(text)
    if folded.isascii():
        return folded
    return _PAIRED_RUN.sub(lambda run: f" {' '.join(_pairs(run.group()))} ", folded)


_SCRIPTS = (
    ("ko", re.compile("[\uac00-\ud7a3]")),
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("zh", re.compile("[\u4e00-\u9fff]")),
    ("th", re.compile("[\u0e01-\u0e4e]")),
    ("ru", re.compile("[\u0400-\u04ff]")),
    ("el", re.compile("[\u0370-\u03ff]")),
    ("fa", re.compile("[\u067e\u0686\u0698\u06af\u06a9\u06cc]")),
    ("ar", re.compile("[\u0600-\u06ff]")),
    ("hi", re.compile("[\u0900-\u097f]")),
)
_LATIN = ("en", "de", "fr", "es", "pt", "it", "nl", "vi", "tr", "ro")


def language_of(text: str) -> str:
    """Guess a question's language: by script, and in Latin script by its function words."""
    for language, script in _SCRIPTS:
        if script.search(text):
            return language
    words = set(_WORD_SPLIT.split(text.casefold()))
    return max(_LATIN, key=lambda language: len(words & STOP_WORDS[language]))


_WORD_SPLIT = re.compile(r"[\W_]+")
_STEMMERS = {
    "en": "english", "de": "german", "fr": "french", "es": "spanish", "pt": "portuguese",
    "it": "italian", "nl": "dutch", "tr": "turkish", "ro": "romanian", "ru": "russian",
    "el": "greek", "ar": "arabic", "hi": "hindi",
}  # fmt: skip


@lru_cache(maxsize=16_384)
def stem(token: str, language: str) -> str:
    """The Snowball stem of a token, or the token itself where there is no stemmer."""
    if language not in _STEMMERS or token.isdigit():
        return token
    import snowballstemmer  # noqa: PLC0415 - 60 ms that only a search has to pay

    return fold(snowballstemmer.stemmer(_STEMMERS[language]).stemWord(token))


@lru_cache(maxsize=64)
def _folded_stop_words(language: str) -> frozenset[str]:
    return frozenset(token for word in STOP_WORDS.get(language, ()) for token in tokens(word))


def query_terms(text: str) -> tuple[QueryTerm, ...]:
    """The distinct terms of a question in order; function words are marked, not dropped."""
    language = language_of(text)
    stop = _folded_stop_words(language)
    found: dict[str, QueryTerm] = {}
    for match in _WORD.finditer(unicodedata.normalize("NFKC", text)):
        run, word = match.groups()
        for token in tokens(run or word):
            key = token not in (STOP_PAIRS if run else stop)
            found.setdefault(token, QueryTerm(token if run else word, token, key))
    return tuple(found.values())
