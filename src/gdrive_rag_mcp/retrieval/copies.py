"""Tells copies among the hits: passages that say the same, word for word or nearly.

What differs in a number, a name, a date or a little word such as "not" says something else,
however much of it is the same.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from gdrive_rag_mcp.cleaning import clean
from gdrive_rag_mcp.domain import Passage
from gdrive_rag_mcp.retrieval.month_names import MONTHS, SHORT_MONTHS
from gdrive_rag_mcp.stop_words import STOP_WORDS
from gdrive_rag_mcp.terms import fold, tokens

ALIKE = 0.8
"""Of the distinct runs of three words of both, from which passages are nearly the same."""
_SHINGLE = 3
_ROUGH = re.compile(r"\w+")
_ASCII_SEPARATORS = {code: " " for code in range(128) if not re.match(r"\w", chr(code))}
_FEWEST_WORDS = 20
"""Shorter ones have to be the same: one word of a few changes what is said."""
_LITTLE = frozenset(fold(word) for words in STOP_WORDS.values() for word in words)
_MONTHS = frozenset(fold(name) for names in (*MONTHS.values(), SHORT_MONTHS) for name in names)


@dataclass(frozen=True, slots=True)
class Wording:
    """A passage's words as far as copies are told by them."""

    words: tuple[str, ...]
    shingles: frozenset[tuple[str, ...]] = field(repr=False)
    names: frozenset[str] = field(repr=False)
    """Folded words that are written with a capital."""


def wording(passage: Passage) -> Wording:
    """Read a passage's words: its text and what one must know to read it, no title."""
    text = clean(f"{passage.context}\n{passage.reading}")
    found = tuple(tokens(text))
    runs = range(max(1, len(found) - _SHINGLE + 1))
    names = frozenset(
        token for word in text.split() if word != word.lower() for token in tokens(word)
    )
    return Wording(found, frozenset(found[at : at + _SHINGLE] for at in runs), names)


def say_the_same(one: Wording, other: Wording) -> bool:
    """Whether one may stand for the other.

    Nearly the same are passages whose runs of three words are alike by Jaccard's measure: Broder,
    "On the resemblance and containment of documents", 1997. So few are compared that they need no
    sketches.
    """
    if one.words == other.words:
        return True
    if min(len(one.words), len(other.words)) < _FEWEST_WORDS:
        return False
    shared = len(one.shingles & other.shingles)
    if shared < ALIKE * len(one.shingles | other.shingles):
        return False
    return not any(_tells(word, one.names | other.names) for word in _differing(one, other))


def _differing(one: Wording, other: Wording) -> Iterator[str]:
    mine, theirs = Counter(one.words), Counter(other.words)
    yield from (mine - theirs)
    yield from (theirs - mine)


def _tells(word: str, names: frozenset[str]) -> bool:
    """Whether a word that only one of two passages has may change what is said.

    Names and months do, and in scripts without capitals any word may be a name.
    """
    plain = word.isalpha() and (word.upper() != word)
    return not plain or word in names or word in _LITTLE or word in _MONTHS


def same_groups(passages: Sequence[Passage]) -> list[list[int]]:
    """Positions of passages that say the same as the first of their group, in order.

    Few are alike, which a look at their raw words tells at a tenth of the cost.
    """
    rough = _as_bits([rough_words(passage.text) for passage in passages])
    sizes = [words.bit_count() for words in rough]
    read = lru_cache(maxsize=None)(lambda place: wording(passages[place]))

    def same(one: int, other: int) -> bool:
        shared = (rough[one] & rough[other]).bit_count()
        alike = 2 * shared >= max(sizes[one], sizes[other])
        return alike and say_the_same(read(one), read(other))

    groups: list[list[int]] = []
    for place in range(len(passages)):
        own = next((group for group in groups if same(group[0], place)), None)
        if own is None:
            groups.append([place])
        else:
            own.append(place)
    return groups


def rough_words(text: str) -> list[str]:
    """Runs of letters and digits; in plain ASCII without a regular expression, at half its cost."""
    text = text.casefold()
    return text.translate(_ASCII_SEPARATORS).split() if text.isascii() else _ROUGH.findall(text)


def _as_bits(texts: Sequence[Sequence[str]]) -> list[int]:
    """The distinct words of each text as bits of a number: what two share is counted at once."""
    bits: dict[str, int] = {}
    found = []
    for words in map(set, texts):
        own = 0
        for word in words:
            own |= bits.get(word) or bits.setdefault(word, 1 << len(bits))
        found.append(own)
    return found
