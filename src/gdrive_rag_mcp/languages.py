"""Which language a text is in: by its script, and by the function words of Latin script."""

import re
from functools import lru_cache

from gdrive_rag_mcp.stop_words import STOP_WORDS

_SCRIPTS = {
    "latin": re.compile("[a-z\u00df-\u024f\u1e00-\u1eff]+"),
    "ko": re.compile("[\uac00-\ud7a3]+"),
    "kana": re.compile("[\u3041-\u3096\u30a1-\u30fa]+"),
    "han": re.compile("[\u3400-\u4dbf\u4e00-\u9fff]+"),
    "th": re.compile("[\u0e01-\u0e4e]+"),
    "ru": re.compile("[\u0400-\u04ff]+"),
    "el": re.compile("[\u0370-\u03ff\u1f00-\u1fff]+"),
    "ar": re.compile("[\u0600-\u06ff]+"),
    "hi": re.compile("[\u0900-\u097f]+"),
}
_LETTERS_TO_A_SYLLABLE = 2  # what Latin spells out, these scripts write in one sign
_SYLLABIC = {"ko", "kana", "han"}
_PERSIAN = re.compile("[\u067e\u0686\u0698\u06af\u06a9\u06cc]")
_PERSIAN_SHARE = 0.02  # of the letters; Arabic has none of these, Persian one in six
_KANA_SHARE = 0.1  # of Han and Kana; Chinese quotes a Japanese name now and then
_LATIN = (
    *("en", "de", "fr", "es", "pt", "it", "nl", "vi", "tr", "ro"),
    *("id", "sv", "da", "no", "fi", "pl", "cs", "hu"),
)
# Signs that no other language of the list writes; each counts like a function word.
_TELLTALE = {
    "vi": frozenset("ơưđạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ"),
    "tr": frozenset("ğı"),
    "ro": frozenset("țșţ"),
    "es": frozenset("¿¡ñ"),
    "pt": frozenset("ãõ"),
    "pl": frozenset("ąęłńśźż"),
    "cs": frozenset("ěřůť"),
    "hu": frozenset("őű"),
}
_FUNCTION_WORD_SHARE = 0.05  # of the words; a language we have no list for has fewer by chance


# One question is looked at by several parts of a search, each of which asks for its language.
_lately = lru_cache(maxsize=16)


@_lately
def detected_language(text: str) -> str | None:
    """The language most of a text is written in, or None where the text does not say.

    By script, and within Latin script by function words: a name, a code or a row of figures is in
    no language.
    """
    text = text.casefold()
    letters = {name: sum(map(len, script.findall(text))) for name, script in _SCRIPTS.items()}
    for script in _SYLLABIC:
        letters[script] *= _LETTERS_TO_A_SYLLABLE
    east_asian = letters.pop("han") + letters["kana"]
    kana = letters.pop("kana")
    letters["ja" if kana > _KANA_SHARE * east_asian else "zh"] = east_asian
    main = max(letters, key=lambda name: letters[name])
    if not letters[main]:
        return None
    if main == "latin":
        return _latin_language(text)
    if main == "ar" and len(_PERSIAN.findall(text)) >= _PERSIAN_SHARE * letters["ar"]:
        return "fa"
    return main


def _latin_language(text: str) -> str | None:
    words_at_all = len(_WORD_SPLIT.split(text))
    best, second = sorted(_marks_of_languages(text).items(), key=lambda item: -item[1])[:2]
    clear = best[1] > second[1] and best[1] >= _FUNCTION_WORD_SHARE * words_at_all
    return best[0] if clear else None


def _marks_of_languages(text: str) -> dict[str, int]:
    distinct, letters = set(_WORD_SPLIT.split(text)), set(text)
    return {
        language: len(distinct & STOP_WORDS[language])
        + len(letters & _TELLTALE.get(language, frozenset()))
        for language in _LATIN
    }


@_lately
def language_of(text: str) -> str:
    """The language to read a text in: the one detected, or the likeliest."""
    detected = detected_language(text)
    if detected:
        return detected
    marks = _marks_of_languages(text.casefold())
    return max(_LATIN, key=lambda language: marks[language])


_WORD_SPLIT = re.compile(r"[\W_]+")
