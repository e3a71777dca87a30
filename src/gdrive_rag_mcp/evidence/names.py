"""Names: which words of a question are one, and whether a text has another.

Where a script has capitals they tell names; Katakana, quotation marks and codes do in any script.
"""

import re
from collections.abc import Iterator, Sequence

from gdrive_rag_mcp.terms import fold, words

_QUOTED = re.compile('["“«„「『《〈]([^"”»“」』》〉]{2,60})["”»“」』》〉]')
_KATAKANA = re.compile("[\u30a1-\u30fa\u30fc]+")
_WORD = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*")
_SENTENCE_END = re.compile(r"(?:^|[.!?:;\n•\"“«(])\s*$")
_NOUNS_HAVE_CAPITALS = {"de"}
_SHORTEST_ACRONYM = 2
_SHORTEST_NAME = 2


def names_asked(question: str, language: str) -> frozenset[str]:
    """The tokens of a question's names: capitalised within it, in quotes, Katakana, or a code.

    A question's first word counts where another name follows it; where every noun has a capital,
    so does each word beside another.
    """
    asked = list(words(question))
    found = {token for run in _QUOTED.findall(question) for _, made in words(run) for token in made}
    for place, (word, made) in enumerate(asked):
        beside = _has_capital(asked[place + 1 : place + 2])
        if language in _NOUNS_HAVE_CAPITALS:
            beside = beside or _has_capital(asked[max(1, place - 1) : place])
        else:
            beside = beside or place > 0
        if _is_code(word) or (beside and word[0].isupper()):
            found.update(made)
        found.update(token for token in made if _KATAKANA.fullmatch(token))
    return frozenset(found)


def _has_capital(asked: Sequence[tuple[str, tuple[str, ...]]]) -> bool:
    return any(word[0].isupper() for word, _ in asked)


def _is_code(word: str) -> bool:
    letters = any(map(str.isalpha, word)) and word.isascii()
    acronym = word.isupper() and len(word) >= _SHORTEST_ACRONYM
    return letters and (acronym or any(map(str.isdigit, word)))


def has_other_name(text: str, asked: frozenset[str]) -> bool:
    """Whether a text has a name of none of the tokens asked; a sentence's first word is none."""
    return any(fold(name) not in asked for name in _names(text))


def _names(text: str) -> Iterator[str]:
    for found in _WORD.finditer(text):
        word = found.group()
        if word[0].isupper() and len(word) >= _SHORTEST_NAME:
            before = text[max(0, found.start() - 3) : found.start()]
            if found.start() and not _SENTENCE_END.search(before):
                yield word
