"""What was retrieved, read once for all signals: which hit holds which of the question's terms."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from gdrive_rag_mcp.domain import Hit, Passage, Retrieved, TermStatistics
from gdrive_rag_mcp.evidence.asked import Asked, what_is_asked
from gdrive_rag_mcp.evidence.interaction import Meetings, Rarity, meet
from gdrive_rag_mcp.evidence.missing import missing_codes, missing_words
from gdrive_rag_mcp.terms import text_between, tokens

READ_HITS = 5
"""How many of the best hits are read; what is cited comes from these."""
WINDOW = 40
"""Tokens: about a long sentence or two short ones."""
_ADJACENT = 3
"""Tokens from one term to the next in a phrase: an article or a preposition may stand between."""

_APART = 5
"""Tokens, at most, from one part of a compound to the other where they are written apart."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A question's key terms, and where the best hits hold them.

    `missing` are the question's words that nothing in scope holds, as they were written, and
    `missing_codes` its codes and years with such a part.
    `held` has, for each hit read, the positions in `terms` that it holds at all; `together` those
    it holds within its best window of `WINDOW` tokens, weighed by idf; `phrases` the positions
    whose term stands shortly before the question's next term. `surroundings` are the texts of the
    best windows with half as many tokens before and after; empty where a hit holds no term.
    """

    retrieved: Retrieved
    missing: tuple[str, ...]
    missing_codes: tuple[str, ...]
    terms: tuple[TermStatistics, ...]
    held: tuple[frozenset[int], ...]
    together: tuple[frozenset[int], ...]
    phrases: tuple[frozenset[int], ...]
    asked: Asked
    surroundings: tuple[str, ...]
    meetings: Meetings | None = field(default=None, compare=False)
    """The question's tokens before those of each hit read, where both can be had."""

    @property
    def hits(self) -> tuple[Hit, ...]:
        """The hits read, best first."""
        return self.retrieved.hits[:READ_HITS]

    def weight(self, positions: frozenset[int] | set[int]) -> float:
        """The share of the question's idf that these terms carry, 0 to 1.

        Where no term carries any, as in a question of function words, each counts alike.
        """
        whole = sum(term.idf for term in self.terms)
        if not whole:
            return len(positions) / max(1, len(self.terms))
        return sum(self.terms[position].idf for position in positions) / whole

    @property
    def known(self) -> frozenset[int]:
        """The terms that some chunk in scope holds."""
        return frozenset(place for place, term in enumerate(self.terms) if term.chunks)


def read(retrieved: Retrieved, rarity: Rarity | None = None) -> Reading:
    """Find the question's key terms in the best hits; with no key term, all its terms count.

    Its tokens are compared with theirs where the index has both, and `rarity` tells their idf.
    """
    asked = retrieved.statistics.terms
    missing = missing_words(retrieved.query.text, asked)
    telling = {token for word in missing for token in word.tokens}
    key = [term for term in asked if term.key]
    terms = tuple(term for term in key or asked if term.chunks or term.forms[0] in telling)
    places = _places_by_form(terms)
    texts = [_text(hit.passage) for hit in retrieved.hits[:READ_HITS]]
    finds = [_finds(text, places) for text in texts]
    windows = [_best_window(found, terms) for found in finds]
    return Reading(
        retrieved=retrieved,
        missing=tuple(word.surface for word in missing),
        missing_codes=missing_codes(retrieved.query.text, missing),
        terms=terms,
        held=tuple(frozenset(chain.from_iterable(at for _, at in found)) for found in finds),
        together=tuple(window.terms for window in windows),
        phrases=tuple(_phrases(found) for found in finds),
        asked=what_is_asked(retrieved.query.text),
        surroundings=tuple(map(_around, retrieved.hits, texts, windows)),
        meetings=meet(
            retrieved.question_tokens, [hit.tokens for hit in retrieved.hits[:READ_HITS]], rarity
        ),
    )


@dataclass(frozen=True, slots=True)
class _Places:
    """The positions of terms by what says them: one token, several in a row, or two close by."""

    of_token: Mapping[str, Sequence[int]]
    of_row: Mapping[str, Sequence[tuple[tuple[str, ...], int]]]
    """By the last token of a row."""
    of_pair: Mapping[str, Sequence[tuple[str, int]]]
    """By either token of a pair: the other one."""


def _places_by_form(terms: Sequence[TermStatistics]) -> _Places:
    of_token: dict[str, list[int]] = {}
    of_row: dict[str, list[tuple[tuple[str, ...], int]]] = {}
    of_pair: dict[str, list[tuple[str, int]]] = {}
    for place, term in enumerate(terms):
        for form in term.forms:
            row = tuple(form.split())
            if len(row) == 1:
                of_token.setdefault(form, []).append(place)
            else:
                of_row.setdefault(row[-1], []).append((row, place))
        for one, other in term.near:
            of_pair.setdefault(one, []).append((other, place))
            of_pair.setdefault(other, []).append((one, place))
    return _Places(of_token, of_row, of_pair)


def _text(passage: Passage) -> str:
    return "\n".join(
        (passage.name, passage.title, *passage.headings, passage.context, passage.reading)
    )


def _finds(text: str, places: _Places) -> list[tuple[int, list[int]]]:
    """Each token of a text that is a term, as (token number, positions of its terms)."""
    found = tokens(text)
    at_each = ((number, _said_at(found, number, places)) for number in range(len(found)))
    return [(number, said) for number, said in at_each if said]


def _said_at(found: Sequence[str], number: int, places: _Places) -> list[int]:
    """The terms that the token there says, alone or with those before it."""
    token = found[number]
    said = [*places.of_token.get(token, ())]
    for row, place in places.of_row.get(token, ()):
        if tuple(found[max(0, number + 1 - len(row)) : number + 1]) == row:
            said.append(place)
    for other, place in places.of_pair.get(token, ()):
        if other in found[max(0, number - _APART) : number]:
            said.append(place)
    return said


@dataclass(frozen=True, slots=True)
class _Window:
    terms: frozenset[int]
    first: int
    last: int


def _best_window(
    found: Sequence[tuple[int, list[int]]], terms: Sequence[TermStatistics]
) -> _Window:
    best = _Window(frozenset(), 0, 0)
    best_weight = 0.0
    for begin, (start, _) in enumerate(found):
        inside: set[int] = set()
        last = start
        for number, at in found[begin:]:
            if number - start >= WINDOW:
                break
            inside.update(at)
            last = number
        weight = sum(terms[place].idf for place in inside)
        if weight > best_weight:
            best, best_weight = _Window(frozenset(inside), start, last), weight
    return best


def _around(hit: Hit, text: str, window: _Window) -> str:
    """The text of a window, and half as much again before it and after it; no file's name."""
    if not window.terms:
        return ""
    first = max(len(tokens(hit.passage.name)), window.first - WINDOW // 2)
    return text_between(text, first, window.last + WINDOW // 2)


def _phrases(found: Sequence[tuple[int, list[int]]]) -> frozenset[int]:
    held: set[int] = set()
    last_seen: dict[int, int] = {}
    for number, places in found:
        for place in places:
            if number - last_seen.get(place - 1, -WINDOW) <= _ADJACENT:
                held.add(place - 1)
        last_seen.update(dict.fromkeys(places, number))
    return frozenset(held)
