"""Whether a text says the opposite of what is asked: "least" where it tells of the most."""

from collections.abc import Iterator
from functools import cache

from gdrive_rag_mcp.evidence.lexicon_opposites import DENYING_PREFIXES, OPPOSITES
from gdrive_rag_mcp.evidence.written import comparable, listed, split_words

_WITHOUT_BLANKS = {"ja", "ko", "th", "zh"}
_SHORTEST_STEM = 5  # characters: shorter ones are other words, as "port" and "import"


def says_opposite(question: str, text: str, language: str) -> bool | None:
    """Whether a text has the opposite of a word asked, and not the word; None without such a word.

    Opposites are listed, or made by a prefix that denies.
    """
    asked, told = comparable(question, language), comparable(text, language)
    if language in _WITHOUT_BLANKS:
        return _turned(_opposites(language), asked, told)
    asked_words, told_words = split_words(asked), split_words(told)
    if any(_is_denied(word, told_words, language) for word in asked_words - told_words):
        return True
    return _turned(_opposites(language), asked_words, told_words)


def _turned(
    opposites: dict[str, frozenset[str]], asked: str | frozenset[str], told: str | frozenset[str]
) -> bool | None:
    # A question that names both asks which.
    held = [word for word in opposites if word in asked and not _any_in(opposites[word], asked)]
    if not held:
        return None
    return any(word not in told and _any_in(opposites[word], told) for word in held)


def _any_in(words: frozenset[str], told: str | frozenset[str]) -> bool:
    return any(word in told for word in words)


def _is_denied(word: str, told: frozenset[str], language: str) -> bool:
    return any(other in told for other in _denials(word, language))


def _denials(word: str, language: str) -> Iterator[str]:
    for prefix in _prefixes(language):
        if len(word) >= _SHORTEST_STEM:
            yield prefix + word
        if word.startswith(prefix) and len(word) - len(prefix) >= _SHORTEST_STEM:
            yield word[len(prefix) :]


@cache
def _prefixes(language: str) -> tuple[str, ...]:
    return tuple(comparable(DENYING_PREFIXES.get(language, ""), language).split())


@cache
def _opposites(language: str) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for pair in listed(OPPOSITES.get(language, "")):
        words = comparable(pair, language).split()
        half = len(words) // 2
        left, right = " ".join(words[:half]), " ".join(words[half:])
        if left:
            found.setdefault(left, set()).add(right)
            found.setdefault(right, set()).add(left)
    return {word: frozenset(others) for word, others in found.items()}
