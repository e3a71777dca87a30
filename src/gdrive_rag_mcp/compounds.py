"""Compounds and their parts, in languages that write them as one word: Urlaubsanspruch."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache

_LINKS: Mapping[str, tuple[str, ...]] = {
    "de": ("", "s", "es", "n", "en", "e", "er", "ns", "ens"),
    "nl": ("", "s", "en", "e", "n", "er"),
    "sv": ("", "s", "e", "u"),
    "da": ("", "s", "e", "er"),
    "no": ("", "s", "e", "er"),
    "fi": ("", "n", "den"),
    "hu": ("",),
    "en": ("",),
}
"""What may stand between the parts of a compound."""
SHORTEST_PART = 4
_SHORTEST_TAIL = 3


@lru_cache(maxsize=512)
def splits(word: str, language: str) -> tuple[tuple[str, str], ...]:
    """Every way to cut a word into two of which the first may have a link after it."""
    links = _LINKS.get(language, ())
    if not links or not word.isalpha():
        return ()
    return tuple(
        (word[: end - len(link)], word[end:])
        for end in range(SHORTEST_PART, len(word) - SHORTEST_PART + 1)
        for link in links
        if end - len(link) >= SHORTEST_PART and word[:end].endswith(link)
    )


def best_split(
    word: str, language: str, counts: Callable[[Collection[str]], Mapping[str, int]]
) -> tuple[str, str] | None:
    """The parts of a compound, both of which are known words; None where it is none.

    Of several ways that with the highest geometric mean of the parts' frequencies: Koehn & Knight,
    "Empirical methods for compound splitting", EACL 2003. `counts` gives those that are known.
    """
    ways = splits(word, language)
    known = counts({part for way in ways for part in way}) if ways else {}
    scored = [
        (known[head] * known[tail], head, tail)
        for head, tail in ways
        if head in known and tail in known
    ]
    return max(scored)[1:] if scored else None


def made_of(
    start: str, words: Sequence[str], others: Collection[str], language: str
) -> Iterator[str]:
    """Those of `words` that are `start`, a link, and what begins with one of `others`."""
    links = _LINKS.get(language, ())
    if len(start) < SHORTEST_PART:
        return
    tails = tuple(
        link + other for link in links for other in others if len(other) >= _SHORTEST_TAIL
    )
    for word in words:
        if tails and word.startswith(start) and word[len(start) :].startswith(tails):
            yield word
