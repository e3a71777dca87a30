"""The operator's term dictionary: which words of a question stand for which others."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from gdrive_rag_mcp.domain import QueryTerm
from gdrive_rag_mcp.terms import language_of, phrase_of, stem, tokens

_Stems = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Entry:
    """A term of the dictionary as it was written, and what else means the same, as index tokens."""

    surface: str
    alike: tuple[str, ...]


class Thesaurus:
    """Groups of terms that mean the same, such as `("PTO", "paid time off", "Urlaub")`.

    A term may be in several groups, and then has the synonyms of all of them.
    """

    def __init__(self, groups: Iterable[Sequence[str]] = ()) -> None:
        self._entries: dict[str, _Entry] = {}
        for group in groups:
            phrases = {phrase_of(term): term for term in group}
            for phrase, surface in phrases.items():
                known = self._entries.get(phrase, _Entry(surface, (phrase,)))
                alike = tuple(dict.fromkeys((*known.alike, *phrases)))
                self._entries[phrase] = _Entry(known.surface, alike)
        self._longest = max((len(phrase.split()) for phrase in self._entries), default=0)
        self._by_language: dict[str, Mapping[_Stems, _Entry]] = {}

    def applied(self, question: str, terms: Sequence[QueryTerm]) -> tuple[QueryTerm, ...]:
        """The terms of a question with their synonyms; other forms of a term are the term, too.

        Where it is several words, it becomes one term, and its words are searched for only in want
        of anything else.
        """
        if not self._entries:
            return tuple(terms)
        by_token = {term.token: term for term in terms}
        for found, entry in self._found(tokens(question), language_of(question)):
            token = " ".join(found)
            own = by_token.get(token) or QueryTerm(entry.surface, token)
            alike = (one for one in entry.alike if one != token)
            for part in found if len(found) > 1 else ():
                if part in by_token:
                    by_token[part] = replace(by_token[part], key=False)
            synonyms = tuple(dict.fromkeys((*own.synonyms, *alike)))
            by_token[token] = replace(own, key=True, synonyms=synonyms)
        return tuple(by_token.values())

    def _found(self, asked: Sequence[str], language: str) -> Iterator[tuple[_Stems, _Entry]]:
        """Each entry that a question holds, the longest first at any place, with its tokens."""
        entries = self._stemmed(language)
        stems = [stem(token, language) for token in asked]
        at = 0
        while at < len(stems):
            for end in range(min(at + self._longest, len(stems)), at, -1):
                entry = entries.get(tuple(stems[at:end]))
                if entry:
                    yield tuple(asked[at:end]), entry
                    at = end - 1
                    break
            at += 1

    def _stemmed(self, language: str) -> Mapping[_Stems, _Entry]:
        if language not in self._by_language:
            self._by_language[language] = {
                tuple(stem(token, language) for token in phrase.split()): entry
                for phrase, entry in self._entries.items()
            }
        return self._by_language[language]


NO_SYNONYMS = Thesaurus()
