"""Which words of a question the corpus in scope does not know, as the asker wrote them."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import groupby

from gdrive_rag_mcp.domain import TermStatistics
from gdrive_rag_mcp.terms import tokens, words

_HANGUL = re.compile("[\uac00-\ud7a3]")
_SHORTEST_UNKNOWN_RUN = 2
# A-380, KX4711, INV-2024-117, and years. No other plain numbers: 5000 may be written 5,000. Nor two
# characters, as in Q3: that may be spelt out.
_CODE = re.compile(
    r"(?<![A-Za-z0-9\u00c0-\u024f])(?=(?:[-/_.]?[A-Z0-9]){3})"
    r"(?:[A-Z]+(?:[-/_.]?[A-Z0-9])*|(?:19|20)\d\d(?:[QH][1-4])?)(?![A-Za-z0-9\u00c0-\u024f])"
)


@dataclass(frozen=True, slots=True)
class MissingWord:
    """A word of the question that no chunk in scope holds, and the index tokens it is made of."""

    surface: str
    tokens: tuple[str, ...]


def missing_words(question: str, terms: Sequence[TermStatistics]) -> tuple[MissingWord, ...]:
    """Find the unknown words in order; pairs of characters are put back together to words.

    A pair that straddles two known words is unknown in most corpora and says nothing: in scripts
    without blanks a word is missing only where no known pair attests its characters.
    """
    unknown = {term.forms[0]: term for term in terms if term.key and not term.chunks}
    found: dict[tuple[str, ...], MissingWord] = {}
    for word, word_tokens in words(question):
        absent = [token in unknown for token in word_tokens]
        for missing in _missing_in(word, word_tokens, absent):
            found.setdefault(missing.tokens, missing)
    for token, term in unknown.items():
        if " " in token:  # a term of several words, by the operator's dictionary
            found.setdefault((token,), MissingWord(term.surface, (token,)))
    return tuple(found.values())


def words_lacking(question: str, absent: AbstractSet[str]) -> tuple[str, ...]:
    """The words of a question that are made of absent tokens, in order, as they were written."""
    found = dict.fromkeys(
        missing.surface
        for word, word_tokens in words(question)
        for missing in _missing_in(word, word_tokens, [token in absent for token in word_tokens])
    )
    return tuple(found)


def missing_codes(question: str, missing: Sequence[MissingWord]) -> tuple[str, ...]:
    """The codes and years of the question that hold a missing word, whole as they were written.

    They read the same in every language, so their absence proves more than that of a word.
    """
    absent = {token for word in missing for token in word.tokens}
    codes = (found.group() for found in _CODE.finditer(unicodedata.normalize("NFKC", question)))
    return tuple(
        code
        for code in dict.fromkeys(codes)
        if any(map(str.isdigit, code)) and not absent.isdisjoint(tokens(code))
    )


def _missing_in(
    word: str, word_tokens: tuple[str, ...], absent: Sequence[bool]
) -> Iterator[MissingWord]:
    if len(word_tokens) <= 1:
        if any(absent):
            yield MissingWord(word, word_tokens)
        return
    for start, end in _unattested_runs(absent):
        if end - start >= _SHORTEST_UNKNOWN_RUN:
            first, last = max(start - 1, 0), min(end, len(word_tokens))
            # Korean parts its words, so the whole word reads best; the others run on.
            surface = word if _HANGUL.search(word) else word[start:end]
            yield MissingWord(surface, word_tokens[first:last])


def _unattested_runs(absent: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """Runs of characters in no known pair; the pair at place i is characters i and i + 1."""
    before, after = [True, *absent], [*absent, True]
    bare = [left and right for left, right in zip(before, after, strict=True)]
    place = 0
    for unattested, run in groupby(bare):
        length = len(list(run))
        if unattested:
            yield place, place + length
        place += length
