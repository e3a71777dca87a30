"""Vocabularies of made-up words for several ways of writing, and text out of them.

English brings its real function words, as these are what a search for all words trips over; all
other words are made of syllables. Frequencies follow Zipf's law.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt


def _listed(text: str) -> list[str]:
    return text.split()


FUNCTION_WORDS = _listed(
    "the of and to in a is that for it as was with be by on not he this are or his from at "
    "which but have an had they you were their one all we can her has there been if more when "
    "will would who so no what up its about than into them only other new some could time "
    "these two may then do first any my now such like our over me even most made after also "
    "did many before must through where much your way well down should because each just "
    "those how too good very make own see same work between both under never us while last "
    "might since against use within upon"
)
_ONSETS = _listed("b br ch d dr f fl g gr h j k kl l m n p pl pr r s sh sk st t tr v w z")
_NUCLEI = _listed("a e i o u ai ea ee ou oa")
_CODAS = ("", "", "", "n", "r", "l", "s", "t", "m", "nd", "rk", "st", "ng")
_GERMAN_NUCLEI = _listed("a e i o u ä ö ü ei ie au")
_GERMAN_FUNCTION = _listed(
    "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es "
    "an werden aus er hat dass sie nach wird bei einer um am sind noch wie einem über so zum "
    "war haben"
)
_VIETNAMESE = _listed(
    "a ă â e ê i o ô ơ u ư á à ả ã ạ ấ ầ ậ ế ề ệ í ì ị ó ò ọ ố ồ ộ ớ ờ ợ ú ù ụ ứ ừ ự"
)
_PARTICLES = ("", "", "은", "는", "이", "가", "을", "를", "의", "에", "에서", "으로", "과")

Whole = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Language:
    """What words are made of, what stands between them, and what ends a sentence."""

    words: tuple[str, ...]
    blank: str = " "
    stop: str = "."
    function_words: int = 0
    """So many of the most frequent ones say nothing about a topic."""


def _syllables(
    size: int, nuclei: list[str], most: int, random: np.random.Generator, lead: list[str]
) -> tuple[str, ...]:
    """Distinct words of syllables, the shorter ones first, as frequent words are."""
    syllables = [o + n + c for o in _ONSETS for n in nuclei for c in _CODAS]
    found = dict.fromkeys(lead)
    while len(found) < size:
        missing = size - len(found)
        longest = 2 + np.minimum(most - 2, (most - 1) * np.arange(len(found), size) // size)
        counts = (1 + random.random(missing) * longest).astype(int).tolist()
        drawn = random.integers(len(syllables), size=(missing, most + 1)).tolist()
        for count, own in zip(counts, drawn, strict=True):
            found["".join([syllables[at] for at in own[:count]])] = None
    return tuple(found)


def _signs(first: int, count: int, size: int, most: int, random: np.random.Generator) -> list[str]:
    """Distinct words of a script's signs, of which the earlier ones are the more frequent."""
    signs = [chr(first + at) for at in range(count + 1)]
    found: dict[str, None] = {}
    while len(found) < size:
        lengths = random.integers(1, most + 1, size=size).tolist()
        drawn = np.minimum(random.exponential(count / 6, (size, most)), count).astype(int).tolist()
        for length, own in zip(lengths, drawn, strict=True):
            found["".join([signs[at] for at in own[:length]])] = None
    return list(found)[:size]


def make_language(name: str, seed: int) -> Language:
    """The language of that name: en, de, ko, zh, th or vi."""
    random = np.random.default_rng([seed, 2, *name.encode()])
    if name == "en":
        words = _syllables(60_000, _NUCLEI, 4, random, FUNCTION_WORDS)
        return Language(words, function_words=len(FUNCTION_WORDS))
    if name == "de":
        words = _syllables(60_000, _GERMAN_NUCLEI, 6, random, _GERMAN_FUNCTION)
        return Language(words, function_words=len(_GERMAN_FUNCTION))
    if name == "vi":
        return Language(_syllables(6_000, _VIETNAMESE, 2, random, []))
    if name == "ko":
        nouns = _signs(0xAC00, 3000, 9_000, 3, random)
        return Language(
            tuple(noun + _PARTICLES[at % len(_PARTICLES)] for at, noun in enumerate(nouns))
        )
    if name == "zh":
        return Language(tuple(_signs(0x4E00, 3000, 12_000, 2, random)), blank="", stop="。")
    return Language(tuple(_signs(0x0E01, 45, 9_000, 6, random)), blank="", stop=" ")


class Lexicon:
    """A language's words with the names, numbers and dates that stand between them.

    Words are handled as numbers; `text` spells them out, with sentences and wrapped lines.
    """

    def __init__(self, language: Language, seed: int) -> None:
        self.language = language
        random = np.random.default_rng([seed, 3])
        entries = [*language.words, *_names(30_000, random), *_figures(90_000, random)]
        self.words = len(language.words)
        self.names = (self.words, self.words + 30_000)
        self.figures = (self.words + 30_000, len(entries))
        self._size = len(entries)
        ended = [entry + language.stop for entry in entries]
        opening = [entry[0].upper() + entry[1:] for entry in entries]
        self._forms = np.array([*entries, *ended, *opening], object)
        ranks = np.arange(1, self.words + 1)
        weights = np.cumsum(1.0 / (ranks + 1.5))
        self._shares = weights / weights[-1]

    def draw(self, shape: tuple[int, int], random: np.random.Generator) -> Whole:
        """Words by their frequency."""
        drawn: Whole = np.searchsorted(self._shares, random.random(shape))
        return drawn

    def text(self, words: Whole, random: np.random.Generator, line: int) -> str:
        """Words as prose, `line` words a line."""
        ends = random.random(len(words)) < 1 / 14
        ends[-1] = True
        opens = np.concatenate([[True], ends[:-1]]) & ~ends
        spelt = self._forms[words + self._size * (ends + 2 * opens)].tolist()
        blank = self.language.blank
        if not blank:
            return "".join(spelt)
        return "\n".join(
            blank.join(spelt[start : start + line]) for start in range(0, len(spelt), line)
        )


@cache
def make_lexicon(language: str, seed: int) -> Lexicon:
    """The lexicon of a language; made once, as it takes half a second."""
    return Lexicon(make_language(language, seed), seed)


def _names(size: int, random: np.random.Generator) -> list[str]:
    given = _syllables(400, _NUCLEI, 2, random, [])
    family = _syllables(5_000, _NUCLEI, 3, random, [])
    drawn = zip(
        random.integers(len(given), size=size).tolist(),
        random.integers(len(family), size=size).tolist(),
        strict=True,
    )
    return [f"{given[one].capitalize()} {family[other].capitalize()}" for one, other in drawn]


def _figures(size: int, random: np.random.Generator) -> list[str]:
    """Amounts, numbers of orders, dates."""
    days = (np.datetime64("2012-01-01") + random.integers(0, 5_000, size // 6)).astype(str)
    codes = random.integers(10_000, 10_000_000, size // 3).tolist()
    amounts = random.integers(1, 9_000_000, size - len(days) - len(codes)).tolist()
    return [
        *days.tolist(),
        *(f"{'ABCDEFGH'[code % 8]}{code % 97}-{code}" for code in codes),
        *(f"{amount / 100:,.2f}" if amount % 3 else str(amount % 1000) for amount in amounts),
    ]
